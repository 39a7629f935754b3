// Reactions: who put which emoji to a message.
import { callerOf, isVisible, requireMessage, requireOpen, requireReadable, requireUser } from './access.js';
import { tell } from './events.js';
import type { Channel, Context, Message, Shown } from './model.js';
import { metadataOf, type PageInput, pageOf } from './paging.js';
import { messageRowId, refuse, rowsWhere, teamOf } from './rows.js';
import { permalinkOf, shownMessage } from './shown.js';

interface ReactInput {
  readonly channel?: string;
  readonly timestamp?: string;
  readonly name?: string;
}
const listLimitDefault = 100;

export function react({ channel: id, timestamp, name }: ReactInput, context: Context): Shown {
  const { user, channel, message, emoji } = itemOf(context, { channel: id, timestamp, name });
  if (!addReaction(context, channel, message, emoji, user))
    refuse(context, 'ALREADY_REACTED', `${user} has reacted with ${emoji} already.`);
  return { ok: true };
}

export function unreact({ channel: id, timestamp, name }: ReactInput, context: Context): Shown {
  const { user, channel, message, emoji } = itemOf(context, { channel: id, timestamp, name });
  const own = message.reactions.find((reaction) => reaction.name === emoji);
  if (own === undefined || !own.users.includes(user)) return refuse(context, 'NO_REACTION', `${user} has not reacted with ${emoji}.`);
  const reactions = message.reactions
    .map((reaction) => (reaction === own ? { name: emoji, users: reaction.users.filter((one) => one !== user) } : reaction))
    .filter(({ users }) => users.length > 0);
  context.state.put('messages', messageRowId(channel.id, message.ts), { ...message, reactions });
  tell(context, 'reaction_removed', channel, eventOf(message, emoji, user));
  return { ok: true };
}

/** The message's reactions; everybody who reacted is named, `full` or not. */
export function getReactions({ channel: id, timestamp }: ReactInput, context: Context): Shown {
  const caller = callerOf(context);
  if (timestamp === undefined) return refuse(context, 'NO_ITEM_SPECIFIED', 'A channel and a timestamp name a message.');
  const channel = requireReadable(context, id, caller);
  const message = requireMessage(context, channel, timestamp);
  // Without the thread, which this method does not show.
  const { thread_ts, ...shown } = linked(context, message, []);
  return { ok: true, type: 'message', channel: channel.id, message: shown };
}

/** What somebody has reacted to, newest first. */
export function listReactions({ user, ...page }: PageInput & { readonly user?: string }, context: Context): Shown {
  const caller = callerOf(context);
  const who = user === undefined ? caller : requireUser(context, user);
  const visible = new Set(rowsWhere(context, 'channels', (channel) => isVisible(channel, caller.id)).map(({ id }) => id));
  const items = rowsWhere(
    context,
    'messages',
    (row) => visible.has(row.channel) && row.reactions.some(({ users }) => users.includes(who.id)),
  );
  const keyOf = ({ ts, channel }: Message): string => `${ts}:${channel}`;
  const found = pageOf(context, page, {
    items: items.sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1)),
    keyOf,
    falling: true,
    scope: `reactions-${who.id}`,
    limitDefault: listLimitDefault,
  });
  const shown = found.items.map((message) => ({ type: 'message', channel: message.channel, message: linked(context, message) }));
  return { ok: true, items: shown, ...metadataOf(found) };
}

/** False where the user has reacted so already. */
export function addReaction(context: Context, channel: Channel, message: Message, name: string, user: string): boolean {
  const existing = message.reactions.find((reaction) => reaction.name === name);
  if (existing?.users.includes(user)) return false;
  const reactions =
    existing === undefined
      ? [...message.reactions, { name, users: [user] }]
      : message.reactions.map((reaction) => (reaction === existing ? { name, users: [...reaction.users, user] } : reaction));
  context.state.put('messages', messageRowId(channel.id, message.ts), { ...message, reactions });
  tell(context, 'reaction_added', channel, eventOf(message, name, user));
  return true;
}

function eventOf({ channel, ts, user: item_user }: Message, reaction: string, user: string): Shown {
  return { user, reaction, item_user, item: { type: 'message', channel, ts } };
}

function itemOf(context: Context, { channel: id, timestamp, name = '' }: { [N in keyof ReactInput]: ReactInput[N] | undefined }) {
  const caller = callerOf(context);
  if (timestamp === undefined) return refuse(context, 'NO_ITEM_SPECIFIED', 'A channel and a timestamp name a message.');
  const emoji = name.replace(/^:|:$/g, '');
  if (!/^[a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?$/.test(emoji))
    return refuse(context, 'INVALID_NAME', `'${name}' is no name of an emoji.`);
  const channel = requireOpen(context, id, caller);
  return { user: caller.id, channel, message: requireMessage(context, channel, timestamp), emoji };
}

function linked(context: Context, message: Message, replies?: readonly Message[]): Shown {
  return { ...shownMessage(context, message, replies), permalink: permalinkOf(teamOf(context), message) };
}
