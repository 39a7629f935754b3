// Backups of a service that works: agents write, sessions come and go, and what starts on the copy has all that was acknowledged before.
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Client } from '../../src/client/client.js';
import type { Backup } from '../../src/contract/hosted/operator.js';
import { inDraft, makeDraft } from '../../src/control/backup-folder.js';
import { writeManifest } from '../../src/control/backup-manifest.js';
import { restoreData } from '../../src/control/restore-data.js';
import { verifyDataDirectory } from '../../src/data-verification.js';
import { canBox } from '../../src/processes/bubblewrap.js';
import { smallDisk } from '../small-disk.js';
import { until, untilSettled } from '../until.js';
import { asAgent, clientOf, type ServiceInside, startedDirectory, startInside, temporaryFolder } from './service.js';

const { works, reason } = canBox();

interface Operated {
  service: ServiceInside;
  dataDirectory: string;
  manager: Client;
  operator: Client;
}
async function operated(flags: string[] = []): Promise<Operated> {
  const dataDirectory = await startedDirectory();
  const service = await startInside({ dataDirectory, flags });
  const operator = clientOf(service, readFileSync(join(dataDirectory, 'operator.token'), 'utf8').trim());
  return { service, dataDirectory, manager: clientOf(service, service.ready.credential!), operator };
}
async function ended({ operator }: Operated): Promise<Backup> {
  const latest = async (): Promise<Backup> => (await operator.getBackup()).backup!;
  await untilSettled(async () => (await latest()).state !== 'running');
  return await latest();
}

/** An agent that comments until it is stopped; it knows what was acknowledged. */
function writer(world: { worldHttpUrl: string; credential: string }, name: string) {
  const acknowledged: string[] = [];
  let isStopped = false;
  const work = (async () => {
    for (let index = 0; !isStopped; index++) {
      const body = `comment ${index} of ${name}`;
      const path = '/v1/operations/ticket-desk/comment.add';
      const { status } = await asAgent(world.worldHttpUrl, world.credential, path, { arguments: { ticketId: 'TKT-1001', body } });
      // A machine that stands still for seconds ends a call without an answer: then it is not known whether the comment was made.
      assert.ok(status === 200 || status === 504, `${status}`);
      if (status === 200) acknowledged.push(body);
    }
  })();
  const stop = (): Promise<void> => {
    isStopped = true;
    return work;
  };
  return { acknowledged, stop };
}

/** A run that an agent has handed in, and its evidence is sealed. */
async function sealedRun({ service, manager }: Operated, sessionId: string): Promise<string> {
  const { projectId, environmentId } = service.ready;
  const { run } = await manager.startRun({ path: { projectId, environmentId, sessionId }, body: { expectedLeaseGeneration: 1 } });
  const path = { projectId, hostedRunId: run.hostedRunId };
  await untilSettled(async () => {
    const { pendingInteraction, revision, finishedAtMs } = (await manager.getRun({ path })).run;
    if (pendingInteraction !== undefined) {
      const { id: interactionId } = pendingInteraction.interaction;
      const targetResult = { status: 'completed' as const, attachments: [] };
      await manager.completeInteraction({ path, body: { interactionId, expectedRevision: revision, targetResult } });
    }
    return finishedAtMs !== undefined;
  });
  return run.evidenceBundleId;
}

