// `report verify`, `report check`, `report replay`, `report compare`: the commands that read stored reports.
import type { Command } from 'commander';
import { defined } from '../../contract/defined.js';
import { configOption, type Finish, jsonOption, positive, rootOption, type SourceCommandFlags } from './options.js';
import { runArgument, withReplay } from './stored-run.js';

export function addReport(program: Command, finish: Finish): void {
  const report = program.command('report').description('work on reports');
  report
    .command('verify')
    .description('check a report folder: digests, evidence, verdict, projections')
    .argument('<report>', runArgument)
    .addOption(jsonOption())
    .addOption(rootOption())
    .action(async (folder: string, { json, root }: SourceCommandFlags) => {
      const { verifyCommand } = await import('../report-command.js');
      finish(await verifyCommand({ folder, json, root }));
    });
  report
    .command('check')
    .description('judge stored runs again with the assertions of the present source; runs no agent')
    .argument('[reports...]', "report folders, directories of them, or ids of runs; default: the repository's reports")
    .option('--last <n>', 'of each directory, the newest so many reports', positive)
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (reports: string[], { last, json, root, config }: SourceCommandFlags & { last?: number }) => {
      const { checkCommand } = await import('../check-command.js');
      finish(await checkCommand({ reports, ...defined({ last, json, root, config }) }));
    });
  withReplay(report.command('replay'), finish);
  addCompare(report, finish);
  addCompare(program, finish);
}

/** By itself, and with the commands of reports. */
function addCompare(parent: Command, finish: Finish): void {
  parent
    .command('compare')
    .description('two runs side by side: what went in, where they parted and with which values, what came out')
    .argument('<left>', runArgument)
    .argument('<right>', 'another')
    .addOption(jsonOption())
    .addOption(rootOption())
    .action(async (left: string, right: string, { json, root }: SourceCommandFlags) => {
      const { compareCommand } = await import('../compare-command.js');
      finish(await compareCommand({ left, right, json, root }));
    });
}
