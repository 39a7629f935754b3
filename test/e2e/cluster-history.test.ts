// The check of histories finds each kind of wrong history, and nothing in a right one; and the evidence of a service that is one process,
// replayed in an embedded world, gives the same hashes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EvidenceEntry, OperationEntry } from '../../src/contract/world/evidence.js';
import fc from '../fast-check.js';
import { type AskedCall, ClusterHistory, type Finding } from './cluster-history.js';
import { CallingAgent, exampleBuild, journalOf, replayFaults } from './cluster-load.js';
import { clientOf, startInside } from './service.js';

const world = 'ses_1';
const entry = (sequence: number, text: string, rest: Partial<OperationEntry> = {}): EvidenceEntry =>
  ({
    kind: 'operation',
    sequence,
    invocation: { callId: `call_${sequence}`, arguments: { body: text } },
    outcome: { kind: 'ok', value: { text } },
    idempotency: 'not_requested',
    ...rest,
  }) as unknown as EvidenceEntry;
const call = (text: string, from: number, to: number | undefined, sequence = 0): AskedCall => ({
  ...{ world, node: 'n1', text, askedAtMs: from },
  ...(to === undefined ? {} : { answer: { atMs: to, callId: `call_${sequence}`, outcome: { kind: 'ok', value: { text } } } }),
});
function found(calls: AskedCall[], entries: EvidenceEntry[], reads: [from: number, to: number, sequence: number][] = []) {
  const history = new ClusterHistory();
  history.calls.push(...calls);
  history.reads.push(...reads.map(([askedAtMs, answeredAtMs, sequence]) => ({ world, node: 'n1', askedAtMs, answeredAtMs, sequence })));
  return history.check([{ world, entries }]);
}
const kinds = ({ findings }: { findings: Finding[] }) => findings.map(({ kind }) => kind);

// rule 1 of the history
test('a call that is not in the journal, or stands there otherwise, is found', () => {
  assert.deepEqual(kinds(found([call('a', 0, 1, 1)], [entry(1, 'a')])), []);
  assert.deepEqual(kinds(found([call('a', 0, 1, 1)], [])), ['lost', 'lost']);
  assert.deepEqual(kinds(found([call('a', 0, 1, 1)], [entry(2, 'a')])), ['lost']);
  assert.deepEqual(kinds(found([call('a', 0, 1, 1)], [entry(1, 'a', { outcome: { kind: 'ok', value: {} } })])), ['different']);
});

// rule 2 of the history
test('a call that was executed twice is found, answered or not; a replay is none', () => {
  assert.deepEqual(kinds(found([call('a', 0, undefined)], [entry(1, 'a'), entry(2, 'a')])), ['doubled']);
  assert.deepEqual(kinds(found([call('a', 0, 1, 1)], [entry(1, 'a'), entry(2, 'a')])), ['doubled']);
  const replayed = entry(2, 'a', { idempotency: 'replayed' });
  const result = found([call('a', 0, undefined), call('a', 2, 3, 2)], [entry(1, 'a', { idempotency: 'recorded' }), replayed]);
  assert.deepEqual([kinds(result), result.acknowledged, result.unknown], [[], 1, 1]);
  assert.equal(found([call('a', 0, undefined)], [entry(1, 'a')]).foundUnknown, 1);
});

// rule 3 of the history, rule 4 of the history
test('a call out of the order of time, and a read of the past, are found', () => {
  const calls = [call('a', 0, 1, 1), call('b', 2, 3, 2)];
  assert.deepEqual(kinds(found(calls, [entry(1, 'a'), entry(2, 'b')], [[4, 5, 2]])), []);
  assert.deepEqual(kinds(found([call('a', 0, 1, 2), call('b', 2, 3, 1)], [entry(1, 'b'), entry(2, 'a')])), ['disordered']);
  assert.deepEqual(kinds(found(calls, [entry(1, 'a'), entry(2, 'b')], [[4, 5, 1]])), ['stale']);
  assert.deepEqual(kinds(found(calls, [entry(1, 'a'), entry(2, 'b')], [[2, 5, 1]])), [], 'at the same time either is right');
  const older: [number, number, number][] = [
    [4, 5, 9],
    [6, 7, 8],
  ];
  assert.deepEqual(kinds(found(calls, [entry(1, 'a'), entry(2, 'b')], older)), ['stale'], 'it was seen already');
});

// rule 1 of the history, rule 3 of the history, rule 4 of the history
test('whatever is answered in the order of one journal is right, and with two neighbors exchanged it is not', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.boolean()), { minLength: 2, maxLength: 20 }), (steps) => {
      let at = 0;
      let sequence = 0;
      const calls: AskedCall[] = [];
      const entries: EvidenceEntry[] = [];
      const reads: [number, number, number][] = [];
      for (const [wait, takes, isRead] of steps) {
        at += wait + 1;
        const from = at;
        at += takes + 1;
        if (isRead) reads.push([from, at, sequence]);
        else {
          sequence += 1;
          calls.push(call(`t${sequence}`, from, at, sequence));
          entries.push(entry(sequence, `t${sequence}`));
        }
      }
      assert.deepEqual(kinds(found(calls, entries, reads)), []);
      if (calls.length < 2) return;
      const turned = entries.map((one, index) => entry(index < 2 ? 2 - index : one.sequence, `t${index + 1}`));
      const renamed = calls.map((one, index) => (index < 2 ? { ...one, answer: { ...one.answer!, callId: `call_${2 - index}` } } : one));
      assert.ok(kinds(found(renamed, turned)).includes('disordered'));
    }),
  );
});

test('the journal of a session, asked again of an embedded world, has the same hashes; a changed entry has not', async () => {
  const service = await startInside();
  const client = clientOf(service, service.ready.credential!);
  const { projectId, environmentId, baseUrl, buildHash } = service.ready;
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '77' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  const path = { projectId, sessionId: session.sessionId };
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'support-agent' } });
  const history = new ClusterHistory();
  const agent = new CallingAgent({ world: session.sessionId, credential: access.credential, history });
  for (const step of [1, 2, 3]) assert.ok(await agent.call({ name: 'only', url: baseUrl }, { text: `unkeyed ${step}` }));
  for (const _ of [1, 2]) assert.ok(await agent.call({ name: 'only', url: baseUrl }, { text: 'keyed', key: 'key-1' }));
  const body = { environmentId, buildHash, expectedLeaseGeneration: 1, targetUs: 1_772_442_600_000_000, maxEvents: 1000 };
  const advance = await client.advanceTime({ path, body });
  await client.waitForOperation({ projectId, operationId: advance.operation.operationId });
  assert.ok(await agent.call({ name: 'only', url: baseUrl }, { text: 'after the advance' }));
  const journal = await journalOf(client, projectId, session.sessionId);
  const result = history.check([journal]);
  assert.deepEqual([result.findings, result.acknowledged, result.unknown], [[], 6, 0]);
  const build = await exampleBuild();
  assert.equal(build.buildHash, buildHash);
  assert.deepEqual(await replayFaults(build, journal), []);
  const { correlationId } = journal.entries.find(({ kind }) => kind === 'operation')!;
  const without = journal.entries.filter((one) => one.correlationId !== correlationId);
  assert.ok((await replayFaults(build, { ...journal, entries: without })).length >= 3);
  await service.stop();
});
