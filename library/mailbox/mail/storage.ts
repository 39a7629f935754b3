// How much a mailbox holds, and whether more fits.
import type { FailOptions } from 'drillyard/tool-sdk';
import type { Content, Context, Mailbox } from './model.js';
import { messagesOf } from './rows.js';

type Weighed = Pick<Content, 'subject' | 'body' | 'html' | 'attachments'>;

/** Why this does not fit into the mailbox, beside what it would replace; undefined when it does. */
export function roomProblem(context: Context, mailbox: Mailbox, added: Weighed, replaced?: Weighed): FailOptions | undefined {
  const { storageLimitBytes: limitBytes } = mailbox;
  if (limitBytes === null) return undefined;
  const used = usedBytes(context, mailbox);
  if (used + sizeOf(added) - (replaced ? sizeOf(replaced) : 0) <= limitBytes) return undefined;
  return { code: 'QUOTA_EXCEEDED', message: `${mailbox.address} is full.`, details: { usedBytes: used, limitBytes } };
}

export function usedBytes(context: Context, mailbox: Mailbox): number {
  return messagesOf(context, mailbox).reduce((total, message) => total + sizeOf(message), 0);
}

/** In UTF-8. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Subject, text and attachments; headers are not counted. */
function sizeOf({ subject, body, html = '', attachments }: Weighed): number {
  return bytesOf(subject) + bytesOf(body) + bytesOf(html) + attachments.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
}
