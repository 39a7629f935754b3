// Hosts that wait, over hosts that are only a promise of their end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs } from '../../src/actors/board.js';
import { Heartbeat } from '../../src/actors/heartbeat.js';
import type { PreparedHost } from '../../src/actors/prepared-host.js';
import { limits } from '../../src/contract/limits.js';
import { ReadyHosts } from '../../src/worlds/ready-hosts.js';

interface Started {
  host: PreparedHost;
  end(): void;
}
function open() {
  const started: Started[] = [];
  const lost: unknown[] = [];
  const released: unknown[] = [];
  let refusal: string | undefined;
  const refuseStarts = (reason: string | undefined): void => {
    refusal = reason;
  };
  const start = (): Started => {
    if (refusal !== undefined) throw new Error(refusal);
    let end = (): void => {};
    const ended = new Promise<string>((resolve) => {
      end = () => resolve('ended');
    });
    const child = { ended, kill: () => end() };
    const release = (): void => void released.push(one);
    const one: Started = { host: { child, heartbeat: new Heartbeat(() => {}), release } as unknown as PreparedHost, end };
    started.push(one);
    return one;
  };
  return { started, lost, released, refuseStarts, hosts: new ReadyHosts({ start, lost: (one) => lost.push(one), ready: 1 }) };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// READY-HOSTS-1
test('a host that ended while it waited is given to nobody, and none is started for it until one is taken', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { started, lost, released, hosts } = open();
  t.mock.timers.tick(limits.hostRefillMs);
  assert.deepEqual([started.length, hosts.waiting], [1, 1]);
  started[0]!.end();
  await turn();
  t.mock.timers.tick(100 * limits.hostRefillMs);
  assert.deepEqual([started.length, hosts.waiting, lost, released], [1, 0, [started[0]], [started[0]]]);
  assert.equal(hosts.take(), started[1]);
  t.mock.timers.tick(limits.hostRefillMs);
  assert.deepEqual([started.length, hosts.waiting], [3, 1]);
  assert.equal(hosts.take(), started[2]);
  await hosts.close();
});

// READY-HOSTS-3
test('one that cannot be started beforehand ends nothing: who wants one hears why, and later ones start', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(console, 'error', () => {});
  const { started, hosts, refuseStarts } = open();
  refuseStarts('EMFILE: too many open files');
  t.mock.timers.tick(limits.hostRefillMs);
  assert.deepEqual([started.length, hosts.waiting], [0, 0]);
  assert.throws(() => hosts.take(), /too many open files/);
  refuseStarts(undefined);
  t.mock.timers.tick(limits.hostRefillMs);
  assert.equal(hosts.waiting, 1);
  assert.equal(hosts.take(), started[0]);
  await hosts.close();
});

// READY-HOSTS-2
test('one that was stopped while it waited is ended and given to nobody; one that starts so far is', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { started, lost, hosts } = open();
  t.mock.timers.tick(limits.hostRefillMs);
  const [stopped] = started as [Started];
  const later = (): number => monotonicMs() + limits.hostHeartbeatMs;
  stopped.host.heartbeat.heard();
  stopped.host.heartbeat.look({ notCountedMs: 0, isAtRest: true, nowMs: later() });
  assert.equal(hosts.take(), started[1]);
  await turn();
  assert.deepEqual(lost, [stopped]);
  t.mock.timers.tick(limits.hostRefillMs);
  started[2]!.host.heartbeat.look({ notCountedMs: 0, isAtRest: true, nowMs: later() });
  assert.equal(hosts.take(), started[2]);
  await hosts.close();
});
