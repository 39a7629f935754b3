// `drillyard admin verify`: what a stopped service has left is whole; each damage to it is a finding with its file; and nothing is changed
// by looking.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { requireWholeData } from '../../src/control/data-folder.js';
import { type DataVerification, verifyDataDirectory } from '../../src/data-verification.js';
import { type Database, openDatabase } from '../../src/files/database.js';
import { lockFolder } from '../../src/files/folder-lock.js';
import { removeFolder } from '../../src/files/remove-folder.js';
import { keyKinds } from '../../src/worlds/kv/keys.js';
import { drillyard, jsonLines, nodeArguments } from '../cli/cli.js';
import { makeDeepFolder } from '../deep-folder.js';
import { smallDisk } from '../small-disk.js';
import { untilSettled } from '../until.js';
import { asAgent, clientOf, serve, startedDirectory, startInside, temporaryFolder } from './service.js';

const whole = join(temporaryFolder(), 'whole');
/** Enough entries for a digest of a whole leaf to be stored. */
const callsMade = 450;
const callsAtOnce = 50;
let sessionId = '';
let bundleId = '';
let owner = '';

before(async () => {
  const flags = ['--handler-timeout-ms', '60000', '--durability', 'committed'];
  const service = await startInside({ dataDirectory: await startedDirectory(whole), flags });
  const { projectId, environmentId, credential } = service.ready;
  owner = credential!;
  const client = clientOf(service, owner);
  const ready = async (operationId: string) => client.waitForOperation({ projectId, operationId });
  const make = async (body: { seed: string; drillId?: string }) => {
    const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body });
    await ready(operation.operationId);
    return session.sessionId;
  };
  sessionId = await make({ seed: '1' });
  const path = { projectId, sessionId };
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'support-agent' } });
  for (let index = 0; index < callsMade; index += callsAtOnce) {
    const calls = Array.from({ length: callsAtOnce }, async (_, place) => {
      const body = { arguments: { ticketId: 'TKT-1001', body: `comment number ${index + place}.` } };
      return (await asAgent(access.worldHttpUrl, access.credential, '/v1/operations/ticket-desk/comment.add', body)).status;
    });
    assert.deepEqual(new Set(await Promise.all(calls)), new Set([200]));
  }
  await ready((await client.createSnapshot({ path, body: { expectedLeaseGeneration: 1 } })).operation.operationId);
  const drilled = await make({ seed: '2', drillId: 'refund-happy-path' });
  const { run } = await client.startRun({ path: { projectId, environmentId, sessionId: drilled }, body: { expectedLeaseGeneration: 1 } });
  const runPath = { projectId, hostedRunId: run.hostedRunId };
  await untilSettled(async () => {
    const { pendingInteraction, revision, finishedAtMs } = (await client.getRun({ path: runPath })).run;
    if (pendingInteraction !== undefined) {
      const { id: interactionId } = pendingInteraction.interaction;
      const targetResult = { status: 'completed' as const, attachments: [] };
      await client.completeInteraction({ path: runPath, body: { interactionId, expectedRevision: revision, targetResult } });
    }
    return finishedAtMs !== undefined;
  });
  bundleId = run.evidenceBundleId;
  const files = [{ path: 'drillyard.json', content: '{"schemaVersion":1}' }];
  await client.createSourceDraft({ path: { projectId }, body: { name: 'one', files } });
  await service.stop();
});

function copied(): string {
  const dataDirectory = join(temporaryFolder(), 'copied');
  cpSync(whole, dataDirectory, { recursive: true });
  return dataDirectory;
}
const catalogOf = (dataDirectory: string): string => join(dataDirectory, 'catalog');
function worldsOf(dataDirectory: string): string {
  const name = readdirSync(join(dataDirectory, 'worlds')).find((one) => one.startsWith('p-')) as string;
  return join(dataDirectory, 'worlds', name, 'host-0');
}
async function changed(directory: string, work: (database: Database) => void): Promise<void> {
  const database = openDatabase({ directory, flushed: true });
  database.transactionSync(() => work(database));
  await database.close();
}
function keyOf(database: Database, prefix: string | number): Buffer {
  const first = Buffer.from(typeof prefix === 'number' ? [prefix] : prefix);
  for (const key of database.getKeys({})) if (key.subarray(0, first.length).equals(first)) return Buffer.from(key);
  return assert.fail(`no key begins with ${prefix}`);
}
/** Every file by its bytes. */
function filesOf(directory: string): Map<string, string> {
  const names = (
    readdirSync(directory, { recursive: true, withFileTypes: true }) as { name: string; parentPath: string; isFile(): boolean }[]
  )
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(names.sort().map((file) => [file, readFileSync(file).toString('base64')]));
}

