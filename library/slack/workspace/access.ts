// Who calls, and what of the workspace is there for the caller: a private channel, or a direct message, is there for its members alone.
import type { Channel, Context, Message, User } from './model.js';
import { findRow, messageRowId, refuse, rowsWhere } from './rows.js';

/** The user whose token the actor has: its attribute `slack_user`, or else the app's bot. */
export function callerOf(context: Context): User {
  const { slack_user } = context.actor.attributes;
  const user = typeof slack_user === 'string' ? findRow(context, 'users', slack_user) : appBot(context);
  if (user !== undefined && !user.deleted) return user;
  return refuse(context, 'ACCOUNT_INACTIVE', 'The token is of a user who is not there, or was deactivated.');
}

/** The bot of the app that the Events API tells things: the first one by id. */
export function appBot(context: Context): User | undefined {
  return rowsWhere(context, 'users', ({ bot_id, app_id, deleted }) => bot_id !== null && app_id !== null && !deleted)[0];
}

/** Some methods take a person's token only. */
export function requirePerson(context: Context): User {
  const user = callerOf(context);
  if (user.bot_id === null) return user;
  return refuse(context, 'NOT_ALLOWED_TOKEN_TYPE', 'This method takes the token of a person, not that of a bot.');
}

export function requireUser(context: Context, id: string, code = 'USER_NOT_FOUND'): User {
  return findRow(context, 'users', id) ?? refuse(context, code, `There is no user ${id}.`);
}

export const isMember = ({ members }: Channel, user: string): boolean => members.includes(user);

export function isVisible(channel: Channel, user: string): boolean {
  return channel.kind === 'channel' || isMember(channel, user);
}

export function requireChannel(context: Context, id: string | undefined, user: User): Channel {
  const channel = findRow(context, 'channels', id);
  if (channel !== undefined && isVisible(channel, user.id)) return channel;
  return refuse(context, 'CHANNEL_NOT_FOUND', `There is no channel ${id ?? 'named'} that ${user.id} can see.`);
}

/** A channel that may be read: a bot reads only where it is a member, a person in every public channel. */
export function requireReadable(context: Context, id: string | undefined, user: User): Channel {
  const channel = requireChannel(context, id, user);
  return user.bot_id === null ? channel : memberOnly(context, channel, user);
}

/** A channel that the user is in and that is not archived. */
export function requireOpen(context: Context, id: string | undefined, user: User): Channel {
  const channel = memberOnly(context, requireChannel(context, id, user), user);
  return channel.is_archived ? refuse(context, 'IS_ARCHIVED', `${channel.id} is archived.`) : channel;
}

export function memberOnly(context: Context, channel: Channel, user: User): Channel {
  if (isMember(channel, user.id)) return channel;
  return refuse(context, 'NOT_IN_CHANNEL', `${user.id} is not in ${channel.id}.`);
}

/** A channel with a name, that people come to and leave; a direct message is none. */
export function requireNamed(context: Context, channel: Channel): Channel {
  if (channel.kind === 'channel' || channel.kind === 'private') return channel;
  return refuse(context, 'METHOD_NOT_SUPPORTED_FOR_CHANNEL_TYPE', `${channel.id} is a direct message.`);
}

export function requireMessage(context: Context, channel: Channel, ts: string | undefined): Message {
  const message = findRow(context, 'messages', messageRowId(channel.id, ts ?? ''));
  if (message !== undefined && !message.tombstone) return message;
  return refuse(context, 'MESSAGE_NOT_FOUND', `There is no message ${ts ?? ''} in ${channel.id}.`);
}
