// Drafts, and messages that wait for the time to be sent. Both are messages of the mailbox: a draft is labeled drafts, a waiting one scheduled.
import { type MailboxInput, openMailbox } from './access.js';
import { peopleOf } from './addresses.js';
import { answerTo, cut, type Draft, draftOf, newMessage, subjectCharsMax, type Written } from './compose.js';
import { putMessage } from './history.js';
import { cancelSending, eraseMessage } from './messages.js';
import type { Context, Mailbox, MailTypes, Message } from './model.js';
import { latencyUs } from './post.js';
import { messagesOf, requireMessage, requireSent } from './rows.js';
import { handOver, sendProblem } from './sending.js';
import { roomProblem } from './storage.js';
import { inThread, type WholeMessage, wholeDraft } from './whole.js';

interface DraftInput extends MailboxInput {
  readonly draftId: string;
}
interface Answering {
  readonly replyToMessageId?: string;
  readonly replyAll?: boolean;
}

export function createDraft(input: MailboxInput & Written & Answering, context: Context): Message {
  const mailbox = openMailbox(context, input, 'organize');
  return saveWithin(context, mailbox, newMessage(context, mailbox, draftFor(context, mailbox, input)));
}

/** What is given replaces what was there, lists as a whole. */
export function updateDraft(input: DraftInput & Written, context: Context): Message {
  const mailbox = openMailbox(context, input, 'organize');
  const before = requireDraft(context, mailbox, input.draftId);
  const { to, cc, bcc, subject, body, attachments } = draftOf(mailbox, input);
  const after = {
    ...before,
    to: input.to ? to : before.to,
    cc: input.cc ? cc : before.cc,
    bcc: input.bcc ? bcc : before.bcc,
    subject: input.subject === undefined ? before.subject : subject,
    body: input.body === undefined ? before.body : body,
    // HTML that was there said the same as the text that goes.
    ...(input.body === undefined ? {} : { html: undefined, htmlOnly: undefined }),
    attachments: input.attachments ? attachments : before.attachments,
    arrivedAtUs: context.clock.nowUs(),
  };
  return saveWithin(context, mailbox, after, before);
}

export function getDraft(input: DraftInput, context: Context): Message {
  return requireDraft(context, openMailbox(context, input, 'read'), input.draftId);
}

/** A whole message as a new draft, or in place of what a draft was. */
export function saveDraft(
  input: MailboxInput & { readonly draftId?: string; readonly threadId?: string; readonly message: WholeMessage },
  context: Context,
): Message {
  const mailbox = openMailbox(context, input, 'organize');
  const before = input.draftId === undefined ? undefined : requireDraft(context, mailbox, input.draftId);
  const draft = wholeDraft(context, mailbox, input.message);
  if (before === undefined)
    return saveWithin(context, mailbox, inThread(context, mailbox, newMessage(context, mailbox, draft), input.threadId));
  const after = { ...before, ...draft, subject: cut(draft.subject, subjectCharsMax), arrivedAtUs: context.clock.nowUs() };
  return saveWithin(context, mailbox, inThread(context, mailbox, after, input.threadId), before);
}

export function deleteDraft(input: DraftInput, context: Context): { draftId: string } {
  const draft = requireDraft(context, openMailbox(context, input, 'organize'), input.draftId);
  eraseMessage(context, draft, 'requested');
  return { draftId: draft.id };
}

export function sendDraft(input: DraftInput, context: Context): Message {
  const mailbox = openMailbox(context, input, 'send');
  const draft = requireDraft(context, mailbox, input.draftId);
  const problem = sendProblem(context, mailbox, draft);
  return problem ? context.fail(problem) : handOver(context, draft, { origin: 'caller', delayUs: latencyUs(context) });
}

/** Whether its recipients are accepted, and within the day's limit, is looked at when it is sent. */
export function scheduleDraft(input: DraftInput & { readonly sendAtUs: number }, context: Context): Message {
  const mailbox = openMailbox(context, input, 'send');
  return schedule(context, requireDraft(context, mailbox, input.draftId), input.sendAtUs);
}

