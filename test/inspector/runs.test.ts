// Runs from request to page: started, followed, cancelled, read, compared; on a repository of one small tool.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunComparison } from '../../src/contract/hosted/runs.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import type { StateChangeEntry } from '../../src/contract/world/evidence.js';
import { entryIsProblem } from '../../src/reports/entry-text.js';
import { drill, noteIs } from '../drills/repository.js';
import { assertRefused, drills, onEachEngine, startTestInspector } from './inspector-kit.js';

onEachEngine('a drill is started, followed to real run ids, and read', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const started = await inspector.post('/api/v1/run-requests', { drillId: 'passes', seed: '99', trials: 2, retries: 1, concurrency: 2 });
  assert.equal(started.status, 202);
  assert.ok(['queued', 'running'].includes(started.json.request.state));
  const request = await inspector.run({ drillId: 'passes', seed: '99' });
  assert.deepEqual([request.state, request.summary?.verdict, request.plan?.seed, request.runs.length], ['finished', 'passed', '99', 1]);
  const first = (await inspector.ask(`/api/v1/run-requests/${started.json.request.requestId}`)).json.request;
  assert.deepEqual([first.state, first.runsTotal, first.plan.concurrency], ['finished', 2, 2]);
  const requests = (await inspector.ask('/api/v1/run-requests')).json.requests;
  assert.deepEqual(
    requests.map(({ requestId }: { requestId: string }) => requestId),
    [request.requestId, first.requestId],
  );
  const { runId } = request.runs[0]!;
  const run = (await inspector.ask(`/api/v1/runs/${runId}`)).json;
  assert.equal(run.source, 'saved');
  assert.deepEqual(run.report, JSON.parse(readFileSync(join(inspector.reports, runId, 'report.json'), 'utf8')));
  assert.equal(run.evidence.toSequence, (run.report as RunReport).result.evidenceRange.toSequence);
  assert.equal((run.report as RunReport).result.identity.trial, 1);
  const page = (await inspector.ask('/api/v1/runs')).json;
  assert.equal(page.runs.length, 3);
  assert.deepEqual([page.active, page.unavailable], [[], []]);
});

onEachEngine('the journal in pages, by sequences and by search is the journal', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['passes'] });
  const runId = inspector.played[0]!;
  const lines = readFileSync(join(inspector.reports, runId, 'evidence.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const get = async (path: string) => (await inspector.ask(`/api/v1/runs/${runId}${path}`)).json;
  const paged: unknown[] = [];
  for (let next: number | undefined = 1; next !== undefined; ) {
    const page: { entries: unknown[]; nextSequence?: number; toSequence: number } = await get(`/evidence?limit=3&fromSequence=${next}`);
    assert.equal(page.toSequence, lines.length);
    paged.push(...page.entries);
    next = page.nextSequence;
  }
  assert.deepEqual(
    paged,
    lines.map((line) => JSON.parse(line)),
  );
  const whole = await inspector.ask(`/api/v1/runs/${runId}/evidence?limit=500`);
  assert.ok(whole.text.includes(lines.join(',')), 'the very text of the journal');
  assert.deepEqual(
    (await get('/evidence?sequences=5,2,5,999')).entries,
    [lines[1], lines[4]].map((line) => JSON.parse(line!)),
  );
  assert.deepEqual((await get(`/evidence?fromSequence=${lines.length + 1}`)).entries, []);

  const having = (text: string): number[] =>
    lines.flatMap((line, index) => (line.toLowerCase().includes(text.toLowerCase()) ? [index + 1] : []));
  for (const q of ['two', '"kind":"operation"', 'note', 'nothing like it', 'ö', 'NOTE', 'Ö']) {
    const found = await get(`/evidence/search?q=${encodeURIComponent(q)}&limit=500`);
    assert.deepEqual(
      found.matches.map(({ sequence }: { sequence: number }) => sequence),
      having(q),
      q,
    );
    for (const { preview, at, length } of found.matches) assert.equal(preview.slice(at, at + length).toLowerCase(), q.toLowerCase());
    assert.deepEqual((await get(`/evidence/search?q=${encodeURIComponent(q)}&view=sequences`)).sequences, having(q));
  }
  assertRefused(await inspector.ask(`/api/v1/runs/${runId}/evidence/search?fromSequence=5&toSequence=4`), 400, 'control.INVALID_REQUEST');
  const firstOnly = await get('/evidence/search?q=note&limit=1');
  assert.equal(firstOnly.nextSequence, having('note')[1]);
  assert.deepEqual(
    (await get('/evidence/search?kind=operation,event&view=sequences')).sequences,
    lines.flatMap((line, index) => (/"kind":"(operation|event)"/.test(line) ? [index + 1] : [])),
  );
  const byActor = await get('/evidence/search?actorId=writer&packageId=notes&kind=operation');
  assert.equal(byActor.matches.length, 4);
  assert.equal((await get('/evidence/search?actorId=reader')).matches.length, 0);
  const written = await get('/evidence/search?operationId=note.write&outcome=ok&view=sequences');
  assert.deepEqual(
    written.sequences,
    lines.flatMap((line, index) => (/"kind":"ok"/.test(line) && line.includes('"note.write"') ? [index + 1] : [])),
  );
  assert.deepEqual(
    (await get('/evidence/search?outcome=tool_error&view=sequences')).sequences,
    lines.flatMap((line, index) => (line.includes('"kind":"tool_error"') ? [index + 1] : [])),
  );
  assert.deepEqual(
    (await get('/evidence/search?problems=only&view=sequences')).sequences,
    lines.flatMap((line, index) => (entryIsProblem(JSON.parse(line)) ? [index + 1] : [])),
  );
});

