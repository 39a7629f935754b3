// The values of what differs: the second look into two journals, at the entries alone that the first one found.
import { defined } from '../../contract/defined.js';
import type {
  ComparedEffects,
  ComparedEntry,
  ComparedMember,
  ComparedRow,
  ComparedRows,
  RunDivergence,
} from '../../contract/hosted/runs.js';
import type { JsonObject } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { type ComparedMembers, entryMembers, valueMembers, type WorldTags } from '../../reports/compared-values.js';
import { entryMemberName, orderedMembers } from '../../reports/comparison-words.js';
import { entryText } from '../../reports/entry-text.js';
import { type AlignedRuns, anotherOutcome, type Difference, type Parting } from './run-differences.js';
import type { RowName, RunTrace, TracedRow } from './run-trace.js';

export interface TracedRun {
  trace: RunTrace;
  entriesAt(sequences: ReadonlySet<number>): Promise<ReadonlyMap<number, EvidenceEntry>>;
}
interface Sides<T> {
  left: T;
  right: T;
}
/** Rows that differ, before their values are known. */
interface UnlikeRow {
  name: RowName;
  left: TracedRow | undefined;
  right: TracedRow | undefined;
}
interface Effects {
  total: number;
  first: { sequence: number; inBoth: boolean }[];
}

export interface RunValues {
  divergence: RunDivergence | undefined;
  shown: Difference[];
  rows: ComparedRows | undefined;
}

/** `sameStart`: both runs began with the same rows. */
export async function runValues(
  runs: Sides<TracedRun>,
  { differences, parting, entryLines }: AlignedRuns,
  { tags, sameStart }: { tags: WorldTags; sameStart: boolean },
): Promise<RunValues> {
  const unlike = unlikeRows(runs, sameStart);
  const rowsShown = unlike?.slice(0, limits.comparisonRowsShown) ?? [];
  const effects = effectsOf(runs, parting, entryLines);
  const pairs = differences.shown.slice(0, limits.comparisonValuesShown).map((difference) => entriesOf(difference, entryLines));
  const places = parting === undefined ? undefined : partingPlaces(parting);
  const wanted = (side: 'left' | 'right'): Set<number> => {
    const sequences = [
      places?.[side],
      ...pairs.map((pair) => pair?.[side]),
      ...rowsShown.map((row) => row[side]?.sequence),
      ...(effects?.[side].first ?? []).map(({ sequence }) => sequence),
    ];
    return new Set(sequences.filter((sequence) => sequence !== undefined));
  };
  const [right, left] = await Promise.all([runs.right.entriesAt(wanted('right')), runs.left.entriesAt(wanted('left'))]);
  const entries = { left, right };
  const membersOf = (pair: Partial<Sides<number | undefined>> | undefined): ComparedMembers | undefined => {
    const [left, right] = [entries.left.get(pair?.left ?? 0), entries.right.get(pair?.right ?? 0)];
    return left === undefined || right === undefined ? undefined : entryMembers(left, right, tags);
  };
  const parted = membersOf(places);
  return {
    divergence:
      parting === undefined || effects === undefined
        ? undefined
        : {
            ...defined({ leftSequence: parting.leftSequence, rightSequence: parting.rightSequence }),
            summary: summaryWith(parting.summary, parted?.members),
            ...defined({ left: comparedEntry(entries.left.get(places?.left ?? 0)) }),
            ...defined({ right: comparedEntry(entries.right.get(places?.right ?? 0)) }),
            ...(parted ?? { members: [] }),
            effects: { left: shownEffects(effects.left, entries.left), right: shownEffects(effects.right, entries.right) },
          },
    shown: differences.shown.map((difference, index) => {
      const listed = membersOf(pairs[index]);
      return { ...difference, summary: summaryWith(difference.summary, listed?.members), ...listed };
    }),
    rows: unlike === undefined ? undefined : comparedRows(unlike, rowsShown, { runs, entries, tags }),
  };
}

/** `with another idempotency key`: what differs first, in the order in which a reader asks. */
function summaryWith(summary: string, members: readonly ComparedMember[] | undefined): string {
  const [first] = orderedMembers(members ?? []);
  const name = first === undefined ? undefined : entryMemberName(first.path);
  return name === undefined ? summary : summary.replace(anotherOutcome, `with another ${name}`);
}

