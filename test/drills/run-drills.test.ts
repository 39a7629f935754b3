// Whole drills on real repositories, through the public door.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { RunEvent } from '../../src/contract/run/run-events.js';
import { validateRunEvent, validateRunReport, validateRunResult } from '../../src/contract/validate/validators.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { checkReports, type RunDrillsOptions, type RunDrillsResult, type RunResult, runDrills, verifyReport } from '../../src/index.js';
import { commandAgent, drill, moduleAgent, noteIs, notesBehavior, notesTool, temporaryRepositories, written } from './repository.js';

const repository = temporaryRepositories();
const run = (root: string, options: Partial<RunDrillsOptions> = {}): Promise<RunDrillsResult> =>
  runDrills({ root, reportDirectory: false, ...options });
const firstAttempt = (result: RunDrillsResult, drillIndex = 0) =>
  result.drills[drillIndex]?.trials[0]?.attempts[0] ?? assert.fail('no attempt');
const statuses = (result: RunDrillsResult) =>
  firstAttempt(result).result.assertionResults.map(({ assertionId, status }) => `${assertionId} ${status}`);

const writes = (text: string) => `await context.world.call('notes', 'note.write', { id: 'a', text: ${JSON.stringify(text)} });`;

test('a module drill passes, and its result and report are whole', async () => {
  const { root } = repository(
    moduleAgent('agent', `${writes('hello')} console.log('said'); return { done: invocation.task.instruction };`),
    drill('hello', 'agent', [noteIs('a', 'hello'), written({ equals: 1 })], {
      title: 'Says hello',
      tags: ['greeting'],
      capture: { logs: 'always' },
    }),
  );
  const events: RunEvent[] = [];
  const result = await run(root, { onEvent: (event) => events.push(event), reportDirectory: 'out/reports', runDirectory: 'out/runs' });
  assert.equal(result.verdict, 'passed');
  const { result: sealed, report, runId } = firstAttempt(result);
  assert.ok(validateRunResult(sealed).ok, JSON.stringify(validateRunResult(sealed)));
  assert.equal(sealed.status, 'sealed');
  assert.equal(sealed.bindingEvidence, 'observed');
  assert.equal(sealed.startedAtVirtualUs, 1000);
  assert.deepEqual(sealed.interactions[0]?.targetResult.output, { done: 'Do what hello wants.' });
  assert.deepEqual(sealed.budgetUsage.toolCalls, { limit: 1000, attempted: 1, rejected: 0 });
  assert.equal(sealed.capture.attachments[0]?.kind, 'log');
  assert.equal(report, join('out/reports', runId));
  assert.deepEqual(await verifyReport(join(root, report)), { ok: true, runId, problems: [], notCompared: [] });
  const document: unknown = JSON.parse(readFileSync(join(root, report, 'report.json'), 'utf8'));
  assert.ok(validateRunReport(document).ok);
  assert.deepEqual(JSON.parse(readFileSync(join(root, report, 'run.json'), 'utf8')), JSON.parse(JSON.stringify(sealed)));
  assert.ok(existsSync(join(root, 'out/runs', runId)));
  assert.deepEqual(
    events.map(({ event }) => event),
    ['plan', 'attempt_started', 'interaction', 'interaction', 'attempt', 'drill', 'summary'],
  );
  for (const event of events) assert.ok(validateRunEvent(event).ok, JSON.stringify(event));
});

test('a command drill reaches the world over HTTP; stdout is its output, stderr its log', async () => {
  const { root } = repository(
    commandAgent(
      'agent',
      `const { SERVICE_HTTP_URL: url, SERVICE_HTTP_TOKEN: token } = process.env;
       const reply = await fetch(url + '/v1/operations/notes/note.write', { method: 'POST', headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' }, body: JSON.stringify({ arguments: { id: 'a', text: 'over http' } }) });
       console.log(JSON.stringify((await reply.json()).outcome.kind)); console.error('log line');`,
    ),
    drill('over-http', 'agent', [noteIs('a', 'over http')]),
  );
  const result = await run(root);
  assert.equal(result.verdict, 'passed', JSON.stringify(firstAttempt(result).result.interactions));
  assert.equal(firstAttempt(result).result.interactions[0]?.targetResult.output, 'ok');
  assert.equal(firstAttempt(result).result.capture.discarded.logs, 1);
});

