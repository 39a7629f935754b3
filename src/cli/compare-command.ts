// `drillyard compare <left> <right>`: two sealed runs side by side. Facts only; it ends with 0 whatever they are.
import { resolve } from 'node:path';
import type { RunComparison } from '../contract/hosted/runs.js';
import { compareSealed } from '../drills/stored/compare-sealed.js';
import type { SealedReport } from '../drills/stored/sealed-report.js';
import { sealedReportIn } from '../drills/stored/verified-report.js';
import { oneReportPath } from '../reports/report-path.js';
import { comparisonLines } from './comparison-lines.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';
import { withProgressBar } from './progress-bar.js';

export interface CompareFlags {
  left: string;
  right: string;
  root: string;
  json: boolean;
}

export async function compareCommand(flags: CompareFlags): Promise<ExitCode> {
  const output = createOutput(flags);
  try {
    const comparison = await compared(flags);
    output.line({ event: 'comparison', ...comparison });
    if (!output.json) for (const line of comparisonLines(comparison)) output.say(line);
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, resolve(flags.root));
  }
}

/** Either side is read twice, once to check it and once to compare it; the first takes longer. */
function compared({ left, right, root }: CompareFlags): Promise<RunComparison> {
  const folders = [left, right].map((named) => oneReportPath(named, root));
  return withProgressBar('Comparing', async ({ update }) => {
    const sides: SealedReport[] = [];
    for (const folder of folders) {
      const before = sides.length;
      const onProgress = (done: number, total: number): void => update(before + done / Math.max(total, 1), 3);
      sides.push(await sealedReportIn(folder, { onProgress }));
    }
    const [one, other] = sides as [SealedReport, SealedReport];
    return await compareSealed(one, other);
  });
}
