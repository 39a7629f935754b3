// The server's end of the archive: two threads, so that judging a whole report never stands in the way of a page. Each starts when it is
// first needed; one that dies is replaced at the next question.
import { Worker } from 'node:worker_threads';
import { errorFromFrame, ServiceError } from '../../contract/errors.js';
import type { ArchiveCall, ArchiveCalls, FromArchive, ToArchive } from './archive-calls.js';

const slow = new Set<ArchiveCall>(['verify', 'html', 'attachments', 'attachment', 'compare']);

export class ArchivePort {
  readonly #pages = new Thread();
  readonly #judge = new Thread();

  /** Aborting takes the question back. */
  ask<Method extends ArchiveCall>(
    method: Method,
    ask: ArchiveCalls[Method]['ask'],
    signal?: AbortSignal,
  ): Promise<ArchiveCalls[Method]['answer']> {
    return (slow.has(method) ? this.#judge : this.#pages).ask({ method, ask }, signal) as Promise<ArchiveCalls[Method]['answer']>;
  }

  async close(): Promise<void> {
    await Promise.all([this.#pages.close(), this.#judge.close()]);
  }
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

class Thread {
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;
  readonly #waiting = new Map<number, Waiting>();

  ask(call: NonNullable<ToArchive['call']>, signal: AbortSignal | undefined): Promise<unknown> {
    if (this.#closed) return Promise.reject(new ServiceError('control.UNAVAILABLE', { message: 'The inspector is closing.' }));
    const worker = this.#started();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const takeBack = (): void => worker.postMessage({ id } satisfies ToArchive);
      signal?.addEventListener('abort', takeBack, { once: true });
      const done = (): void => signal?.removeEventListener('abort', takeBack);
      this.#waiting.set(id, {
        resolve: (answer) => {
          done();
          resolve(answer);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      worker.postMessage({ id, call } satisfies ToArchive);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Before the end of the thread is heard, which would be reported as a fault.
    this.#fail(new ServiceError('control.UNAVAILABLE', { message: 'The inspector is closing.' }));
    await this.#worker?.terminate();
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./archive-entry.js', import.meta.url));
    worker.on('message', (message: FromArchive) => this.#hear(message));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error('the thread of the archive ended')));
    this.#worker = worker;
    return worker;
  }

  #lose(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#fail(error);
  }

  #fail(error: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }

  #hear(message: FromArchive): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (waiting === undefined) return;
    if ('answer' in message) waiting.resolve(message.answer);
    else if ('refusal' in message) waiting.reject(errorFromFrame(message.refusal));
    else waiting.reject(new Error(message.bug));
  }
}
