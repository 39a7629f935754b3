// The calls of a stored run, made again against the world of a changed source.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { JsonValue } from '../../src/contract/json.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { type RecordedStep, recordedSteps } from '../../src/drills/stored/recorded-steps.js';
import { RenamedIds } from '../../src/drills/stored/renamed-ids.js';
import { replayReport, runDrills } from '../../src/index.js';
import { drill, moduleAgent, notesBehavior, notesTool, type Repository, temporaryRepositories } from './repository.js';

const repository = temporaryRepositories();
/** Answers with ids that the world minted; takes one back. */
const behavior = notesBehavior
  .replace('return input;', 'return { ...input, by: context.source.callId };')
  .replace(
    "context.events.scheduleAt('note.due', { id }, context.clock.nowUs() + afterUs); return null;",
    "return context.events.scheduleAt('note.due', { id }, context.clock.nowUs() + afterUs);",
  );
const agent = `
  const use = (operationId, args, options) => context.world.call('notes', operationId, args, options);
  await use('note.write', { id: 'a', text: 'x' }, { idempotencyKey: 'k' });
  const { value } = await use('note.write', { id: 'a', text: 'x' }, { idempotencyKey: 'k' });
  await use('note.write', { id: 'b', text: value.by });
  await use('note.get', { id: 'b' });
  await use('note.remove', { id: 'b' });
  const later = await use('note.remind', { id: 'a', afterUs: 50 });
  await use('note.write', { id: 'c', text: later.value });
  await context.world.wait();
  await use('note.get', { id: 'due-a' });
  await use('note.remind', { id: 'a', afterUs: 0 });
  await use('note.get', { id: 'nowhere' });
`;
const interaction = (id: string, afterStartUs: number) => ({ id, actorId: 'writer', afterStartUs, task: { instruction: 'Go.' } });
const timeline = { horizonUs: 300, interactions: [interaction('first', 0), interaction('second', 100)] };
const always = { id: 'time', kind: 'time.reached', afterStartUs: 0 };

async function played(parts: { [path: string]: string | object } = {}): Promise<Repository & { report: string }> {
  const files = {
    'notes/behavior.ts': behavior,
    ...moduleAgent('agent', agent),
    ...drill('it', 'agent', [always], { timeline }),
    ...parts,
  };
  const made = repository(files);
  const [run] = (await runDrills({ root: made.root })).drills.flatMap(({ trials }) => trials.flatMap(({ attempts }) => attempts));
  assert.equal(run?.result.status, 'sealed');
  return { ...made, report: run.runId };
}
let it: Awaited<ReturnType<typeof played>>;
before(async () => {
  it = await played();
});
/** With these files in the place of those that the run was made with. */
const replayed = async (files: { [path: string]: string | object } = {}) => {
  for (const [path, content] of Object.entries({ 'notes/behavior.ts': behavior, 'notes/notes.tool.json': notesTool, ...files }))
    it.write(path, content);
  return await replayReport({ root: it.root, report: it.report });
};

test('the world that the run was made with answers as it did, and so does one whose ids are others', async () => {
  const newer = { ...notesTool, manifest: { ...notesTool.manifest, version: '1.0.1' } };
  const expected = { same: true, sameState: false, setupChanged: false, calls: 22, differing: 0, differences: [] };
  const { diagnostics, folder, runId, drillId, ...same } = await replayed();
  assert.deepEqual([same, runId, drillId], [{ ...expected, sameState: true }, it.report, 'it']);
  // Another version is another build, so every id is another. The rows hold some of them.
  const { diagnostics: _, folder: __, runId: ___, drillId: ____, ...renamed } = await replayed({ 'notes/notes.tool.json': newer });
  assert.deepEqual(renamed, expected);
});

// REPLAY-1, REPLAY-2
test('the first answer that differs is named with its member, and later ones are counted', async () => {
  const { same, calls, differing, differences } = await replayed({
    'notes/behavior.ts': behavior.replace("text: 'at ' + ", "text: 'since ' + "),
  });
  assert.deepEqual([same, calls, differing, differences.length], [false, 22, 2, 2]);
  const [{ call, what, virtualTimeUs, path, arguments: given, recorded, present }] = differences as [(typeof differences)[number]];
  assert.deepEqual([call, what, virtualTimeUs, path, given], [9, 'writer called notes/note.get', 1050, ['value', 'text'], { id: 'due-a' }]);
  const outcome = (text: string): JsonValue => ({ kind: 'ok', value: { id: 'due-a', text } });
  assert.deepEqual([recorded, present], [outcome('at 1050'), outcome('since 1050')]);
});

