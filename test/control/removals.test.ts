// What is removed while a backup is made: nothing of what it has still to copy.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../src/contract/errors.js';
import { sweepBlobs } from '../../src/control/blob-sweep.js';
import { Removals } from '../../src/control/memory/removals.js';
import { sweepEvidence } from '../../src/control/runs/evidence-bundles.js';
import { bundleFolder, evidenceTable } from '../../src/control/runs/evidence-records.js';
import { diskFull } from '../../src/files/disk-full.js';
import { until } from '../until.js';
import { openSessionKit } from './session-kit.js';

const never = new AbortController().signal;
/** Whether it has settled by now. */
async function isSettled(work: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void work.finally(() => {
    settled = true;
  });
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  return settled;
}

// REMOVALS-1
test('worlds of a project wait until they are copied, everything else until the end; a stop ends the waiting', async () => {
  const removals = new Removals();
  await removals.ofWorlds('a', never);
  const release = await removals.hold();
  const leaving = new AbortController();
  const [ofA, ofB, ofOne] = [removals.ofWorlds('a', never), removals.ofWorlds('b', never), removals.ofWorlds('b', leaving.signal)];
  let ran = false;
  const rest = removals.run(async () => {
    ran = true;
  }, never);
  const stopped = removals.run(() => assert.fail('it was to stop'), leaving.signal);
  removals.worldsCopied('a');
  await ofA;
  leaving.abort(new Error('leaving'));
  await ofOne;
  await assert.rejects(stopped, /leaving/);
  assert.deepEqual([await isSettled(ofB), await isSettled(rest), ran], [false, false, false]);
  release();
  await Promise.all([ofB, rest]);
  assert.ok(ran && !removals.areHeld);
});

// REMOVALS-1
test('what was being removed when a backup begins is gone before its first copy', async () => {
  const removals = new Removals();
  let end = (): void => {};
  const removing = removals.run(() => new Promise<void>((resolve) => (end = resolve)), never);
  await nextTurn();
  const held = removals.hold();
  assert.equal(await isSettled(held), false);
  end();
  await removing;
  (await held)();
});

// REMOVALS-1, DATA-BACKUPS-1
test('while worlds are copied, calls are answered and sessions are made; a world, a snapshot, a blob and a bundle stay until then', async () => {
  const kit = await openSessionKit();
  const { services, directory } = kit;
  const [one, other] = [await kit.session(), await kit.session()];
  const { credential } = await kit.access(one.sessionId);
  const snapshot = async () => {
    const { operation, snapshot: made } = await kit.call('createSnapshot', { path: one, body: { expectedLeaseGeneration: 1 } });
    await kit.done(operation);
    return made.hostedSnapshotId;
  };
  const hostedSnapshotId = await snapshot();
  const evidenceBundleId = 'evidence_00000000000000000000000001';
  const { projectId, organizationId } = kit;
  const bundle = { evidenceBundleId, organizationId, projectId, state: 'deleted' } as never;
  const folder = bundleFolder(directory, evidenceBundleId);
  mkdirSync(folder, { recursive: true });
  await services.catalog.change((tx) => tx.put(evidenceTable, { bundle, runId: 'run', folderRemains: true }));
  const stray = await services.blobs.put(Buffer.from('nobody wants it'));
  const blobs = async (): Promise<boolean> => {
    for await (const digest of services.blobs.digests()) if (digest === stray) return true;
    return false;
  };
  let copied = (): void => {};
  const begun = new Promise<string[]>((resolve) => {
    services.worlds.copyProject = (_, __, worldIds) => {
      resolve([...worldIds]);
      return new Promise<void>((end) => (copied = end));
    };
  });
  await services.backups.begin({ to: `${directory}-copy`, requestId: 'one' });
  assert.deepEqual((await begun).sort(), [one.sessionId, other.sessionId].sort(), 'those of the copied catalog');

  const body = { confirm: hostedSnapshotId, expectedLeaseGeneration: 1 };
  const { operation: deletion } = await kit.call('deleteSnapshot', { path: { hostedSnapshotId }, body });
  const end = { confirm: other.sessionId, expectedLeaseGeneration: 1 };
  const { operation: destruction } = await kit.call('destroySession', { path: { sessionId: other.sessionId }, body: end });
  assert.equal((await kit.add(credential, 5)).status, 200);
  assert.equal((await kit.session()).state, 'ready');
  await sweepEvidence(services);
  assert.equal(await sweepBlobs(services, { keptMs: -60_000 }), 0);
  const states = () => [deletion, destruction].map(({ operationId }) => services.operations.find(operationId)?.state);
  assert.deepEqual([...states(), existsSync(folder), await blobs()], ['running', 'running', true, true]);
  assert.equal(services.backups.latest?.state, 'running');

  copied();
  await kit.done(deletion);
  await kit.done(destruction);
  await until(() => services.backups.latest?.state !== 'running');
  assert.deepEqual(services.backups.latest, { ...services.backups.latest, state: 'succeeded', projects: 1 });
  await sweepEvidence(services);
  assert.ok((await sweepBlobs(services, { keptMs: -60_000 })) > 0);
  assert.deepEqual([existsSync(folder), await blobs()], [false, false]);
  rmSync(`${directory}-copy`, { recursive: true });
  await kit.close();
});

// DATA-BACKUPS-2
test('a host that ends while it copies is asked again; what cannot be copied is said with its project, and nothing is left', async () => {
  const kit = await openSessionKit();
  const { services, directory } = kit;
  await kit.session();
  const failures = [new Error('the host has ended'), new ServiceError('world.ACTOR_RESTARTED'), diskFull()];
  services.worlds.copyProject = async (_, into) => {
    assert.deepEqual(readdirSync(into), [], 'each try has an empty folder');
    writeFileSync(join(into, 'half'), 'a copy');
    throw failures.shift();
  };
  const to = `${directory}-copy`;
  await services.backups.begin({ to, requestId: 'one' });
  await until(() => services.backups.latest?.state !== 'running');
  const { error, state } = services.backups.latest!;
  assert.deepEqual([failures.length, state, error?.code], [0, 'failed', 'control.STORAGE_FULL']);
  assert.match(error!.message, new RegExp(`worlds of project ${kit.projectId} could not be copied`));
  assert.deepEqual([existsSync(to), existsSync(`${to}.unfinished`), services.removals.areHeld], [false, false, false]);
  await kit.close();
});
