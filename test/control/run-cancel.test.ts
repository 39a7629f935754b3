// Runs that are stopped: cancelled in each of their states, or past their deadline. Access ends first, then the run is judged and sealed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FileBlobs } from '../../src/control/core/blobs.js';
import { runTable } from '../../src/control/runs/records.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { awaitsAgent, hasEnded, openRunKit, type RunKit, refundAgent, sweep } from './run-kit.js';
import { refuses } from './session-kit.js';

let kit: RunKit;
const cancel = async ({ hostedRunId, revision }: { hostedRunId: string; revision: number }, reason?: string) =>
  (
    await kit.call('cancelRun', {
      path: { hostedRunId },
      body: { expectedRevision: revision, ...(reason === undefined ? {} : { reason }) },
    })
  ).run;

test('cancelled before it began, a run has touched nothing: its session is free', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const session = await kit.drillSession('refund-happy-path');
  const { sessionId } = session;
  // Something of the session's lane goes first, so that the run waits.
  const first = await kit.call('createSnapshot', { path: { sessionId }, body: { expectedLeaseGeneration: 1 } });
  const { run, operation } = await kit.start(session);
  const ended = await cancel(run, 'changed my mind');
  assert.equal(ended.state, 'aborted_before_start');
  assert.equal(ended.coordination?.state, 'settled');
  assert.deepEqual(ended.termination, {
    schemaVersion: 1,
    outcome: 'cancelled',
    reason: 'changed my mind',
    requestedAtMs: kit.clock.nowMs,
  });
  assert.equal((await kit.ended(operation)).state, 'cancelled');
  await kit.done(first.operation);
  const { evidence } = await kit.call('getEvidenceBundle', { path: { evidenceBundleId: run.evidenceBundleId } });
  assert.equal(evidence.state, 'deleted');
  const again = await kit.start(await kit.get(sessionId));
  assert.equal((await kit.play(again.run.hostedRunId, refundAgent)).state, 'sealed');
  await refuses(cancel(ended), 'control.STATE_CONFLICT', { state: 'aborted_before_start' });
});

// RUN-MEMORY-1, RUN-CHANGES-1, RUN-CHANGES-2, RUN-ATTEMPT-STORE-2
test('cancelled while an agent works, a run ends cancelled, its access first, with its evidence', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const { run, operation } = await kit.start(await kit.drillSession('refund-happy-path'));
  const pending = await kit.next(run.hostedRunId);
  const { credential } = await kit.worldOf(pending);
  await refuses(cancel({ ...pending, revision: pending.revision + 1 }), 'control.VERSION_CONFLICT', { revision: pending.revision });
  const asked = await cancel(pending);
  assert.equal((await kit.agent(credential, '/world/v1/tools')).status, 401);
  assert.equal(asked.pendingInteraction, undefined);
  assert.equal(asked.termination?.outcome, 'cancelled');
  await refuses(kit.complete(pending), 'control.VERSION_CONFLICT', { revision: asked.revision });
  const ended = await kit.when(run.hostedRunId, hasEnded);
  assert.equal(ended.state, 'cancelled');
  assert.equal(ended.result?.status, 'cancelled');
  assert.equal(ended.result?.verdict, 'inconclusive');
  assert.equal(ended.result?.interactions[0]?.targetResult.status, 'cancelled');
  assert.equal(ended.failure?.code, 'framework.CANCELLED');
  assert.ok((await verifyReport(kit.folderOf(ended))).ok);
  assert.equal((await kit.ended(operation)).state, 'cancelled');
  const { items } = await kit.call('listRunActivity', { path: { hostedRunId: run.hostedRunId }, query: {} });
  assert.deepEqual(
    items.map(({ kind, ordinal }) => `${ordinal} ${kind}`),
    ['1 created', '2 interaction_awaited', '3 access_issued', '4 cancel_requested', '5 ended'],
  );
});

test('cancelled through its operation, and before the service ended, a run is cancelled all the same', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const { run, operation } = await kit.start(await kit.drillSession('refund-happy-path'));
  const { hostedRunId } = run;
  await kit.next(hostedRunId);
  await kit.services.catalog.change((tx) => kit.services.operations.cancel(tx, operation.operationId));
  const { directory, clock } = kit;
  await kit.end('crash');
  kit = await openRunKit({ directory, clock });
  const ended = await kit.when(hostedRunId, hasEnded);
  assert.equal(ended.state, 'cancelled');
  assert.equal(ended.termination?.outcome, 'cancelled');
});

// RUN-CHANGES-2
test('past its deadline the pending interaction has timed out, and the run is judged as a local one', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const { run } = await kit.start(await kit.drillSession('refund-happy-path'), { timeoutMs: 60_000 });
  const { hostedRunId, deadlineAtMs } = run;
  assert.equal(deadlineAtMs, kit.clock.nowMs + 60_000);
  const pending = await kit.next(hostedRunId);
  const { credential } = await kit.worldOf(pending);
  const { runMemory } = kit.services;
  const call = { endpoints: {}, observed: () => false, unanswered: () => undefined, revoke: async () => {} };
  runMemory.issued(hostedRunId, { ...call, pending: () => ({ words: "'ticket.get' of tool 'desk'", forMs: 5000 }) });
  kit.clock.nowMs = deadlineAtMs - 1;
  await sweep(kit);
  assert.ok(awaitsAgent(await kit.run(hostedRunId)));
  kit.clock.nowMs = deadlineAtMs;
  // Whether the sweep has come by or not.
  await refuses(kit.complete(pending), 'control.STATE_CONFLICT');
  assert.equal((await kit.agent(credential, '/world/v1/tools')).status, 401);
  await sweep(kit);
  const ended = await kit.when(hostedRunId, hasEnded);
  assert.equal(ended.state, 'sealed');
  const { targetResult } = ended.result!.interactions[0]!;
  assert.equal(targetResult.status, 'timed_out');
  assert.equal(targetResult.error?.code, 'target.TIMED_OUT');
  assert.match(
    targetResult.error?.message ?? '',
    /while the target worked: 'ticket\.get' of tool 'desk' had run for 5000 ms by then\. Its/,
  );
  assert.notEqual(ended.result!.verdict, 'passed');
  assert.ok((await verifyReport(kit.folderOf(ended))).ok);
});

