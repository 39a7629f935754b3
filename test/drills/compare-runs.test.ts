// Two runs side by side: what differs is reported by its cause, what is equal is not reported.
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import { sha256Digest } from '../../src/contract/digest.js';
import type { RunComparison } from '../../src/contract/hosted/runs.js';
import type { JsonValue } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import type { RunIdentity, RunResult } from '../../src/contract/run/run.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { EvidenceHasher, TrajectoryHasher } from '../../src/contract/world/evidence-hash.js';
import { type ComparedRun, compareRuns } from '../../src/drills/stored/compare-runs.js';
import { compareSealed } from '../../src/drills/stored/compare-sealed.js';
import { manifestDigestOf, SealedReport } from '../../src/drills/stored/sealed-report.js';
import { tuning } from '../../src/drills/tuning.js';
import fc from '../fast-check.js';
import { temporaryFolder } from '../worlds/storage-kit.js';

/** A call, what it answered, and how many rows it changed. */
interface Call {
  operationId: string;
  key?: string;
  args?: JsonValue;
  answer?: JsonValue;
  changes?: number;
}
interface Parts {
  calls: readonly Call[];
  identity?: Partial<RunIdentity>;
  fromSequence?: number;
  statuses?: { [assertionId: string]: 'passed' | 'failed' };
}

function journal(calls: readonly Call[], world: string): EvidenceEntry[] {
  const entries: EvidenceEntry[] = [];
  const common = (turn: number, index: number, size: number) => ({
    schemaVersion: 1 as const,
    sequence: entries.length + 1,
    transactionId: `txn_${world}${turn}`,
    transactionIndex: index,
    transactionSize: size,
    virtualTimeUs: 0,
    correlationId: `corr_${world}${turn}`,
  });
  entries.push({ ...common(0, 0, 1), kind: 'lifecycle', phase: 'world_created', details: { world } });
  for (const [index, { operationId, key, args = {}, answer = null, changes = 0 }] of calls.entries()) {
    const invocation = {
      callId: `call_${world}${index}`,
      packageId: 'desk',
      instanceId: 'desk',
      operationId,
      arguments: args,
      ...(key === undefined ? {} : { idempotencyKey: key }),
    };
    const base = common(index + 1, 0, 1 + changes);
    entries.push({
      ...base,
      kind: 'operation',
      invocation,
      actorId: 'agent',
      outcome: { kind: 'ok', value: answer },
      idempotency: 'not_requested',
    });
    for (let change = 1; change <= changes; change++) {
      const row = { packageId: 'desk', instanceId: 'desk', namespace: 'tickets', rowId: `row-${change}` };
      const state = { kind: 'state_change', ...row, change: 'insert', before: null, after: { change } } as const;
      entries.push({ ...common(index + 1, change, 1 + changes), ...state, causeSequence: base.sequence });
    }
  }
  return entries;
}

const digest = `sha256:${'0'.repeat(64)}`;
function runOf({ calls, identity, fromSequence = 1, statuses = {} }: Parts, world = 'a'): ComparedRun {
  const entries = journal(calls, world);
  const [evidence, trajectory] = [new EvidenceHasher(), new TrajectoryHasher()];
  const lines = entries.map((entry) => canonicalJson(entry as unknown as JsonValue));
  for (const line of lines) evidence.appendLine(line);
  for (const entry of entries) trajectory.appendEntry(entry);
  const result = {
    identity: {
      ...{ runId: `run_${world}`, drillId: 'drill', targetId: 'target', seed: '1', trial: 1, trialCount: 1, attempt: 1, attemptLimit: 1 },
      ...{ buildHash: digest, packageLockHash: digest, setupHash: digest, worldInstanceId: world },
      ...identity,
    },
    verdict: 'passed',
    startedAtVirtualUs: 0,
    finishedAtVirtualUs: 10,
    interactions: [],
    checkpoints: [],
    budgetUsage: {
      toolCalls: { limit: 5, attempted: calls.length, rejected: 0 },
      scheduledEvents: { limit: 5, processed: 0, exhausted: false },
    },
    assertionResults: Object.entries(statuses).map(([assertionId, status]) => ({ assertionId, status })),
    evidenceRange: { fromSequence, toSequence: entries.length },
    stateHash: digest,
    evidenceHash: evidence.digest(),
    trajectoryHash: trajectory.digest(),
    setup: { setup: { bindings: { environment: {} } } },
  } as unknown as RunResult;
  // Chunks of whole lines, of any size.
  return { result, evidence: lines.map((line) => `${line}\n`) };
}
const compare = (left: Parts, right: Parts): Promise<RunComparison> => compareRuns(runOf(left, 'a'), runOf(right, 'b'));
const parting = ({ firstDivergence }: RunComparison) => {
  const { left: _, right: __, members: ___, effects: ____, ...places } = firstDivergence ?? assert.fail('they did the same');
  return places;
};
const [ask, tell, end]: Call[] = [{ operationId: 'ask' }, { operationId: 'tell', changes: 2 }, { operationId: 'end' }];

