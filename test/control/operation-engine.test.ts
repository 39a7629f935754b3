// Operations: lanes, ends, cancellation, full disks and new incarnations.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { LongRunningOperation, OperationKind } from '../../src/contract/hosted/operation.js';
import { limits } from '../../src/contract/limits.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { countOf, moveCount } from '../../src/control/catalog/quotas.js';
import { OperationEngine } from '../../src/control/core/operation-engine.js';
import { operationTable } from '../../src/control/core/operation-records.js';
import {
  type CreateOperation,
  type Ending,
  type OperationRecord,
  OperationSuspended,
  type Operations,
  type Runner,
  type RunnerContext,
} from '../../src/control/core/operations.js';
import { ownFailure } from '../../src/control/guard/interruptions.js';
import fc from '../fast-check.js';
import { until } from '../until.js';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Incarnation {
  catalog: Catalog;
  operations: Operations;
  disk: { full: boolean; beforeCommit?(): void };
  directory: string;
  errors: unknown[];
  /** Ids of those that were started too often. */
  spent: string[];
  create(lane?: string, kind?: OperationKind): Promise<LongRunningOperation>;
  crash(): Promise<void>;
}
function openIncarnation(
  runners: Partial<Record<OperationKind, Runner>>,
  directory = mkdtempSync(join(tmpdir(), 'drillyard-operations-')),
): Incarnation {
  folders.push(directory);
  const disk: Incarnation['disk'] = { full: false };
  const onCommit = (): void => {
    disk.beforeCommit?.();
    if (disk.full) throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' });
  };
  const catalog = new Catalog({ directory, onCommit });
  const errors: unknown[] = [];
  const log = { info: () => {}, warn: () => {}, error: (_: string, fields?: object) => errors.push(fields) };
  let now = 1000;
  const spent: string[] = [];
  const onSpent = (_: unknown, { operation }: OperationRecord): void => void spent.push(operation.operationId);
  const operations = new OperationEngine({ catalog, nowMs: () => now++, log, retryMs: 1, onSpent });
  for (const [kind, runner] of Object.entries(runners)) operations.define(kind as OperationKind, runner);
  operations.resume();
  return {
    catalog,
    operations,
    disk,
    directory,
    errors,
    spent,
    create: (lane = 'lane', kind = 'world.time.advance') => catalog.change((tx) => operations.create(tx, request(lane, kind))),
    crash: async () => {
      disk.full = true;
      await operations.drain(0);
      await catalog.close();
    },
  };
}
const request = (lane: string, kind: OperationKind): CreateOperation => ({
  kind,
  organizationId: 'org_1',
  projectId: 'prj_1',
  lane,
  resource: { type: 'session', id: 'ses_1' },
  input: { lane },
  idempotencyKey: 'key-0001',
  requestHash: 'sha256:0',
  correlationId: 'corr_1',
});
const turn = (): Promise<void> => new Promise(setImmediate);
const succeeded = (value = 'done'): Ending => ({ state: 'succeeded', apply: () => value });
const runner = (run: Runner['run'], rest: Partial<Runner> = {}): { 'world.time.advance': Runner } => ({
  'world.time.advance': { run, ...rest },
});

/** A runner whose work the test ends, one by one. */
function held(): {
  run: Runner['run'];
  begun: string[];
  contexts: Map<string, RunnerContext>;
  finish(id: string, ending?: Ending): void;
  fail(id: string, error: unknown): void;
} {
  const begun: string[] = [];
  const contexts = new Map<string, RunnerContext>();
  const settle = new Map<string, { resolve(ending: Ending): void; reject(error: unknown): void }>();
  return {
    begun,
    contexts,
    run: ({ operation: { operationId } }, context) => {
      begun.push(operationId);
      contexts.set(operationId, context);
      return new Promise((resolve, reject) => settle.set(operationId, { resolve, reject }));
    },
    finish: (id, ending = succeeded()) => settle.get(id)!.resolve(ending),
    fail: (id, error) => settle.get(id)!.reject(error),
  };
}

