// Laws of what decode is given: lists as they were sent, and never the credential.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CredentialRequest, credentialsIn, withoutCredential } from '../../src/bindings/wire-credential.js';
import { limits } from '../../src/contract/limits.js';
import type { RouteAuth } from '../../src/contract/world/tool-manifest.js';
import { HeaderMap } from '../../src/http/header-map.js';
import { parseLists } from '../../src/http/query.js';
import type { ServerRequest } from '../../src/http/server.js';
import fc from '../fast-check.js';

const token = 'b64url-token_of-256-bits';
const wellFormed = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed());

test('lists are what a URLSearchParams of any client meant', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(wellFormed, wellFormed)), (pairs) => {
      const grouped = new Map<string, string[]>();
      for (const [name, value] of pairs) grouped.set(name, [...(grouped.get(name) ?? []), value]);
      const lists = parseLists(new URLSearchParams(pairs).toString()) ?? assert.fail();
      assert.deepEqual(new Map(Object.entries(lists)), grouped);
    }),
  );
  assert.equal(parseLists('a=%ff'), undefined);
});

const name = fc.constantFrom('authorization', 'x-api-key', 'x-other', 'cookie', 'connection', '__proto__');
const value = fc.oneof(wellFormed, fc.constantFrom(token, `Bearer ${token}`, `key=${token}; a=b`));
const auths: RouteAuth[] = [
  { kind: 'bearer' },
  { kind: 'bearer', schemes: ['token'] },
  { kind: 'basic' },
  { kind: 'header', name: 'X-Api-Key' },
  { kind: 'query', name: 'x-api-key' },
  { kind: 'cookie', name: 'key' },
  { kind: 'sigv4' },
  { kind: 'none' },
];

// WIRE-ROUTES-3
test('wherever a client has put the token, decode sees it nowhere, and of the rest it sees all', () => {
  const fields = fc.array(fc.tuple(name, value), { maxLength: 12 });
  fc.assert(
    fc.property(fc.constantFrom(...auths), fields, fields, (auth, headers, parameters) => {
      const map = new HeaderMap();
      for (const [key, text] of headers) map.add(key, text);
      const request = {
        headers: map.joined,
        repeatedHeaders: map.repeated,
        query: new URLSearchParams(parameters).toString(),
      } as unknown as ServerRequest;
      const query = parseLists(new URLSearchParams(parameters).toString()) ?? assert.fail();
      const seen = withoutCredential({ auths: [auth], secrets: [token] }, request, query);
      assert.ok(!JSON.stringify([Object.entries(seen.headers), Object.entries(seen.query)]).includes(token));
      const harmless = headers.filter(([key, text]) => key === 'x-other' && !text.includes(token)).map(([, text]) => text);
      assert.deepEqual(seen.headers['x-other'] ?? [], harmless);
      for (const found of credentialsIn(auth, request, { query })) assert.equal(typeof found, 'string');
    }),
  );
});

test('what a client says of its traces is chance, so decode does not see it', () => {
  const headers = new Map(
    Object.entries({ traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, tracestate: 'a=b', baggage: 'c=d', 'x-other': 'e' }),
  );
  const seen = withoutCredential(
    { auths: [{ kind: 'bearer' }], secrets: [token] },
    { headers, repeatedHeaders: new Map() } as unknown as ServerRequest,
    {},
  );
  assert.deepEqual({ ...seen.headers }, { 'x-other': ['e'] });
});

const cookieRequest = (...lines: string[]): ServerRequest => {
  const map = new HeaderMap();
  for (const line of lines) map.add('cookie', line);
  return { headers: map.joined, repeatedHeaders: map.repeated, query: '' } as unknown as ServerRequest;
};

test('cookies are what a pattern would find in them', () => {
  const byPattern = (line: string, wanted: string): string[] =>
    line.split(';').flatMap((pair) => {
      const [, name, quoted, plain] = /^\s*([^=\s]+)=(?:"([^"]*)"|(.*?))\s*$/.exec(pair) ?? [];
      return name === wanted ? [quoted ?? plain ?? ''] : [];
    });
  const line = fc.string({ unit: fc.constantFrom('a', 'b', '=', '"', ' ', '\t', ';', '~'), maxLength: 24 });
  fc.assert(
    fc.property(line, fc.constantFrom('a', 'b', 'ab', '"'), (text, wanted) => {
      assert.deepEqual(credentialsIn({ kind: 'cookie', name: wanted }, cookieRequest(text), { query: {} }), byPattern(text, wanted));
    }),
    { numRuns: 5000 },
  );
  assert.deepEqual(credentialsIn({ kind: 'cookie', name: 'a' }, cookieRequest('a=1; b=2', 'a="3"; a=4'), { query: {} }), ['1', '3', '4']);
});

test('a cookie takes as many steps as it has characters', () => {
  const blanks = ' '.repeat(limits.headerBytesMax);
  for (let times = 0; times < 2000; times++) {
    // Each its own request: nothing of an earlier one is known.
    assert.deepEqual(credentialsIn({ kind: 'cookie', name: 'a' }, cookieRequest(`a=${blanks}b`), { query: {} }), [`${blanks}b`]);
    assert.deepEqual(credentialsIn({ kind: 'cookie', name: 'a' }, cookieRequest(`a="${blanks}"b${blanks}`), { query: {} }), [
      `"${blanks}"b`,
    ]);
  }
});

test('cookies and a password are read once a request, however many routes want them', () => {
  class Counted extends Map<string, string> {
    reads = 0;
    override get(name: string): string | undefined {
      if (name === wanted) this.reads += 1;
      return super.get(name);
    }
  }
  let wanted = '';
  const readsOf = (name: string, value: string, authOf: (place: number) => RouteAuth): number => {
    wanted = name;
    const headers = new Counted([[name, value]]);
    const request: CredentialRequest = { headers, repeatedHeaders: new Map(), query: '' };
    for (let place = 0; place < 100; place++)
      assert.deepEqual(credentialsIn(authOf(place), request, { query: {} }), place === 7 ? ['x'] : []);
    return headers.reads;
  };
  assert.equal(
    readsOf('cookie', 'n7="x"', (place) => ({ kind: 'cookie', name: `n${place}` })),
    1,
  );
  const password = `Basic ${Buffer.from('n7:x').toString('base64')}`;
  assert.equal(
    readsOf('authorization', password, (place) => ({ kind: 'basic', username: `n${place}` })),
    1,
  );
});
