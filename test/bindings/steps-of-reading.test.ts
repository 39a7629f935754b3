// Texts of the largest size that a client may send, made to be read again from each of their characters: they are read in as many steps as
// they have characters, so each test ends well before its time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBody } from '../../src/bindings/body-coding.js';
import { requireName } from '../../src/bindings/mcp-headers.js';
import { McpFailure } from '../../src/bindings/mcp-messages.js';
import { targetOfName } from '../../src/bindings/mcp-tools.js';
import { limits } from '../../src/contract/limits.js';
import type { ServerRequest } from '../../src/http/server.js';

const times = 2000;
const blanks = ' '.repeat(limits.headerBytesMax - 100);

test('a trailer with a foreign byte after many blanks is refused', async () => {
  const request = { headers: new Map() } as unknown as ServerRequest;
  const decoded = (trailer: string) =>
    decodeBody(
      Buffer.from(`0\r\n${trailer}\r\n\r\n`, 'latin1'),
      { isAwsChunked: true, compression: undefined },
      { request, bytesMax: limits.bodyBytesMax },
    );
  assert.deepEqual({ ...(await decoded(`x-a:${blanks}b c \t`)).trailers }, { 'x-a': 'b c' });
  assert.deepEqual({ ...(await decoded(`x-a:${blanks}`)).trailers }, { 'x-a': '' });
  for (let time = 0; time < times; time++) await assert.rejects(decoded(`x-a:${blanks}\x80`), { code: 'control.INVALID_REQUEST' });
});

test('a header of MCP loses the blanks around it, and those inside stay', () => {
  requireName('a \t b', new Map([['mcp-name', ' \ta \t b\t ']]));
  for (let time = 0; time < times; time++) {
    requireName(`a${blanks}b`, new Map([['mcp-name', `a${blanks}b`]]));
    assert.throws(() => requireName('a', new Map([['mcp-name', `a${blanks}b`]])), McpFailure);
  }
});

test('the name of a tool may be as long as a body', () => {
  const rest = '_'.repeat(limits.bodyBytesMax);
  assert.deepEqual(targetOfName(`a.b__${rest}\n`), { packageId: 'a', operationId: 'b', instanceId: `${rest}\n` });
});
