// Recordings of runs and of worlds to play with: composed from their journals, shown beside what the repository has, written on request.
//   RECORDINGS-1. Paths follow from ids; what is written is what was shown, by its digest, and nothing is replaced unless the request says
//     so.
import { isServiceError, ServiceError } from '../contract/errors.js';
import type { RecordingReply, RecordingRequest } from '../contract/inspector/recordings.js';
import { limits } from '../contract/limits.js';
import { recordingLimits } from '../contract/recording-limits.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { sourceOfRun } from '../drills/record-run.js';
import { entriesIn } from '../drills/stored/journal-text.js';
import { againstRepository, writeRecordedFiles } from '../drills/stored/recorded-files.js';
import { composeRecording, type RecordingSource } from '../drills/stored/recording.js';
import { manifestDigestOf, SealedReport } from '../drills/stored/sealed-report.js';
import { worldTagsOf } from '../reports/compared-values.js';
import type { WorldRef } from '../worlds/api.js';
import type { ArchivePort } from './journal/archive-port.js';
import { reportRefused } from './journal/fingerprint.js';
import type { Playground } from './playground.js';
import type { ProjectSource } from './project-source.js';
import type { RunReader } from './run-reader.js';

interface RecordingsParts {
  root: string;
  project: ProjectSource;
  archive: ArchivePort;
  runs: RunReader;
  playground: Playground;
}

export class Recordings {
  readonly #parts: RecordingsParts;

  constructor(parts: RecordingsParts) {
    this.#parts = parts;
  }

  async ofRun(runId: string, request: RecordingRequest): Promise<RecordingReply> {
    return this.#recorded(await this.#run(runId), request);
  }

  /** What was done before a fork comes first: by the run and the worlds that it was forked from. */
  async ofWorld(worldId: string, request: RecordingRequest): Promise<RecordingReply> {
    const { world, ancestors, began } = this.#parts.playground.lineage(worldId);
    let entries = ownEntries(await journalOf(world, recordingLimits.entriesMax + 1));
    const tags = worldTagsOf([world, ...ancestors.map((ancestor) => ancestor.world)].map(({ worldInstanceId }) => worldInstanceId));
    const own = tags[0] ?? '';
    let shift = 0;
    for (const [index, { world: ancestor, atSequence }] of ancestors.entries()) {
      shift += atSequence;
      const earlier = adopted(ownEntries(await journalOf(ancestor, atSequence)), { shift, tag: tags[index + 1] ?? '', own });
      entries = [...earlier, ...entries];
    }
    const origin = `world ${worldId}`;
    if (!('origin' in began)) return this.#recorded({ ...began, origin, tags, entries }, request);
    const { runId, atSequence } = began.origin;
    const { setup, setupHash, drillId, ...run } = await this.#runOfFork(runId);
    const before = run.entries.filter(({ sequence }) => sequence <= atSequence);
    entries = [...adopted(before, { shift: shift + atSequence, tag: run.tags[0] ?? '', own }), ...entries];
    return this.#recorded({ setup, setupHash, drillId, origin, tags: [...tags, ...run.tags], entries }, request);
  }

  #runOfFork(runId: string): Promise<RecordingSource> {
    return this.#run(runId).catch((error: unknown) => {
      if (!isServiceError(error, 'control.NOT_FOUND')) throw error;
      throw new ServiceError('control.STATE_CONFLICT', {
        message: `It was forked from ${runId}, whose report is gone: what the run did before the fork is lost.`,
      });
    });
  }

  async #run(runId: string): Promise<RecordingSource> {
    const { runs, archive } = this.#parts;
    const place = await runs.report(runId);
    const { problems } = await archive.ask('verify', place);
    if (problems.length > 0) throw reportRefused(problems);
    const { result, evidence } = await new SealedReport(place.folder, await manifestDigestOf(place.folder)).run();
    return sourceOfRun(result, entriesIn(evidence));
  }

  async #recorded(source: RecordingSource, { write, ...wanted }: RecordingRequest): Promise<RecordingReply> {
    const { root, project } = this.#parts;
    const composed = await composeRecording(source, wanted, project.recordingPlace());
    const recording = againstRepository(root, composed);
    if (write !== undefined) {
      if (write.digest !== recording.digest)
        throw new ServiceError('control.STATE_CONFLICT', { message: 'The files are not the ones that were shown; look at them again.' });
      writeRecordedFiles(root, recording.files, { replace: write.replace === true });
    }
    return { schemaVersion: 1, recording, written: write !== undefined };
  }
}

/** Without what a whole reset took back, and without the mark of a fork: both begin where what comes before them left off. */
function ownEntries(entries: readonly EvidenceEntry[]): EvidenceEntry[] {
  return entries.filter((entry) => {
    if (entry.kind !== 'lifecycle') return true;
    return entry.phase !== 'world_forked' && !(entry.phase === 'world_reset' && entry.details.packages === undefined);
  });
}

/**
 * Entries of an ancestor, with sequences before those of the fork, which nobody can pin. A fork has ids of its own for the events that it
 * has from its parent.
 */
function adopted(entries: readonly EvidenceEntry[], { shift, tag, own }: { shift: number; tag: string; own: string }): EvidenceEntry[] {
  return entries.map((entry) => ({
    ...entry,
    sequence: entry.sequence - shift,
    ...(entry.causeSequence === undefined ? {} : { causeSequence: entry.causeSequence - shift }),
    ...(entry.kind === 'event' && entry.scheduledEventId !== undefined
      ? { scheduledEventId: entry.scheduledEventId.replace(tag, own) }
      : {}),
  }));
}

async function journalOf(world: WorldRef, toSequence: number): Promise<EvidenceEntry[]> {
  const found: EvidenceEntry[] = [];
  for (let from: number | undefined = 1; from !== undefined && from <= toSequence; ) {
    const limit = Math.min(limits.inspectorEvidencePageEntries, toSequence - from + 1);
    const { entries, nextSequence }: { entries: EvidenceEntry[]; nextSequence?: number } = await world.query({
      kind: 'evidence',
      fromSequence: from,
      limit,
    });
    found.push(...entries);
    from = nextSequence;
  }
  return found;
}
