// What has ended is forgotten when its time is over, and nothing before.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { auditTable } from '../../src/control/catalog/audit-records.js';
import type { Table } from '../../src/control/catalog/tables.js';
import { operationTable } from '../../src/control/core/operation-records.js';
import { sweepRetention } from '../../src/control/retention.js';
import { activityTable, runResultTable } from '../../src/control/runs/records.js';
import { sweepSessions } from '../../src/control/sessions/expiry.js';
import { snapshotTable } from '../../src/control/sessions/snapshot-records.js';
import { until } from '../until.js';
import { openRunKit, type RunKit, refundAgent, sweep } from './run-kit.js';
import { refuses } from './session-kit.js';

let kit: RunKit;
before(async () => {
  kit = await openRunKit();
});
after(() => kit.close());

const retained = () => sweepRetention(kit.services);
const count = (table: Table<never>, index: string, prefix: string[]): number =>
  kit.services.catalog.view.list(table, { index, prefix, limit: 100 }).records.length;
const [day, none] = [86_400_000, { operations: 0, auditEvents: 0, runs: 0, strikes: 0 }];

test('operations, audit events, runs and snapshots go when their time is over', async () => {
  const session = await kit.drillSession('refund-happy-path');
  const { sessionId } = session;
  const taken = await kit.call('createSnapshot', { path: { sessionId }, body: { expectedLeaseGeneration: 1 } });
  await kit.done(taken.operation);
  const { run, operation } = await kit.start(session);
  const { hostedRunId } = run;
  await kit.play(hostedRunId, refundAgent);
  await kit.ended(operation);
  const idle = await kit.call('createSession', {
    path: { environmentId: kit.environmentId },
    body: { seed: '1', ttlMs: limits.endedOperationKeptMs },
  });
  await kit.done(idle.operation);

  kit.clock.nowMs += limits.endedOperationKeptMs;
  assert.deepEqual(await retained(), none);
  kit.clock.nowMs += 1;
  assert.ok((await retained()).operations >= 3);
  assert.equal(count(operationTable as never, 'byEnd', []), 0);
  assert.equal(kit.services.operations.find(operation.operationId), undefined);
  assert.equal((await kit.run(hostedRunId)).result?.verdict, 'passed');

  // The sessions end now; their records and their snapshots stay for a while.
  await sweepSessions(kit.services);
  await until(async () => (await kit.get(sessionId)).destroyedAtMs !== undefined);
  assert.equal((await kit.call('getSnapshot', { path: { hostedSnapshotId: taken.snapshot.hostedSnapshotId } })).snapshot.state, 'deleted');
  kit.clock.nowMs += limits.endedSessionKeptMs + 1;
  assert.ok((await sweepSessions(kit.services)).forgotten >= 1);
  assert.equal(count(snapshotTable as never, 'bySession', [kit.projectId, sessionId]), 0);

  // A run outlives its evidence, which outlives nothing.
  kit.clock.nowMs += limits.endedRunKeptMs;
  const { runs, auditEvents } = await retained();
  assert.equal(runs, 0, 'its evidence is still there');
  assert.ok(auditEvents >= 4);
  await sweep(kit);
  assert.equal((await retained()).runs, 1);
  assert.equal(count(auditTable as never, 'byTime', []), 0);
  await refuses(kit.call('getRun', { path: { hostedRunId } }), 'control.NOT_FOUND', undefined);
  assert.equal(count(activityTable as never, 'byRun', [hostedRunId]), 0);
  assert.equal(kit.services.catalog.view.get(runResultTable, hostedRunId), undefined);
});

test('what is under way is kept, however old', async () => {
  const { run, operation } = await kit.start(await kit.drillSession('refund-happy-path'), { timeoutMs: 86_400_000 });
  await kit.next(run.hostedRunId);
  kit.clock.nowMs += 1000 * day;
  await retained();
  assert.equal((await kit.run(run.hostedRunId)).state, 'awaiting_agent');
  assert.equal(kit.services.operations.find(operation.operationId)?.state, 'running');
});
