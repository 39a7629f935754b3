// One module host as the attempt holds it: a thread, or a process with the same entry behind the same messages.
import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { limits } from '../../contract/limits.js';
import { endWithUs } from '../../processes/end-with-us.js';
import { cloneCodec, FramedChannel } from '../../processes/framed-channel.js';
import { type FromHost, isFromHost, moduleHostLifeline, moduleHostPipe, type ToHost } from './module-protocol.js';

export interface ModuleHost {
  /** Attempts it has served. */
  incarnations: number;
  post(message: ToHost): void;
  /** At most one listener at a time: the invocation, or the side that ends the incarnation. */
  listen(listener: ModuleHostListener | undefined): void;
  /** Resolves when nothing of it runs. */
  kill(): Promise<void>;
}
export interface ModuleHostListener {
  message(message: FromHost): void;
  /** The host is gone, whatever the reason. */
  ended(reason: string): void;
}

const entry = new URL('./module-entry.js', import.meta.url);

export function startModuleHost(isolation: 'thread' | 'process'): ModuleHost {
  return isolation === 'thread' ? startThread() : startProcess();
}

function startThread(): ModuleHost {
  const resourceLimits = { maxOldGenerationSizeMb: limits.moduleHeapMbMax };
  const worker = new Worker(entry, { stdin: false, stdout: true, stderr: true, execArgv: [], name: 'module target', resourceLimits });
  const hearing = new Hearing();
  worker.on('message', (message: unknown) => hearing.message(message));
  worker.on('error', (error) => hearing.end(error.message));
  worker.on('exit', (code) => hearing.end(`its thread exited with code ${code}`));
  // What reaches the streams past the entry's capture must not reach ours.
  worker.stdout.resume();
  worker.stderr.resume();
  return {
    incarnations: 0,
    post: (message) => worker.postMessage(message),
    listen: (listener) => hearing.listen(listener),
    kill: async () => void (await worker.terminate()),
  };
}

function startProcess(): ModuleHost {
  const child = spawn(process.execPath, [`--max-old-space-size=${limits.moduleHeapMbMax}`, fileURLToPath(entry)], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const leave = endWithUs(() => child.kill('SIGKILL'));
  child.once('exit', leave);
  child.once('error', leave);
  const hearing = new Hearing();
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  // A message to a process that has just died is lost; its end is noticed nevertheless.
  const bounds = { codec: cloneCodec, messageBytesMax: limits.moduleMessageBytesMax };
  const channel = new FramedChannel(child.stdio[moduleHostPipe] as Duplex, bounds, {
    message: (message) => hearing.message(message),
    violation: () => hearing.message(undefined),
    closed: () => {},
  });
  child.on('error', (error) => hearing.end(error.message));
  child.on('exit', (code, signal) =>
    hearing.end(code === null ? `its process was ended by ${signal}` : `its process exited with code ${code}`),
  );
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => hearing.message({ kind: 'log', text, isCut: false }));
  }
  (child.stdio[moduleHostLifeline] as Duplex | undefined)?.on('error', () => {});
  return {
    incarnations: 0,
    post: (message) => channel.send(message),
    listen: (listener) => hearing.listen(listener),
    kill: () => {
      child.kill('SIGKILL');
      return exited;
    },
  };
}

/** Remembers an end that nobody listened to yet. */
class Hearing {
  #listener: ModuleHostListener | undefined;
  #ended: string | undefined;

  listen(listener: ModuleHostListener | undefined): void {
    this.#listener = listener;
    if (this.#ended !== undefined) listener?.ended(this.#ended);
  }
  message(message: unknown): void {
    if (this.#ended !== undefined) return;
    try {
      if (isFromHost(message)) this.#listener?.message(message);
      else this.end('it said something that no host says');
    } catch (error) {
      this.end(`its message could not be read: ${error}`);
    }
  }
  end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#listener?.ended(reason);
  }
}
