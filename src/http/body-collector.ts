// The body of one request as it arrives, for both servers.
//   BODY-COLLECTOR-1. It is read at most once, and settles once: with all bytes, or with the reason why not.
//   BODY-COLLECTOR-2. Never more than the reader allows is held; before somebody reads, a server stops reading from the connection after
//     `unreadBytes`.
//   BODY-COLLECTOR-3. A reader waits no longer than it may. Its time begins when the turn of the event loop is over in which it asked: most
//     bodies come within it, and need no timer.
import { ServiceError } from '../contract/errors.js';

export class BodyCollector {
  readonly #timeoutMs: number;
  #chunks: Uint8Array[] = [];
  /** Bytes seen, kept or not. */
  #bytes = 0;
  #complete = false;
  #isDropped = false;
  #failure: ServiceError | undefined;
  #isLate = false;
  readonly #whenSlow: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reader: { bytesMax: number; resolve: (body: Uint8Array) => void; reject: (error: ServiceError) => void } | undefined;

  /** `whenSlow` is called when a reader begins to wait for more than one turn of the event loop. */
  constructor({ timeoutMs, whenSlow }: { timeoutMs: number; whenSlow?: () => void }) {
    this.#timeoutMs = timeoutMs;
    this.#whenSlow = whenSlow;
  }

  get settled(): boolean {
    return this.#complete || this.#isDropped || this.#failure !== undefined;
  }

  /** It did not come in time: its connection is good for nothing more. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Held for nobody so far. */
  get unreadBytes(): number {
    return this.#reader === undefined && !this.settled ? this.#bytes : 0;
  }

  /** The chunk must be the collector's own: a server that reuses its buffer copies first. */
  push(chunk: Uint8Array): void {
    if (this.settled) return;
    this.#bytes += chunk.byteLength;
    if (this.#reader !== undefined && this.#bytes > this.#reader.bytesMax) this.fail(tooLarge(this.#reader.bytesMax));
    else this.#chunks.push(chunk);
  }

  /** Nobody will read it. */
  drop(): void {
    if (this.#reader !== undefined || this.settled) return;
    // Every reply to a request without a reader comes here: an error, with its stack, is made when somebody reads after all.
    this.#isDropped = true;
    this.#chunks = [];
  }

  complete(): void {
    if (this.settled) return;
    this.#complete = true;
    if (this.#reader === undefined) return;
    clearTimeout(this.#timer);
    this.#reader.resolve(this.#take());
  }

  fail(error: ServiceError): void {
    if (this.settled) return;
    this.#failure = error;
    this.#chunks = [];
    if (this.#reader === undefined) return;
    clearTimeout(this.#timer);
    this.#reader.reject(error);
  }

  /** The client has gone. Each request ends so, most of them whole: no error is made for those. */
  lose(): void {
    if (!this.settled) this.fail(clientGone());
  }

  read(bytesMax: number): Promise<Uint8Array> {
    if (this.#isDropped) return Promise.reject(clientGone());
    if (this.#bytes > bytesMax) this.fail(tooLarge(bytesMax));
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#complete) return this.#bytes > bytesMax ? Promise.reject(tooLarge(bytesMax)) : Promise.resolve(this.#take());
    return new Promise((resolve, reject) => {
      this.#reader = { bytesMax, resolve, reject };
      waitAfterTurn(this);
    });
  }

  /** The turn is over. */
  beginWait(): void {
    if (this.settled) return;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.fail(tooSlow(this.#timeoutMs));
    }, this.#timeoutMs);
    this.#whenSlow?.();
  }

  #take(): Uint8Array {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
  }
}

/** Asked for in this turn, of all servers of the process. */
let asked: BodyCollector[] = [];
function waitAfterTurn(collector: BodyCollector): void {
  if (asked.push(collector) > 1) return;
  setImmediate(() => {
    const collectors = asked;
    asked = [];
    for (const one of collectors) one.beginWait();
  });
}

export function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('control.PAYLOAD_TOO_LARGE', { message: `The body is larger than ${bytesMax} bytes.`, details: { bytesMax } });
}
function tooSlow(timeoutMs: number): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: `The body did not arrive within ${timeoutMs} ms.` });
}
/** What the reader of a body learns when the client has gone; nobody is left to read the reply. */
export function clientGone(): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: 'The client closed the connection before its body had arrived.' });
}