test('every kind of assertion, passed and failed, over one world', async () => {
  const body = `${writes('x')}
    await context.world.call('notes', 'note.write', { id: 'b', text: 'y' });
    await context.world.call('notes', 'note.remove', { id: 'b' });
    await context.world.call('notes', 'note.get', { id: 'nowhere' });
    return { wrote: ['a', 'b'] };`;
  const op = (operationId: string, more = {}) => ({ packageId: 'notes', operationId, ...more });
  const event = { packageId: 'notes', eventId: 'note.written' };
  const rows = { packageId: 'notes', namespace: 'notes' };
  const insert = (rowId: string) => ({ change: 'insert', ...rows, rowId });
  const kinds = (holds: boolean): object[] => [
    { id: 'value', kind: 'state.value', packageId: 'notes', namespace: 'notes', rowId: 'a', path: ['text'], expected: holds ? 'x' : 'z' },
    { id: 'rows', kind: 'state.count', packageId: 'notes', namespace: 'notes', where: { text: 'y' }, count: { equals: holds ? 1 : 0 } },
    { id: 'calls', kind: 'operation.count', operation: op('note.get', { outcome: 'tool_error' }), count: { equals: holds ? 1 : 2 } },
    { id: 'order', kind: 'operation.order', operations: holds ? [op('note.write'), op('note.get')] : [op('note.get'), op('note.write')] },
    { id: 'arguments', kind: 'operation.arguments', operation: op('note.write'), occurrence: 2, path: ['id'], expected: holds ? 'b' : 'a' },
    { id: 'denied', kind: 'operation.denied', operation: op(holds ? 'note.remove' : 'note.write') },
    { id: 'events', kind: 'event.count', event, count: { equals: holds ? 2 : 3 } },
    { id: 'callbacks', kind: 'callback.count', packageId: 'notes', callbackId: 'reported', count: holds ? { equals: 0 } : { atLeast: 1 } },
    { id: 'faults', kind: 'fault.count', fault: { packageId: 'notes', faultId: 'down' }, count: holds ? { equals: 0 } : { atLeast: 1 } },
    { id: 'time', kind: 'time.reached', virtualTimeUs: holds ? 1000 : 1001 },
    { id: 'output', kind: 'output.value', path: ['wrote', 1], expected: holds ? 'b' : 'c' },
    { id: 'once', kind: 'effect.at_most_once', operation: op('note.write'), identity: { arguments: holds ? [['id']] : [['tag']] } },
    {
      id: 'untouched',
      kind: 'state.unchanged',
      except: holds
        ? [
            { ...rows, rowId: 'a' },
            { ...rows, rowId: 'b' },
          ]
        : [{ ...rows, rowId: 'b' }],
    },
    { id: 'changes', kind: 'state.diff', changes: [insert('a'), ...(holds ? [insert('b')] : [{ ...insert('c'), after: { text: 'y' } }])] },
    {
      id: 'cel',
      kind: 'expr',
      state: { notes: rows },
      expression: `size(state.notes) == ${holds ? 3 : 2} && outputs.main.wrote.all(id, id in state.notes)`,
    },
  ];
  const { root } = repository(moduleAgent('agent', body), drill('a-holds', 'agent', kinds(true)), drill('b-fails', 'agent', kinds(false)));
  const result = await run(root, { reportDirectory: 'reports' });
  const [holds, fails] = result.drills.map(({ trials }) => trials[0]?.attempts[0]?.result.assertionResults ?? []);
  assert.deepEqual(
    holds?.filter(({ status }) => status !== 'passed'),
    [],
  );
  assert.deepEqual(
    fails?.filter(({ status }) => status !== 'failed'),
    [],
  );
  assert.deepEqual([result.passed, result.failed, result.verdict], [1, 1, 'failed']);
  for (const { trials } of result.drills) assert.ok((await verifyReport(join(root, trials[0]!.attempts[0]!.report))).ok);
  // What a person reads of them.
  const text = readFileSync(join(root, firstAttempt(result, 1).report, 'report.txt'), 'utf8');
  for (const reported of [
    /the effect with \/tag = absent happened 2 times/,
    /where +output of main wrote\[1\]/,
    /where +notes\.down/,
    /where +clock/,
    /missing: \["insert of notes\/notes\/c with after/,
    /unexpected: \["insert of notes\/notes\/b, sequence/,
    /The expression is false: size\(state\.notes\) == 2/,
  ])
    assert.match(text, reported);
});

test('an assertion that is no gate is reported and decides nothing', async () => {
  const { root } = repository(
    moduleAgent('agent', writes('x')),
    drill('d', 'agent', [written({ equals: 1 }), noteIs('a', 'other', { gate: false })]),
  );
  const result = await run(root);
  assert.equal(result.verdict, 'passed');
  assert.deepEqual(statuses(result), ['written passed', 'note-a failed']);
});

test('a row that is not there leaves its comparison undecided, and the run inconclusive', async () => {
  const { root } = repository(moduleAgent('agent', ''), drill('d', 'agent', [noteIs('nowhere', 'x')]));
  const result = await run(root);
  assert.equal(result.verdict, 'inconclusive');
  assert.deepEqual([result.passed, result.failed, result.inconclusive], [0, 0, 1]);
});

// PLAY-1
test('a target that fails leaves only what more could not change', async () => {
  const { root } = repository(
    moduleAgent('agent', `${writes('x')} throw new Error('gave up');`),
    drill('d', 'agent', [noteIs('a', 'x'), written({ atLeast: 1 }), written({ atMost: 0 }, { id: 'never', gate: false })]),
  );
  const result = await run(root);
  assert.equal(result.verdict, 'inconclusive');
  assert.deepEqual(statuses(result), ['note-a inconclusive', 'written passed', 'never failed']);
  assert.equal(firstAttempt(result).result.status, 'sealed');
  assert.equal(firstAttempt(result).result.interactions[0]?.targetResult.error?.code, 'target.THREW');
});

test('an agent that finishes late is timed out: what it does then never reaches the world', async () => {
  const { root } = repository(
    moduleAgent('agent', `await new Promise((resolve) => context.signal.addEventListener('abort', resolve)); ${writes('late')}`, {
      timeoutMs: 100,
    }),
    drill('d', 'agent', [written({ equals: 0 }, { gate: false }), noteIs('first', 'here from the start')]),
  );
  const result = await run(root);
  assert.equal(firstAttempt(result).result.interactions[0]?.targetResult.status, 'timed_out');
  assert.equal(firstAttempt(result).result.budgetUsage.toolCalls.attempted, 0);
  assert.equal(result.verdict, 'inconclusive');
});

const tick = { instruction: 'tick' };
const timeline = (more: object): object => ({ timeline: { horizonUs: 0, interactions: [], ...more } });

// PLAY-1
test('interactions and workloads run in order of time, the world advancing between them, to the horizon', async () => {
  const agent = `await context.world.call('notes', 'note.write', { id: invocation.interactionId, text: String(invocation.virtualTimeUs) });
    if (invocation.interactionId === 'early') await context.world.call('notes', 'note.remind', { id: 'x', afterUs: 40 });`;
  const { root } = repository(
    moduleAgent('agent', agent),
    drill(
      'd',
      'agent',
      [
        noteIs('late', '1050'),
        noteIs('early', '1000'),
        noteIs('poll-writer-1', '1020'),
        noteIs('poll-writer-2', '1050'),
        noteIs('due-x', 'at 1040'),
      ],
      {
        ...timeline({
          horizonUs: 500,
          interactions: [
            { id: 'late', afterStartUs: 50, actorId: 'writer', task: tick },
            { id: 'early', actorId: 'writer', task: tick },
          ],
          workloads: [{ id: 'poll', actorIds: ['writer'], task: tick, startAfterUs: 20, everyUs: 30, occurrences: 2 }],
        }),
      },
    ),
  );
  const result = await run(root);
  assert.equal(result.verdict, 'passed', JSON.stringify(firstAttempt(result).result.assertionResults));
  const { interactions, finishedAtVirtualUs, budgetUsage } = firstAttempt(result).result;
  assert.deepEqual(
    interactions.map(({ interactionId, scheduledAtVirtualUs, startedAtVirtualUs }) => [
      interactionId,
      scheduledAtVirtualUs,
      startedAtVirtualUs,
    ]),
    [
      ['early', 1000, 1000],
      ['poll-writer-1', 1020, 1020],
      ['late', 1050, 1050],
      ['poll-writer-2', 1050, 1050],
    ],
  );
  assert.equal(finishedAtVirtualUs, 1500);
  assert.deepEqual(budgetUsage.scheduledEvents, { limit: 10_000, processed: 1, exhausted: false });
});

test('an agent that waits moves the clock, and what was due meanwhile starts late', async () => {
  const agent = `if (invocation.interactionId === 'one') { await context.world.call('notes', 'note.remind', { id: 'x', afterUs: 30 }); const { kind } = await context.world.wait(1200); return kind; }`;
  const { root } = repository(
    moduleAgent('agent', agent),
    drill(
      'd',
      'agent',
      [noteIs('due-x', 'at 1030')],
      timeline({
        interactions: [
          { id: 'one', actorId: 'writer', task: tick },
          { id: 'two', afterStartUs: 100, actorId: 'writer', task: tick },
        ],
      }),
    ),
  );
  const result = await run(root);
  assert.equal(result.verdict, 'passed', JSON.stringify(firstAttempt(result).result.interactions));
  const [one, two] = firstAttempt(result).result.interactions;
  assert.equal(one?.finishedAtVirtualUs, 1200);
  assert.deepEqual([two?.scheduledAtVirtualUs, two?.startedAtVirtualUs], [1100, 1200]);
});

test('a call that latency and a lost answer hit together leaves the clock where latency moved it', async () => {
  const fault = (id: string, more: object) => ({ id, appliesTo: ['note.write'], ...more });
  const lost = { code: 'LOST', message: 'lost', retryable: true };
  const slowAndLost = {
    ...notesTool,
    manifest: {
      ...notesTool.manifest,
      faults: [fault('slow', { timing: 'latency', latencyUs: 500 }), fault('lost', { timing: 'after_commit', error: lost })],
    },
  };
  const faults = ['slow', 'lost'].map((faultId) => ({ packageId: 'notes', faultId }));
  const agent = `if (invocation.interactionId === 'one') { ${writes('x')} }`;
  const { root } = repository(
    {
      'notes/notes.tool.json': slowAndLost,
      'drillyard/faulty.scenario.json': { schemaVersion: 1, id: 'faulty', virtualTimeUs: 1000, faults },
    },
    { 'judges/judge.mjs': 'export default ({ clock }) => ({ passed: clock.nowUs === 1500 });' },
    moduleAgent('agent', agent),
    drill(
      'd',
      'agent',
      [
        { id: 'reached', kind: 'time.reached', afterStartUs: 500 },
        { id: 'clock', kind: 'expr', expression: 'clock.nowUs == 1500' },
        { id: 'module', kind: 'custom', module: 'judges/judge.mjs' },
      ],
      {
        scenarioId: 'faulty',
        ...timeline({
          horizonUs: 300,
          interactions: [
            { id: 'one', actorId: 'writer', task: tick },
            { id: 'two', afterStartUs: 200, actorId: 'writer', task: tick },
          ],
          invariants: [{ id: 'moved', kind: 'expr', expression: 'clock.nowUs == 1500' }],
        }),
      },
    ),
  );
  const result = await run(root);
  assert.equal(result.verdict, 'passed', JSON.stringify(firstAttempt(result).result));
  const { interactions, checkpoints } = firstAttempt(result).result;
  assert.deepEqual(
    interactions.map(({ startedAtVirtualUs, finishedAtVirtualUs }) => [startedAtVirtualUs, finishedAtVirtualUs]),
    [
      [1000, 1500],
      [1500, 1500],
    ],
  );
  assert.deepEqual(
    checkpoints.map(({ virtualTimeUs }) => virtualTimeUs),
    [1500, 1500, 1500],
  );
});

test('invariants are checked after every interaction and at the end; a broken one stops the timeline', async () => {
  const agent = `await context.world.call('notes', 'note.write', { id: invocation.interactionId, text: 'x' });`;
  const interactions = ['one', 'two', 'three'].map((id, index) => ({ id, afterStartUs: index * 10, actorId: 'writer', task: tick }));
  const invariants = [written({ atMost: 1 }, { id: 'few' })];
  const parts = (more: object) =>
    repository(
      moduleAgent('agent', agent),
      drill('d', 'agent', [written({ atLeast: 1 })], timeline({ interactions, invariants, ...more })),
    );
  const stopped = firstAttempt(await run(parts({}).root)).result;
  assert.deepEqual(
    stopped.checkpoints.map(({ checkpointId, kind, verdict }) => `${checkpointId} ${kind} ${verdict}`),
    ['after-one after_interaction passed', 'after-two after_interaction failed', 'end invariant failed'],
  );
  assert.equal(stopped.interactions.length, 2);
  assert.equal(stopped.verdict, 'failed');
  const onward = firstAttempt(await run(parts({ stopOnInvariantFailure: false }).root)).result;
  assert.equal(onward.interactions.length, 3);
  assert.equal(onward.verdict, 'failed');
});

test('stopOnTargetFailure false: the timeline continues, and everything is judged as it is', async () => {
  const agent = `if (invocation.interactionId === 'one') throw new Error('no'); ${writes('x')}`;
  const interactions = ['one', 'two'].map((id) => ({ id, actorId: 'writer', task: tick }));
  const { root } = repository(
    moduleAgent('agent', agent),
    drill('d', 'agent', [written({ equals: 1 })], timeline({ interactions, stopOnTargetFailure: false })),
  );
  const result = await run(root);
  assert.equal(result.verdict, 'passed');
  assert.deepEqual(
    firstAttempt(result).result.interactions.map(({ targetResult }) => targetResult.status),
    ['failed', 'completed'],
  );
});

test('budgets: calls beyond maxToolCalls are refused, events beyond maxEvents are not fired, and nothing is decided that depends on them', async () => {
  const chatty = `for (let index = 0; index < 5; index++) await context.world.call('notes', 'note.get', { id: 'first' });`;
  const task = { id: 'one', actorId: 'writer', task: tick };
  const gets = (count: object) => ({
    id: 'gets',
    kind: 'operation.count',
    operation: { packageId: 'notes', operationId: 'note.get', outcome: 'ok' },
    count,
  });
  const calls = firstAttempt(
    await run(
      repository(
        moduleAgent('agent', chatty),
        drill(
          'd',
          'agent',
          [gets({ atLeast: 3 }), gets({ equals: 3 })].map((assertion, index) => ({ ...assertion, id: `a${index}` })),
          timeline({ interactions: [task], maxToolCalls: 3 }),
        ),
      ).root,
    ),
  ).result;
  assert.deepEqual(calls.budgetUsage.toolCalls, { limit: 3, attempted: 5, rejected: 2 });
  assert.deepEqual(
    calls.assertionResults.map(({ status }) => status),
    ['passed', 'inconclusive'],
  );
  const scheduling = `for (const afterUs of [10, 20, 30]) await context.world.call('notes', 'note.remind', { id: 'at' + afterUs, afterUs });`;
  const events = firstAttempt(
    await run(
      repository(
        moduleAgent('agent', scheduling),
        drill('d', 'agent', [noteIs('due-at10', 'at 1010')], timeline({ interactions: [task], maxEvents: 2, horizonUs: 100 })),
      ).root,
    ),
  ).result;
  assert.deepEqual(events.budgetUsage.scheduledEvents, { limit: 2, processed: 2, exhausted: true });
  assert.equal(events.verdict, 'inconclusive');
  assert.match(events.assertionResults[0]?.message ?? '', /the budget of 2 scheduled events was used up at 1020 us/);
});

test('a scheduled event whose handler throws cuts the run short; that it failed can be asserted', async () => {
  const agent = `await context.world.call('notes', 'note.break-later', { id: 'x', afterUs: 10 });`;
  const failed = {
    id: 'broke',
    kind: 'event.count',
    event: { packageId: 'notes', eventId: 'note.breaks' },
    phase: 'failed',
    count: { atLeast: 1 },
  };
  const { root } = repository(
    moduleAgent('agent', agent),
    drill(
      'd',
      'agent',
      [failed, noteIs('first', 'here from the start')],
      timeline({ horizonUs: 100, interactions: [{ id: 'one', actorId: 'writer', task: tick }] }),
    ),
  );
  const result = await run(root);
  assert.deepEqual(statuses(result), ['broke passed', 'note-first inconclusive']);
  assert.match(firstAttempt(result).result.assertionResults[1]?.message ?? '', /broken on purpose/);
});

test('what ends a timeline always ends it also where it happens while an agent waits', async () => {
  const waits = (operation: string, times: number) => `for (let index = 0; index < ${times}; index++) {
      await context.world.call('notes', '${operation}', { id: 'at' + index, afterUs: 10 * (index + 1) });
    }
    return await context.world.wait(5000);`;
  const nothingGot = {
    id: 'nothing-got',
    kind: 'operation.count',
    operation: { packageId: 'notes', operationId: 'note.get' },
    count: { equals: 0 },
  };
  const play = async (body: string, more: object) => {
    const interactions = ['one', 'two'].map((id) => ({ id, actorId: 'writer', task: tick }));
    const agent = `if (invocation.interactionId === 'two') return null; ${body}`;
    const invariants = [{ ...nothingGot, id: 'never-got' }];
    const parts = drill('d', 'agent', [nothingGot], timeline({ interactions, invariants, ...more }));
    const { root } = repository(moduleAgent('agent', agent), parts);
    const { result } = firstAttempt(await run(root, { reportDirectory: '.service/reports' }));
    // Judged again from the report, it is the same.
    const { reports } = await checkReports({ root });
    assert.deepEqual(
      reports.map(({ checked }) => checked.kind === 'checked' && checked.judgement.checkpoints),
      [result.checkpoints],
    );
    return result;
  };
  const checkpoints = ({ checkpoints }: RunResult) =>
    checkpoints.map(({ checkpointId, assertionResults: [one] }) => `${checkpointId} ${one?.status} ${one?.message}`);
  const used = await play(waits('note.remind', 3), { maxEvents: 2 });
  assert.deepEqual([used.verdict, used.interactions.length, used.budgetUsage.scheduledEvents.exhausted], ['inconclusive', 1, true]);
  assert.match(used.assertionResults[0]?.message ?? '', /the budget of 2 scheduled events was used up in interaction one/);
  assert.match(
    checkpoints(used)[0] ?? '',
    /^after-one inconclusive .*Undecided: the budget of 2 scheduled events was used up in interaction one\.$/,
  );
  const broken = await play(waits('note.break-later', 1), { horizonUs: 9000 });
  assert.deepEqual([broken.verdict, broken.interactions.length], ['inconclusive', 1]);
  assert.match(broken.assertionResults[0]?.message ?? '', /a scheduled event failed at 1010 us \(HANDLER_FAILED: .*broken on purpose/);
  assert.match(checkpoints(broken)[0] ?? '', /^after-one inconclusive .*Undecided: a scheduled event failed at 1010 us/);
  const enough = await play(waits('note.remind', 2), { maxEvents: 2, horizonUs: 9000 });
  assert.deepEqual([enough.verdict, enough.interactions.length], ['passed', 2]);
  assert.match(checkpoints(enough)[0] ?? '', /^after-one passed/);
});

test('what is judged of an output is what the report keeps: half of a surrogate pair is not judged as one text and kept as another', async () => {
  const { root } = repository(
    moduleAgent('agent', `${writes('a')} return { a: 'cut \\ud83d' };`),
    drill('cut', 'agent', [{ id: 'said', kind: 'output.value', interactionId: 'main', path: ['a'], expected: 'cut \ufffd' }]),
  );
  const { result } = firstAttempt(await run(root, { reportDirectory: '.service/reports' }));
  const [{ targetResult } = assert.fail('no interaction')] = result.interactions;
  assert.deepEqual([result.verdict, targetResult.error?.code, targetResult.output], ['inconclusive', 'target.OUTPUT_INVALID', undefined]);
  const { reports, changed } = await checkReports({ root });
  assert.deepEqual([changed, reports.map(({ checked }) => checked.kind === 'checked' && checked.judgement.verdict)], [0, ['inconclusive']]);
});

test('trials have seeds of their own and one verdict; retries repeat what did not pass with the same seed, and tell', async () => {
  const flaky = `import { existsSync, writeFileSync } from 'node:fs';
    export default async (_, context) => { const mark = new URL('../mark', import.meta.url); if (!existsSync(mark)) { writeFileSync(mark, ''); return; } ${writes('x')} };`;
  const { root } = repository(moduleAgent('agent', ''), { 'agents/agent.mjs': flaky }, drill('d', 'agent', [written({ equals: 1 })]));
  const result = await run(root, { retries: 2, trials: 2 });
  const [first, second] = result.drills[0]?.trials ?? [];
  assert.deepEqual(
    first?.attempts.map(({ verdict }) => verdict),
    ['failed', 'passed'],
  );
  assert.deepEqual([first?.verdict, first?.flaky, second?.flaky], ['passed', true, false]);
  assert.equal(result.drills[0]?.flaky, true);
  assert.equal(result.verdict, 'passed');
  const [failed, passed] = first?.attempts.map(({ result: { identity } }) => identity) ?? [];
  assert.equal(failed?.seed, passed?.seed);
  assert.deepEqual([failed?.attempt, passed?.attempt, passed?.attemptLimit, passed?.trialCount], [1, 2, 3, 2]);
  assert.notEqual(second?.seed, first?.seed);
});

test('results do not depend on concurrency, isolation or the run before: every hash is the same', async () => {
  const agent = `${writes('x')} await context.world.call('notes', 'note.remind', { id: 'r', afterUs: 5 });`;
  const drills = ['a', 'b', 'c', 'd'].map((id) =>
    drill(id, 'agent', [written({ equals: 1 })], timeline({ horizonUs: 50, interactions: [{ id: 'one', actorId: 'writer', task: tick }] })),
  );
  const { root } = repository(moduleAgent('agent', agent), ...drills);
  const hashes = (result: RunDrillsResult) =>
    result.drills.flatMap(({ drillId, trials }) =>
      trials.flatMap(({ trial, attempts }) =>
        attempts.map(({ result: { stateHash, evidenceHash, trajectoryHash } }) => ({
          drillId,
          trial,
          stateHash,
          evidenceHash,
          trajectoryHash,
        })),
      ),
    );
  const once = hashes(await run(root, { trials: 2 }));
  assert.equal(once.length, 8);
  assert.deepEqual(hashes(await run(root, { trials: 2, concurrency: 4 })), once);
  assert.deepEqual(hashes(await run(root, { trials: 2, concurrency: 3, isolate: 'process' })), once);
});

test('attempts at once are bounded, and there are as many as allowed', async () => {
  // Each of the first three waits for the other two, and says how many are at work beside it, itself included.
  const agent = `import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
    const made = (folder) => (mkdirSync(folder, { recursive: true }), folder);
    export default async ({ runId }) => {
      const [met, working] = ['../met/', '../working/'].map((path) => new URL(path, import.meta.url));
      const own = made(new URL(runId, working));
      made(new URL(runId, met));
      while (readdirSync(met).length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      const beside = readdirSync(working).length;
      rmdirSync(own);
      return beside;
    };`;
  const { root } = repository(moduleAgent('agent', ''), { 'agents/agent.mjs': agent }, drill('d', 'agent', [written({ equals: 0 })]));
  const { drills } = await run(root, { trials: 8, concurrency: 3 });
  const beside = drills[0]!.trials.map(({ attempts }) => attempts[0]!.result.interactions[0]!.targetResult.output as number);
  assert.equal(beside.length, 8);
  assert.equal(Math.max(...beside), 3);
});

test('one after the other, each attempt is reported before the next begins; beside others, all the same', async () => {
  const { root } = repository(moduleAgent('agent', writes('x')), drill('d', 'agent', [written({ equals: 1 })]));
  const reported = async (concurrency: number): Promise<string[]> => {
    const events: string[] = [];
    await run(root, { trials: 6, concurrency, onEvent: ({ event }) => void events.push(event) });
    return events.filter((event) => ['attempt_started', 'attempt', 'drill', 'summary'].includes(event));
  };
  const alone = await reported(1);
  assert.deepEqual(alone, [...Array.from({ length: 6 }, () => ['attempt_started', 'attempt']).flat(), 'drill', 'summary']);
  const beside = await reported(2);
  assert.deepEqual([beside.toSorted(), beside.slice(-2)], [alone.toSorted(), ['drill', 'summary']]);
});

test('tool code that takes its host down touches no attempt beside it, and none after it', { timeout: 60_000 }, async () => {
  const spins = limits.hostRestartsMax + 1;
  const marks = `import { existsSync, mkdirSync } from 'node:fs'; const mark = (round) => new URL('../spin-' + round, import.meta.url);`;
  const hostile = `${marks}
    export default async (_, { world }) => {
      for (let round = 0; round < ${spins}; round++) {
        mkdirSync(mark(round));
        await world.call('notes', 'note.write', { id: 'a', text: 'spin' }).then(() => { throw new Error('it answered'); }, () => {});
      }
    };`;
  // Works while each of those hangs.
  const honest = `${marks}
    export default async (_, { world }) => {
      for (let round = 0; round < ${spins}; round++) {
        while (!existsSync(mark(round))) await new Promise((resolve) => setTimeout(resolve, 5));
        for (let call = 0; call < 20; call++) await world.call('notes', 'note.write', { id: 'n' + call, text: String(round) });
      }
    };`;
  const { root } = repository(
    moduleAgent('hostile', ''),
    moduleAgent('honest', ''),
    { 'agents/hostile.mjs': hostile, 'agents/honest.mjs': honest },
    {
      'notes/behavior.ts': notesBehavior.replace(
        "'note.write': (input: any, context: any) => {",
        "$& if (input.text === 'spin') for (;;);",
      ),
    },
    drill('a-hostile', 'hostile', [written({ equals: 0 })]),
    drill('b-beside', 'honest', [written({ equals: spins * 20 })]),
    ...['c-after', 'd-after'].map((id) => drill(id, 'honest', [written({ equals: spins * 20 })])),
  );
  const beside = await run(root, { concurrency: 2, handlerTimeoutMs: 400 });
  assert.deepEqual(
    beside.drills.map(({ verdict }) => verdict),
    ['passed', 'passed', 'passed', 'passed'],
  );
  const alone = await run(root, { drills: ['b-beside', 'c-after', 'd-after'] });
  const hashes = ({ drills }: RunDrillsResult) =>
    drills.map(({ trials }) => trials[0]?.attempts.map(({ result: { evidenceHash } }) => evidenceHash));
  assert.deepEqual(hashes(beside).slice(1), hashes(alone));
});

test('cancelling ends the agent, seals what there is and starts nothing more', async () => {
  const { root } = repository(
    moduleAgent('agent', `${writes('x')} await new Promise(() => setInterval(() => {}, 1000));`),
    drill('a', 'agent', [written({ equals: 1 })]),
    drill('b', 'agent', [written({ equals: 1 })]),
  );
  const abort = new AbortController();
  const result = await run(root, {
    signal: abort.signal,
    onEvent: ({ event }) => event === 'interaction' && setTimeout(() => abort.abort(), 300),
  });
  assert.equal(result.cancelled, true);
  assert.equal(result.verdict, 'inconclusive');
  const { result: cancelled } = firstAttempt(result);
  assert.equal(cancelled.status, 'cancelled');
  assert.equal(cancelled.failure?.code, 'framework.CANCELLED');
  assert.equal(cancelled.interactions[0]?.targetResult.status, 'cancelled');
  assert.ok(cancelled.evidenceRange.toSequence > 0);
  assert.deepEqual(result.drills[1]?.trials[0]?.attempts, []);
});

test('stopOnFailure stops where a drill can no longer pass, not at a trial that its gate allows to fail', async () => {
  const agent = moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: 'y' });`);
  const gated = (passRate: number) =>
    repository(agent, drill('d', 'agent', [noteIs('a', 'x')], { trials: { count: 4, require: { passRate } } })).root;
  for (const concurrency of [1, 2]) {
    const allows = await run(gated(0), { stopOnFailure: true, concurrency });
    assert.deepEqual([allows.verdict, allows.drills[0]?.trials.map(({ attempts }) => attempts.length)], ['passed', [1, 1, 1, 1]]);
  }
  const ends = await run(gated(0.5), { stopOnFailure: true, concurrency: 1 });
  assert.deepEqual([ends.verdict, ends.drills[0]?.trials.map(({ attempts }) => attempts.length)], ['failed', [1, 1, 1, 0]]);
});

test('stopOnFailure starts nothing after a failure, not even while its report is written', async () => {
  const { root } = repository(
    moduleAgent('agent', ''),
    drill('a', 'agent', [written({ equals: 1 })]),
    drill('b', 'agent', [written({ equals: 0 })]),
  );
  const result = await run(root, { stopOnFailure: true });
  assert.deepEqual(
    result.drills.map(({ verdict, trials }) => [verdict, trials[0]?.attempts.length]),
    [
      ['failed', 1],
      ['inconclusive', 0],
    ],
  );
  const many = await run(root, { drills: ['a'], trials: 12, concurrency: 2, stopOnFailure: true });
  const begun = many.drills[0]!.trials.filter(({ attempts }) => attempts.length > 0).length;
  assert.ok(begun <= 2, `${begun} of 12 trials began`);
});

// ATTEMPT-1
test('a target this version cannot serve is reported as failed to run, in a whole report', async () => {
  const external = { schemaVersion: 1, target: { id: 'ext', kind: 'external', bindings: ['http'], timeoutMs: 1000 } };
  const { root } = repository({ 'drillyard/ext.target.json': external }, drill('b', 'ext', [written({ equals: 0 })]));
  const result = await run(root, { reportDirectory: 'reports' });
  assert.deepEqual(
    result.drills.map(({ trials }) => [trials[0]?.attempts[0]?.result.status, trials[0]?.attempts[0]?.result.failure?.code]),
    [['runner_failed', 'target.UNSUPPORTED']],
  );
  assert.equal(result.verdict, 'inconclusive');
  assert.equal((await verifyReport(join(root, firstAttempt(result).report))).ok, true);
});

// ATTEMPT-1
test('a report that cannot be written makes a passed attempt inconclusive, and says why', async () => {
  const { root } = repository(moduleAgent('agent', ''), drill('d', 'agent', [written({ equals: 0 })]), {
    blocked: 'a file where the folder should be',
  });
  for (const concurrency of [1, 2]) {
    const result = await run(root, { reportDirectory: 'blocked', trials: 2, retries: 1, concurrency });
    assert.equal(firstAttempt(result).reportError?.code, 'reporter.WRITE_FAILED');
    assert.equal(firstAttempt(result).result.verdict, 'passed');
    assert.deepEqual(
      result.drills[0]!.trials.map(({ attempts }) => attempts.map(({ verdict }) => verdict)),
      Array.from({ length: 2 }, () => ['inconclusive', 'inconclusive']),
    );
    assert.equal(result.verdict, 'inconclusive');
  }
});

test('a repository that does not compile, and a choice that fits nothing, are refused before anything runs', async () => {
  const { root, write } = repository(moduleAgent('agent', ''), drill('d', 'agent', [written({ equals: 0 })]));
  await assert.rejects(run(root, { drills: ['none'] }), { code: 'control.NOT_FOUND' });
  await assert.rejects(run(root, { concurrency: 1000 }), { code: 'control.INVALID_REQUEST' });
  write('drillyard/broken.drill.json', { schemaVersion: 1, id: 'broken' });
  await assert.rejects(run(root), { code: 'control.SOURCE_INVALID' });
  assert.equal(existsSync(join(root, '.service')), false);
});

test('the journal holds the verdicts and ends closed; drills, faults and grants are in it', async () => {
  const { root } = repository(
    moduleAgent(
      'agent',
      `await context.world.call('notes', 'note.get', { id: 'first' }); await context.world.call('notes', 'note.remove', { id: 'first' });`,
    ),
    drill('d', 'agent', [written({ equals: 0 })], {
      inlineScenario: {
        actors: [{ id: 'writer', grants: [{ packageId: 'notes', operationId: 'note.get' }] }],
        faults: [{ packageId: 'notes', faultId: 'down' }],
      },
    }),
  );
  const result = await run(root, { reportDirectory: 'reports' });
  const lines = readFileSync(join(root, firstAttempt(result).report, 'evidence.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const entries = lines.map((line) => JSON.parse(line) as EvidenceEntry);
  assert.deepEqual(
    entries.map((entry) => `${entry.kind} ${'phase' in entry ? entry.phase : entry.kind === 'operation' ? entry.outcome.kind : ''}`.trim()),
    ['lifecycle world_created', 'operation tool_error', 'fault', 'operation denied', 'verification', 'lifecycle world_closed'],
  );
  assert.equal(readdirSync(join(root, '.service/runs')).length, 1);
});