// COMPARE-RUNS-1
test('runs that differ in their ids only did the same', async () => {
  const { grade, firstDivergence, equal, inputs } = await compare({ calls: [ask!, tell!] }, { calls: [ask!, tell!] });
  assert.equal(grade, 'exact_inputs');
  assert.deepEqual(inputs, []);
  assert.equal(firstDivergence, undefined);
  assert.deepEqual(equal, { stateHash: true, evidenceHash: false, trajectoryHash: true });
});

test('inputs that differ are named; of different drills nothing is aligned', async () => {
  const seeds = await compare({ calls: [ask!] }, { calls: [], identity: { seed: '2' } });
  assert.equal(seeds.grade, 'descriptive_only');
  assert.deepEqual(seeds.inputs, [{ name: 'seed', left: '1', right: '2' }]);
  assert.ok(seeds.firstDivergence);
  const setupHash = `sha256:${'1'.repeat(64)}`;
  const drills = await compare({ calls: [ask!] }, { calls: [], identity: { drillId: 'other', setupHash } });
  assert.equal(drills.grade, 'incompatible');
  assert.equal(drills.firstDivergence, undefined);
});

// COMPARED-INPUTS-1
test('a build that something else changed is no other input, another target is; of one setup other drills are comparable', async () => {
  const buildHash = `sha256:${'2'.repeat(64)}`;
  const targetHash = digest;
  const built = await compare({ calls: [], identity: { targetHash } }, { calls: [], identity: { targetHash, buildHash } });
  assert.deepEqual([built.grade, built.inputs, built.lacks], ['exact_inputs', [], undefined]);
  const declared = await compare({ calls: [], identity: { targetHash } }, { calls: [], identity: { targetHash: buildHash } });
  assert.deepEqual([declared.grade, declared.inputs.map(({ name }) => name)], ['descriptive_only', ['targetHash']]);
  const older = await compare({ calls: [] }, { calls: [], identity: { targetHash, buildHash } });
  assert.deepEqual([older.grade, older.inputs, older.lacks], ['descriptive_only', [], [{ side: 'left', name: 'targetHash' }]]);
  const other = await compare({ calls: [ask!] }, { calls: [], identity: { drillId: 'other' } });
  assert.deepEqual([other.grade, other.inputs.map(({ name }) => name)], ['descriptive_only', ['drillId']]);
  assert.equal(other.firstDivergence?.left?.text, 'desk.ask by agent → ok');
});

test('the same call with another answer, and with other effects', async () => {
  const answers = await compare({ calls: [ask!, { ...tell!, answer: 1 }] }, { calls: [ask!, { ...tell!, answer: 2 }] });
  assert.deepEqual(parting(answers), {
    leftSequence: 3,
    rightSequence: 3,
    summary: 'On both sides agent called desk/tell, with another answer.',
  });
  assert.deepEqual(answers.firstDivergence?.members, [{ path: ['outcome', 'value'], left: 1, right: 2 }]);
  const effects = await compare({ calls: [{ ...tell!, changes: 1 }] }, { calls: [tell!] });
  assert.deepEqual(parting(effects), { rightSequence: 4, summary: 'On both sides agent called desk/tell, with other effects.' });
});

// COMPARE-RUNS-2
test('a call that only one side made is reported as such, though everything after it stands elsewhere', async () => {
  const extra = await compare({ calls: [ask!, tell!, end!] }, { calls: [ask!, end!] });
  assert.deepEqual(parting(extra), { leftSequence: 3, summary: 'Only on the left: agent called desk/tell.' });
  const more = await compare({ calls: [ask!] }, { calls: [ask!, tell!] });
  assert.deepEqual(parting(more), { rightSequence: 3, summary: 'Only on the right: agent called desk/tell.' });
});

