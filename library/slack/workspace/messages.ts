// Changing what was said.
import { callerOf, requireChannel, requireMessage } from './access.js';
import { tellChanged, tellDeleted } from './events.js';
import type { Channel, Context, Message, Shown } from './model.js';
import { type PostInput, requireWords, wordsOf } from './posting.js';
import { messageRowId, refuse, repliesTo } from './rows.js';
import { shownMessage } from './shown.js';
import { tsOf } from './times.js';

/** By its author alone. What is not given stays, but a new text without blocks takes the old ones away. */
export function updateMessage({ channel: id, ts, ...said }: PostInput & { readonly ts?: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = requireChannel(context, id, user);
  const message = requireMessage(context, channel, ts);
  if (message.user !== user.id || message.subtype?.startsWith('channel_'))
    refuse(context, 'CANT_UPDATE_MESSAGE', 'A message is changed by its author.');
  if (channel.is_archived) refuse(context, 'IS_INACTIVE', `${channel.id} is archived.`);
  requireWords(context, said);
  const { text, blocks, attachments, metadata } = wordsOf({ text: message.text, ...said });
  const edited: Message = {
    ...message,
    text,
    blocks,
    attachments: attachments ?? message.attachments,
    metadata: metadata ?? message.metadata,
    edited: { user: user.id, ts: tsOf(context.clock.nowUs()) },
  };
  context.state.put('messages', messageRowId(channel.id, message.ts), edited);
  tellChanged(context, channel, edited, message);
  return { ok: true, channel: channel.id, ts: message.ts, text, message: asEdited(shownMessage(context, edited, [])) };
}

/** What the answer to a change shows of the message: nothing of its place, its thread and its reactions. */
function asEdited({ ts, subtype, username, thread_ts, reactions, ...shown }: Shown): Shown {
  return shown;
}

/** By its author, and by admins. */
export function deleteMessage({ channel: id, ts }: { channel?: string; ts?: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = requireChannel(context, id, user);
  const message = requireMessage(context, channel, ts);
  if (message.user !== user.id && !user.is_admin && !user.is_owner)
    refuse(context, 'CANT_DELETE_MESSAGE', 'A message is deleted by its author, and by admins.');
  removeMessage(context, channel, message);
  return { ok: true, channel: channel.id, ts: message.ts };
}

/** A message with replies leaves a tombstone, so that its thread holds together. */
export function removeMessage(context: Context, channel: Channel, message: Message): void {
  const rowId = messageRowId(channel.id, message.ts);
  if (repliesTo(context, message).length === 0) context.state.delete('messages', rowId);
  else {
    const { channel: of, ts, origin, parent_ts } = message;
    context.state.put('messages', rowId, {
      ...{ channel: of, ts, origin, parent_ts, user: 'USLACKBOT', text: 'This message was deleted.', subtype: 'tombstone' },
      ...{ broadcast: false, edited: null, reactions: [], files: [], tombstone: true },
    });
  }
  context.state.delete('pins', rowId);
  tellDeleted(context, channel, message);
}
