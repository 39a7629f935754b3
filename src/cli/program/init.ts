// `drillyard init`: a new repository.
import { type Command, Option } from 'commander';
import { defined } from '../../contract/defined.js';
import type { Finish } from './options.js';

export function addInit(program: Command, finish: Finish): void {
  program
    .command('init')
    .description('write a small repository that runs')
    .argument('[folder]', 'where; default: the current folder')
    .addOption(
      new Option('--template <name>', 'what is in it; default: support-desk').choices(['support-desk', 'payments', 'python', 'mcp']),
    )
    .addOption(new Option('--agent <kind>', 'what the agent of support-desk is').choices(['module', 'command']))
    .addOption(new Option('--ci <system>', 'a workflow that runs the drills, also for a repository that is there').choices(['github']))
    .option('--force', 'write over files that are there', false)
    .option('-y, --yes', 'ask nothing', false)
    .action(async (folder: string | undefined, { template, agent, ci, force, yes }) => {
      const { initCommand } = await import('../init-command.js');
      finish(await initCommand({ ...defined({ folder, template, agent, ci }), force, yes }));
    });
}
