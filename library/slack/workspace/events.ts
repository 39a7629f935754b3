// What the Events API tells the app: only what its bot can see.
import { appBot, isMember } from './access.js';
import type { Channel, Context, EventsApiType, Message, Shown, Told } from './model.js';
import { teamOf } from './rows.js';
import { shownMessage } from './shown.js';
import { tsOf } from './times.js';

const channelTypes = { channel: 'channel', private: 'group', im: 'im', mpim: 'mpim' } as const;

/** Tells the app of something in the channel, where its bot is a member. */
export function tell(context: Context, type: EventsApiType, channel: Channel, members: Shown): void {
  const bot = appBot(context);
  if (bot?.app_id == null || !isMember(channel, bot.id)) return;
  emit(context, type, bot.app_id, bot.id, members);
}

/** The same of something that everybody in the workspace may know. */
export function tellAll(context: Context, type: EventsApiType, members: Shown): void {
  const bot = appBot(context);
  if (bot?.app_id != null) emit(context, type, bot.app_id, bot.id, members);
}

function emit(context: Context, type: EventsApiType, api_app_id: string, bot_user_id: string, members: Shown): void {
  const event = { ...members, type, event_ts: tsOf(context.clock.nowUs()) } as Told['event'];
  context.events.emit(type, { team_id: teamOf(context).id, api_app_id, bot_user_id, event });
}

export function tellMessage(context: Context, channel: Channel, message: Message): void {
  const shown = { ...shownMessage(context, message, []), channel: channel.id };
  tell(context, 'message', channel, { ...shown, channel_type: channelTypes[channel.kind] });
  const bot = appBot(context);
  if (bot !== undefined && message.user !== bot.id && message.text.includes(`<@${bot.id}>`)) tell(context, 'app_mention', channel, shown);
}

export function tellChanged(context: Context, channel: Channel, message: Message, previous: Message): void {
  tell(context, 'message', channel, {
    subtype: 'message_changed',
    hidden: true,
    channel: channel.id,
    channel_type: channelTypes[channel.kind],
    ts: tsOf(context.clock.nowUs()),
    message: shownMessage(context, message),
    previous_message: shownMessage(context, previous),
  });
}

export function tellDeleted(context: Context, channel: Channel, previous: Message): void {
  tell(context, 'message', channel, {
    subtype: 'message_deleted',
    hidden: true,
    channel: channel.id,
    channel_type: channelTypes[channel.kind],
    ts: tsOf(context.clock.nowUs()),
    deleted_ts: previous.ts,
    previous_message: shownMessage(context, previous, []),
  });
}

/** What came of somebody who joined or left. */
export function tellMembership(
  context: Context,
  type: 'member_joined_channel' | 'member_left_channel',
  channel: Channel,
  user: string,
  by?: string,
): void {
  const inviter = by === undefined || by === user ? undefined : by;
  const channel_type = channel.kind === 'channel' ? 'C' : 'G';
  tell(context, type, channel, { user, channel: channel.id, channel_type, team: teamOf(context).id, inviter });
}
