// A data directory with a file that is damaged, cut short, empty, missing or of something else: the start ends with its name and with what
// to do, never with a signal, and never with a new service beside the old data.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sha256Digest } from '../../src/contract/digest.js';
import { openDatabase } from '../../src/files/database.js';
import { emptyDatabase } from '../../src/files/database-page.js';
import { keyKinds } from '../../src/worlds/kv/keys.js';
import { engineFlags, jsonLines } from '../cli/cli.js';
import { untilSettled } from '../until.js';
import { clientOf, serve, startedDirectory, startInside, temporaryFolder } from './service.js';

const whole = join(temporaryFolder(), 'whole');
let owner = '';
let example = { projectId: '', environmentId: '', buildHash: '' };
before(async () => {
  const service = await startInside({ dataDirectory: await startedDirectory(whole) });
  const { projectId, environmentId, buildHash, credential } = service.ready;
  owner = credential!;
  example = { projectId, environmentId, buildHash };
  const client = clientOf(service, owner);
  const { operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  await service.stop();
});

/** `worlds/*`: of the one project. */
const [catalog, worlds, key] = ['catalog/data.mdb', 'worlds/*/host-0/data.mdb', 'server.key'];
const projectFolder = (directory: string): string => readdirSync(join(directory, 'worlds')).find((name) => name.startsWith('p-')) as string;
type Damage = (file: string) => void;
const flip: (place: number) => Damage = (place) => (file) => {
  const bytes = readFileSync(file);
  bytes[place] = (bytes[place] as number) ^ 0xff;
  writeFileSync(file, bytes);
};
const cut: (share: number) => Damage = (share) => (file) => truncateSync(file, Math.floor(readFileSync(file).length * share));
const prose: Damage = (file) => writeFileSync(file, 'this is a text\n'.repeat(500));
const empty: Damage = (file) => truncateSync(file, 0);
const missing: Damage = (file) => rmSync(file);
const pages: Damage = (file) => writeFileSync(file, readFileSync(file).fill(0x5a, 8192, 8192 + 10 * 4096));

const cases: [name: string, file: string, damage: Damage][] = [
  ['its magic is another', catalog, flip(24)],
  ['its second head is another', catalog, flip(4096 + 24)],
  ['its pages are overwritten', catalog, pages],
  ['half of it is gone', catalog, cut(0.5)],
  ['it ends in its head', catalog, (file) => truncateSync(file, 100)],
  ['it is a text', catalog, prose],
  ['it is empty', catalog, empty],
  ['it is missing beside worlds', catalog, missing],
  [
    'it is another database',
    catalog,
    (file) => cpSync(join(file, '../../worlds', projectFolder(join(file, '../..')), 'host-0/data.mdb'), file),
  ],
  ['it is a database without an entry', catalog, (file) => writeFileSync(file, emptyDatabase())],
  ['it is another database', worlds, (file) => cpSync(join(whole, 'catalog/data.mdb'), file)],
  ['its magic is another', worlds, flip(24)],
  ['its pages are overwritten', worlds, pages],
  ['half of it is gone', worlds, cut(0.5)],
  ['it is empty', worlds, empty],
  ['it is a text', worlds, prose],
  ['it is empty', key, empty],
  ['it is cut short', key, (file) => truncateSync(file, 20)],
  ['it is a text', key, prose],
  ['it is missing beside a catalog', key, missing],
  ['it is another', key, (file) => writeFileSync(file, '07'.repeat(32))],
];

/** A copy with a damage, and what the start on it came to. */
interface Damaged {
  place: string;
  /** Of the file, before the start. */
  before: Buffer | undefined;
  outcome: string | undefined;
}
const contentOf = (place: string): Buffer | undefined => (existsSync(place) ? readFileSync(place) : undefined);
function copyOf(): string {
  const dataDirectory = join(temporaryFolder(), 'copied');
  cpSync(whole, dataDirectory, { recursive: true });
  return dataDirectory;
}
function damagedBy(file: string, damage: Damage): { dataDirectory: string; place: string } {
  const dataDirectory = copyOf();
  const place = join(dataDirectory, file.replace('*', projectFolder(dataDirectory)));
  damage(place);
  return { dataDirectory, place };
}

/** All in one process: a signal that ends it leaves the rest without an outcome. */
let starts: Promise<{ damaged: Damaged[]; undamaged: string | undefined; end: unknown[] }> | undefined;
const startAll = () => {
  starts ??= readStarts();
  return starts;
};
async function readStarts(): Promise<Awaited<NonNullable<typeof starts>>> {
  const made = cases.map(([, file, damage]) => damagedBy(file, damage)).map((one) => ({ ...one, before: contentOf(one.place) }));
  const undamaged = copyOf();
  const directories = [...made.map(({ dataDirectory }) => dataDirectory), undamaged];
  const child = spawn(process.execPath, [...engineFlags, fileURLToPath(new URL('./start-entry.js', import.meta.url)), ...directories], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said, end] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const outcomes = new Map(
    (jsonLines(said) as { dataDirectory?: string; outcome?: string }[]).map(({ dataDirectory, outcome }) => [dataDirectory, outcome]),
  );
  const damaged = made.map(({ dataDirectory, ...one }) => ({ ...one, outcome: outcomes.get(dataDirectory) }));
  return { damaged, undamaged: outcomes.get(undamaged), end };
}

for (const [index, [name, file]] of cases.entries()) {
  test(`${file}: ${name}`, { timeout: 240_000 }, async () => {
    const { place, before, outcome = 'no outcome' } = (await startAll()).damaged[index]!;
    assert.ok(outcome.includes(`The file ${place} is damaged: `), outcome);
    assert.match(outcome, /Nothing was changed\. Put it back from a backup/);
    assert.deepEqual(contentOf(place), before);
  });
}

test('no start ended its process, and the same data without damage starts', async () => {
  const { undamaged, end } = await startAll();
  assert.deepEqual([undamaged, ...end], ['started', 0, null]);
});

// DATA-FOLDER-2, HEALTH-1
test('where hosts are processes a damaged file of worlds closes its own project, and no other', { timeout: 120_000 }, async () => {
  const { dataDirectory, place } = damagedBy(worlds, prose);
  const before = contentOf(place);
  const flags = ['--isolate', 'process', '--trust-tool-code', 'true'];
  const service = await startInside({ dataDirectory, flags });
  const { projectId, environmentId, baseUrl } = service.ready;
  const client = clientOf(service, owner);
  assert.ok(service.logged().includes(`The file ${place} is damaged: `), service.logged());
  const { items } = await client.listSessions({ path: { projectId } });
  const { sessionId } = items[0]!;
  await assert.rejects(client.listEvidence({ path: { projectId, sessionId } }), { code: 'control.DATA_DAMAGED' });
  const { operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '2' } });
  await assert.rejects(client.waitForOperation({ projectId, operationId: operation.operationId }), /control\.DATA_DAMAGED/);
  assert.equal((await fetch(`${baseUrl}/readyz`)).status, 200);
  await service.stop();
  assert.deepEqual(contentOf(place), before);
  // Another start finds the file whole, and that of another project damaged.
  cpSync(join(whole, 'worlds'), join(dataDirectory, 'worlds'), { recursive: true });
  const other = join(dataDirectory, 'worlds', `p-${'0'.repeat(32)}`, 'host-0');
  mkdirSync(other, { recursive: true });
  prose(join(other, 'data.mdb'));
  const next = await startInside({ dataDirectory, flags });
  assert.ok(next.logged().includes(`The file ${other}/data.mdb is damaged: `), next.logged());
  assert.ok((await clientOf(next, owner).listEvidence({ path: { projectId, sessionId } })).entries.length > 0);
  await next.stop();
});