/** Without the files of some name. */
function copyWhole(to: string, removed: RegExp): void {
  cpSync(whole, to, { recursive: true, filter: (file) => !removed.test(file) });
}

// VERIFY-DATA-1
test('what a service has left is whole, and looking changes nothing', async () => {
  const dataDirectory = copied();
  const before = filesOf(dataDirectory);
  const { code, stdout, stderr } = await drillyard(['admin', 'verify', '--data-dir', dataDirectory, '--json']);
  assert.equal(code, 0, stdout + stderr);
  const [summary, ...others] = jsonLines(stdout) as { [name: string]: unknown }[];
  assert.deepEqual(others, []);
  const { event, ok, findings, worlds, bundles, records, blobs } = summary!;
  assert.deepEqual([event, ok, findings, worlds, bundles], ['summary', true, 0, 2, 1]);
  assert.ok((records as number) > 20, `${records} records`);
  assert.equal(blobs, 4);
  assert.deepEqual(filesOf(dataDirectory), before);
  const shown = await drillyard(['admin', 'verify'], { env: { DRILLYARD_DATA_DIR: dataDirectory } });
  assert.match(shown.stdout, /^whole .+: nothing is damaged; \d+ records, 2 worlds in 1 file, \d+ blobs?, 1 bundle were read\.\n$/);
});

// VERIFY-DATA-1, DATABASE-4
test('who may read a directory and write nothing there verifies it, and it stays as it is', async () => {
  const parent = temporaryFolder();
  const [directory, temporary] = ['data', 'temporary'].map((name) => join(parent, name)) as [string, string];
  copyWhole(directory, /lock\.mdb$/);
  mkdirSync(temporary);
  // A user of no rights, where this one has all of them.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  if (isRoot) execFileSync('chown', ['-R', '65534:65534', parent]);
  execFileSync('chmod', ['-R', 'a-w', directory]);
  const before = filesOf(directory);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeArguments, 'admin', 'verify', '--data-dir', directory, '--json'], {
    ...user,
    encoding: 'utf8',
    env: { ...process.env, HOME: temporary, TMPDIR: temporary },
  });
  execFileSync('chmod', ['-R', 'u+w', directory]);
  assert.equal(status, 0, stdout + stderr);
  assert.deepEqual(
    jsonLines(stdout).map((line) => (line as { worlds: number }).worlds),
    [2],
  );
  assert.deepEqual(filesOf(directory), before);
  assert.deepEqual(
    readdirSync(temporary).filter((name) => name.startsWith('drillyard-')),
    [],
  );
});

// VERIFY-DATA-1
test('a directory on a file system that is read-only is read without locks', async (context) => {
  const disk = smallDisk(context, { kind: 'tmpfs', megabytes: 96 });
  if (disk === undefined) return;
  for (const [name, removed] of [
    ['without', /lock\.mdb$/],
    ['with', /^$/],
  ] as const)
    copyWhole(join(disk.path, name), removed);
  const held = join(disk.path, 'held');
  mkdirSync(held);
  const lock = lockFolder(held);
  disk.makeReadOnly();
  for (const name of ['without', 'with']) {
    const { findings, counts } = await verifyDataDirectory({ dataDirectory: join(disk.path, name) });
    assert.deepEqual([findings, counts.worlds], [[], 2]);
  }
  await assert.rejects(verifyDataDirectory({ dataDirectory: held }), { code: 'control.STATE_CONFLICT' });
  disk.makeReadOnly(false);
  lock.release();
});

for (const name of ['worlds', 'blobs'])
  test(`a file in the place of the folder ${name} is said by a start and by a verification`, async () => {
    const dataDirectory = copied();
    const folder = join(dataDirectory, name);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    await assert.rejects(startInside({ dataDirectory }), new RegExp(`The folder \\S+/${name}\\b.* cannot be .*a file is in its way\\.`));
    const { findings } = await verifyDataDirectory({ dataDirectory });
    assert.ok(findings.some(({ file }) => file.startsWith(folder)));
  });

