// `drillyard run`: the public runDrills, shown by reporters.
import { resolve } from 'node:path';
import { defined } from '../contract/defined.js';
import { seedOf } from '../contract/fresh-seed.js';
import type { RunEvent } from '../contract/run/run-events.js';
import type { RunDrillsOptions } from '../drills/plan/options.js';
import type { RunDrillsResult } from '../drills/run-drills.js';
import { runDrills, runDrillsRemotely } from '../index.js';
import type { PushedSource } from '../remote/push-source.js';
import { visibleLine } from '../text/visible-text.js';
import { commandsHere } from './commands-here.js';
import { diagnosticsText } from './diagnostics-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import type { ExternalDesk } from './external-desk.js';
import { failureLines, refusalOf, reportFailure } from './failure.js';
import { fromHere } from './from-here.js';
import type { Interrupt } from './interrupt.js';
import type { OneRun, RunFlags } from './one-run.js';
import { createOutput, type Output } from './output.js';
import { progressBar } from './progress-bar.js';
import { pushedWords } from './push-command.js';
import { receiversOf } from './receiver-flags.js';
import { type RemoteFlags, remoteOptionsOf } from './remote-flags.js';
import { holds, wantsJsonOnStdout } from './reporter-list.js';
import { runAgain } from './run-again.js';
import { RunReporters } from './run-reporters.js';

export async function runCommand({ again, ...flags }: RunFlags, interrupt: Interrupt): Promise<ExitCode> {
  return await withReporters(flags, interrupt, (run) => runAgain(run, again, { once: runOnce, nothing: runNothing }));
}

/** What every run of a command shares: streams, Ctrl-C, the agent desk. */
export async function withReporters(
  { json, reporters: choices, receivers, external, externalFile, ...options }: Omit<RunFlags, 'again'>,
  interrupt: Interrupt,
  play: (run: OneRun) => Promise<ExitCode>,
): Promise<ExitCode> {
  const hasDesk = external || externalFile !== undefined;
  const wantsJson = json || wantsJsonOnStdout(choices);
  // What an agent elsewhere reads is JSON lines; people then read stderr.
  const output = createOutput({ json: wantsJson || hasDesk });
  const terminal = wantsJson || holds(choices, 'none') ? undefined : hasDesk ? process.stderr : process.stdout;
  let desk: ExternalDesk | undefined;
  try {
    const callbackReceivers = receiversOf(receivers, process.env);
    if (hasDesk) desk = await (await import('./external-desk.js')).openExternalDesk(output, externalFile);
    const agent = desk === undefined ? {} : { agent: desk.agent };
    const given = defined({ callbackReceivers });
    return await play({ options: { ...options, ...agent, ...given }, choices, output, terminal, signal: interrupt.signal });
  } catch (error) {
    return reportFailure(error, output, resolve(options.root));
  } finally {
    await desk?.close();
  }
}

/** What the reporters have instead of a run. */
function runNothing(run: OneRun, why: string, line: object): ExitCode {
  const { output, terminal } = run;
  output.line(line);
  if (terminal !== undefined) output.say(`Nothing ran: ${why}.`);
  const reporters = reportersOf({ ...run, terminal: undefined });
  reporters.nothingToRun(why, line);
  return writeDocuments(reporters, {}, output) ? exitCodes.passed : exitCodes.failed;
}

function reportersOf({ options, choices, output, terminal }: OneRun): RunReporters {
  const root = resolve(options.root);
  return new RunReporters({
    choices,
    root,
    reportDirectory: resolve(root, options.reportDirectory),
    output,
    terminal,
    environment: process.env,
    commandPlace: commandsHere(options),
  });
}

/** One run from compiling to the last line; what went wrong has been shown. `result`: absent when the run was refused. */
export async function runOnce(run: OneRun): Promise<{ code: ExitCode; result?: RunDrillsResult }> {
  const { options, output, signal } = run;
  const { remote, seed, ...given } = options;
  const local = { ...given, ...defined({ seed: seedOf(seed) }) };
  const root = resolve(options.root);
  let reporters: RunReporters | undefined;
  try {
    const listening = reportersOf(run);
    reporters = listening;
    const compiling = progressBar('Compiling');
    const heard = {
      signal,
      onCompiling: compiling.update,
      onSources: (sources: RunDrillsResult['sources']) => listening.locate(sources),
      onNotice: (text: string) => {
        compiling.end();
        output.warn(visibleLine(text));
      },
      onEvent: (event: RunEvent) => {
        compiling.end();
        listening.onEvent(event);
      },
    };
    const running = remote === undefined ? runDrills({ ...local, ...heard }) : runRemotely({ ...local, ...heard }, remote, output);
    const result = await running.finally(compiling.end);
    reporters.quiet();
    tellAfterwards(result, root, output);
    if (result.cancelled && !hasAttempts(result)) output.warn(interruptedEarly);
    return { code: finish(reporters, result, output), result };
  } catch (error) {
    reporters?.quiet();
    // That somebody has interrupted it is said below.
    const isAbort = signal.aborted && error === signal.reason;
    const code = isAbort ? exitCodes.interrupted : reportFailure(error, output, root);
    reporters?.refuse(refusalOf(error), isAbort ? [] : failureLines(error));
    if (reporters !== undefined) writeDocuments(reporters, {}, output);
    if (!signal.aborted) return { code };
    output.warn(interruptedEarly);
    return { code: exitCodes.interrupted };
  }
}

const interruptedEarly = 'Interrupted before the first attempt; nothing ran.';

function hasAttempts({ drills }: RunDrillsResult): boolean {
  return drills.some(({ trials }) => trials.some(({ attempts }) => attempts.length > 0));
}

async function runRemotely(options: RunDrillsOptions, flags: RemoteFlags, output: Output): Promise<RunDrillsResult> {
  const remote = remoteOptionsOf(flags, process.env);
  const onPushed = (pushed: PushedSource): void => {
    output.line({ event: 'pushed', ...pushed });
    output.warn(visibleLine(pushedWords(pushed)));
  };
  return await runDrillsRemotely({ ...options, remote, onPushed });
}

function finish(reporters: RunReporters, result: RunDrillsResult, output: Output): ExitCode {
  const isWritten = writeDocuments(reporters, result.sources, output);
  const code = exitCodeFor(result);
  return code === exitCodes.passed && !isWritten ? exitCodes.failed : code;
}

/** False: one could not be written, and that has been shown. */
function writeDocuments(reporters: RunReporters, sources: RunDrillsResult['sources'], output: Output): boolean {
  const { files, failures } = reporters.finish(sources);
  for (const file of files) output.warn(`written ${fromHere(file)}`);
  for (const failure of failures) reportFailure(failure, output, process.cwd());
  return failures.length === 0;
}

function tellAfterwards({ drills, diagnostics }: RunDrillsResult, root: string, output: Output): void {
  if (diagnostics.length > 0) output.warn(diagnosticsText(diagnostics, { root, color: process.stderr.isTTY === true }));
  const attempts = drills.flatMap(({ trials }) => trials.flatMap((trial) => trial.attempts));
  for (const { runId, reportError } of attempts)
    if (reportError !== undefined) output.warn(visibleLine(`${runId}: ${reportError.message}`));
}

/** As the verdict says, which every reporter has: an attempt without its report has not passed, whatever a later one of its trial did. */
function exitCodeFor({ verdict, cancelled, endedEarly }: RunDrillsResult): ExitCode {
  if (cancelled) return exitCodes.interrupted;
  return verdict === 'passed' && endedEarly === undefined ? exitCodes.passed : exitCodes.failed;
}