onEachEngine('state at every entry is what folding the journal gives', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['passes'] });
  const runId = inspector.played[0]!;
  const lines = readFileSync(join(inspector.reports, runId, 'evidence.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const rows = new Map<string, unknown>([['first', { id: 'first', text: 'here from the start' }]]);
  for (let sequence = 0; sequence <= lines.length; sequence++) {
    const entry = sequence === 0 ? undefined : (JSON.parse(lines[sequence - 1]!) as StateChangeEntry);
    if (entry?.kind === 'state_change') entry.after === null ? rows.delete(entry.rowId) : rows.set(entry.rowId, entry.after);
    const state = (await inspector.ask(`/api/v1/runs/${runId}/state?packageId=notes&namespace=notes&atSequence=${sequence}`)).json;
    const expected = [...rows].sort(([left], [right]) => (left < right ? -1 : 1));
    assert.deepEqual(
      state.rows.map(({ rowId, value }: { rowId: string; value: unknown }) => [rowId, value]),
      expected,
    );
    const { namespaces } = (await inspector.ask(`/api/v1/runs/${runId}/state-namespaces?atSequence=${sequence}`)).json;
    assert.deepEqual(
      namespaces,
      rows.size === 0 ? [] : [{ packageId: 'notes', instanceId: 'notes', namespace: 'notes', rowCount: rows.size }],
    );
  }
  const first = (await inspector.ask(`/api/v1/runs/${runId}/state?packageId=notes&namespace=notes&limit=1`)).json;
  assert.equal(first.nextAfterRowId, first.rows[0].rowId);
  const rest = (await inspector.ask(`/api/v1/runs/${runId}/state?packageId=notes&namespace=notes&afterRowId=${first.nextAfterRowId}`)).json;
  assert.ok(rest.rows.length > 0 && rest.nextAfterRowId === undefined);
});

