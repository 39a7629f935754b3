// What is pinned to a channel.
import { callerOf, requireMessage, requireOpen, requireReadable } from './access.js';
import { tell } from './events.js';
import type { Context, Shown } from './model.js';
import { findRow, messageRowId, refuse, rowsWhere, teamOf } from './rows.js';
import { permalinkOf, shownMessage } from './shown.js';
import { nowSeconds } from './times.js';

interface PinInput {
  readonly channel?: string;
  readonly timestamp?: string;
}

export function addPin({ channel: id, timestamp }: PinInput, context: Context): Shown {
  const user = callerOf(context);
  if (timestamp === undefined) return refuse(context, 'NO_ITEM_SPECIFIED', 'A timestamp names a message.');
  const channel = requireOpen(context, id, user);
  const message = requireMessage(context, channel, timestamp);
  const rowId = messageRowId(channel.id, message.ts);
  if (findRow(context, 'pins', rowId) !== undefined) refuse(context, 'ALREADY_PINNED', `${message.ts} is pinned already.`);
  const created = nowSeconds(context);
  context.state.put('pins', rowId, { channel: channel.id, ts: message.ts, created, created_by: user.id });
  const item = { type: 'message', channel: channel.id, created, created_by: user.id, message: shownMessage(context, message) };
  tell(context, 'pin_added', channel, {
    user: user.id,
    channel_id: channel.id,
    item,
    item_user: message.user,
    pin_count: pinsOf(context, channel.id).length,
  });
  return { ok: true };
}

export function removePin({ channel: id, timestamp }: PinInput, context: Context): Shown {
  const user = callerOf(context);
  if (timestamp === undefined) return refuse(context, 'NO_ITEM_SPECIFIED', 'A timestamp names a message.');
  const channel = requireOpen(context, id, user);
  const rowId = messageRowId(channel.id, timestamp);
  if (findRow(context, 'pins', rowId) === undefined) refuse(context, 'NO_PIN', `${timestamp} is not pinned.`);
  context.state.delete('pins', rowId);
  return { ok: true };
}

/** Newest first. */
export function listPins({ channel: id }: PinInput, context: Context): Shown {
  const channel = requireReadable(context, id, callerOf(context));
  const team = teamOf(context);
  const items = pinsOf(context, channel.id)
    .sort((a, b) => b.created - a.created || (a.ts < b.ts ? 1 : -1))
    .flatMap(({ ts, created, created_by }) => {
      const message = findRow(context, 'messages', messageRowId(channel.id, ts));
      if (message === undefined) return [];
      const shown = { ...shownMessage(context, message), permalink: permalinkOf(team, message) };
      return [{ type: 'message', channel: channel.id, created, created_by, message: shown }];
    });
  return { ok: true, items };
}

const pinsOf = (context: Context, channel: string) => rowsWhere(context, 'pins', (pin) => pin.channel === channel);
