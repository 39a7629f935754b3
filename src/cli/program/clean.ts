// `drillyard clean`: frees what old runs take.
import type { Command } from 'commander';
import { localFolders } from '../../contract/local-folders.js';
import { type Finish, jsonOption, rootOption } from './options.js';
import { type RetentionFlags, retentionOf, withRetention } from './retention-options.js';

interface CleanFlags extends RetentionFlags {
  yes: boolean;
  json: boolean;
  root: string;
  reportDir: string;
  runDir: string;
}

export function addClean(program: Command, finish: Finish): void {
  withRetention(
    program.command('clean').description('show what old runs take, and with --yes remove them; each run removes them by itself'),
  )
    .option('-y, --yes', 'remove them', false)
    .addOption(jsonOption())
    .addOption(rootOption())
    .option('--report-dir <folder>', 'where reports are, relative to the repository', localFolders.reports)
    .option('--run-dir <folder>', 'where worlds are kept, relative to the repository', localFolders.runs)
    .action(async ({ yes, json, root, reportDir, runDir, ...retention }: CleanFlags) => {
      const { cleanCommand } = await import('../clean-command.js');
      finish(await cleanCommand({ yes, json, root, reportDirectory: reportDir, runDirectory: runDir, retention: retentionOf(retention) }));
    });
}
