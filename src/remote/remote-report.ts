// The report of a hosted run once it has ended: its evidence as it was sealed, checked here, judged here once more. The verdict is the
// service's; what this machine makes of the same evidence has to agree, or the attempt has not passed.
//   REMOTE-REPORT-1. What does not hold, or is of another run than was asked for, is not kept: no link leads to it.
import { join, relative, resolve } from 'node:path';
import { ControlError } from '../client/control-error.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { RunError, RunIdentity, Verdict } from '../contract/run/run.js';
import type { CitedEntry, RunReport } from '../contract/run/run-events.js';
import { runError } from '../drills/ports/run-error.js';
import type { ReportWriting } from '../drills/reported-attempt.js';
import { writeFailed } from '../drills/reported-attempt.js';
import { type CheckedReport, checkReport } from '../drills/stored/check-report.js';
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

export interface RemoteReportPlace extends EvidencePlace {
  root: string;
  build: CompiledBuild;
  /** As the service says of the run. */
  verdict: Verdict;
  /** Why it is none of what was asked for. */
  refuse: (identity: RunIdentity) => RunError | undefined;
  signal: AbortSignal;
}

/** Never rejects: what is missing or does not agree is a `reportError`. */
export async function fetchReport(remote: Remote, place: RemoteReportPlace): Promise<FetchedReport> {
  const { signal } = place;
  try {
    const { folder, found } = await fetchEvidence(remote, place, { look: (draft) => readChecked(draft, place), signal });
    const { document, ...written } = found;
    return { document, written: { report: relative(resolve(place.root), folder), ...written } };
  } catch (error) {
    const reportError = error instanceof RefusedEvidence ? error.error : notFetched(error, place);
    return { written: { report: '', reportError, cited: [] } };
  }
}

class RefusedEvidence extends Error {
  readonly error: RunError;

  constructor(error: RunError) {
    super(error.message);
    this.error = error;
  }
}

type Checked = Omit<ReportWriting, 'report'> & { document: RunReport };
async function readChecked(folder: string, place: RemoteReportPlace): Promise<Checked> {
  let checked: CheckedReport;
  try {
    checked = await checkReport(folder, place.build);
  } catch (error) {
    throw doesNotHold(`it could not be checked: ${(error as Error).message}`);
  }
  if (checked.kind === 'unavailable') {
    const [first] = checked.problems;
    throw doesNotHold(first === undefined ? 'it is not whole' : `${first.file} ${first.message} (${first.code})`);
  }
  const other = place.refuse(checked.identity);
  if (other !== undefined) throw new RefusedEvidence(other);
  if (checked.sealed !== place.verdict) throw doesNotHold(`it says ${checked.sealed}, and the service says ${place.verdict}`);
  const reader = new FolderReader(folder);
  const document = JSON.parse((await reader.text(reportFile, limits.reportDocumentBytesMax)) ?? '') as RunReport;
  return { document, ...defined({ reportError: disagreement(checked) }), cited: await citedIn(reader, document) };
}

function doesNotHold(why: string): RefusedEvidence {
  return new RefusedEvidence(runError('reporter.EVIDENCE_INVALID', `The evidence of the run does not hold, and is not kept: ${why}.`));
}

function disagreement({ sealed, judgement, changed }: Extract<CheckedReport, { kind: 'checked' }>): RunError | undefined {
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
