// Homes whose data files write to a log, on real hosts: what they append, what becomes of it when a host ends, and when a home is lost.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WrongAsk } from '../../src/actors/ask-answers.js';
import { ServiceError } from '../../src/contract/errors.js';
import type { FolderLog, WorldsOptions } from '../../src/worlds/api.js';
import { newIdInHome } from '../../src/worlds/homes.js';
import type { RecordPiece } from '../../src/worlds/host-requests.js';
import type { StreamRecord } from '../../src/worlds/kv/stream-log.js';
import { streamStart } from '../../src/worlds/kv/stream-position.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import { RecordPieces } from '../../src/worlds/record-pieces.js';
import { recordsAbove } from '../../src/worlds/stream-tail.js';
import { SystemHomes } from '../../src/worlds/system-homes.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { until } from '../until.js';
import { bankSetup } from './bank-build.js';
import { createBank } from './bank-kit.js';
import { temporaryFolder } from './storage-kit.js';
import { digestOfStore, temporaryCopy } from './stream-kit.js';

const count = 4;
const idIn = (home: number): string => newIdInHome('world', { home, homes: count });
const isCode = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

/** The log of one folder, which a test may hold up. */
class TestLog implements FolderLog {
  readonly records = new Map<number, StreamRecord[]>();
  /** Waited for before a record is in the log. A rejection: it never comes there. */
  gate: () => Promise<void> = async () => {};
  waiting = 0;
  readonly #written = new Map<number, number>();

