// Two runs side by side: what differs is told by its cause, what is equal is not told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import type { EvidenceEntry } from '../../src/contract/evidence.js';
import { EvidenceHasher, TrajectoryHasher } from '../../src/contract/evidence-hash.js';
import type { RunComparison } from '../../src/contract/hosted-runs.js';
import type { JsonValue } from '../../src/contract/json.js';
import type { RunIdentity, RunResult } from '../../src/contract/run.js';
import { type ComparedRun, compareRuns } from '../../src/drills/compare-runs.js';

/** A call, what it answered, and how many rows it changed. */
interface Call {
  operationId: string;
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
  for (const [index, { operationId, args = {}, answer = null, changes = 0 }] of calls.entries()) {
    const invocation = { callId: `call_${world}${index}`, packageId: 'desk', instanceId: 'desk', operationId, arguments: args };
    const base = common(index + 1, 0, 1 + changes);
    entries.push({ ...base, kind: 'operation', invocation, actorId: 'agent', outcome: { kind: 'ok', value: answer }, idempotency: 'not_requested' });
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
    budgetUsage: { toolCalls: { limit: 5, attempted: calls.length, rejected: 0 }, scheduledEvents: { limit: 5, processed: 0, exhausted: false } },
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
const [ask, tell, end]: Call[] = [{ operationId: 'ask' }, { operationId: 'tell', changes: 2 }, { operationId: 'end' }];

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
  const drills = await compare({ calls: [ask!] }, { calls: [], identity: { drillId: 'other' } });
  assert.equal(drills.grade, 'incompatible');
  assert.equal(drills.firstDivergence, undefined);
});

test('the same call with another answer, and with other effects', async () => {
  const answers = await compare({ calls: [ask!, { ...tell!, answer: 1 }] }, { calls: [ask!, { ...tell!, answer: 2 }] });
  assert.deepEqual(answers.firstDivergence, {
    leftSequence: 3,
    rightSequence: 3,
    summary: 'On both sides agent called desk/tell, with another outcome.',
  });
  const effects = await compare({ calls: [{ ...tell!, changes: 1 }] }, { calls: [tell!] });
  assert.deepEqual(effects.firstDivergence, { rightSequence: 4, summary: 'On both sides agent called desk/tell, with other effects.' });
});

test('a call that only one side made is told as such, though everything after it stands elsewhere', async () => {
  const extra = await compare({ calls: [ask!, tell!, end!] }, { calls: [ask!, end!] });
  assert.deepEqual(extra.firstDivergence, { leftSequence: 3, summary: 'Only on the left: agent called desk/tell.' });
  const more = await compare({ calls: [ask!] }, { calls: [ask!, tell!] });
  assert.deepEqual(more.firstDivergence, { rightSequence: 3, summary: 'Only on the right: agent called desk/tell.' });
});

test('order, and ways that part', async () => {
  const order = await compare({ calls: [ask!, tell!] }, { calls: [tell!, ask!] });
  assert.deepEqual(order.firstDivergence, {
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

test('assertions of either side are told with both statuses', async () => {
  const { assertions } = await compare({ calls: [], statuses: { a: 'passed', b: 'failed' } }, { calls: [], statuses: { b: 'passed', c: 'passed' } });
  assert.deepEqual(assertions, [
    { assertionId: 'a', left: 'passed' },
    { assertionId: 'b', left: 'failed', right: 'passed' },
    { assertionId: 'c', right: 'passed' },
  ]);
});

test('a run is never parted from itself, and one call less is found where it is missing', async () => {
  const call = fc.record({ operationId: fc.constantFrom('ask', 'tell', 'end'), args: fc.nat(), answer: fc.nat(9), changes: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(call, { minLength: 1, maxLength: 8, selector: ({ args }) => args }), fc.nat(), async (calls, at) => {
      assert.equal((await compare({ calls }, { calls })).firstDivergence, undefined);
      const place = at % calls.length;
      const sequence = 2 + calls.slice(0, place).reduce((sum, { changes }) => sum + 1 + changes, 0);
      const { firstDivergence } = await compare({ calls }, { calls: calls.toSpliced(place, 1) });
      assert.equal(firstDivergence?.leftSequence, sequence);
      assert.equal(firstDivergence?.rightSequence, undefined);
    }),
    { numRuns: 60 },
  );
});
