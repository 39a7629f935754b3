// The plug is pulled in the midst of a mixed load, again and again, on one data directory, and the last time the service is asked to stop.
// What was acknowledged is there once; what was not is there once or not at all, and asking again with the same key settles it; nothing
// of the old incarnation opens anything.
// DRILLYARD_SERVICE_CRASH_ROUNDS sets how often (default 3).
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ControlError } from '../../src/client/control-error.js';
import {
  type Advance,
  advanceTo,
  awaited,
  type Comment,
  complete,
  createSession,
  type Desk,
  type Destruction,
  destroy,
  type Ground,
  type Ledger,
  load,
  prepare,
  type Run,
  startRun,
  write,
} from './crash-load.js';
import { asAgent, clientOf, type Ready, type Service, serve, startedDirectory, startService, temporaryFolder } from './service.js';

const rounds = Number(process.env.DRILLYARD_SERVICE_CRASH_ROUNDS ?? 3);
/** How long the load runs: differently long each time, and the same in each run of this test. */
const loadMs = (round: number): number => 60 + ((round * 7919) % 11) * 60;

test(`the service ends ${rounds} times under load, and loses and doubles nothing`, { timeout: 60_000 + rounds * 10_000 }, async (t) => {
  const dataDirectory = await startedDirectory();
  let credential = '';
  let ledger: Ledger | undefined;
  let service: Service | undefined;
  const counts = { creations: 0, comments: 0, advances: 0, runs: 0, destructions: 0, unacknowledged: 0 };
  const hashes = new Set<string>();
  for (let round = 1; round <= rounds + 1; round++) {
    service = await startService({ dataDirectory });
    credential ||= service.ready.credential ?? '';
    const ground: Ground = { client: clientOf(service, credential), ready: service.ready, round, over: false };
    const leftovers = ledger === undefined ? [] : await verify(ground, ledger, hashes);
    if (ledger !== undefined) count(counts, ledger);
    if (round > rounds) break;
    ledger = await prepare(ground, leftovers);
    const working = load(ground, ledger);
    await Promise.race([pause(loadMs(round)), working]);
    ground.over = true;
    const isStop = round === rounds;
    const { code } = await service.stop(isStop ? 'SIGTERM' : 'SIGKILL');
    if (isStop) assert.equal(code, 0, 'a stop under load ends well');
    await working;
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.unacknowledged > 0, 'no request was ever under way when the service died');
  assert.ok(
    Object.values(counts).every((number) => number > 0),
    `the load did not do everything: ${JSON.stringify(counts)}`,
  );
  assert.equal(hashes.size, 1, 'the same run gave other evidence');
  assert.equal((await service?.stop())?.code, 0);
});

test('killed while it starts for the first time, it continues with what it had begun', async () => {
  const dataDirectory = temporaryFolder();
  const reported: Ready[] = [];
  const has = (path: string) => () => existsSync(join(dataDirectory, path));
  const hasBlob = (): boolean =>
    readdirSync(join(dataDirectory, 'blobs'), { recursive: true }).some((name) => /^[0-9a-f]{2}.\w/.test(String(name)));
  // In the order in which its first start makes them; in the end killed as soon as it is ready.
  const steps = [
    has('in-use.lock'),
    has('server.key'),
    has('catalog/data.mdb'),
    has('worlds/host-0/data.mdb'),
    hasBlob,
    () => false,
    () => false,
  ];
  for (const isMade of steps) {
    const service = serve({ dataDirectory, flags: ['--json', '--log-level', 'warn'] });
    while (!isMade() && !service.said().stdout.includes('\n') && service.child.exitCode === null) await pause(2);
    const { stdout, stderr } = await service.stop('SIGKILL');
    assert.equal(stderr, '');
    if (stdout.includes('\n')) reported.push(JSON.parse(stdout) as Ready);
  }
  const service = await startService({ dataDirectory });
  const { credential: _, baseUrl: __, ...ids } = service.ready;
  for (const { credential: _, baseUrl: __, ...earlier } of reported) assert.deepEqual(earlier, ids);
  // A start that does not know that the secret was shown makes another one and shows it; the last one shown is the one that opens.
  const shown = [...reported, service.ready].flatMap(({ credential }) => (credential === undefined ? [] : [credential]));
  const credential = shown.at(-1)!;
  for (const replaced of shown.slice(0, -1)) await assert.rejects(clientOf(service, replaced).listCredentials(), { status: 401 });
  const client = clientOf(service, credential);
  const { projectId } = service.ready;
  const [{ items: projects }, { items: environments }, { items: builds }, { items: held }] = await Promise.all([
    client.listProjects(),
    client.listEnvironments({ path: { projectId } }),
    client.listBuilds({ path: { projectId } }),
    client.listCredentials(),
  ]);
  assert.deepEqual([projects.length, environments.length, builds.length, held.length], [1, 1, 1, 1]);
  assert.equal((await service.stop()).code, 0);
});

