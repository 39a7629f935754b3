// One process that gets something as JSON on stdin and answers with nothing or one JSON value on stdout; stderr is its log. However it
// ends, there is one result, and by then the process and its group are gone (processes/run-command.ts).
import { limits } from '../../contract/limits.js';
import type { RunError } from '../../contract/run/run.js';
import { type CommandEnd, RunningCommand } from '../../processes/run-command.js';
import { runError } from '../ports/run-error.js';
import { Deadline } from './deadline.js';
import { findExecutable } from './executable.js';
import type { Redactor } from './redaction.js';
import type { TargetWork } from './target-kind.js';
import { TargetLog } from './target-log.js';
import { outputTooLarge, parseOutputBytes } from './target-output.js';
import type { TargetRun } from './target-run.js';

export interface JsonCommand extends Pick<TargetWork, 'access' | 'timeoutMs' | 'signal' | 'redactor' | 'say'> {
  executable: string;
  arguments: readonly string[];
  /** Exists. */
  directory: string;
  /** The whole of it. */
  environment: NodeJS.ProcessEnv;
  input: unknown;
  /** Puts the command, whose file is found by now, into another that bounds it. */
  enclose?(command: { file: string; args: string[] }): EnclosedCommand;
}

export interface EnclosedCommand {
  file: string;
  args: string[];
  /** Called once the command has ended. */
  ended(): void;
}

export async function runJsonCommand(command: JsonCommand): Promise<TargetRun> {
  const executable = findExecutable(command.executable, command.directory);
  if (typeof executable !== 'string') return failedRun(executable);
  const own = { file: executable, args: [...command.arguments] };
  const { ended, ...enclosed } = command.enclose?.(own) ?? { ...own, ended: () => {} };
  try {
    return await runToEnd(enclosed, command);
  } catch (error) {
    return failedRun(spawnFailed(error as Error));
  } finally {
    ended();
  }
}

async function runToEnd(enclosed: Pick<EnclosedCommand, 'file' | 'args'>, command: JsonCommand): Promise<TargetRun> {
  const { directory, environment, input, access, timeoutMs, signal, redactor, say } = command;
  const log = new TargetLog(redactor, say);
  const running = new RunningCommand({
    ...enclosed,
    directory,
    environment,
    input: `${JSON.stringify(input)}\n`,
    outputBytesMax: limits.targetOutputBytesMax,
    onLog: (text) => log.append(text),
    onExit: () => deadline.stop(),
  });
  const deadline = new Deadline({ access, timeoutMs, signal, deliver: () => running.terminate() });
  const end = await running.ended;
  deadline.stop();
  return resultOf(end, { log, redactor, deadline });
}

function resultOf(end: CommandEnd, { log, redactor, deadline }: { log: TargetLog; redactor: Redactor; deadline: Deadline }): TargetRun {
  const said = { ...log.kept(), files: [], refusals: [] };
  const { ended } = deadline;
  if (ended !== undefined) return { status: ended, error: lateError(end, deadline.error(log.tail())), ...said };
  const error = errorOf(end, log);
  if (error !== undefined) return { status: 'failed', error, ...said };
  const output = parseOutputBytes(end.output, redactor);
  if (output.kind === 'invalid') return { status: 'failed', error: output.error, ...said };
  return { status: 'completed', ...(output.kind === 'value' ? { output: output.value } : {}), ...said };
}

/** Of one that its end came upon after it had written an answer. */
function lateError({ outputBytes }: CommandEnd, error: RunError): RunError {
  if (error.code === 'target.CANCELLED' || outputBytes === 0) return error;
  return { ...error, message: `${error.message} It had written ${outputBytes} bytes of output, and was still running.` };
}

function errorOf({ failure, code, signal }: CommandEnd, log: TargetLog): RunError | undefined {
  if (failure?.kind === 'spawn') return spawnFailed(failure.error);
  if (failure?.kind === 'output_too_large') return outputTooLarge();
  if (code === 0) return undefined;
  const details = { exitCode: code, signal, stderr: log.tail() };
  if (code === null) return runError('target.SIGNALED', `The command was ended by ${signal}.`, { details });
  return runError('target.EXIT_CODE', `The command exited with code ${code}.`, { details });
}

export function failedRun(error: RunError): TargetRun {
  return { status: 'failed', error, log: '', files: [], refusals: [] };
}

function spawnFailed({ message }: Error): RunError {
  return runError('target.SPAWN_FAILED', `The command could not be started: ${message}.`);
}
