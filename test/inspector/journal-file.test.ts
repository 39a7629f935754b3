// The index over a journal, held against the journal itself: every entry, every row at every moment, every search.
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import { type EvidenceEntry, evidenceKinds } from '../../src/contract/world/evidence.js';
import type { StatePatch } from '../../src/contract/world/scenario.js';
import { chainOf } from '../../src/inspector/journal/chain.js';
import { JournalFault, JournalFile } from '../../src/inspector/journal/journal-file.js';
import { evidencePage, rowChangesPage, statePage, timelinePage } from '../../src/inspector/journal/journal-pages.js';
import { searchJournal } from '../../src/inspector/journal/journal-search.js';
import { pageReply } from '../../src/inspector/journal/page-text.js';
import { EntryScan } from '../../src/reports/entry-scan.js';
import { entryIsProblem } from '../../src/reports/entry-text.js';
import { foldCase } from '../../src/text/fold-case.js';
import fc from '../fast-check.js';

const folder = mkdtempSync(join(tmpdir(), 'drillyard-journal-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;

function withJournal<T>(lines: readonly string[], start: readonly StatePatch[], body: (journal: JournalFile) => T): T {
  const path = join(folder, `${++made}.jsonl`);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  const file = openSync(path, 'r');
  try {
    const journal = new JournalFile(file, start);
    for (const _ of journal.extend());
    return body(journal);
  } finally {
    closeSync(file);
    rmSync(path);
  }
}

// Text that would mislead a reader of bytes: quotes, backslashes, braces, keys of entries inside values.
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('"kind":"operation"', '\\"', '}{', '\n', 'a\\', '"sequence":1', 'ü🦊'),
);
const value: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.oneof(text, fc.constantFrom('kind', 'rowId', 'after')),
  fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text, { maxLength: 3 })),
  { maxKeys: 3, noNullPrototype: true },
) as fc.Arbitrary<JsonObject>;
const rowId = fc.oneof(
  fc.constantFrom('a', 'b', 'Z', 'é', '"', '\\'),
  text.filter((one) => one.length > 0),
);
const space = fc.constantFrom(
  { packageId: 'notes', instanceId: 'notes', namespace: 'notes' },
  { packageId: 'notes', instanceId: 'other', namespace: 'notes' },
);
type Step =
  | { kind: 'put'; at: { packageId: string; instanceId: string; namespace: string }; rowId: string; value: JsonObject }
  | { kind: 'delete'; at: { packageId: string; instanceId: string; namespace: string }; rowId: string }
  | { kind: 'call'; arguments: JsonObject; ok: boolean }
  | { kind: 'tick'; us: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), at: space, rowId, value }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant('delete' as const), at: space, rowId }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant('call' as const), arguments: value, ok: fc.boolean() }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant('tick' as const), us: fc.integer({ min: 0, max: 50 }) }, { noNullPrototype: true }),
);

interface Reported {
  lines: string[];
  entries: EvidenceEntry[];
  /** Rows after each entry, by space and row. */
  states: Map<string, JsonObject>[];
}
const keyOf = (at: { packageId: string; instanceId: string; namespace: string }, id: string): string =>
  `${at.packageId} ${at.instanceId} ${at.namespace} ${id}`;

function tell(start: readonly StatePatch[], steps: readonly Step[]): Reported {
  const reported: Reported = { lines: [], entries: [], states: [] };
  const rows = new Map<string, JsonObject>();
  for (const patch of start)
    if (patch.action === 'upsert') rows.set(keyOf({ ...patch, instanceId: patch.instanceId ?? patch.packageId }, patch.rowId), patch.value);
  let nowUs = -20;
  for (const one of steps) {
    const common = {
      schemaVersion: 1,
      sequence: reported.lines.length + 1,
      transactionId: 't',
      transactionIndex: 0,
      transactionSize: 1,
      correlationId: 'c',
    };
    let own: object;
    if (one.kind === 'tick') {
      own = { kind: 'clock', fromUs: nowUs, toUs: nowUs + one.us, reason: 'explicit' };
      nowUs += one.us;
    } else if (one.kind === 'call') {
      const outcome = one.ok
        ? { kind: 'ok', value: one.arguments }
        : { kind: 'tool_error', error: { code: 'X', message: 'x', retryable: false } };
      own = {
        kind: 'operation',
        actorId: 'writer',
        invocation: { callId: 'c', packageId: 'notes', instanceId: 'notes', operationId: 'o', arguments: one.arguments },
        outcome,
        idempotency: 'not_requested',
      };
    } else {
      const key = keyOf(one.at, one.rowId);
      const before = rows.get(key) ?? null;
      if (one.kind === 'delete' && before === null) continue;
      const after = one.kind === 'put' ? one.value : null;
      if (after === null) rows.delete(key);
      else rows.set(key, after);
      own = {
        kind: 'state_change',
        ...one.at,
        rowId: one.rowId,
        change: before === null ? 'insert' : after === null ? 'delete' : 'update',
        before,
        after,
      };
    }
    const entry = { ...common, virtualTimeUs: nowUs, ...own } as EvidenceEntry;
    reported.entries.push(entry);
    reported.lines.push(canonicalJson(entry as unknown as JsonValue));
    reported.states.push(new Map(rows));
  }
  return reported;
}

