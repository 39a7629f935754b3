// The assertion kinds beyond the first eight, each with what passes, fails and cannot be decided.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import type {
  EffectAtMostOnceAssertion,
  ExpectedChange,
  ExprAssertion,
  OutputValueAssertion,
  StateDiffAssertion,
} from '../../src/contract/run/assertion.js';
import type { InteractionResult } from '../../src/contract/run/run.js';
import type { EvidenceEntry, OperationEntry } from '../../src/contract/world/evidence.js';
import { matchMost } from '../../src/drills/judge/matching.js';
import fc from '../fast-check.js';
import { call, change, common, event, judge } from './judging.js';

const fault = (sequence: number, operationId = 'ticket.close'): EvidenceEntry => ({
  ...common(sequence),
  ...{ kind: 'fault', packageId: 'desk', instanceId: 'desk', faultId: 'down', operationId, timing: 'before' },
});
const clock = (sequence: number, fromUs: number, toUs: number): EvidenceEntry => ({
  ...common(sequence),
  ...{ kind: 'clock', fromUs, toUs, reason: 'explicit', virtualTimeUs: fromUs },
});

test('fault.count counts triggers, of one operation where it names one', async () => {
  const entries = [fault(1), fault(2, 'ticket.get')];
  const down = { packageId: 'desk', faultId: 'down' };
  assert.equal((await judge({ kind: 'fault.count', fault: down, count: { equals: 2 } }, { entries })).status, 'passed');
  const one = await judge({ kind: 'fault.count', fault: { ...down, operationId: 'ticket.get' }, count: { equals: 0 } }, { entries });
  assert.equal(one.status, 'failed');
  assert.deepEqual(one.evidenceSequences, [2]);
  assert.equal(one.message, 'Expected exactly 0 triggers of fault desk.down at calls to ticket.get, found 1.');
  assert.deepEqual(one.location, { subject: 'fault', packageId: 'desk', faultId: 'down', operationId: 'ticket.get' });
  assert.equal(
    (await judge({ kind: 'fault.count', fault: { ...down, faultId: 'up' }, count: { atLeast: 1 } }, { entries })).status,
    'failed',
  );
});

test('time.reached: on the clock or from the start; once reached it stays so', async () => {
  const entries = [call(1, 'ask'), clock(2, 1, 500), clock(3, 500, 900)];
  const reached = await judge({ kind: 'time.reached', afterStartUs: 400 }, { entries, startUs: 100, cutShort: 'the target failed' });
  assert.equal(reached.status, 'passed');
  assert.deepEqual(reached.evidenceSequences, [2]);
  const late = await judge({ kind: 'time.reached', virtualTimeUs: 901 }, { entries });
  assert.equal(late.status, 'failed');
  assert.equal(late.message, 'The clock stands at 900 us; expected it to reach 901 us.');
  assert.deepEqual([late.expected, late.actual, late.evidenceSequences], [901, 900, [3]]);
  assert.equal(
    (await judge({ kind: 'time.reached', virtualTimeUs: 901 }, { entries, cutShort: 'the target failed' })).status,
    'inconclusive',
  );
  assert.equal((await judge({ kind: 'time.reached', virtualTimeUs: 7 }, { startUs: 7 })).status, 'passed');
});

const ended = (interactionId: string, status: 'completed' | 'failed', output?: JsonValue): InteractionResult =>
  ({ interactionId, targetResult: { status, ...(output === undefined ? {} : { output }) } }) as unknown as InteractionResult;

test('output.value: what an interaction returned, and nothing to say where it returned nothing', async () => {
  const value = {
    kind: 'output.value',
    interactionId: 'main',
    path: ['refund', 'id'],
    comparison: 'equals',
    expected: 're_1',
  } satisfies Omit<OutputValueAssertion, 'id' | 'gate'>;
  const interactions = [ended('main', 'completed', { refund: { id: 're_1' } }), ended('broken', 'failed'), ended('silent', 'completed')];
  const passed = await judge(value, { interactions, cutShort: 'the target failed' });
  assert.equal(passed.status, 'passed');
  assert.deepEqual(passed.location, { subject: 'output', interactionId: 'main', path: ['refund', 'id'] });
  const other = await judge({ ...value, expected: 're_2' }, { interactions });
  assert.equal(other.message, '/refund/id of the output of interaction main is "re_1"; expected "re_2".');
  assert.equal((await judge({ ...value, interactionId: 'silent' }, { interactions })).status, 'failed');
  assert.equal((await judge({ ...value, interactionId: 'silent', comparison: 'not_equals' }, { interactions })).status, 'passed');
  assert.match((await judge({ ...value, interactionId: 'broken' }, { interactions })).message, /^The target failed in interaction broken/);
  const later = await judge({ ...value, interactionId: 'later' }, { interactions });
  assert.equal(later.status, 'inconclusive');
});

