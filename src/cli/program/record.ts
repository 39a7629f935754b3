// `record`: a stored run as a drill or a scenario of the repository.
import type { Command } from 'commander';
import { defined } from '../../contract/defined.js';
import { collect, configOption, type Finish, jsonOption, positive, rootOption, type SourceCommandFlags } from './options.js';

export function addRecord(program: Command, finish: Finish): void {
  program
    .command('record')
    .description('show a stored run as a drill or a scenario of the repository, or write it; runs no agent')
    .argument('<run>', "a report folder, the id of a run of this repository, 'latest', or 'latest~1' for the run before it")
    .option('--drill <id>', 'as a drill of this id, which makes the same calls')
    .option('--scenario <id>', 'as a scenario of this id, which begins where the world stood')
    .option('--title <text>', 'its title')
    .option('--at <n>', 'up to the command of entry n; default: all of it', positive)
    .option('--target <id>', 'a target that plays the tasks of the run; default: the calls of the run are made again')
    .option('--pin <what>', 'an entry (14) or a row (payments/refunds/re_000001) to be found again; repeatable', collect, [])
    .option('--write', 'write the files', false)
    .option('--replace', 'with --write: also over files with other content', false)
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (run: string, { drill, scenario, title, at, target, config, ...flags }: RecordCommandFlags) => {
      const { recordCommand } = await import('../record-command.js');
      finish(await recordCommand({ run, ...flags, ...defined({ drill, scenario, title, at, target, config }) }));
    });
}

interface RecordCommandFlags extends SourceCommandFlags {
  drill?: string;
  scenario?: string;
  title?: string;
  at?: number;
  target?: string;
  pin: string[];
  write: boolean;
  replace: boolean;
}
