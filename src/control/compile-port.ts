// Compile workers: threads that take tasks in the order they came, each bounded in time and memory. What goes wrong in one costs that
// task and its thread, never the server.
//   W1. A thread has one task at a time, so ending the thread ends that task and no other.
//   W2. A task that is aborted while it waits never begins; one that runs ends with its thread.
import { Worker } from 'node:worker_threads';
import type { LibraryPackage } from '../compiler/library.js';
import type { RowCollection } from '../compiler/row-checks.js';
import { errorFromFrame, type Issue, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { StateNamespace } from '../contract/tool-manifest.js';
import type { CompileAnswer, CompileResults, CompileTask } from './compile-tasks.js';
import type { CompilePort, CompileReply, CompileRequest } from './services.js';

export interface CompileWorkersOptions {
  workers?: number;
  timeoutMs?: number;
  heapMb?: number;
}
/** A task, from the queue to its answer. */
interface Job {
  task: CompileTask;
  /** While it runs. */
  running?: { worker: Worker; timer: NodeJS.Timeout };
  resolve(result: CompileResults[keyof CompileResults]): void;
  reject(error: unknown): void;
}

export class CompileWorkers implements CompilePort {
  readonly #options: Required<CompileWorkersOptions>;
  readonly #waiting: Job[] = [];
  readonly #running = new Map<Worker, Job>();
  readonly #idle = new Set<Worker>();
  #library: Promise<readonly LibraryPackage[]> | undefined;
  #closed = false;

  constructor(options: CompileWorkersOptions = {}) {
    this.#options = { workers: limits.compileWorkersMax, timeoutMs: limits.compileTimeoutMs, heapMb: limits.compileHeapMbMax, ...options };
  }

  compile({ signal, ...request }: CompileRequest): Promise<CompileReply> {
    return this.#ask({ kind: 'compile', ...request }, signal);
  }
  verify(buildHash: string, build: Uint8Array): Promise<boolean> {
    return this.#ask({ kind: 'verify', buildHash, build });
  }
  checkRows(state: StateNamespace[], collections: RowCollection[]): Promise<Issue[]> {
    return this.#ask({ kind: 'rows', state, collections });
  }
  library(): Promise<readonly LibraryPackage[]> {
    this.#library ??= this.#ask({ kind: 'library' }).catch((error: unknown) => {
      this.#library = undefined;
      throw error;
    });
    return this.#library;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const threads = [...this.#idle, ...this.#running.keys()];
    for (const job of [...this.#waiting, ...this.#running.values()]) this.#fail(job, closing());
    await Promise.all(threads.map((worker) => worker.terminate()));
    this.#idle.clear();
  }

  async #ask<Task extends CompileTask>(task: Task, signal?: AbortSignal): Promise<CompileResults[Task['kind']]> {
    signal?.throwIfAborted();
    if (this.#closed) throw closing();
    if (this.#waiting.length >= limits.compileQueueMax) {
      throw new ServiceError('control.UNAVAILABLE', { message: 'The compiler is busy.', retryAfterMs: limits.unavailableRetryAfterMs });
    }
    let abort = () => {};
    const answer = new Promise<CompileResults[keyof CompileResults]>((resolve, reject) => {
      const job: Job = { task, resolve, reject };
      abort = () => this.#fail(job, signal?.reason);
      this.#waiting.push(job);
    });
    signal?.addEventListener('abort', abort, { once: true });
    this.#beginNext();
    return (await answer.finally(() => signal?.removeEventListener('abort', abort))) as CompileResults[Task['kind']];
  }

  #beginNext(): void {
    if (this.#waiting.length === 0 || this.#running.size >= this.#options.workers) return;
    const job = this.#waiting.shift() as Job;
    const worker = this.#idle.values().next().value ?? this.#start();
    this.#idle.delete(worker);
    this.#running.set(worker, job);
    job.running = { worker, timer: setTimeout(() => this.#fail(job, tooMuch('time')), this.#options.timeoutMs) };
    worker.ref();
    worker.postMessage(job.task);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./compile-entry.js', import.meta.url), {
      name: 'compile',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb },
    });
    worker.on('message', (answer: CompileAnswer) => this.#answered(worker, answer));
    worker.on('error', (error) => this.#lost(worker, isOutOfMemory(error) ? tooMuch('memory') : error));
    worker.on('exit', (code) => this.#lost(worker, new Error(`a compile worker ended with ${code}`)));
    return worker;
  }

  #answered(worker: Worker, answer: CompileAnswer): void {
    const job = this.#running.get(worker);
    // It was given up a moment ago; its thread is ending.
    if (job === undefined) return;
    clearTimeout(job.running?.timer);
    this.#running.delete(worker);
    this.#idle.add(worker);
    // A server that waits for nothing else may end.
    worker.unref();
    if ('result' in answer) job.resolve(answer.result);
    else job.reject('refusal' in answer ? errorFromFrame(answer.refusal) : new Error(answer.bug));
    this.#beginNext();
  }

  #lost(worker: Worker, error: unknown): void {
    this.#idle.delete(worker);
    const job = this.#running.get(worker);
    if (job !== undefined) this.#fail(job, error);
  }

  /** Gives a job up wherever it is. */
  #fail(job: Job, error: unknown): void {
    if (job.running === undefined) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1);
    } else {
      const { worker, timer } = job.running;
      clearTimeout(timer);
      this.#running.delete(worker);
      void worker.terminate();
    }
    job.reject(error);
    this.#beginNext();
  }
}

const closing = () => new ServiceError('control.UNAVAILABLE', { message: 'The service is shutting down.' });

function tooMuch(what: 'time' | 'memory'): ServiceError {
  return new ServiceError('control.SOURCE_INVALID', { message: `Compiling the source took too much ${what}.`, issues: [] });
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
