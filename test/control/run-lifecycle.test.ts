// The whole lifecycle of hosted runs of a real project: played through the API by its own agents, judged, sealed, reported.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { WorldSession } from '../../src/contract/hosted/resources.js';
import { runDrills } from '../../src/index.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { example, openRunKit, type RunKit, refundAgent } from './run-kit.js';
import { refuses } from './session-kit.js';

let kit: RunKit;
const scratch = mkdtempSync(join(tmpdir(), 'drillyard-local-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** The same drill on this machine, with the agent that the project declares. */
async function locally(drillId: string) {
  const { drills } = await runDrills({
    root: example.root,
    drills: [drillId],
    runDirectory: join(scratch, 'runs'),
    reportDirectory: join(scratch, 'reports'),
  });
  const attempt = drills[0]!.trials[0]!.attempts[0]!;
  return { result: attempt.result, folder: join(example.root, attempt.report) };
}

test('a hosted run gives, byte for byte, the evidence of a local run', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const local = await locally('refund-happy-path');
  const session = await kit.drillSession('refund-happy-path', local.result.identity.seed);
  const { run, operation } = await kit.start(session);
  assert.equal(run.state, 'created');
  assert.equal(run.revision, 1);
  assert.equal(run.coordination?.state, 'pending');
  assert.equal(operation.kind, 'drill.run');
  const { hostedRunId } = run;

  const awaited = await kit.next(hostedRunId);
  const step = local.result.interactions[0]!;
  assert.equal(awaited.state, 'awaiting_agent');
  assert.deepEqual(awaited.pendingInteraction, {
    schemaVersion: 1,
    interaction: { id: step.interactionId, afterStartUs: 0, actorId: step.actorId, task: step.task },
    scheduledAtVirtualUs: step.scheduledAtVirtualUs,
    startedAtVirtualUs: step.startedAtVirtualUs,
    toolCallsAtStart: 0,
  });
  assert.equal(awaited.coordination?.activeInteractionId, step.interactionId);

  const sealed = await kit.play(hostedRunId, refundAgent);
  assert.equal(sealed.state, 'sealed', JSON.stringify(sealed.failure));
  assert.equal(sealed.coordination?.state, 'settled');
  const hosted = sealed.result!;
  for (const name of [
    'verdict',
    'status',
    'stateHash',
    'evidenceHash',
    'trajectoryHash',
    'evidenceRange',
    'assertionResults',
    'budgetUsage',
    'interactions',
  ] as const) {
    assert.deepEqual(hosted[name], local.result[name], name);
  }
  assert.deepEqual({ ...hosted.identity, runId: '' }, { ...local.result.identity, runId: '' });
  assert.deepEqual(sealed.identity, hosted.identity);
  assert.ok(readFileSync(join(kit.folderOf(sealed), 'evidence.jsonl')).equals(readFileSync(join(local.folder, 'evidence.jsonl'))));
  const verified = await verifyReport(kit.folderOf(sealed));
  assert.ok(verified.ok, JSON.stringify(verified.problems));
  const { state, result } = await kit.ended(operation);
  assert.equal(state, 'succeeded');
  assert.deepEqual(result, {
    schemaVersion: 1,
    kind: 'drill.run',
    hostedRunId,
    state: 'sealed',
    verdict: 'passed',
    evidenceBundleId: run.evidenceBundleId,
  });
});

test('the world of a run is its own while it lasts, and must be reset before anybody else uses it', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const session = await kit.drillSession('refund-happy-path');
  const { sessionId, environmentId, buildHash } = session;
  const before = (await kit.call('createSessionAccess', { path: { sessionId }, body: { actorId: 'support-agent' } })).access;
  const { run } = await kit.start(session);
  const { hostedRunId } = run;
  assert.equal((await kit.agent(before.credential, '/world/v1/tools')).status, 401);
  await kit.next(hostedRunId);
  const owned = { hostedRunId };
  const fence = { environmentId, buildHash, expectedLeaseGeneration: 1 };
  const path = { sessionId };
  await refuses(kit.call('createSessionAccess', { path, body: { actorId: 'support-agent' } }), 'world.RUN_OWNS_LEASE', owned);
  await refuses(kit.call('advanceTime', { path, body: { ...fence, targetUs: 0, maxEvents: 0 } }), 'world.RUN_OWNS_LEASE', owned);
  await refuses(kit.call('resetSession', { path, body: { expectedLeaseGeneration: 1 } }), 'world.RUN_OWNS_LEASE', owned);
  await refuses(
    kit.call('destroySession', { path, body: { expectedLeaseGeneration: 1, confirm: sessionId } }),
    'world.RUN_OWNS_LEASE',
    owned,
  );
  await refuses(kit.start(session), 'world.RUN_OWNS_LEASE', owned);
  await refuses(kit.start(session, { expectedLeaseGeneration: 2 }), 'control.LEASE_CONFLICT', { leaseGeneration: 1 });
  assert.equal((await kit.call('getSessionRuntime', { path })).hostedRunId, hostedRunId);

  await kit.play(hostedRunId, refundAgent);
  assert.match(
    (await refuses(kit.call('createSessionAccess', { path, body: { actorId: 'support-agent' } }), 'world.RUN_OWNS_LEASE')).message,
    /reset/,
  );
  await refuses(kit.start(session), 'world.RUN_OWNS_LEASE');
  // Its end has closed the world, and only a reset of the whole opens it.
  await refuses(kit.call('createSnapshot', { path, body: { expectedLeaseGeneration: 1 } }), 'world.RUN_OWNS_LEASE');
  const packages = [(await example.build()).tools[0]!.packageId];
  await refuses(kit.call('resetSession', { path, body: { expectedLeaseGeneration: 1, packages } }), 'world.RUN_OWNS_LEASE');
  assert.deepEqual((await kit.call('listSnapshots', { query: { sessionId } })).items, []);
  await kit.done((await kit.call('resetSession', { path, body: { expectedLeaseGeneration: 1 } })).operation);
  const fresh = await kit.get(sessionId);
  const again = await kit.start(fresh);
  const second = await kit.play(again.run.hostedRunId, refundAgent);
  assert.equal(second.result?.verdict, 'passed');
  // What was there before the run is not its own.
  assert.equal(second.result?.evidenceRange.fromSequence, 3);
  assert.ok((await verifyReport(kit.folderOf(second))).ok);
});

