// A thread that is called by name, over Comlink. It starts at the first call; one that ends is replaced at the next.
//   CALLED-THREAD-1. Comlink never settles a call whose other side is gone, so this does: with the error that ended the thread.
//   CALLED-THREAD-2. A thread that was closed while no call waited serves the next one of its entry, where the process keeps threads
//     (kept-threads.ts). One that is closed under a call is ended.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type Endpoint, expose, type Remote, transfer, wrap } from 'comlink';
import { keptThreads, releaseThread, takeThread } from './kept-threads.js';
import type { Thread, ThreadStart } from './thread.js';

interface Started<Api> {
  thread: Thread;
  port: MessagePort;
  remote: Remote<Api>;
  /** Resolves when the thread serves its port no longer, and to whether it may serve another. */
  served: Promise<boolean>;
}

export class CalledThread<Api> {
  readonly #start: ThreadStart;
  readonly #pending = new Set<(error: Error) => void>();
  #started: Started<Api> | undefined;
  #closed: Error | undefined;

  /** `entry`: a module whose function `serve` takes a MessagePort and serves its calls (serveCalls). */
  constructor(entry: URL) {
    this.#start = { entry, run: 'serve' };
  }

  /** Rejects with what the call threw, as a plain error, or with why it will never be answered. */
  call<T>(ask: (api: Remote<Api>) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) {
        reject(this.#closed);
        return;
      }
      const { remote } = this.#running();
      this.#pending.add(reject);
      ask(remote)
        .then(resolve, reject)
        .finally(() => this.#pending.delete(reject));
    });
  }

  /** Calls that wait, and later ones, are rejected with `reason`. Resolves when nothing of the thread runs any more. */
  async close(reason: Error): Promise<void> {
    this.#closed = reason;
    const started = this.#started;
    const isAtRest = this.#pending.size === 0 && keptThreads().threadsMax > 0;
    this.#lose(started, reason);
    if (started === undefined) return;
    if (isAtRest && (await started.served)) await releaseThread(this.#start, started.thread);
    else await started.thread.end();
  }

  #running(): Started<Api> {
    if (this.#started !== undefined) return this.#started;
    const thread = takeThread(this.#start);
    const { port1: port, port2 } = new MessageChannel();
    const served = thread.run(port2, [port2]).then(
      () => true,
      (error: Error) => {
        this.#lose(started, error);
        return false;
      },
    );
    const started: Started<Api> = { thread, port, remote: wrap<Api>(port as unknown as Endpoint), served };
    this.#started = started;
    return started;
  }

  #lose(started: Started<Api> | undefined, error: Error): void {
    if (started === undefined || this.#started !== started) return;
    this.#started = undefined;
    started.port.close();
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const reject of pending) reject(error);
  }
}

/** The thread's side: answers calls of `api` until the caller's side is closed. */
export function serveCalls(api: object, port: MessagePort): Promise<void> {
  expose(api, port as unknown as Endpoint);
  port.start();
  return new Promise((resolve) => port.once('close', resolve));
}

/** An answer whose `buffers` are handed to the caller: they are not copied, and are gone here. */
export function handOver<Answer extends object>(answer: Answer, buffers: ArrayBuffer[]): Answer {
  return transfer(answer, buffers);
}
