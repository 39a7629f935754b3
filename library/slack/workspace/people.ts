// What other people of the workspace do: what they answer, and what a scenario has them do.

import { archiveChannel, unarchiveChannel } from './channels.js';
import { tellChanged } from './events.js';
import { addMember, removeMember } from './membership.js';
import { removeMessage } from './messages.js';
import type { Channel, Context, SlackTypes } from './model.js';
import { post } from './posting.js';
import { addReaction } from './reactions.js';
import { findRow, messageRowId } from './rows.js';
import { tsOf } from './times.js';

/** Handles `counterpart.due`. Somebody who has left, or whose channel was archived, says nothing. */
export function answer({ id, channel: channelId, ts }: SlackTypes['events']['counterpart.due'], context: Context): void {
  const rule = findRow(context, 'counterparts', id);
  const channel = findRow(context, 'channels', channelId);
  const asked = findRow(context, 'messages', messageRowId(channelId, ts));
  if (rule === undefined || channel === undefined || asked === undefined) return;
  if (channel.is_archived || !channel.members.includes(rule.user)) return;
  if (rule.reaction !== null && !asked.tombstone) addReaction(context, channel, asked, rule.reaction, rule.user);
  if (rule.text === null) return;
  const parent_ts = asked.parent_ts ?? (rule.in_thread ? asked.ts : null);
  const text = filled(rule.text, { user: `<@${asked.user}>`, text: asked.text });
  post(context, channel, { text, user: rule.user, origin: 'counterpart', parent_ts });
}

/** `{{user}}` and `{{text}}`; whatever else stands in braces stays. */
function filled(template: string, values: { readonly user: string; readonly text: string }): string {
  return template.replace(/\{\{(user|text)\}\}/g, (_, name: 'user' | 'text') => values[name]);
}

type Act = SlackTypes['events']['person.acts'];

/** Handles `person.acts`. What cannot be done as things are is not done. */
export function act(done: Act, context: Context): void {
  const channel = findRow(context, 'channels', done.channel);
  if (channel === undefined || findRow(context, 'users', done.user) === undefined) return;
  if (channel.is_archived !== (done.action === 'unarchive')) return;
  if (!channel.members.includes(done.user) && done.action !== 'join' && done.action !== 'unarchive') return;
  actions[done.action](context, channel, done);
}

type Action = (context: Context, channel: Channel, done: Act) => void;

const actions: { readonly [action in Act['action']]: Action } = {
  post: say,
  edit: touchMessage,
  delete: touchMessage,
  react: touchMessage,
  join: (context, channel, { user }) => addMember(context, channel, user),
  leave: (context, channel, { user }) => removeMember(context, channel, user),
  kick: (context, channel, { user, target = '' }) => removeMember(context, channel, target, user),
  archive: (context, channel, { user }) => archiveChannel(context, channel, user),
  unarchive: (context, channel, { user }) => unarchiveChannel(context, channel, user),
};

function say(context: Context, channel: Channel, { user, text = '', thread_ts }: Act): void {
  const parent = thread_ts === undefined ? undefined : findRow(context, 'messages', messageRowId(channel.id, thread_ts));
  post(context, channel, { text, user, origin: 'person', parent_ts: parent?.parent_ts ?? parent?.ts ?? null });
}

function touchMessage(context: Context, channel: Channel, { user, action, ts = '', text, reaction }: Act): void {
  const message = findRow(context, 'messages', messageRowId(channel.id, ts));
  if (message === undefined || message.tombstone) return;
  if (action === 'react' && reaction !== undefined) addReaction(context, channel, message, reaction, user);
  if (message.user !== user) return;
  if (action === 'delete') removeMessage(context, channel, message);
  if (action === 'edit' && text !== undefined) {
    const edited = { ...message, text, edited: { user, ts: tsOf(context.clock.nowUs()) } };
    context.state.put('messages', messageRowId(channel.id, ts), edited);
    tellChanged(context, channel, edited, message);
  }
}