// REPLAY-1
test('calls are made at their times where a wait ends earlier, and an event that fails now is a difference of the clock', async () => {
  const sooner = await replayed({ 'notes/behavior.ts': behavior.replace('nowUs() + afterUs', 'nowUs() + (afterUs && 10)') });
  const [wait] = sooner.differences;
  assert.deepEqual([wait?.call, wait?.what, wait?.path], [8, 'writer called world/clock.wait', ['value', 'virtualTimeUs']]);
  const failing = await replayed({
    'notes/behavior.ts': behavior
      .replace(
        'due: ({ id }: any, context: any) =>',
        "due: ({ id }: any, context: any) => { if (context.clock.nowUs() > 1050) throw new Error('broken'); return",
      )
      .replace("text: 'at ' + context.clock.nowUs() }),", "text: 'at ' + context.clock.nowUs() }); },"),
  });
  const { call, what, recorded, present } = failing.differences.find((difference) => difference.call === undefined) ?? {};
  assert.deepEqual([call, what, recorded], [undefined, 'the clock went to 1300 us', { kind: 'ok' }]);
  assert.equal((present as { error: { code: string } }).error.code, 'HANDLER_FAILED');
});

test('an actor that is gone, a setup that is another, and a call that is denied now, are answers that differ', async () => {
  const world = (actors: object[]) => ({ schemaVersion: 1, id: 'test', seed: '7', virtualTimeUs: 1000, actors });
  const granted = await replayed({
    'drillyard/world.json': world([
      { id: 'writer', grants: [] },
      { id: 'reader', grants: [] },
    ]),
  });
  assert.deepEqual([granted.setupChanged, granted.differing, granted.differences[0]?.path], [true, 20, ['kind']]);
  assert.equal((granted.differences[0]?.present as { kind: string }).kind, 'denied');
});

test('what is no report as it was sealed, no run and no drill is refused', async () => {
  await assert.rejects(replayReport({ root: it.root, report: 'run_nowhere000000' }), { code: 'control.NOT_FOUND' });
  await assert.rejects(replayReport({ root: it.root, reprt: 'x' } as never), /Did you mean "report"/);
  const other = await played({ 'notes/notes.tool.json': notesTool });
  other.write('drillyard/it.drill.json', { ...(drill('other', 'agent', [always], { timeline })['drillyard/other.drill.json'] as object) });
  await assert.rejects(replayReport({ root: other.root, report: 'latest' }), /no drill 'it' any more/);
  appendFileSync(join(other.root, '.service/reports', other.report, 'evidence.jsonl'), '{}\n');
  await assert.rejects(replayReport({ root: other.root, report: 'latest' }), {
    code: 'control.INVALID_REQUEST',
    message: /as it was sealed/,
  });
});

const entry = (correlationId: string, more: object) =>
  ({ correlationId, sequence: 1, transactionIndex: 0, virtualTimeUs: 5, ...more }) as EvidenceEntry;
async function steps(...entries: EvidenceEntry[]): Promise<RecordedStep[]> {
  const found: RecordedStep[] = [];
  for await (const step of recordedSteps(
    (async function* () {
      yield* entries;
    })(),
  ))
    found.push(step);
  return found;
}
const waited = (correlationId: string, given: object = {}) =>
  entry(correlationId, {
    kind: 'operation',
    invocation: { packageId: 'world', operationId: 'clock.wait', arguments: given },
    outcome: { kind: 'ok', value: { virtualTimeUs: 9, reached: true } },
  });

// RECORDED-STEPS-1
test('a command that stood still for a delivery is a step for each stretch, and its wait goes as far as it went', async () => {
  const delivering = [
    entry('a', { kind: 'event', phase: 'handled' }),
    entry('b', { kind: 'callback', phase: 'attempt_started' }),
    waited('a'),
  ];
  const found = await steps(waited('z'), ...delivering, waited('c', { untilUs: 7 }));
  assert.deepEqual(
    found.map((step) => [
      step.kind,
      step.kind === 'wait' ? step.untilUs : step.kind === 'advance' ? [step.targetUs, step.events] : undefined,
    ]),
    [
      ['wait', undefined],
      ['advance', [5, 1]],
      ['wait', 9],
      ['wait', 7],
    ],
  );
});

// RECORDED-STEPS-2
test('what a journal does not hold is a step that says so', async () => {
  const found = await steps(
    entry('a', { kind: 'lifecycle', phase: 'world_forked' }),
    entry('b', { kind: 'event', phase: 'scheduled' }),
    entry('c', { kind: 'lifecycle', phase: 'world_closed' }),
  );
  assert.deepEqual(
    found.map((step) => (step.kind === 'unrepeatable' ? step.what : step.kind)),
    ['the world is a fork, which begins in the journal of its parent', 'an event was scheduled by who held the world'],
  );
});

test('ids are exchanged in a value of megabytes of letters, in no more steps than it has', { timeout: 60_000 }, () => {
  const ids = new RenamedIds('world_a1', 'world_b2');
  const long = 'x'.repeat(4 * 1024 * 1024);
  assert.deepEqual(ids.toPresent({ long, id: 'call_a1x9', other: 'call_c3' }), { long, id: 'call_b2x9', other: 'call_c3' });
  assert.deepEqual(ids.toRecorded([`${long}_b2`, 'pending_b2call_b2']), [`${long}_a1`, 'pending_a1call_b2']);
});
