import { deepEqual, equal, ok } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.js';
import type { CounterReply } from './counter-kind.js';
import { type CounterSystem, refusalOf, testBoth } from './open-system.js';

// HOST-LOOP-1, GROUP-COMMIT-2, DEFINITION-1
testBoth('no reply leaves before its commit; meanwhile other actors run', { counters: { holdCommits: true } }, async (counters) => {
  const { add, query, control } = counters;
  const answered: string[] = [];
  const first = add('a').then(({ value }) => answered.push(`a${value}`));
  await committed(counters, 'a');
  const second = add('a').then(({ value }) => answered.push(`a${value}`));
  const other = add('b').then(({ value }) => answered.push(`b${value}`));
  // `c` has nothing uncommitted, so it is answered at once: the host is not standing still.
  await query('c', { kind: 'read' });
  deepEqual(answered, []);
  equal(storedValue(counters, 'a'), 1);
  await control(0, { kind: 'release' });
  await Promise.all([first, second, other]);
  deepEqual(answered, ['a1', 'a2', 'b1']);
});

// GROUP-COMMIT-1
testBoth(
  'what becomes ready while a commit is in flight goes into the next one, together',
  { counters: { holdCommits: true } },
  async (counters) => {
    const { add, query, control, notes } = counters;
    const first = add('a');
    await committed(counters, 'a');
    const rest = Array.from({ length: 30 }, (_, index) => add(`b-${index % 10}`));
    await query('c', { kind: 'read' });
    await control(0, { kind: 'release' });
    await Promise.all([first, ...rest]);
    deepEqual(
      notes()
        .filter(({ event }) => event === 'commit')
        .map(({ actors }) => actors!.length),
      [1, 10],
    );
  },
);

// STEPPER-1
testBoth('a query of an actor waits for the commit of what it would tell', { counters: { holdCommits: true } }, async (counters) => {
  const { add, query, read, control } = counters;
  const order: string[] = [];
  const adding = add('a').then(() => order.push('add'));
  await committed(counters, 'a');
  const reading = read('a').then(({ value, committedValue }) => order.push(`read ${value}/${committedValue}`));
  await query('c', { kind: 'read' });
  deepEqual(order, []);
  await control(0, { kind: 'release' });
  await Promise.all([adding, reading]);
  deepEqual(order, ['add', 'read 1/1']);
});

// GROUP-COMMIT-3
testBoth(
  'a refused write set is refused to its callers alone, and its actor continues from its last commit',
  {},
  async ({ add, read, control, notes }) => {
    await add('a', 5);
    await control(0, { kind: 'failNextCommit', actorId: 'a' });
    const outcomes = await Promise.allSettled([add('a'), add('a'), add('b')]);
    deepEqual(outcomes.map(codeOrValue), ['control.STORAGE_FULL', 'control.STORAGE_FULL', 1]);
    ok(notes().some(({ event, actorId }) => event === 'discard' && actorId === 'a'));
    equal((await read('a')).value, 5);
    equal((await add('a')).value, 6);
  },
);

testBoth('a commit that breaks is a bug: INTERNAL for its callers, a stack for the log', {}, async ({ add, control, log }) => {
  await control(0, { kind: 'failNextCommit', actorId: 'a', bug: true });
  equal(await refusalOf(add('a')), 'control.INTERNAL');
  ok(log.some((entry) => entry.event === 'actor_failed' && entry.actorId === 'a' && entry.stack.includes('asked to break')));
  equal((await add('a')).value, 1);
});

testBoth(
  'an actor whose count of what is uncommitted is wrong fails, and does not wait for ever',
  {},
  async ({ add, command, read, log }) => {
    await add('a', 5);
    equal(await refusalOf(command('a', { kind: 'miscount' })), 'control.INTERNAL');
    equal((await read('a')).value, 5);
    ok(log.some((entry) => entry.event === 'actor_failed' && entry.actorId === 'a' && entry.stack.includes('invariant broken')));
  },
);

// GROUP-COMMIT-3
testBoth(
  'commands that run on a write set which is refused later are refused with it',
  { counters: { holdCommits: true } },
  async (counters) => {
    const { add, query, control } = counters;
    await control(0, { kind: 'failNextCommit', actorId: 'a' });
    const first = Promise.allSettled([add('a'), add('x')]);
    // Whichever commit has the other: it may be the next one, which waits for this.
    await committed(counters, 'a');
    const built = Promise.allSettled([add('a')]);
    await query('c', { kind: 'read' });
    await control(0, { kind: 'release' });
    const [refused, other] = await first;
    deepEqual([refused, ...(await built), other].map(codeOrValue), ['control.STORAGE_FULL', 'control.STORAGE_FULL', 1]);
    equal((await add('a')).value, 1);
  },
);

function codeOrValue(outcome: PromiseSettledResult<CounterReply>): unknown {
  return outcome.status === 'fulfilled' ? outcome.value.value : outcome.reason.code;
}

function storedValue({ directory }: CounterSystem, actorId: string): number {
  const path = join(directory, `${actorId}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).value : 0;
}
/** Waits until a commit has the actor's changes, which is not yet an answered one where commits are held. */
async function committed({ notes }: CounterSystem, actorId: string): Promise<void> {
  await until(() => notes().some(({ event, actors }) => event === 'commit' && actors?.includes(actorId)));
}