test('order, and ways that part', async () => {
  const order = await compare({ calls: [ask!, tell!] }, { calls: [tell!, ask!] });
  assert.deepEqual(parting(order), {
    leftSequence: 2,
    rightSequence: 2,
    summary: 'The order differs: on the left agent called desk/ask, on the right agent called desk/tell.',
  });
  const parted = await compare({ calls: [{ ...ask!, args: { id: 1 } }] }, { calls: [{ ...ask!, args: { id: 2 } }] });
  assert.match(parted.firstDivergence!.summary, /^They parted: /);
});

test('what came before a run is not compared', async () => {
  const { firstDivergence, counts } = await compare({ calls: [ask!, end!], fromSequence: 3 }, { calls: [end!] });
  assert.equal(firstDivergence, undefined);
  assert.deepEqual(
    counts.find(({ name }) => name === 'entries.operation'),
    { name: 'entries.operation', left: 1, right: 1 },
  );
});

test('assertions of either side are reported with both statuses', async () => {
  const { assertions } = await compare(
    { calls: [], statuses: { a: 'passed', b: 'failed' } },
    { calls: [], statuses: { b: 'passed', c: 'passed' } },
  );
  assert.deepEqual(assertions, [
    { assertionId: 'a', left: 'passed' },
    { assertionId: 'b', left: 'failed', right: 'passed' },
    { assertionId: 'c', right: 'passed' },
  ]);
});

const anyCall = fc.record({ operationId: fc.constantFrom('ask', 'tell', 'end'), args: fc.nat(3), answer: fc.nat(2), changes: fc.nat(3) });
const anyCalls = fc.array(anyCall, { maxLength: 12 });
const differencesOf = async (left: Parts, right: Parts) => (await compare(left, right)).differences ?? assert.fail('nothing was aligned');
const changesTold = ({ changed, moved, onlyLeft, onlyRight }: Differences) => ({ changed, moved, onlyLeft, onlyRight });
type Differences = NonNullable<RunComparison['differences']>;

// COMPARE-RUNS-2, RUN-TURNS-1
test('a run has no differences from itself, and one call more is exactly that call, wherever it was made', async () => {
  await fc.assert(
    fc.asyncProperty(anyCalls, anyCall, fc.nat(), async (calls, extra, at) => {
      const none = { changed: 0, moved: 0, onlyLeft: 0, onlyRight: 0 };
      const same = await differencesOf({ calls }, { calls });
      assert.deepEqual([changesTold(same), same.same, same.shown], [none, calls.length, []]);
      const place = at % (calls.length + 1);
      const { shown, ...counts } = await differencesOf({ calls }, { calls: calls.toSpliced(place, 0, extra) });
      assert.deepEqual(counts, { ...none, onlyRight: 1, same: calls.length, isComplete: true });
      // Beside a call that is the same in all, nobody can say which of the two was added.
      const inserted = shown[0]!;
      const sequenceOf = (index: number) => 2 + calls.slice(0, index).reduce((sum, { changes }) => sum + 1 + changes, 0);
      assert.equal(inserted.kind, 'only_right');
      assert.equal(inserted.right?.entries, 1 + extra.changes);
      const unlike = calls.every((call) => call.args !== extra.args || call.operationId !== extra.operationId);
      if (unlike) assert.equal(inserted.right?.sequence, sequenceOf(place));
    }),
    { numRuns: 80 },
  );
});

// RUN-DIFFERENCES-1
test('exchanging the sides exchanges the answer and nothing else', async () => {
  const mirrored = { only_left: 'only_right', only_right: 'only_left', changed: 'changed', moved: 'moved' } as const;
  const reported = ({ kind, left, right }: Differences['shown'][number]) => JSON.stringify([kind, left ?? null, right ?? null]);
  await fc.assert(
    fc.asyncProperty(anyCalls, anyCalls, async (one, other) => {
      const there = await differencesOf({ calls: one }, { calls: other });
      const back = await differencesOf({ calls: other }, { calls: one });
      assert.deepEqual([there.same, there.changed, there.moved, there.onlyLeft], [back.same, back.changed, back.moved, back.onlyRight]);
      const flipped = back.shown.map(({ kind, left, right, ...rest }) => ({
        ...rest,
        kind: mirrored[kind],
        ...(right && { left: right }),
        ...(left && { right: left }),
      }));
      assert.deepEqual(there.shown.map(reported).sort(), flipped.map(reported).sort());
    }),
    { numRuns: 80 },
  );
});

