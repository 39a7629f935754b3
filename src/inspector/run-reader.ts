// A run's pages, wherever the run is: its sealed report, its world while it runs here, or its retained world where there is no report.
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { SequenceList } from '../contract/inspector/ids.js';
import type {
  CallbacksReply,
  ChainReply,
  FaultsReply,
  InspectorEvidenceQuery,
  InspectorNamespacesReply,
  InspectorStateQuery,
  InspectorStateReply,
  RowChangesQuery,
  RowChangesReply,
  ScheduledEventsReply,
  SearchQuery,
  SearchReply,
  TimelineQuery,
  TimelineReply,
} from '../contract/inspector/journal.js';
import type { InspectorRunReply, RunSource } from '../contract/inspector/runs.js';
import type { WorldOrigin } from '../contract/inspector/worlds.js';
import type { RunReport } from '../contract/run/run-events.js';
import type { Transcript } from '../contract/run/transcript.js';
import type { EvidenceEntry, OperationEntry } from '../contract/world/evidence.js';
import { isAgentCall, requireEntry, wholePosition } from '../drills/stored/next-call.js';
import type { WorldRef } from '../worlds/api.js';
import type { ArchiveCalls, JournalPlace, ReportPlace } from './journal/archive-calls.js';
import type { ArchivePort } from './journal/archive-port.js';
import type { JournalMirrors } from './journal-mirrors.js';
import type { ReportDirectory } from './report-directory.js';
import type { RetainedWorlds } from './retained-worlds.js';
import type { RunQueue } from './run-queue.js';
import { tuning } from './tuning.js';
import { type Readable, worldEvidence, worldNamespaces, worldScheduled, worldState } from './world-pages.js';

export interface RunReaderParts {
  archive: ArchivePort;
  reports: ReportDirectory;
  queue: RunQueue;
  retained: RetainedWorlds;
  mirrors: JournalMirrors;
}
type Place = { source: 'saved'; report: ReportPlace } | { source: 'active' | 'retained'; world: Readable };
type Bare<T> = Omit<T, 'schemaVersion'>;
type Signal = AbortSignal | undefined;

function callOf(entry: OperationEntry | undefined): WorldOrigin['next'] {
  if (entry === undefined) return undefined;
  const { sequence, actorId, actorInstanceId, invocation } = entry;
  const { packageId, instanceId, operationId, arguments: given, idempotencyKey } = invocation;
  return { sequence, actorId, ...defined({ actorInstanceId, idempotencyKey }), packageId, instanceId, operationId, arguments: given };
}

export class RunReader {
  readonly #parts: RunReaderParts;

  constructor(parts: RunReaderParts) {
    this.#parts = parts;
  }