// OPERATIONS-3
test('an operation goes from pending to running to succeeded, and its effect and its end commit together', async () => {
  const work = held();
  const { operations, create, catalog } = openIncarnation(runner(work.run));
  const made = await create();
  assert.deepEqual([made.state, made.startedAtMs, made.result], ['pending', undefined, undefined]);
  await until(() => work.begun.length === 1);
  const running = operations.find(made.operationId)!;
  assert.deepEqual([running.state, running.finishedAtMs], ['running', undefined]);
  assert.ok(running.startedAtMs! >= made.createdAtMs);
  work.finish(made.operationId, {
    state: 'succeeded',
    apply: (tx) => {
      moveCount(tx, 'effect', 1);
      return { reached: 5 };
    },
  });
  const ended = await operations.whenEnded(made.operationId);
  assert.deepEqual([ended.state, ended.result, ended.error, countOf(catalog.view, 'effect')], ['succeeded', { reached: 5 }, undefined, 1]);
  assert.ok(ended.finishedAtMs! >= ended.startedAtMs!);
  assert.deepEqual(operations.find(made.operationId), ended);
  assert.deepEqual(await operations.whenEnded(made.operationId), ended, 'asked afterwards');
});

// OPERATIONS-1
test('what did not commit never begins', async () => {
  const work = held();
  const { operations, create, disk, catalog } = openIncarnation(runner(work.run));
  disk.full = true;
  await assert.rejects(create(), (error: ServiceError) => error.code === 'control.STORAGE_FULL');
  disk.full = false;
  await assert.rejects(
    catalog.change((tx) => {
      operations.create(tx, request('lane', 'world.time.advance'));
      throw new Error('thrown away');
    }),
  );
  const kept = await create();
  await until(() => work.begun.length === 1);
  assert.deepEqual(work.begun, [kept.operationId]);
});

// OPERATIONS-2, OPERATION-ENGINE-1
test('one at a time in a lane, in the order they were recorded; lanes do not wait for each other', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 }),
      fc.infiniteStream(fc.nat()),
      async (lanes, choices) => {
        const work = held();
        const { operations, create, crash } = openIncarnation(runner(work.run));
        const made = await Promise.all(lanes.map((lane) => create(lane)));
        const waiting = new Map<string, string[]>();
        for (const [at, lane] of lanes.entries()) waiting.set(lane, [...(waiting.get(lane) ?? []), made[at]!.operationId]);
        let ended = 0;
        while (waiting.size > 0) {
          await until(() => work.begun.length === ended + waiting.size);
          const running = new Set(work.begun.filter((id) => operations.find(id)?.state === 'running'));
          assert.deepEqual(running, new Set([...waiting.values()].map((ids) => ids[0]!)));
          const names = [...waiting.keys()];
          const lane = names[choices.next().value % names.length]!;
          const [first, ...rest] = waiting.get(lane)!;
          work.finish(first!);
          await operations.whenEnded(first!);
          ended += 1;
          if (rest.length > 0) waiting.set(lane, rest);
          else waiting.delete(lane);
        }
        await crash();
      },
    ),
    { numRuns: 15 },
  );
});

test('a lane is bounded, and every end frees a place in it', async () => {
  const work = held();
  const { operations, create } = openIncarnation(runner(work.run));
  const made = await Promise.all(Array.from({ length: limits.lanePendingMax }, () => create()));
  await assert.rejects(create(), (error: ServiceError) => error.code === 'control.WORLD_BUSY' && error.extra.retryAfterMs! > 0);
  await create('another lane');
  await until(() => work.begun.length === 2);
  work.finish(made[0]!.operationId);
  await operations.whenEnded(made[0]!.operationId);
  await create();
  await assert.rejects(create(), (error: ServiceError) => error.code === 'control.WORLD_BUSY');
});

