// Pages of one indexed journal: entries, state at an entry, callbacks, the timeline's frame.
import { defined } from '../../contract/defined.js';
import type {
  CallbackDelivery,
  CallbacksReply,
  InspectorEvidenceQuery,
  InspectorNamespacesReply,
  InspectorStateQuery,
  InspectorStateReply,
  RowChangesQuery,
  RowChangesReply,
  StateRow,
  TimelineQuery,
  TimelineReply,
} from '../../contract/inspector/journal.js';
import type { KindCounts } from '../../contract/inspector/runs.js';
import { limits } from '../../contract/limits.js';
import type { RunResult } from '../../contract/run/run.js';
import type { CallbackEntry, StateChangeEntry } from '../../contract/world/evidence.js';
import { evidenceKinds } from '../../contract/world/evidence.js';
import { codeOf } from '../../reports/entry-scan.js';
import type { ArchiveCalls } from './archive-calls.js';
import type { JournalFile } from './journal-file.js';
import { arrayOfLines } from './page-text.js';
import { axisOf, timelineOf } from './timeline.js';

type Bare<T> = Omit<T, 'schemaVersion'>;

/** `toSequence`: of the whole journal, where not all of it is indexed yet. */
export function factsOf(journal: JournalFile, toSequence = journal.length): ArchiveCalls['facts']['answer'] {
  const counts = Object.fromEntries(evidenceKinds.map((kind, code) => [kind, journal.counts[code]])) as KindCounts;
  return { toSequence, counts, indexed: journal.length };
}

/** The last entry that a page may need. */
export function lastOfPage({ fromSequence = 1, limit = limits.inspectorEvidencePageEntries, sequences }: InspectorEvidenceQuery): number {
  return sequences === undefined ? fromSequence + limit - 1 : Math.max(...sequences.split(',').map(Number));
}

export function evidencePage(
  journal: JournalFile,
  query: InspectorEvidenceQuery,
  toSequence = journal.length,
): ArchiveCalls['evidence']['answer'] {
  const { fromSequence = 1, limit = limits.inspectorEvidencePageEntries, sequences } = query;
  if (sequences !== undefined) {
    const wanted = [...new Set(sequences.split(',').map(Number))].filter((sequence) => sequence <= toSequence).sort((a, b) => a - b);
    const found: Buffer[] = [];
    for (let bytes = 0; found.length < wanted.length; ) {
      const line = journal.lines(wanted[found.length] as number, wanted[found.length] as number);
      bytes += line.length;
      if (bytes > limits.pageBytesMax && found.length > 0) break;
      found.push(line);
    }
    return { entries: arrayOfLines(Buffer.concat(found)), toSequence };
  }
  const last = Math.min(fromSequence + limit - 1, toSequence);
  const { lines, to } = journal.linesWithin(fromSequence, last, limits.pageBytesMax);
  return { entries: arrayOfLines(lines), toSequence, ...(to < toSequence ? { nextSequence: to + 1 } : {}) };
}

export function namespacesPage(journal: JournalFile, atSequence = journal.length): Bare<InspectorNamespacesReply> {
  const at = Math.min(atSequence, journal.length);
  return { atSequence: at, namespaces: journal.history.namespacesAt(at) };
}

export function statePage(journal: JournalFile, query: InspectorStateQuery): Bare<InspectorStateReply> {
  const { packageId, instanceId = packageId, namespace, find = '', afterRowId, limit = limits.inspectorStatePageRows } = query;
  const atSequence = Math.min(query.atSequence ?? journal.length, journal.length);
  const rows: StateRow[] = [];
  let bytes = 0;
  for (const row of journal.history.rowsAt({ packageId, instanceId, namespace }, atSequence, { afterRowId, from: find })) {
    if (!row.rowId.startsWith(find)) break;
    if (rows.length === limit) return { atSequence, rows, nextAfterRowId: rows[limit - 1]!.rowId };
    const shown = 'value' in row ? row : changedRow(journal, row);
    bytes += Buffer.byteLength(JSON.stringify(shown.value));
    if (bytes > limits.pageBytesMax && rows.length > 0) return { atSequence, rows, nextAfterRowId: rows.at(-1)!.rowId };
    rows.push(shown);
  }
  return { atSequence, rows };
}

