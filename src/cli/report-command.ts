// `drillyard report verify <report>`: checks a report folder against itself.
import { oneReportPath } from '../reports/report-path.js';
import { verifyReport } from '../reports/verify-report.js';
import { counted } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import type { Output } from './output.js';
import { withProgressBar } from './progress-bar.js';

interface VerifyFlags {
  folder: string;
  json: boolean;
  root: string;
}

export function verifyCommand(flags: VerifyFlags): Promise<ExitCode> {
  return sayFailures(flags, flags.folder, (output) => verify(flags, output));
}

async function verify({ folder, json, root }: VerifyFlags, output: Output): Promise<ExitCode> {
  const path = oneReportPath(folder, root);
  const { ok, runId, problems, notCompared } = await withProgressBar('Verifying', ({ update }) =>
    verifyReport(path, { onProgress: update }),
  );
  for (const problem of problems) output.line({ event: 'problem', ...problem });
  output.line({ event: 'summary', ok, runId, problems: problems.length, notCompared });
  if (!json) {
    for (const { file, code, message } of problems) output.say(`${file === '' ? path : file}: ${code}: ${message}`);
    output.say(
      ok
        ? `${runId}: verified. ${whatAgrees(notCompared)}`
        : `${visibleLine(runId ?? path)}: not verified, ${counted(problems.length, 'problem')}.`,
    );
  }
  return ok ? exitCodes.passed : exitCodes.failed;
}

/** `notCompared`: projections of an earlier version of the writer. */
export function whatAgrees(notCompared: readonly string[]): string {
  if (notCompared.length === 0) return 'Digests, evidence, verdict and projections agree.';
  const files = notCompared.join(', ');
  return `Digests, evidence and verdict agree. An earlier version of the writer made ${files}: what they say was not checked.`;
}
