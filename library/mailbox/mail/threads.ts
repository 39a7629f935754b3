// Threads: a mailbox's messages that answer one another. A thread is no row; it is what its messages say.
import { type MailboxInput, openMailbox } from './access.js';
import { withoutRepeats } from './addresses.js';
import { type Change, changeMessage, moveToTrash, requireAssignableChange, takeFromTrash } from './messages.js';
import type { Content, Context, Mailbox, Message, Person } from './model.js';
import { type Page, pageOf } from './paging.js';
import { messagesOf, nextThreadId, requireThread } from './rows.js';
import { findMessages, type SearchInput, snippetOf } from './search.js';

interface ThreadInput extends MailboxInput {
  readonly threadId: string;
}
export interface ThreadHead {
  id: string;
  subject: string;
  snippet: string;
  participants: readonly Person[];
  labels: readonly string[];
  messageCount: number;
  unreadCount: number;
  hasAttachments: boolean;
  lastArrivedAtUs: number;
  /** Of the last change of one of its messages, where the world keeps a history. */
  historyId?: number;
}
export type Thread = ThreadHead & { messages: readonly Message[] };

/** Threads of which at least one message matches, the one that was last added to first. */
export function listThreads(input: SearchInput, context: Context): Page<ThreadHead> & { total: number } {
  const mailbox = openMailbox(context, input, 'read');
  const matching = new Set(findMessages(context, mailbox, input.query).map(({ threadId }) => threadId));
  const byThread = new Map<string, Message[]>();
  for (const message of messagesOf(context, mailbox)) {
    if (matching.has(message.threadId)) byThread.set(message.threadId, [...(byThread.get(message.threadId) ?? []), message]);
  }
  const items = [...byThread.values()].map((messages) => headOf(messages.sort((a, b) => a.arrivedAtUs - b.arrivedAtUs)));
  const scope = `threads ${mailbox.address} ${input.query ?? ''}`;
  const page = pageOf(context, input, { items, placeOf: ({ id, lastArrivedAtUs }) => ({ id, atUs: lastArrivedAtUs }), scope });
  return { ...page, total: items.length };
}

export function getThread(input: ThreadInput, context: Context): Thread {
  return threadOf(requireThread(context, openMailbox(context, input, 'read'), input.threadId));
}

export function modifyThread(input: ThreadInput & Change, context: Context): Thread {
  const mailbox = openMailbox(context, input, 'organize');
  const messages = requireThread(context, mailbox, input.threadId);
  requireAssignableChange(context, mailbox, input);
  return threadOf(messages.map((message) => changeMessage(context, message, input)));
}

export function trashThread(input: ThreadInput, context: Context): Thread {
  const mailbox = openMailbox(context, input, 'organize');
  return threadOf(requireThread(context, mailbox, input.threadId).map((message) => moveToTrash(context, message)));
}

export function untrashThread(input: ThreadInput, context: Context): Thread {
  const mailbox = openMailbox(context, input, 'organize');
  return threadOf(requireThread(context, mailbox, input.threadId).map((message) => takeFromTrash(context, message)));
}

/** The thread of what a message answers, of what answers it (which may have come first), or of what answers the same; else a new one. */
export function threadIdFor(
  context: Context,
  mailbox: Mailbox,
  { messageId, inReplyTo, references }: Pick<Content, 'messageId' | 'inReplyTo' | 'references'>,
): string {
  const conversation = new Set([messageId, ...references, ...(inReplyTo === null ? [] : [inReplyTo])]);
  const isRelated = (other: Message): boolean => conversation.has(other.messageId) || other.references.some((id) => conversation.has(id));
  return messagesOf(context, mailbox).find(isRelated)?.threadId ?? nextThreadId(context);
}

function threadOf(messages: readonly Message[]): Thread {
  return { ...headOf(messages), messages };
}

/** Of messages in their order, at least one. */
function headOf(messages: readonly Message[]): ThreadHead {
  const [first, last] = [messages[0] as Message, messages.at(-1) as Message];
  const numbers = messages.flatMap(({ historyId }) => historyId ?? []);
  return {
    id: first.threadId,
    subject: first.subject,
    snippet: snippetOf(last.body),
    participants: withoutRepeats(messages.map(({ from }) => from)),
    labels: [...new Set(messages.flatMap(({ labels }) => labels))].sort(),
    messageCount: messages.length,
    unreadCount: messages.filter(({ read }) => !read).length,
    hasAttachments: messages.some(({ attachments }) => attachments.length > 0),
    lastArrivedAtUs: last.arrivedAtUs,
    ...(numbers.length === 0 ? {} : { historyId: Math.max(...numbers) }),
  };
}
