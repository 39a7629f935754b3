import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { smallDisk } from '../small-disk.js';
import { stopProcess } from '../stop-process.js';
import { until } from '../until.js';
import type { CounterCommand, CounterReply } from './counter-kind.js';
import { openSystem, refusalOf, signalled, testBoth, testWith } from './open-system.js';

const endless = { kind: 'slices', slices: Number.MAX_SAFE_INTEGER } as const;
const watched = { handlerTimeoutMs: 300 };

// HOST-SUPERVISOR-3
testBoth('killing a host in mid-call loses nothing acknowledged and disturbs no other host', { hosts: 2 }, async (counters) => {
  const { system, add, read, command, actorOn } = counters;
  const [killed, spared] = [actorOn(0), actorOn(1)];
  const before = await add(killed, 5);
  const elsewhere = await add(spared, 7);
  const begun = signalled();
  const inKilled = command(killed, endless, { onProgress: begun.fire });
  const abort = new AbortController();
  const inSpared = command(spared, endless, { signal: abort.signal });
  await begun.promise;
  const asked = system.killHost(0);
  equal(await refusalOf(inKilled), 'world.ACTOR_RESTARTED');
  await asked;
  const after = await read(killed);
  ok(after.value >= 5 && after.incarnation > before.incarnation);
  abort.abort();
  equal((await inSpared).incarnation, elsewhere.incarnation);
  deepEqual(
    (await system.stats()).map(({ restarts }) => restarts),
    [1, 0],
  );
});

// HOST-SUPERVISOR-2
testBoth(
  'what a killed host had not begun is done by the next one, in order; queries are asked again',
  {},
  async ({ system, add, read, command }) => {
    const begun = signalled();
    const running = command('a', endless, { onProgress: begun.fire });
    await begun.promise;
    const queued = Array.from({ length: 5 }, () => add('a'));
    const reading = read('b');
    const asked = system.killHost(0);
    equal(await refusalOf(running), 'world.ACTOR_RESTARTED');
    const values = (await Promise.all(queued)).map(({ value }) => value);
    deepEqual(
      values,
      values.map((_, index) => values[0]! + index),
    );
    equal((await reading).value, 0);
    await asked;
  },
);

// CRITICAL-SECTION-1, WATCHDOG-2, DEFINITION-3
testWith('a thread is not ended inside a commit', { isolation: 'thread' }, async ({ system, add, control, notes, directory, log }) => {
  await control(0, { kind: 'blockNextCommit' });
  const adding = Promise.allSettled([add('a')]);
  await until(() => existsSync(join(directory, 'a.json')));
  const asked = system.killHost(0);
  // The kill is under way, and would have come through had it not been held off.
  await new Promise((resolve) => setTimeout(resolve, 50));
  ok(!log.some(({ event }) => event === 'host_ended'));
  writeFileSync(join(directory, 'resume'), '');
  await asked;
  equal(notes().filter(({ event }) => event === 'commit').length, 1);
  const [outcome] = await adding;
  ok([1, 'world.ACTOR_RESTARTED'].includes(codeOrValue(outcome) as string));
  equal((await add('a')).value, 2);
});

// HOST-SUPERVISOR-1
testWith('the next incarnation of a host waits until the thread of the one before is gone', { isolation: 'thread' }, async (counters) => {
  const { system, command, directory, add } = counters;
  const calling = refusalOf(command('a', { kind: 'goNative' }));
  await until(() => existsSync(join(directory, 'entered')));
  await system.killHost(0);
  ok(existsSync(join(directory, 'left')));
  equal(await calling, 'world.ACTOR_RESTARTED');
  equal((await add('a')).value, 1);
});

testBoth('the watchdog ends a handler that never returns; its neighbors continue', { hosts: 2, ...watched }, async (counters) => {
  const { add, command, read, actorOn, log } = counters;
  const guilty = actorOn(0);
  const neighbor = actorOn(0, 'neighbor');
  const far = await add(actorOn(1));
  await add(guilty, 5);
  await add(neighbor, 6);
  const outcomes = await Promise.allSettled([command(guilty, { kind: 'spin' }), add(guilty), add(neighbor), read(neighbor)]);
  deepEqual(outcomes.map(codeOrValue), [
    'world.HANDLER_TIMEOUT',
    'world.ACTOR_RESTARTED',
    7,
    outcomes[3].status === 'fulfilled' && outcomes[3].value.value,
  ]);
  ok(log.some((entry) => entry.event === 'host_ended' && entry.reason === 'timeout' && entry.actorId === guilty));
  equal((await read(guilty)).value, 5);
  equal((await read(actorOn(1))).incarnation, far.incarnation);
});

