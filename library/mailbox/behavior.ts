// The mailbox's behavior: which function answers which operation and which event; the wire's codecs lie in wire/.
import { defineToolBehavior } from 'drillyard/tool-sdk';
import { refuseRequest } from './gmail/errors.js';
import { gmailRoutes } from './gmail/routes.js';
import { searchContacts } from './mail/contacts.js';
import { writeAnswer } from './mail/correspondents.js';
import { deliver, listDeliveries, takeIn } from './mail/delivery.js';
import {
  cancelScheduled,
  createDraft,
  deleteDraft,
  getDraft,
  listScheduled,
  saveDraft,
  scheduleDraft,
  scheduleNew,
  sendDraft,
  sendScheduled,
  updateDraft,
} from './mail/drafts.js';
import { listHistory } from './mail/history.js';
import { createLabel, deleteLabel, getLabel, listLabels, renameLabel } from './mail/labels.js';
import { getMailbox, listMailboxes } from './mail/mailboxes.js';
import {
  deleteMessage,
  getAttachment,
  getMessage,
  modifyMessage,
  modifyMessages,
  purgeTrash,
  trashMessage,
  untrashMessage,
} from './mail/messages.js';
import type { MailTypes } from './mail/model.js';
import { searchMessages } from './mail/search.js';
import { forward, reply, replyAll, sendNew, submit } from './mail/sending.js';
import { getThread, listThreads, modifyThread, trashThread, untrashThread } from './mail/threads.js';
import { getVacation, setVacation } from './mail/vacation.js';
import { callbacks } from './wire/callbacks.js';
import { routes } from './wire/routes.js';

export default defineToolBehavior<MailTypes>({
  operations: {
    'mailbox.list': listMailboxes,
    'mailbox.get': getMailbox,
    'contact.search': searchContacts,
    'thread.list': listThreads,
    'thread.get': getThread,
    'thread.modify': modifyThread,
    'thread.trash': trashThread,
    'thread.untrash': untrashThread,
    'message.search': searchMessages,
    'message.get': getMessage,
    'message.modify': modifyMessage,
    'message.modify-many': modifyMessages,
    'message.trash': trashMessage,
    'message.untrash': untrashMessage,
    'message.delete': deleteMessage,
    'attachment.get': getAttachment,
    'label.list': listLabels,
    'label.get': getLabel,
    'label.create': createLabel,
    'label.rename': renameLabel,
    'label.delete': deleteLabel,
    'message.send': sendNew,
    'message.submit': submit,
    'message.reply': reply,
    'message.reply-all': replyAll,
    'message.forward': forward,
    'message.schedule': scheduleNew,
    'draft.create': createDraft,
    'draft.update': updateDraft,
    'draft.get': getDraft,
    'draft.save': saveDraft,
    'draft.delete': deleteDraft,
    'draft.send': sendDraft,
    'draft.schedule': scheduleDraft,
    'schedule.list': listScheduled,
    'schedule.cancel': cancelScheduled,
    'delivery.list': listDeliveries,
    'history.list': listHistory,
    'vacation.get': getVacation,
    'vacation.set': setVacation,
  },
  subscriptions: {
    'take-in': takeIn,
    deliver,
    'send-scheduled': sendScheduled,
    'correspondent-answers': writeAnswer,
    'purge-trash': purgeTrash,
  },
  http: { ...routes, ...gmailRoutes },
  refuse: refuseRequest,
  callbacks,
});