test('stretches too long for the exact answer: by few edits, by what comes once, by occurrence', async () => {
  // Every call comes with another answer on the right, so that nothing is trimmed away at the ends.
  const answered = (calls: readonly Call[]): Call[] => calls.map((call) => ({ ...call, answer: 1 }));
  const extra: Call = { operationId: 'extra' };
  const each = (calls: readonly Call[], more: Call): Call[] => calls.flatMap((call) => [call, more]);
  const count = Math.ceil(Math.sqrt(limits.comparisonCellsMax)) + 100;
  const onceCalls = Array.from({ length: count }, (_, index): Call => ({ operationId: 'ask', args: index }));
  const calls = onceCalls.map((_, index): Call => ({ operationId: index % 2 === 0 ? 'ask' : 'tell' }));
  // Each is compared as the left side and as the right one.
  const [once, repeated] = [onceCalls, calls].map((made) => runOf({ calls: made }, 'a')) as [ComparedRun, ComparedRun];
  const right = (made: Call[]): ComparedRun => runOf({ calls: made }, 'b');
  const cases: [one: ComparedRun, other: ComparedRun, reported: object][] = [
    [repeated, right(answered(calls).toSpliced(1201, 0, extra)), { changed: count, moved: 0, onlyLeft: 0, onlyRight: 1 }],
    [runOf({ calls: calls.toSpliced(7, 3) }, 'a'), right(answered(calls)), { changed: count - 3, moved: 0, onlyLeft: 0, onlyRight: 3 }],
    [once, right(each(answered(onceCalls), extra)), { changed: count, moved: 0, onlyLeft: 0, onlyRight: count }],
    [repeated, right(each(answered(calls), extra)), { changed: count, moved: 0, onlyLeft: 0, onlyRight: count }],
  ];
  for (const [one, other, reported] of cases) {
    const { differences } = await compareRuns(one, other);
    assert.deepEqual(changesTold(differences!), reported);
    const back = await compareRuns(other, one);
    const { onlyLeft, onlyRight, ...rest } = reported as ReturnType<typeof changesTold>;
    assert.deepEqual(changesTold(back.differences!), { ...rest, onlyLeft: onlyRight, onlyRight: onlyLeft });
  }
});

/**
 * A run whose calls each take `spanUs`, queue a delivery and schedule an event; both are answered, in turns of their own, after all calls.
 */
function eventful(names: readonly string[], { spanUs, status = 200 }: { spanUs: number; status?: number }, world: string): ComparedRun {
  const entries: EvidenceEntry[] = [];
  const owner = { packageId: 'desk', instanceId: 'desk' };
  const event = { ...owner, eventId: 'due' };
  let turn = 0;
  const add = (virtualTimeUs: number, entry: object): number => {
    const [transactionId, last] = [`txn_${turn}`, entries.at(-1)];
    const transactionIndex = last?.transactionId === transactionId ? last.transactionIndex + 1 : 0;
    const place = { schemaVersion: 1, sequence: entries.length + 1, transactionId, transactionIndex, transactionSize: 1 };
    entries.push({ ...place, virtualTimeUs, correlationId: 'corr_0', ...entry } as EvidenceEntry);
    return entries.length;
  };
  const later = names.map((name, index) => {
    turn++;
    const nowUs = index * spanUs;
    const invocation = { callId: `call_${index}`, ...owner, operationId: name, arguments: {} };
    add(nowUs, { kind: 'operation', invocation, actorId: 'agent', outcome: { kind: 'ok', value: null }, idempotency: 'not_requested' });
    const causeSequence = add(nowUs, {
      kind: 'event',
      event,
      phase: 'scheduled',
      payload: {},
      scheduledEventId: `pending_${index}`,
      scheduledForUs: nowUs + 9000,
    });
    const delivery = { ...owner, callbackId: 'reported', receiverId: 'r', deliveryId: `delivery_${world}${index}` };
    add(nowUs, { kind: 'callback', ...delivery, phase: 'queued' });
    return { causeSequence, delivery, dueUs: nowUs + 9000, isLast: index === names.length - 1 };
  });
  for (const { causeSequence, delivery, dueUs, isLast } of later) {
    turn++;
    add(dueUs, { kind: 'event', event, phase: 'handled', payload: {}, scheduledForUs: dueUs, causeSequence });
    turn++;
    const answered = isLast && status !== 200 ? { phase: 'retry_scheduled', retryAtUs: dueUs + 50 } : { phase: 'delivered' };
    add(dueUs, { kind: 'callback', ...delivery, ...answered, attempt: 1, status: isLast ? status : 200 });
  }
  const lines = entries.map((entry) => `${canonicalJson(entry as unknown as JsonValue)}\n`);
  const { result } = runOf({ calls: [] }, world);
  return { result: { ...result, evidenceRange: { fromSequence: 1, toSequence: entries.length } }, evidence: lines };
}