export function scheduleNew(input: MailboxInput & Written & { readonly sendAtUs: number }, context: Context): Message {
  const mailbox = openMailbox(context, input, 'send');
  const draft = draftOf(mailbox, input);
  const problem = roomProblem(context, mailbox, draft);
  return problem ? context.fail(problem) : schedule(context, newMessage(context, mailbox, draft), input.sendAtUs);
}

/** What waits to be sent, the next first. */
export function listScheduled(input: MailboxInput, context: Context): { items: readonly Message[] } {
  const mailbox = openMailbox(context, input, 'read');
  const waiting = messagesOf(context, mailbox).filter(({ sendAtUs }) => sendAtUs !== null);
  return { items: waiting.sort((a, b) => (a.sendAtUs ?? 0) - (b.sendAtUs ?? 0)) };
}

/** The message is a draft again. */
export function cancelScheduled(input: MailboxInput & { readonly messageId: string }, context: Context): Message {
  const mailbox = openMailbox(context, input, 'send');
  const message = requireMessage(context, mailbox, input.messageId);
  if (message.sendAtUs === null) return context.fail({ code: 'MESSAGE_NOT_SCHEDULED', message: `${message.id} does not wait to be sent.` });
  return save(context, cancelSending(context, message));
}

/** Handles `send.due`. A message that was cancelled, or waits for another time by now, is left alone; one that cannot be sent is a draft again. */
export function sendScheduled(due: MailTypes['events']['send.due'], context: Context): void {
  const message = context.state.get('messages', due.messageId);
  const mailbox = message && context.state.get('mailboxes', message.mailbox);
  if (mailbox === undefined || message?.sendAtUs !== due.sendAtUs) return;
  const problem = sendProblem(context, mailbox, message);
  if (problem === undefined) {
    handOver(context, message, { origin: 'caller', delayUs: latencyUs(context) });
    return;
  }
  save(context, { ...message, labels: relabeled(message, 'scheduled', 'drafts'), sendAtUs: null });
  context.events.emit('send.failed', { mailbox: mailbox.address, messageId: message.id, code: problem.code });
}

function schedule(context: Context, draft: Message, sendAtUs: number): Message {
  if (sendAtUs <= context.clock.nowUs()) return context.fail({ code: 'SEND_TIME_PASSED', message: 'sendAtUs must lie in the future.' });
  if (draft.to.length + draft.cc.length + draft.bcc.length === 0) {
    return context.fail({ code: 'NO_RECIPIENTS', message: 'The message is to nobody.' });
  }
  const { id: messageId, mailbox } = draft;
  context.events.scheduleAt('send.due', { messageId, sendAtUs }, sendAtUs);
  context.events.emit('send.scheduled', { mailbox, messageId, sendAtUs });
  return save(context, { ...draft, labels: relabeled(draft, 'drafts', 'scheduled'), sendAtUs });
}

/** A new text, or an answer whose recipients and subject follow from what it answers unless they are given. */
function draftFor(context: Context, mailbox: Mailbox, input: Written & Answering): Draft {
  if (input.replyToMessageId === undefined) return draftOf(mailbox, input);
  const answer = answerTo(mailbox, requireSent(context, mailbox, input.replyToMessageId), { ...input, all: input.replyAll ?? false });
  return input.to ? { ...answer, to: peopleOf(input.to) } : answer;
}

/** A draft that is in trash is none. */
function requireDraft(context: Context, { address }: Mailbox, draftId: string): Message {
  const draft = context.state.get('messages', draftId);
  const open = draft?.mailbox === address && draft.labels.includes('drafts') && draft.trashedAtUs === null;
  return open ? draft : context.fail({ code: 'DRAFT_NOT_FOUND', message: `There is no draft ${draftId} in ${address}.` });
}

function saveWithin(context: Context, mailbox: Mailbox, message: Message, before?: Message): Message {
  const problem = roomProblem(context, mailbox, message, before);
  return problem ? context.fail(problem) : save(context, message);
}

function save(context: Context, message: Message): Message {
  return putMessage(context, message);
}

const relabeled = ({ labels }: Message, from: string, to: string): string[] => [...labels.filter((label) => label !== from), to].sort();
