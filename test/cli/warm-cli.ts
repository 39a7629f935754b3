// The command line in one process that stays: the same `main` with real streams and a real exit code, but a command starts with its
// modules loaded. For variants of a command; each command is also started as a user starts it somewhere (cli.ts).
//   WARM-CLI-1. One command at a time: a folder, an environment and an exit code are a process's own. Others wait.
//   WARM-CLI-2. A command has ended when both streams have said so; what it wrote before is then here.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Ended, engineFlags, type StartOptions } from './cli.js';
import { type Command, endOfCommand } from './warm-entry.js';

const entry = fileURLToPath(new URL('./warm-entry.js', import.meta.url));
let running: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/** As `drillyard` of cli.ts; for a terminal's colors, signals and a process group start a process. */
export function warmDrillyard(
  args: readonly string[],
  { cwd = process.cwd(), env = {} }: Omit<StartOptions, 'ownGroup'> = {},
): Promise<Ended> {
  const command: Command = { args: [...args], cwd, env: { ...(process.env as Command['env']), NO_COLOR: '1', ...env } };
  const ended = last.then(() => play(command));
  last = ended.catch(() => {});
  return ended;
}

async function play(command: Command): Promise<Ended> {
  running ??= startEntry();
  const child = running;
  keepAwake(child, true);
  let onEnd: (() => void) | undefined;
  try {
    const lost = new Promise<never>((_, reject) => {
      onEnd = () => reject(new Error(`the process of the command line ended under ${command.args.join(' ')}`));
      child.once('exit', onEnd);
    });
    const both = Promise.all([untilEnd(child, 'stdout'), untilEnd(child, 'stderr')]);
    child.send(command);
    const [stdout, stderr] = await Promise.race([both, lost]);
    // The code follows what went to stderr.
    const at = stderr.lastIndexOf(endOfCommand);
    return { code: Number(stderr.slice(at + endOfCommand.length)), stdout, stderr: stderr.slice(0, at) };
  } finally {
    if (onEnd !== undefined) child.off('exit', onEnd);
    keepAwake(child, false);
  }
}

function untilEnd(child: ChildProcess, name: 'stdout' | 'stderr'): Promise<string> {
  const stream = child[name]!;
  return new Promise((resolve) => {
    let text = '';
    const hear = (chunk: string): void => {
      text += chunk;
      if (!text.endsWith(`${endOfCommand}\n`)) return;
      stream.off('data', hear);
      resolve(text.slice(0, -endOfCommand.length - 1));
    };
    stream.on('data', hear);
  });
}

function startEntry(): ChildProcess {
  const child = spawn(process.execPath, [...engineFlags, entry], {
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout?.setEncoding('utf8');
  child.stderr?.setEncoding('utf8');
  child.once('exit', () => {
    running = undefined;
  });
  return child;
}

/** Between commands it keeps no test file from ending, and it ends with the file. */
function keepAwake(child: ChildProcess, awake: boolean): void {
  const doIt = awake ? 'ref' : 'unref';
  child[doIt]();
  child.channel?.[doIt]();
  for (const stream of [child.stdout, child.stderr]) (stream as unknown as { ref(): void; unref(): void })[doIt]();
}