const start = fc.array(
  fc.record(
    { action: fc.constant('upsert' as const), packageId: fc.constant('notes'), namespace: fc.constant('notes'), rowId, value },
    { noNullPrototype: true },
  ),
  { maxLength: 4 },
);

// ENTRY-SCAN-1, INSPECTOR-1, PAGE-TEXT-1
test('every line is found, whatever text is in it', () => {
  fc.assert(
    fc.property(start, fc.array(step, { maxLength: 120 }), fc.nat(), fc.integer({ min: 1, max: 500 }), (patches, steps, at, limit) => {
      const { lines, entries } = tell(patches, steps);
      withJournal(lines, patches, (journal) => {
        assert.equal(journal.length, lines.length);
        entries.forEach((entry, index) => {
          assert.equal(evidenceKinds[journal.kinds.at(index)], entry.kind);
          assert.equal(journal.times.at(index), entry.virtualTimeUs);
          assert.equal(journal.failures.at(index), entry.kind === 'operation' && entry.outcome.kind !== 'ok' ? 1 : 0);
        });
        const fromSequence = 1 + (at % (lines.length + 1));
        const page = evidencePage(journal, { fromSequence, limit });
        assert.equal(Buffer.from(page.entries).toString(), `[${lines.slice(fromSequence - 1, fromSequence - 1 + limit).join(',')}]`);
        assert.equal(page.nextSequence, fromSequence - 1 + limit < lines.length ? fromSequence + limit : undefined);
        const { toSequence, nextSequence } = page;
        const rest = nextSequence === undefined ? '' : `,"nextSequence":${nextSequence}`;
        const whole = `{"schemaVersion":1,"entries":${Buffer.from(page.entries).toString()},"toSequence":${toSequence}${rest}}`;
        assert.equal(Buffer.from(pageReply(page)).toString(), whole);
      });
    }),
    { numRuns: 150 },
  );
});

