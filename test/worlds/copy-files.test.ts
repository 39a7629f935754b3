// Copies of data files whose worlds work on.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { takeCopy, takeFile } from '../../src/worlds/taken-file.js';
import { verifyWorlds } from '../../src/worlds/verify-worlds.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { Bank, createBank } from './bank-kit.js';

type Context = { after(cleanup: () => unknown): void };
function scratch(context: Context): string {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-copies-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
const plain = { layout: 'shared', durability: 'committed', isolation: 'thread' } as const;

// WORLD-FILE-COPY-1
test('a copy has the worlds that were asked for as they were, also one that shares rows with one that was not', async (context) => {
  const folder = scratch(context);
  const into = join(folder, 'copy');
  mkdirSync(into);
  const worlds = await openWorlds({ ...plain, directory: join(folder, 'data'), hosts: 2 });
  const ids = ['world_000000000000', 'world_000000000001', 'world_000000000002', 'world_000000000003'] as const;
  const banks = await Promise.all(ids.map((worldId) => createBank(worlds, worldId)));
  for (const bank of banks) await bank.add(5);
  const fork = 'world_000000000009';
  const { world } = await banks[0]!.world.fork({ worldId: fork });
  const before = await Promise.all(banks.map((bank) => bank.position()));
  const kept = [fork, ids[1]];
  let isOver = false;
  const copying = worlds.copyFiles(into, kept).finally(() => {
    isOver = true;
  });
  // The worlds are answered meanwhile, at least once.
  for (let calls = 0; calls === 0 || !isOver; calls++) await banks[1]!.add(1);
  await copying;
  const last = await banks[1]!.position();
  await worlds.close();

  assert.deepEqual(readdirSync(into).sort(), ['host-0', 'host-1']);
  const found: string[] = [];
  for (const name of readdirSync(into)) {
    assert.deepEqual(readdirSync(join(into, name)), ['data.mdb']);
    const faults: string[] = [];
    found.push(...(await verifyWorlds(join(into, name, 'data.mdb'), (fault) => faults.push(fault))).map(({ worldId }) => worldId));
    assert.deepEqual(faults, []);
  }
  assert.deepEqual(found.sort(), [...kept].sort());
  const copies = await openWorlds({ ...plain, directory: into, hosts: 2 });
  const copied = new Bank(await copies.open(ids[1]));
  const { evidenceSequence } = await copied.position();
  assert.ok(before[1]!.evidenceSequence <= evidenceSequence && evidenceSequence <= last.evidenceSequence);
  assert.equal((await new Bank(await copies.open(world.worldId)).position()).stateHash, before[0]!.stateHash);
  await copies.close();
});

// TAKEN-FILE-1
test('what a host puts in the place of its copy is taken only if it is a file of one name', async (context) => {
  const folder = scratch(context);
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'of another project');
  const from = join(folder, 'host-0.copy');
  const to = (name: string) => join(folder, name, 'data.mdb');
  symlinkSync(secret, from);
  await assert.rejects(takeFile(from, to('link')), /something else than a file/);
  linkSync(secret, from);
  await assert.rejects(takeFile(from, to('name')), /something else than a file/);
  mkdirSync(from);
  await assert.rejects(takeFile(from, to('folder')), /something else than a file/);
  await assert.rejects(takeFile(from, to('nothing')), { code: 'world.ACTOR_RESTARTED' });
  assert.equal(readFileSync(secret, 'utf8'), 'of another project');
  writeFileSync(from, 'a copy');
  await takeFile(from, to('file'));
  assert.equal(readFileSync(to('file'), 'utf8'), 'a copy');
});

// TAKEN-FILE-2
test('a copy of a file with holes takes no more of the disk than the file, and a file of little else is not copied', async (context) => {
  const folder = scratch(context);
  const [from, copied] = [join(folder, 'from.mdb'), join(folder, 'copy', 'data.mdb')];
  const size = 64 * 1024 * 1024;
  // Neither its begin, nor its end, nor what lies around its holes is that of a piece.
  const written = [1, 1_000_000, 33_333_333].map((at) => [at, randomBytes(100_001)] as const);
  const file = openSync(from, 'w');
  for (const [at, bytes] of written) writeSync(file, bytes, 0, bytes.length, at);
  ftruncateSync(file, size);
  await takeCopy(from, copied);
  assert.ok(readFileSync(copied).equals(readFileSync(from)));
  assert.ok(statSync(copied).blocks * 512 < 4 * 1024 * 1024, `${statSync(copied).blocks} blocks`);
  ftruncateSync(file, 2 ** 40);
  closeSync(file);
  await assert.rejects(takeCopy(from, join(folder, 'hollow', 'data.mdb')), /something else than a file/);
});
