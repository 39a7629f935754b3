// `drillyard completion`, and the hidden `drillyard complete` that its scripts call.
import { Argument, type Command } from 'commander';
import { defined } from '../../contract/defined.js';
import { listedKinds, shells } from '../completion.js';
import { configOption, type Finish, rootOption } from './options.js';

export function addCompletion(program: Command, finish: Finish): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and ids in a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(shells))
    .action(async (shell) => {
      const { completionCommand } = await import('../complete-command.js');
      finish(completionCommand(program, shell));
    });
  program
    .command('complete', { hidden: true })
    .addArgument(new Argument('<kind>').choices(listedKinds))
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (kind, { root, config }) => {
      const { completeCommand } = await import('../complete-command.js');
      finish(completeCommand({ kind, ...defined({ root: root as string, config: config as string | undefined }) }));
    });
}
