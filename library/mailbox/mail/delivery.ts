// The end of a mail's way: it arrives in a mailbox, is taken by somebody outside, or comes back to its sender.
import { openMailbox } from './access.js';
import { domainOf, peopleOf, personOf } from './addresses.js';
import { arrive } from './arrivals.js';
import { chainOf, draftOf } from './compose.js';
import { contactAt } from './contacts.js';
import { hasCorrespondent, scheduleAnswer } from './correspondents.js';
import type { MessageInput } from './messages.js';
import type { BounceReason, Context, Delivery, IncomingMail, Mail, MailTypes } from './model.js';
import { postMail } from './post.js';
import { requireMessage, rowsWhere } from './rows.js';
import { roomProblem } from './storage.js';
import { answerAway } from './vacation.js';

const reasonTexts: { readonly [reason in BounceReason]: string } = {
  unknown_recipient: 'there is no such mailbox',
  rejected: 'the recipient’s server did not accept it',
  mailbox_full: 'the mailbox is full',
};

/** What became of a message that was sent, by recipient. */
export function listDeliveries(input: MessageInput, context: Context): { items: Omit<Delivery, 'origin' | 'sender'>[] } {
  const { id, mailId, sentAtUs, labels } = requireMessage(context, openMailbox(context, input, 'read'), input.messageId);
  if (sentAtUs === null || !labels.includes('sent'))
    return context.fail({ code: 'MESSAGE_NOT_SENT', message: `${id} was not sent from here.` });
  return {
    items: rowsWhere(context, 'deliveries', (delivery) => delivery.mailId === mailId).map(({ origin: _o, sender: _s, ...shown }) => shown),
  };
}

/** Handles `mail.incoming`: a scenario's mail from outside, there at once. */
export function takeIn(incoming: IncomingMail, context: Context): void {
  const { from, to, cc = [], replyTo, subject, body, headers = {}, inReplyTo = null, attachments = [] } = incoming;
  const content = {
    from: personOf(from),
    to: peopleOf(to),
    cc: peopleOf(cc),
    bcc: [],
    replyTo: replyTo === undefined ? null : personOf(replyTo),
  };
  const references = inReplyTo === null ? [] : [inReplyTo];
  postMail(context, { ...content, subject, body, headers, inReplyTo, references, attachments }, { origin: 'outside', delayUs: 0 });
}

/** Handles `delivery.due`. */
export function deliver(due: MailTypes['events']['delivery.due'], context: Context): void {
  const delivery = context.state.get('deliveries', due.deliveryId);
  const mail = delivery && context.state.get('mails', delivery.mailId);
  if (delivery?.status !== 'queued' || mail === undefined) return;
  const { recipient } = delivery;
  const reason = bounceReason(context, mail, recipient);
  settle(context, delivery, reason);
  if (reason !== null) {
    giveBack(context, mail, { recipient, reason });
    return;
  }
  const mailbox = context.state.get('mailboxes', recipient);
  if (mailbox) answerAway(context, mailbox, { mail, message: arrive(context, mailbox, mail) });
  if (mail.origin === 'caller') scheduleAnswer(context, mail, recipient);
}

function bounceReason(context: Context, mail: Mail, recipient: string): BounceReason | null {
  const mailbox = context.state.get('mailboxes', recipient);
  if (mailbox) return roomProblem(context, mailbox, mail) ? 'mailbox_full' : null;
  const contact = contactAt(context, recipient);
  if (contact) return contact.delivery === 'accepts' ? null : 'rejected';
  return hasCorrespondent(context, recipient) ? null : 'unknown_recipient';
}

function settle(context: Context, delivery: Delivery, reason: BounceReason | null): void {
  const { id: deliveryId, mailId, sender, recipient } = delivery;
  const status = reason === null ? 'delivered' : 'bounced';
  context.state.put('deliveries', deliveryId, { ...delivery, status, reason, settledAtUs: context.clock.nowUs() });
  if (reason === null) context.events.emit('message.delivered', { mailId, deliveryId, recipient });
  else context.events.emit('message.bounced', { mailId, deliveryId, sender, recipient, reason });
}

/** A notice in the sender's mailbox, in the thread of what came back. What was sent automatically comes back silently. */
function giveBack(context: Context, mail: Mail, { recipient, reason }: { recipient: string; reason: BounceReason }): void {
  const sender = context.state.get('mailboxes', mail.from.address);
  if (sender === undefined || mail.origin === 'bounce' || mail.origin === 'vacation') return;
  const daemon = { address: `mailer-daemon@${domainOf(sender.address)}`, name: 'Mail Delivery System' };
  const notice = draftOf(daemon, {
    to: [sender.address],
    subject: `Undeliverable: ${mail.subject}`,
    body: `Your message could not be delivered to ${recipient}: ${reasonTexts[reason]} (${reason}).`,
  });
  const headers = { 'auto-submitted': 'auto-replied', 'x-failed-recipients': recipient };
  const related = { inReplyTo: mail.messageId, references: chainOf(mail) };
  postMail(context, { ...notice, headers, ...related }, { origin: 'bounce', delayUs: 0 });
}