  async sourceOf(runId: string): Promise<RunSource> {
    return (await this.#place(runId)).source;
  }

  async run(runId: string, signal: Signal): Promise<InspectorRunReply> {
    const place = await this.#place(runId);
    const { toSequence, ...counted } = await this.#parts.archive.ask(
      'facts',
      { place: await this.#journal(runId, place), query: undefined },
      signal,
    );
    const active = this.#parts.queue.activeRun(runId);
    return {
      schemaVersion: 1,
      runId,
      source: place.source,
      ...(place.source === 'saved' ? { report: await this.#parts.archive.ask('document', place.report, signal) } : {}),
      ...(place.source === 'active' && active !== undefined ? { active } : {}),
      evidence: { fromSequence: Math.min(1, toSequence), toSequence, ...counted },
    };
  }

  async evidence(runId: string, query: InspectorEvidenceQuery, signal: Signal): Promise<ArchiveCalls['evidence']['answer']> {
    const place = await this.#place(runId);
    if (place.source !== 'saved') return worldEvidence(place.world, query);
    return this.#parts.archive.ask('evidence', { place: { kind: 'report', ...place.report }, query }, signal);
  }

  async search(runId: string, query: SearchQuery, signal: Signal): Promise<Bare<SearchReply>> {
    return this.#parts.archive.ask('search', { place: await this.#journal(runId), query }, signal);
  }

  async transcript(runId: string, signal: Signal): Promise<Transcript> {
    const place = await this.#place(runId);
    // Nothing of a retained world's: what was said is no part of it.
    if (place.source !== 'saved') return { lines: [...this.#parts.queue.saidIn(runId)], left: 0 };
    const { transcript } = await this.#parts.archive.ask('document', place.report, signal);
    return transcript ?? { lines: [], left: 0 };
  }

  async chain(runId: string, sequence: number, signal: Signal): Promise<Bare<ChainReply>> {
    return this.#parts.archive.ask('chain', { place: await this.#journal(runId), query: { sequence } }, signal);
  }

  async timeline(runId: string, query: TimelineQuery, signal: Signal): Promise<Bare<TimelineReply>> {
    return this.#parts.archive.ask('timeline', { place: await this.#journal(runId), query }, signal);
  }

  async callbacks(runId: string, signal: Signal): Promise<Bare<CallbacksReply>> {
    return this.#parts.archive.ask('callbacks', { place: await this.#journal(runId), query: undefined }, signal);
  }

  async namespaces(runId: string, query: { atSequence?: number }, signal: Signal): Promise<Bare<InspectorNamespacesReply>> {
    const place = await this.#place(runId);
    if (place.source !== 'saved') return worldNamespaces(place.world, query);
    return this.#parts.archive.ask('namespaces', { place: { kind: 'report', ...place.report }, query }, signal);
  }

  async state(runId: string, query: InspectorStateQuery, signal: Signal): Promise<Bare<InspectorStateReply>> {
    const place = await this.#place(runId);
    if (place.source !== 'saved') return worldState(place.world, query);
    return this.#parts.archive.ask('state', { place: { kind: 'report', ...place.report }, query }, signal);
  }

  async rowChanges(runId: string, query: RowChangesQuery, signal: Signal): Promise<Bare<RowChangesReply>> {
    return this.#parts.archive.ask('rowChanges', { place: await this.#journal(runId), query }, signal);
  }

  async faults(runId: string): Promise<FaultsReply> {
    return { schemaVersion: 1, faults: await (await this.#world(runId)).query({ kind: 'faults' }) };
  }

  async scheduled(runId: string): Promise<ScheduledEventsReply> {
    return worldScheduled(await this.#world(runId));
  }

  /** Where a run is continued from: its retained world, whole at the entry, and what its agent called next. */
  async position(runId: string, atSequence: number, signal: Signal): Promise<{ parent: WorldRef; report: RunReport; origin: WorldOrigin }> {
    const { archive, retained } = this.#parts;
    const report = await archive.ask('document', await this.report(runId), signal);
    requireEntry({ toSequence: report.result.evidenceRange.toSequence }, atSequence);
    const entries = async (query: InspectorEvidenceQuery): Promise<EvidenceEntry[]> =>
      JSON.parse(Buffer.from((await this.evidence(runId, query, signal)).entries).toString());
    const [entry] = await entries({ fromSequence: atSequence, limit: 1 });
    const at = entry === undefined ? atSequence : wholePosition(entry);
    if (at < 1) throw new ServiceError('control.INVALID_REQUEST', { message: `Nothing stands before entry ${atSequence}.` });
    const { sequences = [] } = await this.search(runId, { kind: 'operation', fromSequence: at + 1, view: 'sequences' }, signal);
    const near = sequences.slice(0, tuning.nextCallsRead);
    const next = near.length === 0 ? undefined : (await entries({ sequences: near.join(',') as SequenceList })).find(isAgentCall);
    return { parent: await retained.open(runId), report, origin: { runId, atSequence: at, ...defined({ next: callOf(next) }) } };
  }

  /** The report of a run that has one; control.NOT_FOUND otherwise. */
  async report(runId: string): Promise<ReportPlace> {
    const place = await this.#place(runId);
    if (place.source === 'saved') return place.report;
    const why = place.source === 'active' ? 'The run is under way; its report comes when it ends.' : 'There is no report of this run.';
    throw new ServiceError('control.NOT_FOUND', { message: why });
  }

  async #place(runId: string): Promise<Place> {
    const { queue, reports, retained } = this.#parts;
    if (queue.activeRun(runId) !== undefined) {
      const world = queue.worldOf(runId);
      if (world === undefined)
        throw new ServiceError('world.NOT_READY', { message: 'The world of this run is being made.', retryAfterMs: tuning.retryAfterMs });
      return { source: 'active', world };
    }
    if (await reports.has(runId)) return { source: 'saved', report: reports.place(runId) };
    if (await retained.has(runId)) return { source: 'retained', world: await retained.open(runId) };
    throw new ServiceError('control.NOT_FOUND', { message: `There is no run ${runId}.` });
  }

  async #journal(runId: string, found?: Place): Promise<JournalPlace> {
    const place = found ?? (await this.#place(runId));
    if (place.source === 'saved') return { kind: 'report', ...place.report };
    return this.#parts.mirrors.of(runId, place.world);
  }

  async #world(runId: string): Promise<Readable> {
    const place = await this.#place(runId);
    return place.source === 'saved' ? this.#parts.retained.open(runId) : place.world;
  }
}
