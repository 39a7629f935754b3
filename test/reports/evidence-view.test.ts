import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { AssertionResult, RunResult } from '../../src/contract/run/run.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { EvidenceSelection, type EvidenceView } from '../../src/reports/evidence-view.js';
import { failingRun } from './fixtures.js';

const { report, lines } = failingRun();
const fixture = lines.map((line) => JSON.parse(line) as EvidenceEntry);
const quiet = fixture[5] as EvidenceEntry;

/** A journal of `length` state changes with the given entries in between. */
function viewOf(length: number, special: { [sequence: number]: EvidenceEntry } = {}, result: RunResult = report.result): EvidenceView {
  const selection = new EvidenceSelection(result);
  for (let sequence = 1; sequence <= length; sequence++) selection.append({ ...(special[sequence] ?? quiet), sequence }, 400);
  return selection.view();
}
const sequencesOf = (view: EvidenceView): number[] => view.shown.map(({ entry }) => entry.sequence);

test('a small journal is shown whole', () => {
  assert.deepEqual(
    sequencesOf(viewOf(2000)),
    Array.from({ length: 2000 }, (_, index) => index + 1),
  );
});

// EVIDENCE-VIEW-2
test('of a large journal the head, the tail, what is cited with its surroundings, and what failed are shown, within the limits', () => {
  const cited = {
    ...report.result,
    assertionResults: [{ ...(report.result.assertionResults[0] as AssertionResult), evidenceSequences: [50_000] }],
  };
  const denied = fixture.find((entry) => entry.kind === 'operation' && entry.outcome.kind === 'denied') as EvidenceEntry;
  const view = viewOf(100_000, { 70000: denied }, cited);
  const sequences = sequencesOf(view);
  assert.equal(view.total, 100_000);
  assert.deepEqual(view.kinds, { state_change: 99_999, operation: 1 });
  assert.equal(
    view.density.reduce((sum, many) => sum + many),
    100_000,
  );
  assert.ok(sequences.includes(limits.reportHeadEntriesMax));
  for (let near = 49_997; near <= 50_003; near++) assert.ok(sequences.includes(near));
  assert.ok(sequences.includes(70_000));
  assert.ok(sequences.includes(100_000) && sequences.includes(100_001 - limits.reportTailEntriesMax));
  assert.equal(sequences.length, limits.reportHeadEntriesMax + 7 + 1 + limits.reportTailEntriesMax);
  // 11 is what the invariant of the fixture cites.
  assert.deepEqual(
    view.cited.map(({ sequence }) => sequence),
    [11, 50_000],
  );
  assert.deepEqual(
    [...sequences].sort((left, right) => left - right),
    sequences,
  );
  assert.equal(new Set(sequences).size, sequences.length);
});

test('calls without end do not push out the tail', () => {
  const operation = fixture[1] as EvidenceEntry;
  const selection = new EvidenceSelection(report.result);
  for (let sequence = 1; sequence <= 20_000; sequence++) selection.append({ ...operation, sequence }, 300);
  const sequences = sequencesOf(selection.view());
  assert.ok(
    sequences.length <=
      limits.reportHeadEntriesMax + limits.reportNotableEntriesMax + limits.reportCitedEntriesMax + limits.reportTailEntriesMax,
  );
  assert.equal(sequences.at(-1), 20_000);
});

test('a large entry is shown without its large members, and says where they are', () => {
  const selection = new EvidenceSelection(report.result);
  const row = { text: 'x'.repeat(100_000) };
  const entry = { ...quiet, sequence: 1, before: null, after: row, change: 'insert' } as EvidenceEntry;
  selection.append(entry, JSON.stringify(entry).length);
  const [shown] = selection.view().shown;
  assert.equal(shown?.text, 'payments/charges/ch-1042-b inserted');
  assert.equal((shown?.entry as { after?: unknown } | undefined)?.after, '(100011 characters: see line 1 of evidence.jsonl)');
  assert.ok(JSON.stringify(shown).length < 2000);
});

// EVIDENCE-VIEW-2
test('large entries use up a budget of characters', () => {
  const selection = new EvidenceSelection(report.result);
  for (let sequence = 1; sequence <= 2000; sequence++) selection.append({ ...quiet, sequence }, 60_000);
  const { shown } = selection.view();
  assert.ok(shown.length * 60_000 <= limits.reportEntriesCharsMax);
  assert.equal(shown[0]?.entry.sequence, 1);
  assert.equal(shown.at(-1)?.entry.sequence, 2000);
});
