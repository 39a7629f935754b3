// `drillyard run`, the default command.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../../contract/shape-words.js';
import { visibleLine } from '../../reports/html/visible-text.mjs';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { parseReporters, type ReporterChoice, reporterNames } from '../reporter-list.js';
import { configOption, defined, type Finish, jsonOption, receiverOption, rootOption, type SourceCommandFlags } from './options.js';
import { type SelectionFlags, selection, withSelection } from './selection.js';

interface RunCommandFlags extends SourceCommandFlags, SelectionFlags {
  reporter: ReporterChoice[];
  isolate?: 'thread' | 'process' | 'box';
  failFast: boolean;
  receiver: string[];
  watch: boolean;
  reportDir: string;
  runDir: string;
  allowRemote: boolean;
  external: boolean;
  externalFile?: string;
}

export function addRun(program: Command, finish: Finish): void {
  withSelection(program.command('run', { isDefault: true }).description('run drills (the default command)'))
    .addOption(
      new Option('--isolate <where>', 'where tool code and module targets run (default: thread; box for installed tool packages)').choices([
        'thread',
        'process',
        'box',
      ]),
    )
    .option('--reporter <list>', `what tells of the run, by commas: ${reporterNames.join(', ')}; name=path says where to write`, reportersOf, [])
    .option('--watch', 'run again what a change of the source concerns, and what did not pass', false)
    .option('--allow-remote', 'http targets may be on other machines', false)
    .option('--external', 'external targets are whoever asks the agent desk, whose address stdout tells; see docs/targets.md', false)
    .option('--external-file <file>', 'the same, with its address and token in this file (mode 0600) and no secret on stdout')
    .option('--fail-fast', 'start no further attempts once a drill has failed', false)
    .addOption(receiverOption())
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .option('--report-dir <folder>', 'where reports go, relative to the repository', '.service/reports')
    .option('--run-dir <folder>', 'where worlds are kept, relative to the repository', '.service/runs')
    .action(async (drills: string[], flags: RunCommandFlags, command: Command) => {
      const { root, config, json, reporter, isolate, failFast, receiver, reportDir, runDir, allowRemote, external, externalFile } = flags;
      const options = { root, config, json, reporters: reporter, isolate, stopOnFailure: failFast, reportDirectory: reportDir, runDirectory: runDir };
      const all = { ...defined(options), ...defined({ allowRemote, external, externalFile }), ...selection(drills, flags), receivers: receiver };
      const ended = async (code: Promise<ExitCode>): Promise<void> => {
        finish(await code);
        if ((await code) === exitCodes.usage) hintCommand(drills[0], command);
      };
      if (flags.watch) await ended((await import('../watch-command.js')).watchCommand(all));
      else await ended((await import('../run-command.js')).runCommand(all));
    });
}

/** The default command takes what is no command for a drill. */
function hintCommand(word: string | undefined, { parent }: Command): void {
  if (word === undefined || parent?.args[0] !== word) return;
  const names = parent.commands.map((known) => known.name()).filter((name) => name !== 'complete');
  const near = nearest(word, names);
  if (near !== undefined) process.stderr.write(`"${visibleLine(word)}" is no command. Did you mean "drillyard ${near}"?\n`);
}

function reportersOf(text: string, earlier: ReporterChoice[]): ReporterChoice[] {
  const parsed = parseReporters(text);
  if ('problem' in parsed) throw new InvalidArgumentError(parsed.problem);
  return [...earlier, ...parsed.reporters];
}
