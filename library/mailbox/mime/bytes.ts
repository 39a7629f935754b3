// Bytes and texts: UTF-8, base64 in both alphabets, and the single-byte charsets that mail still comes in.
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Map([...alphabet].map((character, value) => [character, value]));
values.set('-', 62).set('_', 63);

export function utf8Bytes(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    else bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
  }
  return Uint8Array.from(bytes);
}

/** Undefined for what is no UTF-8: overlong forms, halves of pairs and what is cut off are none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  const characters: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const more =
      first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : -1;
    if (more < 0 || at + more >= bytes.length) return undefined;
    let point = more === 0 ? first : first & (0x3f >> more);
    for (let next = 1; next <= more; next += 1) {
      const byte = bytes[at + next] ?? 0;
      if ((byte & 0xc0) !== 0x80) return undefined;
      point = (point << 6) | (byte & 63);
    }
    const isOverlong = (more === 2 && point < 0x800) || (more === 3 && point < 0x10000);
    if (isOverlong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return undefined;
    characters.push(String.fromCodePoint(point));
    at += more + 1;
  }
  return characters.join('');
}

export function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    const group = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    const letters = [18, 12, 6, 0].map((shift) => alphabet.charAt((group >> shift) & 63));
    parts.push(b === undefined ? `${letters[0]}${letters[1]}==` : c === undefined ? `${letters.slice(0, 3).join('')}=` : letters.join(''));
  }
  return parts.join('');
}

/** RFC 4648 5, padded, as Gmail writes it. */
export const base64UrlOf = (bytes: Uint8Array): string => base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_');

/** Either alphabet, padded or not; undefined for anything else. White space is left out by who calls. */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  const letters = text.replace(/={0,2}$/, '');
  if (!/^[A-Za-z0-9+/_-]*$/.test(letters) || letters.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4));
  let at = 0;
  for (let group = 0; group < letters.length; group += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((offset) => values.get(letters.charAt(group + offset)) ?? 0);
    const whole = (a << 18) | (b << 12) | (c << 6) | d;
    for (const shift of [16, 8, 0]) if (at < bytes.length) bytes[at++] = (whole >> shift) & 255;
  }
  return bytes;
}

/** The second half of windows-1252 below 0xa0, where it differs from ISO 8859-1; what it leaves free stays as it is. */
const windows =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/** Undefined for a charset that is not known here, and for bytes that are none of it. */
export function textIn(bytes: Uint8Array, charset: string): string | undefined {
  switch (charset.toLowerCase()) {
    case 'utf-8':
    case 'utf8':
      return utf8Text(bytes);
    case 'us-ascii':
    case 'ascii':
      return bytes.every((byte) => byte < 0x80) ? latin(bytes) : undefined;
    case 'iso-8859-1':
    case 'latin1':
    case 'windows-1252':
      return latin(bytes).replace(/[\x80-\x9f]/g, (character) => windows.charAt(character.charCodeAt(0) - 0x80));
    default:
      return undefined;
  }
}

/** A character a byte, as RFC 5322 reads what is sent. */
export function latin(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4096) parts.push(String.fromCharCode(...bytes.subarray(at, at + 4096)));
  return parts.join('');
}

export function bytesOfLatin(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length }, (_, index) => text.charCodeAt(index) & 255);
}
