// Turns on hosts: who passes, who waits, and for how long, on a clock that the test moves.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { HostTurns } from '../../src/control/guard/host-turns.js';

const turn = (): Promise<void> => new Promise(setImmediate);

function open(t: TestContext, heldMsPerMinute = 60_000) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { nowMs: 1_000_000 };
  const turns = new HostTurns({ heldMsPerMinute, nowMs: () => clock.nowMs });
  const passed: string[] = [];
  const holder = (worldId: string, host = 0) => ({ worldId, projectId: 'prj', host });
  return {
    clock,
    turns,
    passed,
    hold: (worldId: string, ms: number, host = 0) => turns.held(holder(worldId, host), ms),
    /** Yields how to leave, once it has passed. */
    enter: (worldId: string, host = 0): { leave(): void } => {
      const ends: { leave?: () => void; isOver: boolean } = { isOver: false };
      const entered = turns.enter(holder(worldId, host));
      const noted = (one: { leave(): void }): void => {
        passed.push(worldId);
        ends.leave = one.leave;
        if (ends.isOver) one.leave();
      };
      if (entered instanceof Promise) void entered.then(noted);
      else noted(entered);
      return {
        leave: () => {
          ends.isOver = true;
          ends.leave?.();
        },
      };
    },
    after: async (ms: number): Promise<string[]> => {
      clock.nowMs += ms;
      t.mock.timers.tick(ms);
      await turn();
      return passed.splice(0);
    },
  };
}

// HOST-TURNS-1
test('a request for no host passes at once, in order, beside those that wait', async (t) => {
  const { enter, hold, after, turns } = open(t);
  hold('a', limits.heldFreeMs - 1);
  for (const worldId of ['a', 'b', 'a']) enter(worldId);
  assert.deepEqual(await after(0), ['a', 'b', 'a']);
  assert.ok(!(turns.enter({ worldId: 'c', projectId: 'prj', host: 0 }) instanceof Promise));
});

test('who held a host alone continues at once; beside others it waits for three times as long as it held', async (t) => {
  const { enter, hold, after } = open(t);
  hold('loop', 2_000);
  enter('loop').leave();
  assert.deepEqual(await after(0), ['loop']);
  const other = enter('other');
  await after(0);
  enter('loop');
  assert.deepEqual(await after(5_999), []);
  assert.deepEqual(await after(1), ['loop']);
  other.leave();
});

test('one that comes again and again leaves no gap that counts; half a second without it does', async (t) => {
  const { enter, hold, after } = open(t);
  hold('loop', 3_000);
  enter('other').leave();
  enter('loop');
  for (let times = 0; times < 8; times++) {
    assert.ok(!(await after(limits.heldQuietMs - 1)).includes('loop'));
    enter('other').leave();
  }
  await after(0);
  assert.deepEqual(await after(limits.heldQuietMs), ['loop']);
});

// HOST-TURNS-2
test('of those that hold a host one is served at a time, the one that held least first; another host is no matter', async (t) => {
  const { enter, hold, after } = open(t);
  for (const [worldId, ms] of [
    ['much', 3_000],
    ['less', 2_000],
    ['least', 1_000],
  ] as const)
    hold(worldId, ms);
  hold('elsewhere', 5_000, 1);
  const first = enter('much');
  const [, less, least] = [enter('much'), enter('less'), enter('least')];
  enter('elsewhere', 1);
  assert.deepEqual(await after(0), ['much', 'elsewhere']);
  first.leave();
  assert.deepEqual(await after(0), ['least']);
  least.leave();
  assert.deepEqual(await after(0), ['less']);
  less.leave();
  assert.deepEqual(await after(0), ['much']);
});

// HOST-TURNS-2, HOST-TURNS-3
test('no request waits longer than the bound; those of one world pass in their order', async (t) => {
  const { enter, hold, after } = open(t);
  enter('other');
  for (let times = 0; times < 10; times++) hold('loop', 5_000);
  await after(0);
  enter('loop');
  enter('loop');
  assert.deepEqual(await after(limits.heldWaitMsMax - 1), []);
  // Drained or not: it waits behind itself.
  assert.deepEqual((await after(1)).length > 0, true);
});

test('what was held drains, and is forgotten', async (t) => {
  const { enter, hold, after } = open(t);
  enter('other');
  hold('loop', 1_000);
  await after(1_000 / limits.heldShare);
  enter('loop');
  assert.deepEqual(await after(0), ['loop']);
});

test('beyond its budget a project is refused where it holds hosts, until it has drained; so is what would wait without bound', async (t) => {
  const { enter, hold, after, clock } = open(t, 6_000);
  hold('loop', 7_000);
  const refused = (code: string) => (error: unknown) =>
    error instanceof ServiceError && error.code === code && error.extra.retryAfterMs! > 0;
  assert.throws(() => enter('loop'), refused('control.RATE_LIMITED'));
  enter('other');
  assert.deepEqual(await after(0), ['other']);
  clock.nowMs += 10_001;
  for (let waiting = 0; waiting <= limits.heldMessagesMax; waiting++) enter('loop');
  assert.throws(() => enter('loop'), refused('control.WORLD_BUSY'));
});
