// What the timeline draws of a window: how many entries there are where, and those worth a mark of their own.
import type { TimelineAxis, TimelineMark, TimelineReply } from '../../contract/inspector/journal.js';
import { limits } from '../../contract/limits.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { evidenceKinds } from '../../contract/world/evidence.js';
import { codeOf } from '../../reports/entry-scan.js';
import type { JournalFile } from './journal-file.js';

type TimelineColumns = Omit<TimelineReply, 'schemaVersion' | 'interactions' | 'checkpoints' | 'axis' | 'start' | 'end'>;

/** Where entries lie on an axis. An entry's index is its sequence less one. */
export interface Axis {
  positionOf(index: number): number;
  /** The first entry that does not lie before a position. */
  firstNotBelow(position: number): number;
}
export function axisOf({ times, length }: JournalFile, axis: TimelineAxis): Axis {
  if (axis === 'time') return { positionOf: (index) => times.at(index), firstNotBelow: (position) => times.firstNotBelow(position) };
  return { positionOf: (index) => index + 1, firstNotBelow: (position) => Math.min(Math.max(position - 1, 0), length) };
}

const marked = new Set((['operation', 'event', 'fault', 'fault_control', 'callback'] as const).map(codeOf));
const faultCodes = new Set((['fault', 'fault_control'] as const).map(codeOf));

export function timelineOf(
  journal: JournalFile,
  axis: Axis,
  { from, to, buckets = 200 }: { from: number; to: number; buckets?: number },
): TimelineColumns {
  const { kinds } = journal;
  const bucketSize = Math.max(1, Math.ceil((to - from + 1) / buckets));
  const count = Math.min(buckets, Math.ceil((to - from + 1) / bucketSize));
  const first = axis.firstNotBelow(from);
  const end = axis.firstNotBelow(to + 1);
  const density: { [kind: string]: number[] } = {};
  for (let index = first; index < end; index++) {
    const kind = evidenceKinds[kinds.at(index)] as string;
    density[kind] ??= Array.from({ length: count }, () => 0);
    // A journal that somebody made may have times that fall.
    const bucket = Math.floor((axis.positionOf(index) - from) / bucketSize);
    (density[kind][Math.min(Math.max(bucket, 0), count - 1)] as number)++;
  }
  const firstSequences = Array.from({ length: count }, (_, bucket) => axis.firstNotBelow(from + bucket * bucketSize) + 1);
  const { marks, marksTotal } = marksOf(journal, axis, { first, end });
  return { from, to, bucketSize, density, firstSequences, marks, marksTotal };
}

/** All, or the failed ones and the faults, and of the others every so many. */
function marksOf(
  journal: JournalFile,
  axis: Axis,
  { first, end }: { first: number; end: number },
): Pick<TimelineReply, 'marks' | 'marksTotal'> {
  const telling: number[] = [];
  const others: number[] = [];
  for (let index = first; index < end; index++) {
    const kind = journal.kinds.at(index);
    if (!marked.has(kind)) continue;
    (journal.failures.at(index) === 1 || faultCodes.has(kind) ? telling : others).push(index + 1);
  }
  const marksMax = limits.inspectorTimelineMarksMax;
  const kept = thinned(telling, marksMax);
  const sequences = [...kept, ...thinned(others, marksMax - kept.length)].sort((left, right) => left - right);
  return {
    marks: sequences.map((sequence) => markOf(journal.entry(sequence), axis.positionOf(sequence - 1))),
    marksTotal: telling.length + others.length,
  };
}

function thinned(list: readonly number[], marksMax: number): number[] {
  if (list.length <= marksMax) return [...list];
  return Array.from({ length: marksMax }, (_, index) => list[Math.floor((index * list.length) / marksMax)] as number);
}

function markOf(entry: EvidenceEntry, at: number): TimelineMark {
  const { sequence, kind } = entry;
  const actor = 'actorId' in entry ? { actorId: entry.actorId } : {};
  return { sequence, at, kind, ...labelOf(entry), ...actor };
}

function labelOf(entry: EvidenceEntry): { label: string; failed: boolean } {
  switch (entry.kind) {
    case 'operation':
      return { label: `${entry.invocation.packageId}.${entry.invocation.operationId}`, failed: entry.outcome.kind !== 'ok' };
    case 'event':
      return { label: `${entry.event.packageId}.${entry.event.eventId} ${entry.phase}`, failed: entry.phase === 'failed' };
    case 'callback':
      return { label: `${entry.packageId}.${entry.callbackId} ${entry.phase}`, failed: entry.phase === 'failed' };
    case 'fault':
      return { label: `${entry.packageId}.${entry.faultId}`, failed: true };
    case 'fault_control':
      return { label: `${entry.packageId}.${entry.faultId} ${entry.active ? 'on' : 'off'}`, failed: false };
    default:
      return { label: entry.kind, failed: false };
  }
}