// WRITER-4
test('bytes of a world that cannot be read, in a file whose pages are whole, are damage: the log names the file, the answer does not', {
  timeout: 120_000,
}, async () => {
  const { dataDirectory, place } = damagedBy(worlds, () => {});
  const database = openDatabase({ directory: dirname(place), flushed: true });
  for (const { key, value } of database.getRange({ start: Buffer.from([keyKinds.chunk]), end: Buffer.from([keyKinds.chunk + 1]) })) {
    const bytes = Buffer.from(value);
    bytes[bytes.indexOf(':{') + 1] = 0x21;
    database.putSync(Buffer.from(key), bytes);
  }
  await database.close();
  const service = await startInside({ dataDirectory });
  const { projectId } = service.ready;
  const client = clientOf(service, owner);
  const { items } = await client.listSessions({ path: { projectId } });
  const path = { projectId, sessionId: items[0]!.sessionId };
  await assert.rejects(client.listEvidence({ path }), ({ code, message }: Error & { code?: string }) => {
    return code === 'control.DATA_DAMAGED' && !message.includes(dataDirectory);
  });
  assert.match(service.logged(), new RegExp(`The file ${place} is damaged: a journal cannot be read`));
  await service.stop();
});

/** Keeps half of the first record of the table. */
async function halve(directory: string, table: string): Promise<void> {
  const database = openDatabase({ directory: join(directory, 'catalog'), flushed: true });
  const start = Buffer.from(`r ${table} `);
  for (const { key, value } of database.getRange({ start, limit: 1 }))
    database.putSync(Buffer.from(key), Buffer.from(value.subarray(0, value.length / 2)));
  await database.close();
}

