import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { ActorSystem } from '../../src/actors/system.js';
import { until } from '../until.js';
import type { CounterReply } from './counter-kind.js';
import { openSystem, refusalOf, shareSystems, signalled, testBoth } from './open-system.js';

const testShared = shareSystems();

// SYSTEM-2, DEFINITION-2, FRAMED-CHANNEL-2
testShared('commands of one actor run in the order in which they were sent', async ({ add }) => {
  const replies = await Promise.all(Array.from({ length: 500 }, () => add('ordered')));
  deepEqual(
    replies.map(({ value }) => value),
    Array.from({ length: 500 }, (_, index) => index + 1),
  );
});

testBoth(
  'an actor takes so many messages and no more, and the next ones once those are answered',
  { mailboxMessagesMax: 10 },
  async ({ add, read }) => {
    const taken = Array.from({ length: 10 }, () => add('a'));
    equal(await refusalOf(add('a')), 'control.WORLD_BUSY');
    equal(await refusalOf(read('a')), 'control.WORLD_BUSY');
    equal((await add('b')).value, 1);
    await Promise.all(taken);
    equal((await add('a')).value, 11);
  },
);

testBoth('messages of one turn of the event loop travel and commit together', {}, async ({ add, notes, system }) => {
  await Promise.all(Array.from({ length: 100 }, (_, index) => add(`a-${index % 20}`)));
  const commits = notes().filter(({ event }) => event === 'commit');
  const [stats] = await system.stats();
  equal(stats!.commits, commits.length);
  // One commit of twenty sets, where the machine is not so slow that a hundred commands need several slices.
  ok(stats!.commits < 20 && stats!.writeSets < 40, JSON.stringify(stats));
  equal(stats!.activations, 20);
  equal(stats!.mailboxDepth, 0);
  ok(stats!.residentBytes > 1e6);
});

// STEPPER-2
testShared('a refusal keeps its code and details, and changes nothing', async ({ command, read, add }) => {
  await add('refused');
  await rejects(command('refused', { kind: 'refuse' }), { code: 'control.STATE_CONFLICT', extra: { details: { reported: true } } });
  const { value, incarnation } = await read('refused');
  equal(value, 1);
  equal((await add('refused')).incarnation, incarnation);
});

testShared('an actor that does not exist is refused by its kind', async ({ add, read }) => {
  equal(await refusalOf(add('absent')), 'control.NOT_FOUND');
  equal(await refusalOf(read('absent')), 'control.NOT_FOUND');
});

// STEPPER-2
testShared(
  'a bug ends the actor and nothing else: its next message activates it from its last commit',
  async ({ command, add, read, log }) => {
    const first = await add('buggy', 5);
    const other = await add('buggy-other');
    const outcomes = await Promise.allSettled([command('buggy', { kind: 'throw' }), add('buggy'), add('buggy-other')]);
    equal(outcomes[0].status === 'rejected' && outcomes[0].reason.code, 'control.INTERNAL');
    const { correlationId } = outcomes[0].status === 'rejected' && outcomes[0].reason.extra.details;
    const noted = log.find((entry) => entry.event === 'actor_failed' && entry.correlationId === correlationId);
    ok(noted?.event === 'actor_failed' && noted.actorId === 'buggy');
    ok(noted.stack.includes('asked to throw') && noted.stack.includes('counter-kind'));
    equal(outcomes[1].status === 'fulfilled' && outcomes[1].value.value, 6);
    const again = await read('buggy');
    ok(again.incarnation > first.incarnation);
    equal(again.value, 6);
    equal((await read('buggy-other')).incarnation, other.incarnation);
  },
);

/** Threads clone values and processes send JSON: neither takes this. */
const neitherClonableNorJson = { make: () => {}, size: 1n };

// FRAMES-2
testShared('a value that cannot be cloned costs its own message only', async ({ command, add, system }) => {
  const outcomes = await Promise.allSettled([
    add('uncloned'),
    system.command('uncloned', neitherClonableNorJson),
    command('uncloned-other', { kind: 'unclonable' }),
    add('uncloned-other'),
  ]);
  deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? (outcome.value as CounterReply).value : outcome.reason.code)),
    [1, 'control.INVALID_REQUEST', 'control.INTERNAL', 1],
  );
});

