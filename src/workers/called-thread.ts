// A thread that is called by name, over Comlink. It starts at the first call; one that ends is replaced at the next.
//   CALLED-THREAD-1. Comlink never settles a call whose other side is gone, so this does: with the error that ended the thread.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type Endpoint, expose, type Remote, transfer, wrap } from 'comlink';
import { startThread, type Thread } from './thread.js';

interface Started<Api> {
  thread: Thread;
  port: MessagePort;
  remote: Remote<Api>;
}

export class CalledThread<Api> {
  readonly #entry: URL;
  readonly #pending = new Set<(error: Error) => void>();
  #started: Started<Api> | undefined;
  #closed: Error | undefined;

  /** `entry`: a module whose function `serve` takes a MessagePort and serves its calls (serveCalls). */
  constructor(entry: URL) {
    this.#entry = entry;
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
    const { thread } = this.#started ?? {};
    this.#lose(this.#started, reason);
    await thread?.end();
  }

  #running(): Started<Api> {
    if (this.#started !== undefined) return this.#started;
    const thread = startThread({ entry: this.#entry, run: 'serve' });
    const { port1: port, port2 } = new MessageChannel();
    const started = { thread, port, remote: wrap<Api>(port as unknown as Endpoint) };
    this.#started = started;
    thread.run(port2, [port2]).catch((error: Error) => this.#lose(started, error));
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

/** The thread's side: answers calls of `api` for as long as the thread lives. */
export function serveCalls(api: object, port: MessagePort): Promise<never> {
  expose(api, port as unknown as Endpoint);
  port.start();
  return new Promise(() => {});
}

/** An answer whose `buffers` are handed to the caller: they are not copied, and are gone here. */
export function handOver<Answer extends object>(answer: Answer, buffers: ArrayBuffer[]): Answer {
  return transfer(answer, buffers);
}