test('evidence of a run in a world that was used before, or forked, or made as another trial, verifies', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const verified = async (session: WorldSession, fromSequence: number): Promise<void> => {
    const position = { trial: 2, trialCount: 3, attempt: 2, attemptLimit: 2 };
    const { run } = await kit.start(session, position);
    const ended = await kit.play(run.hostedRunId, refundAgent);
    assert.equal(ended.result?.evidenceRange.fromSequence, fromSequence);
    const { ok, problems } = await verifyReport(kit.folderOf(ended));
    assert.ok(ok, JSON.stringify(problems));
  };
  const session = await kit.drillSession('refund-happy-path');
  const { sessionId, environmentId, buildHash } = session;
  const path = { sessionId };
  const lease = { expectedLeaseGeneration: 1 };
  const startUs = (await example.build()).drills.find(({ drill }) => drill.id === 'refund-happy-path')!.setup.virtualTimeUs;
  const body = { ...lease, environmentId, buildHash, targetUs: startUs + 1, maxEvents: 0 };
  await kit.done((await kit.call('advanceTime', { path, body })).operation);
  await verified(session, 3);
  const forked = await kit.call('forkSession', { path, body: { ...lease, environmentId, atSequence: 1 } });
  await kit.done(forked.operation);
  await verified(await kit.get(forked.session.sessionId), 1);
});
