import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { builtinModules } from 'node:module';
import { test } from 'node:test';
import { addedNames, ambientNames, deniedNames } from '../../src/tools/ambient.js';
import fc from '../fast-check.js';
import { evaluate, probe, resultOf } from './tool-fixture.js';

function thrown(expression: string): string {
  const result = evaluate(expression);
  assert.equal(result.kind, 'thrown', `${expression} gave ${JSON.stringify(result)}`);
  return result.kind === 'thrown' ? result.detail : '';
}
const resultIn = (expression: string): unknown => resultOf(evaluate(expression));

test('every global of this Node is there, or its absence has words', () => {
  const known = new Set<string>([...ambientNames, ...addedNames, ...Object.keys(deniedNames), 'Date', 'globalThis', 'undefined']);
  const command = 'process.stdout.write(JSON.stringify(Object.getOwnPropertyNames(globalThis)))';
  // `-e` adds the modules of Node as names.
  const names = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', command], { encoding: 'utf8' })) as string[];
  const modules = new Set(builtinModules);
  assert.deepEqual(
    names.filter((name) => !known.has(name) && !modules.has(name)),
    [],
  );
});

// REALM-DATE-1
test('a date without a time is refused, however it is asked for', () => {
  for (const expression of [
    'new Date()',
    'Date()',
    'Date.now()',
    'new Date(...[])',
    'new (class extends Date {})()',
    'Reflect.construct(Date, [])',
  ])
    assert.match(
      thrown(expression),
      /^Error: (?:new )?Date(?:\(\)|\.now) is not available to tool behavior.*context\.clock\.nowUs/,
      expression,
    );
});

const dateExpressions = [
  'new Date(0).toString()',
  'new Date(2024, 0, 31, 12).toISOString()',
  'new Date("2024-02-30T10:00:00.123456+02:30").toISOString()',
  'new Date("2024-03-10T02:30").toISOString()',
  'new Date(1700000000000).getHours()',
  'new Date(1700000000000).getTimezoneOffset()',
  'new Date(99, 1).getFullYear()',
  '(() => { const d = new Date(0); d.setMonth(13); d.setHours(25, 61); return d.toISOString(); })()',
  'new Date(1e15).toTimeString() + new Date(-1e14).toDateString()',
  'new Date("+010000-01-01T24:00:00Z").toUTCString()',
  'String(new Date(NaN)) + new Date("x").getTime() + "" + (new Date(5) - 1)',
  'Date.parse(new Date(86399000).toUTCString()) + Date.parse(new Date(86399000).toString())',
  'Date.parse("0050-01-02") + Date.UTC(2020, 1)',
  'new Date(new Date(7)).valueOf() + new Date({ valueOf: () => 9 }).getTime() + new Date(true).getTime()',
  'JSON.stringify({ at: new Date("2024") })',
  'Object.prototype.toString.call(new Date(1)) + (new Date(1) instanceof Date) + Date.length + Date.name',
  'new (class Day extends Date { day() { return this.getDay(); } })(0).day()',
  '["2024-13-01", "2024-01-32", "2024-01-01T25:00Z", "2024-1-1", "Mar 7 2024", "2024-01-01 10:00", "-000000-01-01"].map((text) => String(Date.parse(text)))',
];

// REALM-DATE-2
test('dates are the same in every time zone, and what a Node in UTC says', () => {
  const inUtc = execFileSync(process.execPath, ['-p', `JSON.stringify([${dateExpressions.slice(0, -1).join(',')}])`], {
    env: { ...process.env, TZ: 'UTC' },
    encoding: 'utf8',
  });
  const script = `import { evaluate } from ${JSON.stringify(new URL('./tool-fixture.js', import.meta.url).href)};
    console.log(JSON.stringify(evaluate(${JSON.stringify(`[${dateExpressions.join(',')}]`)}).value));`;
  const answers = ['UTC', 'America/New_York', 'Asia/Kathmandu'].map((TZ) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, TZ }, encoding: 'utf8' }),
  );
  assert.equal(new Set(answers).size, 1);
  const [first = ''] = answers;
  const values = JSON.parse(first) as unknown[];
  assert.deepEqual(values.at(-1), Array(7).fill('NaN'));
  assert.deepEqual(values.slice(0, -1), JSON.parse(inUtc));
});

