// What goes back over the wire: messages as the mail APIs that agents know show them, with times as ISO 8601, and errors as `{ error }`.
import type { EncodeInput, JsonValue, WireMessage } from 'drillyard/tool-sdk';
import { isoOf } from '../mail/dates.js';
import type { Attachment, Message, Vacation } from '../mail/model.js';
import type { Summary } from '../mail/search.js';
import type { ThreadHead } from '../mail/threads.js';

type Encode = (input: EncodeInput) => WireMessage;

/** The reply to a call that succeeded by `shape`; to any other, its error. */
export function replyWith<Value>(shape: (value: Value) => WireMessage): Encode {
  return ({ outcome }) => {
    // What the operation has answered is what its output schema says.
    if (outcome.kind === 'ok') return shape(outcome.value as Value);
    const { code, message, retryable, details } = outcome.error;
    const error = { code, message, ...(details === undefined ? {} : { details }) };
    return { ...(retryable ? { headers: { 'retry-after': '1' } } : {}), body: { kind: 'json', value: { error } } };
  };
}

export function json<Value>(shape: (value: Value) => JsonValue): Encode {
  return replyWith((value: Value) => ({ body: { kind: 'json', value: shape(value) } }));
}

export const nothing: Encode = replyWith(() => ({ body: { kind: 'empty' } }));

/** An attachment's text under its own type; what is no text has no body here. */
export const attachment: Encode = replyWith(({ filename, contentType, text }: Attachment) => ({
  headers: { 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(filename)}` },
  body: text === null ? { kind: 'empty' } : { kind: 'text', value: text, contentType: `${contentType}; charset=utf-8` },
}));

export function shownMessage(message: Message): JsonValue {
  const { id, threadId, messageId, inReplyTo, from, replyTo, to, cc, bcc, subject, body, attachments } = message;
  return {
    id,
    threadId,
    internetMessageId: messageId,
    inReplyTo,
    from: { ...from },
    replyTo: replyTo && { ...replyTo },
    to: to.map((person) => ({ ...person })),
    cc: cc.map((person) => ({ ...person })),
    bcc: bcc.map((person) => ({ ...person })),
    subject,
    body,
    labelIds: message.labels,
    isRead: message.read,
    isStarred: message.starred,
    sentDateTime: message.sentAtUs === null ? null : isoOf(message.sentAtUs),
    receivedDateTime: isoOf(message.arrivedAtUs),
    attachments: attachments.map(({ id: attachmentId, filename, contentType, sizeBytes }) => ({
      id: attachmentId,
      name: filename,
      contentType,
      size: sizeBytes,
    })),
  };
}

export function shownSummary({ labels, read, starred, arrivedAtUs, from, to, ...head }: Summary): JsonValue {
  return {
    ...head,
    from: { ...from },
    to: to.map((person) => ({ ...person })),
    labelIds: labels,
    isRead: read,
    isStarred: starred,
    receivedDateTime: isoOf(arrivedAtUs),
  };
}

export function shownThread({ labels, participants, lastArrivedAtUs, ...head }: ThreadHead): JsonValue {
  return {
    ...head,
    participants: participants.map((person) => ({ ...person })),
    labelIds: labels,
    lastReceivedDateTime: isoOf(lastArrivedAtUs),
  };
}

export function shownVacation({ enabled, subject, body, contactsOnly, fromUs, untilUs }: Vacation): JsonValue {
  const time = (us: number | null): string | null => (us === null ? null : isoOf(us));
  return { enabled, subject, body, contactsOnly, startDateTime: time(fromUs), endDateTime: time(untilUs) };
}

/** A list under its name, with how many there are in all and how to continue. */
export function shownPage<Item>(
  name: string,
  shape: (item: Item) => JsonValue,
): (page: { items: readonly Item[]; total: number; nextCursor?: string }) => JsonValue {
  return ({ items, total, nextCursor }) => ({
    [name]: items.map(shape),
    total,
    ...(nextCursor === undefined ? {} : { nextPageToken: nextCursor }),
  });
}
