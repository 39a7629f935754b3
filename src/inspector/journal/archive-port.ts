// The server's end of the archive: two threads, so that judging a whole report never stands in the way of a page. Each starts when it is
// first needed; one that dies is replaced at the next question.
import { errorFromFrame, ServiceError } from '../../contract/errors.js';
import { CalledThread } from '../../workers/called-thread.js';
import type { ArchiveApi, ArchiveCall, ArchiveCalls, ArchiveReply } from './archive-calls.js';

const slow = new Set<ArchiveCall>(['verify', 'html', 'zip', 'attachments', 'attachment', 'compare']);
const entry = new URL('./archive-entry.js', import.meta.url);

export class ArchivePort {
  readonly #pages = new CalledThread<ArchiveApi>(entry);
  readonly #judge = new CalledThread<ArchiveApi>(entry);
  #lastId = 0;

  /** Aborting takes the question back. */
  async ask<Method extends ArchiveCall>(
    method: Method,
    ask: ArchiveCalls[Method]['ask'],
    signal?: AbortSignal,
  ): Promise<ArchiveCalls[Method]['answer']> {
    const thread = slow.has(method) ? this.#judge : this.#pages;
    const id = ++this.#lastId;
    // Where the thread has gone meanwhile there is nothing to take back.
    const takeBack = (): void => void thread.call((archive) => archive.takeBack(id)).catch(() => {});
    signal?.addEventListener('abort', takeBack, { once: true });
    try {
      const reply = await thread.call<ArchiveReply>(async (archive) => archive.ask(id, { method, ask }));
      if ('answer' in reply) return reply.answer as ArchiveCalls[Method]['answer'];
      throw 'refusal' in reply ? errorFromFrame(reply.refusal) : new Error(reply.bug);
    } finally {
      signal?.removeEventListener('abort', takeBack);
    }
  }

  async close(): Promise<void> {
    const reason = new ServiceError('control.UNAVAILABLE', { message: 'The inspector is closing.' });
    await Promise.all([this.#pages.close(reason), this.#judge.close(reason)]);
  }
}