test('a refusal ends it as failed with its code, a bug without its stack; what admission did is taken back in the same change', async () => {
  const work = held();
  const taken: unknown[] = [];
  const onFailure: Runner['onFailure'] = (tx, record, error) => {
    taken.push(error);
    moveCount(tx, `failed ${record.operation.operationId}`, 1);
  };
  const { operations, create, catalog, errors } = openIncarnation(runner(work.run, { onFailure }));
  const refusal = new ServiceError('control.SOURCE_INVALID', { issues: [{ path: '/a', code: 'x', message: 'y' }], details: { n: 1 } });
  const bug = new Error('secret path /home/x');
  const exhausted = Object.assign(new Error("EMFILE: too many open files, open 'secret path'"), { code: 'EMFILE', syscall: 'open' });
  for (const thrown of [refusal, bug, exhausted]) {
    const { operationId } = await create();
    await until(() => work.begun.includes(operationId));
    work.fail(operationId, thrown);
    const { state, error, result } = await operations.whenEnded(operationId);
    assert.deepEqual([state, result, countOf(catalog.view, `failed ${operationId}`)], ['failed', undefined, 1]);
    assert.equal(error?.correlationId, 'corr_1');
    if (thrown === refusal) {
      assert.deepEqual(
        [error.code, error.source, error.retryable, error.issues, error.details],
        ['control.SOURCE_INVALID', 'control', false, refusal.extra.issues, { n: 1 }],
      );
    } else {
      assert.equal(error.code, thrown === bug ? 'control.INTERNAL' : 'control.UNAVAILABLE');
      assert.equal(JSON.stringify(error).includes('secret path'), false);
    }
  }
  assert.deepEqual(taken, [refusal, bug, exhausted]);
  assert.equal(errors.length, 2, 'the bug and the lack of descriptors are in the log, the refusal is not');
});

test('an ending that throws fails the operation; so does one whose failure throws too', async () => {
  const broken: Ending = {
    state: 'succeeded',
    apply: (tx) => {
      moveCount(tx, 'half', 1);
      throw new ServiceError('control.STATE_CONFLICT');
    },
  };
  for (const failureThrows of [false, true]) {
    const onFailure: Runner['onFailure'] = (tx) => {
      moveCount(tx, 'failure', 1);
      if (failureThrows) throw new Error('this one too');
    };
    const { operations, create, catalog } = openIncarnation(runner(async () => broken, { onFailure }));
    const ended = await operations.whenEnded((await create()).operationId);
    assert.deepEqual([ended.state, ended.error?.code], ['failed', 'control.STATE_CONFLICT']);
    assert.deepEqual([countOf(catalog.view, 'half'), countOf(catalog.view, 'failure')], [0, failureThrows ? 0 : 1]);
  }
});

// OPERATION-ENGINE-3
test('an end that the disk does not take is written later, and the runner does not run again for it', async () => {
  const work = held();
  const { operations, create, disk, catalog } = openIncarnation(runner(work.run));
  const { operationId } = await create();
  await until(() => work.begun.length === 1);
  disk.full = true;
  const ended = operations.whenEnded(operationId);
  work.finish(operationId, {
    state: 'succeeded',
    apply: (tx) => {
      moveCount(tx, 'effect', 1);
      return null;
    },
  });
  for (let n = 0; n < 20; n++) await turn();
  assert.equal(operations.find(operationId)?.state, 'running');
  disk.full = false;
  assert.equal((await ended).state, 'succeeded');
  assert.deepEqual([countOf(catalog.view, 'effect'), work.begun.length], [1, 1]);
});

