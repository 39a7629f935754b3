// A data file that is written later than its log: what its readers see, what an end at any moment leaves, and when it is written.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { headKey, programRecordKey, rangeOfKind, referencesKey } from '../../src/worlds/kv/keys.js';
import type { StreamRecord } from '../../src/worlds/kv/stream-log.js';
import { WriteSet } from '../../src/worlds/kv/write-set.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import { recordsAbove } from '../../src/worlds/stream-tail.js';
import { tuning } from '../../src/worlds/tuning.js';
import { temporaryFolder } from './storage-kit.js';
import { digestOfStore, MemoryLog } from './stream-kit.js';

class KeepingLog extends MemoryLog {
  writtenTo = 0;
  written(number: number): void {
    assert.ok(number >= this.writtenTo);
    this.writtenTo = number;
  }
  get unwritten(): StreamRecord[] {
    return this.records.filter(({ number }) => number > this.writtenTo);
  }
  /** As who opens the file of an owner that has ended does. */
  async bringIn(directory: string): Promise<number> {
    const end = this.records.at(-1) ?? { number: 0, nonce: Buffer.alloc(16) };
    const { position, above } = await recordsAbove(directory, async () => ({ ...end, unwritten: this.unwritten }));
    this.records.push(...above);
    this.written(position);
    return above.length;
  }
}
const entry = (name: string, size = 10) => ({ key: programRecordKey(name), value: Buffer.alloc(size, name) });
const full = Object.assign(new Error('No space left on device'), { code: 28 });

function open(t: TestContext, log: MemoryLog, directory = temporaryFolder(t), onCommit?: () => void): KvWriter {
  const file = KvWriter.open({ directory, durability: 'committed', log, onCommit });
  t.after(() => file.abandon());
  return file;
}
const namesOf = (file: KvWriter): string[] => [...file.keys(rangeOfKind(2))].map((key) => key.subarray(1).toString());

/** A set that changes a world: it puts, removes, names layers and leaves them. */
interface Step {
  world: number;
  names: number[];
  removed: number[];
  layer: number;
  change: 1 | -1;
  size: number;
  next: 'nothing' | 'flush' | 'read' | 'end' | 'idle';
  isRefused: boolean;
}
const step: fc.Arbitrary<Step> = fc.record({
  world: fc.integer({ min: 0, max: 2 }),
  names: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 4 }),
  removed: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 2 }),
  layer: fc.integer({ min: 1, max: 3 }),
  change: fc.constantFrom(1 as const, -1 as const),
  size: fc.constantFrom(1, 100, 70_000),
  next: fc.constantFrom('nothing', 'flush', 'read', 'end', 'idle'),
  isRefused: fc.boolean(),
});

// KV-FILE-1, LATE-CHANGES-1, STREAM-TAIL-1
test('a late file reads as one that is written at once, and what was appended is there again after any end', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const [log, other] = [new KeepingLog(), new MemoryLog()];
      const directory = temporaryFolder(t);
      let isFull = false;
      const onCommit = (): void => {
        if (isFull) throw full;
      };
      let file = open(t, log, directory, onCommit);
      const atOnce = open(t, other);
      const commits = new Map<number, number>();
      const counts = new Map<number, number>();
      for (const { world, names, removed, layer, change, size, next, isRefused } of steps) {
        const sets = [file, atOnce].map((target) => {
          const worldId = `world_${world}`;
          const before = commits.get(world);
          const set = new WriteSet(worldId, before === undefined ? undefined : { incarnation: 1, commits: before });
          for (const name of names) set.put(programRecordKey(`p${name}`), Buffer.alloc(size, name));
          for (const name of removed) set.remove(programRecordKey(`p${name}`));
          if ((counts.get(layer) ?? 0) + change >= 0) set.refer([layer], change);
          set.put(headKey(worldId), headOf((before ?? 0) + 1));
          return { target, set };
        });
        isFull = isRefused;
        if (isRefused) {
          const [{ target, set }] = sets as [(typeof sets)[number]];
          assert.equal((target.commit([set])[0] as { code?: string }).code, 'control.STORAGE_FULL');
        } else {
          for (const { target, set } of sets) assert.deepEqual(target.commit([set]), [undefined]);
          commits.set(world, (commits.get(world) ?? 0) + 1);
          if ((counts.get(layer) ?? 0) + change >= 0) counts.set(layer, (counts.get(layer) ?? 0) + change);
        }
        isFull = false;
        for (const key of [headKey(`world_${world}`), referencesKey(layer), programRecordKey('p1')]) {
          assert.deepEqual(file.get(key), atOnce.get(key));
          assert.equal(file.has(key), atOnce.has(key));
        }
        if (next === 'read') assert.deepEqual(namesOf(file), namesOf(atOnce));
        if (next === 'idle') for (const target of [file, atOnce]) while (target.sweep());
        if (next === 'flush' || next === 'end') await Promise.all([file.flushed(), atOnce.flushed()]);
        if (next === 'end') {
          await file.abandon();
          assert.equal(await log.bringIn(directory), 0);
          file = open(t, log, directory, onCommit);
        }
      }
      for (const target of [file, atOnce]) while (target.sweep());
      await file.close();
      const end = KvWriter.open({ directory, durability: 'committed', readOnly: true });
      assert.equal(digestWithoutIds(end), digestWithoutIds(atOnce));
      await end.close();
      await atOnce.close();
    }),
    { numRuns: 60 },
  );
});
/** As world-head.ts has them: incarnation and commits stand first. */
function headOf(count: number): Buffer {
  const head = Buffer.alloc(16);
  head.writeDoubleLE(1, 0);
  head.writeDoubleLE(count, 8);
  return head;
}
/** Blocks of ids are taken again after an end. */
function digestWithoutIds(file: KvWriter): string {
  const all = [...file.range({ start: Buffer.from([2]), end: Buffer.from([9]) })];
  return all.map(({ key, value }) => `${key.toString('hex')}=${value.toString('hex')}`).join('\n');
}

