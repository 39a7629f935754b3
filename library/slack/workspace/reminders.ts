// Reminders: when one is due, Slackbot says so in a direct message.
import { requirePerson, requireUser } from './access.js';
import { directMessage } from './direct.js';
import { type Context, type Reminder, type Shown, type SlackTypes, secondUs, slackbot } from './model.js';
import { post } from './posting.js';
import { findRow, nextId, refuse, rowsWhere } from './rows.js';
import { nowSeconds, secondsFrom } from './times.js';

interface NewReminder {
  readonly text: string;
  readonly time: string;
  readonly user?: string;
}

export function addReminder({ text, time, user: id }: NewReminder, context: Context): Shown {
  const caller = requirePerson(context);
  const user = id === undefined ? caller : requireUser(context, id);
  if (user.bot_id !== null) refuse(context, 'CANNOT_ADD_BOT', 'Bots are not reminded.');
  if (user.id !== caller.id) refuse(context, 'CANNOT_ADD_OTHERS', 'Reminders are for oneself.');
  const nowS = nowSeconds(context);
  const at = secondsFrom(time, nowS);
  if (at === undefined || at <= nowS) return refuse(context, 'CANNOT_PARSE', `'${time}' is no time to come that could be read.`);
  const reminderId = nextId(context, 'reminders');
  const event = context.events.scheduleAt('reminder.due', { id: reminderId }, at * secondUs);
  const row = { id: reminderId, creator: caller.id, user: user.id, text, time: at, complete_ts: 0, event };
  context.state.put('reminders', reminderId, row);
  return { ok: true, reminder: shownReminder(row) };
}

export function getReminder({ reminder: id }: { reminder: string }, context: Context): Shown {
  return { ok: true, reminder: shownReminder(requireOwn(context, id)) };
}

/** Those of the caller, the one that is due first on top. */
export function listReminders(_: object, context: Context): Shown {
  const caller = requirePerson(context);
  const own = rowsWhere(context, 'reminders', ({ user }) => user === caller.id);
  return { ok: true, reminders: own.sort((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1)).map(shownReminder) };
}

export function completeReminder({ reminder: id }: { reminder: string }, context: Context): Shown {
  const row = requireOwn(context, id);
  context.events.cancel(row.event);
  context.state.put('reminders', id, { ...row, complete_ts: nowSeconds(context) });
  return { ok: true };
}

export function deleteReminder({ reminder: id }: { reminder: string }, context: Context): Shown {
  const row = requireOwn(context, id);
  context.events.cancel(row.event);
  context.state.delete('reminders', id);
  return { ok: true };
}

/** Handles `reminder.due`. */
export function remind({ id }: SlackTypes['events']['reminder.due'], context: Context): void {
  const row = findRow(context, 'reminders', id);
  if (row === undefined || row.complete_ts !== 0) return;
  const channel = directMessage(context, row.user, [slackbot]);
  post(context, channel, { text: `Reminder: ${row.text}.`, user: slackbot, origin: 'system' });
}

function requireOwn(context: Context, id: string): Reminder {
  const caller = requirePerson(context);
  const row = findRow(context, 'reminders', id);
  return row?.user === caller.id ? row : refuse(context, 'NOT_FOUND', `${caller.id} has no reminder ${id}.`);
}

function shownReminder({ id, creator, user, text, time, complete_ts }: Reminder): Shown {
  return { id, creator, user, text, recurring: false, time, complete_ts };
}