test('when the host under it is lost, the runner runs again, but not for ever', async () => {
  let runs = 0;
  const lost = new ServiceError('world.ACTOR_RESTARTED');
  const incarnation = openIncarnation({
    'world.time.advance': { run: async () => (++runs < 3 ? Promise.reject(lost) : succeeded()) },
    'world.fault.set': { run: async () => Promise.reject(lost) },
  });
  assert.equal((await incarnation.operations.whenEnded((await incarnation.create()).operationId)).state, 'succeeded');
  assert.equal(runs, 3);
  const given = await incarnation.operations.whenEnded((await incarnation.create('lane', 'world.fault.set')).operationId);
  assert.deepEqual([given.state, given.error?.code, given.error?.retryable], ['failed', 'world.ACTOR_RESTARTED', true]);
});

test('progress shows while it runs, and its result after', async () => {
  const work = held();
  const { operations, create } = openIncarnation(runner(work.run));
  const { operationId } = await create();
  await until(() => work.begun.length === 1);
  work.contexts.get(operationId)!.progress({ reachedUs: 3 });
  assert.deepEqual(operations.find(operationId)?.result, { reachedUs: 3 });
  work.finish(operationId, succeeded('all'));
  assert.equal((await operations.whenEnded(operationId)).result, 'all');
});

test('cancelling: at once while it waits, by its signal while it runs, never after', async () => {
  const work = held();
  const takenBack: string[] = [];
  const onCancel = (_: unknown, { operation }: OperationRecord): void => void takenBack.push(operation.operationId);
  const { operations, create, catalog } = openIncarnation(runner(work.run, { onCancel }));
  const [first, second, third] = [await create(), await create(), await create()];
  const cancel = (id: string): Promise<LongRunningOperation> => catalog.change((tx) => operations.cancel(tx, id));

  const waited = operations.whenEnded(second.operationId);
  const cancelled = await cancel(second.operationId);
  assert.deepEqual([cancelled.state, takenBack], ['cancelled', [second.operationId]]);
  assert.ok(cancelled.cancelRequestedAtMs! <= cancelled.finishedAtMs!);
  assert.deepEqual(await waited, cancelled);

  await until(() => work.begun.length === 1);
  const asked = await cancel(first.operationId);
  assert.deepEqual([asked.state, work.contexts.get(first.operationId)!.signal.aborted], ['running', true]);
  assert.equal((await cancel(first.operationId)).cancelRequestedAtMs, asked.cancelRequestedAtMs, 'asking twice is asking once');
  work.finish(first.operationId, { state: 'cancelled', apply: () => 'as far as it came' });
  const ended = await operations.whenEnded(first.operationId);
  assert.deepEqual([ended.state, ended.result, ended.cancelRequestedAtMs], ['cancelled', 'as far as it came', asked.cancelRequestedAtMs]);

  for (const id of [first.operationId, second.operationId]) {
    await assert.rejects(
      cancel(id),
      (error: ServiceError) => error.code === 'control.STATE_CONFLICT' && error.extra.details?.state === 'cancelled',
    );
  }
  await assert.rejects(cancel('op_none'), (error: ServiceError) => error.code === 'control.NOT_FOUND');
  await until(() => work.begun.length === 2);
  assert.deepEqual(work.begun, [first.operationId, third.operationId], 'the cancelled one never began');
});

// OPERATION-ENGINE-2
test('what runs for a while is running on the disk, too, since the time that was shown all along', async () => {
  const work = held();
  const { operations, create, catalog } = openIncarnation(runner(work.run));
  const { operationId } = await create();
  await until(() => work.begun.length === 1);
  const { startedAtMs } = operations.find(operationId)!;
  await until(() => catalog.view.get(operationTable, operationId)?.operation.state === 'running');
  assert.equal(catalog.view.get(operationTable, operationId)?.operation.startedAtMs, startedAtMs);
  work.finish(operationId);
  const ended = await operations.whenEnded(operationId);
  assert.deepEqual([ended.state, ended.startedAtMs], ['succeeded', startedAtMs]);
});

