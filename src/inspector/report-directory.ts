// The report directory as a list: ordered by the modification time of each report's folder, then by run id.
//   REPORT-DIRECTORY-1. Paths are made here, out of the configured directory and a run id that fits its pattern; nothing else of a client
//     comes near one.
//   REPORT-DIRECTORY-2. What is no usable report is listed as unavailable, and takes a place of the page.
import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { batchesOf } from '../async/batches.js';
import { ServiceError } from '../contract/errors.js';
import { idTimeMs } from '../contract/ids.js';
import type { InspectorRunsQuery, RunsReply, SavedRun, UnavailableRun } from '../contract/inspector/runs.js';
import { limits } from '../contract/limits.js';
import { isInvocationId } from '../reports/invocation-id.js';
import { isRunId } from '../reports/report-folder.js';
import { findRun, type NamedRun, oneOfInvocation } from '../reports/report-path.js';
import { compareTexts } from '../text/compare-texts.js';
import type { ReportPlace } from './journal/archive-calls.js';
import type { ArchivePort } from './journal/archive-port.js';
import { stampOf } from './journal/fingerprint.js';
import { byPlace, type ListPlace, PageCursors } from './page-cursor.js';

interface Folder extends ListPlace {
  stat: BigIntStats;
}
type Line = { kind: 'saved'; run: SavedRun } | { kind: 'unavailable'; run: UnavailableRun };

export class ReportDirectory {
  readonly #directory: string;
  readonly #archive: ArchivePort;
  readonly #cursors: PageCursors;
  /** By name, as long as neither the folder nor its manifest and document have changed. */
  readonly #lines = new Map<string, { stamp: string; line: Line }>();

  constructor(directory: string, archive: ArchivePort) {
    this.#directory = directory;
    this.#archive = archive;
    this.#cursors = new PageCursors(directory);
  }