onEachEngine('timeline, faults, scheduled events, callbacks, assertions', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const request = await inspector.run({ suiteId: 'all' });
  assert.equal(request.summary?.verdict, 'failed');
  const failed = request.runs.find(({ verdict }) => verdict === 'failed')!;
  const passed = request.runs.find(({ verdict }) => verdict === 'passed')!;
  assert.deepEqual(
    failed.failedAssertions?.map(({ assertionId }) => assertionId),
    ['note-a'],
  );
  const get = async (runId: string, path: string) => (await inspector.ask(`/api/v1/runs/${runId}${path}`)).json;
  const { assertions } = await get(failed.runId, '/assertions');
  assert.deepEqual(
    assertions.map(({ assertionId, status }: { assertionId: string; status: string }) => [assertionId, status]),
    [
      ['note-a', 'failed'],
      ['also', 'passed'],
    ],
  );
  const timeline = await get(passed.runId, '/timeline?buckets=4');
  assert.deepEqual([timeline.start, timeline.end, timeline.interactions.length], [1000, 3000, 1]);
  assert.equal(
    timeline.density.operation.reduce((sum: number, one: number) => sum + one, 0),
    4,
  );
  assert.ok(timeline.marks.some(({ label }: { label: string }) => label === 'notes.note.due handled'));
  const later = await get(passed.runId, '/timeline?from=1400&to=1600');
  assert.ok(later.marks.every(({ at }: { at: number }) => at === 1500));
  assert.equal(later.interactions.length, 0);
  // A window of one moment has the first entry that is not before it.
  const { entries: journal } = await get(passed.runId, '/evidence');
  for (const us of [0, 1400, 1500, 1501, 2999, 9000]) {
    const { firstSequences } = await get(passed.runId, `/timeline?from=${us}&to=${us}&buckets=1`);
    const first = journal.find(({ virtualTimeUs }: { virtualTimeUs: number }) => virtualTimeUs >= us);
    assert.deepEqual(firstSequences, [first?.sequence ?? journal.length + 1], String(us));
  }
  const entries = await get(passed.runId, '/timeline?axis=sequence&buckets=1000');
  assert.deepEqual([entries.axis, entries.start, entries.end, entries.bucketSize], ['sequence', 1, entries.firstSequences.length, 1]);
  assert.deepEqual(
    entries.marks.map(({ at, sequence }: { at: number; sequence: number }) => at - sequence),
    entries.marks.map(() => 0),
  );
  const [interaction] = entries.interactions;
  assert.ok(interaction.start >= 1 && interaction.end > interaction.start && interaction.end <= entries.end);
  assert.deepEqual((await get(passed.runId, '/faults')).faults, [
    { packageId: 'notes', instanceId: 'notes', faultId: 'down', active: false, triggered: 0 },
  ]);
  assert.equal((await get(failed.runId, '/scheduled-events')).total, 1);
  assert.equal((await get(passed.runId, '/scheduled-events')).total, 0);
  const callbacks = await get(passed.runId, '/callbacks');
  assert.equal(callbacks.total, callbacks.deliveries.length);
  // The retained world is gone: what only it knows is not there, the rest is.
  rmSync(join(inspector.runs, failed.runId), { recursive: true });
  assertRefused(await inspector.ask(`/api/v1/runs/${failed.runId}/faults`), 404, 'control.NOT_FOUND');
  assert.equal((await get(failed.runId, '/evidence?limit=1')).entries.length, 1);
  assert.equal((await get(failed.runId, '/report/availability')).world, false);
});

onEachEngine('a run without a report is read from its retained world, which is left as it is', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['passes'] });
  const runId = inspector.played[0]!;
  const get = async (path: string) => (await inspector.ask(`/api/v1/runs/${runId}${path}`)).json;
  const paths = [
    '/evidence?limit=500',
    '/evidence?sequences=2,4',
    '/evidence/search?q=two',
    '/state-namespaces',
    '/state-namespaces?atSequence=4',
    '/faults',
    '/callbacks',
  ];
  const fromReport = await Promise.all(paths.map(get));
  const states = ['/state?packageId=notes&namespace=notes', '/state?packageId=notes&namespace=notes&atSequence=4'];
  const bare = ({ rows, atSequence }: { rows: { rowId: string; value: unknown }[]; atSequence: number }) => [
    atSequence,
    rows.map(({ rowId, value }) => [rowId, value]),
  ];
  const statesFromReport = (await Promise.all(states.map(get))).map(bare);
  rmSync(join(inspector.reports, runId), { recursive: true });
  const data = join(inspector.runs, runId, 'data.mdb');
  const before = readFileSync(data);
  assert.deepEqual(await Promise.all(paths.map(get)), fromReport);
  assert.deepEqual((await Promise.all(states.map(get))).map(bare), statesFromReport);
  assert.equal((await get('')).source, 'retained');
  assert.equal((await get('/timeline')).interactions.length, 0);
  assertRefused(await inspector.ask(`/api/v1/runs/${runId}/report`), 404, 'control.NOT_FOUND');
  const availability = await get('/report/availability');
  assert.deepEqual([availability.available, availability.world], [false, true]);
  assert.deepEqual(readFileSync(data), before);
});

