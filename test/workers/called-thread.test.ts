// A thread that is called by name: what its callers get when it answers, fails, ends, or is closed.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CalledThread } from '../../src/workers/called-thread.js';
import { keepThreads, keptThreads } from '../../src/workers/kept-threads.js';
import type { api } from './called-thread-entry.js';

const closing = new Error('closing');

let kinds = 0;
/** Of a kind of its own unless one is given: it gets no thread that another test has left. */
function open(t: TestContext, kind: number = ++kinds): CalledThread<typeof api> {
  const thread = new CalledThread<typeof api>(new URL(`./called-thread-entry.js?${kind}`, import.meta.url));
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

// CALLED-THREAD-2
test('a thread that is closed at rest serves the next, where threads are kept; one that is closed under a call never does', async (t) => {
  const before = keptThreads();
  t.after(() => keepThreads(before));
  const countOf = async (thread: CalledThread<typeof api>): Promise<number> => await thread.call((far) => far.count());
  const kind = ++kinds;
  keepThreads({ threadsMax: 0, idleMs: 0 });
  const unkept = open(t, kind);
  assert.equal(await countOf(unkept), 1);
  await unkept.close(closing);
  keepThreads({ threadsMax: 64, idleMs: 60_000 });
  const first = open(t, kind);
  assert.equal(await countOf(first), 1);
  await first.close(closing);
  await assert.rejects(countOf(first), closing);
  const next = open(t, kind);
  assert.equal(await countOf(next), 2, 'the same thread');
  const waiting = assert.rejects(
    next.call((far) => far.hang()),
    closing,
  );
  await next.close(closing);
  await waiting;
  assert.equal(await countOf(open(t, kind)), 1, 'another thread');
});
