// A message of the mailbox as MIME: the tree of its parts, which both the raw form and the parsed one are made of.
import { isoOf } from '../mail/dates.js';
import { type Attachment, dayUs, type Message } from '../mail/model.js';
import { base64Of, bytesOfBase64, utf8Bytes } from './bytes.js';
import { lined, quotedPrintable } from './transfer.js';
import { asciiWords, folded, type HeaderWords, headerParameter, headerPeople, headerText } from './words.js';

export interface MimeHeader extends HeaderWords {
  name: string;
}
export interface MimePart {
  mimeType: string;
  filename: string;
  headers: readonly MimeHeader[];
  /** Of a leaf. */
  bytes?: Uint8Array;
  /** Of a leaf, as it is sent. */
  encoded?: string;
  /** Of an attachment: its id in the message. */
  attachmentId?: string;
  parts: readonly MimePart[];
}

export function mimeOf(message: Message): MimePart {
  const body = bodyPart(message);
  const { attachments } = message;
  const whole = attachments.length === 0 ? body : multipart('mixed', message, [body, ...attachments.map(attachmentPart)]);
  return { ...whole, headers: [...fieldsOf(message), plain('MIME-Version', '1.0'), ...whole.headers] };
}

/** As it is sent: lines ended by CRLF, ASCII alone. */
export function rawOf({ headers, encoded = '', parts }: MimePart): string {
  const head = headers.map(({ name, sent }) => `${folded(`${name}: ${sent}`)}\r\n`).join('');
  if (parts.length === 0) return `${head}\r\n${encoded}`;
  const boundary = /boundary="([^"]*)"/.exec(headers.find(({ name }) => name === 'Content-Type')?.sent ?? '')?.[1] ?? '';
  return `${head}\r\n${parts.map((part) => `--${boundary}\r\n${rawOf(part)}\r\n`).join('')}--${boundary}--\r\n`;
}

function bodyPart(message: Message): MimePart {
  const { body, html, htmlOnly = false } = message;
  if (html === undefined) return textPart('text/plain', body);
  if (htmlOnly) return textPart('text/html', html);
  return multipart('alternative', message, [textPart('text/plain', body), textPart('text/html', html)]);
}

/** `=_` stands in no encoded content, so the boundary is in no part. */
function multipart(kind: string, { id }: Message, parts: readonly MimePart[]): MimePart {
  const type = `multipart/${kind}`;
  return { mimeType: type, filename: '', headers: [plain('Content-Type', `${type}; boundary="=_${kind}_${id}"`)], parts };
}

function textPart(mimeType: string, text: string): MimePart {
  const bytes = utf8Bytes(text.replace(/\r\n|\n/g, '\r\n'));
  const isShort =
    /^[\t\x20-\x7e\r\n]*$/.test(text) &&
    !/\r(?!\n)/.test(text) &&
    text.split('\n').every((line) => line.length <= 76 && !/[ \t]\r?$|=_/.test(line));
  const encoding = isShort ? '7bit' : 'quoted-printable';
  return {
    mimeType,
    filename: '',
    headers: [plain('Content-Type', `${mimeType}; charset="UTF-8"`), plain('Content-Transfer-Encoding', encoding)],
    bytes,
    encoded: isShort ? text.replace(/\r\n|\n/g, '\r\n') : quotedPrintable(text),
    parts: [],
  };
}

function attachmentPart(attachment: Attachment): MimePart {
  const { id, filename, contentType } = attachment;
  const bytes = bytesOfAttachment(attachment);
  const charset = contentType.startsWith('text/') ? '; charset="UTF-8"' : '';
  return {
    mimeType: contentType,
    filename,
    headers: [
      named('Content-Type', `${contentType}${charset}`, headerParameter('name', filename)),
      named('Content-Disposition', 'attachment', headerParameter('filename', filename)),
      plain('Content-Transfer-Encoding', 'base64'),
    ],
    bytes,
    encoded: lined(base64Of(bytes)),
    attachmentId: id,
    parts: [],
  };
}

/** Of one that a world began with there may be a name, a type and a size alone: it has no bytes. */
export function bytesOfAttachment({ text, base64 }: Pick<Attachment, 'text' | 'base64'>): Uint8Array {
  if (base64 !== undefined) return bytesOfBase64(base64) ?? new Uint8Array();
  return utf8Bytes(text ?? '');
}

function fieldsOf(message: Message): MimeHeader[] {
  const { from, replyTo, to, cc, bcc, subject, messageId, inReplyTo, references, headers, sentAtUs, arrivedAtUs } = message;
  const fields: MimeHeader[] = [
    plain('Message-ID', messageId),
    plain('Date', mailDate(sentAtUs ?? arrivedAtUs)),
    { name: 'From', ...headerPeople([from]) },
    { name: 'Reply-To', ...headerPeople(replyTo === null ? [] : [replyTo]) },
    { name: 'To', ...headerPeople(to) },
    { name: 'Cc', ...headerPeople(cc) },
    { name: 'Bcc', ...headerPeople(bcc) },
    plain('In-Reply-To', inReplyTo ?? ''),
    plain('References', references.join(' ')),
  ];
  const further = Object.entries(headers).map(([name, value]) => ({ name: capitalized(name), ...headerText(value) }));
  return [...fields.filter(({ sent }) => sent !== ''), { name: 'Subject', ...headerText(subject) }, ...further];
}

const plain = (name: string, value: string): MimeHeader => ({ name, ...asciiWords(value) });
const named = (name: string, value: string, { shown, sent }: HeaderWords): MimeHeader => ({
  name,
  shown: value + shown,
  sent: value + sent,
});
const capitalized = (name: string): string =>
  name.replace(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());

const weekdays = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Mon, 02 Mar 2026 09:00:00 +0000` (RFC 5322 3.3). 1970 began on a Thursday. */
export function mailDate(us: number): string {
  const days = Math.floor(us / dayUs);
  const [date = '', clock = ''] = isoOf(us).replace('Z', '').split('T');
  const [year, month, day] = date.split('-');
  return `${weekdays[((days % 7) + 7) % 7]}, ${day} ${months[Number(month) - 1]} ${year} ${clock} +0000`;
}