// DATA-FOLDER-1
test('what was left beside worlds is followed neither by a verification nor by a start', async () => {
  const dataDirectory = copied();
  const project = join(worldsOf(dataDirectory), '..');
  const placed = (name: string, place: (file: string) => void): void => {
    mkdirSync(join(project, name));
    place(join(project, name, 'data.mdb'));
  };
  symlinkSync('..', join(project, 'round'));
  symlinkSync('host-0', join(project, 'host-1'));
  placed('host-2', (file) => symlinkSync('../../../server.key', file));
  placed('host-3', (file) => symlinkSync('nowhere', file));
  placed('host-4', (file) => execFileSync('mkfifo', [file]));
  for (const name of ['x', 'host-05', 'home-0', 'host-0/host-5']) placed(name, (file) => writeFileSync(file, 'junk'));
  const slot = join(dataDirectory, 'worlds', '.slots', 'slot-left');
  const seen = join(slot, 'data', basename(project));
  mkdirSync(seen, { recursive: true });
  writeFileSync(join(slot, 'owner'), basename(project));
  for (const place of [project, join(slot, 'data'), seen]) {
    makeDeepFolder(place);
    mkdirSync(join(place, 'closed', 'x'), { recursive: true });
    writeFileSync(join(place, 'closed', 'x', 'data.mdb'), 'junk');
    chmodSync(join(place, 'closed'), 0);
  }
  const { findings, counts } = await verifyDataDirectory({ dataDirectory });
  assert.deepEqual([findings, counts.worldFiles, counts.worlds], [[], 1, 2]);
  assert.doesNotThrow(() => requireWholeData(dataDirectory, { needsKey: true }));
  const service = await startInside({ dataDirectory });
  await service.stop();
  assert.deepEqual(readdirSync(join(dataDirectory, 'worlds', '.slots')), []);
  await removeFolder(dataDirectory);
});

type Damage = (dataDirectory: string) => void | Promise<void>;
type Case = [name: string, damage: Damage, finding: RegExp];
/** Those that leave each other alone are done to one directory, which is read once. */
const together: Case[][] = [
  [
    [
      'a record that is no JSON',
      (at) => changed(catalogOf(at), (database) => void database.putSync(keyOf(database, 'r environment '), Buffer.from('{'))),
      /catalog\/data\.mdb: its record environment \S+ cannot be read/,
    ],
    [
      'a record of another table',
      (at) => changed(catalogOf(at), (database) => void database.putSync(Buffer.from('r strange one'), Buffer.from('{}'))),
      /its table strange is none of this version/,
    ],
    [
      'a row that was changed',
      // VERIFY-ROWS-1
      (at) => changed(worldsOf(at), (database) => changeValue(database, keyKinds.row, 'comment number 9.', 'comment number 8.')),
      /the world ses_\S+ has not the row "\S+" of ticket-desk\/comments that its journal says of its snapshot/,
    ],
    [
      'a build without content',
      (at) => changed(catalogOf(at), (database) => void database.removeSync(keyOf(database, 'r build-content '))),
      /its record build \S+ refers to build-content \S+, which is not there/,
    ],
    [
      'bytes of a record that are no UTF-8',
      (at) =>
        changed(catalogOf(at), (database) => {
          const key = keyOf(database, 'r credential ');
          const bytes = Buffer.from(database.getBinary(key)!);
          bytes[bytes.indexOf('"name":"') + 8] = 0xff;
          database.putSync(key, bytes);
        }),
      /catalog\/data\.mdb: its record credential \S+ cannot be read/,
    ],
    [
      'a place in an index that is lost',
      (at) => changed(catalogOf(at), (database) => void database.removeSync(keyOf(database, 'i session byProject '))),
      /its record session \S+ is missing in the index byProject/,
    ],
    [
      'an index that leads nowhere',
      (at) =>
        changed(catalogOf(at), (database) => void database.putSync(Buffer.from('i environment byProject prj_x env_x'), Buffer.alloc(0))),
      /its index environment byProject leads to env_x/,
    ],
  ],
  [
    [
      'evidence that was changed',
      (at) => changed(worldsOf(at), (database) => changeValue(database, keyKinds.chunk, 'comment number 7.', 'comment number 8.')),
      /host-0\/data\.mdb: the world ses_\S+ has evidence of another hash/,
    ],
    ['a blob that is missing', (at) => rmSync(blobOf(at)), /blobs\/..\/\w+: it is missing, and .+ needs it/],
    [
      'a bundle that is gone',
      (at) => rmSync(join(at, 'evidence', bundleId), { recursive: true }),
      /evidence\/evidence_\S+: it has no manifest/,
    ],
  ],
  [
    [
      'a world without its program',
      (at) => changed(worldsOf(at), (database) => void database.removeSync(keyOf(database, 2))),
      /the world ses_\S+ has no program/,
    ],
    ['a blob that is another', (at) => writeFileSync(blobOf(at), 'other'), /blobs\/..\/\w+: its bytes are not those of its digest/],
    [
      'a bundle that was changed',
      (at) => writeFileSync(join(bundleOf(at), 'report.txt'), 'passed'),
      /evidence\/evidence_\S+: report\.txt /,
    ],
  ],
  [
    [
      'a world that is gone',
      (at) => changed(worldsOf(at), (database) => void database.removeSync(Buffer.concat([Buffer.from([4]), Buffer.from(sessionId)]))),
      /the world of session ses_\S+ is in no file of worlds/,
    ],
    ['no key', (at) => rmSync(join(at, 'server.key')), /server\.key: it is missing/],
  ],
  [
    [
      'entries that are gone',
      (at) => changed(worldsOf(at), (database) => void database.removeSync(keyOf(database, 32))),
      /the world ses_\S+ cannot be read/,
    ],
    [
      'another key',
      (at) => writeFileSync(join(at, 'server.key'), 'ab'.repeat(32)),
      /server\.key: it is not the key that this data directory was used with/,
    ],
  ],
  [
    // What is beside them is read.
    ...['build', 'evidence', 'source-draft', 'source-revision'].map(
      (table): Case => [
        `half of a record of ${table}`,
        (at) =>
          changed(catalogOf(at), (database) => {
            const key = keyOf(database, `r ${table} `);
            const bytes = Buffer.from(database.getBinary(key)!);
            database.putSync(key, bytes.subarray(0, bytes.length / 2));
          }),
        new RegExp(`catalog/data\\.mdb: its record ${table} \\S+ cannot be read`),
      ],
    ),
    ['a blob that is gone beside them', (at) => rmSync(blobOf(at)), /blobs\/..\/\w+: it is missing, and .+ needs it/],
  ],
  [
    [
      'a file of worlds that is cut short',
      (at) => truncateSync(join(worldsOf(at), 'data.mdb'), 50_000),
      /host-0\/data\.mdb: it is cut short/,
    ],
  ],
  [
    [
      'a catalog with broken pages',
      (at) =>
        writeFileSync(join(catalogOf(at), 'data.mdb'), readFileSync(join(whole, 'catalog/data.mdb')).fill(0x5a, 8192, 8192 + 10 * 4096)),
      /catalog\/data\.mdb: /,
    ],
  ],
];