// RUN-TURNS-1
test('events and deliveries are known by the turn that brought them about, whenever they come', async () => {
  const slow = await compareRuns(eventful(['a', 'b', 'c'], { spanUs: 5 }, 'a'), eventful(['a', 'b', 'c'], { spanUs: 700 }, 'b'));
  assert.deepEqual(slow.differences?.shown, []);
  assert.match(
    slow.firstDivergence?.summary ?? '',
    /^On both sides agent called desk\/b, at 5 µs on the left and at 700 µs on the right\.$/,
  );
  const extra = await compareRuns(eventful(['a', 'b', 'c'], { spanUs: 5 }, 'a'), eventful(['a', 'x', 'b', 'c'], { spanUs: 5 }, 'b'));
  assert.deepEqual(
    extra.differences?.shown.map(({ kind, right }) => [kind, right]),
    // The call with its two entries, its event and its delivery; the turns of others are aligned.
    [
      ['only_right', { sequence: 4, entries: 3 }],
      ['only_right', { sequence: 15, entries: 1 }],
      ['only_right', { sequence: 16, entries: 1 }],
    ],
  );
  const refused = await compareRuns(eventful(['a', 'b'], { spanUs: 5 }, 'a'), eventful(['a', 'b'], { spanUs: 5, status: 500 }, 'b'));
  assert.deepEqual(
    refused.differences?.shown.map(({ kind, summary }) => [kind, summary]),
    [['changed', 'On both sides the delivery of desk/reported was delivered, with another outcome.']],
  );
});

// COMPARE-RUNS-2
test('a call that failed first on one side only is the same call with another outcome, though its repetition is paired with the other', async () => {
  const asked: Call = { operationId: 'ask', args: { id: 1 }, answer: 'done' };
  const { firstDivergence, differences } = await compare({ calls: [asked, end!] }, { calls: [{ ...asked, answer: 'busy' }, asked, end!] });
  assert.match(firstDivergence!.summary, /^On both sides agent called desk\/ask, with another answer\.$/);
  assert.deepEqual([firstDivergence!.leftSequence, firstDivergence!.rightSequence], [2, 2]);
  assert.deepEqual([differences!.same, differences!.onlyLeft, differences!.onlyRight, differences!.changed], [2, 0, 1, 0]);
});

// RUN-TURNS-1
test('which worlds minted the ids makes no difference, in what both runs begin with and after it', async () => {
  const [one, other] = ['world_0000000000000aaa', 'world_0000000000000bbb'];
  const known = (calls: readonly Call[], world: string): ComparedRun => {
    const { result, evidence } = runOf({ calls }, world.slice('world_'.length));
    return { evidence, result: { ...result, identity: { ...result.identity, worldInstanceId: world } } };
  };
  const reported = ({ differences, firstDivergence, counts, rows }: RunComparison) => ({ differences, firstDivergence, counts, rows });
  await fc.assert(
    fc.asyncProperty(anyCalls, anyCalls, anyCalls, async (first, left, right) => {
      const [here, there] = [first.concat(left), first.concat(right)];
      const tagged = reported(await compareRuns(known(here, one), known(there, other)));
      const alone = reported(await compare({ calls: here }, { calls: there }));
      assert.deepEqual(tagged, alone);
    }),
    { numRuns: 80 },
  );
});