export function rowChangesPage(journal: JournalFile, query: RowChangesQuery): Bare<RowChangesReply> {
  const { packageId, instanceId = packageId, namespace, rowId } = query;
  const changes = journal.history.changesOf({ packageId, instanceId, namespace }, rowId);
  return { changes: changes.slice(-limits.inspectorRowChangesMax), total: changes.length };
}

function changedRow(journal: JournalFile, { rowId, sequence }: { rowId: string; sequence: number }): StateRow {
  const { after } = journal.entry(sequence) as StateChangeEntry;
  return { rowId, value: after ?? {}, changedBySequence: sequence };
}

export function callbacksPage(journal: JournalFile): Bare<CallbacksReply> {
  const deliveries = new Map<string, CallbackDelivery>();
  const wanted = codeOf('callback');
  let total = 0;
  // Most runs have none: then no line is read.
  for (let index = 0; (journal.counts[wanted] as number) > 0 && index < journal.length; index++) {
    if (journal.kinds.at(index) !== wanted) continue;
    const entry = journal.entry(index + 1) as CallbackEntry;
    let delivery = deliveries.get(entry.deliveryId);
    if (delivery === undefined) {
      if (entry.phase === 'queued') total++;
      if (deliveries.size >= limits.inspectorCallbacksMax) continue;
      const { deliveryId, callbackId, packageId, instanceId, receiverId, phase } = entry;
      delivery = { deliveryId, callbackId, packageId, instanceId, receiverId, phase, attempts: 0, sequences: [] };
      deliveries.set(deliveryId, delivery);
    }
    delivery.phase = entry.phase;
    delivery.attempts = Math.max(delivery.attempts, entry.attempt ?? 0);
    if (entry.status !== undefined) delivery.lastStatus = entry.status;
    delivery.sequences.push(entry.sequence);
  }
  return { deliveries: [...deliveries.values()], total: Math.max(total, deliveries.size) };
}

/** `result`: absent while there is none, and then there are no interactions either. */
export function timelinePage(journal: JournalFile, query: TimelineQuery, result?: RunResult): Bare<TimelineReply> {
  const { axis: name = 'time', buckets } = query;
  const axis = axisOf(journal, name);
  const { start, end } = name === 'time' ? timeOf(journal, result) : { start: Math.min(1, journal.length), end: journal.length };
  const from = query.from ?? Math.min(start, query.to ?? start);
  const to = query.to ?? Math.max(end, from);
  /** The stretch of the entries of a stretch of time. */
  const placeOf = (fromUs: number, toUs = fromUs): { start: number; end: number } => {
    if (name === 'time') return { start: fromUs, end: toUs };
    const first = journal.times.firstNotBelow(fromUs) + 1;
    return { start: first, end: Math.max(first, journal.times.firstNotBelow(toUs + 1)) };
  };
  return {
    axis: name,
    start,
    end,
    ...timelineOf(journal, axis, { from, to, ...defined({ buckets }) }),
    interactions: (result?.interactions ?? [])
      .map(({ interactionId, actorId, actorInstanceId, task, startedAtVirtualUs, finishedAtVirtualUs, targetResult }) => ({
        interactionId,
        actorId,
        ...defined({ actorInstanceId }),
        instruction: task.instruction,
        ...placeOf(startedAtVirtualUs, finishedAtVirtualUs),
        status: targetResult.status,
      }))
      .filter((interaction) => interaction.end >= from && interaction.start <= to),
    checkpoints: (result?.checkpoints ?? []).map(({ checkpointId, kind, virtualTimeUs, verdict }) => ({
      checkpointId,
      kind,
      at: placeOf(virtualTimeUs).end,
      verdict,
    })),
  };
}

function timeOf({ times, length }: JournalFile, result: RunResult | undefined): { start: number; end: number } {
  const start = result?.startedAtVirtualUs ?? (length === 0 ? 0 : times.at(0));
  return { start, end: Math.max(start, result?.finishedAtVirtualUs ?? 0, length === 0 ? start : times.at(length - 1)) };
}
