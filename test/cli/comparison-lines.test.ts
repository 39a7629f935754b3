// What `compare` says of members that differ: never the same words for values that are not the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { comparisonLines } from '../../src/cli/comparison-lines.js';
import { tuning } from '../../src/cli/tuning.js';
import type { ComparedMember, RunComparison } from '../../src/contract/hosted/runs.js';
import type { JsonValue } from '../../src/contract/json.js';

function linesOf(members: ComparedMember[], membersTotal?: number): string[] {
  const row = { packageId: 'desk', instanceId: 'desk', namespace: 'tickets', rowId: 'a', kind: 'changed' as const };
  const comparison: RunComparison = {
    schemaVersion: 1,
    grade: 'exact_inputs',
    left: { runId: 'run_a', verdict: 'passed' },
    right: { runId: 'run_b', verdict: 'passed' },
    ...{ inputs: [], assertions: [], counts: [] },
    equal: { stateHash: false, evidenceHash: false, trajectoryHash: true },
    rows: { changed: 1, onlyLeft: 0, onlyRight: 0, shown: [{ ...row, members, ...(membersTotal === undefined ? {} : { membersTotal }) }] },
  };
  const lines = comparisonLines(comparison).map(stripVTControlCharacters);
  return lines.slice(lines.findIndex((line) => line.startsWith('  ~ desk/tickets/a')) + 1).map((line) => line.trim());
}
const shown = (left: JsonValue | undefined, right: JsonValue | undefined): string | undefined =>
  linesOf([{ path: ['v'], ...(left === undefined ? {} : { left }), ...(right === undefined ? {} : { right }) }])[0];

test('a text stands in quotes where it could be taken for something else', () => {
  assert.equal(shown('sent', 'paid'), 'v: sent | paid');
  assert.equal(shown('5', 5), 'v: "5" | 5');
  assert.equal(shown(null, 'null'), 'v: null | "null"');
  assert.equal(shown(undefined, 'absent'), 'v: absent | "absent"');
  assert.equal(shown('[1]', [1]), 'v: "[1]" | [1]');
  assert.equal(shown('paid ', 'paid'), 'v: "paid " | "paid"');
  assert.equal(shown('', 'paid'), 'v: "" | "paid"');
  assert.equal(shown('a\nb', 'a\\nb'), 'v: "a\\nb" | "a\\\\nb"');
});

test('times that a person reads alike stand as they are', () => {
  const dayUs = 86_400_000_000;
  assert.deepEqual(linesOf([{ path: ['virtualTimeUs'], left: dayUs, right: 2 * dayUs }]), ['virtual time: 1 d | 2 d']);
  const [line] = linesOf([{ path: ['virtualTimeUs'], left: dayUs + 3_600_000_001, right: dayUs + 3_600_000_002 }]);
  assert.equal(line, `virtual time: ${dayUs + 3_600_000_001} | ${dayUs + 3_600_000_002}`);
});

test('a long value is shown around the first place that differs, and says where it was cut', () => {
  const same = 'x'.repeat(500);
  assert.match(shown(`${same}LEFT${same}`, `${same}RIGHT`)!, /^v: …x+LEFTx+… \| …x+RIGHT$/);
  const [cut] = linesOf([{ path: ['v'], left: `…${same}LEFT…`, right: `…${same}RIGHT`, isCut: true }]);
  assert.match(cut!, /LEFT… \| …x+RIGHT \(cut\)$/);
});

test('of very many members a screen is listed, and all others are counted', () => {
  const part = (...path: string[]) => Array.from({ length: 200 }, (_, n) => ({ path: [...path, `m${n}`], left: 1, right: 2 }));
  const lines = linesOf([...part('invocation', 'arguments'), ...part('outcome', 'value')], 5000);
  assert.equal(lines.length, tuning.differencesListed + 1);
  assert.equal(lines.filter((line) => line.startsWith('answer m')).length, tuning.differencesListed / 2);
  assert.equal(lines.at(-1), 'and 4,980 more members');
});
