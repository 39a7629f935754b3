// A stored run recorded: as a drill that makes its calls again, or gives its agent the tasks again, or as a scenario of where its world
// stood. No agent runs; only files of the repository are written, and only where that is asked for.
import { resolve } from 'node:path';
import { compileProject } from '../compiler/compile.js';
import { defined } from '../contract/defined.js';
import { type OptionShapes, optionShapes, requireOptions } from '../contract/known-options.js';
import { recordingLimits } from '../contract/recording-limits.js';
import type { Recording } from '../contract/run/recording.js';
import type { RunResult } from '../contract/run/run.js';
import { setupOfRun } from '../contract/run/setup-of-run.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { worldTagsOf } from '../reports/compared-values.js';
import { oneReportPath } from '../reports/report-path.js';
import { SourceInvalidError } from './source-invalid.js';
import { againstRepository, writeRecordedFiles } from './stored/recorded-files.js';
import { composeRecording, type RecordingSource, type RecordingWanted } from './stored/recording.js';
import { notSealed, readVerifiedReport } from './stored/verified-report.js';

export interface RecordRunOptions extends RecordingWanted {
  /** The repository whose files they become. */
  root: string;
  /** The root file. Default drillyard.json. */
  config?: string;
  /** A report folder, of the present folder or of the root, or the id of a run of the repository. */
  report: string;
  /** Writes the files. Default: false, and they are only shown. */
  write?: boolean;
  /** Files that are there with other content are replaced. Default: false, and nothing is written then. */
  replace?: boolean;
}
const shapes: OptionShapes<RecordRunOptions> = {
  root: optionShapes.root,
  config: 'text',
  report: { required: 'text' },
  write: 'boolean',
  replace: 'boolean',
  as: { required: { oneOf: ['drill', 'scenario'] } },
  id: { required: 'text' },
  title: 'text',
  toSequence: 'number',
  targetId: 'text',
  pins: { listOf: 'object' },
};

/**
 * Rejects with control.SOURCE_INVALID for a repository that does not compile, control.NOT_FOUND for a run that is not there,
 * control.INVALID_REQUEST for what no file can say, and control.STATE_CONFLICT for files that would be replaced.
 */
export async function recordRun(options: RecordRunOptions): Promise<Recording> {
  requireOptions('recordRun', options, shapes);
  const { root: named, config, report, write = false, replace = false, ...wanted } = options;
  const root = resolve(named);
  const folder = oneReportPath(report, root);
  const { build, view, diagnostics, settings } = await compileProject({ root, ...defined({ config }) });
  if (build === undefined || settings === undefined) throw new SourceInvalidError(diagnostics);
  const read = await readVerifiedReport(folder);
  if (!read.ok) throw notSealed(folder, read.problems);
  const source = await sourceOfRun(read.report.result, read.entries);
  const composed = await composeRecording(source, wanted, { build, view, sourceRoot: settings.sourceRoot });
  const recording = againstRepository(root, composed);
  if (write) writeRecordedFiles(root, recording.files, { replace });
  return recording;
}

export async function sourceOfRun(result: RunResult, entries: AsyncIterable<EvidenceEntry>): Promise<RecordingSource> {
  const { identity, interactions, startedAtVirtualUs, finishedAtVirtualUs, budgetUsage } = result;
  return {
    origin: `run ${identity.runId}`,
    setup: setupOfRun(result.setup),
    setupHash: identity.setupHash,
    drillId: identity.drillId,
    tags: worldTagsOf([identity.worldInstanceId]),
    entries: await atMost(entries, recordingLimits.entriesMax + 1),
    asked: {
      interactions: interactions.map(({ interactionId, actorId, actorInstanceId, task, scheduledAtVirtualUs }) => ({
        id: interactionId,
        afterStartUs: scheduledAtVirtualUs - startedAtVirtualUs,
        actorId,
        ...defined({ actorInstanceId }),
        task,
      })),
      horizonUs: finishedAtVirtualUs - startedAtVirtualUs,
      maxToolCalls: budgetUsage.toolCalls.limit,
      maxEvents: budgetUsage.scheduledEvents.limit,
    },
  };
}

async function atMost<T>(items: AsyncIterable<T>, max: number): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length >= max) break;
  }
  return found;
}
