// An incarnation of the service that ends without a word in the midst of a run: the next one continues with it, and the evidence is that of
// a run that nothing disturbed.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HostedRun } from '../../src/contract/run/run.js';
import { operationTable } from '../../src/control/core/operation-records.js';
import { FenceError } from '../../src/control/runs/attempt-store.js';
import { runRunner } from '../../src/control/runs/coordinator.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { until } from '../until.js';
import { type Agent, type AgentWorld, hasEnded, openRunKit, type RunKit, refundAgent } from './run-kit.js';
import { refuses } from './session-kit.js';

const drillId = 'sla-escalation';
const folders: string[] = [];
let kit: RunKit;
const endKit = async (): Promise<void> => {
  await kit.end('crash').catch(() => {});
  for (const folder of [...folders.splice(0), kit.directory]) rmSync(folder, { recursive: true, force: true });
};

async function nextIncarnation(how: 'gently' | 'crash'): Promise<void> {
  const { directory, clock } = kit;
  await kit.end(how);
  kit = await openRunKit({ directory, clock });
}

/** Answers the first new ticket, once however often it is asked to. */
const answerOne: Agent = async (run, world) => {
  const { items } = (await world.call('ticket-desk', 'ticket.search', { status: ['new'], order: 'asc', limit: 1 })) as never as Found;
  const ticketId = items?.[0]?.id ?? 'TKT-1001';
  const idempotencyKey = run.pendingInteraction!.interaction.id;
  await world.call('ticket-desk', 'comment.add', { ticketId, body: 'We are on it.' }, { idempotencyKey });
  return { ticketId };
};
interface Found {
  items?: { id: string }[];
}
const evidenceOf = (run: HostedRun): Buffer => readFileSync(join(kit.folderOf(run), 'evidence.jsonl'));

let whole: Promise<Undisturbed> | undefined;
/** A run of one seed is the same each time it is played; one service plays it for all. */
const undisturbed = (): Promise<Undisturbed> => {
  whole ??= playUndisturbed();
  return whole;
};
interface Undisturbed {
  run: HostedRun;
  evidence: Buffer;
}
async function playUndisturbed(): Promise<Undisturbed> {
  kit = await openRunKit();
  const { run } = await kit.start(await kit.drillSession(drillId));
  const ended = await kit.play(run.hostedRunId, answerOne);
  const evidence = evidenceOf(ended);
  folders.push(kit.directory);
  await kit.end();
  return { run: ended, evidence };
}

for (const how of ['gently', 'crash'] as const) {
  // RUN-CHANGES-1, ATTEMPT-2
  test(`a service that ends (${how}) between any two steps of a run changes nothing about it`, async (t) => {
    const whole = await undisturbed();
    assert.equal(whole.run.result!.interactions.length, 4);
    kit = await openRunKit();
    t.after(endKit);
    const { run, operation } = await kit.start(await kit.drillSession(drillId));
    const { hostedRunId } = run;
    await nextIncarnation(how);
    for (let generations = 0; ; generations++) {
      const pending = await kit.next(hostedRunId);
      if (hasEnded(pending)) break;
      // Awaited; then with access that has been used; then handed in.
      await nextIncarnation(how);
      const lost = await kit.worldOf(pending);
      await (lost as AgentWorld).call('ticket-desk', 'ticket.search', { status: ['new'], order: 'asc', limit: 1 });
      await nextIncarnation(how);
      assert.equal((await kit.agent(lost.credential, '/world/v1/tools')).status, 200);
      const { revision } = await kit.run(hostedRunId);
      assert.equal(revision, pending.revision, 'another incarnation is no change a caller must know of');
      const world = await kit.worldOf(pending);
      const idempotencyKey = pending.pendingInteraction!.interaction.id;
      const ticketId = (whole.run.result!.interactions[generations]!.targetResult.output as { ticketId: string }).ticketId;
      await world.call('ticket-desk', 'comment.add', { ticketId, body: 'We are on it.' }, { idempotencyKey });
      await kit.complete(pending, { output: { ticketId } });
      await nextIncarnation(how);
      assert.equal((await kit.agent(lost.credential, '/world/v1/tools')).status, 401);
    }
    const sealed = await kit.run(hostedRunId);
    assert.equal(sealed.state, 'sealed', JSON.stringify(sealed.failure));
    const { interactions, assertionResults, checkpoints, evidenceHash, budgetUsage } = sealed.result!;
    assert.deepEqual(interactions, whole.run.result!.interactions);
    assert.deepEqual(assertionResults, whole.run.result!.assertionResults);
    assert.deepEqual(checkpoints, whole.run.result!.checkpoints);
    assert.deepEqual(budgetUsage, whole.run.result!.budgetUsage);
    assert.equal(evidenceHash, whole.run.result!.evidenceHash);
    assert.ok(evidenceOf(sealed).equals(whole.evidence));
    assert.ok((await verifyReport(kit.folderOf(sealed))).ok);
    assert.ok(sealed.coordination!.generation > 4, 'each incarnation fenced the one before');
    assert.equal((await kit.ended(operation)).state, 'succeeded');
  });
}