/** The quarantine of a build is there, and cannot be read. */
async function damageQuarantine(directory: string, build: { projectId: string; buildHash: string }): Promise<void> {
  const database = openDatabase({ directory: join(directory, 'catalog'), flushed: true });
  const id = encodeURIComponent(`${build.projectId} ${build.buildHash}`);
  database.putSync(Buffer.from(`r quarantine ${id}`), Buffer.from('{"projectId":'));
  database.putSync(Buffer.from(`i quarantine closed ${id}`), Buffer.alloc(0));
  await database.close();
}

/** The first operation stands where those do that have not ended. */
async function unfinishFirst(directory: string): Promise<void> {
  const database = openDatabase({ directory: join(directory, 'catalog'), flushed: true });
  const prefix = 'r operation ';
  const [first = assert.fail()] = [...database.getRange({ start: Buffer.from(prefix), limit: 1 })];
  const id = first.key.toString('latin1').slice(prefix.length);
  database.putSync(Buffer.from(`i operation unfinished ${id}`), Buffer.alloc(0));
  await database.close();
}

// STORED-SOURCE-1, SWEEP-LISTED-1
test('a record of the catalog that cannot be read is damage of its file: what needs it is refused, and the rest is served', {
  timeout: 120_000,
}, async () => {
  const dataDirectory = copyOf();
  await halve(dataDirectory, 'session');
  const service = await startInside({ dataDirectory });
  const { projectId, environmentId } = service.ready;
  const client = clientOf(service, owner);
  await assert.rejects(client.listSessions({ path: { projectId } }), ({ code, message }: Error & { code?: string }) => {
    return code === 'control.DATA_DAMAGED' && !message.includes(dataDirectory);
  });
  const place = join(dataDirectory, catalog);
  assert.ok(service.logged().includes(`The file ${place} is damaged: its record session ses_`), service.logged());
  const { operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '2' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  // The sweep of sessions passes it by.
  const short = await client.createSession({ path: { projectId, environmentId }, body: { seed: '3', ttlMs: 1000 } });
  const path = { projectId, sessionId: short.session.sessionId };
  await untilSettled(async () => (await client.getSession({ path })).session.destroyedAtMs !== undefined);
  // Each second again, and is logged once.
  assert.equal(service.logged().match(/"id":"ses_.+a sweep passes it by/g)?.length, 1, service.logged());
  const operator = clientOf(service, readFileSync(join(dataDirectory, 'operator.token'), 'utf8').trim());
  await operator.startBackup({ body: { to: join(temporaryFolder(), 'copy') } });
  await untilSettled(async () => (await operator.getBackup()).backup!.state !== 'running');
  const { error } = (await operator.getBackup()).backup!;
  assert.equal(error?.code, 'control.DATA_DAMAGED');
  assert.ok(error?.message?.includes(`The file ${place} is damaged: its record session ses_`), error?.message);
  await service.stop();
});

// BLOBS-3
test('a blob whose bytes are others is damage of its file, and the same source put again makes it whole', {
  timeout: 120_000,
}, async () => {
  const dataDirectory = copyOf();
  const service = await startInside({ dataDirectory });
  const { projectId } = service.ready;
  const client = clientOf(service, owner);
  const files = [{ path: 'drillyard.json', content: '{"schemaVersion":1,"name":"mine"}' }];
  const put = async () => (await client.createSourceDraft({ path: { projectId }, body: { name: 'one', files } })).sourceDraft;
  const { sourceDraftId } = await put();
  const read = () => client.getSourceArchive({ path: { projectId, sourceDraftId, revision: 1 } });
  const whole = await read();
  const blob = sha256Digest(files[0]!.content).slice('sha256:'.length);
  const place = join(dataDirectory, 'blobs', blob.slice(0, 2), blob);
  flip(20)(place);
  await assert.rejects(read(), { code: 'control.DATA_DAMAGED' });
  assert.ok(service.logged().includes(`The file ${place} is damaged: `), service.logged());
  await put();
  assert.deepEqual(await read(), whole);
  await service.stop();
});

test('a start that needs a damaged record of its format says its file', async () => {
  const dataDirectory = copyOf();
  await halve(dataDirectory, 'data-format');
  const message = new RegExp(`^The file ${join(dataDirectory, catalog)} is damaged: its record data-format .+ Put it back from a backup`);
  await assert.rejects(startInside({ dataDirectory }), { code: 'control.DATA_DAMAGED', message });
});

test('a damaged record of a project, and of an operation that has not ended, closes what is theirs; other projects are served', {
  timeout: 120_000,
}, async () => {
  const dataDirectory = copyOf();
  const flags = ['--trust-tool-code', 'true'];
  const first = await startInside({ dataDirectory, flags });
  const { projectId } = first.ready;
  const other = (await clientOf(first, owner).createProject({ body: { name: 'other' } })).project.projectId;
  await first.stop();
  await halve(dataDirectory, 'project');
  await unfinishFirst(dataDirectory);
  await halve(dataDirectory, 'operation');
  const service = await startInside({ dataDirectory, flags });
  const client = clientOf(service, owner);
  await assert.rejects(client.listSessions({ path: { projectId } }), { code: 'control.DATA_DAMAGED' });
  assert.deepEqual((await client.listSessions({ path: { projectId: other } })).items, []);
  assert.match(service.logged(), /what is stored of an operation is damaged; it is not taken up/);
  assert.equal((await fetch(`${service.ready.baseUrl}/readyz`)).status, 200);
  await service.stop();
});

// CLOSED-BUILDS-1
test('a quarantine that cannot be read closes its build, and no other', { timeout: 120_000 }, async () => {
  const { projectId, environmentId, buildHash } = example;
  const startedWith = async (damaged: string) => {
    const dataDirectory = copyOf();
    await damageQuarantine(dataDirectory, { projectId, buildHash: damaged });
    const service = await startInside({ dataDirectory });
    const client = clientOf(service, owner);
    const { items } = await client.listSessions({ path: { projectId } });
    const make = () => client.createSession({ path: { projectId, environmentId }, body: { seed: '2' } });
    const read = () => client.listEvidence({ path: { projectId, sessionId: items[0]!.sessionId } });
    return { service, make, read };
  };
  const closed = await startedWith(buildHash);
  assert.match(closed.service.logged(), /what is stored of a quarantine is damaged; its build stays closed/);
  for (const use of [closed.make, closed.read]) await assert.rejects(use(), { code: 'control.DATA_DAMAGED' });
  await closed.service.stop();
  const open = await startedWith(`sha256:${'0'.repeat(64)}`);
  assert.equal((await open.make()).operation.error, undefined);
  assert.ok((await open.read()).entries.length > 0);
  await open.service.stop();
});

test('a damaged record of an organization closes what is its own; the figures of the service count its worlds', {
  timeout: 120_000,
}, async () => {
  const dataDirectory = copyOf();
  await halve(dataDirectory, 'organization');
  const service = await startInside({ dataDirectory });
  const { projectId } = example;
  await assert.rejects(clientOf(service, owner).listSessions({ path: { projectId } }), { code: 'control.DATA_DAMAGED' });
  const figures = await fetch(`${service.ready.baseUrl}/metrics`);
  assert.equal(figures.status, 200);
  assert.match(await figures.text(), /^drillyard_worlds_passivated 1$/m);
  await service.stop();
});

test('the command says so too, and ends with 1', async () => {
  const { dataDirectory, place } = damagedBy(catalog, flip(24));
  const { code, stderr } = await serve({ dataDirectory }).ended;
  assert.equal(code, 1, stderr);
  assert.ok(stderr.includes(`The file ${place} is damaged: `), stderr);
  assert.match(stderr, /Nothing was changed\. Put it back from a backup/);
});
