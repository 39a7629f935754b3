// Searching messages: words and phrases, and the modifiers that people write in the search box.
import { isVisible, requirePerson } from './access.js';
import type { Channel, Context, Message, Shown } from './model.js';
import { secondUs } from './model.js';
import { findRow, refuse, rowsWhere, teamOf } from './rows.js';
import { permalinkOf, seenUntil } from './shown.js';
import { secondsOfDate, tsOf } from './times.js';

interface SearchInput {
  readonly query?: string;
  readonly sort?: string;
  readonly sort_dir?: string;
  readonly count?: number;
  readonly page?: number;
}
const countDefault = 20;
const dayS = 86_400;

export function searchMessages({ query = '', sort_dir = 'desc', count = countDefault, page = 1 }: SearchInput, context: Context): Shown {
  const caller = requirePerson(context);
  if (query.trim() === '') refuse(context, 'NO_QUERY', 'A query has at least one word.');
  const channels = new Map(
    rowsWhere(context, 'channels', (channel) => isVisible(channel, caller.id)).map((channel) => [channel.id, channel]),
  );
  const matches = matcherOf(context, query, caller.id);
  const until = seenUntil(context);
  const found = rowsWhere(context, 'messages', (message) => {
    const channel = channels.get(message.channel);
    return channel !== undefined && !message.tombstone && message.origin !== 'system' && message.ts <= until && matches(message, channel);
  }).sort((a, b) => (sort_dir === 'asc' ? 1 : -1) * (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
  const shown = found
    .slice((page - 1) * count, page * count)
    .map((message) => shownMatch(context, message, channels.get(message.channel) as Channel));
  const pages = Math.ceil(found.length / count);
  const first = shown.length === 0 ? 0 : (page - 1) * count + 1;
  const messages = {
    total: found.length,
    pagination: { total_count: found.length, page, per_page: count, page_count: pages, first, last: first + Math.max(0, shown.length - 1) },
    paging: { count, total: found.length, page, pages },
    matches: shown,
  };
  return { ok: true, query, messages };
}

function shownMatch(context: Context, message: Message, channel: Channel): Shown {
  const team = teamOf(context);
  return {
    iid: `${message.channel}-${message.ts}`,
    team: team.id,
    score: 0,
    channel: {
      ...{ id: channel.id, name: channel.name, is_channel: channel.kind === 'channel', is_group: channel.kind === 'private' },
      ...{ is_im: channel.kind === 'im', is_mpim: channel.kind === 'mpim', is_private: channel.kind !== 'channel' },
      ...{ is_shared: false, is_org_shared: false, is_ext_shared: false, is_pending_ext_shared: false },
    },
    type: 'message',
    user: message.user,
    username: findRow(context, 'users', message.user)?.name ?? '',
    ts: message.ts,
    blocks: message.blocks,
    text: message.text,
    permalink: permalinkOf(team, message),
  };
}

type Test = (message: Message, channel: Channel) => boolean;

/** All terms must match; a term behind a hyphen must not. */
function matcherOf(context: Context, query: string, caller: string): Test {
  const terms = [...query.matchAll(/(-?)(?:(\w+):)?(?:"([^"]*)"|(\S+))/g)].map(([, not, modifier, phrase, word]) => {
    const value = (phrase ?? word ?? '').toLowerCase();
    const test = modifier === undefined ? wordTest(value) : modifierTest(context, modifier.toLowerCase(), value, caller);
    return not === '-' ? (...at: Parameters<Test>) => !test(...at) : test;
  });
  return (message, channel) => terms.every((test) => test(message, channel));
}

function wordTest(word: string): Test {
  return ({ text }) => text.toLowerCase().includes(word);
}

function modifierTest(context: Context, modifier: string, value: string, caller: string): Test {
  if (modifier === 'from') {
    const users = peopleCalled(context, value, caller);
    return ({ user }) => users.has(user);
  }
  if (modifier === 'in') {
    const name = value.replace(/^[#@]/, '');
    const users = peopleCalled(context, value, caller);
    return (_, channel) =>
      channel.id.toLowerCase() === name ||
      channel.name === name ||
      (channel.kind === 'im' && channel.members.some((one) => one !== caller && users.has(one)));
  }
  if (modifier === 'has') return hasTest(context, value);
  if (modifier === 'is') return ({ parent_ts }) => value === 'thread' && parent_ts !== null;
  if (modifier === 'before' || modifier === 'after' || modifier === 'on') return dayTest(modifier, secondsOfDate(value));
  return wordTest(`${modifier}:${value}`);
}

function hasTest(context: Context, value: string): Test {
  if (value === 'link') return ({ text }) => /https?:\/\//.test(text);
  if (value === 'file') return ({ files }) => files.length > 0;
  if (value === 'reaction') return ({ reactions }) => reactions.length > 0;
  if (value === 'pin') return ({ channel, ts }) => findRow(context, 'pins', `${channel}:${ts}`) !== undefined;
  return ({ reactions }) => reactions.some(({ name }) => `:${name}:` === value);
}

/** A day that cannot be read matches nothing. */
function dayTest(modifier: 'before' | 'after' | 'on', dayStartS: number | undefined): Test {
  if (dayStartS === undefined) return () => false;
  const start = tsOf(dayStartS * secondUs);
  const end = tsOf((dayStartS + dayS) * secondUs);
  if (modifier === 'before') return ({ ts }) => ts < start;
  if (modifier === 'after') return ({ ts }) => ts >= end;
  return ({ ts }) => ts >= start && ts < end;
}

function peopleCalled(context: Context, value: string, caller: string): Set<string> {
  const name = value.replace(/^<?@/, '').replace(/>$/, '');
  if (name === 'me') return new Set([caller]);
  const users = rowsWhere(context, 'users', (user) => [user.id, user.name, user.display_name].some((one) => one.toLowerCase() === name));
  return new Set(users.map(({ id }) => id));
}
