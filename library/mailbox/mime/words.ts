// Words of header fields: encoded words (RFC 2047), quoted strings, parameters (RFC 2045, 2231) and lists of addresses (RFC 5322 3.4).
import { base64Of, bytesOfBase64, bytesOfLatin, textIn, utf8Bytes, utf8Text } from './bytes.js';

export interface MimePerson {
  address: string;
  name: string | null;
}

/** Bytes of UTF-8 in one encoded word, which has 75 characters at most with its frame. */
const wordBytesMax = 42;
const plainText = /^[\x20-\x7e]*$/;

/** A value as people read it, and as it is sent, in ASCII. */
export interface HeaderWords {
  shown: string;
  sent: string;
}

export const asciiWords = (value: string): HeaderWords => ({ shown: value, sent: value });

/** Unstructured text; line breaks in it are blanks. */
export function headerText(text: string): HeaderWords {
  const line = text.replace(/[\r\n]+/g, ' ');
  return { shown: line, sent: plainText.test(line) && !line.includes('=?') ? line : encodedWords(line) };
}

export function headerPeople(people: readonly MimePerson[]): HeaderWords {
  const words = people.map(headerPerson);
  return { shown: words.map(({ shown }) => shown).join(', '), sent: words.map(({ sent }) => sent).join(', ') };
}

function headerPerson({ address, name }: MimePerson): HeaderWords {
  if (name === null || name === '') return asciiWords(address);
  const line = name.replace(/[\r\n]+/g, ' ');
  const shown = /["(),.:;<>@[\\\]]/.test(line) ? `${quotedString(line)} <${address}>` : `${line} <${address}>`;
  return { shown, sent: plainText.test(line) && !line.includes('=?') ? shown : `${encodedWords(line)} <${address}>` };
}

const quotedString = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** `; name="value"`, sent in the form of RFC 2231 where it is no ASCII. */
export function headerParameter(name: string, value: string): HeaderWords {
  const line = value.replace(/[\r\n]+/g, ' ');
  const shown = `; ${name}=${quotedString(line)}`;
  if (plainText.test(line)) return asciiWords(shown);
  const quoted = [...utf8Bytes(line)].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9._-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return { shown, sent: `; ${name}*=UTF-8''${quoted.join('')}` };
}

/** Lines of at most 76 characters where blanks allow it; a blank begins each further line. */
export function folded(line: string): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=[^ ])(?= )/)) {
    if (current !== '' && current.length + word.length > 76) {
      lines.push(current);
      current = '';
    }
    current += word;
  }
  return [...lines, current].join('\r\n');
}

function encodedWords(text: string): string {
  const words: string[] = [];
  let bytes: number[] = [];
  for (const character of text) {
    const more = utf8Bytes(character);
    if (bytes.length + more.length > wordBytesMax) {
      words.push(base64Of(Uint8Array.from(bytes)));
      bytes = [];
    }
    bytes.push(...more);
  }
  return [...words, base64Of(Uint8Array.from(bytes))].map((word) => `=?UTF-8?B?${word}?=`).join(' ');
}

const encodedWord = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([BbQq])\?([^?\s]*)\?=/g;

/** Encoded words as text; blanks between two of them are not part of it. Bytes beside them are read as UTF-8 where they are that. */
export function decodedText(value: string): string {
  const joined = value.replace(/(=\?[^?\s]+\?[BbQq]\?[^?\s]*\?=)\s+(?==\?[^?\s]+\?[BbQq]\?[^?\s]*\?=)/g, '$1');
  const text = /[\x80-\xff]/.test(joined) ? (utf8Text(bytesOfLatin(joined)) ?? joined) : joined;
  return text.replace(encodedWord, (whole, charset: string, kind: string, content: string) => {
    const bytes = kind.toUpperCase() === 'B' ? bytesOfBase64(content) : qBytes(content);
    return (bytes && textIn(bytes, charset)) ?? whole;
  });
}

function qBytes(content: string): Uint8Array {
  const plain = content
    .replaceAll('_', ' ')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return bytesOfLatin(plain);
}

/** A list of addresses, groups dissolved; undefined where it is none. Names are decoded, addresses in lower case. */
export function peopleIn(value: string): MimePerson[] | undefined {
  const people: MimePerson[] = [];
  for (const item of itemsOf(withoutComments(value))) {
    const entry = item.trim();
    if (entry === '') continue;
    const [, name = '', inner, bare] = /^(.*?)\s*(?:<([^<>]*)>|(?<=^|\s)([^\s<>]+))$/s.exec(entry) ?? [];
    const address = (inner ?? bare ?? '').trim().toLowerCase();
    if (!/^[^@\s<>,]+@[^@\s<>,]+$/.test(address) || (inner === undefined && name !== '')) return undefined;
    people.push({ address, name: decodedText(unquotedText(name.trim())) || null });
  }
  return people;
}

/** Split at commas and at the colon and semicolon of groups, outside of quoted strings and angle brackets. */
function itemsOf(value: string): string[] {
  const items: string[] = [];
  let item = '';
  for (const [token] of value.matchAll(/"(?:[^"\\]|\\.)*"|<[^>]*>|[,;:]|[^",;:<]+|./gs)) {
    if (token === ':') item = '';
    else if (token === ',' || token === ';') {
      items.push(item);
      item = '';
    } else item += token;
  }
  return [...items, item];
}

function withoutComments(value: string): string {
  return value.replace(/("(?:[^"\\]|\\.)*")|\((?:[^()\\]|\\.)*\)/gs, (_, quoted: string | undefined) => quoted ?? ' ');
}

function unquotedText(text: string): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"/gs, (_, inner: string) => inner.replace(/\\(.)/gs, '$1'));
}

export interface HeaderValue {
  value: string;
  parameters: ReadonlyMap<string, string>;
}

/** `type/subtype; name=value`, parameters in pieces put together. */
export function parametersIn(text: string): HeaderValue {
  const [, value = '', rest = ''] = /^([^;]*)(.*)$/s.exec(withoutComments(text)) ?? [];
  const pieces = new Map<string, { order: number; text: string; isExtended: boolean }[]>();
  for (const [, name = '', number, star, quoted, plain = ''] of rest.matchAll(
    /;\s*([^=;\s*]+)(?:\*(\d+))?(\*)?\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/gs,
  )) {
    const piece = { order: Number(number ?? 0), text: quoted?.replace(/\\(.)/gs, '$1') ?? plain, isExtended: star !== undefined };
    pieces.set(name.toLowerCase(), [...(pieces.get(name.toLowerCase()) ?? []), piece]);
  }
  return { value: value.trim().toLowerCase(), parameters: new Map([...pieces].map(([name, parts]) => [name, joined(parts)])) };
}

/** Of one that is there twice, plain and extended, the extended form. */
function joined(parts: readonly { order: number; text: string; isExtended: boolean }[]): string {
  const extended = parts.filter(({ isExtended }) => isExtended);
  if (extended.length === 0)
    return decodedText(
      [...parts]
        .sort((a, b) => a.order - b.order)
        .map(({ text }) => text)
        .join(''),
    );
  const chosen = parts.some(({ order }) => order > 0) ? parts : extended;
  const whole = [...chosen]
    .sort((a, b) => a.order - b.order)
    .map(({ text, isExtended }) => (isExtended ? text : text.replaceAll('%', '%25')))
    .join('');
  const [, charset = 'utf-8', content = whole] = /^([^']*)'[^']*'(.*)$/s.exec(whole) ?? [];
  const plain = content.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return textIn(bytesOfLatin(plain), charset === '' ? 'utf-8' : charset) ?? plain;
}
