// What codecs give is bounded before it is copied out of the realm.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { loadTool } from '../../src/tools/load.js';
import { compiledOf, manifestOf } from './tool-fixture.js';

const body = `
function made(kind, size) {
  if (kind === 'text') return { kind: kind, value: 'x'.repeat(size) };
  if (kind === 'escaped') return { kind: 'text', value: String.fromCharCode(1).repeat(size) };
  if (kind === 'json') return { kind: kind, value: 'x'.repeat(size - 2) };
  var bytes = new Uint8Array(size);
  if (kind === 'liar') Object.defineProperty(bytes, 'byteLength', { value: 1 });
  return { kind: 'bytes', value: bytes, contentType: 'application/octet-stream' };
}
var behavior = { default: {
  operations: { ask: function () { return null; } },
  http: { ask: {
    decode: function (request) { return { arguments: 'x'.repeat(request.size) }; },
    encode: function (input) { return { body: made(input.kind, input.size), headers: input.given || (input.headers ? { x: 'x'.repeat(input.headers) } : {}) }; }
  } }
} };`;
const route = { id: 'ask', operationId: 'ask', method: 'POST', path: '/ask', auth: { kind: 'none' }, requestBody: 'none' };
const manifest = manifestOf(['ask'], { http: [{ ...route, response: { successStatus: 200, errors: [] } }] as never });
const codecs = loadTool(compiledOf(body, manifest)).codecs();

test('what decode gives has a bound, and above it is the fault of the codec', () => {
  const around = JSON.stringify({ arguments: '' }).length;
  assert.equal(codecs.decodeHttp('ask', { size: limits.decodedBytesMax - around }).kind, 'value');
  for (const size of [limits.decodedBytesMax - around + 1, 500_000_000]) {
    const message = `what decode gives has more than ${limits.decodedBytesMax} bytes`;
    assert.deepEqual(codecs.decodeHttp('ask', { size }), { kind: 'misshapen', message });
  }
});

for (const kind of ['text', 'escaped', 'json', 'bytes', 'liar']) {
  test(`the body of encode has a bound: ${kind}`, () => {
    const most = limits.encodedBodyBytesMax;
    assert.equal(codecs.encodeHttp('ask', { kind, size: most }).kind, 'value');
    for (const size of [most + 1, 500_000_000]) {
      const encoded = codecs.encodeHttp('ask', { kind, size });
      assert.notEqual(encoded.kind, 'value', `${size}`);
      assert.match(encoded.kind === 'value' ? '' : (encoded.message ?? ''), /bytes/);
    }
  });
}

test('headers of any length are refused without being copied', () => {
  for (const headers of [limits.headerBytesMax, 500_000_000]) {
    assert.notEqual(codecs.encodeHttp('ask', { kind: 'text', size: 1, headers }).kind, 'value');
  }
});

test('headers between the nodes of a cluster are not for tools', () => {
  for (const name of ['drillyard-not-owner', 'Drillyard-Node']) {
    const message = `the header '${name.toLowerCase()}' speaks for all of its origin, so no route may set it`;
    assert.deepEqual(codecs.encodeHttp('ask', { kind: 'text', size: 1, given: { [name]: '1' } }), { kind: 'misshapen', message });
  }
});