test('a run whose seal was lost with its incarnation is sealed once more, the same', async (t) => {
  const whole = await undisturbed();
  kit = await openRunKit();
  t.after(endKit);
  const { run, operation } = await kit.start(await kit.drillSession(drillId));
  const { hostedRunId } = run;
  for (let left = 4; left > 0; left--) {
    const pending = await kit.next(hostedRunId);
    const output = await answerOne(pending, await kit.worldOf(pending));
    await kit.complete(pending, { output });
    if (left === 1) kit.disk.full = true;
  }
  const closed = async (): Promise<boolean> => {
    const world = await kit.services.worlds.open(run.sessionId);
    const { entries } = await world.query({ kind: 'evidence', fromSequence: 1, limit: 500 });
    return entries.some((entry) => entry.kind === 'lifecycle' && entry.phase === 'world_closed');
  };
  // The disk was full before the last step could be kept, so the world waits for it.
  assert.equal(await closed(), false);
  kit.disk.full = false;
  await kit.when(hostedRunId, ({ state }) => state === 'ready_to_seal' || state === 'sealed');
  kit.disk.full = true;
  await until(closed);
  await nextIncarnation('crash');
  await kit.done(operation);
  const sealed = await kit.run(hostedRunId);
  assert.equal(sealed.result!.evidenceHash, whole.run.result!.evidenceHash);
  assert.ok((await verifyReport(kit.folderOf(sealed))).ok);
});

// RUN-ATTEMPT-STORE-1
test('of two coordinators only the younger one is heard', async (t) => {
  kit = await openRunKit();
  t.after(endKit);
  const { run, operation } = await kit.start(await kit.drillSession('refund-happy-path'));
  const { hostedRunId } = run;
  const pending = await kit.next(hostedRunId);
  const record = kit.services.catalog.view.get(operationTable, operation.operationId)!;
  const signal = new AbortController().signal;
  // The coordinator of this incarnation has not gone; another begins all the same.
  const younger = runRunner(kit.services).run(record, { takenUp: true, signal, leaving: signal, progress: () => {} });
  await kit.when(hostedRunId, ({ coordination }) => coordination?.generation === 2);
  assert.equal((await kit.run(hostedRunId)).revision, pending.revision);
  await kit.complete(pending, { output: await refundAgent(pending, await kit.worldOf(pending)) });
  const ending = await younger;
  assert.equal(ending.state, 'succeeded');
  const older = await kit.ended(operation);
  assert.equal(older.state, 'failed', 'the older coordinator found itself replaced');
  assert.equal((await kit.run(hostedRunId)).state, 'ready_to_seal');
  await kit.services.catalog.change((tx) => ending.apply(tx));
  const sealed = await kit.run(hostedRunId);
  assert.equal(sealed.state, 'sealed');
  assert.equal(sealed.result!.verdict, 'passed');
  assert.equal(new FenceError('x').name, 'FenceError');
  await refuses(kit.complete(pending), 'control.VERSION_CONFLICT', { revision: sealed.revision });
});

test('a host that is lost in the midst of a run costs the run nothing', async (t) => {
  const whole = await undisturbed();
  kit = await openRunKit();
  t.after(endKit);
  const { services } = kit;
  const { run, operation } = await kit.start(await kit.drillSession(drillId));
  const { hostedRunId } = run;
  for (let kills = 0; ; kills++) {
    const found = await kit.next(hostedRunId);
    if (hasEnded(found)) {
      assert.equal(kills, 4);
      break;
    }
    // While its agent works, and again while the coordinator plays on to the next one.
    await services.worlds.killHost(0);
    const output = await answerOne(found, await kit.worldOf(found));
    await Promise.all([kit.complete(found, { output }), services.worlds.killHost(0)]);
  }
  assert.equal((await kit.ended(operation)).state, 'succeeded');
  const ended = await kit.run(hostedRunId);
  assert.deepEqual([ended.state, ended.result?.evidenceHash], ['sealed', whole.run.result?.evidenceHash]);
  assert.deepEqual(evidenceOf(ended), whole.evidence);
});
