// `drillyard doctor`.
import type { Command } from 'commander';
import { configOption, type Finish, jsonOption, rootOption, type SourceCommandFlags } from './options.js';

export function addDoctor(program: Command, finish: Finish): void {
  program
    .command('doctor')
    .description('check what this machine and this repository need, and say how to mend what is missing')
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (flags: SourceCommandFlags) => {
      const { doctorCommand } = await import('../doctor-command.js');
      finish(await doctorCommand(flags));
    });
}