const refund = (sequence: number, args: JsonObject, more: Partial<OperationEntry> & { key?: string } = {}): EvidenceEntry => {
  const { key, ...rest } = more;
  const entry = call(sequence, 'refund', args) as OperationEntry;
  return { ...entry, ...rest, invocation: { ...entry.invocation, ...(key === undefined ? {} : { idempotencyKey: key }) } };
};
const once: Omit<EffectAtMostOnceAssertion, 'id' | 'gate'> = {
  kind: 'effect.at_most_once',
  operation: { packageId: 'desk', operationId: 'refund' },
  identity: { arguments: [['charge']] },
};
const lost = { kind: 'tool_error', error: { code: 'LOST', message: 'lost', retryable: true } } as const;
const stood = { outcome: lost, committedOutcome: { kind: 'ok', value: null } } as const;

// EFFECT-AT-MOST-ONCE-1
test('effect.at_most_once: a lost answer took effect, and the call that was tried again took effect twice', async () => {
  const twice = await judge(once, { entries: [refund(1, { charge: 'a' }, stood), refund(2, { charge: 'b' }), refund(3, { charge: 'a' })] });
  assert.equal(twice.status, 'failed');
  assert.deepEqual(twice.evidenceSequences, [1, 3]);
  assert.match(twice.message, /the effect with \/charge = "a" happened 2 times, at sequences 1, 3; expected at most once\.$/);
  const failedFirst = [refund(1, { charge: 'a' }, { outcome: lost }), refund(2, { charge: 'a' })];
  assert.equal((await judge(once, { entries: failedFirst })).status, 'passed');
  const declined = { outcome: { ...lost, committed: true } } as const;
  assert.equal((await judge(once, { entries: [refund(1, { charge: 'a' }, declined), refund(2, { charge: 'a' })] })).status, 'failed');
  assert.equal((await judge(once)).message, 'None of the calls to desk.refund took effect.');
});

// EFFECT-AT-MOST-ONCE-1, EFFECT-AT-MOST-ONCE-2
test('effect.at_most_once: a replay is no second effect; the same key on another instance is another effect', async () => {
  const byKey = { ...once, identity: 'idempotencyKey' } as const;
  const replayed = refund(2, { charge: 'a' }, { key: 'k-1', idempotency: 'replayed', replayedFromSequence: 1 });
  assert.equal((await judge(byKey, { entries: [refund(1, { charge: 'a' }, { key: 'k-1' }), replayed] })).status, 'passed');
  const other = refund(2, {}, { key: 'k-1' }) as OperationEntry;
  const eu = { ...other, invocation: { ...other.invocation, instanceId: 'eu' } };
  assert.equal((await judge(byKey, { entries: [refund(1, {}, { key: 'k-1' }), eu] })).status, 'passed');
  assert.equal((await judge(byKey, { entries: [refund(1, {}, { key: 'k-1' }), refund(2, {}, { key: 'k-1' })] })).status, 'failed');
});

test('effect.at_most_once: without a key nobody knows what a second call is about', async () => {
  const byKey = { ...once, identity: 'idempotencyKey' } as const;
  assert.equal((await judge(byKey, { entries: [refund(1, {})] })).status, 'passed');
  const two = await judge(byKey, { entries: [refund(1, {}), refund(2, {}, { key: 'k-1' })] });
  assert.equal(two.status, 'inconclusive');
  assert.match(two.message, /1 of the 2 calls to desk\.refund that took effect had no idempotency key/);
  const known = [refund(1, {}), refund(2, {}, { key: 'k-1' }), refund(3, {}, { key: 'k-1' })];
  assert.equal((await judge(byKey, { entries: known })).status, 'failed');
});

