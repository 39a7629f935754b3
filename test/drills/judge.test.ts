// Every kind of assertion over journals made by hand: passed, failed, inconclusive, invalid, and what a run cut short leaves of each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { JsonValue } from '../../src/contract/json.js';
import type { OperationArgumentsAssertion, OperationCountAssertion, StateValueAssertion } from '../../src/contract/run/assertion.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { RunView } from '../../src/drills/judge/finding.js';
import { Judge } from '../../src/drills/judge/judge.js';
import { call, change, event, type Judged, judge, viewOf } from './judging.js';

const row: Omit<StateValueAssertion, 'id' | 'gate'> = {
  kind: 'state.value',
  packageId: 'desk',
  namespace: 'tickets',
  rowId: 't1',
  path: ['status'],
  comparison: 'equals',
  expected: 'closed',
};
const closing = { packageId: 'desk', operationId: 'ticket.close' };

test('state.value compares the value at a path, and cites the changes of the row', async () => {
  const entries = [
    change(1, 't1', null, { status: 'open' }),
    change(2, 't2', null, {}),
    change(3, 't1', { status: 'open' }, { status: 'closed' }),
  ];
  const passed = await judge(row, { rows: { t1: { status: 'closed' } }, entries });
  assert.equal(passed.status, 'passed');
  assert.deepEqual(passed.evidenceSequences, [1, 3]);
  assert.deepEqual(passed.location, {
    subject: 'state',
    packageId: 'desk',
    instanceId: 'desk',
    namespace: 'tickets',
    rowId: 't1',
    path: ['status'],
  });
  const failed = await judge(row, { rows: { t1: { status: 'open' } } });
  assert.equal(failed.status, 'failed');
  assert.equal(failed.actual, 'open');
  assert.equal(failed.diff?.matched, false);
  assert.match(failed.message, /\/status of row t1 is "open"; expected "closed"\./);
});

test('state.value: every comparison', async () => {
  const rows = { t1: { n: 5, s: '2024-01-02', deep: [{ a: 1, b: [2] }] } };
  const cases: [(string | number)[], string, JsonValue, string][] = [
    [['n'], 'greater_than_or_equal', 5, 'passed'],
    [['n'], 'greater_than_or_equal', 6, 'failed'],
    [['n'], 'less_than_or_equal', 4, 'failed'],
    [['s'], 'less_than_or_equal', '2024-01-03', 'passed'],
    [['n'], 'less_than_or_equal', '9', 'inconclusive'],
    [['n'], 'less_than_or_equal', [9], 'invalid'],
    [['n'], 'one_of', [4, 5], 'passed'],
    [['n'], 'one_of', [], 'failed'],
    [['n'], 'one_of', 5, 'invalid'],
    [['n'], 'not_equals', 5, 'failed'],
    [['deep', 0], 'equals', { b: [2], a: 1 }, 'passed'],
    [['deep', '0', 'b', 0], 'equals', 2, 'passed'],
    [['deep', 1], 'equals', null, 'failed'],
    [['missing'], 'not_equals', 1, 'passed'],
    [[], 'equals', rows.t1, 'passed'],
    [['constructor'], 'equals', 1, 'failed'],
  ];
  for (const [path, comparison, expected, status] of cases) {
    const result = await judge({ ...row, path, comparison: comparison as 'equals', expected }, { rows });
    assert.equal(result.status, status, `${path.join('/')} ${comparison} ${JSON.stringify(expected)}: ${result.message}`);
  }
});

test('messages are sentences: nouns agree with numbers, comparisons are words', async () => {
  const rows = { t1: { n: 5 } };
  const said = async (assertion: Parameters<typeof judge>[0], entries: EvidenceEntry[] = []): Promise<string> =>
    (await judge(assertion, { rows, entries })).message;
  const n = { ...row, path: ['n'] };
  assert.equal(await said({ ...n, expected: 6 }), '/n of row t1 is 5; expected 6.');
  assert.equal(await said({ ...n, comparison: 'not_equals', expected: 5 }), '/n of row t1 is 5; expected anything but 5.');
  assert.equal(await said({ ...n, comparison: 'greater_than_or_equal', expected: 6 }), '/n of row t1 is 5; expected at least 6.');
  assert.equal(await said({ ...n, comparison: 'one_of', expected: [6, 7] }), '/n of row t1 is 5; expected one of [6,7].');
  const calls = { kind: 'operation.count', operation: closing } as const;
  const one = [call(1, 'ticket.close', { id: 1 })];
  assert.equal(await said({ ...calls, count: { equals: 1 } }, one), 'Found 1 call to desk.ticket.close, as wanted.');
  assert.equal(await said({ ...calls, count: { equals: 0 } }, one), 'Expected exactly 0 calls to desk.ticket.close, found 1.');
  assert.equal(await said({ ...calls, count: { atLeast: 1 } }), 'Expected at least 1 call to desk.ticket.close, found 0.');
  const events = { kind: 'event.count', event: { packageId: 'desk', eventId: 'ticket.closed' }, phase: 'emitted' } as const;
  assert.equal(
    await said({ ...events, count: { equals: 1 } }, [event(1, 'emitted')]),
    'Found 1 emitted event desk.ticket.closed, as wanted.',
  );
  const first = {
    kind: 'operation.arguments' as const,
    operation: closing,
    path: ['id'],
    comparison: 'equals' as const,
    expected: 1,
    occurrence: 1,
  };
  assert.equal(await said(first, one), 'In occurrence 1 of calls to desk.ticket.close, argument /id is 1.');
  assert.equal(await said({ kind: 'operation.order', operations: [closing] }, one), 'The one call happened.');
});

