// A thread that is called by name: what its callers get when it answers, fails, ends, or is closed.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CalledThread } from '../../src/workers/called-thread.js';
import type { api } from './called-thread-entry.js';

const closing = new Error('closing');

function open(t: TestContext): CalledThread<typeof api> {
  const thread = new CalledThread<typeof api>(new URL('./called-thread-entry.js', import.meta.url));
  t.after(() => thread.close(closing));
  return thread;
}

test('calls are answered by one thread, each with its own value or its own error', async (t) => {
  const thread = open(t);
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => thread.call((far) => far.count()))), [1, 2, 3]);
  assert.deepEqual(await thread.call((far) => far.echo(new Uint8Array([1, 2]))), new Uint8Array([1, 2]));
  await assert.rejects(
    thread.call((far) => far.fail('its own')),
    /its own/,
  );
  // What cannot be sent costs its own call alone.
  await assert.rejects(
    thread.call((far) => far.echo({ of: () => {} })),
    { name: 'DataCloneError' },
  );
  assert.equal(await thread.call((far) => far.count()), 4);
});

// CALLED-THREAD-1
test('a thread that ends rejects what waits for it, and the next call has another one', async (t) => {
  const thread = open(t);
  const waiting = assert.rejects(
    thread.call((far) => far.hang()),
    /exit.* 3/,
  );
  await assert.rejects(
    thread.call((far) => far.exit(3)),
    /exit.* 3/,
  );
  await waiting;
  assert.equal(await thread.call((far) => far.count()), 1);
});

test('closing ends a thread in whatever it does; what waits and what comes later is rejected with the reason', async (t) => {
  const thread = open(t);
  assert.equal(await thread.call((far) => far.count()), 1);
  const waiting = Promise.allSettled([thread.call((far) => far.hang()), thread.call((far) => far.spin())]);
  await thread.close(closing);
  for (const settled of await waiting) assert.equal(settled.status === 'rejected' && settled.reason, closing);
  await assert.rejects(
    thread.call((far) => far.count()),
    closing,
  );
});