/** What of the old incarnation is still there, to be destroyed under the next load. */
async function verify(ground: Ground, ledger: Ledger, hashes: Set<string>): Promise<Destruction[]> {
  await Promise.all([
    verifyCreations(ground, ledger),
    verifyDestructions(ground, ledger),
    verifyAccess(ground, ledger.desk).then(async (desk) => await verifyComments(ground, desk, ledger.comments)),
    verifyAdvances(ground, ledger),
    ...ledger.runs.map((run) => verifyRun(ground, run, hashes)),
  ]);
  const { client, ready } = ground;
  const left: Destruction[] = [];
  for await (const page of client.pages('listSessions', { path: { projectId: ready.projectId }, query: { state: 'live' } })) {
    for (const { sessionId, leaseGeneration } of page.items) {
      left.push({ key: `destroy-${ground.round}-${sessionId}`, sessionId, leaseGeneration, asked: false, acknowledged: false });
    }
  }
  return left;
}

async function verifyCreations(ground: Ground, { creations }: Ledger): Promise<void> {
  const { client, ready } = ground;
  for (const { key, seed, sessionId } of creations) {
    const first = await createSession(ground, { seed }, key);
    const second = await createSession(ground, { seed }, key);
    if (sessionId !== undefined) assert.deepEqual([first.session.sessionId, first.replayed], [sessionId, true], `${key} was acknowledged`);
    assert.deepEqual([second.session.sessionId, second.replayed], [first.session.sessionId, true], `${key} was asked for again`);
    await client.waitForOperation({ projectId: ready.projectId, operationId: first.operation.operationId });
    const { session } = await client.getSession({ path: { projectId: ready.projectId, sessionId: first.session.sessionId } });
    assert.equal(session.state, 'ready');
  }
  const seeds: string[] = [];
  for await (const page of client.pages('listSessions', { path: { projectId: ready.projectId } }))
    seeds.push(...page.items.map(({ seed }) => seed));
  for (const { key, seed } of creations) assert.equal(seeds.filter((other) => other === seed).length, 1, `${key} is there once`);
}

async function verifyDestructions(ground: Ground, { destructions }: Ledger): Promise<void> {
  const { client, ready } = ground;
  for (const destruction of destructions.filter(({ asked }) => asked)) {
    const { sessionId, acknowledged } = destruction;
    const path = { projectId: ready.projectId, sessionId };
    const answer = await destroy(ground, destruction).catch(async (error: unknown) => {
      // It was not done, and in the meantime the crash has moved the lease on.
      assert.ok(!acknowledged && isRefusal(error, 'control.LEASE_CONFLICT'), String(error));
      const { leaseGeneration } = (await client.getSession({ path })).session;
      return await destroy(ground, { ...destruction, leaseGeneration, key: `${destruction.key}-again` });
    });
    if (acknowledged) assert.ok(answer.replayed);
    await client.waitForOperation({ projectId: ready.projectId, operationId: answer.reply.operation.operationId });
    assert.equal((await client.getSession({ path })).session.state, 'destroyed');
  }
}

/** The credential and the lease of the old incarnation are good in this one; yields them as they are now. */
async function verifyAccess({ client, ready }: Ground, old: Desk): Promise<Desk> {
  const url = `${ready.baseUrl}/world`;
  const answered = await asAgent(url, old.credential, '/v1/tools');
  assert.equal(answered.status, 200, JSON.stringify(answered.body));
  const { session } = await client.getSession({ path: { projectId: ready.projectId, sessionId: old.sessionId } });
  assert.equal(session.leaseGeneration, old.leaseGeneration);
  return { ...old, url };
}

async function verifyComments(ground: Ground, desk: Desk, comments: Comment[]): Promise<void> {
  const before = await commentRows(ground, desk.sessionId);
  for (const { key, text, value } of comments) {
    const found = before.filter((row) => row.body === text);
    assert.ok(found.length <= 1, `${key} is there ${found.length} times`);
    if (value !== undefined) assert.deepEqual(found[0]?.id, value.id, `${key} was acknowledged`);
  }
  // Those that nobody knows the end of, and as many that are known.
  const unknown = comments.filter(({ value }) => value === undefined);
  const known = comments.filter(({ value }) => value !== undefined).slice(-5);
  for (const comment of [...unknown, ...known]) {
    const { status, body } = await write(desk, comment);
    assert.deepEqual([status, body.outcome?.kind], [200, 'ok']);
    if (comment.value !== undefined) assert.deepEqual(body.outcome?.value, comment.value, 'the same key, the same answer');
  }
  const after = await commentRows(ground, desk.sessionId);
  for (const { key, text } of comments) assert.equal(after.filter((row) => row.body === text).length, 1, `${key} is there once`);
}

