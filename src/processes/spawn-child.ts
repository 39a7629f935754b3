// Starts a child process that runs a module of ours and speaks JSON with its parent (framed-channel.ts), bounded, and inside a box where
// one is asked for. What it writes to its own output is shown on the parent's standard error, up to a bound, with control characters made
// visible.
//   SPAWN-CHILD-1. `ended` resolves once every process of the child is gone: its exit is known and nobody holds the channel any more.
//   SPAWN-CHILD-2. A child whose parent has gone sees the end of its standard input, and of the channel; one that does not look is killed.
//   SPAWN-CHILD-3. A plain child has of its parent's environment only what finding programs takes, and where compiled code is kept; one in
//     a box has none.
//   SPAWN-CHILD-4. A child that is ended leaves no process, however young it is: bubblewrap waits for its outer half before it binds its
//     life to it, and waits for ever where that has gone. So a child leads a session of its own, and all of its process group is ended.
//   SPAWN-CHILD-5. A message that its reader here throws on ends the child, and nothing else; nothing after it is read.
//   SPAWN-CHILD-6. Where no descriptor is left for its pipes, the start throws control.UNAVAILABLE, and nothing else fails by it.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { bounded, boundedInBox, type ChildBounds } from './bounds.js';
import { type BoxFolder, boxed, type Command, runtimeFolders } from './bubblewrap.js';
import { endGroupWithUs, hasGroups, killGroup } from './end-with-us.js';
import { FramedChannel } from './framed-channel.js';
import { parentCodec } from './json-messages.js';
import { plugNPlayFlags } from './plug-n-play.js';
import { type ProcessorTime, timeOfProcesses } from './processor-wait.js';
import { tuning } from './tuning.js';

export interface ChildStart {
  /** The module that it runs; parent-channel.ts is its end of the channel. */
  entry: URL;
  /** What the module gets in its command line. */
  argument?: string;
  /** Flags of V8 and of Node. */
  flags?: readonly string[];
  /** Inside bubblewrap, with these folders beside the runtime; absent: a plain process. */
  box?: { folders: readonly BoxFolder[] };
  bounds?: ChildBounds;
  /** Of one message, either way. Default limits.childMessageBytesMax; the child names the same. */
  messageBytesMax?: number;
  /** Open files that it inherits, from `firstDescriptor` on. */
  descriptors?: readonly number[];
  /** `bytes`: of the message, as it came. */
  onMessage(value: unknown, bytes: number): void;
}
export interface Child {
  /** Throws when the value is no JSON, or too large. */
  send(value: unknown): void;
  /** Resolves with what is known of the reason. */
  readonly ended: Promise<string>;
  /** Of it and of what it has started; undefined where the system does not say. */
  processorTime(): ProcessorTime | undefined;
  /** Whether it leaves the processor to others that want it. */
  setYielding(yields: boolean): void;
  kill(): void;
  /** Ends it because it broke a rule; `ended` says which. */
  refuse(reason: string): void;
}

/** Of the channel in the child, and of the first inherited file. */
export const channelDescriptor = 3;
export const firstDescriptor = 4;

const keptVariables = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'TEMP', 'SystemRoot', 'DRILLYARD_CACHE_DIR', 'XDG_CACHE_HOME'];

/** A child that cannot be started at all ends at once, with the reason; only SPAWN-CHILD-6 throws. */
export function spawnChild({ entry, argument, flags = [], box, bounds, messageBytesMax, descriptors = [], onMessage }: ChildStart): Child {
  const words = argument === undefined ? [] : [argument];
  const plain = { file: process.execPath, args: [...plugNPlayFlags(), ...flags, fileURLToPath(entry), ...words] };
  const command = box === undefined ? plain : inBox(plain, box, bounds);
  const group = bounds === undefined ? undefined : bounded(command, bounds);
  const { file, args } = group ?? command;
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe', ...descriptors] as const;
  const child = spawn(file, args, { stdio: [...stdio], env: ownEnvironment(), detached: hasGroups });
  if (child.stdio === undefined) {
    // Node.js makes no streams then, and emits why in the next tick: an error that nobody listens for would end this process.
    child.on('error', () => {});
    group?.ended();
    throw new ServiceError('control.UNAVAILABLE', { message: 'No process can be started: too many files are open (ulimit -n).' });
  }
  let broken: string | undefined;
  const refuse = (reason: string): void => {
    broken ??= reason;
    channel.stop();
    endGroup(child);
  };
  let channelClosed = (): void => {};
  const closed = new Promise<void>((resolve) => {
    channelClosed = resolve;
  });
  child.stdin?.on('error', () => {});
  const stream = child.stdio[channelDescriptor] as Duplex;
  const channel = new FramedChannel(
    stream,
    { codec: parentCodec, messageBytesMax: messageBytesMax ?? limits.childMessageBytesMax },
    {
      message: (value, bytes) => {
        try {
          onMessage(value, bytes);
        } catch (error) {
          refuse(`its message could not be read: ${wordsOf(error)}`);
        }
      },
      violation: refuse,
      closed: channelClosed,
    },
  );
  const allowance = { bytes: limits.childOutputBytesMax };
  for (const output of [child.stdout, child.stderr]) showOutput(output as Readable, allowance);
  const leave = child.pid === undefined ? () => {} : endGroupWithUs(child.pid);
  child.once('exit', leave);
  const ended = exitOf(child).then(async (detail) => {
    if (child.pid !== undefined) await closed;
    group?.ended();
    return broken === undefined ? detail : `${broken}; ${detail}`;
  });
  return {
    send: (value) => channel.send(value),
    ended,
    processorTime: () => (child.pid === undefined ? undefined : timeOfProcesses(child.pid)),
    setYielding: (yields) => group?.setYielding(yields),
    kill: () => endGroup(child),
    refuse,
  };
}

function inBox(command: Command, { folders }: NonNullable<ChildStart['box']>, bounds: ChildBounds | undefined): Command {
  const limited = bounds === undefined ? command : boundedInBox(command, bounds);
  return boxed(limited, { folders: [...runtimeFolders(), ...folders], leadsSession: true });
}

/** With the place, as it may be a mistake of the reader; what it quotes of the message is cut. */
function wordsOf(error: unknown): string {
  return String(error instanceof Error ? error.stack : error).slice(0, tuning.reasonCharsMax);
}

function endGroup(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child;
  // Once it has been waited for, its number may be another's.
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  if (hasGroups) killGroup(pid);
  else child.kill('SIGKILL');
}

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(keptVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(`exited with ${signal ?? code}`));
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(error.message);
    });
  });
}

/** Both streams of a child share one allowance; what comes after it is read and dropped, so that the child does not wait. */
function showOutput(output: Readable, allowance: { bytes: number }): void {
  output.setEncoding('utf8');
  output.on('error', () => {});
  output.on('data', (text: string) => {
    if (allowance.bytes <= 0) return;
    allowance.bytes -= text.length;
    const shown = text.slice(0, Math.max(0, allowance.bytes + text.length)).replace(controlCharacters, escapeOf);
    process.stderr.write(allowance.bytes > 0 ? shown : `${shown}\n(more output of this process is not shown)\n`);
  });
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controlCharacters = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;
const escapeOf = (character: string): string =>
  character === '\t' ? character : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