onEachEngine('a retained world that is damaged is reported with its file, and the inspector continues', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['passes'] });
  const runId = inspector.played[0]!;
  rmSync(join(inspector.reports, runId), { recursive: true });
  const data = join(inspector.runs, runId, 'data.mdb');
  const whole = readFileSync(data);
  for (const bytes of [Buffer.alloc(0), whole.subarray(0, 100), whole.subarray(0, whole.length / 2), Buffer.from('a text'.repeat(5000))]) {
    writeFileSync(data, bytes);
    const reply = await inspector.ask(`/api/v1/runs/${runId}/evidence?limit=1`);
    assertRefused(reply, 500, 'control.DATA_DAMAGED');
    assert.ok(reply.json.message.startsWith(`The file ${data} is damaged: `), reply.json.message);
  }
  writeFileSync(data, whole);
  assert.equal((await inspector.ask(`/api/v1/runs/${runId}/evidence?limit=1`)).json.entries.length, 1);
});

onEachEngine('while a drill runs: it is active, readable, cancellable; the source stays', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const stream = await inspector.events();
  const { requestId } = (await inspector.post('/api/v1/run-requests', { drillId: 'hangs' })).json.request;
  const grown = await stream.until((event) => event.type === 'evidence' && event.toSequence >= 3);
  assert.ok(grown.type === 'evidence');
  const runId = grown.id;
  const page = (await inspector.ask('/api/v1/runs?limit=1')).json;
  assert.deepEqual([page.runs.length, page.active.length, page.active[0].runId, page.active[0].requestId], [0, 1, runId, requestId]);
  assertRefused(await inspector.post('/api/v1/refresh'), 409, 'control.STATE_CONFLICT');
  const run = (await inspector.ask(`/api/v1/runs/${runId}`)).json;
  assert.deepEqual([run.source, run.active.interactionsFinished, run.report], ['active', 0, undefined]);
  assert.ok((await inspector.ask(`/api/v1/runs/${runId}/evidence`)).text.includes('hangs'));
  assert.equal((await inspector.ask(`/api/v1/runs/${runId}/evidence/search?q=hangs`)).json.matches.length >= 1, true);
  const { rows } = (await inspector.ask(`/api/v1/runs/${runId}/state?packageId=notes&namespace=notes`)).json;
  assert.ok(rows.some(({ rowId }: { rowId: string }) => rowId === 'h'));
  assertRefused(await inspector.ask(`/api/v1/runs/${runId}/report`), 404, 'control.NOT_FOUND');
  const waiting = (await inspector.post('/api/v1/run-requests', { drillId: 'passes' })).json.request;
  assert.equal(waiting.state, 'queued');
  const cancelledWaiting = (await inspector.post(`/api/v1/run-requests/${waiting.requestId}/cancel`)).json.request;
  assert.deepEqual([cancelledWaiting.state, cancelledWaiting.runsTotal], ['cancelled', 0]);
  const asked = (await inspector.post(`/api/v1/run-requests/${requestId}/cancel`)).json.request;
  assert.equal(asked.cancelAsked, true);
  await stream.until(
    (event) => event.type === 'run-request' && event.request.requestId === requestId && event.request.state === 'cancelled',
  );
  const ended = (await inspector.ask(`/api/v1/run-requests/${requestId}`)).json.request;
  assert.deepEqual([ended.runs[0].runId, ended.runs[0].status], [runId, 'cancelled']);
  assert.equal((await inspector.ask(`/api/v1/runs/${runId}`)).json.source, 'saved');
  // Once more changes nothing.
  assert.equal((await inspector.post(`/api/v1/run-requests/${requestId}/cancel`)).json.request.finishedAtMs, ended.finishedAtMs);
  // The request that is reported as ended is let go a moment later.
  await stream.end();
  await inspector.run({ drillId: 'passes' });
});

