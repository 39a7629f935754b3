// Laws of what decode is given: lists as they were sent, and never the credential.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialsIn, withoutCredential } from '../../src/bindings/wire-credential.js';
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
      const seen = withoutCredential({ auth, secrets: [token] }, request, query);
      assert.ok(!JSON.stringify([Object.entries(seen.headers), Object.entries(seen.query)]).includes(token));
      const harmless = headers.filter(([key, text]) => key === 'x-other' && !text.includes(token)).map(([, text]) => text);
      assert.deepEqual(seen.headers['x-other'] ?? [], harmless);
      for (const found of credentialsIn(auth, request, query)) assert.equal(typeof found, 'string');
    }),
  );
});

test('what a client says of its traces is chance, so decode does not see it', () => {
  const headers = new Map(
    Object.entries({ traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, tracestate: 'a=b', baggage: 'c=d', 'x-other': 'e' }),
  );
  const seen = withoutCredential(
    { auth: { kind: 'bearer' }, secrets: [token] },
    { headers, repeatedHeaders: new Map() } as unknown as ServerRequest,
    {},
  );
  assert.deepEqual({ ...seen.headers }, { 'x-other': ['e'] });
});