  of(home: number): StreamRecord[] {
    const found = this.records.get(home) ?? [];
    this.records.set(home, found);
    return found;
  }
  async append(home: number, record: StreamRecord): Promise<'appended' | 'lost'> {
    if (record.number !== this.of(home).length + 1) throw new WrongAsk(`record ${record.number} does not follow`);
    this.waiting++;
    try {
      await this.gate();
    } finally {
      this.waiting--;
    }
    this.of(home).push(record);
    return 'appended';
  }
  async endOf(home: number) {
    return this.of(home).at(-1) ?? streamStart;
  }
  unwritten(home: number): StreamRecord[] {
    return this.of(home).filter(({ number }) => number > (this.#written.get(home) ?? 0));
  }
  written(home: number, number: number): void {
    this.#written.set(home, number);
  }
  /** What a host hears. */
  async streamEnd(home: number) {
    return { ...(await this.endOf(home)), unwritten: this.unwritten(home) };
  }
}

const open = async (t: TestContext, log: FolderLog, directory: string, options: Partial<WorldsOptions> = {}) => {
  const worlds = await openWorlds({
    directory,
    layout: 'homes',
    homes: { count, open: [1, 2, 3], log },
    durability: 'flushed',
    hosts: 2,
    hostsAtStart: 0,
    isolation: 'thread',
    ...options,
  });
  t.after(() => worlds.close());
  return worlds;
};
/** The file of a home equals what the log makes of an empty one, and holds no record above it. */
async function checkFile(t: TestContext, log: TestLog, { directory, home }: { directory: string; home: number }): Promise<void> {
  const copy = temporaryCopy(t);
  copy.replay(log.of(home));
  const file = join(directory, `home-${home}`);
  const { above, position } = await recordsAbove(file, async () => ({ ...(await log.endOf(home)), unwritten: [] }));
  assert.deepEqual([above, position], [[], log.of(home).length]);
  const own = KvWriter.open({ directory: file, durability: 'committed', readOnly: true });
  assert.equal(digestOfStore(copy), digestOfStore(own));
  await own.close();
}

for (const isolation of ['thread', 'process'] as const) {
  // HOST-STREAM-LOG-1
  test(`hosts append what their files change; a record larger than an ask arrives whole (${isolation})`, async (t) => {
    const [directory, log] = [temporaryFolder(t), new TestLog()];
    const worlds = await open(t, log, directory, { isolation });
    const rows = Array.from({ length: 30 }, (_, index) => ({
      action: 'upsert' as const,
      packageId: 'bank',
      namespace: 'log',
      rowId: `row-${index}`,
      value: { note: randomBytes(60_000).toString('base64') },
    }));
    const bank = await createBank(worlds, idIn(1), { setup: { state: [...bankSetup.state, ...rows] } });
    const other = await createBank(worlds, idIn(2));
    assert.ok(log.of(1).some(({ body }) => body.length > 1024 * 1024));
    await Promise.all([bank.add(1), other.add(2), bank.add(3)]);
    const { world } = await bank.world.fork({ worldId: idIn(1) });
    await world.destroy();
    await worlds.closeHome(1);
    await checkFile(t, log, { directory, home: 1 });
    await worlds.openHome(1);
    assert.equal(await bank.balance(), 104);
    await bank.add(1);
    await worlds.close();
    await checkFile(t, log, { directory, home: 2 });
  });

  // HOST-STREAM-LOG-2
  test(`a host that ends within an append leaves what it wrote or appended to the next one, and nothing else (${isolation})`, async (t) => {
    const [directory, log] = [temporaryFolder(t), new TestLog()];
    const worlds = await open(t, log, directory, { isolation });
    const bank = await createBank(worlds, idIn(1));
    let balance = 100;
    for (const [isWritten, isThere] of [
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ] as const) {
      // The transaction that sweeps is written at once.
      if (isWritten) await (await createBank(worlds, idIn(1))).world.destroy();
      const before = log.of(1).length;
      let release = (): void => {};
      log.gate = () =>
        new Promise((resolve, reject) => {
          release = isThere ? resolve : () => reject(new Error('it never came'));
        });
      const adding = bank.add(1);
      const refused = assert.rejects(adding, isCode('world.ACTOR_RESTARTED'));
      await until(() => log.waiting > 0);
      const killing = worlds.killHost(worlds.hostOf(bank.world.worldId));
      await refused;
      log.gate = async () => {};
      release();
      await killing;
      // It was not answered: it may be there or not. Where the file or the log had it, both have it now.
      if (isWritten || isThere) balance += 1;
      assert.equal(await bank.balance(), balance);
      assert.equal(log.of(1).length > before, isWritten || isThere);
    }
    await bank.add(1);
    await worlds.closeHome(1);
    await checkFile(t, log, { directory, home: 1 });
  });
}

// HOST-STREAM-LOG-2
test('a host that ends leaves to the next one what was answered and not written, also of a file that was never written', async (t) => {
  const [directory, log] = [temporaryFolder(t), new TestLog()];
  const worlds = await open(t, log, directory);
  const bank = await createBank(worlds, idIn(1));
  for (let round = 1; round <= 3; round++) {
    await Promise.all([bank.add(1), bank.add(1)]);
    assert.ok(log.unwritten(1).length > 0, 'nothing was late');
    await worlds.killHost(worlds.hostOf(bank.world.worldId));
    assert.equal(await bank.balance(), 100 + 2 * round);
    assert.deepEqual(log.unwritten(1), []);
  }
  await worlds.closeHome(1);
  await checkFile(t, log, { directory, home: 1 });
});

// SYSTEM-HOMES-3
test('a home that is lost within an append is closed at once, and its file has nothing that was not appended', async (t) => {
  const [directory, log] = [temporaryFolder(t), new TestLog()];
  const worlds = await open(t, log, directory);
  const bank = await createBank(worlds, idIn(2));
  let release = (): void => {};
  log.gate = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  const refused = assert.rejects(bank.add(1), isCode('world.ACTOR_RESTARTED'));
  await until(() => log.waiting > 0);
  const end = await log.streamEnd(2);
  await worlds.closeHome(2, { lost: true });
  await refused;
  await assert.rejects(bank.balance(), isCode('control.UNAVAILABLE'));
  const { above, position } = await recordsAbove(join(directory, 'home-2'), async () => end);
  assert.deepEqual([above, position], [[], end.number]);
  release();
});

test('a world is asked nothing before the log has its birth', async (t) => {
  const log = new TestLog();
  const worlds = await open(t, log, temporaryFolder(t));
  const worldId = idIn(3);
  const bank = await createBank(worlds, worldId);
  await bank.world.destroy();
  let release = (): void => {};
  log.gate = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  const making = createBank(worlds, worldId);
  await until(() => log.waiting > 0);
  await assert.rejects(bank.balance(), isCode('control.UNAVAILABLE'));
  log.gate = async () => {};
  release();
  await making;
  assert.equal(await bank.balance(), 100);
});

// STREAM-TAIL-1
test('a home whose file does not follow its log is not opened, and the others are', async (t) => {
  const [directory, log] = [temporaryFolder(t), new TestLog()];
  const worlds = await open(t, log, directory);
  const [bank, other] = [await createBank(worlds, idIn(1)), await createBank(worlds, idIn(3))];
  await bank.add(1);
  await worlds.closeHome(1);
  log.records.set(
    1,
    log.of(1).map((record) => ({ ...record, nonce: randomBytes(16) })),
  );
  await assert.rejects(worlds.openHome(1), isCode('control.DATA_DAMAGED'));
  await assert.rejects(bank.balance(), isCode('control.UNAVAILABLE'));
  await worlds.killHost(worlds.hostOf(bank.world.worldId));
  await assert.rejects(bank.balance(), isCode('control.UNAVAILABLE'));
  await other.add(1);
  assert.equal(await other.balance(), 101);
});

// SYSTEM-HOMES-3, RECORD-PIECES-1
test('an append of another shape, home or order is wrong; one of a home that is not open is lost', async () => {
  const log = new TestLog();
  const homes = new SystemHomes({ count, open: [2], log }, { hosts: 2 });
  const piece: RecordPiece = { home: 2, number: 1, nonce: randomBytes(16), part: 0, body: Buffer.from('x'), isLast: true };
  const wrong: unknown[] = [
    { ...piece, home: 1 },
    { ...piece, home: 'x' },
    { ...piece, number: 0 },
    { ...piece, nonce: randomBytes(15) },
    { ...piece, nonce: undefined },
    { ...piece, part: 1 },
    { ...piece, body: 'x' },
    { ...piece, isLast: 1 },
    { ...piece, number: 2 },
    null,
  ];
  const append = (...pieces: unknown[]) => homes.answer(0, { kind: 'append', pieces });
  for (const one of wrong) await assert.rejects(append(one), WrongAsk);
  const asks = [
    { kind: 'streamEnd', home: 3 },
    { kind: 'written', home: 3, number: 1 },
    { kind: 'written', home: 2, number: 0 },
  ];
  for (const ask of [...asks, { kind: 'append', pieces: piece }]) await assert.rejects(homes.answer(0, ask), WrongAsk);
  assert.deepEqual(await append({ ...piece, home: 4 }), ['lost']);
  assert.equal(await homes.answer(0, { kind: 'streamEnd', home: 4 }), 'lost');
  assert.deepEqual(await append({ ...piece, isLast: false }), ['taken']);
  assert.deepEqual(await append({ ...piece, part: 1 }, { ...piece, home: 4 }), ['appended', 'lost']);
  assert.equal(log.of(2)[0]?.body.toString(), 'xx');

  let release = (): void => {};
  log.gate = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  const first = append({ ...piece, number: 2 });
  await assert.rejects(append({ ...piece, number: 3 }), WrongAsk);
  const end = homes.answer(0, { kind: 'streamEnd', home: 2 });
  release();
  assert.deepEqual(await first, ['appended']);
  assert.equal(((await end) as { number: number }).number, 2);
  const pieces = new RecordPieces();
  pieces.join({ ...piece, isLast: false });
  assert.throws(() => pieces.join({ ...piece, part: 1, nonce: randomBytes(16) }), WrongAsk);
});
