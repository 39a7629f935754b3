// The commands that read stored reports: verify, check, compare, and history over all of them.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from './exit-codes.js';

type Finish = (code: ExitCode) => void;

const rootOption = () => new Option('--root <folder>', 'the repository').default('.');
const configOption = () => new Option('--config <file>', 'the root file, relative to the repository').default(undefined, 'drillyard.json');
const jsonOption = () => new Option('--json', 'one JSON object a line on stdout and nothing else there').default(false);

interface Flags {
  json: boolean;
  root: string;
  config?: string;
}

export function addReports(program: Command, finish: Finish): void {
  const report = program.command('report').description('work on reports');
  report
    .command('verify')
    .description('check a report folder: digests, evidence, verdict, projections')
    .argument('<folder>', 'the report folder, or the id of a run of this repository')
    .addOption(jsonOption())
    .addOption(rootOption())
    .action(async (folder: string, { json, root }: Flags) => {
      const { verifyCommand } = await import('./report-command.js');
      finish(await verifyCommand({ folder, json, root }));
    });
  report
    .command('check')
    .description('judge stored runs again with the assertions of the present source; runs no agent')
    .argument('[reports...]', "report folders, directories of them, or ids of runs; default: the repository's reports")
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (reports: string[], { json, root, config }: Flags) => {
      const { checkCommand } = await import('./check-command.js');
      finish(await checkCommand({ reports, json, root, ...(config === undefined ? {} : { config }) }));
    });
  report
    .command('compare')
    .description('two runs side by side: what went in, where they parted, what came out')
    .argument('<left>', 'a report folder, or the id of a run of this repository')
    .argument('<right>', 'another')
    .addOption(jsonOption())
    .addOption(rootOption())
    .action(async (left: string, right: string, { json, root }: Flags) => {
      const { compareCommand } = await import('./compare-command.js');
      finish(await compareCommand({ left, right, json, root }));
    });
}

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
    .action(async (drills: string[], { flaky, last, reportDir, json, root }: Flags & { flaky: boolean; last?: number; reportDir: string }) => {
      const { historyCommand } = await import('./history-command.js');
      finish(await historyCommand({ drills, flaky, reportDirectory: reportDir, json, root, ...(last === undefined ? {} : { last }) }));
    });
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a positive integer.');
  return Number(text);
}
