// The report of a hosted run once it has ended: its evidence as it was sealed, checked here, judged here once more. The verdict is the
// service's; what this machine makes of the same evidence has to agree, or the attempt has not passed.
import { join, relative, resolve } from 'node:path';
import { ControlError } from '../client/control-error.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { RunError } from '../contract/run/run.js';
import type { CitedEntry, RunReport } from '../contract/run/run-events.js';
import { runError } from '../drills/ports/run-error.js';
import type { ReportWriting } from '../drills/reported-attempt.js';
import { writeFailed } from '../drills/reported-attempt.js';
import { checkReport } from '../drills/stored/check-report.js';
import { wholeTexts } from '../drills/stored/journal-text.js';
import { fileRefusal } from '../files/file-faults.js';
import { evidenceBytes } from '../reports/evidence-pass.js';
import { EvidenceSelection } from '../reports/evidence-view.js';
import { FolderReader } from '../reports/folder-reader.js';
import { evidenceFile, reportFile } from '../reports/report-folder.js';
import type { Remote } from './connection.js';
import { type EvidencePlace, fetchEvidence } from './fetch-evidence.js';
import { refusalOf } from './service-url.js';

export interface FetchedReport {
  /** Absent where it was not available. */
  document?: RunReport;
  written: ReportWriting;
}

/** Never rejects: what is missing or does not agree is a `reportError`. */
export async function fetchReport(remote: Remote, place: EvidencePlace & { root: string; build: CompiledBuild }): Promise<FetchedReport> {
  let folder: string;
  try {
    folder = await fetchEvidence(remote, place);
  } catch (error) {
    return { written: { report: '', reportError: notFetched(error, place), cited: [] } };
  }
  const report = relative(resolve(place.root), folder);
  try {
    const reader = new FolderReader(folder);
    const checked = await checkReport(folder, place.build);
    const document = JSON.parse((await reader.text(reportFile, limits.reportDocumentBytesMax)) ?? '') as RunReport;
    const reportError = disagreement(checked, folder);
    return { document, written: { report, ...defined({ reportError }), cited: await citedIn(reader, document) } };
  } catch (error) {
    const reportError = runError(
      'reporter.EVIDENCE_INVALID',
      `The evidence in ${folder} could not be checked: ${(error as Error).message}`,
    );
    return { written: { report, reportError, cited: [] } };
  }
}

function disagreement(checked: Awaited<ReturnType<typeof checkReport>>, folder: string): RunError | undefined {
  if (checked.kind === 'unavailable') {
    const [first] = checked.problems;
    const why = first === undefined ? 'it is not whole' : `${first.file} ${first.message} (${first.code})`;
    return runError(
      'reporter.EVIDENCE_INVALID',
      `The evidence in ${folder} does not hold: ${why}. 'drillyard report verify' tells all of it.`,
    );
  }
  const { sealed, judgement, changed } = checked;
  if (sealed === judgement.verdict && changed.length === 0) return undefined;
  const differing = changed.map(
    ({ assertionId, sealed: was, status }) => `${assertionId}: ${was ?? 'absent'} there, ${status ?? 'absent'} here`,
  );
  return runError(
    'reporter.VERDICT_DIFFERS',
    `The service judged ${sealed}, and this machine ${judgement.verdict} (${differing.join('; ')}).`,
    {
      details: { sealed, verdict: judgement.verdict },
    },
  );
}

async function citedIn(reader: FolderReader, { result }: RunReport): Promise<CitedEntry[]> {
  const selection = new EvidenceSelection(result);
  for await (const _ of evidenceBytes(wholeTexts(reader.pieces(evidenceFile)), selection));
  return selection.view().cited;
}

function notFetched(error: unknown, { reportDirectory, runId }: EvidencePlace): RunError {
  if (error instanceof ControlError || error instanceof ServiceError) {
    const { code, message } = error instanceof ControlError ? refusalOf(error) : error;
    return runError('reporter.FETCH_FAILED', `The evidence could not be fetched: ${message}`, { details: { code } });
  }
  const folder = join(reportDirectory, runId);
  if (error instanceof Error && 'syscall' in error && 'path' in error)
    return writeFailed(fileRefusal(`The report ${folder} could not be written`, folder, error));
  return runError('reporter.FETCH_FAILED', `The evidence could not be fetched: ${(error as Error).message}`);
}