for (const isolation of ['thread', 'box'] as const) {
  // DATA-BACKUPS-1, REMOVALS-1, WORLD-FILE-COPY-1
  test(`${isolation}: a service starts on a backup that was made while agents wrote, with all that was acknowledged before`, {
    skip: isolation === 'box' && !works ? reason : false,
    timeout: 120_000,
  }, async () => {
    const one = await operated(isolation === 'box' ? ['--isolate', 'box'] : []);
    const { service, manager, operator } = one;
    const { projectId, environmentId } = service.ready;
    const done = (operationId: string) => manager.waitForOperation({ projectId, operationId });
    const make = async (body: { seed: string; drillId?: string }) => {
      const { session, operation } = await manager.createSession({ path: { projectId, environmentId }, body });
      await done(operation.operationId);
      return { projectId, sessionId: session.sessionId };
    };
    const [path, leaving, drilled] = [
      await make({ seed: '1' }),
      await make({ seed: '2' }),
      await make({ seed: '3', drillId: 'refund-happy-path' }),
    ];
    const fence = { expectedLeaseGeneration: 1 };
    const { snapshot, operation: taken } = await manager.createSnapshot({ path, body: fence });
    await done(taken.operationId);
    const evidenceBundleId = await sealedRun(one, drilled.sessionId);
    const { access } = await manager.createSessionAccess({ path, body: { actorId: 'support-agent' } });
    const writers = ['a', 'b', 'c'].map((name) => writer(access, name));
    await until(() => writers.every(({ acknowledged }) => acknowledged.length > 20));

    const to = join(temporaryFolder(), 'copy');
    const before = writers.flatMap(({ acknowledged }) => acknowledged);
    await operator.startBackup({ body: { to } });
    // What goes and comes meanwhile goes for the service, and does not tear the copy.
    const { hostedSnapshotId } = snapshot;
    const gone = await Promise.all([
      manager.deleteSnapshot({ path: { projectId, hostedSnapshotId }, body: { confirm: hostedSnapshotId, ...fence } }),
      manager.destroySession({ path: leaving, body: { confirm: leaving.sessionId, ...fence } }),
    ]);
    await manager.deleteEvidence({ path: { projectId, evidenceBundleId }, body: { confirm: evidenceBundleId } });
    const come = await Promise.all(['4', '5', '6'].map((seed) => make({ seed })));
    const backup = await ended(one);
    assert.deepEqual([backup.state, backup.to, backup.error], ['succeeded', to, undefined]);
    assert.ok(backup.projects === 1 && backup.files > 3 && backup.bytes > 0);
    const { files, bytes } = JSON.parse(readFileSync(join(to, 'backup.json'), 'utf8'));
    assert.deepEqual([backup.files, backup.bytes], [files, bytes]);
    for (const { operation } of gone) assert.equal((await done(operation.operationId)).state, 'succeeded');
    for (const { sessionId } of come) assert.equal((await manager.getSession({ path: { projectId, sessionId } })).session.state, 'ready');
    for (const { stop } of writers) await stop();
    await service.stop();

    assert.deepEqual(readdirSync(join(to, '..')), ['copy']);
    assert.deepEqual(
      ['server.key', 'operator.token'].map((name) => statSync(join(to, name)).mode & 0o777),
      [0o600, 0o600],
    );
    const names = readdirSync(to, { recursive: true });
    const { findings, counts } = await verifyDataDirectory({ dataDirectory: to });
    assert.deepEqual(findings, []);
    assert.deepEqual(readdirSync(to, { recursive: true }), names);
    assert.ok(counts.worlds >= 2 && counts.worldFiles === 1 && counts.blobs > 0);
    const restored = await startInside({ dataDirectory: to, flags: isolation === 'box' ? ['--isolate', 'box'] : [] });
    const again = clientOf(restored, service.ready.credential!);
    const texts = new Set<unknown>();
    for (let afterRowId: string | undefined = ''; afterRowId !== undefined; ) {
      const query = { packageId: 'ticket-desk', namespace: 'comments', limit: 200, ...(afterRowId === '' ? {} : { afterRowId }) };
      const { rows, nextAfterRowId } = await again.listState({ path, query });
      for (const { value } of rows) texts.add(value.body);
      afterRowId = nextAfterRowId;
    }
    assert.ok(before.length > 60);
    assert.deepEqual(
      before.filter((body) => !texts.has(body)),
      [],
    );
    const { access: fresh } = await again.createSessionAccess({ path, body: { actorId: 'support-agent' } });
    const call = { arguments: { ticketId: 'TKT-1001', body: 'after the restart' } };
    assert.equal((await asAgent(fresh.worldHttpUrl, fresh.credential, '/v1/operations/ticket-desk/comment.add', call)).status, 200);
    await restored.stop();
    assert.deepEqual((await verifyDataDirectory({ dataDirectory: to })).findings, []);
  });
}