test('it is written when enough has gathered, when a range is read, and when it closes; a large transaction is at once', async (t) => {
  const log = new KeepingLog();
  const directory = temporaryFolder(t);
  const file = open(t, log, directory);
  file.put([entry('a')]);
  await file.flushed();
  assert.deepEqual([log.writtenTo, log.unwritten.length], [0, 1]);
  assert.deepEqual(namesOf(file), ['a']);
  assert.deepEqual([log.writtenTo, log.unwritten.length], [1, 0]);
  for (let bytes = 0; bytes < tuning.lateBytesMax; bytes += 50_000) {
    assert.equal(log.writtenTo, 1);
    file.put([entry('b', 50_000)]);
    await file.flushed();
  }
  assert.equal(log.writtenTo, log.records.length);
  file.put([entry('c')]);
  file.put([entry('d', tuning.lateTransactionBytesMax + 1)]);
  assert.equal(log.writtenTo, log.records.length + 2, 'with what was late before it');
  await file.flushed();
  file.put([entry('e')]);
  await file.flushed();
  const before = digestOfStore(file);
  file.put([entry('f')]);
  await file.flushed();
  assert.equal(log.unwritten.length, 1);
  await file.close();
  assert.equal(log.unwritten.length, 0);
  assert.equal(await log.bringIn(directory), 0);
  const again = open(t, log, directory);
  assert.notEqual(digestOfStore(again), before);
  assert.deepEqual(namesOf(again), ['a', 'b', 'c', 'd', 'e', 'f']);
});

// GROUP-STREAM-1, GROUP-STREAM-3
test('what was written and not appended is in the tail, what was neither is gone, and of a lost file nothing is written', async (t) => {
  const log = new KeepingLog();
  const directory = temporaryFolder(t);
  const file = open(t, log, directory);
  file.put([entry('a')]);
  await file.flushed();
  file.put([entry('b')]);
  assert.deepEqual(namesOf(file), ['a', 'b']);
  file.put([entry('c')]);
  await file.abandon();
  assert.equal(await log.bringIn(directory), 1);
  const next = open(t, log, directory);
  assert.deepEqual(namesOf(next), ['a', 'b']);
  log.onAppend = async () => 'lost';
  next.put([entry('d')]);
  await assert.rejects(next.flushed(), { code: 'world.ACTOR_RESTARTED' });
  assert.equal(next.get(entry('d').key)?.length, 10);
  assert.throws(() => namesOf(next), { code: 'world.ACTOR_RESTARTED' });
  await next.close();
  assert.equal(await log.bringIn(directory), 0);
  assert.deepEqual(namesOf(open(t, log, directory)), ['a', 'b']);
});

test('on a full disk what was answered stays late, more than may be late is refused, and space makes it whole', async (t) => {
  const log = new KeepingLog();
  let writes = false;
  const directory = temporaryFolder(t);
  const file = open(t, log, directory, () => {
    if (writes) throw full;
  });
  file.put([entry('a')]);
  await file.flushed();
  writes = true;
  assert.throws(() => namesOf(file), { code: 'control.STORAGE_FULL' });
  assert.throws(() => file.put([entry('b')]), { code: 'control.STORAGE_FULL' });
  assert.equal(file.get(entry('a').key)?.length, 10);
  writes = false;
  file.put([entry('b')]);
  await file.flushed();
  assert.deepEqual(namesOf(file), ['a', 'b']);
  assert.equal(log.unwritten.length, 0);
  file.put([entry('c')]);
  await file.flushed();
  writes = true;
  await file.close();
  assert.equal(log.unwritten.length, 1);
  assert.equal(await log.bringIn(directory), 0);
  assert.deepEqual(namesOf(open(t, log, directory)), ['a', 'b', 'c']);
});