test('a runner may refuse to be cancelled before it has begun', async () => {
  const work = held();
  const onCancel = (): void => {
    throw new ServiceError('control.STATE_CONFLICT', { message: 'It must happen.' });
  };
  const { operations, create, catalog } = openIncarnation(runner(work.run, { onCancel }));
  await create();
  const second = await create();
  await assert.rejects(
    catalog.change((tx) => operations.cancel(tx, second.operationId)),
    /It must happen/,
  );
  assert.equal(operations.find(second.operationId)?.state, 'pending');
});

// OPERATIONS-3
test('the next incarnation takes up what the last one left, in order, and knows what was to be cancelled', async () => {
  const work = held();
  const incarnation = openIncarnation(runner(work.run));
  const made = [await incarnation.create('a'), await incarnation.create('a'), await incarnation.create('b'), await incarnation.create('b')];
  await until(() => work.begun.length === 2);
  // Durably running, and one of them asked to stop.
  await incarnation.catalog.change((tx) => incarnation.operations.cancel(tx, made[2]!.operationId));
  await incarnation.crash();

  const again = held();
  const next = openIncarnation(runner(again.run), incarnation.directory);
  await until(() => again.begun.length === 2);
  assert.deepEqual(new Set(again.begun), new Set([made[0]!.operationId, made[2]!.operationId]));
  assert.equal(again.contexts.get(made[0]!.operationId)!.signal.aborted, false);
  assert.equal(again.contexts.get(made[2]!.operationId)!.signal.aborted, true);
  const before = next.operations.find(made[0]!.operationId)!;
  again.finish(made[0]!.operationId);
  const ended = await next.operations.whenEnded(made[0]!.operationId);
  assert.equal(ended.startedAtMs, before.startedAtMs, 'it began once');
  await until(() => again.begun.length === 3);
  assert.equal(again.begun[2], made[1]!.operationId);
  await next.crash();
  const last = openIncarnation(runner(held().run), incarnation.directory);
  assert.deepEqual(last.operations.find(made[0]!.operationId)?.state, 'succeeded', 'what has ended has ended');
});

test('draining starts nothing more, waits for what runs as long as it may, and leaves the rest to the next incarnation', async () => {
  const work = held();
  const incarnation = openIncarnation(runner(work.run));
  const [first, second] = [await incarnation.create('a'), await incarnation.create('a')];
  const slow = await incarnation.create('b');
  await until(() => work.begun.length === 2);
  const waiting = incarnation.operations.whenEnded(slow.operationId);
  const drained = incarnation.operations.drain(50);
  const late = await incarnation.create('c');
  work.finish(first.operationId);
  await assert.rejects(waiting, (error: ServiceError) => error.code === 'control.UNAVAILABLE');
  await drained;
  assert.deepEqual(work.begun, [first.operationId, slow.operationId]);
  // It ends after this incarnation is over: as if it had not.
  work.finish(slow.operationId);
  for (let n = 0; n < 5; n++) await turn();
  const states = [first, second, slow, late].map(({ operationId }) => incarnation.operations.find(operationId)?.state);
  assert.deepEqual(states, ['succeeded', 'pending', 'running', 'pending']);
  await incarnation.catalog.close();

  const again = held();
  openIncarnation(runner(again.run), incarnation.directory);
  await until(() => again.begun.length === 3);
  assert.deepEqual(new Set(again.begun), new Set([second, slow, late].map(({ operationId }) => operationId)));
});

test('who only waits for somebody outside leaves when this incarnation ends', async () => {
  const incarnation = openIncarnation(
    runner(async (_, { leaving }) => {
      await new Promise((resolve) => leaving.addEventListener('abort', resolve));
      throw new OperationSuspended();
    }),
  );
  const { operationId } = await incarnation.create();
  await until(() => incarnation.operations.find(operationId)?.state === 'running');
  await incarnation.operations.drain(60_000);
  assert.equal(incarnation.operations.find(operationId)?.finishedAtMs, undefined);
  await incarnation.catalog.close();
  const next = openIncarnation(
    runner(async () => succeeded()),
    incarnation.directory,
  );
  assert.equal((await next.operations.whenEnded(operationId)).state, 'succeeded');
});