onEachEngine('refresh reloads the source, and errors in it are reported and stop nothing else', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const before = (await inspector.ask('/api/v1/project')).json;
  assert.equal(before.generation, 1);
  const tool = before.project.tools[0];
  assert.equal(tool.definition.id, 'notes');
  const [entry] = tool.implementation.files;
  assert.equal(entry.role, 'entry');
  const source = (await inspector.ask(`/api/v1/tools/notes/implementation/${entry.fileId}`)).json.source;
  assert.equal(source.content, readFileSync(join(inspector.repository.root, 'notes/behavior.ts'), 'utf8'));
  const { requestId } = (await inspector.run({ drillId: 'passes' })) as { requestId: string };
  const cursor = (await inspector.ask('/api/v1/runs?limit=1')).json.nextCursor;
  assert.equal(cursor, undefined);
  inspector.repository.write(
    'drillyard/another.drill.json',
    drill('another', 'nobody', [noteIs('a', 'b')])['drillyard/another.drill.json']!,
  );
  const broken = (await inspector.post('/api/v1/refresh')).json;
  assert.deepEqual([broken.generation, broken.project.buildHash], [2, undefined]);
  assert.ok(broken.project.diagnostics.some(({ severity }: { severity: string }) => severity === 'error'));
  assertRefused(await inspector.post('/api/v1/run-requests', { drillId: 'passes' }), 422, 'control.SOURCE_INVALID');
  assertRefused(await inspector.post('/api/v1/worlds', {}), 422, 'control.SOURCE_INVALID');
  assert.equal((await inspector.ask(`/api/v1/run-requests/${requestId}`)).status, 200);
  rmSync(join(inspector.repository.root, 'drillyard/another.drill.json'));
  assert.equal((await inspector.post('/api/v1/refresh')).json.project.buildHash, before.project.buildHash);
});

onEachEngine('two sealed runs are compared; others are not', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['passes', 'passes', 'fails'] });
  const [left, right, third] = inspector.played as [string, string, string];
  const compare = async (a: string, b: string) => inspector.post('/api/v1/comparisons', { left: a, right: b });
  const same = (await compare(left, right)).json.comparison as RunComparison;
  assert.deepEqual([same.grade, same.equal.evidenceHash, same.firstDivergence], ['exact_inputs', true, undefined]);
  const different = await compare(left, third);
  assert.notEqual(different.json.comparison.grade, 'exact_inputs');
  assert.ok(!different.text.includes(inspector.repository.root), 'no path of the machine');
  const gone = join(inspector.reports, 'run_000000000000000000000000ab');
  cpSync(join(inspector.reports, left), gone, { recursive: true });
  assertRefused(await compare(left, 'run_000000000000000000000000ab'), 409, 'control.STATE_CONFLICT');
  assertRefused(await compare(left, 'run_000000000000000000000000zz'), 404, 'control.NOT_FOUND');
  assertRefused(await compare(left, '../secret'), 400, 'control.INVALID_REQUEST');
});

