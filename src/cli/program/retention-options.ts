// The options of commands that keep runs; apart from the others, since these name bounds that a command of a world must not load.
import { type Command, InvalidArgumentError } from 'commander';
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import type { ReportRetention } from '../../reports/retention.js';

/** Which runs are kept. */
export function withRetention(command: Command): Command {
  return command
    .option('--keep <n>', `the newest runs that are kept; default ${limits.keptRuns}`, count)
    .option(
      '--keep-failed-days <n>',
      `for so many days, older runs that did not pass are kept too; default ${limits.keptFailedDays}`,
      count,
    );
}
export interface RetentionFlags {
  keep?: number;
  keepFailedDays?: number;
}
export function retentionOf({ keep, keepFailedDays }: RetentionFlags): ReportRetention {
  return defined({ runs: keep, failedDays: keepFailedDays });
}

function count(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It must be an integer from 0.');
  return Number(text);
}