for (const cases of together) {
  let read: Promise<{ dataDirectory: string; findings: DataVerification['findings'] }> | undefined;
  const readOnce = () => {
    read ??= readDamaged(cases);
    return read;
  };
  for (const [name, , finding] of cases) {
    test(`${name} is a finding with its file and what to do`, async () => {
      const { dataDirectory, findings } = await readOnce();
      const lines = findings.map(({ file, problem }) => `${file}: ${problem}`);
      assert.ok(
        lines.some((line) => finding.test(line)),
        lines.join('\n'),
      );
      for (const { file, advice } of findings) {
        assert.ok(file.startsWith(dataDirectory), file);
        assert.match(advice, /\w+.*\.$/);
      }
      assert.equal(existsSync(join(dataDirectory, 'in-use.lock')), false);
    });
  }
}
async function readDamaged(cases: Case[]): Promise<{ dataDirectory: string; findings: DataVerification['findings'] }> {
  const dataDirectory = copied();
  for (const [, damage] of cases) await damage(dataDirectory);
  return { dataDirectory, findings: (await verifyDataDirectory({ dataDirectory })).findings };
}

function changeValue(database: Database, kind: number, from: string, to: string): void {
  for (const { key, value } of database.getRange({ start: Buffer.from([kind]), end: Buffer.from([kind + 1]) })) {
    const at = value.indexOf(from);
    if (at < 0) continue;
    const bytes = Buffer.from(value);
    bytes.write(to, at);
    database.putSync(Buffer.from(key), bytes);
    return;
  }
  assert.fail('nothing has it');
}
function blobOf(dataDirectory: string): string {
  const blobs = join(dataDirectory, 'blobs');
  const [folder] = readdirSync(blobs).filter((name) => name.length === 2 && readdirSync(join(blobs, name)).length > 0);
  return join(blobs, folder!, readdirSync(join(blobs, folder!))[0]!);
}
function bundleOf(dataDirectory: string): string {
  const folder = join(dataDirectory, 'evidence', bundleId);
  return join(folder, readdirSync(folder)[0]!);
}

