// `drillyard report verify <folder>`: checks a report folder against itself.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../contract/counted.js';
import { verifyReport } from '../reports/verify-report.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { createOutput } from './output.js';

export async function verifyCommand({ folder, json, root }: { folder: string; json: boolean; root: string }): Promise<ExitCode> {
  const output = createOutput({ json });
  // A run id is enough for a report at its usual place.
  const usual = join(root, '.service', 'reports', folder);
  const path = !existsSync(folder) && existsSync(usual) ? usual : folder;
  if (!existsSync(path)) {
    output.line({ event: 'error', code: 'control.NOT_FOUND', message: `There is no folder ${folder}.` });
    output.warn(`There is no folder ${folder}.`);
    return exitCodes.usage;
  }
  const { ok, runId, problems, notCompared } = await verifyReport(path);
  for (const problem of problems) output.line({ event: 'problem', ...problem });
  output.line({ event: 'summary', ok, runId, problems: problems.length, notCompared });
  if (!json) {
    for (const { file, code, message } of problems) output.say(`${file}: ${code}: ${message}`);
    if (notCompared.length > 0) output.say(`Made by another version of the writer, so only their digests were checked: ${notCompared.join(', ')}.`);
    output.say(
      ok
        ? `${runId}: verified. Digests, evidence, verdict and projections agree.`
        : `${runId ?? path}: not verified, ${counted(problems.length, 'problem')}.`,
    );
  }
  return ok ? exitCodes.passed : exitCodes.failed;
}
