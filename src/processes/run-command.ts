// One process that gets a text on stdin and writes its answer to stdout; stderr is its log. Spawned without a shell, in a process group of
// its own, its output bounded.
//   RUN-COMMAND-1. By the time its end is known, the process and its group are gone.
//   RUN-COMMAND-2. `onExit` is called when the process has ended; that something it started still holds its pipes is not its lateness.
import { type ChildProcess, spawn } from 'node:child_process';
import { limits } from '../contract/limits.js';
import { endGroupWithUs, killGroup } from './end-with-us.js';

export interface CommandStart {
  file: string;
  args: readonly string[];
  /** Exists. */
  directory: string;
  /** The whole of it. */
  environment: NodeJS.ProcessEnv;
  input: string;
  /** Of its stdout; one that writes more is ended. */
  outputBytesMax: number;
  /** Of stderr, as it comes. */
  onLog(text: string): void;
  onExit?(): void;
}
export interface CommandEnd {
  /** Null where a signal ended it, or it never began. */
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Empty where it was too large. */
  output: Buffer;
  /** Written, whether kept or not. */
  outputBytes: number;
  /** What went wrong first, if anything but its own exit did. */
  failure?: { kind: 'spawn'; error: Error } | { kind: 'output_too_large' };
}

export class RunningCommand {
  readonly ended: Promise<CommandEnd>;
  readonly #child: ChildProcess;
  readonly #outputBytesMax: number;
  readonly #leave: () => void;
  #output: Buffer[] = [];
  #outputBytes = 0;
  #failure: CommandEnd['failure'];
  #killTimer: NodeJS.Timeout | undefined;
  #pipeTimer: NodeJS.Timeout | undefined;

  /** Throws where the arguments or the environment cannot be given to any process. */
  constructor({ file, args, directory, environment, input, outputBytesMax, onLog, onExit }: CommandStart) {
    const child = spawn(file, [...args], { cwd: directory, env: environment, shell: false, stdio: 'pipe', detached: true });
    this.#child = child;
    this.#outputBytesMax = outputBytesMax;
    child.stdout.on('data', (chunk: Buffer) => this.#collect(chunk));
    child.stderr.setEncoding('utf8').on('data', onLog);
    // A process that does not read its stdin closes it: no error of ours.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    this.#leave = child.pid === undefined ? () => {} : endGroupWithUs(child.pid);
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#failure ??= { kind: 'spawn', error };
        if (child.pid === undefined) resolve(this.#end(null, null));
      });
      // `close` comes after both pipes have ended, so that nothing the process said is lost.
      child.once('close', (code, signal) => resolve(this.#end(code, signal)));
      child.once('exit', () => {
        onExit?.();
        this.#endLeftovers();
      });
    });
  }

  /** Asks it and all it has started to end; after a grace they are killed. */
  terminate(): void {
    this.#signalGroup('SIGTERM');
    this.#killTimer ??= setTimeout(() => this.#signalGroup('SIGKILL'), limits.targetKillGraceMs);
  }

  #collect(chunk: Buffer): void {
    this.#outputBytes += chunk.length;
    if (this.#outputBytes <= this.#outputBytesMax) {
      this.#output.push(chunk);
      return;
    }
    if (this.#failure !== undefined) return;
    this.#output = [];
    this.#failure = { kind: 'output_too_large' };
    this.terminate();
  }

  /** What outlives the process ends with it; what has even left its process group no longer gets its pipes read. */
  #endLeftovers(): void {
    this.#signalGroup('SIGKILL');
    this.#leave();
    this.#pipeTimer = setTimeout(() => {
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    }, limits.targetKillGraceMs);
  }

  #signalGroup(name: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) killGroup(this.#child.pid, name);
  }

  #end(code: number | null, signal: NodeJS.Signals | null): CommandEnd {
    clearTimeout(this.#killTimer);
    clearTimeout(this.#pipeTimer);
    const output = Buffer.concat(this.#output);
    const end = { code, signal, output, outputBytes: this.#outputBytes };
    return this.#failure === undefined ? end : { ...end, failure: this.#failure };
  }
}
