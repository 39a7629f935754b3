import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from '../../src/async/pause.js';
import { backoffMs, type RetryPolicy, retry } from '../../src/async/retry.js';

/** Fails so many times, each with an error of its own, then answers with the number of attempts. */
function failing(times: number): () => Promise<number> {
  let attempts = 0;
  return async () => {
    attempts += 1;
    if (attempts <= times) throw new Error(`attempt ${attempts}`);
    return attempts;
  };
}
const any: RetryPolicy = { isRetryable: () => true };

test('an attempt that fails is followed by another, until one succeeds', async () => {
  assert.equal(await retry(any, failing(0)), 1);
  assert.equal(await retry(any, failing(3)), 4);
});

test('the last attempt that a policy allows fails with its own error', async () => {
  await assert.rejects(retry({ ...any, attemptsMax: 3 }, failing(3)), /^Error: attempt 3$/);
  assert.equal(await retry({ ...any, attemptsMax: 3 }, failing(2)), 3);
  await assert.rejects(retry({ ...any, attemptsMax: 1 }, failing(1)), /^Error: attempt 1$/);
});

test('an error against which no attempt helps is thrown at once, also one that is thrown before any promise', async () => {
  const isRetryable = (error: unknown): boolean => (error as Error).message !== 'attempt 2';
  await assert.rejects(retry({ isRetryable }, failing(5)), /^Error: attempt 2$/);
  let asked = 0;
  const thrown = retry({ isRetryable: () => asked++ < 2 }, () => {
    throw new Error('synchronous');
  });
  await assert.rejects(thrown, /synchronous/);
  assert.equal(asked, 3);
});

test('the wait is asked for with the error and the attempts made, and only where another attempt follows', async () => {
  const asked: string[] = [];
  const waitMs = (error: unknown, attempts: number): number => {
    asked.push(`${(error as Error).message} of ${attempts}`);
    return 0;
  };
  await assert.rejects(retry({ ...any, attemptsMax: 3, waitMs }, failing(9)));
  assert.deepEqual(asked, ['attempt 1 of 1', 'attempt 2 of 2']);
});

test('an abort ends the wait, and the attempt after it is the last one', async () => {
  const controller = new AbortController();
  let attempts = 0;
  const waitMs = (): number => {
    queueMicrotask(() => controller.abort());
    return 3_600_000;
  };
  const ended = retry({ ...any, waitMs, signal: controller.signal }, async () => {
    attempts += 1;
    throw new Error(`attempt ${attempts}`);
  });
  await assert.rejects(ended, /^Error: attempt 2$/);
});

test('a backoff doubles from the first wait to the longest', () => {
  const backoff = { firstMs: 50, maxMs: 5_000 };
  assert.deepEqual(
    [1, 2, 3, 7, 8, 9, 5_000].map((attempts) => backoffMs(backoff, attempts)),
    [50, 100, 200, 3_200, 5_000, 5_000, 5_000],
  );
  assert.equal(backoffMs({ firstMs: 0, maxMs: 5_000 }, 5_000), 0);
});

test('a pause is over at once for a signal that is aborted, before or meanwhile', async () => {
  const controller = new AbortController();
  const waiting = pause(3_600_000, controller.signal);
  controller.abort();
  await waiting;
  await pause(3_600_000, controller.signal);
  await pause(1);
});
