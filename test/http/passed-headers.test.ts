// Which header fields pass a node, for any that a client or an owner may send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeaderMap } from '../../src/http/header-map.js';
import { nodeHeaders } from '../../src/http/node-token.js';
import { passedReplyHeaders, passedRequestHeaders } from '../../src/http/passed-headers.js';
import fc from '../fast-check.js';

/** RFC 9110 7.6.1, and what each sender writes itself. */
const ofConnection = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];
const ofSender = [...ofConnection, 'content-length', 'expect', nodeHeaders.token, nodeHeaders.client, nodeHeaders.format];
const endToEnd = ['accept', 'authorization', 'cookie', 'x-a', 'x-b', 'idempotency-key', 'traceparent'];
const names = fc.constantFrom(...endToEnd, ...ofSender.filter((name) => name !== 'connection'));
const lines = fc.array(fc.tuple(names, fc.stringMatching(/^[!-~]{0,12}$/)), { maxLength: 12 });
const named = fc.array(fc.constantFrom('close', 'keep-alive', 'Host', 'X-A', 'x-b', 'cookie', ''), { maxLength: 3 });
const inTurns = (pairs: readonly (readonly [string, string])[]): string[] => pairs.flat();
const sorted = (pairs: readonly (readonly [string, string])[]): string[] => pairs.map((pair) => pair.join(': ')).sort();

test('what is of the ends passes line by line as it came, what is of the connection does not, and Host stays', () => {
  fc.assert(
    fc.property(lines, named, (sent, options) => {
      const map = new HeaderMap();
      map.add('host', 'a.example:81');
      if (options.length > 0) map.add('connection', options.join(', '));
      for (const [name, value] of sent) map.add(name, value);
      const passed = passedRequestHeaders({ headers: map.joined, repeatedHeaders: map.repeated });
      const has = Array.from({ length: passed.length / 2 }, (_, place) => [passed[place * 2], passed[place * 2 + 1]] as [string, string]);
      const gone = new Set([...ofSender, ...options.map((name) => name.toLowerCase())]);
      const expected = sent.filter(([name]) => !gone.has(name));
      assert.deepEqual(sorted(has), sorted([['host', 'a.example:81'], ...expected]));
      // Of one name the order is that of the client.
      for (const name of endToEnd)
        assert.deepEqual(
          has.filter(([other]) => other === name),
          expected.filter(([other]) => other === name),
        );
    }),
  );
});

test('of a reply what is of the ends passes, whatever the case of its name, and what an owner says to a node does not', () => {
  fc.assert(
    fc.property(lines, named, (sent, options) => {
      const raw: [string, string][] = [...sent, ['Connection', options.join(', ')], [nodeHeaders.notOwner, '1'], ['ETag', '"1"']];
      const passed = passedReplyHeaders(inTurns(raw));
      const gone = new Set([...ofConnection, 'content-length', nodeHeaders.notOwner, ...options.map((name) => name.toLowerCase())]);
      const expected: { [name: string]: string } = {};
      for (const [name, value] of [...sent, ['etag', '"1"']] as [string, string][])
        if (!gone.has(name)) expected[name] = expected[name] === undefined ? value : `${expected[name]}, ${value}`;
      assert.deepEqual(passed, expected);
    }),
  );
});