/** The entry in which a side parted; of a call that only one side made, the call of the other that is like it. */
function partingPlaces({ leftSequence, rightSequence, like }: Parting): Partial<Sides<number>> {
  return defined({
    left: leftSequence ?? (rightSequence === undefined ? undefined : like),
    right: rightSequence ?? (leftSequence === undefined ? undefined : like),
  });
}

function entriesOf({ kind, left, right, like }: Difference, entryLines: AlignedRuns['entryLines']): Partial<Sides<number>> | undefined {
  if (left !== undefined && right !== undefined) {
    const [one, other] = entryLines.left.firstUnlike(left.sequence, entryLines.right, right.sequence);
    return one === undefined || other === undefined ? undefined : { left: one, right: other };
  }
  if (like === undefined) return undefined;
  return kind === 'only_left' ? { left: left!.sequence, right: like.sequence } : { left: like.sequence, right: right!.sequence };
}

function effectsOf(
  { left, right }: Sides<TracedRun>,
  parting: Parting | undefined,
  entryLines: AlignedRuns['entryLines'],
): Sides<Effects> | undefined {
  if (parting === undefined) return undefined;
  const of = (side: 'left' | 'right', trace: RunTrace, sequence: number | undefined) =>
    sequence === undefined ? [] : [...entryLines[side].effectsOf(sequence, trace)];
  const one = of('left', left.trace, parting.leftSequence);
  const other = of('right', right.trace, parting.rightSequence);
  const counted = (effects: typeof one, others: typeof one): Effects => {
    const lines = new Set(others.map(({ line }) => line));
    const first = effects.slice(0, limits.comparisonEffectsShown).map(({ sequence, line }) => ({ sequence, inBoth: lines.has(line) }));
    return { total: effects.length, first };
  };
  return { left: counted(one, other), right: counted(other, one) };
}

function shownEffects({ total, first }: Effects, entries: ReadonlyMap<number, EvidenceEntry>): ComparedEffects {
  const shown = first.flatMap(({ sequence, inBoth }) => {
    const entry = comparedEntry(entries.get(sequence));
    return entry === undefined ? [] : [{ ...entry, inBoth }];
  });
  return { total, shown };
}

function comparedEntry(entry: EvidenceEntry | undefined): ComparedEntry | undefined {
  return entry === undefined ? undefined : { sequence: entry.sequence, virtualTimeUs: entry.virtualTimeUs, text: entryText(entry) };
}

/** In the order of their names; undefined where one of the runs does not know its rows. */
function unlikeRows({ left, right }: Sides<TracedRun>, sameStart: boolean): UnlikeRow[] | undefined {
  const traces = [left.trace, right.trace];
  if (!traces.every((trace) => trace.knowsRows())) return undefined;
  // Rows that both began with, and neither changed since they parted, are the same.
  const keys = new Set(traces.flatMap((trace) => [...trace.changedKeys(), ...(sameStart ? [] : trace.startKeys())]));
  const found: UnlikeRow[] = [];
  for (const key of [...keys].sort()) {
    const [here, there] = [left.trace.row(key), right.trace.row(key)];
    if (here?.digest !== there?.digest) found.push({ name: (here ?? there)!.name, left: here, right: there });
  }
  return found;
}

function comparedRows(
  unlike: readonly UnlikeRow[],
  shown: readonly UnlikeRow[],
  { runs, entries, tags }: { runs: Sides<TracedRun>; entries: Sides<ReadonlyMap<number, EvidenceEntry>>; tags: WorldTags },
): ComparedRows {
  const kindOf = ({ left, right }: UnlikeRow): ComparedRow['kind'] =>
    right?.digest === undefined ? 'only_left' : left?.digest === undefined ? 'only_right' : 'changed';
  const count = (wanted: ComparedRow['kind']): number => unlike.filter((row) => kindOf(row) === wanted).length;
  const rowOf = (side: 'left' | 'right', row: TracedRow | undefined): JsonObject | undefined => {
    if (row?.digest === undefined) return undefined;
    if (row.sequence === undefined) return runs[side].trace.startValue(row.name);
    const entry = entries[side].get(row.sequence);
    return entry?.kind === 'state_change' ? (entry.after ?? undefined) : undefined;
  };
  return {
    ...{ changed: count('changed'), onlyLeft: count('only_left'), onlyRight: count('only_right') },
    shown: shown.map((row) => ({
      kind: kindOf(row),
      ...row.name,
      ...defined({ leftSequence: row.left?.sequence, rightSequence: row.right?.sequence }),
      ...valueMembers(rowOf('left', row.left), rowOf('right', row.right), tags),
    })),
  };
}
