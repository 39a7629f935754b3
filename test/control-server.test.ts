// The service inside another program: the door of the package, without a process around it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { createClient } from '../src/client/client.js';
import { ControlError, OperationError } from '../src/client/control-error.js';
import type { BuildAttempt } from '../src/contract/hosted/source.js';
import { projectFolder } from '../src/control/sessions/project-worlds.js';
import { CompileWorkers } from '../src/control/tasks/compile-port.js';
import { type ControlServer, type ControlServerOptions, startControlServer } from '../src/index.js';
import { canBox } from '../src/processes/bubblewrap.js';
import { type Files, sound } from './compiler/repository.js';
import { startedDirectory } from './e2e/service.js';
import { untilSettled } from './until.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-control-server-'));
const open = new Set<ControlServer>();
after(async () => {
  await Promise.all([...open].map((server) => server.close()));
  rmSync(scratch, { recursive: true, force: true });
});

async function start(options: ControlServerOptions = {}): Promise<ControlServer> {
  const { dataDirectory = await startedDirectory() } = options;
  const server = await startControlServer({
    port: 0,
    workers: 1,
    isolation: 'thread',
    trustToolCode: true,
    log: { level: 'silent' },
    ...options,
    dataDirectory,
  });
  open.add(server);
  return server;
}
const clientOf = ({ baseUrl, credential = '' }: ControlServer) => createClient({ baseUrl, credential, retries: 0 });

function refused(code: string, details: object = {}) {
  return (error: unknown) => {
    assert.ok(error instanceof ControlError, String(error));
    assert.equal(error.code, code);
    for (const [name, value] of Object.entries(details)) assert.deepEqual(error.envelope.details?.[name], value);
    return true;
  };
}

test('a credential is shown until somebody says it was, each time with another secret, and works in every incarnation', async () => {
  const dataDirectory = mkdtempSync(join(scratch, 'reported-'));
  const first = await start({ dataDirectory });
  await first.close();
  const second = await start({ dataDirectory });
  assert.ok(first.credential !== undefined);
  assert.ok(second.credential !== undefined && second.credential !== first.credential);
  await second.credentialShown();
  await second.close();
  const third = await start({ dataDirectory });
  assert.equal(third.credential, undefined);
  const { organization } = await createClient({ baseUrl: third.baseUrl, credential: second.credential }).getMe();
  assert.equal(organization.organizationId, first.organizationId);
  await third.close();
});

test('two servers in one process are strangers; one folder serves one of them', async () => {
  const dataDirectory = mkdtempSync(join(scratch, 'shared-'));
  const one = await start({ dataDirectory });
  await assert.rejects(start({ dataDirectory }), { code: 'control.STATE_CONFLICT' });
  const other = await start({ dataDirectory: mkdtempSync(join(scratch, 'other-')) });
  await assert.rejects(
    createClient({ baseUrl: other.baseUrl, credential: one.credential ?? '' }).getMe(),
    refused('control.UNAUTHENTICATED'),
  );
  await Promise.all([one.close(), one.close(), other.close()]);
  await (await start({ dataDirectory })).close();
});

test('public address, quotas and rate are those of the options', async () => {
  const server = await start({ publicUrl: 'https://drills.example.com', quotas: { projectsMax: 2 }, rate: { perSecond: 1, burst: 60 } });
  const client = clientOf(server);
  const { projectId, environmentId } = server;
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId }, { pollMs: 2_000 });
  const { access } = await client.createSessionAccess({ path: { projectId, sessionId: session.sessionId }, body: { actorId: 'auditor' } });
  assert.deepEqual([access.worldHttpUrl, access.worldMcpUrl], ['https://drills.example.com/world', 'https://drills.example.com/world/mcp']);
  await client.createProject({ body: { name: 'second' } });
  await assert.rejects(
    client.createProject({ body: { name: 'third' } }),
    refused('control.QUOTA_EXCEEDED', { quota: 'projectsMax', max: 2 }),
  );
  const flood = Promise.all(Array.from({ length: 90 }, () => client.getMe()));
  await assert.rejects(flood, refused('control.RATE_LIMITED'));
  await server.close();
});

test('tool code in a process of its own', async () => {
  const server = await start({ isolation: 'process', durability: 'committed' });
  const client = clientOf(server);
  const { projectId, environmentId } = server;
  await client.withSession({ projectId, environmentId, seed: '1' }, async (session, path) => {
    assert.equal((await client.getSessionRuntime({ path })).position.virtualTimeUs, 1_772_442_000_000_000);
    assert.equal(session.state, 'ready');
  });
  await server.close();
});