test('a journal comes as text or as bytes, in chunks of whole lines', async () => {
  const [left, right] = [runOf({ calls: [ask!, tell!] }, 'a'), runOf({ calls: [ask!, { ...tell!, changes: 1 }] }, 'b')];
  const text = [...(right.evidence as Iterable<string>)].join('');
  const chunked = (chunk: string | Uint8Array): ComparedRun => ({ ...right, evidence: [chunk] });
  const wanted = await compareRuns(left, right);
  assert.deepEqual(await compareRuns(left, chunked(text)), wanted);
  assert.deepEqual(await compareRuns(left, chunked(new TextEncoder().encode(text))), wanted);
  await assert.rejects(compareRuns(left, chunked(text.slice(0, -1))), /ends inside a line/);
  await assert.rejects(compareRuns(left, chunked(`${text}{}\n`)), /no entry/);
});

test('long journals are read by threads of their own, to the same answer; one that was changed is no journal', async (t) => {
  const calls = (extra: readonly Call[]): Call[] => [
    ...Array.from({ length: 5_500 }, (_, index): Call => ({ operationId: 'tell', args: { index }, changes: index % 3 })),
    ...extra,
  ];
  const [left, right] = [runOf({ calls: calls([ask!]) }, 'a'), runOf({ calls: calls([{ ...ask!, answer: 1 }, tell!]) }, 'b')];
  assert.ok(left.result.evidenceRange.toSequence + right.result.evidenceRange.toSequence > tuning.comparedHereEntriesMax);
  const [one, other] = [await sealed(t, left), await sealed(t, right)];
  assert.deepEqual(await compareSealed(one, other), await compareRuns(left, right));
  // A party that asks for many does not keep another from its turn.
  const over: string[] = [];
  const compareFor = async (party: string): Promise<void> => {
    await compareSealed(one, other, party);
    over.push(party);
  };
  await Promise.all(['many', 'many', 'one'].map(compareFor));
  assert.deepEqual(over, ['many', 'one', 'many']);
  appendFileSync(join(other.place.folder, 'evidence.jsonl'), '\n');
  await assert.rejects(compareSealed(one, other), /evidence\.jsonl is damaged: it is not as it was sealed/);
});

async function sealed(t: TestContext, { result, evidence }: ComparedRun): Promise<SealedReport> {
  const folder = temporaryFolder(t);
  const files = { 'report.json': JSON.stringify({ result }), 'evidence.jsonl': [...(evidence as string[])].join('') };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const listed = Object.entries(files).map(([path, text]) => ({ path, bytes: text.length, sha256: sha256Digest(text) }));
  const manifest = { schemaVersion: 1, runId: result.identity.runId, projectionRevision: 1, files: listed };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return new SealedReport(folder, await manifestDigestOf(folder));
}

// COMPARED-VALUES-1
test('the values of what differs: keys, arguments, effects, and the call that is like one of the other side', async () => {
  const retried = (key: string, answer: JsonValue, changes: number): Call[] => [ask!, { operationId: 'refund', key, answer, changes }];
  const twice = await compare({ calls: retried('once-1', 're_1', 0) }, { calls: retried('attempt-2', 're_2', 1) });
  assert.deepEqual(twice.firstDivergence?.members, [
    { path: ['invocation', 'idempotencyKey'], left: 'once-1', right: 'attempt-2' },
    { path: ['outcome', 'value'], left: 're_1', right: 're_2' },
  ]);
  const { left, right } = twice.firstDivergence!.effects;
  assert.deepEqual([left.total, right.total, right.shown[0]?.text], [0, 1, 'desk/tickets/row-1 inserted']);
  const like = await compare({ calls: [{ ...tell!, args: { id: 1 } }] }, { calls: [ask!, { ...tell!, args: { id: 2 } }] });
  const only = like.differences?.shown.find(({ kind }) => kind === 'only_left');
  assert.deepEqual([only?.like?.sequence, only?.members], [3, [{ path: ['invocation', 'arguments', 'id'], left: 1, right: 2 }]]);
  const long = await compare({ calls: [{ ...ask!, answer: 'a'.repeat(9000) }] }, { calls: [{ ...ask!, answer: 'b' }] });
  const [cut] = long.firstDivergence!.members;
  assert.ok(cut?.isCut && (cut.left as string).length < 5000);
});

const many = (count: number, value: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, value]));