test('an external target runs only where the application gave its agent', async (t) => {
  const external = {
    'drillyard/ext.target.json': { schemaVersion: 1, target: { id: 'ext', kind: 'external', bindings: ['direct'], timeoutMs: 20_000 } },
    ...drill('outside', 'ext', [noteIs('e', 'from outside')]),
  };
  const without = await startTestInspector(t, { files: { ...drills, ...external } });
  const project = (await without.ask('/api/v1/project')).json;
  assert.deepEqual(
    [project.externalAgent, project.unavailableTargets.map(({ targetId }: { targetId: string }) => targetId)],
    [false, ['ext']],
  );
  const refused = await without.run({ drillId: 'outside' });
  assert.equal(refused.runs[0]?.status, 'runner_failed');

  const tasks: string[] = [];
  const withAgent = await startTestInspector(t, {
    files: { ...drills, ...external },
    options: {
      agent: async ({ task }, { world, log }) => {
        tasks.push(task.instruction);
        log('from outside');
        await world?.call('notes', 'note.write', { id: 'e', text: 'from outside' });
        return { ok: true };
      },
    },
  });
  assert.deepEqual((await withAgent.ask('/api/v1/project')).json.unavailableTargets, []);
  const ran = await withAgent.run({ drillId: 'outside', trials: 2 });
  assert.deepEqual([ran.summary?.verdict, tasks.length], ['passed', 2]);
});

onEachEngine(
  'a run is repeated by its id and says whether it went the same way; what failed runs again; until it fails',
  async (t, engine) => {
    const inspector = await startTestInspector(t, { engine });
    const first = await inspector.run({ suiteId: 'all', trials: 2, seed: 'fresh' });
    const { invocationId, seed } = first.plan!;
    assert.notEqual(seed, '1');
    assert.deepEqual(
      [first.summary?.trialsPassed, first.summary?.trials, first.drills.map(({ statistics }) => statistics?.passRate)],
      [2, 4, [0, 1]],
    );
    const failed = first.runs.filter(({ drillId }) => drillId === 'fails');
    const saved = (await inspector.ask('/api/v1/runs')).json.runs;
    assert.deepEqual(
      [...new Set(saved.map(({ invocation }: { invocation: object }) => JSON.stringify(invocation)))],
      [JSON.stringify({ id: invocationId, seed })],
    );
    const one = failed.find(({ trial }) => trial === 2)!;
    const repeated = await inspector.run({ repeatOf: one.runId });
    assert.deepEqual(
      repeated.runs.map(({ trial, trajectoryHash, repetition }) => [trial, trajectoryHash, repetition]),
      [[2, one.trajectoryHash, { ofRunId: one.runId, same: true, differs: [] }]],
    );
    const again = await inspector.run({ failedOf: invocationId });
    assert.deepEqual(
      again.runs.map(({ drillId, trial, trajectoryHash }) => [drillId, trial, trajectoryHash]),
      failed.map(({ drillId, trial, trajectoryHash }) => [drillId, trial, trajectoryHash]),
    );
    const untilFailed = await inspector.run({ drillId: 'passes', untilFailed: 2, seed: 'fresh' });
    assert.deepEqual([untilFailed.round, untilFailed.runs.length, untilFailed.summary?.verdict], [2, 2, 'passed']);
    const atOnce = await inspector.run({ drillId: 'fails', untilFailed: 3 });
    assert.deepEqual([atOnce.round, atOnce.runs.length], [1, 1]);
    assert.equal((await inspector.ask('/api/v1/run-names/latest')).json.runId, atOnce.runs[0]?.runId);
    const { invocation } = (await inspector.ask(`/api/v1/runs/${atOnce.runs[0]?.runId}`)).json.report;
    assert.equal((await inspector.ask(`/api/v1/run-names/${invocation.id}`)).json.runId, atOnce.runs[0]?.runId);
    await inspector.run({ drillId: 'passes' });
    assertRefused(await inspector.ask('/api/v1/run-names/inv_01kjpf3q5d0c9h8r7s6t5v0000'), 404, 'control.NOT_FOUND');
    assertRefused(await inspector.post('/api/v1/run-requests', { failedOf: 'latest' }), 404, 'control.NOT_FOUND');
    assertRefused(await inspector.post('/api/v1/run-requests', { repeatOf: one.runId, drillId: 'passes' }), 400, 'control.INVALID_REQUEST');
  },
);