// DATA-BACKUPS-3
test('a place that is none is refused at once, and so is a second backup beside one', async () => {
  const one = await operated();
  const { operator, dataDirectory, service, manager } = one;
  const begin = (to: string) => operator.startBackup({ body: { to } });
  assert.deepEqual(await operator.getBackup(), {});
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'taken'));
  const refused: [to: string, why: RegExp][] = [
    ['copy', /INVALID_REQUEST/],
    [join(folder, 'taken'), /is there already/],
    [join(folder, 'nowhere', 'copy'), /INVALID_REQUEST/],
    [join(dataDirectory, 'copy'), /inside the data directory/],
  ];
  for (const [to, why] of refused) await assert.rejects(begin(to), why);
  await assert.rejects(manager.startBackup({ body: { to: join(folder, 'copy') } }), /FORBIDDEN|UNAUTHENTICATED/);
  const [first, second] = await Promise.allSettled([begin(join(folder, 'one')), begin(join(folder, 'two'))]);
  assert.equal(first!.status, 'fulfilled');
  assert.match(String((second as PromiseRejectedResult).reason), /STATE_CONFLICT.*being made|being made/);
  assert.equal((await ended(one)).state, 'succeeded');
  assert.deepEqual(readdirSync(folder).sort(), ['one', 'taken']);
  await service.stop();
});

// BACKUP-FOLDER-1
test('a disk that is full before a backup is whole is said in words, whichever step met it, and nothing is left', async () => {
  const [to, draft] = ['copy', 'copy.unfinished'].map((name) => join(temporaryFolder(), name)) as [string, string];
  mkdirSync(draft);
  const full = Object.assign(new Error("ENOSPC: no space left on device, mkdir 'blobs'"), { code: 'ENOSPC', syscall: 'mkdir' });
  const message = `The folder ${to} cannot be made: the disk is full. Free some space, or name another folder.`;
  await assert.rejects(
    inDraft(draft, to, () => Promise.reject(full)),
    { code: 'control.STORAGE_FULL', message },
  );
  assert.equal(existsSync(draft), false);
});

// BACKUP-FOLDER-1
for (const kind of ['tmpfs', 'ext4'] as const)
  test(`however little is left of a ${kind}, a backup or a restore that finds no space says so and leaves nothing`, {
    timeout: 120_000,
  }, async (t) => {
    const disk = smallDisk(t, { kind, megabytes: 24 });
    if (disk === undefined) return;
    const one = await operated();
    const from = join(temporaryFolder(), 'copy');
    await one.operator.startBackup({ body: { to: from } });
    await ended(one);
    const names = (): string[] => readdirSync(disk.path).filter((name) => name !== 'lost+found');
    for (const leftBytes of [0, 4096, 16_384, 200_000]) {
      disk.leave(leftBytes);
      const full = { code: 'control.STORAGE_FULL', message: /the disk is full/ };
      await assert.rejects(restoreData({ from, dataDirectory: join(disk.path, 'restored') }), full, `${leftBytes}`);
      const begun = one.operator.startBackup({ body: { to: join(disk.path, 'copy') } });
      const code = await begun.then(async () => (await ended(one)).error?.code).catch((error) => error.code);
      assert.equal(code, 'control.STORAGE_FULL', `${leftBytes}`);
      assert.deepEqual(names(), ['ballast'], `${leftBytes}`);
    }
    disk.empty();
    await restoreData({ from, dataDirectory: join(disk.path, 'restored') });
    assert.deepEqual(names(), ['restored']);
    await one.service.stop();
  });

// DATA-BACKUPS-2
test('a backup that fails, or that a stop ends, leaves nothing behind', async (t) => {
  const one = await operated();
  const { operator, service } = one;
  const disk = smallDisk(t, { kind: 'tmpfs', megabytes: 24 });
  if (disk !== undefined) {
    disk.leave(512 * 1024);
    await operator.startBackup({ body: { to: join(disk.path, 'copy') } });
    const { state, error } = await ended(one);
    assert.deepEqual([state, error?.code], ['failed', 'control.STORAGE_FULL']);
    assert.deepEqual(readdirSync(disk.path), ['ballast']);
  }
  const to = join(temporaryFolder(), 'copy');
  await operator.startBackup({ body: { to } });
  await service.stop();
  assert.equal(existsSync(`${to}.unfinished`), false);
  if (existsSync(to)) assert.deepEqual((await verifyDataDirectory({ dataDirectory: to })).findings, []);
});