test('state.value without its row cannot be decided', async () => {
  assert.equal((await judge(row)).status, 'inconclusive');
  const deleted = await judge(row, { entries: [change(4, 't1', { status: 'open' }, null)] });
  assert.match(deleted.message, /was deleted/);
  assert.deepEqual(deleted.evidenceSequences, [4]);
});

test('state.count counts rows that have the members', async () => {
  const rows = { t1: { status: 'open', n: 1 }, t2: { status: 'open' }, t3: { status: 'closed' } };
  const open = { kind: 'state.count', packageId: 'desk', namespace: 'tickets', where: { status: 'open' } } as const;
  assert.equal((await judge({ ...open, count: { equals: 2 } }, { rows })).status, 'passed');
  assert.equal((await judge({ ...open, count: { atLeast: 1, atMost: 2 } }, { rows })).status, 'passed');
  const entries = [change(7, 't4', null, { status: 'open' }), change(8, 't5', null, { status: 'closed' })];
  const failed = await judge({ ...open, count: { atMost: 1 } }, { rows, entries });
  assert.equal(failed.status, 'failed');
  assert.deepEqual(failed.evidenceSequences, [7]);
  assert.match(failed.message, /Expected at most 1 row of desk\/tickets with .*, found 2/);
  assert.equal((await judge({ ...open, count: {} }, { rows })).status, 'invalid');
});

test('operation.count counts matching calls, and tells what came near', async () => {
  const entries = [call(1, 'ticket.close', { id: 1 }), call(2, 'ticket.close', { id: 2 }, 'denied'), call(3, 'ticket.open', { id: 1 })];
  const close = { kind: 'operation.count', operation: { ...closing, outcome: 'ok' } } as const;
  const passed = await judge({ ...close, count: { equals: 1 } }, { entries });
  assert.equal(passed.status, 'passed');
  assert.deepEqual(passed.evidenceSequences, [1]);
  const failed = await judge(
    { ...close, operation: { ...closing, outcome: 'ok', arguments: { id: 2 } }, count: { atLeast: 1 } },
    { entries },
  );
  assert.equal(failed.status, 'failed');
  assert.match(failed.message, /1 denied \(NO\)/);
  assert.match(failed.message, /1 with other arguments/);
  assert.deepEqual(failed.evidenceSequences, [1, 2]);
  const byOther = await judge(
    { ...close, operation: { ...closing, actorId: 'boss', instanceId: 'desk' }, count: { equals: 0 } },
    { entries },
  );
  assert.equal(byOther.status, 'passed');
});

test('operation.denied wants at least one denied call unless it says otherwise', async () => {
  const denied = { kind: 'operation.denied', operation: closing } as const;
  assert.equal((await judge(denied, { entries: [call(1, 'ticket.close', {}, 'denied')] })).status, 'passed');
  assert.equal((await judge(denied, { entries: [call(1, 'ticket.close')] })).status, 'failed');
  assert.equal((await judge({ ...denied, count: { equals: 0 } }, { entries: [call(1, 'ticket.close')] })).status, 'passed');
});

test('operation.order finds the calls in order, others between', async () => {
  const order = {
    kind: 'operation.order',
    operations: [
      { packageId: 'desk', operationId: 'a' },
      { packageId: 'desk', operationId: 'b' },
    ],
  } as const;
  const ordered = { ...order, operations: [...order.operations] };
  const passed = await judge(ordered, { entries: [call(1, 'b'), call(2, 'a'), call(3, 'x'), call(4, 'b')] });
  assert.equal(passed.status, 'passed');
  assert.deepEqual(passed.evidenceSequences, [2, 4]);
  const failed = await judge(ordered, { entries: [call(1, 'b'), call(2, 'a')] });
  assert.equal(failed.status, 'failed');
  assert.match(failed.message, /Step 2 of 2 is missing: no call to desk\.b after desk\.a \(sequence 2\)/);
  assert.match((await judge(ordered, { entries: [call(1, 'b')] })).message, /A later step of the list came first, at sequence 1/);
});

