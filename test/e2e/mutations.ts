// How a well-formed request is made wrong. A mutation is plain data, so that a failing case can be shrunk and reported; where in the
// request it strikes follows from its numbers.
import fc from '../fast-check.js';
import type { Sent } from './wire.js';

/** A request before it is written. `text` and `bytes` win over `value`. */
export interface Draft {
  method: string;
  path: string;
  query: [string, string][];
  headers: { [name: string]: string | string[] };
  value: unknown;
  text?: string;
  bytes?: Uint8Array;
}
export interface Mutation {
  kind: (typeof kinds)[number];
  at: number;
  pick: number;
}
type Strike = (draft: Draft, mutation: Mutation) => void;

/** Leaves and branches of a value with the way to put something else there. */
interface Place {
  value: unknown;
  put(value: unknown): void;
  drop(): void;
}
function placesOf(root: { value: unknown }): Place[] {
  const found: Place[] = [placeIn(root, 'value')];
  const visit = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const name of Object.keys(holder)) {
      found.push(placeIn(holder, name));
      visit(Reflect.get(holder, name));
    }
  };
  visit(root.value);
  return found;
}
const placeIn = (holder: object, name: string): Place => ({
  value: Reflect.get(holder, name),
  // Under any name, `__proto__` too.
  put: (value) => void Reflect.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true }),
  drop: () => void (Array.isArray(holder) ? holder.splice(Number(name), 1) : Reflect.deleteProperty(holder, name)),
});
const placeOf = (draft: Draft, at: number): Place => {
  const places = placesOf(draft);
  return places[at % places.length] as Place;
};
const oneOf = <T>(list: readonly T[], pick: number): T => list[pick % list.length] as T;
const nested = (depth: number, open: string, close: string, core: string): string => open.repeat(depth) + core + close.repeat(depth);

