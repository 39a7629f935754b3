// What a host answers to a wire request, or sends as a callback, is held to the rules of codecs again: tool code may have taken its process
// over.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { worldAnswerFits } from '../../src/contract/validate/answer-validators.js';
import type { DeliveryRequest } from '../../src/contract/world/delivery-request.js';

const body = { kind: 'text', text: 'x', contentType: 'text/plain' };
const minted = 'a'.repeat(16);
const sound = { headers: { 'x-a': 'b' }, body, tokens: [minted] };
const places = 'http://base-url.drillyard.invalid '.repeat(limits.baseUrlPlacesMax + 1);

function answers(status: unknown, message: unknown): [kind: string, answer: unknown][] {
  return [
    ['callRoute', { kind: 'answered_each', calls: [], status, message }],
    ['refuseRequest', { kind: 'worded', status, message }],
  ];
}
function fits(status: unknown, message: unknown): boolean[] {
  return answers(status, message).map(([kind, answer]) => worldAnswerFits({ kind }, answer, 'reply'));
}

test('what an honest host sends fits', () => {
  const bytes = { kind: 'bytes', base64: 'A'.repeat(4 * Math.floor(limits.blobReplyBytesMax / 3)), contentType: 'x/y' };
  for (const message of [sound, { headers: {}, body: { kind: 'empty' } }, { ...sound, body: bytes }])
    for (const status of [200, 404, 599]) assert.deepEqual(fits(status, message), [true, true]);
  assert.ok(worldAnswerFits({ kind: 'callRoute' }, { kind: 'not_encoded', reason: 'x' }, 'reply'));
  assert.ok(worldAnswerFits({ kind: 'refuseRequest' }, { kind: 'not_worded', reason: 'x' }, 'reply'));
});

test('a status that no reply has does not fit', () => {
  for (const status of [0, 99, 100, 101, 199, 600, 200.5, -1, 1e9, Number.NaN])
    assert.deepEqual(fits(status, sound), [false, false], `${status}`);
});

const forged: { [what: string]: object } = {
  'a value of two lines': { headers: { 'x-a': 'b\r\nset-cookie: c=d' } },
  'a value that is not ASCII': { headers: { 'x-a': 'é' } },
  'a name of two lines': { headers: { 'x-a: b\r\nx-c': 'd' } },
  'no name': { headers: { '': 'b' } },
  'a name in upper case': { headers: { 'X-A': 'b' } },
  'a name that is no header of its own': { headers: JSON.parse('{"__proto__":"b"}') },
  'a length': { headers: { 'content-length': '0' } },
  'a cookie': { headers: { 'set-cookie': 'a=b' } },
  'a header between nodes': { headers: { 'drillyard-not-owner': '1' } },
  'a place of a script': { headers: { location: 'javascript:alert(1)' } },
  'too many headers': { headers: Object.fromEntries(Array.from({ length: limits.encodedHeadersMax + 1 }, (_, at) => [`x-${at}`, ''])) },
  'too large headers': { headers: { 'x-a': 'b'.repeat(limits.headerBytesMax) } },
  'a content type of two lines': { body: { ...body, contentType: 'text/plain\r\nx-a: b' } },
  'a token that is a pattern': { tokens: ['(a+)+$'] },
  'an empty token': { tokens: [''] },
  'too many tokens': { tokens: Array.from({ length: limits.sealedTokensMax + 1 }, () => minted) },
  'too large a text': { body: { ...body, text: 'x'.repeat(limits.encodedBodyBytesMax + 1) } },
  'too many bytes': { body: { kind: 'bytes', base64: 'A'.repeat(2 * limits.blobReplyBytesMax), contentType: 'x/y' } },
  'too many events': { body: { kind: 'events', texts: Array.from({ length: limits.encodedEventsMax + 1 }, () => '') } },
  'too many base URLs': { body: { ...body, text: places } },
};
for (const [what, part] of Object.entries(forged))
  test(`a message with ${what} does not fit`, () => {
    assert.deepEqual(fits(200, { ...sound, ...part }), [false, false]);
  });

const delivery: DeliveryRequest = {
  deliveryId: 'delivery_1',
  receiverId: 'hook',
  attempt: 1,
  method: 'POST',
  path: '/in?a=b',
  headers: { 'content-type': 'text/plain', 'delivery-id': 'delivery_1' },
  bodyBase64: 'AAAA',
  signature: { kind: 'none' },
  timeoutMs: 1_000,
};
function deliveryFits(part: object): boolean {
  return worldAnswerFits({ kind: 'startDelivery', receivers: ['hook'] }, { request: { ...delivery, ...part } }, 'reply');
}

test('a callback that an honest host sends fits, and none does', () => {
  const headers = Object.fromEntries(Array.from({ length: limits.encodedHeadersMax }, (_, at) => [`x-${at}`, 'a']));
  const bodyBase64 = Buffer.alloc(limits.callbackBodyBytesMax).toString('base64');
  for (const part of [{}, { headers: { ...headers, ...delivery.headers } }, { bodyBase64 }]) assert.ok(deliveryFits(part));
  assert.ok(worldAnswerFits({ kind: 'startDelivery', receivers: [] }, {}, 'reply'));
});

const forgedDeliveries: { [what: string]: object } = {
  'a receiver that was not named': { receiverId: 'other' },
  'a value of two lines': { headers: { 'x-a': 'b\r\nx-c: d' } },
  'a host of its own': { headers: { host: 'other.example' } },
  'another length': { headers: { 'content-length': '0' } },
  'a blank in its path': { path: '/a b' },
  'a path of another server': { path: '@other.example/' },
  'no end of time': { timeoutMs: 1e12 },
  'too large a body': { bodyBase64: Buffer.alloc(limits.callbackBodyBytesMax + 1).toString('base64') },
};
for (const [what, part] of Object.entries(forgedDeliveries))
  test(`a callback with ${what} does not fit`, () => {
    assert.equal(deliveryFits(part), false);
  });
