// A kind that gives actors away: what they have finished is kept and answered, what they have not begun is refused.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.js';
import { refusalOf, signalled, testBoth } from './open-system.js';

testBoth('dismissed actors leave at once: finished is committed, running and waiting are refused, others work on', {}, async (counters) => {
  const [gone, stays] = ['gone', 'stays'];
  await counters.add(gone, 5);
  const begun = signalled();
  const running = refusalOf(counters.command(gone, { kind: 'slices', slices: 1_000_000_000 }, { onProgress: begun.fire }));
  await begun.promise;
  const waiting = [refusalOf(counters.add(gone)), refusalOf(counters.add(gone))];
  const neighbor = counters.add(stays);
  await counters.control(0, { kind: 'dismiss', actorIds: [gone], isLost: false });
  assert.deepEqual(
    await Promise.all([running, ...waiting]),
    Array.from({ length: 3 }, () => 'world.ACTOR_RESTARTED'),
  );
  assert.equal((await neighbor).value, 1);
  assert.equal(await refusalOf(counters.add(gone)), 'control.UNAVAILABLE');
  assert.equal(await refusalOf(counters.read(gone)), 'control.UNAVAILABLE');
  assert.equal((await counters.add(stays)).value, 2);
  const last = counters.notes().filter(({ event, actorId, actors }) => actorId === gone || (event === 'commit' && actors?.includes(gone)));
  assert.equal(last.at(-1)?.event, 'discard');
});

testBoth(
  'a dismissal waits for the commit of what is finished, and that is answered',
  { counters: { holdCommits: true } },
  async (counters) => {
    const first = counters.add('gone', 3);
    await until(async () => (await counters.control(0, { kind: 'inMemory', actorId: 'gone' })) === 3);
    // Finished while the first commit is in flight, so in none yet.
    const second = counters.add('gone', 4);
    await until(async () => (await counters.control(0, { kind: 'inMemory', actorId: 'gone' })) === 7);
    let isGone = false;
    const dismissed = counters.control(0, { kind: 'dismiss', actorIds: ['gone'], isLost: false }).then(() => {
      isGone = true;
    });
    await counters.control(0, { kind: 'echo', value: 1 });
    assert.equal(isGone, false);
    await counters.control(0, { kind: 'release' });
    await dismissed;
    assert.deepEqual([(await first).value, (await second).value], [3, 7]);
  },
);

testBoth(
  'a lost actor commits nothing more; what was in flight is what its commit says',
  { counters: { holdCommits: true } },
  async (counters) => {
    const first = counters.add('lost', 3);
    await until(async () => (await counters.control(0, { kind: 'inMemory', actorId: 'lost' })) === 3);
    const second = refusalOf(counters.add('lost', 4));
    await until(async () => (await counters.control(0, { kind: 'inMemory', actorId: 'lost' })) === 7);
    const dismissed = counters.control(0, { kind: 'dismiss', actorIds: ['lost'], isLost: true });
    assert.equal(await second, 'world.ACTOR_RESTARTED');
    await counters.control(0, { kind: 'release' });
    await dismissed;
    assert.equal((await first).value, 3);
    assert.equal(counters.notes().filter(({ event }) => event === 'commit').length, 1);
  },
);

// HOST-SUPERVISOR-4
testBoth(
  'a command that is refused while a commit of it is in flight reports no progress afterwards',
  { counters: { holdCommits: true } },
  async (counters) => {
    const running = refusalOf(counters.command('lost', { kind: 'slices', slices: Number.MAX_SAFE_INTEGER }, { onProgress: () => {} }));
    await until(() => existsSync(join(counters.directory, 'lost.json')));
    const dismissed = counters.control(0, { kind: 'dismiss', actorIds: ['lost'], isLost: true });
    assert.equal(await running, 'world.ACTOR_RESTARTED');
    await counters.control(0, { kind: 'release' });
    await dismissed;
    assert.equal((await counters.add('stays')).value, 1);
    assert.equal((await counters.system.stats())[0]!.restarts, 0);
  },
);
