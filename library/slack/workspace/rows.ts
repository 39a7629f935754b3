// Reading rows: all that match, the messages of a channel, the next id of a kind; and how a failure is said.
import type { Frozen } from 'drillyard/tool-sdk';
import type { Context, Message, SlackTypes, Team } from './model.js';

type Rows = SlackTypes['state'];
type Namespace = keyof Rows;

const scanPageRows = 1000;
/** What the realm takes as the id of a row. */
const rowIdCharsMax = 512;
const idPrefixes = { channels: 'C', ims: 'D', groups: 'G', files: 'F', scheduled: 'Q', reminders: 'Rm' } as const;
const idDigits = 8;

/** The row, if there is an id and a row of it. The realm refuses an id that no row can have; clients send such ids too. */
export function findRow<N extends Namespace>(context: Context, namespace: N, id: string | undefined): Frozen<Rows[N]> | undefined {
  if (id === undefined || id === '' || id.length > rowIdCharsMax) return undefined;
  return context.state.get(namespace, id);
}

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

/** Ids of messages begin with their channel, and times have one length, so a channel's messages lie together, oldest first. */
export const messageRowId = (channel: string, ts: string): string => `${channel}:${ts}`;

/** Every message of the channel and its threads, oldest first. */
export function messagesOf(context: Context, channel: string): Message[] {
  const found: Message[] = [];
  let afterRowId = `${channel}:`;
  for (;;) {
    const page = context.state.scan('messages', { limit: scanPageRows, afterRowId });
    for (const { rowId, value } of page) {
      if (value.channel !== channel) return found;
      found.push(value);
      afterRowId = rowId;
    }
    if (page.length < scanPageRows) return found;
  }
}

export function repliesTo(context: Context, { channel, ts }: Pick<Message, 'channel' | 'ts'>): Message[] {
  return messagesOf(context, channel).filter(({ parent_ts }) => parent_ts === ts);
}

export function teamOf(context: Context): Team {
  const [team] = rowsWhere(context, 'team', () => true);
  if (team === undefined) throw new Error('The world has no row in the namespace team.');
  return team;
}

/** The next number of a kind. */
export function nextNumber(context: Context, kind: string): number {
  const number = findRow(context, 'counters', kind)?.next ?? 1;
  context.state.put('counters', kind, { next: number + 1 });
  return number;
}

/** The id for a new row. A scenario may bring rows of its own, so a number that is taken is passed over. */
export function nextId(context: Context, kind: keyof typeof idPrefixes): string {
  const namespace = kind === 'ims' || kind === 'groups' ? 'channels' : kind;
  for (;;) {
    const id = `${idPrefixes[kind]}0${nextNumber(context, kind).toString(36).toUpperCase().padStart(idDigits, '0')}`;
    if (findRow(context, namespace, id) === undefined) return id;
  }
}

/** Ends the call with one of the API's errors, `channel_not_found` as CHANNEL_NOT_FOUND. */
export function refuse(context: Context, code: string, message: string): never {
  return context.fail({ code, message });
}