const startsOf = ({ catalog }: Incarnation, { operationId }: LongRunningOperation): number =>
  catalog.view.get(operationTable, operationId)?.starts ?? 0;

// OPERATIONS-4, OPERATION-ENGINE-2
test('what ends the process each time it runs is ended after so many starts, over all incarnations; what waits behind it continues', async () => {
  const failed: unknown[] = [];
  let begun = 0;
  const work = (): { 'world.time.advance': Runner; 'world.fault.set': Runner } => ({
    'world.time.advance': {
      run: () => {
        begun += 1;
        return new Promise(() => {});
      },
      onFailure: (_, __, error) => void failed.push(error),
    },
    'world.fault.set': { run: async () => succeeded() },
  });
  let incarnation = openIncarnation(work());
  const deadly = await incarnation.create();
  const behind = await incarnation.create('lane', 'world.fault.set');
  for (let incarnations = 1; incarnations <= limits.operationStartsMax; incarnations++) {
    await until(() => begun === incarnations);
    assert.equal(startsOf(incarnation, deadly), incarnations, 'on the disk before it ran');
    assert.deepEqual([incarnation.operations.find(deadly.operationId)?.state, incarnation.spent], ['running', []]);
    await incarnation.crash();
    incarnation = openIncarnation(work(), incarnation.directory);
  }
  const { state, error } = await incarnation.operations.whenEnded(deadly.operationId);
  assert.deepEqual([state, error?.code, error?.retryable, error?.details], ['failed', 'control.ATTEMPTS_EXHAUSTED', false, { starts: 5 }]);
  assert.match(error!.message, /started 5 times/);
  assert.equal(begun, limits.operationStartsMax);
  assert.deepEqual(
    [(failed[0] as ServiceError).code, failed.length, incarnation.spent],
    ['control.ATTEMPTS_EXHAUSTED', 1, [deadly.operationId]],
  );
  assert.equal((await incarnation.operations.whenEnded(behind.operationId)).state, 'succeeded');
  await incarnation.crash();
});

// OPERATION-ENGINE-2
test('a runner does not start before its start is on the disk', async () => {
  const work = held();
  const incarnation = openIncarnation(runner(work.run));
  const { operationId } = await incarnation.create();
  await until(() => work.begun.length === 1);
  await incarnation.crash();
  const again = held();
  const next = openIncarnation(runner(again.run), incarnation.directory);
  next.disk.full = true;
  for (let n = 0; n < 20; n++) await turn();
  assert.deepEqual(again.begun, []);
  next.disk.full = false;
  await until(() => again.begun.length === 1);
  again.finish(operationId);
  assert.equal((await next.operations.whenEnded(operationId)).state, 'succeeded');
  await next.crash();
});

test('an incarnation that ends in order does not count its starts, however many they are', async () => {
  let directory: string | undefined;
  let made: LongRunningOperation | undefined;
  for (let incarnations = 0; incarnations <= limits.operationStartsMax + 1; incarnations++) {
    const work = held();
    const incarnation = openIncarnation(runner(work.run), directory);
    directory = incarnation.directory;
    made ??= await incarnation.create();
    await until(() => work.begun.length === 1);
    assert.equal(startsOf(incarnation, made), 1);
    await incarnation.operations.drain(0);
    assert.equal(startsOf(incarnation, made), 0);
    await incarnation.catalog.close();
  }
});

// OPERATIONS-4
test('a start that ended its host stays counted where its incarnation ends before the next one', async () => {
  let drained: Promise<void> | undefined;
  const incarnation: Incarnation = openIncarnation(
    runner(async () => {
      drained = incarnation.operations.drain(50);
      throw ownFailure(new ServiceError('world.ACTOR_RESTARTED'));
    }),
  );
  const made = await incarnation.create();
  await until(() => drained !== undefined);
  await drained;
  assert.equal(startsOf(incarnation, made), 1);
  await incarnation.catalog.close();
});

