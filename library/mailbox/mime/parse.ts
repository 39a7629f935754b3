// A message as it is sent (RFC 5322, 2045, 2046) taken apart: header fields, the text, the HTML, and everything else as attachments.
import { base64Of, textIn, utf8Text } from './bytes.js';
import { decodedBytes } from './transfer.js';
import { decodedText, type HeaderValue, type MimePerson, parametersIn, peopleIn } from './words.js';

export interface ParsedAttachment {
  filename: string;
  contentType: string;
  /** Of text in UTF-8. */
  text?: string;
  /** Of everything else. */
  base64?: string;
}
export interface ParsedMail {
  to: MimePerson[];
  cc: MimePerson[];
  bcc: MimePerson[];
  replyTo: MimePerson | null;
  subject: string;
  body: string;
  html?: string;
  /** There was no plain text; `body` is what the HTML says. */
  htmlOnly?: boolean;
  headers: { [name: string]: string };
  inReplyTo: string | null;
  references: string[];
  attachments: ParsedAttachment[];
}
/** What cannot be read, in words for who has sent it. */
export class MimeProblem extends Error {}

type Fields = ReadonlyMap<string, string>;
interface Entity {
  fields: Fields;
  content: string;
}
interface Leaf {
  type: HeaderValue;
  disposition: HeaderValue;
  bytes: Uint8Array;
}

const depthMax = 10;
const partsMax = 100;
/** Of one field, unfolded: a hundred people with their names have less. */
const fieldCharsMax = 32_768;
/** Longer text is kept as bytes, as everything that is no text. */
const attachedTextCharsMax = 50_000;
/** Fields that have a place of their own, or that the service writes itself. */
const known = new Set(
  [
    'from',
    'to',
    'cc',
    'bcc',
    'reply-to',
    'subject',
    'date',
    'message-id',
    'in-reply-to',
    'references',
    'sender',
    'return-path',
    'received',
  ].concat(['mime-version', 'content-type', 'content-transfer-encoding', 'content-disposition', 'content-id', 'content-description']),
);

/** `mail` has a character a byte. */
export function parseMail(mail: string): ParsedMail {
  const entity = entityOf(mail);
  const { fields } = entity;
  const leaves: Leaf[] = [];
  collect(entity, leaves, 0);
  const people = (name: string): MimePerson[] => {
    const list = peopleIn(fields.get(name) ?? '');
    if (list === undefined) throw new MimeProblem(`Invalid ${name} header`);
    return list;
  };
  return {
    to: people('to'),
    cc: people('cc'),
    bcc: people('bcc'),
    replyTo: people('reply-to')[0] ?? null,
    subject: decodedText(fields.get('subject') ?? ''),
    ...wordsOf(leaves),
    headers: Object.fromEntries([...fields].filter(([name]) => !known.has(name)).map(([name, value]) => [name, decodedText(value)])),
    inReplyTo: idsIn(fields.get('in-reply-to'))[0] ?? null,
    references: idsIn(fields.get('references')),
  };
}

const idsIn = (value = ''): string[] => value.match(/<[^<>\s]+>/g) ?? [];

/** The header, unfolded; of a field that is there several times the first, but all of the recipients. */
function entityOf(source: string): Entity {
  const [head, content] = splitHead(source);
  const fields = new Map<string, string>();
  for (const line of head.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/)) {
    if (line === '') continue;
    const [, name, value = ''] = /^([!-9;-~]+)[ \t]*:(.*)$/s.exec(line) ?? [];
    if (name === undefined || value.length > fieldCharsMax) throw new MimeProblem('Invalid header line');
    const key = name.toLowerCase();
    const earlier = fields.get(key);
    if (earlier === undefined) fields.set(key, value.trim());
    else if (key === 'to' || key === 'cc' || key === 'bcc') fields.set(key, `${earlier}, ${value.trim()}`);
  }
  return { fields, content };
}

function splitHead(source: string): [head: string, content: string] {
  if (/^\r?\n/.test(source)) return ['', source.replace(/^\r?\n/, '')];
  const found = /\r?\n\r?\n/.exec(source);
  return found === null ? [source, ''] : [source.slice(0, found.index), source.slice(found.index + found[0].length)];
}

function collect({ fields, content }: Entity, leaves: Leaf[], depth: number): void {
  const type = parametersIn(fields.get('content-type') ?? 'text/plain; charset=us-ascii');
  if (type.value.startsWith('multipart/')) {
    if (depth === depthMax) throw new MimeProblem(`Parts are nested more than ${depthMax} deep`);
    for (const part of partsOf(content, type.parameters.get('boundary'))) collect(entityOf(part), leaves, depth + 1);
    return;
  }
  if (leaves.length === partsMax) throw new MimeProblem(`There are more than ${partsMax} parts`);
  const bytes = decodedBytes(content, fields.get('content-transfer-encoding') ?? '');
  if (bytes === undefined) throw new MimeProblem(`Invalid Content-Transfer-Encoding of a part of the type ${type.value}`);
  leaves.push({ type, disposition: parametersIn(fields.get('content-disposition') ?? ''), bytes });
}