test('hosts that cannot start: not ready, no word of where, and what waited for them continues when they can', async () => {
  const dataDirectory = await startedDirectory();
  const lines: string[] = [];
  const server = await start({ dataDirectory, log: { level: 'info', destination: { write: (line: string) => void lines.push(line) } } });
  const client = clientOf(server);
  const { projectId, environmentId } = server;
  const inTheWay = join(dataDirectory, 'worlds', projectFolder(projectId));
  writeFileSync(inTheWay, 'no folder');
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  const { sessionId } = session;
  const readiness = async () => (await (await fetch(`${server.baseUrl}/readyz`)).json()) as { details?: { reasons: string[] } };
  await untilSettled(async () => (await readiness()).details?.reasons.includes('hosts_cannot_start') === true);
  const state = { path: { projectId, sessionId }, query: { packageId: 'ticket-desk', namespace: 'tickets' } };
  await assert.rejects(client.listState(state), (error: ControlError) => !JSON.stringify(error.envelope).includes(dataDirectory));
  assert.ok(
    lines.some((line) => line.includes(inTheWay)),
    'the log says where',
  );
  rmSync(inTheWay);
  const ended = await client.waitForOperation({ projectId, operationId: operation.operationId });
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
  assert.ok(!(await readiness()).details?.reasons.includes('hosts_cannot_start'));
  // What agents are refused is logged with their session.
  const { access } = await client.createSessionAccess({ path: { projectId, sessionId }, body: { actorId: 'support-agent' } });
  const headers = { authorization: `Bearer ${access.credential}`, 'content-type': 'application/json' };
  await fetch(`${access.worldHttpUrl}/v1/operations/ticket-desk/ticket.get`, { method: 'POST', headers, body: '{' });
  const { route, status, resource } = JSON.parse(lines.at(-1) as string) as { [field: string]: unknown };
  assert.deepEqual([route, status, resource], ['POST /world/v1/operations/{packageId}/{operationId}', 400, { sessionId }]);
  await server.close();
});

test('a session whose tool cannot be loaded is not made: its operation says which tool, what is missing and in which file', async () => {
  const server = await start();
  const client = clientOf(server);
  const { projectId, environmentId } = server;
  const sessionOf = async (changes: Files) => {
    const files = Object.entries({ ...sound, ...changes }).flatMap(([path, content]) =>
      typeof content === 'string' ? [{ path, content }] : [],
    );
    const { sourceDraft } = await client.createSourceDraft({ path: { projectId }, body: { name: 'shop', files } });
    const built = await client.createBuild({ path: { projectId, sourceDraftId: sourceDraft.sourceDraftId, revision: 1 }, body: {} });
    const { result } = await client.waitForOperation({ projectId, operationId: built.operation.operationId });
    const { buildHash } = (result as unknown as { attempt: BuildAttempt }).attempt;
    const { session, operation } = await client.createSession({
      path: { projectId, environmentId },
      body: { seed: '1', buildHash: buildHash! },
    });
    const error = await client.waitForOperation({ projectId, operationId: operation.operationId }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const ended = (await client.getOperation({ path: { projectId, operationId: operation.operationId } })).operation;
    return { error, ended, state: (await client.getSession({ path: { projectId, sessionId: session.sessionId } })).session.state };
  };
  const behavior = sound['drillyard/notes.ts'];
  // Types are checked by `validate` alone.
  const made = await sessionOf({ 'drillyard/clean.ts': 'export const clean = (text: string): number => text.trim();\n' });
  assert.deepEqual([made.ended.state, made.state, made.error], ['succeeded', 'ready', undefined]);
  const file = 'drillyard/notes.tool.yaml';
  const lacking = await sessionOf({ 'drillyard/notes.ts': behavior.replace("'notes.add':", "['notes' + '.ad']:") });
  assert.ok(lacking.error instanceof OperationError);
  const { code, message, details } = lacking.ended.error ?? assert.fail('no error');
  assert.deepEqual([lacking.ended.state, code], ['failed', 'world.HANDLER_FAILED']);
  assert.deepEqual(details, { packageId: 'notes', missing: ["operations 'notes.add'"], file });
  assert.equal(message, `Tool 'notes' cannot be loaded: its behavior lacks operations 'notes.add'. It is the tool of ${file}.`);
  assert.match(lacking.state, /^destroy/);
  const throwing = await sessionOf({ 'drillyard/notes.ts': `${behavior}\nthrow new Error('no table');\n` });
  assert.deepEqual(throwing.ended.error?.details, { packageId: 'notes', file });
  assert.match(throwing.ended.error?.message ?? '', /^Tool 'notes' cannot be loaded: Error: no table\. /);
  await server.close();
});

const { works, reason } = canBox();
test('with boxes a project is built from source in a box, over HTTP, and nothing of it is left outside of the blobs', {
  skip: works ? false : reason,
  timeout: 120_000,
}, async () => {
  const dataDirectory = mkdtempSync(join(scratch, 'boxed-'));
  const server = await start({ dataDirectory, isolation: 'box' });
  const client = clientOf(server);
  const { projectId } = server;
  const build = async (changes: Files) => {
    const files = Object.entries({ ...sound, ...changes }).flatMap(([path, content]) => (content === null ? [] : [{ path, content }]));
    const { sourceDraft } = await client.createSourceDraft({ path: { projectId }, body: { name: 'shop', files } });
    const { operation } = await client.createBuild({
      path: { projectId, sourceDraftId: sourceDraft.sourceDraftId, revision: 1 },
      body: {},
    });
    return await client.waitForOperation({ projectId, operationId: operation.operationId });
  };
  const threads = new CompileWorkers({ workers: 1 });
  const root = mkdtempSync(join(scratch, 'source-'));
  for (const [path, content] of Object.entries(sound)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const { compiled } = await threads.compile({ root });
  await threads.close();
  const { attempt } = (await build({})).result as unknown as { attempt: BuildAttempt };
  assert.deepEqual([attempt.state, attempt.buildHash], ['succeeded', compiled?.summary.buildHash]);
  await assert.rejects(build({ 'drillyard/world.yaml': 'id: [' }), /control\.SOURCE_INVALID/);
  assert.deepEqual(readdirSync(join(dataDirectory, 'work')), []);
  await server.close();
  assert.deepEqual(readdirSync(join(dataDirectory, 'slots', 'compile')), []);
});