testBoth(
  'control requests reach the host they name, and are refused as commands are',
  { hosts: 2 },
  async ({ control, read, isolation, log, actorOn }) => {
    const first = (await control(0, { kind: 'echo', value: [1] })) as CounterReply & { value: unknown };
    const second = (await control(1, { kind: 'echo', value: null })) as CounterReply;
    deepEqual({ host: first.host, value: first.value }, { host: 0, value: [1] });
    equal(second.host, 1);
    if (isolation === 'thread') ok(first.pid === process.pid && first.threadId !== second.threadId);
    else ok(first.pid !== second.pid && first.pid !== process.pid);
    await rejects(control(0, { kind: 'refuse' }), { code: 'control.NOT_FOUND', extra: { details: { asked: 'control' } } });
    equal(await refusalOf(control(0, { kind: 'throw' })), 'control.INTERNAL');
    // The log comes by mail, as replies do.
    await read(actorOn(0));
    ok(log.some((entry) => entry.event === 'actor_failed' && entry.stack.includes('asked to throw in control')));
    equal(await refusalOf(control(7, { kind: 'refuse' })), 'control.NOT_FOUND');
  },
);

testShared('cancelling tells a running command, which still answers with what it did', async ({ command, read }) => {
  const abort = new AbortController();
  const begun = signalled();
  const running = command(
    'cancelled',
    { kind: 'slices', slices: Number.MAX_SAFE_INTEGER },
    { signal: abort.signal, onProgress: begun.fire },
  );
  await begun.promise;
  abort.abort();
  const { value } = await running;
  ok(value > 0);
  equal((await read('cancelled')).value, value);
});

testShared('a command cancelled before it starts is dropped; one that is answered does not mind', async ({ command, add, read }) => {
  const abort = new AbortController();
  const stop = new AbortController();
  const begun = signalled();
  const running = command('dropped', { kind: 'slices', slices: Number.MAX_SAFE_INTEGER }, { signal: stop.signal, onProgress: begun.fire });
  await begun.promise;
  const queued = command('dropped', { kind: 'add', amount: 0.5 }, { signal: abort.signal });
  const behind = add('dropped', 0);
  abort.abort();
  await rejects(queued, { code: 'control.STATE_CONFLICT', extra: { details: { cancelled: true } } });
  stop.abort();
  const { value } = await running;
  ok(Number.isInteger(value));
  equal((await behind).value, value);
  stop.abort();
  equal(await refusalOf(command('dropped', { kind: 'add', amount: 1 }, { signal: abort.signal })), 'control.STATE_CONFLICT');
  equal((await read('dropped')).value, value);
});

testShared('one signal cancels many commands', async ({ command }) => {
  const abort = new AbortController();
  const begun = signalled();
  const { signal } = abort;
  const running = command('signalled', { kind: 'slices', slices: Number.MAX_SAFE_INTEGER }, { signal, onProgress: begun.fire });
  const queued = Array.from({ length: 50 }, () => refusalOf(command('signalled', { kind: 'add', amount: 1 }, { signal })));
  await begun.promise;
  abort.abort();
  deepEqual(new Set(await Promise.all(queued)), new Set(['control.STATE_CONFLICT']));
  await running;
});

testShared('progress never reports what is not committed', async ({ command, directory }) => {
  const { readFileSync } = await import('node:fs');
  const reported: number[] = [];
  const abort = new AbortController();
  const enough = signalled();
  const onProgress = (value: unknown): void => {
    reported.push(value as number);
    ok(JSON.parse(readFileSync(`${directory}/progressing.json`, 'utf8')).value >= (value as number));
    if (reported.length === 3) enough.fire();
  };
  const running = command('progressing', { kind: 'slices', slices: Number.MAX_SAFE_INTEGER }, { signal: abort.signal, onProgress });
  await enough.promise;
  abort.abort();
  ok((await running).value >= reported.at(-1)!);
  deepEqual(
    reported,
    [...reported].sort((one, other) => one - other),
  );
});

testBoth('passivation keeps the state, and the next incarnation has a larger incarnation', {}, async ({ system, add, read, notes }) => {
  const before = await add('a', 3);
  const pending = add('a', 4);
  await system.passivate('a');
  equal((await pending).value, 7);
  equal(notes().at(-1)!.event, 'passivate');
  const [stats] = await system.stats();
  equal(stats!.actorsLive, 0);
  const after = await read('a');
  equal(after.value, 7);
  ok(after.incarnation > before.incarnation);
  await system.passivate('never-spoken-to');
});