// UNFINISHED-MARK-1
test('what a crash has left of a backup or of a restore is taken for nothing, whatever it is named', async () => {
  const folder = temporaryFolder();
  const draft = join(folder, 'copy.unfinished');
  await assert.rejects(
    inDraft(makeDraft(draft, join(folder, 'copy')), join(folder, 'copy'), async () => {
      cpSync(await startedDirectory(), draft, { recursive: true });
      // A crash leaves it at this moment.
      cpSync(draft, join(folder, 'left'), { recursive: true });
      await writeManifest(join(folder, 'left'), { kind: 'service', dataFormat: 1, madeAtMs: 1 });
      throw new Error('it ended');
    }),
    /it ended/,
  );
  const left = join(folder, 'left');
  assert.deepEqual(readdirSync(folder), ['left']);
  const notWhole = { code: 'control.DATA_DAMAGED', message: /is not whole: .* was cut short\. Nothing was changed\. Remove the folder\./ };
  await assert.rejects(startInside({ dataDirectory: left }), notWhole);
  await assert.rejects(restoreData({ from: left, dataDirectory: join(folder, 'restored') }), notWhole);
  const { findings } = await verifyDataDirectory({ dataDirectory: left });
  assert.deepEqual(
    findings.map(({ file, advice }) => [file, advice]),
    [[join(left, 'unfinished'), 'Remove the folder.']],
  );
  await inDraft(makeDraft(draft, join(folder, 'copy')), join(folder, 'copy'), async () => assert.ok(existsSync(join(draft, 'unfinished'))));
  assert.deepEqual(readdirSync(join(folder, 'copy')), []);
  // Of a restore, before it has given the directory its name.
  const dataDirectory = join(folder, 'restored');
  renameSync(left, `${dataDirectory}.restoring`);
  const cutShort = /The data directory .*restored is empty: a restore into it works in .*restored\.restoring, or was cut short/;
  await assert.rejects(startInside({ dataDirectory }), { code: 'control.DATA_DAMAGED', message: cutShort });
  rmSync(`${dataDirectory}.restoring`, { recursive: true });
  await (await startInside({ dataDirectory })).stop();
});

