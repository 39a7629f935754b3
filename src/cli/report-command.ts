// `drillyard report verify <folder>`: checks a report folder against itself.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../contract/counted.js';
import { ServiceError } from '../contract/errors.js';
import { visibleLine } from '../reports/html/visible-text.mjs';
import { isRunId } from '../reports/report-folder.js';
import { verifyReport } from '../reports/verify-report.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput, type Output } from './output.js';
import { progressBar } from './progress-bar.js';

interface VerifyFlags {
  folder: string;
  json: boolean;
  root: string;
}

export async function verifyCommand(flags: VerifyFlags): Promise<ExitCode> {
  const output = createOutput(flags);
  try {
    return await verify(flags, output);
  } catch (error) {
    return reportFailure(error, output, flags.folder);
  }
}

async function verify({ folder, json, root }: VerifyFlags, output: Output): Promise<ExitCode> {
  // A run id is enough for a report at its usual place.
  const usual = join(root, '.service', 'reports', folder);
  const path = !existsSync(folder) && isRunId(folder) && existsSync(usual) ? usual : folder;
  if (!existsSync(path)) {
    throw new ServiceError('control.NOT_FOUND', { message: whyNoReport(folder, join(root, '.service', 'reports')) });
  }
  const bar = progressBar('Verifying');
  const { ok, runId, problems, notCompared } = await verifyReport(path, { onProgress: bar.update }).finally(bar.end);
  for (const problem of problems) output.line({ event: 'problem', ...problem });
  output.line({ event: 'summary', ok, runId, problems: problems.length, notCompared });
  if (!json) {
    for (const { file, code, message } of problems) output.say(`${file === '' ? path : file}: ${code}: ${message}`);
    if (notCompared.length > 0) output.say(`Made by another version of the writer, so only their digests were checked: ${notCompared.join(', ')}.`);
    output.say(
      ok
        ? `${runId}: verified. Digests, evidence, verdict and projections agree.`
        : `${visibleLine(runId ?? path)}: not verified, ${counted(problems.length, 'problem')}.`,
    );
  }
  return ok ? exitCodes.passed : exitCodes.failed;
}

function whyNoReport(folder: string, reports: string): string {
  if (!existsSync(reports))
    return `There is no folder ${folder}, and ${reports} has no reports yet: 'drillyard run' writes them. Or name the repository with --root.`;
  // Run ids are ordered by time.
  const newest = readdirSync(reports).filter(isRunId).sort().slice(-3).reverse();
  const known = newest.length === 0 ? 'It has none' : `The newest there: ${newest.join(', ')}`;
  return `There is no folder ${folder}, and no run of that id in ${reports}. ${known}. Name one of them, a report folder, or the repository with --root.`;
}
