// The history of a mailbox: what arrived, changed and went, by a number that rises. A world keeps it where its settings say for how long;
// without that nothing is written, and every message is as it always was.
import { type MailboxInput, openMailbox } from './access.js';
import type { Context, HistoryRow, Mailbox, Message } from './model.js';
import { nextHistoryNumber, rowsWhere } from './rows.js';

interface HistoryInput extends MailboxInput {
  readonly startHistoryId: number;
  readonly labelId?: string;
  readonly kinds?: readonly HistoryRow['kind'][];
  readonly limit?: number;
  readonly cursor?: string;
}
type Written = Pick<HistoryRow, 'kind' | 'added' | 'removed'>;

const defaultPageSize = 100;
const dropPageRows = 100;
/** Of a mailbox that keeps no history, and before its first change. */
export const firstHistoryId = 1;

/** Stores a message, with the number of the change where a history is kept. */
export function putMessage(context: Context, after: Message, before?: Message): Message {
  const change = changeOf(after, before ?? context.state.get('messages', after.id));
  const historyId = change === undefined ? undefined : record(context, after, change);
  const saved = historyId === undefined ? after : { ...after, historyId };
  context.state.put('messages', saved.id, saved);
  return saved;
}

export function recordDeletion(context: Context, message: Message): void {
  record(context, message, { kind: 'deleted', added: [], removed: [] });
}

/** The changes after a number, oldest first. HISTORY_EXPIRED where one of them is not kept any more. */
export function listHistory(
  input: HistoryInput,
  context: Context,
): { items: readonly HistoryRow[]; historyId: number; nextCursor?: string } {
  const mailbox = openMailbox(context, input, 'read');
  const { startHistoryId, labelId, kinds, limit = defaultPageSize, cursor } = input;
  const lifeUs = lifeOf(context);
  const latest = latestHistoryId(context, mailbox);
  if (lifeUs === undefined || startHistoryId < floorOf(context, mailbox.address) || startHistoryId > latest)
    return expired(context, startHistoryId);
  const later = rowsOf(context, mailbox).filter(({ number }) => number > startHistoryId);
  if (later.some(({ atUs }) => atUs < context.clock.nowUs() - lifeUs)) return expired(context, startHistoryId);
  const found = later.filter(
    ({ kind, labels, removed }) =>
      (kinds === undefined || kinds.includes(kind)) && (labelId === undefined || labels.includes(labelId) || removed.includes(labelId)),
  );
  const start = cursor === undefined ? startHistoryId : placeIn(context, cursor, startHistoryId);
  const rest = found.filter(({ number }) => number > start);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const more = last !== undefined && items.length < rest.length;
  return { items, historyId: latest, ...(more ? { nextCursor: `${startHistoryId}.${last.number}` } : {}) };
}

/** Of the last change of a mailbox; undefined where no history is kept. */
export function historyIdOf(context: Context, mailbox: Pick<Mailbox, 'address'>): number | undefined {
  return lifeOf(context) === undefined ? undefined : latestHistoryId(context, mailbox);
}

function latestHistoryId(context: Context, mailbox: Pick<Mailbox, 'address'>): number {
  return rowsOf(context, mailbox).at(-1)?.number ?? floorOf(context, mailbox.address);
}

function expired(context: Context, startHistoryId: number): never {
  return context.fail({
    code: 'HISTORY_EXPIRED',
    message: `What came after ${startHistoryId} is not kept any more; read the mailbox again.`,
  });
}

function placeIn(context: Context, cursor: string, startHistoryId: number): number {
  const [start, number] = cursor.split('.');
  if (start === String(startHistoryId) && number !== undefined && /^[0-9]{1,15}$/.test(number)) return Number(number);
  return context.fail({ code: 'CURSOR_INVALID', message: 'The cursor does not belong to this start.' });
}

function rowsOf(context: Context, { address }: Pick<Mailbox, 'address'>): HistoryRow[] {
  return rowsWhere(context, 'history', ({ mailbox }) => mailbox === address).sort((a, b) => a.number - b.number) as HistoryRow[];
}

function record(context: Context, { id: messageId, mailbox, threadId, ...message }: Message, change: Written): number | undefined {
  const lifeUs = lifeOf(context);
  if (lifeUs === undefined) return undefined;
  const atUs = context.clock.nowUs();
  dropOld(context, atUs - lifeUs);
  const number = nextHistoryNumber(context);
  const row = { number, mailbox, messageId, threadId, ...change, labels: marksOf(message), atUs };
  context.state.put('history', `hst_${String(number).padStart(12, '0')}`, row);
  return number;
}

/** What is older than the history lives goes, of every mailbox, and the floor of each says up to where. */
function dropOld(context: Context, beforeUs: number): void {
  for (;;) {
    const page = context.state.scan('history', { limit: dropPageRows });
    const old = page.filter(({ value }) => value.atUs < beforeUs);
    for (const { rowId, value } of old) {
      context.state.delete('history', rowId);
      context.state.put('counters', `history-floor ${value.mailbox}`, { next: value.number });
    }
    if (old.length < dropPageRows) return;
  }
}

const floorOf = (context: Context, address: string): number =>
  context.state.get('counters', `history-floor ${address}`)?.next ?? firstHistoryId;
const lifeOf = (context: Context): number | undefined => context.state.get('settings', 'mail')?.historyLifeUs;

function changeOf(after: Message, before: Message | undefined): Written | undefined {
  if (before === undefined) return { kind: 'arrived', added: [], removed: [] };
  const [old, now] = [marksOf(before), marksOf(after)];
  const added = now.filter((mark) => !old.includes(mark));
  const removed = old.filter((mark) => !now.includes(mark));
  return added.length + removed.length === 0 ? undefined : { kind: 'changed', added, removed };
}

/** Labels and flags alike. */
function marksOf({ labels, read, starred }: Pick<Message, 'labels' | 'read' | 'starred'>): string[] {
  return [...labels, ...(read ? [] : ['unread']), ...(starred ? ['starred'] : [])].sort();
}
