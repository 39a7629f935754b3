// Frames on their way to a host: gathered until all that this turn of the event loop has read is worked off, or until the host stands, then
// one envelope. A host that rests is woken by each, and waking it costs more than all else of a call here.
import type { Call } from './calls.js';
import { type Envelope, postToHost, writeToHost } from './frames.js';

export class OutgoingMail {
  /** Messages the present incarnation was, or will be, sent. */
  sent = 0;
  #envelope: Envelope = [];
  readonly #flush: () => void;

  /** `flush` is called when there is something to send; it calls `send` if it can. */
  constructor(flush: () => void) {
    this.#flush = flush;
  }

  write(call: Call): void {
    this.sent++;
    this.#scheduleFlush();
    writeToHost[call.kind](this.#envelope, call.slot, call.stamp, call.actorId, call.message);
  }

  cancel(call: Call): void {
    this.#scheduleFlush();
    writeToHost.cancel(this.#envelope, call.slot, call.stamp, call.actorId);
  }

  send(post: (envelope: Envelope) => void, refused: (slot: number, cause: Error) => void): void {
    const envelope = this.#envelope;
    if (envelope.length === 0) return;
    this.#envelope = [];
    postToHost(envelope, post, (slot, cause) => {
      this.sent--;
      refused(slot, cause);
    });
  }

  /** For a new incarnation. */
  clear(): void {
    this.#envelope = [];
    this.sent = 0;
  }

  /** After the requests of all connections that could be read: what they make ready travels together. */
  #scheduleFlush(): void {
    if (this.#envelope.length === 0) setImmediate(this.#flush);
  }
}
