// Opening a database is a refusal with the file's name, or works: never the end of the process, whatever lies in the folder.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ServiceError } from '../../src/contract/errors.js';
import { dataFileOf, openDatabase } from '../../src/files/database.js';
import { databaseFault } from '../../src/files/database-check.js';

const reader = fileURLToPath(new URL('./database-reader.js', import.meta.url));
const writer = fileURLToPath(new URL('./database-writer.js', import.meta.url));
const entries = 2_000;
const keyOf = (index: number): Buffer => Buffer.from(`key-${String(index).padStart(6, '0')}`);

/** With branches, leaves, values in pages of their own, and free pages. */
async function filled(context: Pick<TestContext, 'after'>): Promise<{ directory: string; file: string; bytes: Buffer }> {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-database-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const database = openDatabase({ directory, flushed: false });
  for (let start = 0; start < entries; start += 200) {
    database.transactionSync(() => {
      for (let index = start; index < start + 200; index++)
        database.putSync(keyOf(index), Buffer.alloc(index % 97 === 0 ? 9_000 : 60, index & 255));
      for (let index = start; index < start + 50; index++) database.removeSync(keyOf(index));
    });
  }
  await database.close();
  const file = dataFileOf(directory);
  return { directory, file, bytes: readFileSync(file) };
}

function refusalOf(directory: string): ServiceError | undefined {
  try {
    void openDatabase({ directory, flushed: false }).close();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
}

test('a database that is whole opens with all that was in it, as often as one likes', async (context) => {
  const { directory, file } = await filled(context);
  assert.equal(databaseFault(file, { leaves: true }), undefined);
  for (let again = 0; again < 3; again++) {
    const database = openDatabase({ directory, flushed: false });
    assert.equal([...database.getKeys({})].length, (entries / 200) * 150);
    assert.equal(database.getBinary(keyOf(97))?.length, 9_000);
    await database.close();
  }
});

// DATABASE-1
test('a file cut short at any length is refused by name, and nothing is changed', async (context) => {
  const { directory, file, bytes } = await filled(context);
  const lengths = [0, 1, 24, 100, 159, 160, 4095, 4096, 4097, 8191, 8192, 12_288];
  for (let length = 20_000; length < bytes.length; length += 37_001) lengths.push(length);
  for (const length of [...lengths, bytes.length - 4096]) {
    writeFileSync(file, bytes.subarray(0, length));
    const refusal = refusalOf(directory);
    assert.equal(refusal?.code, 'control.DATA_DAMAGED', `at ${length}`);
    assert.match(refusal.message, /data\.mdb is damaged: it (is|ends)/);
    assert.ok(refusal.message.includes(file));
    assert.equal(statSync(file).size, length);
  }
});

test('a file of something else is refused by name', async (context) => {
  const { directory, file, bytes } = await filled(context);
  const magic = Buffer.from(bytes);
  magic.writeUInt32LE(0xbeefc0df, 24);
  const version = Buffer.from(bytes);
  version.writeUInt32LE(1, 28);
  const secondMeta = Buffer.from(bytes).fill(0x41, 4096, 8192);
  const contents = { text: Buffer.from('hello, this is a text\n'.repeat(2000)), zeros: Buffer.alloc(65_536), magic, version, secondMeta };
  for (const [name, content] of Object.entries(contents)) {
    writeFileSync(file, content);
    assert.equal(refusalOf(directory)?.code, 'control.DATA_DAMAGED', name);
  }
  rmSync(file);
  mkdirSync(file);
  assert.equal(refusalOf(directory)?.code, 'control.INVALID_REQUEST');
});

// DATABASE-1
test('whatever byte is wrong, opening and reading everything never ends in a signal', { timeout: 120_000 }, async (context) => {
  const { directory, bytes } = await filled(context);
  const damaged = join(directory, 'damaged');
  writeFileSync(damaged, bytes);
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [reader, directory, damaged, '400'], { encoding: 'utf8' });
  assert.equal(signal, null, stderr);
  assert.equal(status, 0, stderr);
  const { refused, read } = JSON.parse(stdout) as { refused: number; read: number };
  assert.equal(refused + read, 400);
  // Most of these bytes are of values, in which anything may stand.
  assert.ok(refused > 20, stdout);
});

// DATABASE-CHECK-1
test('what another process writes meanwhile does not look like damage', { timeout: 120_000 }, async (context) => {
  const { directory, file } = await filled(context);
  const before = readFileSync(file);
  const writing = spawn(process.execPath, [writer, directory, '4000'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(writing, 'exit');
  while (writing.exitCode === null && writing.signalCode === null) {
    assert.equal(databaseFault(file, { leaves: true }), undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await ended, [0, null]);
  assert.ok(!readFileSync(file).equals(before));
});

// DATABASE-2
test('every page of the lock file has its place on the disk before it is mapped, also of one that is there already', async (context) => {
  const { directory } = await filled(context);
  const lock = join(directory, 'lock.mdb');
  const isSolid = (): boolean => statSync(lock).blocks * 512 >= statSync(lock).size && statSync(lock).size >= 8_272;
  assert.ok(isSolid());
  for (const size of [0, 8_272, 12_288]) {
    rmSync(lock);
    closeSync(openSync(lock, 'w'));
    truncateSync(lock, size);
    await openDatabase({ directory, flushed: false }).close();
    assert.ok(isSolid(), `of ${size} bytes`);
  }
});

test('a folder that cannot be used is refused with what to do, and no half file is left', (context) => {
  const parent = mkdtempSync(join(tmpdir(), 'drillyard-database-'));
  context.after(() => rmSync(parent, { recursive: true, force: true }));
  writeFileSync(join(parent, 'file'), '');
  assert.equal(refusalOf(join(parent, 'file', 'below'))?.code, 'control.INVALID_REQUEST');
  if (process.getuid?.() === 0) return;
  const folder = join(parent, 'closed');
  mkdirSync(folder);
  chmodSync(folder, 0o500);
  const refusal = refusalOf(folder);
  chmodSync(folder, 0o700);
  assert.match(refusal?.message ?? '', /permission is denied/);
  assert.equal(existsSync(dataFileOf(folder)), false);
});

// DATABASE-3
test('a data file that grows stays in one map', { skip: process.platform !== 'linux' }, async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-database-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const database = openDatabase({ directory, flushed: false });
  for (let index = 0; index < entries; index++) {
    database.putSync(keyOf(index), Buffer.alloc(9_000, index & 255));
    assert.equal(database.getBinary(keyOf(index))?.length, 9_000);
  }
  const maps = readFileSync('/proc/self/maps', 'utf8').split('\n');
  assert.equal(maps.filter((line) => line.endsWith(dataFileOf(directory))).length, 1);
  await database.close();
});

test('a database that is closed leaves nothing in memory', async (context) => {
  const { directory } = await filled(context);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const closed: WeakRef<object>[] = [];
  for (let index = 0; index < 8; index++) {
    // Of another name each, as the folders of attempts are.
    const database = openDatabase({ directory: join(directory, `of-${index}`), flushed: false });
    await database.put(Buffer.from('key'), Buffer.from('value'));
    await database.close();
    closed.push(new WeakRef(database));
  }
  // This function still has the last one, and what a commit began may hold one for a turn or two.
  closed.pop();
  for (let turn = 0; turn < 20 && closed.some((one) => one.deref() !== undefined); turn++) {
    await pause(10);
    collect();
  }
  assert.deepEqual(
    closed.map((one) => one.deref() === undefined),
    closed.map(() => true),
  );
});
