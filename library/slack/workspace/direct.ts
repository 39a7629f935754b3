// Direct messages between two people or some more: the same people have one, no matter who opens it.
import { callerOf, requireChannel, requireUser } from './access.js';
import type { Channel, Context, Shown } from './model.js';
import { findRow, nextId, refuse, rowsWhere, teamOf } from './rows.js';
import { shownChannel } from './shown.js';
import { nowSeconds } from './times.js';

interface OpenInput {
  readonly channel?: string;
  readonly users?: string;
  readonly return_im?: boolean;
  readonly prevent_creation?: boolean;
}
/** Of a group; the one who opens it comes on top. */
const othersMax = 8;

export function openConversation({ channel: id, users, return_im = false, prevent_creation = false }: OpenInput, context: Context): Shown {
  const caller = callerOf(context);
  if (id !== undefined) {
    const channel = requireChannel(context, id, caller);
    if (channel.kind !== 'im' && channel.kind !== 'mpim') refuse(context, 'CHANNEL_NOT_FOUND', `${id} is no direct message.`);
    return { ok: true, no_op: true, already_open: true, channel: openedAs(context, channel, caller.id, return_im) };
  }
  const others = [...new Set(listed(users))].filter((user) => user !== caller.id);
  if (listed(users).length === 0) refuse(context, 'USERS_LIST_NOT_SUPPLIED', 'Either a channel or users are named.');
  if (others.length > othersMax) refuse(context, 'TOO_MANY_USERS', `A group has ${othersMax} others at most.`);
  for (const user of others) requireUser(context, user);
  const existing = between(context, peopleOf(caller.id, others));
  if (existing === undefined && prevent_creation) refuse(context, 'CHANNEL_NOT_FOUND', 'There is no such direct message yet.');
  const channel = existing ?? directMessage(context, caller.id, others);
  const known = existing === undefined ? {} : { no_op: true, already_open: true };
  return { ok: true, ...known, channel: openedAs(context, channel, caller.id, return_im) };
}

/** The direct message of these people, made where there is none. */
export function directMessage(context: Context, user: string, others: readonly string[]): Channel {
  const members = peopleOf(user, others);
  const existing = between(context, members);
  if (existing !== undefined) return existing;
  const kind = members.length > 2 ? 'mpim' : 'im';
  const nowS = nowSeconds(context);
  const names = members.map((member) => findRow(context, 'users', member)?.name ?? member.toLowerCase());
  const id = nextId(context, kind === 'im' ? 'ims' : 'groups');
  const empty = { value: '', creator: '', last_set: 0 };
  const channel: Channel = {
    id,
    kind,
    name: kind === 'mpim' ? `mpdm-${names.join('--')}-1` : '',
    creator: user,
    created: nowS,
    updated: nowS * 1000,
    is_archived: false,
    is_general: false,
    topic: empty,
    purpose: empty,
    previous_names: [],
    members,
    latest_us: 0,
  };
  context.state.put('channels', id, channel);
  return channel;
}

function openedAs(context: Context, channel: Channel, user: string, whole: boolean): Shown {
  if (!whole) return { id: channel.id };
  const {
    id,
    created,
    is_archived,
    is_im,
    is_org_shared,
    context_team_id,
    updated,
    user: other,
  } = shownChannel(teamOf(context), channel, user);
  return { id, created, is_archived, is_im, is_org_shared, context_team_id, updated, is_open: true, user: other };
}

function between(context: Context, members: readonly string[]): Channel | undefined {
  const wanted = members.join();
  return rowsWhere(context, 'channels', ({ kind, members: own }) => (kind === 'im' || kind === 'mpim') && own.join() === wanted)[0];
}

const peopleOf = (user: string, others: readonly string[]): string[] => [...new Set([user, ...others])].sort();

/** `U1,U2` as a list. */
export const listed = (text = ''): string[] => text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