test('lists of outcomes, anyOf and idempotency say which calls are meant', async () => {
  const tried = { ...closing, outcome: ['ok' as const, 'denied' as const] };
  const calls = [
    call(1, 'ticket.close'),
    call(2, 'ticket.close', {}, 'denied'),
    call(3, 'ticket.close', {}, 'invalid'),
    call(4, 'ticket.open'),
  ];
  const count = async (operation: OperationCountAssertion['operation'], wanted: number) =>
    await judge({ kind: 'operation.count', operation, count: { equals: wanted } }, { entries: calls });
  const listed = await count(tried, 2);
  assert.deepEqual([listed.status, listed.evidenceSequences], ['passed', [1, 2]]);
  assert.match((await count(tried, 3)).message, /3 ok or denied calls to desk\.ticket\.close, found 2\..* 1 invalid/);
  const opening = { packageId: 'desk', operationId: 'ticket.open' };
  const any = await count({ anyOf: [tried, { ...closing, outcome: 'ok' }, opening] }, 3);
  assert.deepEqual([any.status, any.evidenceSequences], ['passed', [1, 2, 4]]);
  assert.match(
    (await count({ anyOf: [closing, opening] }, 9)).message,
    /9 calls to desk\.ticket\.close or calls to desk\.ticket\.open, found 4/,
  );
  assert.equal((await count({ ...closing, idempotency: 'replayed' }, 0)).status, 'passed');
  assert.equal((await count({ ...closing, idempotency: 'not_requested' }, 3)).status, 'passed');
  const order = {
    kind: 'operation.order' as const,
    operations: [{ anyOf: [opening, { ...closing, outcome: ['denied' as const] }] }, opening],
  };
  const found = await judge(order, { entries: calls });
  assert.deepEqual([found.status, found.evidenceSequences], ['passed', [2, 4]]);
  const missing = await judge({ ...order, operations: [...order.operations, closing] }, { entries: calls });
  assert.match(missing.message, /Step 3 of 3 is missing: no call to desk\.ticket\.close after desk\.ticket\.open/);
});

test('operation.arguments looks into one call or into all', async () => {
  const entries = [call(1, 'ticket.close', { id: 1, tags: ['x'] }), call(2, 'ticket.close', { id: 2 })];
  const id: Omit<OperationArgumentsAssertion, 'id' | 'gate'> = {
    kind: 'operation.arguments',
    operation: closing,
    path: ['id'],
    comparison: 'equals',
    expected: 1,
  };
  assert.equal((await judge({ ...id, occurrence: 1 }, { entries })).status, 'passed');
  const failed = await judge(id, { entries });
  assert.equal(failed.status, 'failed');
  assert.match(failed.message, /at sequence 2, argument \/id is 2/);
  assert.deepEqual(failed.evidenceSequences, [2]);
  assert.equal((await judge({ ...id, comparison: 'one_of', expected: [1, 2] }, { entries })).status, 'passed');
  const third = await judge({ ...id, occurrence: 3 }, { entries });
  assert.match(third.message, /Expected at least 3 calls .* found 2/);
  assert.ok(third.evidenceSequences.length >= 2, 'the calls that there were are cited');
  assert.equal((await judge(id)).status, 'failed');
  assert.equal(
    (await judge({ ...id, path: ['tags', 0], comparison: 'greater_than_or_equal', expected: 1, occurrence: 1 }, { entries })).status,
    'inconclusive',
  );
  assert.equal((await judge({ ...id, path: ['tags', 5], occurrence: 1 }, { entries })).status, 'failed');
  // A call that differs settles it, whatever could not be compared before it or after.
  const atLeastFive = { ...id, comparison: 'greater_than_or_equal', expected: 5 } as const;
  const idOf = (sequence: number, value: JsonValue) => call(sequence, 'ticket.close', { id: value });
  const [text, low, high] = [idOf(1, 'no number'), idOf(2, 3), idOf(3, 7)];
  for (const mixed of [
    [text, low],
    [low, text],
    [text, high, low],
  ]) {
    const differs = await judge(atLeastFive, { entries: mixed, cutShort: 'the target failed' });
    assert.deepEqual([differs.status, differs.evidenceSequences], ['failed', [low.sequence]]);
  }
  const undecided = await judge(atLeastFive, { entries: [text, high] });
  assert.deepEqual([undecided.status, undecided.evidenceSequences], ['inconclusive', [1]]);
});