const open = { status: 'open', n: 1 };
const closed = { status: 'closed', n: 1 };
const churn = [change(1, 't1', open, closed), change(2, 't2', null, open), change(3, 't2', open, null), change(4, 't3', null, open)];

test('state.unchanged: net, and nothing but the declared footprint', async () => {
  const stray = await judge(
    { kind: 'state.unchanged', except: [{ packageId: 'desk', namespace: 'tickets', rowId: 't1' }] },
    { entries: churn },
  );
  assert.equal(stray.status, 'failed');
  assert.deepEqual(stray.evidenceSequences, [4]);
  assert.equal(
    stray.message,
    'Expected no change outside the declared footprint, found 1 changed row: insert of desk/tickets/t3 at sequence 4.',
  );
  assert.deepEqual(stray.location, { subject: 'state', packageId: 'desk', instanceId: 'desk', namespace: 'tickets', rowId: 't3' });
  const allowed = await judge({ kind: 'state.unchanged', except: [{ packageId: 'desk' }] }, { entries: churn });
  assert.equal(allowed.message, 'Nothing changed but 2 rows of the declared footprint.');
  const elsewhere = await judge({ kind: 'state.unchanged', except: [], scope: [{ packageId: 'payments' }] }, { entries: churn });
  assert.equal(elsewhere.status, 'passed');
  assert.equal((await judge({ kind: 'state.unchanged', except: [] }, { entries: [], cutShort: 'x' })).status, 'inconclusive');
});

const tickets = { packageId: 'desk', namespace: 'tickets' };
const diff = (changes: ExpectedChange[], more: Partial<StateDiffAssertion> = {}) =>
  ({ kind: 'state.diff', changes, exact: true, ...more }) as const;

test('state.diff: the whole net change, matched row by row', async () => {
  const wanted: ExpectedChange[] = [
    { change: 'update', ...tickets, rowId: 't1', before: { status: 'open' }, after: { status: 'closed' }, only: ['status'] },
    { change: 'insert', ...tickets, after: { n: 1 } },
  ];
  const passed = await judge(diff(wanted), { entries: churn });
  assert.equal(passed.message, 'All 2 expected changes were made, and nothing else changed.');
  assert.deepEqual(passed.evidenceSequences, [1, 4]);
  const extra = await judge(diff(wanted.slice(0, 1)), { entries: churn });
  assert.equal(extra.status, 'failed');
  assert.equal(extra.message, 'Not expected: insert of desk/tickets/t3 at sequence 4.');
  assert.equal((await judge(diff(wanted.slice(0, 1), { exact: false }), { entries: churn })).status, 'passed');
  const other = await judge(diff([{ change: 'update', ...tickets, rowId: 't1', after: { status: 'solved' } }], { exact: false }), {
    entries: churn,
  });
  assert.match(
    other.message,
    /^Missing: update of desk\/tickets\/t1 with after \{"status":"solved"\}\. Found instead: update of desk\/tickets\/t1 \(status\) at sequence 1\.$/,
  );
  assert.deepEqual(other.evidenceSequences, [1]);
  assert.equal((await judge(diff([{ change: 'update', ...tickets, only: ['n'] }], { exact: false }), { entries: churn })).status, 'failed');
  assert.equal((await judge(diff([]), { entries: [] })).message, 'Nothing changed, as wanted.');
});

// STATE-DIFF-1
test('one changed row is not two expected ones, and the vague one does not take the row of the exact one', async () => {
  const insert = { change: 'insert', ...tickets } as const;
  assert.equal((await judge(diff([insert, insert]), { entries: [change(1, 't1', null, open)] })).status, 'failed');
  const entries = [change(1, 't1', null, open), change(2, 't2', null, closed)];
  assert.equal((await judge(diff([insert, { ...insert, after: { status: 'open' } }]), { entries })).status, 'passed');
});

test('a thousand vague expectations are matched with a journal of many rows within a moment', () => {
  const wanted = Array.from({ length: 1000 }, (_, index) => index);
  const found = Array.from({ length: 100_000 }, (_, index) => index);
  const taken = matchMost(wanted, found, (own, other) => other >= own);
  assert.equal(new Set(taken).size, wanted.length);
  assert.equal(taken.includes(undefined), false);
});

