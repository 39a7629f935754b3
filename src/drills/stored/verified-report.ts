// A report folder, read only if it is what was sealed.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { RunReport } from '../../contract/run/run-events.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { FolderReader } from '../../reports/folder-reader.js';
import { evidenceFile, reportFile } from '../../reports/report-folder.js';
import type { ReportProblem } from '../../reports/report-problems.js';
import { type VerifyOptions, verifyReport } from '../../reports/verify-report.js';
import { entriesIn, wholeLines } from './journal-text.js';
import { manifestDigestOf, SealedReport } from './sealed-report.js';

export type ReadReport =
  | { ok: true; report: RunReport; entries: AsyncIterable<EvidenceEntry> }
  | { ok: false; runId: string | null; problems: ReportProblem[] };

export async function readVerifiedReport(folder: string, options: VerifyOptions = {}): Promise<ReadReport> {
  const { ok, runId, problems } = await verifyReport(folder, options);
  if (!ok) return { ok, runId, problems };
  const reader = new FolderReader(folder);
  const report = JSON.parse((await reader.text(reportFile, limits.reportDocumentBytesMax)) ?? '') as RunReport;
  return { ok, report, entries: entriesIn(wholeLines(reader.pieces(evidenceFile))) };
}

/** Rejects with control.INVALID_REQUEST for one that was changed. */
export async function sealedReportIn(folder: string, options: VerifyOptions = {}): Promise<SealedReport> {
  const { ok, problems } = await verifyReport(folder, options);
  if (!ok) throw notSealed(folder, problems);
  return new SealedReport(folder, await manifestDigestOf(folder));
}

/** control.INVALID_REQUEST for a folder that `report verify` would not accept. */
export function notSealed(folder: string, [first]: readonly ReportProblem[]): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', {
    message: `${folder} is not a report as it was sealed: ${first?.file} ${first?.message}. Run 'drillyard report verify' on it.`,
  });
}