test('of very many members the first are listed and all are counted, and arguments hide neither key nor answer', async () => {
  const call = (value: number): Call => ({ operationId: 'put', key: `key-${value}`, args: many(300, value), answer: many(250, value) });
  const { firstDivergence, differences } = await compare({ calls: [call(1)] }, { calls: [call(2)] });
  for (const { members = [], membersTotal } of [firstDivergence!, differences!.shown[0]!]) {
    const under = (...prefix: string[]) => members.filter(({ path }) => prefix.every((step, index) => path[index] === step)).length;
    assert.equal(membersTotal, 551);
    assert.deepEqual([under('invocation', 'idempotencyKey'), under('invocation', 'arguments'), under('outcome')], [1, 200, 200]);
  }
});

// COMPARED-VALUES-1
test('calls that differ in their idempotency key alone are the same, and are counted', async () => {
  const keyed = (...keys: (string | undefined)[]): Parts => ({
    calls: keys.map((key, index) => ({ operationId: 'ask', args: index, ...(key === undefined ? {} : { key }) })),
  });
  const { differences, firstDivergence } = await compare(keyed('a', 'b', undefined, 'c'), keyed('a', 'x', 'y', 'c'));
  assert.deepEqual([differences?.same, differences?.otherKeys, firstDivergence], [4, 2, undefined]);
  const same = await compare(keyed('a', undefined), keyed('a', undefined));
  assert.deepEqual([same.differences?.same, same.differences?.otherKeys], [2, undefined]);
});

test('a long value is cut where the sides differ, and says so', async () => {
  const long = (end: JsonValue): Call => ({ operationId: 'ask', answer: end });
  const membersOf = async (left: JsonValue, right: JsonValue) =>
    (await compare({ calls: [long(left)] }, { calls: [long(right)] })).firstDivergence!.members;
  const same = 'x'.repeat(9000);
  const [ends] = await membersOf(`${same}LEFT${same}`, `${same}RIGHT`);
  assert.ok(ends?.isCut);
  assert.match(ends.left as string, /^…x+LEFTx+…$/);
  assert.match(ends.right as string, /^…x+RIGHT$/);
  // Of two shapes: the text of the one is not the text of the other.
  const [shapes] = await membersOf([same], JSON.stringify([same]));
  assert.ok(shapes?.isCut && shapes.left !== shapes.right);
});

// COMPARED-VALUES-1
test('what stands under an id that the world minted is held against what stands under that of the other world', async () => {
  const asked = (world: string, value: number): Call => ({
    operationId: 'ask',
    answer: { [`pending_${world}1`]: { n: value, of: world } },
  });
  const run = (world: string, value: number): ComparedRun =>
    runOf({ calls: [asked(world, value)], identity: { worldInstanceId: `world_${world}` } }, world);
  const { firstDivergence } = await compareRuns(run('01left', 1), run('02right', 2));
  assert.deepEqual(firstDivergence?.members, [{ path: ['outcome', 'value', 'pending_…1', 'n'], left: 1, right: 2 }]);
});

test('rows that the runs ended with differently, by member, with the entries that last changed them', async () => {
  const row = { packageId: 'desk', namespace: 'tickets' };
  const start = [
    { action: 'upsert', ...row, rowId: 'old', value: { b: 1, a: 2 } },
    { action: 'upsert', ...row, rowId: 'row-1', value: { change: 0 } },
  ];
  const begun = (calls: readonly Call[], world: string, rows: readonly object[]): ComparedRun => {
    const { result, evidence } = runOf({ calls }, world);
    return { evidence, result: { ...result, setup: { setup: { bindings: { environment: {} }, scenario: { state: rows } } } } as never };
  };
  const { rows } = await compareRuns(begun([ask!, tell!], 'a', start), begun([ask!, { ...tell!, changes: 1 }], 'b', start));
  assert.deepEqual(rows, {
    ...{ changed: 0, onlyLeft: 1, onlyRight: 0 },
    shown: [
      {
        ...{ kind: 'only_left', ...row, instanceId: 'desk', rowId: 'row-2', leftSequence: 5 },
        members: [{ path: [], left: { change: 2 } }],
      },
    ],
  });
  const touched = await compareRuns(begun([ask!, tell!], 'a', start), begun([ask!], 'b', start));
  const changed = touched.rows?.shown.find(({ kind }) => kind === 'changed');
  assert.deepEqual([changed?.rowId, changed?.members], ['row-1', [{ path: ['change'], left: 1, right: 0 }]]);
  const without = await compareRuns(begun([ask!], 'a', start), begun([ask!], 'b', start.slice(1)));
  assert.equal(without.rows?.changed, 0);
});
