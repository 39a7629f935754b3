import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { spawnChild } from '../../src/processes/spawn-child.js';

// SPAWN-CHILD-1, SPAWN-CHILD-3, FRAMED-CHANNEL-2
test('a child has ended when the last process that it left is gone, and has of the environment only what finds programs', {
  timeout: 60_000,
}, async (t) => {
  process.env.DRILLYARD_TEST_SECRET = 'sesame';
  t.after(() => delete process.env.DRILLYARD_TEST_SECRET);
  const heard: { from: string; environment?: string[] }[] = [];
  const child = spawnChild({
    entry: new URL('./heir-child.js', import.meta.url),
    onMessage: (message) => heard.push(message as (typeof heard)[number]),
  });
  t.after(() => child.kill());
  child.send({});
  await child.ended;
  deepEqual(
    heard.map(({ from }) => from),
    ['child', 'heir'],
  );
  const environment = heard[0]?.environment ?? [];
  ok(environment.includes('PATH'));
  ok(!environment.includes('DRILLYARD_TEST_SECRET') && !environment.includes('HOME'), String(environment));
});