// RESTORE-DATA-1, RESTORE-DATA-2, BACKUP-MANIFEST-1, BACKUP-MANIFEST-2, BACKUP-FOLDER-1
test('a backup is restored into an empty folder, whole or not at all, and never over another', { timeout: 60_000 }, async () => {
  const one = await operated();
  const { service, manager, operator, dataDirectory } = one;
  const { projectId, environmentId } = service.ready;
  const { session, operation } = await manager.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  await manager.waitForOperation({ projectId, operationId: operation.operationId });
  const folder = temporaryFolder();
  const from = join(folder, 'copy');
  await operator.startBackup({ body: { to: from } });
  assert.equal((await ended(one)).state, 'succeeded');
  await service.stop();
  const restore = (to: string) => restoreData({ from, dataDirectory: to });
  const to = join(folder, 'restored');

  await assert.rejects(restore(dataDirectory), { code: 'control.STATE_CONFLICT', message: /not empty/ });
  const catalog = join(from, 'catalog', 'data.mdb');
  const whole = readFileSync(catalog);
  const list = readFileSync(join(from, 'backup-files.jsonl'), 'utf8');
  const manifest = readFileSync(join(from, 'backup.json'), 'utf8');
  const damages: [string, () => void, string][] = [
    ['a file is cut short', () => truncateSync(catalog, whole.length - 1), 'control.DATA_DAMAGED'],
    ['a file is missing', () => rmSync(catalog), 'control.DATA_DAMAGED'],
    ['a file is another', () => writeFileSync(catalog, Buffer.alloc(whole.length)), 'control.DATA_DAMAGED'],
    [
      'a line is missing',
      () => writeFileSync(join(from, 'backup-files.jsonl'), list.slice(list.indexOf('\n') + 1)),
      'control.DATA_DAMAGED',
    ],
    [
      'a line leads out',
      () => writeFileSync(join(from, 'backup-files.jsonl'), list.replace('"path":"', '"path":"../')),
      'control.DATA_DAMAGED',
    ],
    ['the manifest is null', () => writeFileSync(join(from, 'backup.json'), 'null'), 'control.DATA_DAMAGED'],
    ['the manifest is no JSON', () => writeFileSync(join(from, 'backup.json'), '{'), 'control.DATA_DAMAGED'],
    ['the manifest is gone', () => rmSync(join(from, 'backup.json')), 'control.INVALID_REQUEST'],
    [
      'of a later version',
      () => writeFileSync(join(from, 'backup.json'), manifest.replace('"backupVersion": 1', '"backupVersion": 2')),
      'control.STATE_CONFLICT',
    ],
    [
      'of a later format',
      // As an early one, which has no digest of its own.
      () => writeFileSync(join(from, 'backup.json'), JSON.stringify({ ...JSON.parse(manifest), dataFormat: 2, digest: undefined })),
      'control.STATE_CONFLICT',
    ],
    [
      'the moment is another',
      () => writeFileSync(join(from, 'backup.json'), manifest.replace('"madeAtMs": 1', '"madeAtMs": 2')),
      'control.DATA_DAMAGED',
    ],
    [
      'the digest has another name',
      () => writeFileSync(join(from, 'backup.json'), manifest.replace('"digest"', '"digost"')),
      'control.DATA_DAMAGED',
    ],
  ];
  for (const [what, damage, code] of damages) {
    damage();
    await assert.rejects(restore(to), { code }, what);
    assert.deepEqual(readdirSync(folder), ['copy'], what);
    const { findings } = await verifyDataDirectory({ dataDirectory: from });
    if (code === 'control.DATA_DAMAGED') {
      assert.ok(findings.length > 0, what);
      // BACKUP-MANIFEST-2: a start would drop the list by which the damage is found.
      await assert.rejects(startInside({ dataDirectory: from }), { code: 'control.DATA_DAMAGED' }, what);
      if (existsSync(join(from, 'backup.json'))) assert.ok(existsSync(join(from, 'backup-files.jsonl')), what);
    }
    writeFileSync(catalog, whole);
    writeFileSync(join(from, 'backup-files.jsonl'), list);
    writeFileSync(join(from, 'backup.json'), manifest);
  }

  for (const { index } of manifest.matchAll(/[0-9](?=[^"]*"|,)/g)) {
    const other = manifest[index] === '9' ? '8' : String(Number(manifest[index]) + 1);
    writeFileSync(join(from, 'backup.json'), manifest.slice(0, index) + other + manifest.slice(index + 1));
    await assert.rejects(restore(to), /is damaged|is of version/, `the figure at ${index}`);
  }
  writeFileSync(join(from, 'backup.json'), manifest);
  assert.deepEqual(readdirSync(folder), ['copy']);

  const nowhere = join(folder, 'link');
  symlinkSync(join(folder, 'nowhere'), nowhere);
  await assert.rejects(restore(nowhere), { code: 'control.INVALID_REQUEST', message: /is a link that leads nowhere/ });
  await assert.rejects(restore('/proc/drillyard/restored'), { code: 'control.INVALID_REQUEST' });
  rmSync(nowhere);
  assert.deepEqual(readdirSync(folder), ['copy']);

  // A start that is refused leaves the backup one.
  const other = join(folder, 'other.key');
  writeFileSync(other, 'ab'.repeat(32), { mode: 0o600 });
  await assert.rejects(startInside({ dataDirectory: from, flags: ['--key-file', other] }), /is not the key that this data directory/);
  assert.deepEqual((await verifyDataDirectory({ dataDirectory: from })).findings, []);

  mkdirSync(join(folder, 'behind'));
  symlinkSync('behind', to);
  await restore(to);
  rmSync(to);
  rmSync(join(folder, 'behind'), { recursive: true });
  mkdirSync(to);
  await restore(to);
  await assert.rejects(restore(to), { code: 'control.STATE_CONFLICT' });
  assert.deepEqual((await verifyDataDirectory({ dataDirectory: to })).findings, []);
  assert.ok(!existsSync(join(to, 'backup.json')) && !existsSync(`${to}.restoring`));
  assert.equal(statSync(join(to, 'server.key')).mode & 0o777, 0o600);
  const again = await startInside({ dataDirectory: to });
  const client = clientOf(again, service.ready.credential!);
  assert.equal((await client.getSession({ path: { projectId, sessionId: session.sessionId } })).session.state, 'ready');
  await again.stop();
});