// HEARTBEAT-1
testWith(
  'a process that is stopped while nothing runs is replaced, and who asked it meanwhile is answered by the next one',
  { isolation: 'process', handlerTimeoutMs: 100, silenceMsMax: 100 },
  async ({ add, control, system, log }) => {
    const before = await add('a', 5);
    await stopProcess(before.pid);
    const after = await add('a');
    deepEqual([after.value, after.pid !== before.pid, isAlive(before.pid)], [6, true, false]);
    deepEqual(
      log.flatMap((entry) => (entry.event === 'host_ended' ? [entry.reason] : [])),
      ['silent'],
    );
    await stopProcess(after.pid);
    equal(await refusalOf(control(0, { kind: 'echo', value: null })), 'world.ACTOR_RESTARTED');
    equal((await system.stats())[0]!.restarts, 2);
  },
);

testWith(
  'a process that is stopped does not hold up the end',
  { isolation: 'process', handlerTimeoutMs: 100, silenceMsMax: 100 },
  async ({ add, system, log }) => {
    await stopProcess((await add('a')).pid);
    await system.close();
    ok(!log.some(({ event }) => event === 'host_down'));
  },
);

test('a process runs its steps where the disk of temporary files is full', { timeout: 30_000 }, async (t) => {
  const disk = smallDisk(t, { kind: 'tmpfs', megabytes: 1 });
  if (disk === undefined) return;
  disk.leave(0);
  const directory = mkdtempSync(join(tmpdir(), 'counters-'));
  const { TMPDIR } = process.env;
  process.env.TMPDIR = disk.path;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(directory, { recursive: true, force: true });
  });
  const { add, system } = await openSystem({ isolation: 'process', directory });
  equal((await add('a', 5)).value, 5);
  await system.close();
});

testBoth('figures of a host that is busy are the last ones known', watched, async ({ system, add, command }) => {
  await add('a');
  const [before] = await system.stats();
  const spinning = refusalOf(command('a', { kind: 'spin' }));
  const [during] = await system.stats();
  deepEqual({ ...during, mailboxDepth: 0, residentBytes: 0 }, { ...before, residentBytes: 0 });
  equal(await spinning, 'world.HANDLER_TIMEOUT');
});

testBoth('a query that never returns is ended too, and not asked again', watched, async ({ query, add, system }) => {
  await add('a');
  equal(await refusalOf(query('a', { kind: 'spin' })), 'world.HANDLER_TIMEOUT');
  equal((await add('a')).value, 2);
  equal((await system.stats())[0]!.restarts, 1);
});

// BOARD-1
testBoth('a handler that takes the whole host down is refused, and not run again', {}, async ({ command, query, add, system }) => {
  await add('a');
  equal(await refusalOf(command('a', { kind: 'exit' })), 'world.ACTOR_RESTARTED');
  equal(await refusalOf(query('a', { kind: 'exit' })), 'world.ACTOR_RESTARTED');
  equal((await add('a')).value, 2);
  equal((await system.stats())[0]!.restarts, 2);
});

testBoth(
  'a handler that allocates without end loses its host, not the process',
  { resourceLimits: { maxOldGenerationSizeMb: 48 } },
  async (counters) => {
    const { command, add, log, system } = counters;
    await add('a', 5);
    equal(await refusalOf(command('a', { kind: 'hog' })), 'world.ACTOR_RESTARTED');
    equal((await add('a')).value, 6);
    ok(log.some((entry) => entry.event === 'host_ended' && entry.reason === 'crashed' && entry.actorId === 'a'));
    equal((await system.stats())[0]!.restarts, 1);
  },
);

// HOST-SUPERVISOR-2
testBoth(
  'a host that keeps ending is left alone for a while',
  { restarts: { max: 2, windowMs: 60_000, coolDownMs: 60_000 } },
  async (counters) => {
    const { command, add, control, system, log } = counters;
    for (let crash = 1; crash <= 2; crash++) equal(await refusalOf(command('a', { kind: 'exit' })), 'world.ACTOR_RESTARTED');
    await add('a');
    const outcomes = await Promise.allSettled([command('a', { kind: 'exit' }), add('b')]);
    deepEqual(outcomes.map(codeOrValue), ['world.ACTOR_RESTARTED', 'control.UNAVAILABLE']);
    equal(await refusalOf(add('a')), 'control.UNAVAILABLE');
    equal(await refusalOf(control(0, { kind: 'refuse' })), 'control.UNAVAILABLE');
    equal((await system.stats())[0]!.state, 'down');
    ok(log.some((entry) => entry.event === 'host_down' && entry.coolDownMs === 60_000));
  },
);

