// The command line as a user starts it: a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from '../until.js';

const engineFlag = /^--(interrupt-budget|single-threaded-gc|min-semi-space-size|liftoff-only|initial-old-space-size)\b/;
/** What the engine is given for processes that live shortly (scripts/test.mjs) holds for those that a test starts too. */
export const engineFlags = process.execArgv.filter((flag) => engineFlag.test(flag));
/** Arguments for node that start the command line; a program's own arguments follow. */
export const nodeArguments = [...engineFlags, fileURLToPath(new URL('./command-entry.js', import.meta.url))];

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
export interface Started {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves when stdout holds the text. */
  says(text: string): Promise<void>;
  /** What stdout holds so far. */
  soFar(): string;
}

export interface StartOptions {
  cwd?: string;
  env?: { [name: string]: string };
  /** A process group of its own, which a test can send a signal to as a terminal does. */
  ownGroup?: boolean;
}

export function start(args: readonly string[], { cwd, env = {}, ownGroup = false }: StartOptions = {}): Started {
  const child = spawn(process.execPath, [...nodeArguments, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
  });
  let stdout = '';
  let stderr = '';
  const waiting = new Map<string, () => void>();
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    for (const [text, resolve] of waiting) if (stdout.includes(text)) resolve();
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  return {
    child,
    soFar: () => stdout,
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr }))),
    says: (text) => new Promise((resolve) => (stdout.includes(text) ? resolve() : waiting.set(text, resolve))),
  };
}

export function drillyard(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return start(args, options).ended;
}

/** Every line must be one JSON object. */
export function jsonLines(stdout: string): { event?: string; [name: string]: unknown }[] {
  const lines = stdout.split('\n');
  if (lines.pop() !== '') throw new Error('the last line does not end');
  return lines.map((line) => JSON.parse(line) as { event?: string });
}

/** Which an agent writes into a file. */
export async function pidIn(file: string): Promise<number> {
  await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
  return Number(readFileSync(file, 'utf8'));
}

/** Resolves when nothing runs under this id. */
export async function isGone(pid: number): Promise<void> {
  await until(() => !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie that nobody has waited for is dead all the same.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