// SEALED-REPORT-2
for (const [what, damage] of [
  ['that was changed', (file: string) => writeFileSync(file, 'passed')],
  ['that is gone', (file: string) => rmSync(file)],
] as const)
  test(`a file of a sealed bundle ${what} is refused as damage, and the log names it`, async () => {
    const dataDirectory = copied();
    const file = join(bundleOf(dataDirectory), 'report.txt');
    damage(file);
    const service = await startInside({ dataDirectory });
    const path = { projectId: service.ready.projectId, evidenceBundleId: bundleId };
    const client = clientOf(service, owner);
    await assert.rejects(client.getEvidenceArtifact({ path, query: { path: 'report.txt' } }), { code: 'control.DATA_DAMAGED' });
    assert.ok(service.logged().includes(`The file ${file} is damaged: `), service.logged());
    assert.ok((await client.getEvidenceArtifact({ path, query: { path: 'run.json' } })) !== undefined);
    await service.stop();
  });

test('findings are lines on stdout, and the process ends with 1', async () => {
  const dataDirectory = copied();
  rmSync(blobOf(dataDirectory));
  const { code, stdout } = await drillyard(['admin', 'verify', '--data-dir', dataDirectory]);
  assert.equal(code, 1);
  assert.match(stdout, /^damaged .+blobs.+: it is missing, and .+ needs it\. Put it back from a backup.+\.\ndamaged .+: 1 finding; /);
  const json = await drillyard(['admin', 'verify', '--data-dir', dataDirectory, '--json']);
  const [finding, summary] = jsonLines(json.stdout) as { [name: string]: unknown }[];
  assert.deepEqual([json.code, finding!.event, summary!.event, summary!.ok, summary!.findings], [1, 'finding', 'summary', false, 1]);
});

test('a directory that a service uses, and one that is not there, are refused', async () => {
  const dataDirectory = copied();
  const service = await startInside({ dataDirectory });
  const used = await drillyard(['admin', 'verify', '--data-dir', dataDirectory]);
  assert.equal(used.code, 1);
  assert.match(used.stderr, /is in use by process \d+/);
  await service.stop();
  const missing = await drillyard(['admin', 'verify', '--data-dir', join(dataDirectory, 'nowhere')]);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /There is no data directory/);
  assert.equal(existsSync(join(dataDirectory, 'nowhere')), false);
});

// VERIFY-DATA-2
test('a process that a file ends is a finding, and what else there is is read', async () => {
  const dataDirectory = copied();
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const entry = pathToFileURL(join(folder, 'entry.mjs'));
  const channel = new URL('../../src/processes/parent-channel.js', import.meta.url).href;
  // Reads two files; the first ends it as LMDB would, until it is to be skipped.
  writeFileSync(
    entry,
    `import { openParentChannel } from ${JSON.stringify(channel)};
const channel = openParentChannel(() => {});
const { skip } = JSON.parse(process.argv[2]);
if (!skip.includes('first')) {
  channel.send({ begin: 'first' });
  setTimeout(() => process.kill(process.pid, 'SIGSEGV'), 10);
} else {
  channel.send({ begin: 'second' });
  channel.send({ finding: { file: 'second', problem: 'it is empty', advice: 'Fill it.' } });
  channel.send({ done: { records: 1, worldFiles: 0, worlds: 0, blobs: 0, bundles: 0 }, findings: 1 });
}
`,
  );
  const { findings, counts } = await verifyDataDirectory({ dataDirectory, entry });
  assert.deepEqual(
    findings.map(({ file }) => file),
    ['first', 'second'],
  );
  assert.match(findings[0]!.problem, /^reading it ended the process \(.*SIGSEGV.*\)$/);
  assert.equal(counts.records, 1);
});

// SERVER-KEY-1
test('a start with another key ends; one that asks for another key takes it, and continues with it', async () => {
  const dataDirectory = copied();
  const file = join(dataDirectory, 'server.key');
  writeFileSync(file, 'ab'.repeat(32), { mode: 0o600 });
  const { code, stderr } = await serve({ dataDirectory }).ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /The file \S+server\.key is damaged: it is not the key that this data directory was used with\. Nothing was changed\./,
  );
  assert.match(stderr, /start once with --rotate-key/);
  for (const flags of [['--rotate-key'], []]) await (await startInside({ dataDirectory, flags })).stop();
  rmSync(file);
  await assert.rejects(startInside({ dataDirectory }), /server\.key is damaged: it is missing/);
  for (const flags of [['--rotate-key'], []]) await (await startInside({ dataDirectory, flags })).stop();
  assert.deepEqual((await verifyDataDirectory({ dataDirectory })).findings, []);
  // An earlier copy of the data is still of this key.
  const older = copied();
  await (await startInside({ dataDirectory: older, flags: ['--rotate-key'] })).stop();
  const rotated = readFileSync(join(older, 'server.key'));
  const restored = copied();
  writeFileSync(join(restored, 'server.key'), rotated);
  await (await startInside({ dataDirectory: restored })).stop();
});