/** Between the lines of the boundary; the break before such a line belongs to it. */
function partsOf(content: string, boundary: string | undefined): string[] {
  if (boundary === undefined || boundary === '') throw new MimeProblem('A multipart has no boundary');
  const parts: string[] = [];
  let lines: string[] | undefined;
  for (const line of content.split(/(?<=\n)/)) {
    const rest = line.startsWith(`--${boundary}`) ? line.slice(boundary.length + 2).trimEnd() : undefined;
    if (rest !== '' && rest !== '--') {
      lines?.push(line);
      continue;
    }
    if (lines !== undefined) parts.push(lines.join('').replace(/\r?\n$/, ''));
    if (rest === '--') return parts;
    lines = [];
  }
  throw new MimeProblem('A multipart has no closing boundary');
}

/** The first text and the first HTML that are not attached are what it says. */
function wordsOf(leaves: readonly Leaf[]): Pick<ParsedMail, 'body' | 'html' | 'htmlOnly' | 'attachments'> {
  const isInline = ({ type, disposition }: Leaf, value: string): boolean =>
    type.value === value && disposition.value !== 'attachment' && !type.parameters.has('name') && !disposition.parameters.has('filename');
  const plain = leaves.find((leaf) => isInline(leaf, 'text/plain'));
  const rich = leaves.find((leaf) => isInline(leaf, 'text/html'));
  const attachments = leaves.filter((leaf) => leaf !== plain && leaf !== rich).map(attachmentOf);
  const html = rich === undefined ? undefined : textOf(rich);
  const body = plain === undefined ? undefined : textOf(plain);
  if (html === undefined) return { body: body ?? '', attachments };
  return body === undefined ? { body: textOfHtml(html), html, htmlOnly: true, attachments } : { body, html, attachments };
}

function textOf({ type, bytes }: Leaf): string {
  const charset = type.parameters.get('charset') ?? 'us-ascii';
  // What calls itself ASCII and is not is UTF-8 in practice.
  const text = textIn(bytes, charset) ?? (/ascii$/i.test(charset) ? utf8Text(bytes) : undefined);
  if (text === undefined) throw new MimeProblem(`A part is not in the charset ${charset}, or that is not known`);
  return text.replaceAll('\r\n', '\n').replaceAll('\0', '');
}

function attachmentOf({ type, disposition, bytes }: Leaf, index: number): ParsedAttachment {
  const filename = disposition.parameters.get('filename') ?? type.parameters.get('name') ?? `part-${index + 1}`;
  const contentType = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(type.value) ? type.value : 'application/octet-stream';
  const charset = (type.parameters.get('charset') ?? 'utf-8').toLowerCase();
  const text = contentType.startsWith('text/') && /^(?:utf-?8|us-ascii)$/.test(charset) ? utf8Text(bytes) : undefined;
  const isText = text !== undefined && text.length <= attachedTextCharsMax;
  return { filename: filename.slice(0, 255) || 'noname', contentType, ...(isText ? { text } : { base64: base64Of(bytes) }) };
}

/** What the HTML says without its marks: enough for search, and for who reads plain text. */
export function textOfHtml(html: string): string {
  const text = withoutTags(html);
  const entities: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
  const decoded = text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    return point > 0 && point < 0x110000 && !(point >= 0xd800 && point < 0xe000) ? String.fromCodePoint(point) : whole;
  });
  return decoded.replace(/ ?\n ?/g, '\n').trim();
}

const unseen = ['style', 'script', 'head'];

/** In one pass, however it is written: from each mark to its end, and over what nobody sees. */
function withoutTags(html: string): string {
  const source = html.replace(/\s+/g, ' ');
  // Of the same length, which toLowerCase does not promise.
  const lower = source.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const texts: string[] = [];
  for (let at = 0; at < source.length; ) {
    const open = source.indexOf('<', at);
    const close = open < 0 ? -1 : source.indexOf('>', open);
    if (close < 0) {
      texts.push(source.slice(at));
      break;
    }
    texts.push(source.slice(at, open));
    const tag = /^\/?[a-z0-9]*/.exec(lower.slice(open + 1, open + 12))?.[0] ?? '';
    if (/^(?:br|\/(?:p|div|li|tr|h[1-6]|blockquote))$/.test(tag)) texts.push('\n');
    const end = unseen.includes(tag) ? lower.indexOf(`</${tag}`, close) : close;
    at = end < 0 ? source.length : source.indexOf('>', end) + 1 || source.length;
  }
  return texts.join('');
}
