// `validate` and `plan`: what reads the repository and runs nothing.
import type { Command } from 'commander';
import { defined } from '../../contract/defined.js';
import { configOption, type Finish, jsonOption, rootOption, type SourceCommandFlags } from './options.js';
import { type SelectionFlags, selection, withSelection } from './selection.js';

export function addSource(program: Command, finish: Finish): void {
  program
    .command('validate')
    .description('compile the repository, check the types of its TypeScript, and show every mistake at once; runs nothing')
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .option('--no-types', 'do not check types')
    .action(async (flags) => {
      const { validateCommand } = await import('../validate-command.js');
      finish(await validateCommand(flags));
    });
  withSelection(program.command('plan').description('show what run would run, with every seed; runs nothing'))
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (drills: string[], flags: SourceCommandFlags & SelectionFlags) => {
      const { planCommand } = await import('../plan-command.js');
      const { root, config, json } = flags;
      finish(await planCommand({ ...defined({ root, config, json }), ...selection(drills, flags) }));
    });
}