// STATE-HISTORY-1
test('state at any entry is the fold of what came before', () => {
  fc.assert(
    fc.property(start, fc.array(step, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (patches, steps, limit) => {
      const { lines, states } = tell(patches, steps);
      withJournal(lines, patches, (journal) => {
        const { entries } = tell(patches, steps);
        for (const entry of entries) {
          if (entry.kind !== 'state_change') continue;
          const { packageId, instanceId, namespace, rowId } = entry;
          const same = entries.flatMap((other) =>
            other.kind === 'state_change' && other.instanceId === instanceId && other.rowId === rowId
              ? [{ sequence: other.sequence, change: other.change }]
              : [],
          );
          assert.deepEqual(rowChangesPage(journal, { packageId, instanceId, namespace, rowId }), { changes: same, total: same.length });
          const found = statePage(journal, { packageId, instanceId, namespace, find: rowId, limit: 500 }).rows;
          const all = statePage(journal, { packageId, instanceId, namespace, limit: 500 }).rows;
          assert.deepEqual(
            found,
            all.filter((row) => row.rowId.startsWith(rowId)),
          );
        }
        const atStart =
          tell(patches, []).states[0] ??
          new Map(patches.map((patch) => [keyOf({ ...patch, instanceId: 'notes' }, patch.rowId), (patch as { value: JsonObject }).value]));
        for (let sequence = 0; sequence <= lines.length; sequence++) {
          const expected = sequence === 0 ? atStart : states[sequence - 1]!;
          const counts = new Map<string, number>();
          for (const instanceId of ['notes', 'other']) {
            const rows: [string, JsonObject][] = [];
            for (let after: { afterRowId?: string } | undefined = {}; after !== undefined; ) {
              const page = statePage(journal, {
                packageId: 'notes',
                instanceId,
                namespace: 'notes',
                atSequence: sequence,
                limit,
                ...after,
              });
              rows.push(...page.rows.map((row): [string, JsonObject] => [row.rowId, row.value]));
              after = page.nextAfterRowId === undefined ? undefined : { afterRowId: page.nextAfterRowId };
            }
            const prefix = keyOf({ packageId: 'notes', instanceId, namespace: 'notes' }, '');
            const wanted = [...expected]
              .filter(([key]) => key.startsWith(prefix))
              .map(([key, row]): [string, JsonObject] => [key.slice(prefix.length), row]);
            assert.deepEqual(
              rows,
              wanted.sort(([left], [right]) => (left < right ? -1 : 1)),
            );
            if (wanted.length > 0) counts.set(instanceId, wanted.length);
          }
          assert.deepEqual(new Map(journal.history.namespacesAt(sequence).map((view) => [view.instanceId, view.rowCount])), counts);
        }
      });
    }),
    { numRuns: 60 },
  );
});

// JOURNAL-SEARCH-1, TEXT-NEEDLE-1
test('a search finds the lines that hold the text, and pages of it are all of it', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 100 }),
      text.filter((one) => one.length > 0),
      fc.integer({ min: 1, max: 7 }),
      (steps, q, limit) => {
        const { lines, entries } = tell([], steps);
        withJournal(lines, [], (journal) => {
          const search = (query: Parameters<typeof searchJournal>[1]) => {
            const searching = searchJournal(journal, query);
            for (;;) {
              const one = searching.next();
              if (one.done === true) return one.value;
            }
          };
          const wanted = lines.flatMap((line, index) => (foldCase(line).includes(foldCase(q)) ? [index + 1] : []));
          assert.deepEqual(search({ q, view: 'sequences' }).sequences, wanted);
          const inRange = { fromSequence: limit, toSequence: limit * 4 };
          const within = (sequences: number[]) => sequences.filter((one) => one >= limit && one <= limit * 4);
          assert.deepEqual(search({ q, ...inRange, view: 'sequences' }).sequences, within(wanted));
          assert.deepEqual(search({ ...inRange, view: 'sequences' }).sequences, within(lines.map((_, index) => index + 1)));
          const paged: number[] = [];
          for (let next: number | undefined = 1; next !== undefined; ) {
            const page: ReturnType<typeof search> = search({ q, fromSequence: next, limit });
            assert.ok(page.matches.length <= limit);
            for (const { sequence, preview, at, length } of page.matches) {
              paged.push(sequence);
              assert.equal(foldCase(preview.slice(at, at + length)), foldCase(q));
            }
            next = page.nextSequence;
          }
          assert.deepEqual(paged, wanted);
          const calls = entries.flatMap(({ kind, sequence }) => (kind === 'operation' ? [sequence] : []));
          assert.deepEqual(search({ kind: 'operation', view: 'sequences' }).sequences, calls);
          assert.deepEqual(search({ actorId: 'writer', view: 'sequences' }).sequences, calls);
          const failed = entries.flatMap((entry) => (entryIsProblem(entry) ? [entry.sequence] : []));
          assert.deepEqual(search({ problems: 'only', view: 'sequences' }).sequences, failed);
          const [operation] = entries.flatMap((entry) => (entry.kind === 'operation' ? [entry] : []));
          if (operation !== undefined) {
            const { operationId } = operation.invocation;
            const same = entries.flatMap((entry) =>
              entry.kind === 'operation' && entry.invocation.operationId === operationId ? [entry.sequence] : [],
            );
            assert.deepEqual(search({ operationId, view: 'sequences' }).sequences, same);
          }
          for (const outcome of ['ok', 'denied', 'tool_error'] as const) {
            const ended = entries.flatMap((entry) =>
              entry.kind === 'operation' && entry.outcome.kind === outcome ? [entry.sequence] : [],
            );
            assert.deepEqual(search({ outcome, view: 'sequences' }).sequences, ended);
          }
          const inOther = entries.flatMap((entry) =>
            entry.kind === 'state_change' && entry.packageId === 'other' ? [entry.sequence] : [],
          );
          assert.deepEqual(search({ packageId: 'other', view: 'sequences' }).sequences, inOther);
        });
      },
    ),
    { numRuns: 100 },
  );
});

test('the timeline counts every entry of its window once', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 80 }), fc.integer({ min: 1, max: 40 }), (steps, buckets) => {
      const { lines, entries } = tell([], steps);
      if (lines.length === 0) return;
      withJournal(lines, [], (journal) => {
        for (const axis of ['time', 'sequence'] as const) {
          const whole = timelinePage(journal, { axis, buckets });
          const counted = Object.values(whole.density)
            .flat()
            .reduce((sum, one) => sum + one, 0);
          assert.equal(counted, entries.length);
          assert.equal(whole.marksTotal, entries.filter(({ kind }) => kind === 'operation').length);
          whole.firstSequences.forEach((sequence, bucket) => {
            const begin = whole.from + bucket * whole.bucketSize;
            const wanted =
              entries.find(({ virtualTimeUs, sequence: own }) => (axis === 'time' ? virtualTimeUs : own) >= begin)?.sequence ??
              entries.length + 1;
            assert.equal(sequence, wanted);
          });
        }
      });
    }),
    { numRuns: 100 },
  );
});