async function commentRows({ client, ready: { projectId } }: Ground, sessionId: string) {
  const rows = [];
  for await (const page of client.pages('listState', {
    path: { projectId, sessionId },
    query: { packageId: 'ticket-desk', namespace: 'comments', limit: 200 },
  })) {
    rows.push(...page.rows.map(({ value }) => value));
  }
  return rows;
}

async function verifyAdvances(ground: Ground, { clock, advances }: Ledger): Promise<void> {
  const { client, ready } = ground;
  const { projectId } = ready;
  const ended = async (advance: Advance): Promise<void> => {
    const { reply, replayed } = await advanceTo(ground, clock, advance);
    if (advance.operationId !== undefined) assert.deepEqual([reply.operation.operationId, replayed], [advance.operationId, true]);
    const operation = await client.waitForOperation({ projectId, operationId: reply.operation.operationId });
    const { reachedUs } = operation.result as { reachedUs: number };
    assert.equal(reachedUs, advance.targetUs);
  };
  for (const advance of advances) await ended(advance);
  const reached: number[] = [];
  for await (const page of client.pages('listEvidence', { path: { projectId, sessionId: clock.sessionId }, query: { limit: 500 } })) {
    for (const entry of page.entries) if (entry.kind === 'clock' && entry.reason === 'explicit') reached.push(entry.toUs);
  }
  assert.deepEqual(
    reached,
    advances.map(({ targetUs }) => targetUs),
  );
}

async function verifyRun(ground: Ground, run: Run, hashes: Set<string>): Promise<void> {
  if (!run.asked) return;
  const { client, ready } = ground;
  const { reply, replayed } = await startRun(ground, run);
  const { hostedRunId } = reply.run;
  if (run.hostedRunId !== undefined) assert.deepEqual([hostedRunId, replayed], [run.hostedRunId, true]);
  const path = { projectId: ready.projectId, hostedRunId };
  const ofAgent = async (asked: string) => (await asAgent(`${ready.baseUrl}/world`, asked, '/v1/tools')).status;
  if (run.completion?.acknowledged === true) assert.equal(await ofAgent(run.credential!), 401, 'its interaction was over');
  await completed(ground, hostedRunId, run.completion);
  if (run.credential !== undefined) assert.equal(await ofAgent(run.credential), 401, 'its interaction is over');
  await client.waitForOperation({ projectId: ready.projectId, operationId: reply.operation.operationId });
  const sealed = (await client.getRun({ path })).run;
  assert.deepEqual([sealed.state, sealed.result?.status, sealed.result?.verdict], ['sealed', 'sealed', 'failed']);
  hashes.add(`${sealed.result?.stateHash} ${sealed.result?.evidenceHash}`);
  const kinds: string[] = [];
  for await (const page of client.pages('listRunActivity', { path })) kinds.push(...page.items.map(({ kind }) => kind));
  for (const kind of ['created', 'interaction_completed', 'sealed'])
    assert.equal(kinds.filter((other) => other === kind).length, 1, kinds.join(' '));
  const bundle = { projectId: ready.projectId, evidenceBundleId: sealed.evidenceBundleId };
  assert.equal((await client.getEvidenceBundle({ path: bundle })).evidence.evidenceHash, sealed.result?.evidenceHash);
}

async function completed(ground: Ground, hostedRunId: string, completion: Run['completion']): Promise<void> {
  if (completion !== undefined) {
    try {
      const { replayed } = await complete(ground, hostedRunId, completion);
      if (completion.acknowledged) assert.ok(replayed);
      return;
    } catch (error) {
      // It was not done, and the new coordinator has taken the run up.
      assert.ok(!completion.acknowledged && isRefusal(error, 'control.VERSION_CONFLICT'), String(error));
    }
  }
  const expectedRevision = await awaited(ground, hostedRunId);
  await complete(ground, hostedRunId, { key: `late-${ground.round}-${hostedRunId}`, expectedRevision });
}

function isRefusal(error: unknown, code: string): error is ControlError {
  return error instanceof ControlError && error.code === code;
}

function count(counts: { [name: string]: number }, { creations, comments, advances, runs, destructions }: Ledger): void {
  const all = {
    creations,
    comments,
    advances,
    runs: runs.filter(({ asked }) => asked),
    destructions: destructions.filter(({ asked }) => asked),
  };
  for (const [name, list] of Object.entries(all)) counts[name] = (counts[name] ?? 0) + list.length;
  const unknown = [
    creations.filter(({ sessionId }) => sessionId === undefined),
    comments.filter(({ value }) => value === undefined),
    advances.filter(({ operationId }) => operationId === undefined),
  ];
  counts.unacknowledged = (counts.unacknowledged ?? 0) + unknown.flat().length;
}
