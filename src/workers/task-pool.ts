// A pool of workers for tasks of many parties, who take turns (task-turns.ts). Each task is bounded in time and its worker in memory: what
// goes wrong in one costs that task and its worker, never the server.
//   TASK-POOL-1. A worker has one task at a time, so ending the worker ends that task and no other.
//   TASK-POOL-2. A task that is aborted while it waits never begins; one that runs ends with its worker.
//   TASK-POOL-3. What a worker waits for a processor is not the time of its task, up to a bound: a busy machine says nothing of a task.
import { errorFromFrame, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { TaskTurns } from './task-turns.js';
import type { StartTaskWorker, TaskAnswer, TaskLoss, TaskWorker } from './task-worker.js';
import { tuning } from './tuning.js';

export interface TaskPoolOptions<Task, Result> {
  start: StartTaskWorker<Task, Result>;
  workers: number;
  timeoutMs: number;
  /** A worker takes tasks of one holder in its lifetime: what one brings to a worker reaches no other. */
  apart?: boolean;
  /** Of one party, and of all. */
  waitingMax: { ofParty: number; inAll: number };
}
/** What the maker of a pool may choose; the rest belongs to the kind of its tasks. */
export interface TaskWorkersOptions<Task, Result> {
  workers?: number;
  /** What a worker is. Default: a thread. */
  start?: StartTaskWorker<Task, Result>;
  /** Each has tasks of one holder in its lifetime. */
  apart?: boolean;
}
export interface QueuedTask<Task> {
  /** What is to be done, in words: "Compiling the source". */
  what: string;
  /** Whose turn it takes. */
  party: string;
  /** Where workers are apart: whose worker takes it. Default: the party. */
  holder?: string;
  /** Made when its turn has come: what waits holds nothing large. */
  task: () => Task | Promise<Task>;
  /** Default: that of the pool. */
  timeoutMs?: number;
  signal?: AbortSignal;
}
/** A worker ended under a task: it took too long, too much memory, more than its worker could bear, or the machine had no time for it. */
export class TaskLost extends Error {
  readonly why: 'time' | 'busy' | TaskLoss;

  constructor(message: string, { why, cause }: { why: TaskLost['why']; cause?: Error }) {
    super(message, { cause });
    this.why = why;
  }
}

/** A task, from the queue to its answer. */
interface Job<Task, Result> extends QueuedTask<Task> {
  state: 'waiting' | 'running' | 'ended';
  /** Once it has one. */
  worker?: TaskWorker<Task>;
  hasBegun?: true;
  timer?: NodeJS.Timeout;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export class TaskPool<Task, Result> {
  readonly #options: TaskPoolOptions<Task, Result>;
  readonly #turns: TaskTurns<Job<Task, Result>>;
  readonly #running = new Set<Job<Task, Result>>();
  /** The least recently used first. */
  readonly #jobs = new Map<TaskWorker<Task>, Job<Task, Result> | undefined>();
  readonly #holders = new WeakMap<TaskWorker<Task>, string>();
  readonly #ending = new Set<Promise<void>>();
  #closed = false;

  constructor(options: TaskPoolOptions<Task, Result>) {
    this.#options = options;
    // One worker stays free of a party that has all the others.
    this.#turns = new TaskTurns(Math.max(1, options.workers - 1));
  }

  /** Rejects with TaskLost, with a refusal of the task, with the signal's reason, or with control.RATE_LIMITED when too much waits. */
  async run(asked: QueuedTask<Task>): Promise<Result> {
    const { party, signal } = asked;
    signal?.throwIfAborted();
    if (this.#closed) throw closing();
    this.#requireCapacity(party);
    let abort = () => {};
    const answer = new Promise<Result>((resolve, reject) => {
      const job: Job<Task, Result> = { ...asked, state: 'waiting', resolve, reject };
      abort = () => this.#fail(job, signal?.reason);
      this.#turns.push(party, job);
    });
    signal?.addEventListener('abort', abort, { once: true });
    this.#beginNext();
    return await answer.finally(() => signal?.removeEventListener('abort', abort));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of [...this.#running]) this.#fail(job, closing());
    for (let job = this.#turns.next(); job !== undefined; job = this.#turns.next()) {
      this.#running.add(job);
      this.#fail(job, closing());
    }
    for (const worker of [...this.#jobs.keys()]) this.#end(worker);
    await Promise.all(this.#ending);
  }

  #requireCapacity(party: string): void {
    const { ofParty, inAll } = this.#options.waitingMax;
    const retryAfterMs = limits.unavailableRetryAfterMs;
    if (this.#turns.waitingOf(party) >= ofParty)
      throw new ServiceError('control.RATE_LIMITED', {
        message: `At most ${ofParty} tasks of one project may wait for a worker.`,
        retryAfterMs,
      });
    if (this.#turns.size >= inAll) throw new ServiceError('control.UNAVAILABLE', { message: 'All workers are busy.', retryAfterMs });
  }

  #beginNext(): void {
    while (!this.#closed && this.#running.size < this.#options.workers) {
      const job = this.#turns.next();
      if (job === undefined) return;
      job.state = 'running';
      this.#running.add(job);
      void this.#begin(job);
    }
  }

  async #begin(job: Job<Task, Result>): Promise<void> {
    try {
      const task = await job.task();
      if (job.state === 'ended') return;
      const worker = this.#workerFor(job);
      this.#jobs.delete(worker);
      this.#jobs.set(worker, job);
      job.worker = worker;
      const { taskWorkerStartMs: ms } = limits;
      this.#limit(job, { ms, lost: new TaskLost(`${job.what}: no worker began within ${ms / 1_000} s.`, { why: 'other' }) });
      worker.post(task);
    } catch (error) {
      this.#fail(job, error);
    }
  }

  #begun(worker: TaskWorker<Task>): void {
    const job = this.#jobs.get(worker);
    // Once: its time is not for the worker to prolong.
    if (job === undefined || job.hasBegun) return;
    job.hasBegun = true;
    const { timeoutMs: ms = this.#options.timeoutMs, what } = job;
    const seconds = ms / 1_000;
    const isSlow = new TaskLost(`${what} took more than ${seconds} s.`, { why: 'time' });
    const isStarved = new TaskLost(`${what} may take ${seconds} s, for which this machine had no processor.`, { why: 'busy' });
    const waitedBefore = worker.waitedMs?.() ?? 0;
    const mostMs = ms * limits.processorWaitFactorMax;
    let addedMs = 0;
    const look = (): void => {
      const waitedMs = (worker.waitedMs?.() ?? 0) - waitedBefore;
      const moreMs = Math.min(waitedMs, mostMs) - addedMs;
      if (moreMs < ms / tuning.taskWaitPart) {
        this.#fail(job, addedMs < mostMs ? isSlow : isStarved);
        return;
      }
      addedMs += moreMs;
      job.timer = setTimeout(look, moreMs);
    };
    clearTimeout(job.timer);
    job.timer = setTimeout(look, ms);
  }

  #limit(job: Job<Task, Result>, { ms, lost }: { ms: number; lost: TaskLost }): void {
    clearTimeout(job.timer);
    job.timer = setTimeout(() => this.#fail(job, lost), ms);
  }

  #workerFor({ party, holder = party }: Job<Task, Result>): TaskWorker<Task> {
    const idle = [...this.#jobs.keys()].filter((worker) => this.#jobs.get(worker) === undefined);
    const own = idle.find((worker) => this.#options.apart !== true || this.#holders.get(worker) === holder);
    if (own !== undefined) return own;
    if (this.#jobs.size >= this.#options.workers) for (const worker of idle.slice(0, 1)) this.#end(worker);
    const worker = this.#start();
    this.#holders.set(worker, holder);
    return worker;
  }

  #start(): TaskWorker<Task> {
    const worker: TaskWorker<Task> = this.#options.start({
      onBegun: () => this.#begun(worker),
      onAnswer: (answer) => this.#answered(worker, answer),
      onLost: (why, cause) => this.#lost(worker, why, cause),
    });
    this.#jobs.set(worker, undefined);
    return worker;
  }

  #answered(worker: TaskWorker<Task>, answer: TaskAnswer<Result>): void {
    const job = this.#jobs.get(worker);
    // It was given up a moment ago; its worker is ending.
    if (job === undefined) return;
    this.#jobs.set(worker, undefined);
    // What broke inside may stay broken, such as a bundler that ended.
    if ('bug' in answer) this.#end(worker);
    this.#settle(job);
    if ('result' in answer) job.resolve(answer.result);
    else job.reject('refusal' in answer ? errorFromFrame(answer.refusal) : new Error(answer.bug));
    this.#beginNext();
  }

  #lost(worker: TaskWorker<Task>, why: TaskLoss, cause: Error): void {
    const job = this.#jobs.get(worker);
    this.#jobs.delete(worker);
    if (job === undefined) return;
    const message = why === 'memory' ? `${job.what} took too much memory.` : `${job.what} ended its worker.`;
    this.#fail(job, new TaskLost(message, { why, cause }));
  }

  /** Gives a job up wherever it is. */
  #fail(job: Job<Task, Result>, error: unknown): void {
    if (job.state === 'ended') return;
    if (job.worker !== undefined) this.#end(job.worker);
    this.#settle(job);
    job.reject(error);
    this.#beginNext();
  }

  #settle(job: Job<Task, Result>): void {
    clearTimeout(job.timer);
    if (this.#running.delete(job)) this.#turns.ended(job.party);
    else this.#turns.remove(job.party, job);
    job.state = 'ended';
  }

  #end(worker: TaskWorker<Task>): void {
    this.#jobs.delete(worker);
    const ended = worker.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

const closing = () => new ServiceError('control.UNAVAILABLE', { message: 'The service is shutting down.' });