testBoth(
  'after the cool-down the next message starts the host again',
  { restarts: { max: 0, windowMs: 60_000, coolDownMs: 1 } },
  async ({ command, add }) => {
    await add('a', 4);
    equal(await refusalOf(command('a', { kind: 'exit' })), 'world.ACTOR_RESTARTED');
    let reply: CounterReply | undefined;
    while (reply === undefined)
      reply = await add('a').catch((error) => (error.code === 'control.UNAVAILABLE' ? undefined : Promise.reject(error)));
    equal(reply.value, 5);
  },
);

testBoth('what an ended incarnation held is released, its page of the board first', {}, async ({ system, add }) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const pageBytes = 100_000;
  const restarts = 4;
  await add('a');
  collect();
  const before = process.memoryUsage().arrayBuffers;
  for (let times = 0; times < restarts; times++) await system.killHost(0);
  equal((await add('a')).value, 2);
  const grown = (): number => process.memoryUsage().arrayBuffers - before;
  await until(() => {
    collect();
    return grown() < (restarts / 2) * pageBytes;
  });
});

testBoth('a control request of a host that ends is refused', {}, async ({ control, system }) => {
  const asking = refusalOf(control(0, { kind: 'neverAnswer' }));
  await control(0, { kind: 'echo', value: null });
  await system.killHost(0);
  equal(await asking, 'world.ACTOR_RESTARTED');
});

// HOST-SUPERVISOR-2
testBoth(
  'closing finishes what was accepted, passivates, closes the kind, and refuses the rest',
  {},
  async ({ system, add, notes, read }) => {
    const accepted = Array.from({ length: 200 }, (_, index) => add(`a-${index % 10}`));
    const closing = system.close();
    equal(await refusalOf(add('a-0')), 'control.UNAVAILABLE');
    equal(await refusalOf(read('a-0')), 'control.UNAVAILABLE');
    equal(Math.max(...(await Promise.all(accepted)).map(({ value }) => value)), 20);
    await closing;
    const events = notes().map(({ event }) => event);
    equal(events.filter((event) => event === 'passivate').length, 10);
    equal(events.at(-1), 'close');
  },
);

testBoth('closing cancels commands that run on after the grace, and what they did is committed', { closeGraceMs: 50 }, async (counters) => {
  const begun = signalled();
  const running = counters.command('a', endless, { onProgress: begun.fire });
  await begun.promise;
  const queued = refusalOf(counters.add('a'));
  await counters.system.close();
  const { value } = await running;
  equal(await queued, 'control.UNAVAILABLE');
  const next = await openSystem({ isolation: counters.isolation, directory: counters.directory });
  equal((await next.read('a')).value, value);
  await next.system.close();
});

testBoth('closing is not held up by a handler that never returns', watched, async ({ system, command, add }) => {
  await add('a');
  const spinning = command('a', { kind: 'spin' });
  await Promise.all([system.close(), refusalOf(spinning).then((code) => equal(code, 'world.HANDLER_TIMEOUT'))]);
});

// SPAWN-CHILD-2
test('a host process is gone when its parent is killed, whether it waits or spins', { timeout: 20_000 }, async () => {
  for (const command of [{ kind: 'add', amount: 1 }, { kind: 'spin' }] satisfies CounterCommand[]) {
    const directory = mkdtempSync(join(tmpdir(), 'counters-'));
    const parent = spawn(
      process.execPath,
      [fileURLToPath(new URL('./orphaning-parent.js', import.meta.url)), directory, JSON.stringify(command)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const hostPid = Number(line.toString());
    ok(isAlive(hostPid));
    parent.kill('SIGKILL');
    await until(() => !isAlive(hostPid));
    rmSync(directory, { recursive: true, force: true });
  }
});

test('nothing keeps a process alive after close', { timeout: 20_000 }, async () => {
  for (const isolation of ['thread', 'process']) {
    const directory = mkdtempSync(join(tmpdir(), 'counters-'));
    const child = spawn(process.execPath, [fileURLToPath(new URL('./closing-parent.js', import.meta.url)), directory, isolation], {
      stdio: 'inherit',
    });
    const [code] = await once(child, 'exit');
    equal(code, 0);
    rmSync(directory, { recursive: true, force: true });
  }
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
function codeOrValue(outcome: PromiseSettledResult<CounterReply>): unknown {
  return outcome.status === 'fulfilled' ? outcome.value.value : outcome.reason.code;
}