  place(runId: string): ReportPlace {
    if (!isRunId(runId)) throw new ServiceError('control.NOT_FOUND', { message: `There is no run ${runId}.` });
    return { folder: join(this.#directory, runId), runId };
  }

  /** control.NOT_FOUND for a name that stands for no run, or for several. */
  async find(name: string): Promise<string> {
    const runId = isInvocationId(name) ? await this.#runOfInvocation(name) : findRun(name, this.#directory);
    if (runId === undefined || !(await this.has(runId)))
      throw new ServiceError('control.NOT_FOUND', { message: `There is no run "${name}".` });
    return runId;
  }

  /** As `findRun`, by what lines of runs say: it reads no report that the archive has summarized. */
  async #runOfInvocation(invocationId: string): Promise<string> {
    const runs: NamedRun[] = [];
    for (const folder of await this.#folders()) {
      // Its runs are no older than itself.
      if (!isRunId(folder.name) || idTimeMs(folder.name) < idTimeMs(invocationId)) continue;
      const { kind, run } = await this.#line(folder);
      if (kind !== 'saved') continue;
      const { runId, verdict, invocation } = run as SavedRun;
      if (invocation?.id === invocationId) runs.push({ runId, passed: verdict === 'passed' });
    }
    runs.sort((left, right) => compareTexts(left.runId, right.runId));
    return oneOfInvocation(invocationId, { runs, reports: this.#directory });
  }

  /** Whether there is something that could be a report of this run. */
  async has(runId: string): Promise<boolean> {
    return (await lstat(this.place(runId).folder).catch(() => undefined)) !== undefined;
  }

  async page(query: InspectorRunsQuery): Promise<Pick<RunsReply, 'runs' | 'unavailable' | 'nextCursor'>> {
    const { limit = limits.inspectorRunsPageItems, cursor } = query;
    const after = cursor === undefined ? undefined : this.#cursors.placeOf(cursor);
    const folders = await this.#folders();
    const rest = after === undefined ? folders : folders.filter((folder) => byPlace(folder, after) > 0);
    const isWanted = lineFilter(query);
    const lines: Line[] = [];
    let scanned = 0;
    for (; scanned < Math.min(rest.length, limits.inspectorRunsScannedMax) && lines.length < limit; scanned++) {
      const line = await this.#line(rest[scanned] as Folder);
      if (isWanted(line)) lines.push(line);
    }
    const last = rest[scanned - 1];
    return {
      runs: lines.flatMap(({ kind, run }) => (kind === 'saved' ? [run as SavedRun] : [])),
      unavailable: lines.flatMap(({ kind, run }) => (kind === 'unavailable' ? [run as UnavailableRun] : [])),
      ...(rest.length > scanned && last !== undefined ? { nextCursor: this.#cursors.cursorOf(last) } : {}),
    };
  }

  /** In order. Hidden names are drafts of writers; loose files belong to no report. */
  async #folders(): Promise<Folder[]> {
    const names = await readdir(this.#directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const found: Folder[] = [];
    const shown = names.filter((name) => !name.startsWith('.')).slice(0, limits.inspectorReportFoldersMax);
    for (const batch of batchesOf(shown, 256)) {
      const stats = await Promise.all(
        batch.map(async (name) => ({ name, stat: await lstat(join(this.#directory, name), { bigint: true }).catch(() => undefined) })),
      );
      for (const { name, stat } of stats) {
        if (stat !== undefined && (isRunId(name) || !stat.isFile())) found.push({ name, stat, modifiedNs: stat.mtimeNs });
      }
    }
    return found.sort(byPlace);
  }

  async #line(folder: Folder): Promise<Line> {
    const { name } = folder;
    const stamp = await this.#stamp(folder);
    const known = this.#lines.get(name);
    if (known?.stamp === stamp) return known.line;
    const line = await this.#read(folder);
    if (this.#lines.size >= limits.inspectorReportFoldersMax) this.#lines.clear();
    this.#lines.set(name, { stamp, line });
    return line;
  }

  async #stamp({ name, stat }: Folder): Promise<string> {
    if (!stat.isDirectory()) return stampOf(stat);
    const files = ['manifest.json', 'report.json', 'evidence.jsonl', 'index.html'];
    const stats = await Promise.all(files.map((file) => lstat(join(this.#directory, name, file), { bigint: true }).catch(() => undefined)));
    return [stat, ...stats].map(stampOf).join(' ');
  }

  async #read({ name, stat }: Folder): Promise<Line> {
    const modifiedAtMs = Number(stat.mtimeNs / 1_000_000n);
    const unavailable = (problems: UnavailableRun['problems']): Line => {
      return { kind: 'unavailable', run: { ...(isRunId(name) ? { runId: name } : {}), name, modifiedAtMs, problems } };
    };
    if (!isRunId(name)) return unavailable([{ file: '', code: 'RUN_ID_MISMATCH', message: 'is not named by a run id' }]);
    if (!stat.isDirectory())
      return unavailable([
        { file: '', code: 'FOLDER_UNREADABLE', message: stat.isSymbolicLink() ? 'is a link; links are not followed' : 'is no folder' },
      ]);
    const summary = await this.#archive.ask('summary', this.place(name));
    return summary.kind === 'saved' ? { kind: 'saved', run: { ...summary.run, modifiedAtMs } } : unavailable(summary.problems);
  }
}

/** Without a filter everything is listed, with one what a report says of itself decides. */
function lineFilter({ verdict, drillId, q }: InspectorRunsQuery): (line: Line) => boolean {
  if (verdict === undefined && drillId === undefined && q === undefined) return () => true;
  const words = q?.toLowerCase() ?? '';
  return (line) => {
    if (line.kind === 'unavailable') return false;
    const { run } = line;
    const { id, title = '', caseOf, tags } = run.drill;
    if (verdict !== undefined && run.verdict !== verdict) return false;
    if (drillId !== undefined && id !== drillId && caseOf !== drillId) return false;
    const text = [run.runId, run.seed, run.headline, id, title, ...tags, run.target.id].join('\n');
    return text.toLowerCase().includes(words);
  };
}
