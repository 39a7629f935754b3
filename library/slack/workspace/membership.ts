// Who is in a channel: joining, leaving, inviting, removing; and how far each has read.
import { callerOf, isMember, memberOnly, requireChannel, requireNamed, requireOpen, requireUser } from './access.js';
import { listed } from './direct.js';
import { tellMembership } from './events.js';
import type { Channel, Context, Shown } from './model.js';
import { metadataOf, type PageInput, pageOf } from './paging.js';
import { post } from './posting.js';
import { findRow, refuse, teamOf } from './rows.js';
import { shownChannel } from './shown.js';
import { usOfTs } from './times.js';

const membersLimitDefault = 100;

export function joinChannel({ channel: id }: { channel?: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = requireNamed(context, requireChannel(context, id, user));
  if (channel.is_archived) refuse(context, 'IS_ARCHIVED', `${channel.id} is archived.`);
  if (isMember(channel, user.id)) {
    const already = { warning: 'already_in_channel', response_metadata: { warnings: ['already_in_channel'] } };
    return { ok: true, channel: shownChannel(teamOf(context), channel, user.id), ...already };
  }
  addMember(context, channel, user.id);
  return { ok: true, channel: shownChannel(teamOf(context), now(context, channel), user.id) };
}

export function leaveChannel({ channel: id }: { channel?: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = requireNamed(context, requireChannel(context, id, user));
  if (channel.is_archived) refuse(context, 'IS_ARCHIVED', `${channel.id} is archived.`);
  if (channel.is_general) refuse(context, 'CANT_LEAVE_GENERAL', 'Nobody leaves the general channel.');
  if (!isMember(channel, user.id)) return { ok: true, not_in_channel: true };
  if (channel.kind === 'private' && channel.members.length === 1)
    refuse(context, 'LAST_MEMBER', 'The last member does not leave a private channel.');
  removeMember(context, channel, user.id);
  return { ok: true };
}

/** Everybody named, or nobody. */
export function inviteToChannel({ channel: id, users }: { channel?: string; users?: string }, context: Context): Shown {
  const caller = callerOf(context);
  const channel = requireOpen(context, requireNamed(context, requireChannel(context, id, caller)).id, caller);
  const invited = [...new Set(listed(users))];
  if (invited.length === 0) refuse(context, 'NO_USER', 'Somebody has to be named.');
  for (const user of invited) {
    if (user === caller.id) refuse(context, 'CANT_INVITE_SELF', 'Nobody invites themselves.');
    requireUser(context, user);
    if (isMember(channel, user)) refuse(context, 'ALREADY_IN_CHANNEL', `${user} is in ${channel.id} already.`);
  }
  for (const user of invited) addMember(context, now(context, channel), user, caller.id);
  return { ok: true, channel: shownChannel(teamOf(context), now(context, channel), caller.id) };
}

export function kickFromChannel({ channel: id, user }: { channel?: string; user?: string }, context: Context): Shown {
  const caller = callerOf(context);
  const channel = memberOnly(context, requireNamed(context, requireChannel(context, id, caller)), caller);
  const removed = requireUser(context, user ?? '').id;
  if (removed === caller.id) refuse(context, 'CANT_KICK_SELF', 'Who wants to go leaves.');
  if (channel.is_general) refuse(context, 'CANT_KICK_FROM_GENERAL', 'Nobody is removed from the general channel.');
  if (!isMember(channel, removed)) refuse(context, 'NOT_IN_CHANNEL', `${removed} is not in ${channel.id}.`);
  removeMember(context, channel, removed, caller.id);
  return { ok: true };
}

export function listMembers({ channel: id, ...input }: PageInput & { readonly channel?: string }, context: Context): Shown {
  const channel = requireChannel(context, id, callerOf(context));
  const items = [...channel.members].sort();
  const page = pageOf(context, input, { items, keyOf: (user) => user, scope: `members-${channel.id}`, limitDefault: membersLimitDefault });
  return { ok: true, members: page.items, ...metadataOf(page) };
}

export function markRead({ channel: id, ts }: { channel?: string; ts?: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = memberOnly(context, requireChannel(context, id, user), user);
  if (ts === undefined || usOfTs(ts) === undefined) return refuse(context, 'INVALID_TIMESTAMP', `'${ts ?? ''}' is no time of a message.`);
  context.state.put('reads', `${channel.id}:${user.id}`, { channel: channel.id, user: user.id, last_read: ts });
  return { ok: true };
}

export function addMember(context: Context, channel: Channel, user: string, by?: string): void {
  if (isMember(channel, user)) return;
  const joined = { ...channel, members: [...channel.members, user] };
  context.state.put('channels', channel.id, joined);
  const subtype = channel.kind === 'private' ? 'group_join' : 'channel_join';
  post(context, joined, { text: `<@${user}> has joined the channel`, user, origin: 'system', subtype });
  tellMembership(context, 'member_joined_channel', joined, user, by);
}

export function removeMember(context: Context, channel: Channel, user: string, by?: string): void {
  if (!isMember(channel, user)) return;
  const subtype = channel.kind === 'private' ? 'group_leave' : 'channel_leave';
  const text = by === undefined ? `<@${user}> has left the channel` : `<@${user}> was removed from the channel by <@${by}>`;
  post(context, channel, { text, user, origin: 'system', subtype });
  // Told while the one who goes is there still, so that the app learns that its own bot was removed.
  tellMembership(context, 'member_left_channel', channel, user, by);
  const row = now(context, channel);
  context.state.put('channels', channel.id, { ...row, members: row.members.filter((member) => member !== user) });
}

const now = (context: Context, channel: Channel): Channel => findRow(context, 'channels', channel.id) ?? channel;
