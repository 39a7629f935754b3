import { deepEqual, equal, ok } from 'node:assert/strict';
import { refusalOf, signalled, testBoth } from './open-system.js';

const endless = { kind: 'slices', slices: Number.MAX_SAFE_INTEGER } as const;

// STEPPER-1
testBoth('queries are answered between the slices of a long command, from what is committed', {}, async ({ command, read }) => {
  const abort = new AbortController();
  const begun = signalled();
  const running = command('a', endless, { signal: abort.signal, onProgress: begun.fire });
  await begun.promise;
  let seen = 0;
  for (let asked = 0; asked < 20; asked++) {
    const { value, committedValue } = await read('a');
    equal(value, committedValue);
    ok(value >= seen);
    seen = value;
  }
  abort.abort();
  ok((await running).value >= seen);
});

testBoth('other actors are served while one is in a long command', {}, async ({ command, add }) => {
  const abort = new AbortController();
  const begun = signalled();
  const running = command('a', endless, { signal: abort.signal, onProgress: begun.fire });
  await begun.promise;
  for (let calls = 1; calls <= 20; calls++) equal((await add('b')).value, calls);
  abort.abort();
  await running;
});

testBoth('two long commands share a host', {}, async ({ command }) => {
  const progress = { a: signalled(), b: signalled() };
  const abort = new AbortController();
  const running = (['a', 'b'] as const).map((actorId) =>
    command(actorId, endless, { signal: abort.signal, onProgress: progress[actorId].fire }),
  );
  await Promise.all([progress.a.promise, progress.b.promise]);
  abort.abort();
  for (const { value } of await Promise.all(running)) ok(value > 0);
});

// DEFINITION-2
testBoth('while a query of several slices runs, its actor stands still and others do not', {}, async ({ command, query, add }) => {
  const abort = new AbortController();
  const begun = signalled();
  const running = command('a', endless, { signal: abort.signal, onProgress: begun.fire });
  await begun.promise;
  const [values, other] = await Promise.all([query('a', { kind: 'slowRead', slices: 200 }), add('b')]);
  equal(new Set(values as number[]).size, 1);
  equal(other.value, 1);
  abort.abort();
  await running;
});

// STEPPER-1
testBoth('a flood of queries does not stop the commands of their actor', {}, async ({ read, command }) => {
  let flooding = true;
  const flood = Array.from({ length: 200 }, async () => {
    while (flooding) await read('a');
  });
  equal((await command('a', { kind: 'slices', slices: 50 })).value, 50);
  flooding = false;
  await Promise.all(flood);
});

testBoth('spare work runs when nothing waits, to its end', {}, async ({ command, control, add }) => {
  await command('a', { kind: 'idle', rounds: 30 });
  await add('a');
  let rounds = 0;
  while (rounds < 30) rounds = (await control(0, { kind: 'idleRounds' })) as number;
  equal(rounds, 30);
});

testBoth('a bug in a query ends the incarnation of its actor in mid-command too', {}, async ({ system, command, read, add }) => {
  const begun = signalled();
  const running = command('a', endless, { onProgress: begun.fire });
  await begun.promise;
  const outcomes = await Promise.allSettled([running, system.query('a', { kind: 'no such query' }).then(noReply)]);
  deepEqual(
    outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code),
    ['world.ACTOR_RESTARTED', 'control.INTERNAL'],
  );
  equal(await refusalOf(system.command('absent', {})), 'control.NOT_FOUND');
  ok((await add('a')).value > 0);
  ok((await read('a')).incarnation > 0);
});

function noReply(): never {
  throw new Error('a query of no known kind was answered');
}
