// A stored run looked into, forked and asked again, through the functions of the package.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { StatePatch } from '../../src/contract/world/scenario.js';
import { RebuiltRows } from '../../src/drills/stored/rebuilt-rows.js';
import {
  compareRuns,
  forkRun,
  openStoredRun,
  replayReport,
  runDrills,
  ServiceError,
  type StoredRun,
  type WorldRef,
} from '../../src/index.js';
import fc from '../fast-check.js';

const root = mkdtempSync(join(tmpdir(), 'drillyard-stored-'));
/** By drill. */
const runs = new Map<string, string>();
before(async () => {
  const example = fileURLToPath(new URL('../../../examples/01-support-desk', import.meta.url));
  cpSync(example, root, { recursive: true, filter: (from) => !from.includes('.service') });
  const { drills } = await runDrills({ root, drills: ['careless-refund', 'sla-escalation'] });
  for (const { drillId, trials } of drills) runs.set(drillId, trials[0]?.attempts[0]?.runId ?? '');
});
after(() => rmSync(root, { recursive: true, force: true }));

const opened = (drillId: string): Promise<StoredRun> => openStoredRun({ root, run: runs.get(drillId) ?? '' });

async function rowsOf(world: WorldRef): Promise<Map<string, unknown>> {
  const rows = new Map<string, unknown>();
  for (const { packageId, instanceId, namespace } of await world.query({ kind: 'namespaces' })) {
    const page = await world.query({ kind: 'state', packageId, instanceId, namespace, limit: 1000 });
    for (const { rowId, value } of page.rows) rows.set(`${instanceId}/${namespace}/${rowId}`, value);
  }
  return rows;
}

/** From the report alone: the start, and every change up to the entry. */
async function rowsAt(run: StoredRun, atSequence: number): Promise<Map<string, unknown>> {
  const start: readonly StatePatch[] = run.report.result.setup.setup.scenario.state;
  const rebuilt = new RebuiltRows(start);
  const spaces = new Map(
    start.map(({ packageId, instanceId = packageId, namespace }) => [`${instanceId}/${namespace}`, { packageId, instanceId, namespace }]),
  );
  for await (const entry of run.entries()) {
    if (entry.sequence > atSequence) break;
    rebuilt.apply(entry);
    if (entry.kind === 'state_change') spaces.set(`${entry.instanceId}/${entry.namespace}`, entry);
  }
  const rows = new Map<string, unknown>();
  for (const [name, space] of spaces) await rebuilt.view().eachRow(space, ({ rowId, value }) => rows.set(`${name}/${rowId}`, value));
  return rows;
}

test('a fork of a run at an entry has the rows and the time that the run had there', { timeout: 180_000 }, async () => {
  const run = await opened('sla-escalation');
  const at = fc.integer({ min: 1, max: run.toSequence });
  await fc.assert(
    fc.asyncProperty(at, async (sequence) => {
      const fork = await forkRun({ root, run: run.report.runId, atSequence: sequence });
      try {
        assert.ok(fork.atSequence <= sequence);
        assert.deepEqual(await rowsOf(fork.world), await rowsAt(run, fork.atSequence));
        let timeUs = 0;
        for await (const entry of run.entries()) if (entry.sequence <= fork.atSequence) timeUs = entry.virtualTimeUs;
        assert.equal((await fork.world.query({ kind: 'position' })).virtualTimeUs, timeUs);
      } finally {
        await fork.close();
      }
    }),
    { numRuns: 8 },
  );
});

test('the calls of a run, made in a fork of it before each of them, are answered as they were', { timeout: 120_000 }, async () => {
  const run = await opened('careless-refund');
  let calls = 0;
  for await (const entry of run.entries()) {
    if (entry.kind !== 'operation') continue;
    calls += 1;
    const fork = await forkRun({ root, run: run.report.runId, atSequence: entry.sequence - entry.transactionIndex - 1 });
    const { next } = fork;
    assert.equal(next?.sequence, entry.sequence);
    const { packageId, instanceId, operationId, arguments: given, idempotencyKey } = entry.invocation;
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    const { outcome } = await fork.world.command({
      kind: 'call',
      ...{ actorId: entry.actorId, packageId, instanceId, operationId, arguments: given, ...key },
    });
    await fork.close();
    assert.deepEqual(outcome, entry.outcome);
  }
  assert.ok(calls > 3);
});

test('an entry that the run does not have, and a world that is not kept, are refused', async () => {
  const run = await opened('careless-refund');
  const runId = run.report.runId;
  await assert.rejects(forkRun({ root, run: runId, atSequence: run.toSequence + 1 }), { code: 'control.INVALID_REQUEST' });
  await assert.rejects(forkRun({ root, run: runId, atSequence: 3, runDirectory: 'elsewhere' }), { code: 'control.NOT_FOUND' });
});

