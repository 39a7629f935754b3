// `show`, `fork` and `replay`: what is done with one stored run.
import { type Command, InvalidArgumentError } from 'commander';
import { defined } from '../../contract/defined.js';
import { localFolders } from '../../contract/local-folders.js';
import type { ForkFlags } from '../fork-command.js';
import type { ReplayFlags } from '../replay-command.js';
import type { ShowFlags } from '../show-command.js';
import { collect, configOption, type Finish, jsonOption, positive, rootOption, type SourceCommandFlags } from './options.js';

export const runArgument = "a report folder, the id of a run of this repository, 'latest', or 'latest~1' for the run before it";

export function addStoredRun(program: Command, finish: Finish): void {
  addShow(program, finish);
  addFork(program, finish);
  withReplay(program.command('replay'), finish);
}

interface ShowCommandFlags extends Omit<ShowFlags, 'run' | 'diff'> {
  diff?: [number, number];
}

function addShow(program: Command, finish: Finish): void {
  program
    .command('show')
    .description('look into a stored run: why, its journal, its calls, a row at an entry, what two entries differ in')
    .argument('<run>', runArgument)
    .option('--journal', 'the entries; with --at those around one', false)
    .option('--calls', 'the calls with their arguments and answers', false)
    .option('--at <n>', 'this entry, in full, with what caused it and what it caused', positive)
    .option('--row <name>', 'a row, package/namespace/row or namespace/row, right after the entry --at, else at the end')
    .option('--diff <a..b>', 'the rows that differ between two entries', twoEntries)
    .option('--from <n>', 'with --journal or --calls: from this entry on', positive)
    .option('--limit <n>', '... so many of them', positive)
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (run: string, flags: ShowCommandFlags) => {
      const { showCommand } = await import('../show-command.js');
      finish(await showCommand({ ...flags, run }));
    });
}

function addFork(program: Command, finish: Finish): void {
  program
    .command('fork')
    .description('a world as a stored run stood after an entry, for drillyard world call, or for a command behind --')
    .argument('<run>', runArgument)
    .argument('[command...]', 'what runs with the world in its environment; without one the world stays until Ctrl-C')
    .requiredOption('--at <n>', 'the entry after which it stands; before a call that is the one before it', positive)
    .option('--actor <id>', "who acts; default: who called next in the run, or the run's first actor")
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .option('--run-dir <folder>', 'where worlds are kept, relative to the repository', localFolders.runs)
    .action(async (run: string, command: string[], flags: Omit<ForkFlags, 'run' | 'command' | 'runDirectory'> & { runDir: string }) => {
      const { runDir, ...options } = flags;
      const { forkCommand } = await import('../fork-command.js');
      finish(await forkCommand({ ...options, run, command, runDirectory: runDir }));
    });
}

interface ReplayCommandFlags extends SourceCommandFlags {
  world: boolean;
  scenario?: string;
  fault: string[];
}

/** `replay` and `report replay`. */
export function withReplay(command: Command, finish: Finish): void {
  command
    .description('make the tool calls of a stored run again, against the world of the present source; runs no agent')
    .argument('<run>', runArgument)
    .option('--world', "against the world's own start, in the place of what the drill starts from", false)
    .option('--scenario <id>', 'against this scenario')
    .option('--fault <name>', 'with this fault on, package.fault; with =off behind it, off (repeatable)', collect, [])
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (report: string, { world, scenario, fault, json, root, config }: ReplayCommandFlags, command: Command) => {
      if (world && scenario !== undefined) command.error('error: --world is a start, and --scenario is another; leave one out');
      const { replayCommand } = await import('../replay-command.js');
      const flags: ReplayFlags = {
        report,
        faults: fault,
        json,
        root,
        ...defined({ config, scenarioId: scenario }),
        ...(world ? { baseline: true } : {}),
      };
      finish(await replayCommand(flags));
    });
}

function twoEntries(text: string): [number, number] {
  const [, from, to] = /^(\d{1,9})(?:\.\.|,|-)(\d{1,9})$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new InvalidArgumentError('It is two entries, such as 12..24.');
  return [Number(from), Number(to)];
}