test('a date knows no locale', () => {
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])
    assert.match(thrown(`new Date(0).${name}()`), new RegExp(`^Error: Date.prototype.${name} is not available`));
});

const urlParts = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
interface Described {
  [part: string]: string;
}
/** A function in text, so that host and realm run the same. */
const describeUrl = `(text, base) => {
  try {
    const url = new URL(text, base);
    return { ...Object.fromEntries(${JSON.stringify(urlParts)}.map((part) => [part, url[part]])), params: [...url.searchParams].join('|') };
  } catch (error) { return { error: error.name + ' ' + error.code }; }
}`;
const onHost = (text: string): unknown => new Function(`return ${text}`)();

const urlPieces = [
  ...[
    'http:',
    'https://',
    'HTTP://',
    'ftp://',
    'file://',
    'file:',
    'mailto:',
    'data:',
    'blob:https://a.b/',
    'ws:/',
    'git+ssh://',
    'a-b.c:',
  ],
  ...[
    '//',
    '/',
    '\\',
    '.',
    '..',
    '/./',
    '/../',
    '%2e',
    '%2E%2e/',
    '/%2e.',
    '?',
    '#',
    '?a=1&b=%20+&a',
    '#frag ment',
    '@',
    ':',
    'u:p@',
    'u%40:@',
  ],
  ...[
    'example.com',
    'EXAMPLE',
    'localhost',
    '127.1',
    '0x7f.1',
    '0377.0.0.1',
    '256.1.1.1',
    '1.2.3.4.5',
    '[::1]',
    '[1:2::3.4.5.6]',
    '[::',
    '[1::2::3]',
  ],
  ...[
    '[2001:DB8:0:0:1:0:0:1]',
    ':80',
    ':443',
    ':21',
    ':0',
    ':65536',
    ':8a',
    'C:',
    'C|',
    '/c:/x',
    '/D|/',
    '%',
    '%41',
    '%zz',
    ' ',
    '\t',
    '\n',
    '"',
    '<>',
  ],
  ...[
    '`',
    '{}',
    '|',
    "'",
    'é',
    '\u{1f600}',
    'a b',
    '*',
    '~',
    '!',
    '$&',
    '(),;=',
    'x_y',
    '-',
    '0',
    '4294967295',
    '4294967296',
    'a..b',
    '.a.',
  ],
];
/** Of the standard, what newer hosts do otherwise than older ones; and host names beyond ASCII. */
const isSettled = (text: string): boolean => !/\^| [?#]| $|xn--/.test(text);

/** Node 20 keeps dots behind a `|`, and loses the root of a URL of another scheme where dots lead up to it. */
const isMistaken = (text: string, base: string | null): boolean =>
  /\|.*\/\.\//.test(text) || (/\.|%2e/i.test(text) && /(?:foo|ssh|c|data|mailto|b\/):|blob/.test(`${base} ${text}`));
/** Below such a base nothing but a fragment is a URL; Node 20 takes what ends in one. */
const isOpaque = (base: string | null): boolean => /^(?:mailto|data):/.test(base ?? '');

test('a URL is what the URL of Node is', () => {
  const hostSays = onHost(describeUrl) as (text: string, base?: string) => Described;
  const { run } = probe(`({ text, base }) => (${describeUrl})(text, base ?? undefined)`);
  let compared = 0;
  const compare = (text: string, base: string | null): void => {
    if (!isSettled(text) || (isOpaque(base) && text.lastIndexOf('#') > 0) || isMistaken(text, base)) return;
    const ours = run({ text, base });
    if (ours.kind === 'value' && (ours.value as Described).error === 'TypeError undefined' && /[^\0-\x7f]|%/.test(text + base)) return;
    compared++;
    assert.deepEqual(resultOf(ours), hostSays(text, base ?? undefined), `${JSON.stringify(text)} on ${JSON.stringify(base)}`);
  };
  const text = fc.array(fc.constantFrom(...urlPieces), { maxLength: 7 }).map((pieces) => pieces.join(''));
  const bases = [
    'http://u:p@host:8080/a/b/c?q#f',
    'file:///C:/dir/x',
    'file://server/share',
    'mailto:a@b',
    'foo://h/p/q',
    'foo:/a//b',
    'data:x',
  ];
  fc.assert(
    fc.property(text, fc.option(fc.constantFrom(...bases)), (input, base) => compare(input, base)),
    { numRuns: 4000 },
  );
  assert.ok(compared > 1000);
});

test('the setters of a URL do what the standard says', () => {
  const start = 'http://u:p@host:8080/a/b?q#f';
  const cases: [start: string, part: string, value: string, href: string][] = [
    [start, 'protocol', 'https', 'https://u:p@host:8080/a/b?q#f'],
    [start, 'protocol', 'mailto', start],
    ['http://host:443/', 'protocol', 'https:', 'https://host/'],
    [start, 'username', 'a b@', 'http://a%20b%40:p@host:8080/a/b?q#f'],
    [start, 'password', '', 'http://u@host:8080/a/b?q#f'],
    [start, 'host', 'other:81', 'http://u:p@other:81/a/b?q#f'],
    [start, 'host', '', start],
    [start, 'hostname', '0x7f.1', 'http://u:p@127.0.0.1:8080/a/b?q#f'],
    [start, 'hostname', 'x:9', start],
    [start, 'port', '80', 'http://u:p@host/a/b?q#f'],
    [start, 'port', '90x', 'http://u:p@host:90/a/b?q#f'],
    [start, 'port', '65536', start],
    [start, 'port', '', 'http://u:p@host/a/b?q#f'],
    [start, 'pathname', '../x y?', 'http://u:p@host:8080/x%20y%3F?q#f'],
    [start, 'search', "a='b", 'http://u:p@host:8080/a/b?a=%27b#f'],
    [start, 'search', '', 'http://u:p@host:8080/a/b#f'],
    [start, 'hash', '#<x>', 'http://u:p@host:8080/a/b?q#%3Cx%3E'],
    ['file:///C:/x', 'host', 'server', 'file://server/C:/x'],
    ['file:///C:/x', 'port', '1', 'file:///C:/x'],
    ['mailto:a@b', 'pathname', 'c', 'mailto:a@b'],
    ['mailto:a@b', 'host', 'c', 'mailto:a@b'],
    ['foo://h', 'pathname', 'p', 'foo://h/p'],
  ];
  for (const [url, part, value, href] of cases)
    assert.equal(
      resultIn(`(() => { const url = new URL(${JSON.stringify(url)}); url.${part} = ${JSON.stringify(value)}; return url.href; })()`),
      href,
      `${part} = '${value}' of ${url}`,
    );
});

test('parameters of a query are those of Node', () => {
  const expressions = [
    '(() => { const p = new URLSearchParams("?a=1&b=2&a=%C3%A9+x&=&c"); p.append("d", "ü&=+ \'~*"); p.set("a", 3); p.delete("b"); p.sort(); return p.toString() + p.size + p.has("a", "3") + p.has("a", "4"); })()',
    '[...new URLSearchParams({ x: 1, y: "a b" })].concat([...new URLSearchParams([["q", "1"], ["q", "2"]]).getAll("q")])',
    'String(new URLSearchParams(new Map([["a", "%zz"]]))) + new URLSearchParams("a=%zz&b=%").get("a")',
    '(() => { const u = new URL("https://h/?a=1#x"); u.searchParams.append("b", "2 3"); u.search = "?z=9"; return [u.href, [...u.searchParams.keys()], [...u.searchParams.values()]]; })()',
    '(() => { const seen = []; new URLSearchParams("a=1&b=2").forEach((value, name) => seen.push(name + value)); return seen; })()',
  ];
  for (const expression of expressions) assert.deepEqual(resultIn(expression), onHost(expression), expression);
});

test('a host name beyond ASCII is refused by name, and never taken for no URL', () => {
  for (const use of ['new URL("https://münchen.de")', 'URL.canParse("https://m%C3%BCnchen.de")'])
    assert.match(thrown(use), /^TypeError: a host name of a URL is ASCII in tool behavior; write 'münchen\.de' in its form with xn--/);
  assert.equal(resultIn('URL.canParse("https://xn--mnchen-3ya.de") && !URL.canParse("nothing")'), true);
});

test('bytes and text, and base64, are those of Node', () => {
  const { run } = probe(`({ bytes, text }) => {
    const array = new Uint8Array(bytes);
    const read = (decode) => { try { return decode(); } catch (error) { return error.name; } };
    const pieces = new TextDecoder();
    return {
      text: new TextDecoder().decode(array), fatal: read(() => new TextDecoder('utf8', { fatal: true }).decode(array)),
      kept: new TextDecoder('utf-8', { ignoreBOM: true }).decode(array.buffer),
      pieces: bytes.map((byte) => pieces.decode(new Uint8Array([byte]), { stream: true })).join('') + pieces.decode(),
      encoded: [...new TextEncoder().encode(text)], into: new TextEncoder().encodeInto(text, new Uint8Array(5)),
      coded: read(() => btoa(text)), decoded: read(() => atob(text)), back: atob(btoa(String.fromCharCode(...bytes))),
    };
  }`);
  const named = (work: () => string): string => {
    try {
      return work();
    } catch (error) {
      return (error as Error).name;
    }
  };
  const bytes = fc.array(fc.oneof(fc.constantFrom(0xef, 0xbb, 0xbf, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0), fc.nat(255)), {
    maxLength: 12,
  });
  const text = fc.oneof(fc.string(), fc.constantFrom('é€\u{1f600}', 'YQ==', 'YQ', 'Y Q =', 'Y', '====', 'YWJj\n', 'ab=c', '\u{1f600}abc'));
  fc.assert(
    fc.property(bytes, text, (list, words) => {
      const array = new Uint8Array(list);
      assert.deepEqual(resultOf(run({ bytes: list, text: words })), {
        text: new TextDecoder().decode(array),
        fatal: named(() => new TextDecoder('utf8', { fatal: true }).decode(array)),
        kept: new TextDecoder('utf-8', { ignoreBOM: true }).decode(array),
        pieces: new TextDecoder().decode(array),
        encoded: [...new TextEncoder().encode(words)],
        into: new TextEncoder().encodeInto(words, new Uint8Array(5)),
        coded: named(() => btoa(words)),
        decoded: named(() => atob(words)),
        back: String.fromCharCode(...list),
      });
    }),
    { numRuns: 500 },
  );
  assert.match(thrown('new TextDecoder("latin1")'), /^RangeError: TextDecoder of tool behavior reads utf-8/);
});

test('structuredClone copies data, and says what it cannot', () => {
  const copies = `(() => {
    const value = { date: new Date(5), list: [1, , 3], map: new Map([[{ k: 1 }, new Set([1])]]), text: /a/gi, bytes: new Uint8Array([1, 2, 3]).subarray(1), big: 5n, none: undefined };
    value.self = value;
    const copy = structuredClone(value);
    const error = structuredClone(new RangeError('r', { cause: { a: 1 } }));
    return [copy !== value, copy.self === copy, copy.date.toISOString(), copy.date !== value.date, 1 in copy.list, copy.list.length, [...copy.map.keys()][0].k,
      [...copy.map.values()][0].has(1), String(copy.text), [...copy.bytes], copy.bytes.byteOffset, String(copy.big), 'none' in copy, error.name, error.message, error.cause.a,
      error instanceof RangeError];
  })()`;
  assert.deepEqual(resultIn(copies), onHost(copies));
  for (const value of ['() => 1', '{ a: Symbol() }', 'new WeakMap()', '[new URL("http://a")]', 'Object(Symbol())'])
    assert.match(thrown(`structuredClone(${value.startsWith('{') ? `(${value})` : value})`), /^DataCloneError: .* could not be cloned\.$/);
  assert.match(thrown('structuredClone(new ArrayBuffer(1), { transfer: [1] })'), /^DataCloneError/);
});

// REALM-LOCKDOWN-1
test('nothing of them can be changed for another world', () => {
  const { run } = probe(`() => {
    const kinds = [Date, URL, URLSearchParams, TextEncoder, TextDecoder];
    const tries = kinds.flatMap((kind) => [
      () => { kind.shared = 1; }, () => { kind.prototype.shared = 1; }, () => { kind.prototype.toString = () => 'x'; }, () => { kind.prototype.constructor.shared = 1; },
    ]);
    tries.push(() => { atob.x = 1; }, () => { structuredClone.x = 1; }, () => { globalThis.URL = 1; }, () => { Date.parse.x = 1; }, () => { Date.prototype.getHours.x = 1; },
      () => { Object.getPrototypeOf(new URLSearchParams('a').entries()).shared = 1; });
    return tries.map((attempt) => { try { attempt(); return 'changed'; } catch (error) { return error instanceof TypeError; } });
  }`);
  assert.deepEqual(new Set(resultOf(run()) as unknown[]), new Set([true]));
});
