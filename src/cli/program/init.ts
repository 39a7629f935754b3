// `drillyard init`: a new repository.
import { type Command, Option } from 'commander';
import { defined, type Finish } from './options.js';

export function addInit(program: Command, finish: Finish): void {
  program
    .command('init')
    .description('write a small repository that runs')
    .argument('[folder]', 'where; default: the current folder')
    .addOption(new Option('--agent <kind>', 'what the agent is').choices(['module', 'command']))
    .option('-y, --yes', 'ask nothing', false)
    .action(async (folder: string | undefined, { agent, yes }) => {
      const { initCommand } = await import('../init-command.js');
      finish(await initCommand({ ...defined({ folder, agent }), yes }));
    });
}
