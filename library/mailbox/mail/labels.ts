// Labels: those that every mailbox has, and those of its user.
import { type MailboxInput, openMailbox } from './access.js';
import { putMessage } from './history.js';
import type { Context, Label, Mailbox, Message } from './model.js';
import { messagesOf, nextId, rowsWhere } from './rows.js';

/** `assignable`: put on and taken off by hand. The others follow from what is done with a message. */
const systemLabels: readonly { readonly id: string; readonly assignable: boolean }[] = [
  { id: 'inbox', assignable: true },
  { id: 'sent', assignable: false },
  { id: 'drafts', assignable: false },
  { id: 'scheduled', assignable: false },
  { id: 'spam', assignable: true },
  { id: 'trash', assignable: false },
];
/** Not labels here, but in APIs that have no flags. */
const flags: readonly { readonly id: string; readonly holds: (message: Message) => boolean }[] = [
  { id: 'unread', holds: ({ read }) => !read },
  { id: 'starred', holds: ({ starred }) => starred },
];
interface LabelDetails extends ShownLabel {
  threads: number;
  unreadThreads: number;
}
interface ShownLabel {
  id: string;
  name: string;
  system: boolean;
  messages: number;
  unread: number;
}

export function listLabels(input: MailboxInput, context: Context): { items: ShownLabel[] } {
  const mailbox = openMailbox(context, input, 'read');
  const messages = messagesOf(context, mailbox);
  const system = systemLabels.map(({ id }) => shown({ id, name: id }, messages));
  return { items: [...system, ...userLabels(context, mailbox).map((label) => shown(label, messages))] };
}

/** One label, or one of the flags `unread` and `starred`, with the threads that have it. */
export function getLabel(input: MailboxInput & { readonly labelId: string }, context: Context): LabelDetails {
  const mailbox = openMailbox(context, input, 'read');
  const messages = messagesOf(context, mailbox);
  const flag = flags.find(({ id }) => id === input.labelId);
  const known = systemLabels.find(({ id }) => id === input.labelId) ?? userLabel(context, mailbox, input.labelId);
  if (known === undefined && flag === undefined) {
    return context.fail({ code: 'LABEL_NOT_FOUND', message: `There is no label ${input.labelId} in ${mailbox.address}.` });
  }
  const labeled = messages.filter((message) => flag?.holds(message) ?? message.labels.includes(input.labelId));
  const unread = labeled.filter(({ read }) => !read);
  const threadsOf = (some: readonly Message[]): number => new Set(some.map(({ threadId }) => threadId)).size;
  const name = known !== undefined && 'name' in known ? known.name : input.labelId;
  const system = flag !== undefined || systemLabels.some(({ id }) => id === input.labelId);
  const counts = { messages: labeled.length, unread: unread.length, threads: threadsOf(labeled), unreadThreads: threadsOf(unread) };
  return { id: input.labelId, name, system, ...counts };
}

export function createLabel(input: MailboxInput & { readonly name: string }, context: Context): ShownLabel {
  const mailbox = openMailbox(context, input, 'organize');
  requireFreeName(context, mailbox, input.name);
  const label = { id: nextId(context, 'labels'), mailbox: mailbox.address, name: input.name };
  context.state.put('labels', label.id, label);
  return shown(label, []);
}

export function renameLabel(input: MailboxInput & { readonly labelId: string; readonly name: string }, context: Context): ShownLabel {
  const mailbox = openMailbox(context, input, 'organize');
  const label = requireUserLabel(context, mailbox, input.labelId);
  if (input.name.toLowerCase() !== label.name.toLowerCase()) requireFreeName(context, mailbox, input.name);
  const renamed = { ...label, name: input.name };
  context.state.put('labels', label.id, renamed);
  return shown(renamed, messagesOf(context, mailbox));
}

/** Takes the label off every message; the messages stay. */
export function deleteLabel(input: MailboxInput & { readonly labelId: string }, context: Context): { labelId: string; messages: number } {
  const mailbox = openMailbox(context, input, 'organize');
  const label = requireUserLabel(context, mailbox, input.labelId);
  const labeled = messagesOf(context, mailbox).filter(({ labels }) => labels.includes(label.id));
  for (const message of labeled) putMessage(context, { ...message, labels: message.labels.filter((id) => id !== label.id) }, message);
  context.state.delete('labels', label.id);
  return { labelId: label.id, messages: labeled.length };
}

/** The labels named, or the call ends: each must exist, and be one that can be put on by hand. */
export function requireAssignable(context: Context, mailbox: Mailbox, labelIds: readonly string[]): void {
  for (const labelId of labelIds) {
    const assignable = systemLabels.find(({ id }) => id === labelId)?.assignable ?? userLabel(context, mailbox, labelId) !== undefined;
    if (assignable) continue;
    const system = systemLabels.some(({ id }) => id === labelId);
    context.fail(
      system
        ? {
            code: 'LABEL_NOT_ASSIGNABLE',
            message: `${labelId} follows from what is done with a message; it is not put on or taken off by hand.`,
          }
        : { code: 'LABEL_NOT_FOUND', message: `There is no label ${labelId} in ${mailbox.address}.` },
    );
  }
}

/** What a label of this mailbox is called in a query: its id and its name, in lower case. */
export function labelNamesOf(context: Context, mailbox: Mailbox): (labelId: string) => readonly string[] {
  const names = new Map(userLabels(context, mailbox).map(({ id, name }) => [id, [id, name.toLowerCase()]]));
  return (labelId) => names.get(labelId) ?? [labelId];
}

function shown({ id, name }: Pick<Label, 'id' | 'name'>, messages: readonly Message[]): ShownLabel {
  const labeled = messages.filter(({ labels }) => labels.includes(id));
  return {
    id,
    name,
    system: systemLabels.some((label) => label.id === id),
    messages: labeled.length,
    unread: labeled.filter(({ read }) => !read).length,
  };
}

function userLabels(context: Context, { address }: Mailbox): Label[] {
  return rowsWhere(context, 'labels', ({ mailbox }) => mailbox === address);
}

function userLabel(context: Context, { address }: Mailbox, labelId: string): Label | undefined {
  const label = context.state.get('labels', labelId);
  return label?.mailbox === address ? label : undefined;
}

function requireUserLabel(context: Context, mailbox: Mailbox, labelId: string): Label {
  if (systemLabels.some(({ id }) => id === labelId)) {
    return context.fail({ code: 'LABEL_IS_SYSTEM', message: `${labelId} belongs to every mailbox and cannot be changed.` });
  }
  return (
    userLabel(context, mailbox, labelId) ??
    context.fail({ code: 'LABEL_NOT_FOUND', message: `There is no label ${labelId} in ${mailbox.address}.` })
  );
}

function requireFreeName(context: Context, mailbox: Mailbox, name: string): void {
  const wanted = name.toLowerCase();
  const existing = [...systemLabels.map(({ id }) => ({ id, name: id })), ...userLabels(context, mailbox)].find(
    (label) => label.name.toLowerCase() === wanted,
  );
  if (existing)
    context.fail({ code: 'LABEL_EXISTS', message: `There is a label ${existing.name} already.`, details: { labelId: existing.id } });
}
