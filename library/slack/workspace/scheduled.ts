// Messages for later.
import { callerOf, requireChannel } from './access.js';
import { type Context, type Scheduled, type Shown, type SlackTypes, secondUs } from './model.js';
import { metadataOf, type PageInput, pageOf } from './paging.js';
import { channelToPostIn, type PostInput, post, requireWords, threadOf, wordsOf } from './posting.js';
import { findRow, nextId, refuse, rowsWhere } from './rows.js';
import { nowSeconds } from './times.js';

const furthestS = 120 * 86_400;
/** A message that is about to go out cannot be taken back. */
const tooLateS = 60;
const listLimitDefault = 100;

export function scheduleMessage({ post_at, ...input }: PostInput & { readonly post_at: number }, context: Context): Shown {
  const user = callerOf(context);
  const channel = channelToPostIn(context, input.channel, user);
  requireWords(context, input);
  const nowS = nowSeconds(context);
  if (post_at <= nowS) refuse(context, 'TIME_IN_PAST', `${post_at} is not later than now, ${nowS}.`);
  if (post_at > nowS + furthestS) refuse(context, 'TIME_TOO_FAR', 'A message is scheduled for the next 120 days.');
  const id = nextId(context, 'scheduled');
  const { text, blocks, attachments } = wordsOf(input);
  const row: Scheduled = {
    id,
    channel: channel.id,
    user: user.id,
    text,
    blocks,
    attachments,
    parent_ts: threadOf(context, channel, input.thread_ts),
    broadcast: input.reply_broadcast ?? false,
    post_at,
    date_created: nowS,
    event: context.events.scheduleAt('scheduled-message.due', { id }, post_at * secondUs),
  };
  context.state.put('scheduled', id, row);
  const message = { text, type: 'delayed_message', user: user.id, bot_id: user.bot_id ?? undefined, blocks, attachments };
  return { ok: true, scheduled_message_id: id, channel: channel.id, post_at, message };
}

export function deleteScheduled(
  { channel: id, scheduled_message_id }: { channel?: string; scheduled_message_id: string },
  context: Context,
): Shown {
  const user = callerOf(context);
  const channel = requireChannel(context, id, user);
  const row = findRow(context, 'scheduled', scheduled_message_id);
  if (row === undefined || row.channel !== channel.id || row.user !== user.id || row.post_at - nowSeconds(context) < tooLateS)
    return refuse(context, 'INVALID_SCHEDULED_MESSAGE_ID', `${scheduled_message_id} waits no longer, or does not wait here.`);
  context.events.cancel(row.event);
  context.state.delete('scheduled', row.id);
  return { ok: true };
}

interface ListInput extends PageInput {
  readonly channel?: string;
  readonly oldest?: string;
  readonly latest?: string;
}

/** Those of the caller, the next one first. */
export function listScheduled({ channel: id, oldest = '0', latest = '9999999999', ...input }: ListInput, context: Context): Shown {
  const user = callerOf(context);
  const channel = id === undefined ? undefined : requireChannel(context, id, user);
  const rows = rowsWhere(
    context,
    'scheduled',
    (row) =>
      row.user === user.id &&
      (channel === undefined || row.channel === channel.id) &&
      row.post_at >= Number(oldest) &&
      row.post_at <= Number(latest),
  );
  const keyOf = ({ post_at, id: own }: Scheduled): string => `${String(post_at).padStart(10, '0')}-${own}`;
  const page = pageOf(context, input, {
    items: rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    keyOf,
    scope: `scheduled-${channel?.id ?? ''}`,
    limitDefault: listLimitDefault,
  });
  const scheduled_messages = page.items.map(({ id: own, channel: channel_id, post_at, date_created, text }) => ({
    id: own,
    channel_id,
    post_at,
    date_created,
    text,
  }));
  return { ok: true, scheduled_messages, ...metadataOf(page) };
}

/** Handles `scheduled-message.due`. Who has left the channel meanwhile, or whose channel was archived, says nothing there any more. */
export function sendScheduled({ id }: SlackTypes['events']['scheduled-message.due'], context: Context): void {
  const row = findRow(context, 'scheduled', id);
  if (row === undefined) return;
  context.state.delete('scheduled', id);
  const channel = findRow(context, 'channels', row.channel);
  const reason =
    channel === undefined || channel.is_archived ? 'is_archived' : channel.members.includes(row.user) ? undefined : 'not_in_channel';
  if (channel === undefined || reason !== undefined) {
    context.events.emit('scheduled-message.failed', { id, channel: row.channel, user: row.user, reason: reason ?? 'channel_not_found' });
    return;
  }
  const { user, text, blocks, attachments, parent_ts, broadcast } = row;
  post(context, channel, { user, text, blocks, attachments, parent_ts, broadcast, origin: 'scheduled' });
}
