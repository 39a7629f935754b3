// `history`: what stored reports say of each drill over time.
import { type Command, InvalidArgumentError } from 'commander';
import { defined, type Finish, jsonOption, rootOption } from './options.js';

export function addHistory(program: Command, finish: Finish): void {
  program
    .command('history')
    .description('what stored reports say of each drill over time: verdicts, pass rate, last failure, flakes')
    .argument('[drills...]', 'drill ids; default: every drill that has a report')
    .option('--flaky', 'only drills that are flaky', false)
    .option('--last <n>', 'look at the newest so many reports', positive)
    .option('--report-dir <folder>', 'where reports are, relative to the repository', '.service/reports')
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

function positive(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a positive integer.');
  return Number(text);
}
