// Reads URLs as the URL Standard says: a machine of states that goes over the text once. Evaluated inside the realm (realm-script.ts).
import { hostOf } from './url-host.js';
import { encodeSets, isSpecial, percentEncode, specialPorts, type UrlRecord } from './url-record.js';

type UrlState =
  | ('schemeStart' | 'scheme' | 'noScheme' | 'relative' | 'relativeSlash' | 'authoritySlashes' | 'pathOrAuthority')
  | ('authority' | 'host' | 'hostname' | 'port' | 'file' | 'fileSlash' | 'fileHost')
  | ('pathStart' | 'path' | 'opaquePath' | 'query' | 'fragment');
/** `stop`: the rest of the text counts no more. `fail`: it is no URL. */
type Step = UrlState | 'stop' | 'fail' | undefined;

const end = '';
const isSingleDot = (segment: string): boolean => /^(?:\.|%2e)$/i.test(segment);
const isDoubleDot = (segment: string): boolean => /^(?:\.|%2e){2}$/i.test(segment);
const isDriveLetter = (text: string): boolean => /^[A-Za-z][:|]$/.test(text);
const startsWithDriveLetter = (text: string): boolean => /^[A-Za-z][:|](?:$|[/\\?#])/.test(text);

class Parser {
  readonly characters: readonly string[];
  readonly url: UrlRecord;
  readonly base: UrlRecord | undefined;
  /** The one state that a setter asks for. */
  readonly only: UrlState | undefined;
  at = 0;
  buffer = '';
  sawAt = false;
  sawPassword = false;
  inBrackets = false;

  constructor(text: string, url: UrlRecord, base: UrlRecord | undefined, only: UrlState | undefined) {
    this.characters = [...text];
    this.url = url;
    this.base = base;
    this.only = only;
  }

  /** Whether it is a URL. */
  run(): boolean {
    let state: UrlState = this.only ?? 'schemeStart';
    for (; this.at <= this.characters.length; this.at++) {
      const next = steps[state](this, this.characters[this.at] ?? end);
      if (next === 'fail') return false;
      if (next === 'stop') return true;
      if (next !== undefined) state = next;
    }
    return true;
  }

  rest(): string {
    return this.characters.slice(this.at + 1).join('');
  }
  fromHere(): string {
    return this.characters.slice(this.at).join('');
  }
  isSlash(character: string): boolean {
    return character === '/' || (character === '\\' && isSpecial(this.url));
  }
  endsAuthority(character: string): boolean {
    return character === end || '/?#'.includes(character) || this.isSlash(character);
  }
  inherit(...parts: (keyof UrlRecord)[]): void {
    for (const part of parts) {
      const value = (this.base as UrlRecord)[part];
      Object.assign(this.url, { [part]: Array.isArray(value) ? [...value] : value });
    }
  }
  shorten(): void {
    const { path, scheme } = this.url;
    if (typeof path === 'string') return;
    if (scheme === 'file' && path.length === 1 && /^[A-Za-z]:$/.test(path[0] as string)) return;
    path.pop();
  }
  takeHost(next: UrlState): Step {
    const host = hostOf(this.buffer, !isSpecial(this.url));
    if (host === undefined) return 'fail';
    this.url.host = host;
    this.buffer = '';
    return next;
  }
  takePort(): boolean {
    if (this.buffer === '') return true;
    const port = Number(this.buffer);
    if (port > 0xffff) return false;
    this.url.port = port === specialPorts[this.url.scheme] ? null : port;
    this.buffer = '';
    return true;
  }
}

type StepOf = (parser: Parser, character: string) => Step;
const steps: { readonly [state in UrlState]: StepOf } = {
  schemeStart(parser, character) {
    if (/^[A-Za-z]$/.test(character)) {
      parser.buffer += character.toLowerCase();
      return 'scheme';
    }
    if (parser.only !== undefined) return 'fail';
    parser.at--;
    return 'noScheme';
  },
  scheme(parser, character) {
    if (/^[A-Za-z0-9+.-]$/.test(character)) {
      parser.buffer += character.toLowerCase();
      return undefined;
    }
    if (character === ':') return schemeEnd(parser);
    if (parser.only !== undefined) return 'fail';
    parser.buffer = '';
    parser.at = -1;
    return 'noScheme';
  },
  noScheme(parser, character) {
    const { base, url } = parser;
    if (base === undefined || (typeof base.path === 'string' && character !== '#')) return 'fail';
    if (typeof base.path === 'string') {
      parser.inherit('scheme', 'path', 'query');
      url.fragment = '';
      return 'fragment';
    }
    parser.at--;
    return base.scheme === 'file' ? 'file' : 'relative';
  },
  relative(parser, character) {
    parser.inherit('scheme');
    if (parser.isSlash(character)) return 'relativeSlash';
    parser.inherit('username', 'password', 'host', 'port', 'path', 'query');
    return afterInheriting(parser, character);
  },
  relativeSlash(parser, character) {
    if (parser.isSlash(character)) return isSpecial(parser.url) ? 'authoritySlashes' : 'authority';
    parser.inherit('username', 'password', 'host', 'port');
    parser.at--;
    return 'path';
  },
  /** After `http:`, however many slashes follow. */
  authoritySlashes(parser, character) {
    if (character === '/' || character === '\\') return undefined;
    parser.at--;
    return 'authority';
  },
  pathOrAuthority(parser, character) {
    if (character === '/') return 'authority';
    parser.at--;
    return 'path';
  },
  authority(parser, character) {
    if (character === '@') {
      takeLogin(parser);
      return undefined;
    }
    if (!parser.endsAuthority(character)) {
      parser.buffer += character;
      return undefined;
    }
    if (parser.sawAt && parser.buffer === '') return 'fail';
    parser.at -= [...parser.buffer].length + 1;
    parser.buffer = '';
    return 'host';
  },
  host(parser, character) {
    const { only, url } = parser;
    if (only !== undefined && url.scheme === 'file') {
      parser.at--;
      return 'fileHost';
    }
    if (character === ':' && !parser.inBrackets) {
      if (parser.buffer === '' || only === 'hostname') return 'fail';
      return parser.takeHost('port');
    }
    if (parser.endsAuthority(character)) {
      parser.at--;
      if (isSpecial(url) && parser.buffer === '') return 'fail';
      if (only !== undefined && parser.buffer === '' && (url.username !== '' || url.password !== '' || url.port !== null)) return 'fail';
      const next = parser.takeHost('pathStart');
      return next === 'fail' || only === undefined ? next : 'stop';
    }
    if (character === '[') parser.inBrackets = true;
    if (character === ']') parser.inBrackets = false;
    parser.buffer += character;
    return undefined;
  },
  hostname(parser, character) {
    return steps.host(parser, character);
  },
  port(parser, character) {
    if (/^\d$/.test(character)) {
      parser.buffer += character;
      return undefined;
    }
    if (!parser.endsAuthority(character) && parser.only === undefined) return 'fail';
    if (!parser.takePort()) return 'fail';
    if (parser.only !== undefined) return 'stop';
    parser.at--;
    return 'pathStart';
  },
  file(parser, character) {
    const { url, base } = parser;
    url.scheme = 'file';
    url.host = '';
    if (character === '/' || character === '\\') return 'fileSlash';
    if (base?.scheme !== 'file') {
      parser.at--;
      return 'path';
    }
    parser.inherit('host', 'path', 'query');
    if (character !== '?' && character !== '#' && character !== end && startsWithDriveLetter(parser.fromHere())) {
      url.query = null;
      url.path = [];
      parser.at--;
      return 'path';
    }
    return afterInheriting(parser, character);
  },
  fileSlash(parser, character) {
    if (character === '/' || character === '\\') return 'fileHost';
    const { url, base } = parser;
    if (base?.scheme === 'file') {
      url.host = base.host;
      const [drive] = base.path as string[];
      if (!startsWithDriveLetter(parser.fromHere()) && /^[A-Za-z]:$/.test(drive ?? '')) (url.path as string[]).push(drive as string);
    }
    parser.at--;
    return 'path';
  },
  fileHost(parser, character) {
    if (character !== end && !'/\\?#'.includes(character)) {
      parser.buffer += character;
      return undefined;
    }
    parser.at--;
    if (parser.only === undefined && isDriveLetter(parser.buffer)) return 'path';
    if (parser.buffer === '') parser.url.host = '';
    else if (parser.takeHost('pathStart') === 'fail') return 'fail';
    if (parser.url.host === 'localhost') parser.url.host = '';
    return parser.only === undefined ? 'pathStart' : 'stop';
  },
  pathStart(parser, character) {
    const { url, only } = parser;
    if (isSpecial(url)) {
      if (!parser.isSlash(character)) parser.at--;
      return 'path';
    }
    if (only === undefined && (character === '?' || character === '#')) return queryOrFragment(parser, character);
    if (character !== end) {
      if (character !== '/') parser.at--;
      return 'path';
    }
    if (only !== undefined && url.host === null) (url.path as string[]).push('');
    return undefined;
  },
  path(parser, character) {
    const isQueryOrFragment = parser.only === undefined && (character === '?' || character === '#');
    if (character !== end && !parser.isSlash(character) && !isQueryOrFragment) {
      parser.buffer += percentEncode(character, encodeSets.path);
      return undefined;
    }
    takeSegment(parser, character);
    return isQueryOrFragment ? queryOrFragment(parser, character) : undefined;
  },
  opaquePath(parser, character) {
    if (character === '?' || character === '#') return queryOrFragment(parser, character);
    const isLastSpace = character === ' ' && /^[?#]/.test(parser.rest());
    (parser.url.path as string) += isLastSpace ? '%20' : percentEncode(character, encodeSets.control);
    return undefined;
  },
  query(parser, character) {
    if (parser.only === undefined && character === '#') return queryOrFragment(parser, character);
    parser.url.query += percentEncode(character, isSpecial(parser.url) ? encodeSets.specialQuery : encodeSets.query);
    return undefined;
  },
  fragment(parser, character) {
    parser.url.fragment += percentEncode(character, encodeSets.fragment);
    return undefined;
  },
};

function schemeEnd(parser: Parser): Step {
  const { url, base, only, buffer } = parser;
  if (only !== undefined) {
    const isKept =
      isSpecial(url) !== buffer in specialPorts ||
      (buffer === 'file' && (url.username !== '' || url.password !== '' || url.port !== null)) ||
      (url.scheme === 'file' && url.host === '');
    if (!isKept) url.scheme = buffer;
    if (url.port === specialPorts[url.scheme]) url.port = null;
    return 'stop';
  }
  url.scheme = buffer;
  parser.buffer = '';
  if (url.scheme === 'file') return 'file';
  if (isSpecial(url)) {
    if (base?.scheme !== url.scheme || parser.rest().startsWith('//')) return 'authoritySlashes';
    return 'relative';
  }
  if (parser.rest().startsWith('/')) {
    parser.at++;
    return 'pathOrAuthority';
  }
  url.path = '';
  return 'opaquePath';
}

function afterInheriting(parser: Parser, character: string): Step {
  const { url } = parser;
  if (character === '?') url.query = null;
  if (character === '?' || character === '#') return queryOrFragment(parser, character);
  if (character === end) return 'stop';
  url.query = null;
  parser.shorten();
  parser.at--;
  return 'path';
}

function queryOrFragment({ url }: Parser, character: string): UrlState {
  if (character === '?') url.query = '';
  else url.fragment = '';
  return character === '?' ? 'query' : 'fragment';
}

function takeLogin(parser: Parser): void {
  const { url } = parser;
  const text = parser.sawAt ? `%40${parser.buffer}` : parser.buffer;
  parser.sawAt = true;
  for (const character of text) {
    if (character === ':' && !parser.sawPassword) {
      parser.sawPassword = true;
      continue;
    }
    // What stands before this `@` has been encoded as it is: its `%40` stays.
    const encoded = percentEncode(character, encodeSets.userinfo);
    if (parser.sawPassword) url.password += encoded;
    else url.username += encoded;
  }
  parser.buffer = '';
}

function takeSegment(parser: Parser, character: string): void {
  const { url } = parser;
  const path = url.path as string[];
  const goesOn = parser.isSlash(character);
  if (isDoubleDot(parser.buffer)) {
    parser.shorten();
    if (!goesOn) path.push('');
  } else if (isSingleDot(parser.buffer)) {
    if (!goesOn) path.push('');
  } else {
    const isDrive = url.scheme === 'file' && path.length === 0 && isDriveLetter(parser.buffer);
    path.push(isDrive ? `${parser.buffer[0]}:` : parser.buffer);
  }
  parser.buffer = '';
}

/** A URL; undefined where the text is none. */
export function parseUrl(text: string, base?: UrlRecord): UrlRecord | undefined {
  const trimmed = text.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  const url: UrlRecord = { scheme: '', username: '', password: '', host: null, port: null, path: [], query: null, fragment: null };
  return new Parser(trimmed, url, base, undefined).run() ? url : undefined;
}

/** Reads one part, as a setter does; a text that does not fit changes nothing that counts. */
export function parsePart(text: string, url: UrlRecord, state: UrlState): void {
  const changed = { ...url, path: typeof url.path === 'string' ? url.path : [...url.path] };
  if (new Parser(text.replace(/[\t\n\r]/g, ''), changed, undefined, state).run()) Object.assign(url, changed);
}
