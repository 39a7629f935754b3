import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../../src/async/deadline.js';

const longMs = 3_600_000;
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('work that ends in time gives its value or its error, and no timer stays', async () => {
  const before = timers();
  assert.equal(await within(longMs, Promise.resolve('value')), 'value');
  await assert.rejects(within(longMs, Promise.reject(new Error('its own'))), /its own/);
  await new Promise(setImmediate);
  assert.equal(timers(), before);
});

test('work that takes longer gives nothing, and how it ends later is nobody’s error', async () => {
  let fail: (error: Error) => void = () => {};
  const work = new Promise<string>((_, reject) => {
    fail = reject;
  });
  assert.equal(await within(1, work), undefined);
  fail(new Error('too late'));
  // An unhandled rejection would end the test.
  await new Promise(setImmediate);
});
