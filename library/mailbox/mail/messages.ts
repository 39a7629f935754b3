// Reading single messages and changing where they lie: labels, flags, trash, gone.
import { type MailboxInput, openMailbox } from './access.js';
import { putMessage, recordDeletion } from './history.js';
import { requireAssignable } from './labels.js';
import { type Attachment, type Context, dayUs, type Mailbox, type MailTypes, type Message } from './model.js';
import { requireMessage } from './rows.js';

export interface MessageInput extends MailboxInput {
  readonly messageId: string;
}
export interface Change {
  readonly addLabelIds?: readonly string[];
  readonly removeLabelIds?: readonly string[];
  readonly read?: boolean;
  readonly starred?: boolean;
}

/** What lies in trash is deleted after this long. */
const trashLifeUs = 30 * dayUs;

export function getMessage(input: MessageInput, context: Context): Message {
  return requireMessage(context, openMailbox(context, input, 'read'), input.messageId);
}

export function getAttachment(input: MessageInput & { readonly attachmentId: string }, context: Context): Attachment {
  const { id, attachments } = getMessage(input, context);
  return (
    attachments.find((attachment) => attachment.id === input.attachmentId) ??
    context.fail({ code: 'ATTACHMENT_NOT_FOUND', message: `${id} has no attachment ${input.attachmentId}.` })
  );
}

export function modifyMessage(input: MessageInput & Change, context: Context): Message {
  const mailbox = openMailbox(context, input, 'organize');
  const message = requireMessage(context, mailbox, input.messageId);
  requireAssignableChange(context, mailbox, input);
  return changeMessage(context, message, input);
}

/** All of them or none: a message that is missing ends the call before anything changed. */
export function modifyMessages(
  input: MailboxInput & Change & { readonly messageIds: readonly string[] },
  context: Context,
): { items: readonly Message[] } {
  const mailbox = openMailbox(context, input, 'organize');
  const messages = input.messageIds.map((messageId) => requireMessage(context, mailbox, messageId));
  requireAssignableChange(context, mailbox, input);
  return { items: messages.map((message) => changeMessage(context, message, input)) };
}

export function trashMessage(input: MessageInput, context: Context): Message {
  return moveToTrash(context, requireMessage(context, openMailbox(context, input, 'organize'), input.messageId));
}

export function untrashMessage(input: MessageInput, context: Context): Message {
  return takeFromTrash(context, requireMessage(context, openMailbox(context, input, 'organize'), input.messageId));
}

/** Gone at once and for good, from trash or not. A scheduled message is then never sent. */
export function deleteMessage(input: MessageInput, context: Context): { messageId: string } {
  const message = requireMessage(context, openMailbox(context, input, 'organize'), input.messageId);
  cancelSending(context, message);
  eraseMessage(context, message, 'requested');
  return { messageId: message.id };
}

/** Handles `trash.purge-due`: a message that was taken out of trash, or put there again, is left alone. */
export function purgeTrash(due: MailTypes['events']['trash.purge-due'], context: Context): void {
  const message = context.state.get('messages', due.messageId);
  if (message && message.trashedAtUs === due.trashedAtUs) eraseMessage(context, message, 'trash_expired');
}

export function requireAssignableChange(context: Context, mailbox: Mailbox, { addLabelIds = [], removeLabelIds = [] }: Change): void {
  requireAssignable(context, mailbox, [...addLabelIds, ...removeLabelIds]);
}

/** What is added and removed at once is removed. The labels have been found assignable. */
export function changeMessage(
  context: Context,
  message: Message,
  { addLabelIds = [], removeLabelIds = [], read, starred }: Change,
): Message {
  const labels = labelsWith(message, addLabelIds).filter((label) => !removeLabelIds.includes(label));
  return saveChanged(context, message, { ...message, labels, read: read ?? message.read, starred: starred ?? message.starred });
}

export function moveToTrash(context: Context, message: Message): Message {
  if (message.trashedAtUs !== null) return message;
  const kept = cancelSending(context, message);
  const trashedAtUs = context.clock.nowUs();
  context.events.scheduleAt('trash.purge-due', { messageId: message.id, trashedAtUs }, trashedAtUs + trashLifeUs);
  return saveChanged(context, message, { ...kept, labels: labelsWith(kept, ['trash']), trashedAtUs });
}

/** Where it was before: its other labels were kept. */
export function takeFromTrash(context: Context, message: Message): Message {
  return saveChanged(context, message, { ...message, labels: message.labels.filter((label) => label !== 'trash'), trashedAtUs: null });
}

/** A message that waited to be sent is a draft again, not yet saved. Its event stays in the queue and does nothing. */
export function cancelSending(context: Context, message: Message): Message {
  if (message.sendAtUs === null) return message;
  context.events.emit('send.cancelled', { mailbox: message.mailbox, messageId: message.id });
  const labels = labelsWith(message, ['drafts']).filter((label) => label !== 'scheduled');
  return { ...message, labels, sendAtUs: null };
}

export function labelsWith({ labels }: Pick<Message, 'labels'>, added: readonly string[]): string[] {
  return [...new Set([...labels, ...added])].sort();
}

export function eraseMessage(context: Context, message: Message, reason: 'requested' | 'trash_expired'): void {
  const { id, mailbox } = message;
  recordDeletion(context, message);
  context.state.delete('messages', id);
  context.events.emit('message.deleted', { mailbox, messageId: id, reason });
}

function saveChanged(context: Context, before: Message, after: Message): Message {
  const { id, mailbox, labels, read, starred } = after;
  if (String(labels) === String(before.labels) && read === before.read && starred === before.starred) return before;
  const saved = putMessage(context, after, before);
  context.events.emit('message.updated', { mailbox, messageId: id, labels, read, starred });
  return saved;
}
