// Posting: where a message goes, what it may say, and who answers it.
import { callerOf, isVisible, requireOpen } from './access.js';
import { scheduleAnswers } from './counterparts.js';
import { directMessage } from './direct.js';
import { tellMessage } from './events.js';
import type { Channel, Context, Message, Origin, Shown, User } from './model.js';
import { findRow, messageRowId, refuse, rowsWhere, teamOf } from './rows.js';
import { permalinkOf, shownMessage } from './shown.js';
import { tsOf } from './times.js';

export interface Said {
  readonly text?: string;
  readonly blocks?: readonly unknown[];
  readonly attachments?: readonly unknown[];
  readonly metadata?: unknown;
}
export interface PostInput extends Said {
  readonly channel?: string;
  readonly thread_ts?: string;
  readonly reply_broadcast?: boolean;
  readonly username?: string;
}

const textCharsMax = 40_000;

export function postMessage(input: PostInput, context: Context): Shown {
  const user = callerOf(context);
  const channel = channelToPostIn(context, input.channel, user);
  requireWords(context, input);
  const message = post(context, channel, {
    ...wordsOf(input),
    user: user.id,
    origin: 'actor',
    parent_ts: threadOf(context, channel, input.thread_ts),
    broadcast: input.reply_broadcast ?? false,
    username: input.username,
  });
  return { ok: true, channel: channel.id, ts: message.ts, message: shownMessage(context, message, []) };
}

export function postMe({ channel: id, text }: { channel?: string; text?: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = requireOpen(context, id, user);
  requireWords(context, text === undefined ? {} : { text });
  const { ts } = post(context, channel, { text: text ?? '', user: user.id, origin: 'actor', subtype: 'me_message' });
  return { ok: true, channel: channel.id, ts };
}

/** Seen by one member, and kept where nobody but the operator reads. */
export function postEphemeral({ user: reader, ...input }: PostInput & { readonly user: string }, context: Context): Shown {
  const author = callerOf(context);
  const channel = requireOpen(context, input.channel, author);
  requireWords(context, input);
  if (!channel.members.includes(reader)) refuse(context, 'USER_NOT_IN_CHANNEL', `${reader} is not in ${channel.id}.`);
  const ts = takeTs(context, channel);
  const row = { channel: channel.id, ts, user: reader, author: author.id, text: input.text ?? '' };
  context.state.put('ephemerals', messageRowId(channel.id, ts), row);
  return { ok: true, message_ts: ts };
}

export function getPermalink({ channel: id, message_ts }: { channel: string; message_ts: string }, context: Context): Shown {
  const user = callerOf(context);
  const channel = findRow(context, 'channels', id);
  if (channel === undefined || (channel.kind !== 'channel' && !channel.members.includes(user.id)))
    return refuse(context, 'CHANNEL_NOT_FOUND', `There is no channel ${id}.`);
  const message = findRow(context, 'messages', messageRowId(id, message_ts));
  if (message === undefined) return refuse(context, 'MESSAGE_NOT_FOUND', `There is no message ${message_ts} in ${id}.`);
  return { ok: true, channel: id, permalink: permalinkOf(teamOf(context), message) };
}

/** A channel's id or `#name`, or a person's id, which stands for the direct message with that person. */
export function channelToPostIn(context: Context, wanted: string | undefined, user: User): Channel {
  if (wanted !== undefined && findRow(context, 'users', wanted) !== undefined) return directMessage(context, user.id, [wanted]);
  const name = wanted?.replace(/^#/, '');
  const named = rowsWhere(context, 'channels', (row) => isNamed(row) && isVisible(row, user.id) && row.name === name)[0];
  return requireOpen(context, named?.id ?? wanted, user);
}

const isNamed = ({ kind }: Channel): boolean => kind === 'channel' || kind === 'private';

export function requireWords(context: Context, { text = '', blocks = [], attachments = [] }: Said): void {
  if (text === '' && blocks.length === 0 && attachments.length === 0)
    refuse(context, 'NO_TEXT', 'A message has a text, blocks or attachments.');
  if (text.length > textCharsMax) refuse(context, 'MSG_TOO_LONG', `A text has ${textCharsMax} characters at most.`);
}

export function wordsOf({ text = '', blocks, attachments, metadata }: Said) {
  return { text, blocks: blocks?.slice(), attachments: attachments?.slice(), metadata };
}

/** The message that a thread begins with: that of the message named, or of the one it answers. */
export function threadOf(context: Context, channel: Channel, thread_ts: string | undefined): string | null {
  if (thread_ts === undefined) return null;
  const named = findRow(context, 'messages', messageRowId(channel.id, thread_ts));
  if (named === undefined) return refuse(context, 'THREAD_NOT_FOUND', `There is no message ${thread_ts} in ${channel.id}.`);
  return named.parent_ts ?? named.ts;
}

type NewMessage = Pick<Message, 'text' | 'user' | 'origin'> & Partial<Omit<Message, 'channel' | 'ts'>>;

/** Puts a message into the channel; what people do about it comes later. */
export function post(context: Context, channel: Channel, written: NewMessage): Message {
  const row = findRow(context, 'channels', channel.id) ?? channel;
  const subtype = written.subtype ?? (written.broadcast === true && written.parent_ts ? 'thread_broadcast' : null);
  const message: Message = {
    parent_ts: null,
    broadcast: false,
    edited: null,
    reactions: [],
    files: [],
    tombstone: false,
    ...written,
    subtype,
    channel: row.id,
    ts: takeTs(context, row),
  };
  context.state.put('messages', messageRowId(row.id, message.ts), message);
  tellMessage(context, row, message);
  if (answersCome(message.origin)) scheduleAnswers(context, row, message);
  return message;
}

/** People answer what actors say, so no two of them talk forever. */
const answersCome = (origin: Origin): boolean => origin === 'actor' || origin === 'scheduled';

/** The time of a new message: now, or just after the latest one of the channel. */
function takeTs(context: Context, channel: Channel): string {
  const row = findRow(context, 'channels', channel.id) ?? channel;
  const us = Math.max(context.clock.nowUs(), row.latest_us + 1);
  context.state.put('channels', row.id, { ...row, latest_us: us });
  return tsOf(us);
}
