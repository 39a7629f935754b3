// A reply of server-sent events: its header fields, who asks for one, and what it says while nothing happens.
//   EVENT-STREAM-1. No stream is silent for longer than limits.eventStreamQuietMs. So a proxy or a client that ends idle connections keeps
//     it, and the head of the reply, which uWebSockets.js sends with the first piece, has left by then.
import { limits } from '../contract/limits.js';

export const eventStream = 'text/event-stream';
/** nginx buffers replies unless a reply says otherwise. */
export const eventStreamHeaders = { 'content-type': eventStream, 'x-accel-buffering': 'no' } as const;

export function asksForEvents(headers: ReadonlyMap<string, string>): boolean {
  return headers.get('accept')?.toLowerCase().includes(eventStream) === true;
}

/** Readers of events leave comments out. */
const comment = ': still here\n\n';

/** The same events with a comment after each silence. `isLate`: the first silence is over already. */
export async function* withoutSilence(events: AsyncIterable<string>, { isLate = false } = {}): AsyncGenerator<string> {
  const source = events[Symbol.asyncIterator]();
  try {
    if (isLate) yield comment;
    for (;;) {
      const next = source.next();
      const settlement = new Settlement(next);
      while (!(await settlement.soon())) yield comment;
      const { done, value } = await next;
      if (done === true) return;
      yield value;
    }
  } finally {
    // What it waits for may take long, and nobody reads it.
    void source.return?.();
  }
}

/** Whether a promise has settled. It has one listener, however often one asks. */
export class Settlement {
  #isThere = false;
  #wake = (): void => {};

  constructor(work: Promise<unknown>) {
    const note = (): void => {
      this.#isThere = true;
      this.#wake();
    };
    work.then(note, note);
  }

  /** True once it has settled; false after a silence. */
  async soon(): Promise<boolean> {
    if (this.#isThere) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limits.eventStreamQuietMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    return this.#isThere;
  }
}
