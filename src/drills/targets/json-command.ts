// One process that gets something as JSON on stdin and answers with nothing or one JSON value on stdout; stderr is its log. Spawned
// without a shell, in a process group of its own, bounded in time and output.
//   JSON-COMMAND-1. Whatever the process does there is one result, and by then the process and its group are gone.
//   JSON-COMMAND-2. Time counts until the process has ended; that something it started still holds its pipes is not its lateness.
import { type ChildProcess, spawn } from 'node:child_process';
import { limits } from '../../contract/limits.js';
import type { RunError } from '../../contract/run.js';
import { runError } from '../run-error.js';
import { Deadline, endedError } from './deadline.js';
import { findExecutable } from './executable.js';
import type { Redactor } from './redaction.js';
import type { TargetWork } from './target-kind.js';
import { TargetLog } from './target-log.js';
import { outputTooLarge, parseOutputBytes } from './target-output.js';
import type { TargetRun } from './target-run.js';

export interface JsonCommand extends Pick<TargetWork, 'access' | 'timeoutMs' | 'signal' | 'redactor'> {
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
  const { directory: cwd, environment: env } = command;
  const own = { file: executable, args: [...command.arguments] };
  const { file, args, ended } = command.enclose?.(own) ?? { ...own, ended: () => {} };
  try {
    const child = spawn(file, args, { cwd, env, shell: false, stdio: 'pipe', detached: true });
    return await new CommandRun(child, command).finished;
  } catch (error) {
    return failedRun(spawnFailed(error as Error));
  } finally {
    ended();
  }
}

export function failedRun(error: RunError): TargetRun {
  return { status: 'failed', error, log: '', files: [], refusals: [] };
}

function spawnFailed({ message }: Error): RunError {
  return runError('target.SPAWN_FAILED', `The command could not be started: ${message}.`);
}

/** Process groups of commands at work: they end with this process, however it ends itself. */
const liveGroups = new Set<number>();
let watchesExit = false;

function endGroupsOnExit(): void {
  if (watchesExit) return;
  watchesExit = true;
  process.on('exit', () => {
    for (const group of liveGroups) signalGroup(group, 'SIGKILL');
  });
}

function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // The group is gone already.
  }
}

class CommandRun {
  readonly finished: Promise<TargetRun>;
  readonly #child: ChildProcess;
  readonly #log: TargetLog;
  readonly #deadline: Deadline;
  readonly #redactor: Redactor;
  #output: Buffer[] = [];
  #outputBytes = 0;
  #error: RunError | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #pipeTimer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, { input, access, timeoutMs, signal, redactor }: JsonCommand) {
    this.#child = child;
    this.#redactor = redactor;
    this.#log = new TargetLog(redactor);
    endGroupsOnExit();
    if (child.pid !== undefined) liveGroups.add(child.pid);
    this.#deadline = new Deadline({ access, timeoutMs, signal, deliver: () => this.#terminate() });
    child.stdout?.on('data', (chunk: Buffer) => this.#collect(chunk));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#log.append(text));
    // A target that does not read its stdin closes it: no error of ours.
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${JSON.stringify(input)}\n`);
    this.finished = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#error ??= spawnFailed(error);
        if (child.pid === undefined) resolve(this.#result(null, null));
      });
      // `close` comes after both pipes have ended, so that nothing the target said is lost.
      child.once('close', (code, exitSignal) => resolve(this.#result(code, exitSignal)));
      child.once('exit', () => this.#endLeftovers());
    });
  }

  #collect(chunk: Buffer): void {
    this.#outputBytes += chunk.length;
    if (this.#outputBytes <= limits.targetOutputBytesMax) {
      this.#output.push(chunk);
      return;
    }
    if (this.#error !== undefined) return;
    this.#output = [];
    this.#error = outputTooLarge();
    this.#terminate();
  }

  #terminate(): void {
    this.#signalGroup('SIGTERM');
    this.#killTimer ??= setTimeout(() => this.#signalGroup('SIGKILL'), limits.targetKillGraceMs);
  }

  /** What outlives the target ends with it; what has even left its process group no longer gets its pipes read. */
  #endLeftovers(): void {
    this.#deadline.stop();
    this.#signalGroup('SIGKILL');
    liveGroups.delete(this.#child.pid ?? 0);
    this.#pipeTimer = setTimeout(() => {
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    }, limits.targetKillGraceMs);
  }

  /** The target has its own process group, so that what it started ends with it. */
  #signalGroup(name: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, name);
  }

  #result(code: number | null, exitSignal: string | null): TargetRun {
    clearTimeout(this.#killTimer);
    clearTimeout(this.#pipeTimer);
    this.#deadline.stop();
    const said = { ...this.#log.kept(), files: [], refusals: [] };
    const { ended } = this.#deadline;
    if (ended !== undefined) return { status: ended, error: this.#endedError(ended), ...said };
    const error = this.#error ?? (code === 0 ? undefined : this.#exitError(code, exitSignal));
    if (error !== undefined) return { status: 'failed', error, ...said };
    const output = parseOutputBytes(Buffer.concat(this.#output), this.#redactor);
    if (output.kind === 'invalid') return { status: 'failed', error: output.error, ...said };
    return { status: 'completed', ...(output.kind === 'value' ? { output: output.value } : {}), ...said };
  }

  #endedError(ended: 'timed_out' | 'cancelled'): RunError {
    const error = endedError(ended, this.#log.tail());
    if (ended === 'cancelled' || this.#outputBytes === 0) return error;
    return { ...error, message: `${error.message} It had written ${this.#outputBytes} bytes of output, and went on running.` };
  }

  #exitError(code: number | null, exitSignal: string | null): RunError {
    const details = { exitCode: code, signal: exitSignal, stderr: this.#log.tail() };
    if (code === null) return runError('target.SIGNALED', `The command was ended by ${exitSignal}.`, { details });
    return runError('target.EXIT_CODE', `The command exited with code ${code}.`, { details });
  }
}
