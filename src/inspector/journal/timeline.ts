// What the virtual-time timeline draws of a window: how many entries there are where, and those worth a mark of their own.

import type { EvidenceEntry } from '../../contract/evidence.js';
import { evidenceKinds } from '../../contract/evidence.js';
import type { TimelineMark, TimelineQuery, TimelineReply } from '../../contract/inspector-journal.js';
import { limits } from '../../contract/limits.js';
import { codeOf } from './entry-scan.js';
import type { JournalFile } from './journal-file.js';

export type TimelineColumns = Omit<TimelineReply, 'schemaVersion' | 'interactions' | 'checkpoints' | 'startUs' | 'endUs'>;

const marked = new Set((['operation', 'event', 'fault', 'fault_control', 'callback'] as const).map(codeOf));
const faultCodes = new Set((['fault', 'fault_control'] as const).map(codeOf));

export function timelineOf(
  journal: JournalFile,
  { fromUs, toUs, buckets = 200 }: Required<Pick<TimelineQuery, 'fromUs' | 'toUs'>> & TimelineQuery,
): TimelineColumns {
  const { times, kinds } = journal;
  const bucketUs = Math.max(1, Math.ceil((toUs - fromUs + 1) / buckets));
  const count = Math.min(buckets, Math.ceil((toUs - fromUs + 1) / bucketUs));
  const first = times.firstNotBelow(fromUs);
  const end = times.firstNotBelow(toUs + 1);
  const density: { [kind: string]: number[] } = {};
  for (let index = first; index < end; index++) {
    const kind = evidenceKinds[kinds.at(index)] as string;
    density[kind] ??= Array.from({ length: count }, () => 0);
    (density[kind][Math.floor((times.at(index) - fromUs) / bucketUs)] as number)++;
  }
  const firstSequences = Array.from({ length: count }, (_, bucket) => times.firstNotBelow(fromUs + bucket * bucketUs) + 1);
  const { marks, marksTotal } = marksOf(journal, first, end);
  return { fromUs, toUs, bucketUs, density, firstSequences, marks, marksTotal };
}

/** All, or the failed ones and the faults, and of the others every so many. */
function marksOf(journal: JournalFile, first: number, end: number): Pick<TimelineReply, 'marks' | 'marksTotal'> {
  const telling: number[] = [];
  const others: number[] = [];
  for (let index = first; index < end; index++) {
    const kind = journal.kinds.at(index);
    if (!marked.has(kind)) continue;
    (journal.failures.at(index) === 1 || faultCodes.has(kind) ? telling : others).push(index + 1);
  }
  const room = limits.inspectorTimelineMarksMax;
  const kept = thinned(telling, room);
  const sequences = [...kept, ...thinned(others, room - kept.length)].sort((left, right) => left - right);
  return { marks: sequences.map((sequence) => markOf(journal.entry(sequence))), marksTotal: telling.length + others.length };
}

function thinned(list: readonly number[], room: number): number[] {
  if (list.length <= room) return [...list];
  return Array.from({ length: room }, (_, index) => list[Math.floor((index * list.length) / room)] as number);
}

function markOf(entry: EvidenceEntry): TimelineMark {
  const { sequence, virtualTimeUs: atUs, kind } = entry;
  const actor = 'actorId' in entry ? { actorId: entry.actorId } : {};
  return { sequence, atUs, kind, ...labelOf(entry), ...actor };
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