// ROUTE-1
testShared('messages sent while an actor is passivated follow it, in order', async ({ system, add }) => {
  await add('leaving');
  const leaving = system.passivate('leaving');
  const replies = await Promise.all([add('leaving'), add('leaving'), add('leaving')]);
  await leaving;
  deepEqual(
    replies.map(({ value }) => value),
    [2, 3, 4],
  );
});

testBoth('an actor nobody talks to leaves the memory by itself', { idlePassivationMs: 20 }, async ({ system, add, read }) => {
  await add('a', 3);
  await until(async () => (await system.stats())[0]!.actorsLive === 0);
  equal((await read('a')).value, 3);
});

// HOST-LOOP-4
testBoth(
  'of more actors than a host keeps, those nobody has talked to for longest leave the memory',
  { actorsInMemoryMax: 4 },
  async (opened) => {
    const { system, add, read } = opened;
    const first = await add('kept');
    for (let index = 0; index < 20; index++) {
      await add(`a-${index}`);
      await add('kept');
    }
    const [stats] = await system.stats();
    ok(stats!.actorsLive <= 5, JSON.stringify(stats));
    equal((await read('kept')).incarnation, first.incarnation);
    equal(stats!.activations, 21);
    for (let index = 0; index < 20; index++) equal((await add(`a-${index}`)).value, 2);
  },
);

// SYSTEM-1
testBoth('an actor moves to the host it is given, and back', { hosts: 2 }, async ({ system, add, read, actorOn }) => {
  const actorId = actorOn(0);
  const first = await add(actorId);
  equal(first.host, 0);
  const [placed, crossing] = await Promise.all([system.place(actorId, { host: 1 }), add(actorId)]);
  equal(placed, 1);
  equal(system.hostOf(actorId), 1);
  equal(crossing.host, 1);
  equal(crossing.value, 2);
  ok(crossing.incarnation > first.incarnation);
  await system.release(actorId);
  equal((await read(actorId)).host, 0);
  equal((await read(actorId)).value, 2);
  equal(await refusalOf(system.place(actorId, { host: 9 })), 'control.NOT_FOUND');
});

testBoth('an exclusive actor has a host of its own as long as it is placed there', {}, async ({ system, add, control, isolation }) => {
  const [index, same] = await Promise.all([system.place('alone', 'exclusive'), system.place('alone', 'exclusive')]);
  equal(index, 1);
  equal(same, 1);
  equal(await system.place('other', 'exclusive'), 2);
  const reply = await add('alone', 5);
  equal(reply.host, 1);
  const shared = await add('a');
  if (isolation === 'process') ok(shared.pid !== reply.pid);
  else ok(shared.threadId !== reply.threadId);
  deepEqual(
    (await system.stats()).map(({ exclusiveTo }) => exclusiveTo),
    [undefined, 'alone', 'other'],
  );
  equal(((await control(1, { kind: 'echo', value: 0 })) as CounterReply).host, 1);
  await system.release('alone');
  equal((await system.stats()).length, 2);
  const back = await add('alone');
  equal(back.host, 0);
  equal(back.value, 6);
  ok(back.incarnation > reply.incarnation);
  equal(await system.place('third', 'exclusive'), 1);
});

// SYSTEM-3
testBoth(
  'two systems on one store: the newer incarnation fences the older one off, which continues from what it finds',
  {},
  async (older) => {
    const first = await older.add('a');
    const newer = await openSystem({ isolation: older.isolation, directory: older.directory });
    const taken = await newer.add('a');
    ok(taken.incarnation > first.incarnation);
    equal(taken.value, 2);
    equal(await refusalOf(older.add('a')), 'world.ACTOR_RESTARTED');
    equal((await older.add('a')).value, 3);
    equal(await refusalOf(newer.add('a')), 'world.ACTOR_RESTARTED');
    await newer.system.close();
  },
);

test('a kind that cannot be loaded fails the start with its reason', async () => {
  for (const isolation of ['thread', 'process'] as const) {
    await rejects(openSystem({ isolation, directory: '/nowhere', counters: { failToLoad: true } }), /asked not to load/);
  }
});

test('options that cannot be cloned fail the start, and leave nothing running', async () => {
  for (const isolation of ['thread', 'process'] as const) {
    const options = { hostModule: new URL('./counter-kind.js', import.meta.url), hostOptions: neitherClonableNorJson, hosts: 1, isolation };
    await rejects(ActorSystem.start(options), /could not be cloned|serialize a BigInt/);
  }
});