// STATE-DIFF-1
test('as many pairs are made as can be made', () => {
  const edges = fc.array(fc.uniqueArray(fc.nat(4), { maxLength: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(edges, (options) => {
      const taken = matchMost(options, [0, 1, 2, 3, 4], (own, right) => own.includes(right));
      const used = taken.filter((right) => right !== undefined);
      assert.equal(new Set(used).size, used.length);
      for (const [index, right] of taken.entries()) if (right !== undefined) assert.ok(options[index]!.includes(right));
      const best = (index: number, free: number[]): number =>
        index === options.length
          ? 0
          : Math.max(
              best(index + 1, free),
              ...options[index]!.filter((right) => free.includes(right)).map(
                (right) =>
                  1 +
                  best(
                    index + 1,
                    free.filter((other) => other !== right),
                  ),
              ),
            );
      assert.equal(used.length, best(0, [0, 1, 2, 3, 4]));
    }),
  );
});

const expr = (expression: string, state: ExprAssertion['state'] = {}) => ({ kind: 'expr', expression, state }) as const;

test('expr: rows, calls, events, outputs and the clock', async () => {
  const entries = [
    call(1, 'ask', { id: 7, tags: ['a'] }),
    call(2, 'ask', { id: 8 }, 'denied'),
    event(3, 'emitted', { id: 'x' }),
    clock(4, 3, 90),
  ];
  const rows = { t1: { amount: 5, part: 2.5, note: null }, t2: { amount: 9 } };
  const interactions = [ended('main', 'completed', { done: true })];
  const state = { tickets };
  const holds = [
    "state.tickets['t1'].amount <= state.tickets['t2'].amount",
    'state.tickets.all(id, state.tickets[id].amount > 0) && size(state.tickets) == 2',
    "has(state.tickets['t1'].note) && state.tickets['t1'].note == null && !('t3' in state.tickets)",
    "'note' in state.tickets['t1'] && !has(state.tickets['t2'].note)",
    "state.tickets['t1'].part * 2.0 == 5.0 && state.tickets['t1'].amount + 1 == 6",
    "operations.filter(o, o.outcome.kind == 'ok').map(o, o.arguments.id) == [7]",
    "operations.exists_one(o, o.operationId == 'ask' && o.arguments.id == 8 && o.outcome.error.code == 'NO')",
    "events.exists(e, e.eventId == 'ticket.closed' && e.phase == 'emitted' && e.payload.id == 'x')",
    'outputs.main.done && clock.nowUs == 90 && clock.startUs == 0',
    "operations[0].arguments.tags.exists(t, t.matches('^[a-c]$'))",
  ];
  for (const text of holds) {
    const result = await judge(expr(text, state), { entries, rows, interactions });
    assert.equal(result.status, 'passed', `${text}: ${result.message}`);
  }
  const failed = await judge(expr("operations.all(o, o.outcome.kind == 'ok')"), { entries });
  assert.equal(failed.message, "The expression is false: operations.all(o, o.outcome.kind == 'ok')");
  assert.deepEqual(failed.evidenceSequences, [1, 2]);
});

test('expr: whole numbers are ints as far as these reach, and doubles beyond', async () => {
  const rows = { t1: { past: 2 ** 53, least: -(2 ** 63), beyond: 2 ** 63, half: 0.5 } };
  for (const text of [
    "type(state.tickets['t1'].past) == int && state.tickets['t1'].past + 1 == 9007199254740993",
    "type(state.tickets['t1'].least) == int && type(state.tickets['t1'].beyond) == double && type(state.tickets['t1'].half) == double",
  ])
    assert.equal((await judge(expr(text, { tickets }), { rows })).status, 'passed', text);
});

test('expr: an entry after a move of the clock in its turn bears the time before it, and does not set the clock back', async () => {
  const entries = [clock(1, 1, 90), call(2, 'ask')];
  assert.equal((await judge(expr('clock.nowUs == 90'), { entries })).status, 'passed');
});

test('expr: what cannot be decided, what is no question', async () => {
  const cases: [string, string, RegExp][] = [
    ["state.tickets['gone'].amount > 1", 'inconclusive', /could not be decided/],
    ["1 + 'a' == 2", 'inconclusive', /no matching overload/],
    ['1 + 1', 'invalid', /is a number; expected true or false/],
    ['clock', 'invalid', /is a map/],
    ['operations[7].sequence == 1', 'inconclusive', /decided: index 7 out of bounds\. It is/],
    [`'a'.matches('${'a'.repeat(limits.exprPatternCharsMax + 1)}')`, 'inconclusive', /a pattern has at most 1000 characters/],
    ['1 +', 'invalid', /does not parse: line 1, column 4/],
  ];
  for (const [text, status, message] of cases) {
    const result = await judge(expr(text, { tickets }), { rows: { t1: { amount: 1 } } });
    assert.equal(result.status, status, result.message);
    assert.match(result.message, message);
  }
});

// EVALUATE-2, VALUES-1
test('expr: work is bounded by counting, also where an error would vanish', async () => {
  const entries = Array.from({ length: 1500 }, (_, index) => call(index + 1, 'ask', { id: index }));
  const cubed = 'operations.all(a, operations.all(b, operations.all(c, a.sequence + b.sequence + c.sequence > 0)))';
  const doubling = `['ab'].map(x, x + x)${'.map(x, x + x)'.repeat(40)}[0].contains('c')`;
  const doublingBytes = `[bytes('ab')]${'.map(x, x + x)'.repeat(40)}[0] == b'c'`;
  const expanding = "operations.all(a, string(a.sequence).matches('[0-9]{1,900}'))";
  const zoned = "operations.exists(a, timestamp('2026-01-01T00:00:00Z').getHours('Europe/Berlin') == a.sequence - 9000)";
  const deep = 'operations.all(a, operations.all(b, operations == operations))';
  for (const text of [cubed, `${cubed} || true`, doubling, doublingBytes, expanding, zoned, deep]) {
    const result = await judge(expr(text), { entries });
    assert.equal(result.status, 'inconclusive', text);
    assert.match(result.message, new RegExp(`more than ${limits.exprStepsMax} steps`), text);
  }
  const chained = await judge(expr('operations.map(o, o.arguments.id).filter(i, i % 2 == 0).exists(i, i == 1498)'), { entries });
  assert.equal(chained.status, 'passed', chained.message);
});

test('expr: more than is read is not decided', async () => {
  const rows = Object.fromEntries(Array.from({ length: limits.exprRowsMax + 1 }, (_, index) => [`t${index}`, {}]));
  assert.match((await judge(expr('size(state.tickets) > 0', { tickets }), { rows })).message, /more than 10000 rows/);
  const entries = Array.from({ length: limits.exprEntriesMax + 1 }, (_, index) => call(index + 1, 'ask'));
  assert.match((await judge(expr('size(operations) > 0'), { entries })).message, /more than 10000 operations/);
  const wide = { t1: { list: Array.from({ length: limits.exprNodesMax }, () => 0) } };
  assert.match((await judge(expr('size(state.tickets) > 0', { tickets }), { rows: wide })).message, /more than 1000000 values/);
});

// EVALUATE-1
test('expr: names that a host has are names like any other in rows, and nothing where there are none', async () => {
  const rows = JSON.parse('{"__proto__": {"constructor": 1, "__proto__": {"n": 2}}, "t1": {}}') as { [rowId: string]: JsonObject };
  const text =
    "state.tickets['__proto__'].constructor == 1 && state.tickets['__proto__']['__proto__'].n == 2 && !has(state.tickets['t1'].constructor) && size(state.tickets) == 2";
  const result = await judge(expr(text, { tickets }), { rows });
  assert.equal(result.status, 'passed', result.message);
});

test('expr: all else that the thread serves has its turn between two expressions', async () => {
  let turns = 0;
  const turn = (): void => {
    turns++;
    counting = setImmediate(turn);
  };
  let counting = setImmediate(turn);
  const ends = await Promise.all(
    [1, 2, 3].map(async () => {
      await judge(expr('1 == 1'));
      return turns;
    }),
  );
  clearImmediate(counting);
  assert.equal(new Set(ends).size, ends.length);
});

// EVALUATE-1
test('expr: nothing of the host can be named', async () => {
  for (const text of ['constructor == null', 'has(clock.constructor)', "'__proto__' in clock"]) {
    assert.notEqual((await judge(expr(text))).status, 'passed', text);
  }
});
