// Hosts that wait, over hosts that are only a promise of their end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PreparedHost } from '../../src/actors/prepared-host.js';
import { limits } from '../../src/contract/limits.js';
import { ReadyHosts } from '../../src/worlds/ready-hosts.js';

// READY-HOSTS-1
test('a host that ended while it waited is given to nobody, and none is started for it until one is taken', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const started: { host: PreparedHost; end(): void }[] = [];
  const lost: unknown[] = [];
  const start = () => {
    let end = (): void => {};
    const ended = new Promise<string>((resolve) => {
      end = () => resolve('ended');
    });
    const one = { host: { child: { ended, kill: () => end() } } as unknown as PreparedHost, end };
    started.push(one);
    return one;
  };
  const hosts = new ReadyHosts({ start, lost: (one) => lost.push(one), ready: 1 });
  t.mock.timers.tick(limits.hostRefillMs);
  assert.deepEqual([started.length, hosts.waiting], [1, 1]);
  started[0]!.end();
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(100 * limits.hostRefillMs);
  assert.deepEqual([started.length, hosts.waiting, lost], [1, 0, [started[0]]]);
  assert.equal(hosts.take(), started[1]);
  t.mock.timers.tick(limits.hostRefillMs);
  assert.deepEqual([started.length, hosts.waiting], [3, 1]);
  assert.equal(hosts.take(), started[2]);
  await hosts.close();
});
