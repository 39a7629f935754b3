// Recordings of runs and of worlds to play with: composed from their journals, shown beside what the repository has, written on request.
//   RECORDINGS-1. Paths follow from ids; what is written is what was shown, by its digest, and nothing is replaced unless the request says
//     so.
import { ServiceError } from '../contract/errors.js';
import type { RecordingReply, RecordingRequest } from '../contract/inspector/recordings.js';
import { limits } from '../contract/limits.js';
import { recordingLimits } from '../contract/recording-limits.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { sourceOfRun } from '../drills/record-run.js';
import { entriesIn } from '../drills/stored/journal-text.js';
import { againstRepository, writeRecordedFiles } from '../drills/stored/recorded-files.js';
import { composeRecording, type RecordingSource } from '../drills/stored/recording.js';
import { manifestDigestOf, SealedReport } from '../drills/stored/sealed-report.js';
import { worldTag } from '../reports/compared-values.js';
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
    const { runs, archive } = this.#parts;
    const place = await runs.report(runId);
    const { problems } = await archive.ask('verify', place);
    if (problems.length > 0) throw reportRefused(problems);
    const { result, evidence } = await new SealedReport(place.folder, await manifestDigestOf(place.folder)).run();
    return this.#recorded(await sourceOfRun(result, entriesIn(evidence)), request);
  }

  async ofWorld(worldId: string, request: RecordingRequest): Promise<RecordingReply> {
    const { world, setup, setupHash, drillId, ancestors } = this.#parts.playground.lineage(worldId);
    const entries = ownEntries(await journalOf(world, recordingLimits.entriesMax + 1));
    // Those of the worlds that it was forked from come first, with sequences of their own that nobody can pin.
    let earlier: EvidenceEntry[] = [];
    for (const { world: ancestor, atSequence } of ancestors) {
      const before = ownEntries(await journalOf(ancestor, atSequence));
      earlier = [...before.map((entry) => shifted(entry, earlier.length + before.length)), ...earlier];
    }
    const source: RecordingSource = {
      origin: `world ${worldId}`,
      ...{ setup, setupHash, drillId },
      tag: worldTag(world.worldInstanceId),
      entries: [...earlier, ...entries],
    };
    return this.#recorded(source, request);
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

function shifted(entry: EvidenceEntry, by: number): EvidenceEntry {
  const { causeSequence } = entry;
  return { ...entry, sequence: entry.sequence - by, ...(causeSequence === undefined ? {} : { causeSequence: causeSequence - by }) };
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