test('nor is one whose times fall counted outside of it', () => {
  const line = (sequence: number, virtualTimeUs: number): string =>
    canonicalJson({ kind: 'lifecycle', phase: 'world_created', schemaVersion: 1, sequence, virtualTimeUs, details: {} } as never);
  withJournal([line(1, 0), line(2, 1e15), line(3, 5), line(4, 10)], [], (journal) => {
    const { density } = timelinePage(journal, { axis: 'time', buckets: 3 });
    for (const counts of Object.values(density)) assert.ok(counts.length <= 3 && counts.every(Number.isInteger), JSON.stringify(counts));
  });
});

// JOURNAL-FILE-1, ENTRY-SCAN-1
test('what is no journal is refused at its line, and never read past its end', () => {
  const { lines } = tell(
    [],
    [
      { kind: 'tick', us: 1 },
      { kind: 'tick', us: 2 },
    ],
  );
  const second = lines[1]!;
  for (const bad of [
    '',
    '{}',
    '[]',
    'null',
    second.slice(0, -1),
    `${second} `,
    `${second}}`,
    lines[0]!,
    second.replace('clock', 'cluck'),
    second.replace('"virtualTimeUs":', '"when":'),
  ])
    assert.throws(() => withJournal([lines[0]!, bad], [], () => {}), JournalFault, bad);
  const scan = new EntryScan();
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constant(second), fc.json()), fc.nat(), (line, cut) => {
      const bytes = Buffer.from(line.slice(0, 1 + (cut % (line.length + 1))));
      scan.scan(bytes, 0, bytes.length);
    }),
  );
});

test('a page ends before it is too long, and has at least one entry', () => {
  const call = (chars: number): Step => ({ kind: 'call', arguments: { text: 'x'.repeat(chars) }, ok: false });
  // One that no page can hold with others, large ones, and many small ones.
  const steps = [call(5 * 1024 * 1024), ...Array.from({ length: 70 }, () => call(300_000)), ...Array.from({ length: 300 }, () => call(10))];
  const { lines } = tell([], steps);
  withJournal(lines, [], (journal) => {
    const reported: string[] = [];
    const sizes: number[] = [];
    for (let from: number | undefined = 1; from !== undefined; ) {
      const page = evidencePage(journal, { fromSequence: from, limit: 200 }) as { entries: Uint8Array; nextSequence?: number };
      const entries = JSON.parse(Buffer.from(page.entries).toString()) as JsonValue[];
      assert.ok(
        entries.length === 1 || page.entries.length <= limits.pageBytesMax + 2,
        `${entries.length} entries, ${page.entries.length} bytes`,
      );
      reported.push(...entries.map(canonicalJson));
      sizes.push(entries.length);
      from = page.nextSequence;
    }
    assert.deepEqual(reported, lines);
    assert.deepEqual(sizes.slice(0, 3), [1, 13, 13]);
    const wanted = { sequences: '2,3,1,20,21,22,23,24,25,26,27,28,29,30,31,32' };
    const some = JSON.parse(Buffer.from(evidencePage(journal, wanted).entries as Uint8Array).toString()) as EvidenceEntry[];
    assert.deepEqual(
      some.map(({ sequence }) => sequence),
      [1],
    );
  });
});

test('causes and effects are found however far apart they lie, by their own words or by their transaction', () => {
  const far = 5_000;
  const entry = (sequence: number, more: object): string =>
    canonicalJson({
      schemaVersion: 1,
      sequence,
      kind: 'clock',
      fromUs: 0,
      toUs: sequence,
      reason: 'explicit',
      transactionId: `txn_${sequence}`,
      transactionIndex: 0,
      transactionSize: 1,
      virtualTimeUs: sequence,
      correlationId: 'c',
      ...more,
    } as never);
  const lines = Array.from({ length: far }, (_, index) => entry(index + 1, {}));
  lines[2] = entry(3, { transactionIndex: 2, transactionSize: 3 });
  lines[far - 2] = entry(far - 1, { causeSequence: 3 });
  lines[far - 1] = entry(far, { causeSequence: far - 1 });
  withJournal(lines, [], (journal) => {
    const chain = (sequence: number) => {
      const { causes, effects, effectsTotal } = chainOf(journal, sequence);
      return [causes.map((one) => one.sequence), effects.map((one) => one.sequence), effectsTotal];
    };
    assert.deepEqual(chain(1), [[], [3], 1]);
    assert.deepEqual(chain(3), [[1], [far - 1], 1]);
    assert.deepEqual(chain(far), [[1, 3, far - 1], [], 0]);
    assert.deepEqual(chain(far + 1), [[], [], 0]);
  });
});
