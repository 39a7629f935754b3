import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { forEachInLanes } from '../../src/drills/lanes.js';

const items = Array.from({ length: 20 }, (_, index) => index);
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('everything is done once, and in a lane one thing at a time', async () => {
  const done: number[] = [];
  const busy = new Set<number>();
  await forEachInLanes(items, { lanesMax: 3, lanesAtOnce: 3 }, async (item, lane) => {
    assert.ok(lane >= 0 && lane < 3 && !busy.has(lane));
    busy.add(lane);
    await turn();
    busy.delete(lane);
    done.push(item);
  });
  assert.deepEqual(
    done.sort((one, other) => one - other),
    items,
  );
});

// LANES-1
test('after a failure nothing further starts, and it is reported when what runs has ended', async () => {
  const started: number[] = [];
  let ended = 0;
  const work = async (item: number): Promise<undefined> => {
    started.push(item);
    if (item === 1) throw new Error('the second');
    await turn();
    ended++;
  };
  await assert.rejects(forEachInLanes(items, { lanesMax: 2, lanesAtOnce: 2 }, work), /the second/);
  assert.deepEqual([started, ended], [[0, 1], 1]);
});

// LANES-2
test('what is left of a thing continues beside the next one, one rest a lane, and is waited for', async () => {
  const resting = [0, 0];
  const seen = new Set<number>();
  let rested = 0;
  const rest = async (lane: number): Promise<void> => {
    resting[lane]! += 1;
    for (let turns = 0; turns < 5; turns++) await turn();
    resting[lane]! -= 1;
    rested += 1;
  };
  await forEachInLanes(items, { lanesMax: 2, lanesAtOnce: 2 }, async (_, lane) => {
    seen.add(resting[lane]!);
    await turn();
    return { rest: rest(lane) };
  });
  assert.deepEqual([[...seen].sort(), rested], [[0, 1], items.length]);
});

// LANES-1
test('a rest that fails ends it as well, once all rests have ended', async () => {
  const started: number[] = [];
  const rests: number[] = [];
  const work = async (item: number): Promise<{ rest: Promise<void> }> => {
    started.push(item);
    return {
      rest: turn().then(() => {
        rests.push(item);
        if (item === 0) throw new Error('the first');
      }),
    };
  };
  await assert.rejects(forEachInLanes(items, { lanesMax: 1, lanesAtOnce: 1 }, work), /the first/);
  assert.deepEqual(
    [started, rests],
    [
      [0, 1],
      [0, 1],
    ],
  );
});

// LANES-3
test('work that waits for others of its kind gets all its lanes, from however few', async () => {
  const waiting: (() => void)[] = [];
  let widest = 0;
  await forEachInLanes(items, { lanesMax: 8, lanesAtOnce: 1, isIdle: () => true }, async (_, lane) => {
    widest = Math.max(widest, lane + 1);
    // The first eight continue when all of them are here.
    if (waiting.length >= 8) return;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 8) for (const go of waiting) go();
    });
  });
  assert.equal(widest, 8);
});

// LANES-3
test('while the process is busy no lane is added', async () => {
  const seen = new Set<number>();
  let looks = 0;
  const isIdle = (): boolean => {
    looks++;
    return false;
  };
  await forEachInLanes(items, { lanesMax: 5, lanesAtOnce: 2, isIdle }, async (item, lane) => {
    seen.add(lane);
    while (item < 2 && looks < 3) await turn();
  });
  assert.deepEqual([...seen], [0, 1]);
});

// LANES-3
test('an idle process opens no more lanes than it may, and no more than there are things to do', async () => {
  for (const [lanesMax, count] of [
    [5, 20],
    [64, 3],
  ] as const) {
    const seen = new Set<number>();
    const full = Math.min(lanesMax, count);
    await forEachInLanes(items.slice(0, count), { lanesMax, lanesAtOnce: 1, isIdle: () => true }, async (_, lane) => {
      seen.add(lane);
      while (seen.size < full) await turn();
    });
    assert.equal(seen.size, full);
  }
});

// LANES-3
test('once there are as many lanes as there may be, nobody asks whether the process is idle', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let looks = 0;
  const isIdle = (): boolean => {
    looks++;
    return true;
  };
  let finish = (): void => {};
  const finished = new Promise<undefined>((resolve) => {
    finish = () => resolve(undefined);
  });
  const done = forEachInLanes(items, { lanesMax: 2, lanesAtOnce: 2, isIdle }, () => finished);
  t.mock.timers.tick(3 * limits.runLanesLookMs);
  finish();
  await done;
  assert.equal(looks, 0);
});
