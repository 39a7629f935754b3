// A disk that fills: a real one of a few megabytes. The caller gets control.STORAGE_FULL, and once there is space the world opens
// again with everything that was acknowledged.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../../src/compiler/compile.js';
import type { OperationEntry } from '../../src/contract/world/evidence.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { type DiskKind, smallDisk } from '../small-disk.js';
import { crashWorldId } from './crash-turns.js';

const child = fileURLToPath(new URL('./disk-full-child.js', import.meta.url));

async function fillsUp(context: TestContext, kind: DiskKind): Promise<void> {
  const small = smallDisk(context, { kind, megabytes: 6 });
  if (small === undefined) return;
  const disk = small.path;
  const scratch = dirname(disk);

  const { build } = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/counter', import.meta.url)) });
  assert.ok(build);
  writeFileSync(join(scratch, 'build.json'), JSON.stringify(build));
  small.leave(3 * 1024 * 1024);
  const worked = spawnSync(process.execPath, [child, disk, join(scratch, 'build.json')], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const said = worked.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { sequence: number; callId: string; refused?: string });
  assert.equal(said.at(-1)?.refused, 'control.STORAGE_FULL', worked.stderr);
  const acknowledged = said.slice(0, -1);
  assert.ok(acknowledged.length > 100);

  small.empty();
  const worlds = await openWorlds({ directory: disk, layout: 'run', durability: 'committed', hosts: 1, isolation: 'thread' });
  try {
    const world = await worlds.open(crashWorldId);
    for (const { sequence, callId } of acknowledged) {
      const { entries } = await world.query({ kind: 'evidence', fromSequence: sequence, limit: 1 });
      assert.equal((entries[0] as OperationEntry).invocation.callId, callId);
    }
    const again = {
      kind: 'call',
      actorId: 'operator',
      packageId: 'counter',
      operationId: 'add',
      arguments: { counter: 'main', amount: 1 },
    } as const;
    assert.equal((await world.command(again)).outcome.kind, 'ok');
  } finally {
    await worlds.close();
  }
}

test('a full tmpfs is a clear refusal, and nothing acknowledged is lost', { timeout: 60_000 }, (context) => fillsUp(context, 'tmpfs'));
test('a full ext4 is a clear refusal, and nothing acknowledged is lost', { timeout: 60_000 }, (context) => fillsUp(context, 'ext4'));