test('event.count and callback.count count phases', async () => {
  const entries = [event(1, 'emitted', { id: 1 }), event(2, 'emitted', { id: 2 }), event(3, 'handled', { id: 1 })];
  const emitted = { kind: 'event.count', event: { packageId: 'desk', eventId: 'ticket.closed' }, phase: 'emitted' } as const;
  assert.equal((await judge({ ...emitted, count: { equals: 2 } }, { entries })).status, 'passed');
  assert.equal((await judge({ ...emitted, payload: { id: 2 }, count: { equals: 1 } }, { entries })).status, 'passed');
  assert.equal((await judge({ ...emitted, phase: 'failed', count: { atLeast: 1 } }, { entries })).status, 'failed');
  const callback = { kind: 'callback.count', packageId: 'desk', callbackId: 'closed', phase: 'delivered' } as const;
  assert.equal((await judge({ ...callback, count: { equals: 0 } }, { entries })).status, 'passed');
  assert.equal((await judge({ ...callback, count: { atLeast: 1 } }, { entries })).status, 'failed');
});

// JUDGE-1
test('a run cut short keeps what more could not change, and nothing else', async () => {
  const cutShort = 'the target failed';
  const entries = [call(1, 'ticket.close'), call(2, 'ticket.close')];
  const count = { kind: 'operation.count', operation: closing } as const;
  const cases: [Judged, string][] = [
    [{ ...count, count: { atLeast: 1 } }, 'passed'],
    [{ ...count, count: { atMost: 1 } }, 'failed'],
    [{ ...count, count: { equals: 2 } }, 'inconclusive'],
    [{ ...count, count: { atLeast: 3 } }, 'inconclusive'],
    [{ ...count, count: {} }, 'invalid'],
    [row, 'inconclusive'],
    [{ kind: 'state.count', packageId: 'desk', namespace: 'tickets', count: { atLeast: 1 } }, 'inconclusive'],
    [{ kind: 'operation.order', operations: [closing, closing] }, 'passed'],
    [{ kind: 'operation.order', operations: [closing, closing, closing] }, 'inconclusive'],
    [{ kind: 'operation.arguments', operation: closing, occurrence: 1, path: [], comparison: 'equals', expected: {} }, 'passed'],
    [{ kind: 'operation.arguments', operation: closing, path: [], comparison: 'equals', expected: {} }, 'inconclusive'],
    [{ kind: 'operation.arguments', operation: closing, path: [], comparison: 'equals', expected: 1 }, 'failed'],
  ];
  for (const [assertion, status] of cases) {
    const result = await judge(assertion, { entries, rows: { t1: { status: 'closed' } }, cutShort });
    assert.equal(result.status, status, `${JSON.stringify(assertion)}: ${result.message}`);
    if (status === 'inconclusive') assert.match(result.message, /Undecided: the target failed\.$/);
  }
});

test("an author's message comes first when the assertion did not pass", async () => {
  assert.match((await judge({ ...row, message: 'The ticket stays open' }, { rows: { t1: {} } })).message, /^The ticket stays open \(/);
  assert.doesNotMatch((await judge({ ...row, message: 'Nope' }, { rows: { t1: { status: 'closed' } } })).message, /Nope/);
});

test('a world that refuses the question makes the assertion invalid; one that is gone does not', async () => {
  const refusing = (error: Error): RunView => ({
    interactions: [],
    row: () => Promise.reject(error),
    eachRow: () => Promise.reject(error),
  });
  const judging = new Judge([{ id: 'it', gate: true, ...row, path: ['status'] }], { startUs: 0 });
  const [result] = await judging.results(refusing(new ServiceError('control.NOT_FOUND', { message: 'no such namespace' })));
  assert.equal(result?.status, 'invalid');
  await assert.rejects(judging.results(refusing(new ServiceError('world.ACTOR_RESTARTED'))));
});

test('what was judged at a checkpoint does not change with what comes after it', async () => {
  const judging = new Judge(
    [{ id: 'it', gate: true, kind: 'operation.count', operation: { packageId: 'desk', operationId: 'ask' }, count: { atLeast: 1 } }],
    { startUs: 0 },
  );
  judging.observe(call(1, 'ask'));
  const [early] = await judging.results(viewOf({}));
  judging.observe(call(2, 'ask'));
  await judging.results(viewOf({}));
  assert.deepEqual(early?.evidenceSequences, [1]);
});
