// What anybody can check: evidenceHash and stateHash recomputed from exported lines with public tools and nothing of ours.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import canonicalize from 'canonicalize';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import { commitNow, finish, never, newWorld, putRow, temporaryFolder, temporaryStore, turn, upsert } from './storage-kit.js';

/** Runs and changes rows until the journal has `entries` entries, committing now and then. */
function write(world: WorldState, entries: number, commitEvery = 100): void {
  const space = world.records.space('desk', 'desk', 'tickets');
  for (let step = 0; world.journal.sequence < entries; step++) {
    turn(world, step, () => {
      world.journal.draft({ kind: 'clock', fromUs: step, toUs: step + 1, reason: 'explicit' });
      putRow(world, space, `ticket-${step % 37}`, { step, title: `Ünïcode "${step}" 𝒳` });
    });
    if (step % commitEvery === 0) commitNow(world, {});
  }
}
const evidenceHash = (world: WorldState) => finish(world.journal.evidenceHash(never));
const linesOf = (world: WorldState) => world.journal.lines(1, 1_000_000).lines;

// EVIDENCE-LEAVES-1
test('evidenceHash is what node:crypto makes of the exported lines, each of them canonical', (context) => {
  const world = newWorld(temporaryStore(context));
  for (const entries of [1, 1023, 1024, 1025, 2600]) {
    write(world, entries);
    const lines = linesOf(world).slice(0, -1).split('\n');
    for (const line of lines) assert.equal(canonicalize(JSON.parse(line)), line);
    const leaves: Buffer[] = [];
    for (let from = 0; from < lines.length; from += 1024) {
      const leaf = lines.slice(from, from + 1024).map((line) => `${line}\n`);
      leaves.push(createHash('sha256').update(leaf.join(''), 'utf8').digest());
    }
    assert.equal(evidenceHash(world), `sha256:${createHash('sha256').update(Buffer.concat(leaves)).digest('hex')}`);
  }
});

test('evidenceHash is what split and sha256sum make of evidence.jsonl', { skip: !hasTools() }, (context) => {
  const world = newWorld(temporaryStore(context));
  write(world, 2600);
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'evidence.jsonl'), linesOf(world));
  const sums = execFileSync('sh', ['-c', "split -l 1024 evidence.jsonl leaf- && sha256sum leaf-* | cut -d ' ' -f 1"], {
    cwd: folder,
    encoding: 'utf8',
  });
  writeFileSync(join(folder, 'leaves'), Buffer.from(sums.replaceAll('\n', ''), 'hex'));
  const root = execFileSync('sha256sum', ['leaves'], { cwd: folder, encoding: 'utf8' }).slice(0, 64);
  assert.equal(evidenceHash(world), `sha256:${root}`);
});

// STATE-HASH-1, STATE-HASH-2
test('stateHash is what node:crypto makes of the rows', (context) => {
  const world = newWorld(temporaryStore(context), [
    upsert('a', { n: 1 }),
    upsert('zoo', { n: 2 }, 'animals'),
    upsert('b', { n: 3 }, 'tickets', 'archive'),
  ]);
  const { records } = world;
  const hash = () => finish(records.stateHash(never));
  assert.equal(hash(), recomputed(world));
  const space = records.space('desk', 'second', 'tickets');
  for (let round = 0; round < 3; round++) {
    for (let row = 0; row < 600; row++) turn(world, round, () => putRow(world, space, `row ${row} é`, { row, round }));
    assert.equal(hash(), recomputed(world));
    for (let row = round; row < 600; row += 7) turn(world, round, () => records.delete(space, `row ${row} é`));
    turn(world, round, () => records.delete(records.space('desk', 'desk', 'animals'), 'zoo'));
    assert.equal(hash(), recomputed(world));
    commitNow(world, {});
    assert.equal(hash(), recomputed(world));
  }
});

// STATE-HASH-2
test('the hash of a world without rows or entries is that of nothing', (context) => {
  const store = temporaryStore(context);
  const programKey = newWorld(store).programKey;
  const world = store.createWorld({ worldId: 'world_empty0000000', incarnation: 1, programKey, tag: 'x'.repeat(16) });
  const nothing = `sha256:${createHash('sha256').digest('hex')}`;
  assert.equal(evidenceHash(world), nothing);
  assert.equal(finish(world.records.stateHash(never)), nothing);
});

