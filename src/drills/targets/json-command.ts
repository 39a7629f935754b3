// One process that is told something as JSON on stdin and answers with nothing or one JSON value on stdout; stderr is its log. Spawned
// without a shell, in a process group of its own, bounded in time and output.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { limits } from '../../contract/limits.js';
import type { RunError } from '../../contract/run.js';
import { runError } from '../run-error.js';
import { Deadline, endedError } from './deadline.js';
import { secretsOf, TargetLog } from './target-log.js';
import { outputTooLarge, parseOutput } from './target-output.js';
import type { TargetRequest, TargetRun } from './target-run.js';

export interface JsonCommand extends Pick<TargetRequest, 'access' | 'timeoutMs' | 'signal'> {
  executable: string;
  arguments: readonly string[];
  /** Exists. */
  directory: string;
  /** The whole of it. */
  environment: NodeJS.ProcessEnv;
  input: unknown;
}

export async function runJsonCommand(command: JsonCommand): Promise<TargetRun> {
  const executable = resolveExecutable(command.executable, command.directory);
  if (executable === undefined) return failedRun(runError('target.SPAWN_FAILED', `There is no executable "${command.executable}".`));
  const { directory: cwd, environment: env } = command;
  const child = spawn(executable, command.arguments, { cwd, env, shell: false, stdio: 'pipe', detached: true });
  return await new CommandRun(child, command).finished;
}

export function failedRun(error: RunError): TargetRun {
  return { status: 'failed', error, log: '', files: [] };
}

/** `node` is the Node.js this runs on. A path is relative to the working directory; a bare name is looked up on the host's PATH, which the target does not get. */
function resolveExecutable(name: string, directory: string): string | undefined {
  if (name === 'node') return process.execPath;
  if (isAbsolute(name)) return existsSync(name) ? name : undefined;
  const candidates = name.includes('/') ? [resolve(directory, name)] : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return candidates.find((file) => existsSync(file));
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
  #output: Buffer[] = [];
  #outputBytes = 0;
  #error: RunError | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #pipeTimer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, { input, access, timeoutMs, signal }: JsonCommand) {
    this.#child = child;
    this.#log = new TargetLog(secretsOf(access));
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
        this.#error ??= runError('target.SPAWN_FAILED', `The command could not be started: ${error.message}.`);
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
    const log = this.#log.text();
    const ended = this.#deadline.ended;
    if (ended !== undefined) return { status: ended, error: endedError(ended), log, files: [] };
    const error = this.#error ?? (code === 0 ? undefined : this.#exitError(code, exitSignal));
    if (error !== undefined) return { status: 'failed', error, log, files: [] };
    const output = parseOutput(Buffer.concat(this.#output).toString('utf8'));
    if (output.kind === 'invalid') return { status: 'failed', error: output.error, log, files: [] };
    return { status: 'completed', ...(output.kind === 'value' ? { output: output.value } : {}), log, files: [] };
  }

  #exitError(code: number | null, exitSignal: string | null): RunError {
    const how = code === null ? `was ended by ${exitSignal}` : `exited with code ${code}`;
    return runError('target.EXIT_CODE', `The command ${how}.`, { details: { exitCode: code, signal: exitSignal, stderr: this.#log.tail() } });
  }
}