// STORED-RUN-1
test('a row at an entry is what the run had there, and two entries differ in what was changed between them', async () => {
  const run = await opened('careless-refund');
  const changes = [];
  for await (const entry of run.entries()) if (entry.kind === 'state_change') changes.push(entry);
  for (const { packageId, namespace, rowId, sequence, before: was, after: is } of changes) {
    const name = `${packageId}/${namespace}/${rowId}`;
    const row = await run.row(name, { atSequence: sequence });
    assert.deepEqual([row.value, (await run.row(name, { atSequence: sequence - 1 })).value], [is, was]);
    assert.ok(row.changes.some((change) => change.sequence === sequence));
  }
  const [first] = changes;
  assert.ok(first !== undefined);
  const one = await run.diff(first.sequence - 1, first.sequence);
  assert.deepEqual(one, [
    {
      packageId: first.packageId,
      instanceId: first.instanceId,
      namespace: first.namespace,
      rowId: first.rowId,
      before: first.before,
      after: first.after,
    },
  ]);
  const [back] = await run.diff(first.sequence, first.sequence - 1);
  assert.deepEqual([back?.before, back?.after], [first.after, first.before]);
  assert.deepEqual(await run.diff(5, 5), []);
  await assert.rejects(run.row('nowhere/at-all'), /It has .*payments\/charges/);
});

test('recorded calls against another world: the first that is answered otherwise is named', async () => {
  const run = runs.get('careless-refund') ?? '';
  const same = await replayReport({ root, report: run });
  assert.deepEqual([same.same, same.start], [true, undefined]);
  const calm = await replayReport({ root, report: run, baseline: true });
  assert.deepEqual([calm.same, calm.start], [false, { kind: 'world' }]);
  const [first] = calm.differences;
  assert.ok(first !== undefined && first.call !== undefined && first.what.includes('called'));
  assert.notDeepEqual(first.recorded, first.present);
  await assert.rejects(replayReport({ root, report: run, scenarioId: 'no-such' }), { code: 'control.INVALID_REQUEST' });
  await assert.rejects(replayReport({ root, report: run, faults: [{ fault: 'no-such', active: true }] }), /No tool has a fault "no-such"/);
});

// COMPARE-GIVEN-1
test('runs compare by folder, as opened, and as result and journal, and what is no run is refused by its side', async () => {
  const [one, other] = [await opened('careless-refund'), await opened('sla-escalation')];
  const { result } = one.report;
  const text = readFileSync(join(one.folder, 'evidence.jsonl'), 'utf8');
  const wanted = await compareRuns(one.folder, other.folder);
  assert.deepEqual([wanted.left.runId, wanted.right.runId], [result.identity.runId, other.report.runId]);
  for (const left of [one, { result, evidence: [text] }, { result, evidence: [Buffer.from(text)] }])
    assert.deepEqual(await compareRuns(left, other), wanted);

  const changed = join(root, 'changed');
  cpSync(one.folder, changed, { recursive: true });
  appendFileSync(join(changed, 'evidence.jsonl'), '{}\n');
  // The values where two runs part are looked up in a second reading.
  const shorter = { result, evidence: [`${text.split('\n', 2).join('\n')}\n`] };
  const once = function* (): Generator<string> {
    yield text;
  };
  assert.ok((await compareRuns(one, shorter)).firstDivergence?.left !== undefined);
  const refused: [left: unknown, message: RegExp, path?: string][] = [
    [undefined, /^compareRuns: left must be the folder of a report, a run of openStoredRun, or \{ result, evidence \}\.$/, '/left'],
    [one.report, /^compareRuns: left\.evidence must be/, '/left/evidence'],
    [{ result: {}, evidence: [text] }, /^compareRuns: left\.result is not the result of a run\.$/, '/left/result/identity'],
    [{ result, evidence: text }, /^compareRuns: left\.evidence must be the chunks of a journal.*such as \[text\]\.$/, '/left/evidence'],
    [{ result, evidence: Buffer.from(text) }, /left\.evidence must be the chunks/],
    [{ result, evidence: [text.slice(0, -1)] }, /left\.evidence must be the chunks of a journal, each of whole lines/],
    [{ result, evidence: one.entries() }, /left\.evidence must be the chunks/],
    [{ result, evidence: once() }, /left\.evidence is read twice/],
    [{ result, evidence: Readable.from([text]) }, /left\.evidence is read twice/],
    [join(root, 'nowhere'), /is not a report as it was sealed/],
    [changed, /is not a report as it was sealed: evidence\.jsonl/],
  ];
  for (const [left, message, path] of refused) {
    const error: unknown = await compareRuns(left as never, shorter).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ServiceError && error.code === 'control.INVALID_REQUEST', `${message}: ${error}`);
    assert.match(error.message, message);
    if (path !== undefined)
      assert.ok(
        error.extra.issues?.some((issue) => issue.path === path),
        JSON.stringify(error.extra),
      );
  }
});
