// `drillyard run`, the default command.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import { localFolders } from '../../contract/local-folders.js';
import { isInvocationId } from '../../reports/invocation-id.js';
import { nearest } from '../../text/nearest.js';
import { visibleLine } from '../../text/visible-text.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { abortOnInterrupt } from '../interrupt.js';
import { parseReporters, type ReporterChoice, reporterNames } from '../reporter-list.js';
import { configOption, type Finish, jsonOption, positive, receiverOption, rootOption, type SourceCommandFlags } from './options.js';
import { type RemoteCommandFlags, remoteFlagsOf, withRemote } from './remote-options.js';
import { type RetentionFlags, retentionOf, withRetention } from './retention-options.js';
import { type SelectionFlags, selection, withSelection } from './selection.js';

interface RunCommandFlags extends SourceCommandFlags, SelectionFlags, RetentionFlags, RemoteCommandFlags {
  reporter: ReporterChoice[];
  isolate?: 'thread' | 'process' | 'box';
  failFast: boolean;
  lastFailed?: string | true;
  repeat?: string;
  untilFailed?: number;
  receiver: string[];
  watch: boolean;
  reportDir: string;
  runDir: string;
  allowRemote: boolean;
  external: boolean;
  externalFile?: string;
}

export function addRun(program: Command, finish: Finish): void {
  const command = withSelection(program.command('run', { isDefault: true }).description('run drills (the default command)'));
  withRetention(withRemote(command, 'run them with their worlds in this hosted service, agents here'))
    .addOption(
      new Option('--isolate <where>', 'where tool code and module targets run (default: thread; box for installed tool packages)').choices([
        'thread',
        'process',
        'box',
      ]),
    )
    .option(
      '--reporter <list>',
      `what reports the run, by commas: ${reporterNames.join(', ')}; name=path says where to write`,
      reportersOf,
      [],
    )
    .option('--watch', 'run again what a change of the source concerns, and what did not pass', false)
    .option('--allow-remote', 'http targets may be on other machines', false)
    .option(
      '--external',
      'agents of external targets fetch their work from the agent desk, whose address is printed on stdout; see docs/targets.md',
      false,
    )
    .option('--external-file <file>', 'the same, with its address and token in this file (mode 0600) and no secret on stdout')
    .option('--last-failed [invocation]', 'the trials that did not pass in the latest run, or in this one, with its seed', invocationId)
    .option('--repeat <run>', 'this run once more: drill, trial and seed; says whether it went the same way')
    .option('--until-failed <n>', 'again and again until something does not pass, so often at most', rounds)
    .option('--fail-fast', 'start no further attempts once a drill has failed', false)
    .addOption(receiverOption())
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .option('--report-dir <folder>', 'where reports go, relative to the repository', localFolders.reports)
    .option('--run-dir <folder>', 'where worlds are kept, relative to the repository', localFolders.runs)
    .action(async (drills: string[], flags: RunCommandFlags, command: Command) => {
      const all = optionsOf(drills, flags);
      requireFitting(flags, command);
      const ended = async (code: Promise<ExitCode>): Promise<void> => {
        finish(await code);
        if ((await code) === exitCodes.usage) hintCommand(drills[0], command);
      };
      // Before the rest is loaded, which takes a while.
      const interrupt = abortOnInterrupt((text) => process.stderr.write(`${text}\n`));
      try {
        if (flags.watch) await ended((await import('../watch-command.js')).watchCommand(all, interrupt));
        else await ended((await import('../run-command.js')).runCommand(all, interrupt));
      } finally {
        interrupt.stop();
      }
    });
}

function optionsOf(drills: string[], flags: RunCommandFlags) {
  const { root, config, json, reporter, isolate, failFast, receiver, reportDir, runDir, allowRemote, external, externalFile } = flags;
  const { lastFailed, repeat, untilFailed } = flags;
  return {
    ...defined({ root, config, json, isolate, allowRemote, external, externalFile }),
    ...selection(drills, flags),
    reporters: reporter,
    stopOnFailure: failFast,
    reportDirectory: reportDir,
    runDirectory: runDir,
    receivers: receiver,
    retention: retentionOf(flags),
    again: defined({ lastFailed, repeat, untilFailed }),
    ...(flags.remote === undefined ? {} : { remote: remoteFlagsOf(flags) }),
  };
}

function requireFitting(
  { remote, watch, receiver, tokenFile, project, environment, draft, lastFailed, repeat, untilFailed, trial, shard }: RunCommandFlags,
  command: Command,
): void {
  if (remote !== undefined && watch) command.error('error: --watch runs drills on this machine; leave --remote out, or run again by hand');
  if (remote !== undefined && receiver.length > 0)
    command.error('error: callbacks of a remote run go to receivers that are registered with the service; leave --receiver out');
  const again = Object.entries({ lastFailed, repeat, untilFailed }).find(([, value]) => value !== undefined);
  if (watch && again !== undefined) command.error(`error: --watch runs what changed and what did not pass; leave --${kebab(again[0])} out`);
  if (repeat !== undefined && (lastFailed !== undefined || trial !== undefined || shard !== undefined))
    command.error('error: --repeat says which trial of which run; leave --last-failed, --trial and --shard out');
  const unused = Object.entries({ tokenFile, project, environment, draft }).find(([, value]) => value !== undefined);
  if (remote === undefined && unused !== undefined)
    command.error(`error: --${kebab(unused[0])} is of a remote run; name one with --remote`);
}

function invocationId(text: string): string {
  if (isInvocationId(text)) return text;
  throw new InvalidArgumentError('It is the id of an invocation, inv_...; name drills before the option.');
}

function rounds(text: string): number {
  const times = positive(text);
  if (times <= limits.runRoundsMax) return times;
  throw new InvalidArgumentError(`It must be at most ${limits.runRoundsMax}.`);
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The default command takes what is no command for a drill. */
function hintCommand(word: string | undefined, { parent }: Command): void {
  if (word === undefined || parent?.args[0] !== word) return;
  const near = nearestCommand(parent, word);
  if (near !== undefined) process.stderr.write(`${meant(word, near)}\n`);
}

/** Where the first word is nearly a command, and what follows has an option that `run` does not know: what to say instead of that. */
export function mistypedCommand(program: Command, [word, ...rest]: readonly string[]): string | undefined {
  if (word === undefined || word.startsWith('-') || program.commands.some((command) => command.name() === word)) return undefined;
  const known = program.commands.find((command) => command.name() === 'run')?.options.flatMap(({ long, short }) => [long, short]) ?? [];
  const options = rest.filter((text) => text.startsWith('-') && text !== '-').map((text) => text.replace(/=.*/s, ''));
  const near = nearestCommand(program, word);
  return near === undefined || options.every((option) => ['-h', '--help', ...known].includes(option)) ? undefined : meant(word, near);
}

function nearestCommand({ commands }: Command, word: string): string | undefined {
  return nearest(
    word,
    commands.map((known) => known.name()).filter((name) => name !== 'complete'),
  );
}

const meant = (word: string, near: string): string => `"${visibleLine(word)}" is no command. Did you mean "drillyard ${near}"?`;

function reportersOf(text: string, earlier: ReporterChoice[]): ReporterChoice[] {
  const parsed = parseReporters(text);
  if ('problem' in parsed) throw new InvalidArgumentError(parsed.problem);
  return [...earlier, ...parsed.reporters];
}
