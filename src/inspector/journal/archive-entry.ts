// Entry of the archive's thread: questions in, answers out, each in its own time.
import { setImmediate } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { errorToFrame, ServiceError } from '../../contract/errors.js';
import { handOver, serveCalls } from '../../workers/called-thread.js';
import { Archive } from './archive.js';
import type { ArchiveApi, ArchiveCall, ArchiveCalls, ArchiveQuestion, ArchiveReply } from './archive-calls.js';
import type { Pause } from './sealed-run.js';

/** Called by Piscina, once for each inspector that this thread serves. */
export async function serve(port: MessagePort): Promise<void> {
  const archive = new Archive();
  await serveCalls(new AskedArchive(archive), port);
  archive.close();
}

class AskedArchive implements ArchiveApi {
  readonly #archive: Archive;
  readonly #unwanted = new Set<number>();
  readonly #running = new Set<number>();

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  takeBack(id: number): void {
    if (this.#running.has(id)) this.#unwanted.add(id);
  }

  async ask(id: number, { method, ask }: ArchiveQuestion): Promise<ArchiveReply> {
    const pause: Pause = async () => {
      await setImmediate();
      if (this.#unwanted.has(id)) throw new ServiceError('control.UNAVAILABLE', { message: 'The question was taken back.' });
    };
    this.#running.add(id);
    try {
      const work = this.#archive.answers[method] as (ask: unknown, pause: Pause) => Promise<unknown>;
      const given = await work(ask, pause);
      return handOver({ answer: given }, buffersOf(method, given));
    } catch (error) {
      return error instanceof ServiceError ? { refusal: errorToFrame(error) } : { bug: String((error as Error)?.stack ?? error) };
    } finally {
      this.#running.delete(id);
      this.#unwanted.delete(id);
    }
  }
}

/** Of a page of evidence: copied, it would be the third and fourth buffer of its size, and each costs the collector a stop sooner. */
function buffersOf(method: ArchiveCall, given: unknown): ArrayBuffer[] {
  return method === 'evidence' ? [(given as ArchiveCalls['evidence']['answer']).entries.buffer] : [];
}