const otherTypes: readonly unknown[] = [null, true, false, 0, -0, 1.5, '', 'text', [], {}, [[]], [null], { a: 1 }, '1', 'null'];
const boundaries: readonly unknown[] = [
  ...[0, -1, 1, 2, 99, 100, 101, 500, 501, 999, 1000, 1001, 65536, 86400000, 86400001, 604800000, 604800001, 1000000, 1000001],
  ...[2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 2 ** 63, 1e21, 1e300, 0.1, 5e-324, -2147483649],
  ...[
    '',
    ' ',
    'a'.repeat(100),
    'a'.repeat(101),
    'a'.repeat(255),
    'a'.repeat(513),
    'a'.repeat(70_000),
    '18446744073709551615',
    '18446744073709551616',
  ],
  ...[
    '../../etc/passwd',
    '/etc/passwd',
    'a/../b',
    'a//b',
    './a',
    'a\\b',
    'C:\\a',
    'CON',
    '.git/config',
    'drillyard.json',
    '%00',
    '%2e%2e/',
  ],
  ...[
    '\u0000',
    'a\u0000b',
    '\ud800',
    'a\udfffb',
    '\u202e',
    '\ufeff',
    '\n',
    '😀'.repeat(60),
    'é'.normalize('NFD'),
    '<script>',
    "' OR 1=1 --",
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    'file:///etc/passwd',
    'http://169.254.169.254',
    'https://[::1]',
  ],
  ...[
    Array(3000).fill(0),
    Array(300).fill('a'),
    Array(101).fill({}),
    Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`m${n}`, n])),
  ],
];
/** JSON that no value writes; put in the place of `"@raw"`. */
const rawJson: readonly string[] = [
  ...[
    '1e400',
    '-1e400',
    '-0',
    '-0.0',
    '1E+2',
    '1e-400',
    '123456789012345678901234567890',
    '0.1e1',
    '01',
    '+1',
    '.5',
    '1.',
    'NaN',
    'Infinity',
    '-',
  ],
  ...[
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"\\x41"',
    '"\u0001"',
    '"unfinished',
    'undefined',
    "'single'",
    '/* */ 1',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
  ],
  ...['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{"a":1}}}', '{"a":1,"a":2}', '{"":""}', '[]]', '{}}', 'nul', 'tru'],
  nested(63, '[', ']', '1'),
  nested(64, '[', ']', '1'),
  nested(65, '[', ']', '1'),
  nested(5000, '[', ']', ''),
  nested(5000, '{"a":', '}', '1'),
  nested(100_000, '[', ']', ''),
  '['.repeat(200_000),
];
const extras: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'extra',
  '',
  'schemaVersion',
  'organizationId',
  'then',
  'toJSON',
  'a'.repeat(1000),
  '\u0000',
];
const pathTricks: readonly ((path: string, at: number) => string)[] = [
  (path) => path.replace('/v1', '/v1/%2e%2e/v1'),
  (path) => `${path}/%2e%2e`,
  (path) => `${path}/..`,
  (path) => `${path}%00`,
  (path) => `${path}%2f`,
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => `${path};a=b`,
  (path) => `${path}%`,
  (path) => `${path}%zz`,
  (path) => `${path}%c3%28`,
  (path) => `${path}%ed%a0%80`,
  (path) => `${path}#fragment`,
  (path) => `${path}/${'a'.repeat(8000)}`,
  (path) => path + '/a'.repeat(2000),
  (path, at) =>
    path.replaceAll(/[^/]+/g, (segment, offset: number) =>
      offset % 7 === at % 7 ? encodeURIComponent(segment).replace(/[a-z]/g, hexOf) : segment,
    ),
  (path, at) => withSegment(path, at, ''),
  (path, at) => withSegment(path, at, '.'),
  (path, at) => withSegment(path, at, '..'),
  (path, at) => withSegment(path, at, '%2e%2e%2f%2e%2e'),
  (path, at) => withSegment(path, at, 'a%00b'),
  (path, at) => withSegment(path, at, '__proto__'),
  (path, at) => withSegment(path, at, 'constructor'),
  (path, at) => withSegment(path, at, '0'),
  (path, at) => withSegment(path, at, '-1'),
  (path, at) => withSegment(path, at, '2147483648'),
  (path, at) => withSegment(path, at, '1e3'),
  (path, at) => withSegment(path, at, '*'),
  (path, at) => withSegment(path, at, '{sessionId}'),
  (path, at) => withSegment(path, at, 'ses_0123456789ab'),
  (path, at) => withSegment(path, at, `ses_${'a'.repeat(33)}`),
];
const hexOf = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;
function withSegment(path: string, at: number, segment: string): string {
  const segments = path.split('/');
  segments[1 + (at % (segments.length - 1))] = segment;
  return segments.join('/');
}
const queryTricks: readonly ((query: [string, string][], at: number) => void)[] = [
  (query) => query.push(...query.slice(0, 1)),
  (query) => query.push(['unknown', '1']),
  (query) => query.push(['__proto__', '1']),
  (query) => query.push(['', '']),
  (query) => query.push(['limit', '']),
  (query) => query.push(['limit', '0']),
  (query) => query.push(['limit', '101']),
  (query) => query.push(['limit', '1e2']),
  (query) => query.push(['limit', '-0']),
  (query) => query.push(['cursor', '']),
  (query) => query.push(['cursor', 'a'.repeat(2049)]),
  (query) => query.push(['cursor', 'AAAA.BBBB']),
  (query) => query.push(['cursor', '\u0000']),
  (query) => query.push(['limit', '1'], ['limit', '2']),
  (query) => query.push(['state', 'nonsense']),
  (query) => query.push(['atSequence', '9007199254740992']),
  (query) => query.push(['atSequence', '9007199254740991']),
  (query) => query.push(['fromSequence', '0']),
  (query) => query.push(['path', '../../server.key']),
  (query) => query.push(['path', '/etc/passwd']),
  (query) => query.push(['afterRowId', '\uffff']),
  (query) => query.push(['packageId', 'nobody'], ['namespace', 'nothing']),
  (query) => query.push(['left', 'x'], ['right', 'y']),
  (query) => query.push(...Array.from({ length: 300 }, (_, n): [string, string] => [`q${n}`, '1'])),
  (query, at) => void query.splice(at % Math.max(1, query.length), 1),
];
const keys: readonly (string | string[] | undefined)[] = [
  undefined,
  '',
  'short',
  'a'.repeat(128),
  'a'.repeat(129),
  'with space',
  'ünïcode-key',
  'tab\tinside',
  'semi;colon!',
  'slash/slash',
  ['one-key-here', 'two-key-here'],
  '____________',
];
const types: readonly (string | string[] | undefined)[] = [
  undefined,
  '',
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset=utf-16',
  'application/json; charset="utf-8"',
  'application/json; boundary=x',
  'text/json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/merge-patch+json',
  'APPLICATION/JSON',
  'application/json, application/json',
  ['application/json', 'text/plain'],
  '*/*',
  'x'.repeat(2000),
];
const otherHeaders: readonly [string, string | string[]][] = [
  ['content-encoding', 'gzip'],
  ['content-encoding', 'identity'],
  ['content-encoding', 'br, gzip'],
  ['accept', 'text/html'],
  ['accept', ''],
  ['accept-encoding', 'gzip;q=0'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-host', 'evil.example'],
  ['x-correlation-id', 'chosen-by-client'],
  ['origin', 'https://evil.example'],
  ['origin', 'null'],
  ['referer', 'https://evil.example/'],
  ['host', 'evil.example'],
  ['host', ''],
  ['host', 'a b'],
  ['range', 'bytes=0-1'],
  ['if-none-match', '*'],
  ['if-match', '"nothing"'],
  ['cookie', 'credential=x'],
  ['x-big', 'x'.repeat(20_000)],
  ['x-several', Array.from({ length: 40 }, (_, n) => String(n))],
  ['te', 'trailers'],
  ['authorization', ['Bearer one', 'Bearer two']],
  ['authorization', `Bearer ${'x'.repeat(5000)}`],
];
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH'];

const wholeNumbers: readonly number[] = [
  0,
  1,
  2,
  3,
  1000,
  86_400_000,
  604_800_000,
  1_000_000,
  2 ** 31 - 1,
  2 ** 53 - 1,
  -1,
  -(2 ** 53) + 1,
];
const texts: readonly string[] = [
  'a',
  'x-1',
  'a'.repeat(96),
  'Ünï 😀',
  'a.b',
  'b/c.txt',
  '0',
  '18446744073709551615',
  `sha256:${'0'.repeat(64)}`,
  'x'.repeat(200),
];
/** Another value of the same kind, which may well be taken. */
function kindred(value: unknown, pick: number): unknown {
  if (typeof value === 'number') return oneOf(wholeNumbers, pick);
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return oneOf([[], [...value, ...value], [...value].reverse()], pick);
  if (typeof value !== 'string') return value;
  const id = /^([a-z]+)_[0-9a-z]{12,32}$/.exec(value);
  return id === null ? oneOf(texts, pick) : oneOf([`${id[1]}_${'0'.repeat(12)}`, value.slice(0, -1), `${id[1]}_${'f'.repeat(32)}`], pick);
}

const strikes = {
  another: (draft, { at, pick }) => {
    const place = placeOf(draft, at);
    place.put(kindred(place.value, pick));
  },
  dropMember: (draft, { at }) => placeOf(draft, at).drop(),
  retype: (draft, { at, pick }) => placeOf(draft, at).put(structuredClone(oneOf(otherTypes, pick))),
  boundary: (draft, { at, pick }) => placeOf(draft, at).put(structuredClone(oneOf(boundaries, pick))),
  wrap: (draft, { at, pick }) => {
    const place = placeOf(draft, at);
    place.put(pick % 2 === 0 ? [place.value] : { value: place.value });
  },
  addMember: (draft, { at, pick }) => {
    const holders = placesOf(draft).filter(({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value));
    if (holders.length === 0) return;
    const value = at % 2 === 0 ? 1 : { admin: true };
    Object.defineProperty(oneOf(holders, at).value, oneOf(extras, pick), { value, enumerable: true, configurable: true, writable: true });
  },
  raw: (draft, { at, pick }) => {
    placeOf(draft, at).put('@raw');
    draft.text = (JSON.stringify(draft.value) ?? '').replace('"@raw"', () => oneOf(rawJson, pick));
  },
  duplicateKey: (draft, { pick }) => {
    const text = JSON.stringify(draft.value) ?? '';
    const first = /"(\w+)":/.exec(text)?.[1];
    if (first !== undefined) draft.text = text.replace('{', `{"${first}":${oneOf(['null', '1', '"x"', '{}'], pick)},`);
  },
  truncate: (draft, { at }) => {
    const text = draft.text ?? JSON.stringify(draft.value) ?? '';
    draft.text = text.slice(0, at % (text.length + 1));
  },
  badBytes: (draft, { at, pick }) => {
    const text = Buffer.from(draft.text ?? JSON.stringify(draft.value) ?? '');
    const bad = oneOf(
      [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xc0, 0xaf], [0xef, 0xbb, 0xbf], [0xfe, 0xff, 0, 0x7b]],
      pick,
    );
    const place = at % 2 === 0 ? at % (text.length + 1) : 0;
    draft.bytes = Buffer.concat([text.subarray(0, place), Buffer.from(bad), text.subarray(place)]);
  },
  hugeBody: (draft, { pick }) => {
    const text = JSON.stringify(draft.value) ?? '{}';
    draft.text = text + ' '.repeat(oneOf([1024, 1024 * 1024 - text.length, 1024 * 1024 + 1, 3 * 1024 * 1024], pick));
  },
  path: (draft, { at, pick }) => {
    draft.path = oneOf(pathTricks, pick)(draft.path, at);
  },
  query: (draft, { at, pick }) => oneOf(queryTricks, pick)(draft.query, at),
  idempotencyKey: (draft, { pick }) => header(draft, 'idempotency-key', oneOf(keys, pick)),
  contentType: (draft, { pick }) => header(draft, 'content-type', oneOf(types, pick)),
  header: (draft, { pick }) => header(draft, ...oneOf(otherHeaders, pick)),
  method: (draft, { pick }) => {
    draft.method = oneOf(methods, pick);
  },
} as const satisfies { [kind: string]: Strike };
const kinds = Object.keys(strikes) as (keyof typeof strikes)[];

function header(draft: Draft, name: string, value: string | string[] | undefined): void {
  if (value === undefined) delete draft.headers[name];
  else draft.headers[name] = value;
}

/** Values count more than their envelopes. */
const weights: { readonly [kind: string]: number } = { another: 10, boundary: 6, raw: 3, retype: 3, dropMember: 3, path: 3, query: 2 };
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.oneof(...kinds.map((kind) => ({ arbitrary: fc.constant(kind), weight: weights[kind] ?? 1 }))),
  at: fc.nat(1000),
  pick: fc.nat(1000),
});

export function mutated(draft: Draft, mutations: readonly Mutation[]): Draft {
  const copy = structuredClone(draft);
  for (const one of mutations) (strikes[one.kind] as Strike)(copy, one);
  return copy;
}

export function written({ method, path, query, headers, value, text, bytes }: Draft): Sent {
  const asked = query.map(([name, given]) => `${encodeURIComponent(name)}=${encodeURIComponent(given)}`).join('&');
  const body = bytes ?? text ?? (value === undefined ? undefined : JSON.stringify(value));
  return { method, target: asked === '' ? path : `${path}?${asked}`, headers, ...(body === undefined ? {} : { body }) };
}
