// Messages, threads, drafts and labels as Gmail shows them, in the format that was asked for.
import type { JsonValue } from 'drillyard/tool-sdk';
import { firstHistoryId } from '../mail/history.js';
import type { Attachment, HistoryRow, Message } from '../mail/model.js';
import { type Summary, snippetOf } from '../mail/search.js';
import type { Thread, ThreadHead } from '../mail/threads.js';
import { base64UrlOf, bytesOfLatin } from '../mime/bytes.js';
import { bytesOfAttachment, type MimeHeader, type MimePart, mimeOf, rawOf } from '../mime/tree.js';
import { gmailLabel, gmailLabelsOf } from './labels.js';

export const formats = ['minimal', 'metadata', 'full', 'raw'] as const;
export type Format = (typeof formats)[number];
type Shown = { [name: string]: JsonValue };

/** `headers`: which of them metadata has; all where none is named. */
export function gmailMessage(message: Message, format: Format, headers: readonly string[] = []): Shown {
  const { id, threadId, body, arrivedAtUs, historyId } = message;
  const tree = mimeOf(message);
  const raw = rawOf(tree);
  const shown = {
    id,
    threadId,
    labelIds: gmailLabelsOf(message),
    snippet: snippet(body),
    historyId: historyNumber(historyId),
    internalDate: String(Math.floor(arrivedAtUs / 1000)),
    sizeEstimate: raw.length,
  };
  if (format === 'minimal') return shown;
  if (format === 'raw') return { ...shown, raw: base64UrlOf(bytesOfLatin(raw)) };
  return { ...shown, payload: format === 'full' ? part(tree, '') : metadata(tree, headers) };
}

/** Of what was changed or sent. */
export const gmailHead = (message: Message): Shown => ({ id: message.id, threadId: message.threadId, labelIds: gmailLabelsOf(message) });
export const gmailItem = ({ id, threadId }: Pick<Summary, 'id' | 'threadId'>): Shown => ({ id, threadId });

export function gmailThread({ id, historyId, messages }: Thread, format: Format, headers: readonly string[] = []): Shown {
  return { id, historyId: historyNumber(historyId), messages: messages.map((message) => gmailMessage(message, format, headers)) };
}
export function gmailThreadItem({ id, snippet: text, historyId }: ThreadHead): Shown {
  return { id, snippet: snippet(text), historyId: historyNumber(historyId) };
}

/** A draft has the id of its message. */
export const gmailDraft = (message: Message, shown: Shown): Shown => ({ id: message.id, message: shown });

export const gmailAttachment = (attachment: Attachment): Shown => {
  const bytes = bytesOfAttachment(attachment);
  return { size: bytes.length, data: base64UrlOf(bytes) };
};

export function gmailHistory({ number, messageId, threadId, kind, added, removed, labels }: HistoryRow): Shown {
  const head = { id: messageId, threadId };
  const message = { ...head, labelIds: labels.map(gmailLabel) };
  return {
    id: String(number),
    messages: [head],
    ...(kind === 'arrived' ? { messagesAdded: [{ message }] } : {}),
    ...(kind === 'deleted' ? { messagesDeleted: [{ message }] } : {}),
    ...(added.length === 0 ? {} : { labelsAdded: [{ message, labelIds: added.map(gmailLabel) }] }),
    ...(removed.length === 0 ? {} : { labelsRemoved: [{ message, labelIds: removed.map(gmailLabel) }] }),
  };
}

export const historyNumber = (historyId: number | undefined): string => String(historyId ?? firstHistoryId);

/** As HTML, which Gmail's snippets are. */
function snippet(text: string): string {
  const entities: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return snippetOf(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

function metadata({ mimeType, headers }: MimePart, wanted: readonly string[]): Shown {
  const names = wanted.map((name) => name.toLowerCase());
  const shown = headers.filter(({ name }) => names.length === 0 || names.includes(name.toLowerCase()));
  return { mimeType, headers: shown.map(headerOf) };
}

function part({ mimeType, filename, headers, bytes, attachmentId, parts }: MimePart, partId: string): Shown {
  const size = bytes?.length ?? 0;
  const data = bytes === undefined ? {} : { data: base64UrlOf(bytes) };
  return {
    partId,
    mimeType,
    filename,
    headers: headers.map(headerOf),
    body: attachmentId === undefined ? { size, ...data } : { attachmentId, size },
    ...(parts.length === 0 ? {} : { parts: parts.map((inner, index) => part(inner, partId === '' ? `${index}` : `${partId}.${index}`)) }),
  };
}

/** Decoded, as Gmail gives them. */
const headerOf = ({ name, shown }: MimeHeader): Shown => ({ name, value: shown });
