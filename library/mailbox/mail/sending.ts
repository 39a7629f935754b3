// Sending: from a message of a mailbox to a mail on its way. All that could stop it is checked before anything is written.
import type { FailOptions } from 'drillyard/tool-sdk';
import { type MailboxInput, openMailbox } from './access.js';
import { recipientsOf } from './addresses.js';
import { answerTo, type Draft, draftOf, forwardOf, isTooLarge, newMessage, type Written } from './compose.js';
import { contactAt } from './contacts.js';
import { putMessage } from './history.js';
import type { MessageInput } from './messages.js';
import { type Context, type Delivery, dayUs, type Mailbox, type Message, type Origin } from './model.js';
import { latencyUs, postMail } from './post.js';
import { requireSent, rowsWhere } from './rows.js';
import { roomProblem } from './storage.js';
import { inThread, type WholeMessage, wholeDraft } from './whole.js';

export function sendNew(input: MailboxInput & Written, context: Context): Message {
  const mailbox = openMailbox(context, input, 'send');
  return send(context, mailbox, draftOf(mailbox, input));
}

/** A message as a mail program hands it over, in the thread that it names or belongs to. */
export function submit(input: MailboxInput & { readonly threadId?: string; readonly message: WholeMessage }, context: Context): Message {
  const mailbox = openMailbox(context, input, 'send');
  return send(context, mailbox, wholeDraft(context, mailbox, input.message), input.threadId);
}

export function reply(input: MessageInput & Written, context: Context): Message {
  return answer(context, { ...input, all: false });
}

export function replyAll(input: MessageInput & Written, context: Context): Message {
  return answer(context, { ...input, all: true });
}

export function forward(input: MessageInput & Written & { readonly includeAttachments?: boolean }, context: Context): Message {
  const mailbox = openMailbox(context, input, 'send');
  const original = requireSent(context, mailbox, input.messageId);
  const draft = forwardOf(mailbox, original, { ...input, includeAttachments: input.includeAttachments ?? true });
  if (isTooLarge(draft)) {
    return context.fail({ code: 'MESSAGE_TOO_LARGE', message: `${original.id} is too large to be handed on with this.` });
  }
  return send(context, mailbox, draft);
}

function answer(context: Context, input: MessageInput & Written & { readonly all: boolean }): Message {
  const mailbox = openMailbox(context, input, 'send');
  return send(context, mailbox, answerTo(mailbox, requireSent(context, mailbox, input.messageId), input));
}

function send(context: Context, mailbox: Mailbox, draft: Draft, threadId?: string): Message {
  const problem = sendProblem(context, mailbox, draft) ?? roomProblem(context, mailbox, draft);
  if (problem) return context.fail(problem);
  const message = inThread(context, mailbox, newMessage(context, mailbox, draft), threadId);
  return handOver(context, message, { origin: 'caller', delayUs: latencyUs(context) });
}

/** Why a message cannot be sent now; undefined when it can. */
export function sendProblem(context: Context, mailbox: Mailbox, draft: Pick<Draft, 'to' | 'cc' | 'bcc'>): FailOptions | undefined {
  const recipients = recipientsOf(draft);
  if (recipients.length === 0) return { code: 'NO_RECIPIENTS', message: 'The message is to nobody.' };
  const refused = recipients.filter((address) => contactAt(context, address)?.delivery === 'refuses');
  if (refused.length > 0)
    return { code: 'RECIPIENT_REFUSED', message: `Refused: ${refused.join(', ')}. Nothing was sent.`, details: { refused } };
  return limitProblem(context, mailbox, recipients.length);
}

/** The message as the mailbox's sent copy; a mail with the same words is on its way. */
export function handOver(context: Context, message: Message, way: { origin: Origin; delayUs: number }): Message {
  const nowUs = context.clock.nowUs();
  const mail = postMail(context, message, way);
  const labels = message.labels.filter((label) => label !== 'drafts' && label !== 'scheduled');
  const changed = { ...message, mailId: mail.id, labels: [...labels, 'sent'].sort(), sentAtUs: nowUs, arrivedAtUs: nowUs, sendAtUs: null };
  const sent = putMessage(context, changed);
  const { id: messageId, mailbox, threadId } = sent;
  context.events.emit('message.sent', { mailbox, messageId, threadId, mailId: mail.id, recipients: recipientsOf(sent) });
  return sent;
}

/** Recipients of what callers sent from this mailbox in the last day, oldest first, bounced ones too. */
export function recipientsOfDay(context: Context, { address }: Mailbox): Delivery[] {
  const sinceUs = context.clock.nowUs() - dayUs;
  return rowsWhere(
    context,
    'deliveries',
    ({ origin, sender, queuedAtUs }) => origin === 'caller' && sender === address && queuedAtUs > sinceUs,
  );
}

function limitProblem(context: Context, mailbox: Mailbox, wanted: number): FailOptions | undefined {
  const { address, dailyRecipientLimit: limit } = mailbox;
  if (limit === null) return undefined;
  const used = recipientsOfDay(context, mailbox);
  if (used.length + wanted <= limit) return undefined;
  return {
    code: 'SEND_LIMIT_EXCEEDED',
    message: `${address} may write to ${limit} recipients a day, and has written to ${used.length}.`,
    details: { limit, used: used.length },
  };
}