test('a deadline that passes while nobody is there ends the run in the next incarnation', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const { run } = await kit.start(await kit.drillSession('sla-escalation'), { timeoutMs: 60_000 });
  const { hostedRunId } = run;
  await kit.next(hostedRunId);
  const { directory, clock } = kit;
  await kit.end('crash');
  clock.nowMs += 60_000;
  kit = await openRunKit({ directory, clock });
  await sweep(kit);
  const ended = await kit.when(hostedRunId, hasEnded);
  assert.equal(ended.state, 'sealed');
  // A target that fails stops this drill, so the other three were not played.
  assert.deepEqual(
    ended.result!.interactions.map(({ targetResult }) => targetResult.status),
    ['timed_out'],
  );
});

test('what the agent says went wrong is the result of its interaction', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  for (const [status, state] of [
    ['failed', 'sealed'],
    ['timed_out', 'sealed'],
    ['cancelled', 'cancelled'],
  ] as const) {
    const { run } = await kit.start(await kit.drillSession('refund-happy-path'));
    const pending = await kit.next(run.hostedRunId);
    const error = { code: 'target.OUT_OF_IDEAS' as const, message: 'I give up.' };
    await kit.complete(pending, status === 'failed' ? { status, error } : { status });
    const ended = await kit.when(run.hostedRunId, hasEnded);
    assert.equal(ended.state, state);
    const { bindingEvidence, targetResult } = ended.result!.interactions[0]!;
    assert.equal(targetResult.status, status);
    assert.equal(
      targetResult.error?.code,
      status === 'failed' ? error.code : status === 'timed_out' ? 'target.TIMED_OUT' : 'target.CANCELLED',
    );
    assert.equal(bindingEvidence, 'not_checked');
    assert.notEqual(ended.result!.verdict, 'passed');
  }
});

test('a world that is lost under a run fails the run, which says so and still ends', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const { run, operation } = await kit.start(await kit.drillSession('refund-happy-path'));
  const pending = await kit.next(run.hostedRunId);
  await (await kit.services.worlds.open(run.sessionId)).destroy();
  await kit.complete(pending);
  const ended = await kit.when(run.hostedRunId, hasEnded);
  assert.equal(ended.state, 'runner_failed');
  assert.equal(ended.termination?.outcome, 'runner_failed');
  assert.equal(ended.failure?.code, 'control.NOT_FOUND');
  assert.equal(ended.result?.verdict, 'inconclusive');
  assert.equal((await kit.ended(operation)).state, 'succeeded');
});

test('a run whose session could not be made has not begun', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const first = await kit.start(await kit.drillSession('refund-happy-path'));
  const { hostedRunId } = await kit.play(first.run.hostedRunId, refundAgent);
  const { run, operation } = await kit.call('rerun', { path: { hostedRunId }, body: {} });
  const { directory, clock } = kit;
  await kit.end('crash');
  // Before the session was made; and the next incarnation cannot read the build any more.
  const whole = new FileBlobs(directory);
  const blobs = Object.assign(Object.create(whole), {
    put: (bytes: Uint8Array) => whole.put(bytes),
    get: () => Promise.reject(new Error('the blob is damaged')),
  });
  kit = await openRunKit({ directory, clock, services: { blobs } });
  const ended = await kit.when(run.hostedRunId, hasEnded);
  assert.equal(ended.state, 'aborted_before_start');
  assert.equal(ended.coordination?.state, 'settled');
  assert.equal(ended.failure?.code, 'world.NOT_READY');
  assert.equal((await kit.ended(operation)).state, 'failed');
});

test('a cancellation that finds the disk full is carried out when there is space', async (t) => {
  kit = await openRunKit();
  t.after(() => kit.close());
  const { run, operation } = await kit.start(await kit.drillSession('refund-happy-path'));
  const { hostedRunId } = run;
  await kit.next(hostedRunId);
  // The commit of the request is the last that the disk takes.
  await kit.services.catalog.change((tx) => {
    kit.services.operations.cancel(tx, operation.operationId);
    tx.afterCommit(() => {
      kit.disk.full = true;
    });
  });
  await refuses(
    kit.services.catalog.change(
      (tx) => kit.services.operations.cancel(tx, operation.operationId) && tx.put(runTable, tx.get(runTable, hostedRunId)!),
    ),
    'control.STORAGE_FULL',
  );
  assert.ok(awaitsAgent(await kit.run(hostedRunId)));
  kit.disk.full = false;
  assert.equal((await kit.when(hostedRunId, hasEnded)).state, 'cancelled');
});