// OPERATION-LANES-1
test('of many at once those that have not begun when an incarnation ends are not counted as started', async () => {
  const work = held();
  const incarnation = openIncarnation(runner(work.run));
  const many = Array.from({ length: 40 }, (_, n) => `lane ${n}`);
  const made = await Promise.all(many.map((lane) => incarnation.create(lane)));
  const begun = work.begun.length;
  assert.ok(begun > 0 && begun < many.length, `${begun} begun`);
  const drained = incarnation.operations.drain(1);
  // The machine is busy until the time is over, so that no lane gets another turn before that.
  for (const untilMs = performance.now() + 5; performance.now() < untilMs; );
  await drained;
  assert.equal(work.begun.length, begun);
  for (const one of made) assert.equal(startsOf(incarnation, one), 0);
  await incarnation.catalog.close();

  const again = held();
  openIncarnation(runner(again.run), incarnation.directory);
  await until(() => again.begun.length === many.length);
});

// OPERATION-LANES-1
test('one whose start is on its way to the disk when an incarnation is over does not run, and is not counted as started', async () => {
  const work = held();
  const incarnation = openIncarnation(runner(work.run));
  const one = await incarnation.create();
  const next = await incarnation.create();
  await until(() => work.begun.length === 1);
  let drained: Promise<void> | undefined;
  let commits = 0;
  incarnation.disk.beforeCommit = () => {
    // The first is the end of the one that ran.
    if (++commits !== 2) return;
    drained = incarnation.operations.drain(0);
    for (const untilMs = performance.now() + 5; performance.now() < untilMs; );
  };
  work.finish(one.operationId);
  await until(() => drained !== undefined);
  await drained;
  await incarnation.catalog.close();
  for (let n = 0; n < 20; n++) await turn();
  assert.deepEqual(work.begun, [one.operationId]);

  const again = held();
  const later = openIncarnation(runner(again.run), incarnation.directory);
  await until(() => again.begun.length === 1);
  assert.deepEqual([again.begun, startsOf(later, next)], [[next.operationId], 1]);
});

test('what waits for somebody outside is counted from there on', async () => {
  const work = held();
  const incarnation = openIncarnation(runner(work.run));
  const made = await incarnation.create();
  await until(() => work.begun.length === 1);
  await incarnation.catalog.change((tx) => incarnation.operations.forgetStarts(tx, made.operationId));
  assert.equal(startsOf(incarnation, made), 0);
  await incarnation.crash();
});

// OPERATIONS-4
test('one that ends its host each time is started so often; what another ended under it is not counted', async () => {
  const own = ownFailure(new ServiceError('world.ACTOR_RESTARTED'));
  let runs = 0;
  const incarnation = openIncarnation({
    'world.time.advance': { run: async () => Promise.reject(++runs % 2 === 0 ? own : new ServiceError('world.ACTOR_RESTARTED')) },
    'world.fault.set': { run: async () => (++runs < 12 ? Promise.reject(new ServiceError('control.UNAVAILABLE')) : succeeded()) },
    'world.session.destroy': { run: async () => (++runs < 12 ? Promise.reject(own) : succeeded()), startsMax: Number.POSITIVE_INFINITY },
  });
  const given = await incarnation.operations.whenEnded((await incarnation.create()).operationId);
  assert.deepEqual([given.error?.code, given.error?.details, runs], ['control.ATTEMPTS_EXHAUSTED', { starts: 5 }, 10]);
  for (const kind of ['world.fault.set', 'world.session.destroy'] as const) {
    runs = 0;
    assert.equal((await incarnation.operations.whenEnded((await incarnation.create('lane', kind)).operationId)).state, 'succeeded');
  }
  await incarnation.crash();
});
