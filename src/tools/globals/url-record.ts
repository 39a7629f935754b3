// A URL in parts, as the URL Standard has it, and its text again. Evaluated inside the realm (realm-script.ts).
import { utf8Bytes, utf8Text } from './text-codec.js';

export interface UrlRecord {
  scheme: string;
  username: string;
  password: string;
  /** As text; null where there is none, '' where it is empty. */
  host: string | null;
  port: number | null;
  /** A text where the path is opaque, as that of `mailto:`. */
  path: string[] | string;
  query: string | null;
  fragment: string | null;
}

/** The schemes that the standard calls special, with their ports. */
export const specialPorts: { readonly [scheme: string]: number | null } = {
  __proto__: null as never,
  ftp: 21,
  file: null,
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
};
export const isSpecial = ({ scheme }: UrlRecord): boolean => scheme in specialPorts;

const controls = (point: number): boolean => point < 0x20 || point > 0x7e;
const within =
  (characters: string, base: (point: number) => boolean) =>
  (point: number): boolean =>
    base(point) || characters.includes(String.fromCodePoint(point));

/** Which characters each part writes as `%XX`. */
const queryEncoded = within(' "#<>', controls);
const pathEncoded = within('?^`{}', queryEncoded);
const userinfoEncoded = within('/:;=@[\\]|', pathEncoded);
export const encodeSets = {
  control: controls,
  fragment: within(' "<>`', controls),
  query: queryEncoded,
  specialQuery: within("'", queryEncoded),
  path: pathEncoded,
  userinfo: userinfoEncoded,
  /** Of forms: `*`, `-`, `.` and `_` are all that stay beside letters and digits. */
  form: within("$%&+,!'()~", userinfoEncoded),
};

export function percentEncode(text: string, isEncoded: (point: number) => boolean): string {
  let encoded = '';
  for (const character of text) {
    if (!isEncoded(character.codePointAt(0) as number)) encoded += character;
    else for (const byte of utf8Bytes(character)) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/** What is no UTF-8 becomes U+FFFD; a `%` without two digits stays. */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  const coded = utf8Bytes(text);
  for (let index = 0; index < coded.length; index++) {
    const digits = String.fromCharCode(coded[index + 1] ?? 0, coded[index + 2] ?? 0);
    if (coded[index] === 0x25 && /^[0-9A-Fa-f]{2}$/.test(digits)) {
      bytes.push(Number.parseInt(digits, 16));
      index += 2;
    } else bytes.push(coded[index] as number);
  }
  return utf8Text(bytes);
}

export function pathText({ path }: UrlRecord): string {
  return typeof path === 'string' ? path : path.map((segment) => `/${segment}`).join('');
}

export function hostText({ host, port }: UrlRecord): string {
  return host === null ? '' : `${host}${port === null ? '' : `:${port}`}`;
}

export function urlText(url: UrlRecord): string {
  const { scheme, username, password, host, path, query, fragment } = url;
  let text = `${scheme}:`;
  if (host !== null) {
    const login = username === '' && password === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`;
    text += `//${login}${hostText(url)}`;
  } else if (typeof path !== 'string' && path.length > 1 && path[0] === '') text += '/.';
  text += pathText(url);
  if (query !== null) text += `?${query}`;
  return fragment === null ? text : `${text}#${fragment}`;
}

export function originText(url: UrlRecord): string {
  const { scheme } = url;
  return scheme !== 'file' && isSpecial(url) ? `${scheme}://${hostText(url)}` : 'null';
}
