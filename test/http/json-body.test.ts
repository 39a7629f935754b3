// Large bodies are read in turns, and those who ask for little are answered between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJsonBody } from '../../src/http/json-body.js';
import type { ServerRequest } from '../../src/http/server.js';

const request = (text: string): ServerRequest => ({ body: async () => Buffer.from(text) }) as unknown as ServerRequest;
const large = JSON.stringify('x'.repeat(200_000));

// JSON-BODY-1
test('of large bodies that come at once each has a turn of the event loop, in their order; small ones do not wait', async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const done: [name: string, turn: number][] = [];
  const read = async (name: string, text: string): Promise<void> => {
    await readJsonBody(request(text), 1_000_000);
    done.push([name, turn]);
  };
  const broken = assert.rejects(readJsonBody(request(large.slice(1)), 1_000_000), { code: 'control.INVALID_JSON' });
  await Promise.all([read('a', large), broken, read('b', large), read('small', '1'), read('c', large)]);
  isOver = true;
  assert.deepEqual(
    done.map(([name]) => name),
    ['small', 'a', 'b', 'c'],
  );
  assert.equal(new Set(done.map(([, at]) => at)).size, done.length);
});