// EVIDENCE-LEAVES-2
test('leaves made in idle time, stored and found again give the same hash as all at once', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  write(world, 5000, 400);
  commitNow(world, {});
  const expected = evidenceHash(world);
  const other = store.loadWorld(world.worldId, 2) as WorldState;
  assert.equal(other.idle(), true);
  while (other.idle());
  commitNow(other, {});
  const third = store.loadWorld(world.worldId, 3) as WorldState;
  assert.equal(third.idle(), false);
  assert.equal(evidenceHash(third), expected);
  write(third, 7000);
  commitNow(third, {});
  assert.equal(evidenceHash(third), evidenceHash(store.loadWorld(world.worldId, 4) as WorldState));
});

test('a reset to a snapshot keeps the leaves of the prefix and forgets the others', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  write(world, 1500);
  world.takeSnapshot('snap_1', {});
  write(world, 4200);
  evidenceHash(world);
  commitNow(world, {});
  world.reset('snap_1');
  write(world, 3000);
  const lines = linesOf(world);
  const expected = createHash('sha256');
  const all = lines.slice(0, -1).split('\n');
  for (let from = 0; from < all.length; from += 1024) {
    expected.update(
      createHash('sha256')
        .update(
          all
            .slice(from, from + 1024)
            .map((line) => `${line}\n`)
            .join(''),
        )
        .digest(),
    );
  }
  assert.equal(evidenceHash(world), `sha256:${expected.digest('hex')}`);
  commitNow(world, {});
  const again = store.loadWorld(world.worldId, 2) as WorldState;
  assert.equal(linesOf(again), lines);
  assert.equal(evidenceHash(again), evidenceHash(world));
});

test('a hash asked for in slices yields between leaves and ends the same', (context) => {
  const world = newWorld(temporaryStore(context));
  write(world, 4000);
  const steps = world.journal.evidenceHash(() => true);
  let slices = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) slices++;
  assert.equal(slices, 4);
  assert.equal(step.value, evidenceHash(world));
});

test('of long entries a slice hashes only so many: a leaf of them takes many slices', (context) => {
  const world = newWorld(temporaryStore(context));
  const space = world.records.space('desk', 'desk', 'tickets');
  const long = 'x'.repeat(100_000);
  for (let step = 0; step < 200; step++) turn(world, step, () => putRow(world, space, `ticket-${step}`, { step, long }));
  commitNow(world, {});
  const steps = world.journal.evidenceHash(() => true);
  let slices = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) slices++;
  assert.ok(world.journal.sequence < 1024 && slices >= 3, `${slices} slices for ${world.journal.sequence} entries`);
  const leaf = createHash('sha256').update(linesOf(world)).digest();
  assert.equal(step.value, `sha256:${createHash('sha256').update(leaf).digest('hex')}`);
});

function recomputed(world: WorldState): string {
  const sha = (...parts: (string | Buffer)[]) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const lines: { key: string; line: string }[] = [];
  for (const space of world.records.spaces()) {
    const { packageId, instanceId, namespace } = space;
    const rows = world.records.scan(space, { limit: 100_000 }).map((row) => ({ ...row, bucket: sha(Buffer.from(row.rowId, 'utf8'))[0] }));
    if (rows.length === 0) continue;
    const buckets = Array.from({ length: 256 }, (_, bucket) => {
      const own = rows.filter((row) => row.bucket === bucket).sort((a, b) => compare(a.rowId, b.rowId));
      if (own.length === 0) return Buffer.alloc(32);
      return sha(own.map(({ rowId, value }) => `${canonicalize({ instanceId, namespace, packageId, rowId, value })}\n`).join(''));
    });
    const digest = sha(...buckets).toString('hex');
    lines.push({
      key: [packageId, instanceId, namespace].join('\0'),
      line: `${canonicalize({ digest, instanceId, namespace, packageId })}\n`,
    });
  }
  lines.sort((a, b) => compare(a.key, b.key));
  return `sha256:${sha(lines.map(({ line }) => line).join('')).toString('hex')}`;
}

function hasTools(): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v split && command -v sha256sum'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
