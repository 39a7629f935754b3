// What the stored reports of a repository say of each drill over time. Reads report documents only; runs and writes nothing.
import { basename, resolve } from 'node:path';
import { ServiceError } from '../../contract/errors.js';
import { type OptionShapes, optionShapes, requireOptions } from '../../contract/known-options.js';
import { localFolders } from '../../contract/local-folders.js';
import { listStoredReports, readStoredReport } from '../../reports/stored-reports.js';
import { isNamed } from '../plan/select.js';
import { type DrillHistory, History } from './history.js';

export interface ReadHistoryOptions {
  /** The repository. */
  root: string;
  /** Relative to `root`. Default .service/reports. */
  reportDirectory?: string;
  /** Ids; that of a file with cases names all of them. control.NOT_FOUND for one of which there is no report. Default: all. */
  drills?: readonly string[];
  /** Drills that are flaky, alone. */
  flaky?: boolean;
  /** The newest reports, this many. Default: up to limits.storedReportsMax. */
  last?: number;
  onProgress?: (done: number, total: number) => void;
}
const shapes: OptionShapes<ReadHistoryOptions> = {
  root: optionShapes.root,
  reportDirectory: 'text',
  drills: optionShapes.texts,
  flaky: 'boolean',
  last: 'number',
  onProgress: 'function',
};

export interface DrillHistories {
  /** By id: those that were asked for. */
  drills: DrillHistory[];
  /** Reports that were read. */
  reports: number;
  /** Drills that have reports, and how many of them are flaky, whatever was asked for. */
  total: { drills: number; flaky: number };
  /** Reports that cannot be used, and why. */
  unavailable: { report: string; problem: string }[];
  /** Older reports that were not read. */
  older: number;
}

export async function readHistory(options: ReadHistoryOptions): Promise<DrillHistories> {
  requireOptions('readHistory', options, shapes);
  const { root, reportDirectory = localFolders.reports, drills: wanted = [], flaky = false, last, onProgress = () => {} } = options;
  const directory = resolve(root, reportDirectory);
  const { folders, more } = await listStoredReports(directory, last);
  const history = new History();
  const unavailable: DrillHistories['unavailable'] = [];
  for (const [index, folder] of folders.entries()) {
    onProgress(index, folders.length);
    const stored = await readStoredReport(folder);
    if (stored.kind === 'read') history.add(stored.report);
    else unavailable.push({ report: basename(folder), problem: stored.problem });
  }
  const all = history.drills();
  for (const drillId of wanted) {
    if (all.some((drill) => isNamed([drillId], drill))) continue;
    throw new ServiceError('control.NOT_FOUND', { message: `No report in ${directory} is of a drill '${drillId}'.` });
  }
  return {
    drills: all.filter((drill) => (wanted.length === 0 || isNamed(wanted, drill)) && (!flaky || drill.flaky !== undefined)),
    reports: folders.length,
    total: { drills: all.length, flaky: all.filter((drill) => drill.flaky !== undefined).length },
    unavailable,
    older: more,
  };
}
