// `history`: what stored reports say of each drill over time.
import type { Command } from 'commander';
import { defined } from '../../contract/defined.js';
import { localFolders } from '../../contract/local-folders.js';
import { type Finish, jsonOption, positive, rootOption } from './options.js';

export function addHistory(program: Command, finish: Finish): void {
  program
    .command('history')
    .description('what stored reports say of each drill over time: verdicts, pass rate, last failure, flakes')
    .argument('[drills...]', 'drill ids; default: every drill that has a report')
    .option('--flaky', 'only drills that are flaky', false)
    .option('--last <n>', 'read the newest so many reports', positive)
    .option('--report-dir <folder>', 'where reports are, relative to the repository', localFolders.reports)
    .addOption(jsonOption())
    .addOption(rootOption())
    .action(async (drills: string[], { flaky, last, reportDir, json, root }: HistoryCommandFlags) => {
      const { historyCommand } = await import('../history-command.js');
      finish(await historyCommand({ drills, flaky, reportDirectory: reportDir, json, root, ...defined({ last }) }));
    });
}

interface HistoryCommandFlags {
  flaky: boolean;
  last?: number;
  reportDir: string;
  json: boolean;
  root: string;
}
