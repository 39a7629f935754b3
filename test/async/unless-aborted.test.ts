import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { unlessAborted } from '../../src/async/unless-aborted.js';

const listenersOf = ({ signal }: AbortController): number => getEventListeners(signal, 'abort').length;
const never = new Promise<never>(() => {});

test('the work settles as it does by itself, and leaves nothing on the signal', async () => {
  const leaving = new AbortController();
  assert.equal(await unlessAborted(Promise.resolve(1), leaving.signal), 1);
  await assert.rejects(unlessAborted(Promise.reject(new Error('no')), leaving.signal), /no/);
  await new Promise(setImmediate);
  assert.equal(listenersOf(leaving), 0);
  leaving.abort();
});

test('work under an aborted signal is not waited for, whenever it was aborted', async () => {
  const leaving = new AbortController();
  const early = unlessAborted(never, leaving.signal);
  const worded = unlessAborted(never, leaving.signal, () => new Error('left'));
  leaving.abort(new Error('over'));
  await assert.rejects(early, /over/);
  await assert.rejects(worded, /left/);
  await assert.rejects(unlessAborted(never, leaving.signal), /over/);
  await assert.rejects(unlessAborted(Promise.resolve(1), leaving.signal), /over/);
});

test('work that fails after the signal was aborted fails unseen', async () => {
  const leaving = new AbortController();
  let fail: (error: Error) => void = () => {};
  const waited = unlessAborted(new Promise((_, reject) => (fail = reject)), leaving.signal);
  leaving.abort(new Error('over'));
  await assert.rejects(waited, /over/);
  fail(new Error('late'));
  await new Promise(setImmediate);
});
