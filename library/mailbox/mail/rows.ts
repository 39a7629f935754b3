// Reading rows: one that must exist, all that match, the next id of a kind, and what lies in one mailbox.
import type { Frozen } from 'drillyard/tool-sdk';
import type { Context, Mailbox, MailTypes, Message } from './model.js';

type Rows = MailTypes['state'];
type Namespace = keyof Rows;

const scanPageRows = 1000;
const idPrefixes = { messages: 'msg', mails: 'mail', deliveries: 'dlv', labels: 'lbl' } as const;

/** The rows that match, in the order of ids. */
export function rowsWhere<N extends Namespace>(
  context: Context,
  namespace: N,
  matches: (row: Frozen<Rows[N]>) => boolean,
): Frozen<Rows[N]>[] {
  const found: Frozen<Rows[N]>[] = [];
  let afterRowId: string | undefined;
  do {
    const page = context.state.scan(namespace, { limit: scanPageRows, ...(afterRowId === undefined ? {} : { afterRowId }) });
    for (const { value } of page) if (matches(value)) found.push(value);
    afterRowId = page.length === scanPageRows ? page.at(-1)?.rowId : undefined;
  } while (afterRowId !== undefined);
  return found;
}

export function messagesOf(context: Context, { address }: Pick<Mailbox, 'address'>): Message[] {
  return rowsWhere(context, 'messages', ({ mailbox }) => mailbox === address);
}

/** A message of this mailbox; that of another is no more found than none. */
export function requireMessage(context: Context, { address }: Mailbox, messageId: string): Message {
  const message = context.state.get('messages', messageId);
  return message?.mailbox === address
    ? message
    : context.fail({ code: 'MESSAGE_NOT_FOUND', message: `There is no message ${messageId} in ${address}.` });
}

/** A message that can be answered and handed on: one that arrived, or was sent. */
export function requireSent(context: Context, mailbox: Mailbox, messageId: string): Message {
  const message = requireMessage(context, mailbox, messageId);
  return message.sentAtUs === null ? context.fail({ code: 'MESSAGE_IS_DRAFT', message: `${messageId} has not been sent yet.` }) : message;
}

/** The messages of a thread, oldest first. */
export function requireThread(context: Context, mailbox: Mailbox, threadId: string): [Message, ...Message[]] {
  const [first, ...rest] = messagesOf(context, mailbox)
    .filter((message) => message.threadId === threadId)
    .sort((a, b) => a.arrivedAtUs - b.arrivedAtUs || compareIds(a.id, b.id));
  return first
    ? [first, ...rest]
    : context.fail({ code: 'THREAD_NOT_FOUND', message: `There is no thread ${threadId} in ${mailbox.address}.` });
}

/** The id for a new row. A scenario may bring rows of its own, so a number that is taken is passed over. */
export function nextId(context: Context, namespace: keyof typeof idPrefixes): string {
  const taken = (id: string): boolean => context.state.get(namespace, id) !== undefined;
  return nextOf(context, { counter: namespace, prefix: idPrefixes[namespace], taken });
}

/** One number for all mailboxes, so that it says nothing of how much happens in another. */
export function nextHistoryNumber(context: Context): number {
  const number = context.state.get('counters', 'history')?.next ?? 2;
  context.state.put('counters', 'history', { next: number + 1 });
  return number;
}

/** Threads are no rows: `taken` is asked of the mailbox's messages. */
export function nextThreadId(context: Context): string {
  const threadIds = new Set(rowsWhere(context, 'messages', () => true).map(({ threadId }) => threadId));
  return nextOf(context, { counter: 'threads', prefix: 'thr', taken: (id) => threadIds.has(id) });
}

function nextOf(context: Context, kind: { counter: string; prefix: string; taken: (id: string) => boolean }): string {
  let number = context.state.get('counters', kind.counter)?.next ?? 1;
  const idOf = (): string => `${kind.prefix}_${String(number).padStart(6, '0')}`;
  while (kind.taken(idOf())) number += 1;
  context.state.put('counters', kind.counter, { next: number + 1 });
  return idOf();
}

/** msg_999999 stands before msg_1000000: the shorter id is the older one. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
