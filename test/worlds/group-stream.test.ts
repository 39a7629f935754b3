import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import { isOfThisBoot } from '../../src/files/boot-mark.js';
import { decodeRecord } from '../../src/worlds/kv/group-record.js';
import { headKey, programRecordKey } from '../../src/worlds/kv/keys.js';
import type { StreamRecord } from '../../src/worlds/kv/stream-log.js';
import { WriteSet } from '../../src/worlds/kv/write-set.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import { tuning } from '../../src/worlds/tuning.js';
import { temporaryFolder } from './storage-kit.js';
import { digestOfStore, MemoryLog, temporaryCopy } from './stream-kit.js';

const entry = (name: string, size = 10) => ({ key: programRecordKey(name), value: Buffer.alloc(size, name) });
const namesIn = ({ body }: StreamRecord): string[] => decodeRecord(body).changes.map(({ key }) => key.subarray(1).toString());
const lost = { code: 'world.ACTOR_RESTARTED' };

function ownFile(context: TestContext, options: { directory?: string; onCommit?: () => void } = {}): { file: KvWriter; log: MemoryLog } {
  const log = new MemoryLog();
  const file = KvWriter.open({ directory: temporaryFolder(context), durability: 'flushed', log, ...options });
  context.after(() => file.close());
  return { file, log };
}
/** An append that ends when the test says so. */
function heldAppend(log: MemoryLog): { begun: Promise<StreamRecord>; end(outcome: 'appended' | 'lost'): void } {
  let end: (outcome: 'appended' | 'lost') => void = () => {};
  const begun = new Promise<StreamRecord>((begin) => {
    log.onAppend = (record) => {
      begin(record);
      return new Promise((resolve) => {
        end = resolve;
      });
    };
  });
  return { begun, end: (outcome) => end(outcome) };
}
async function isDone(work: Promise<unknown>): Promise<boolean> {
  let done = false;
  void work.then(
    () => (done = true),
    () => (done = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

// GROUP-STREAM-2
test('transactions gather in one record until its append begins, and answers come in order', async (context) => {
  const { file, log } = ownFile(context);
  const { begun, end } = heldAppend(log);
  file.put([entry('a')]);
  file.put([entry('b')]);
  const first = file.flushed();
  assert.deepEqual(namesIn(await begun), ['a', 'b']);
  file.put([entry('c')]);
  const second = file.flushed();
  file.put([entry('d')]);
  log.onAppend = async () => 'appended';
  assert.equal(await isDone(first), false);
  end('appended');
  await first;
  await second;
  assert.deepEqual(log.records.map(namesIn), [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  file.put([entry('e')]);
  assert.equal(log.records.length, 2, 'nobody waits for it');
  await file.flushed();
  await file.flushed();
  assert.deepEqual(
    log.records.map(({ number }) => number),
    [1, 2, 3],
  );
});

// GROUP-STREAM-1
test('what the log does not have is in the tail, and what it has leaves it', async (context) => {
  const { file, log } = ownFile(context);
  assert.deepEqual([file.position.number, file.tail()], [0, []]);
  file.put([entry('a')]);
  const { begun, end } = heldAppend(log);
  const first = file.flushed();
  await begun;
  file.put([entry('b')]);
  file.put([entry('c')]);
  const tail = file.tail();
  assert.deepEqual(tail.map(namesIn), [['a'], ['b', 'c']]);
  assert.deepEqual(tail[1]?.follows, tail[0]?.nonce);
  assert.deepEqual(file.position, { number: 2, nonce: tail[1]?.nonce });
  const copy = temporaryCopy(context);
  copy.replay(tail);
  assert.equal(digestOfStore(copy), digestOfStore(file));
  end('appended');
  await first;
  log.onAppend = async () => 'appended';
  file.put([entry('d')]);
  assert.deepEqual(file.tail().map(namesIn), [['b', 'c', 'd']]);
  await file.flushed();
  assert.deepEqual(
    log.records.map(({ nonce, number, body }) => ({ nonce, number, body })),
    [tail[0], file.tail()[0]].map((record) => ({ nonce: record?.nonce, number: record?.number, body: record?.body })),
  );
});

// GROUP-STREAM-3
test('after an append that is lost nothing is written or appended, who waits is refused, and reads remain', async (context) => {
  for (const end of ['lost', 'rejection'] as const) {
    const { file, log } = ownFile(context);
    file.put([entry('a')]);
    await file.flushed();
    const { begun, end: answer } = heldAppend(log);
    if (end === 'rejection') log.onAppend = () => Promise.reject(new Error('a bug'));
    file.put([entry('b')]);
    const waiting = [file.flushed(), file.flushed()];
    if (end === 'lost') {
      await begun;
      file.put([entry('c')]);
      waiting.push(file.flushed());
      answer('lost');
    }
    for (const one of waiting) await assert.rejects(one, lost);
    const before = digestOfStore(file);
    log.onAppend = async () => 'appended';
    await assert.rejects(file.flushed(), lost);
    assert.throws(() => file.put([entry('d')]), lost);
    assert.throws(() => file.allocateId(), lost);
    const set = new WriteSet('world_1', undefined);
    set.put(headKey('world_1'), Buffer.alloc(16));
    assert.deepEqual(
      file.commit([set]).map((refusal) => (refusal as ServiceError).code),
      [lost.code],
    );
    assert.equal(set.state, 'refused');
    assert.equal(digestOfStore(file), before);
    assert.equal(log.records.length, 1);
  }
});

// GROUP-STREAM-1
test('a transaction that fails is in no record', async (context) => {
  let full = false;
  const onCommit = () => {
    if (full) throw Object.assign(new Error('No space left on device'), { code: 28 });
  };
  const { file, log } = ownFile(context, { onCommit });
  file.put([entry('a')]);
  full = true;
  assert.throws(() => file.put([entry('b')]), { code: 'control.STORAGE_FULL' });
  full = false;
  file.put([entry('c')]);
  await file.flushed();
  assert.deepEqual(log.records.map(namesIn), [['a', 'c']]);
});

test('a record that is large takes no further transaction, and a log that is far behind refuses them', async (context) => {
  const { file, log } = ownFile(context);
  const { begun, end } = heldAppend(log);
  file.put([entry('a', tuning.recordBytesAimed)]);
  file.put([entry('b')]);
  const first = file.flushed();
  assert.deepEqual(namesIn(await begun), ['a']);
  log.onAppend = async () => 'appended';
  file.put([entry('c', tuning.unappendedBytesMax)]);
  assert.throws(() => file.put([entry('d')]), { code: 'control.UNAVAILABLE' });
  end('appended');
  await first;
  await file.flushed();
  file.put([entry('d')]);
  await file.flushed();
  assert.deepEqual(log.records.map(namesIn), [['a'], ['b', 'c'], ['d']]);
});

// WRITER-3
test('a file continues its stream when it is opened again, and neither a copy nor an ordinary file becomes one by itself', async (context) => {
  const directory = temporaryFolder(context);
  const log = new MemoryLog();
  const open = (options: { log?: MemoryLog } = {}) => KvWriter.open({ directory, durability: 'committed', ...options });
  const first = open({ log });
  first.put([entry('a')]);
  first.allocateId();
  await first.flushed();
  await first.close();
  await assert.rejects(first.flushed(), lost);
  assert.ok(isOfThisBoot(directory));
  const copied = open();
  assert.throws(() => copied.put([entry('b')]), /by records only/);
  await copied.close();
  const second = open({ log });
  second.put([entry('b')]);
  assert.deepEqual(second.tail().map(namesIn), [['b']], 'what the log had has left the tail');
  await second.flushed();
  await second.close();
  const copy = temporaryCopy(context);
  copy.replay(log.records);
  const file = open();
  assert.equal(digestOfStore(file), digestOfStore(copy));
  file.leaveStream();
  file.put([entry('c')]);
  assert.deepEqual([file.position.number, file.tail()], [0, []]);
  await file.close();
  assert.throws(() => open({ log }), /from its beginning/);
});
