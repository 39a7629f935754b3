// Reading a channel and a thread.
import { callerOf, requireReadable } from './access.js';
import type { Context, Message, Shown } from './model.js';
import { metadataOf, type PageInput, pageOf } from './paging.js';
import { findRow, messageRowId, messagesOf, refuse, rowsWhere } from './rows.js';
import { seenUntil, shownMessage } from './shown.js';
import { tsOf, usOfTs } from './times.js';

interface HistoryInput extends PageInput {
  readonly channel?: string;
  readonly oldest?: string;
  readonly latest?: string;
  readonly inclusive?: boolean;
}
const historyLimitDefault = 100;
const repliesLimitDefault = 1000;

/** Newest first, without what is said in threads alone. */
export function history({ channel: id, ...input }: HistoryInput, context: Context): Shown {
  const channel = requireReadable(context, id, callerOf(context));
  const all = messagesOf(context, channel.id);
  const until = seenUntil(context);
  const isListed = within(context, input);
  const items = all.filter((message) => (message.parent_ts === null || message.broadcast) && message.ts <= until && isListed(message));
  const page = pageOf(context, input, {
    items: items.reverse(),
    keyOf: ({ ts }) => ts,
    falling: true,
    scope: `history-${channel.id}`,
    limitDefault: historyLimitDefault,
  });
  const has_more = page.next_cursor !== '';
  return {
    ok: true,
    messages: page.items.map((message) => shownMessage(context, message, repliesAmong(all, message, until))),
    has_more,
    pin_count: rowsWhere(context, 'pins', (pin) => pin.channel === channel.id).length,
    ...(has_more ? metadataOf(page) : {}),
  };
}

/** The message a thread begins with, then its replies, oldest first. Any message of the thread names it. */
export function replies({ channel: id, ts, ...input }: HistoryInput & { readonly ts?: string }, context: Context): Shown {
  const channel = requireReadable(context, id, callerOf(context));
  const until = seenUntil(context);
  const named = findRow(context, 'messages', messageRowId(channel.id, ts ?? ''));
  if (named === undefined || named.ts > until)
    return refuse(context, 'THREAD_NOT_FOUND', `There is no message ${ts ?? ''} in ${channel.id}.`);
  const all = messagesOf(context, channel.id);
  const parent = named.parent_ts ?? named.ts;
  const isListed = within(context, input);
  const items = all.filter((row) => row.ts <= until && (row.ts === parent || (row.parent_ts === parent && isListed(row))));
  const page = pageOf(context, input, {
    items,
    keyOf: ({ ts: key }) => key,
    scope: `replies-${channel.id}-${parent}`,
    limitDefault: repliesLimitDefault,
  });
  const root = all.find((message) => message.ts === parent);
  return {
    ok: true,
    messages: page.items.map((message) => ({
      ...shownMessage(context, message, repliesAmong(all, message, until)),
      thread_ts: parent,
      ...(message.parent_ts === null ? {} : { parent_user_id: root?.user }),
    })),
    has_more: page.next_cursor !== '',
    ...(page.next_cursor === '' ? {} : metadataOf(page)),
  };
}

function repliesAmong(all: readonly Message[], { ts }: Message, until: string): Message[] {
  return all.filter((message) => message.parent_ts === ts && message.ts <= until);
}

/** Later than `oldest` and earlier than `latest`; those themselves where it is inclusive. */
function within(context: Context, { oldest, latest, inclusive = false }: HistoryInput): (message: Message) => boolean {
  const from = boundOf(context, 'INVALID_TS_OLDEST', oldest);
  const to = boundOf(context, 'INVALID_TS_LATEST', latest);
  return ({ ts }) =>
    (from === undefined || ts > from || (inclusive && ts === from)) && (to === undefined || ts < to || (inclusive && ts === to));
}

function boundOf(context: Context, code: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  const us = usOfTs(text);
  return us === undefined ? refuse(context, code, `'${text}' is no time of a message.`) : tsOf(us).padStart(17, '0');
}
