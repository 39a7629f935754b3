// `drillyard report`: what can be done with reports, a subcommand each.
import type { Command } from 'commander';
import { type Finish, jsonOption, rootOption } from './options.js';

export function addReport(program: Command, finish: Finish): void {
  const report = program.command('report').description('work on reports');
  report
    .command('verify')
    .description('check a report folder: digests, evidence, verdict, projections')
    .argument('<folder>', 'the report folder, or the id of a run of this repository')
    .addOption(jsonOption())
    .addOption(rootOption())
    .action(async (folder: string, { json, root }) => {
      const { verifyCommand } = await import('../report-command.js');
      finish(await verifyCommand({ folder, json, root }));
    });
}
