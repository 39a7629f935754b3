// The body of one request as it arrives, for both servers.
//   B1. It is read at most once, and settles once: with all bytes, or with the reason why not.
//   B2. Never more than the limit in force is held: `unreadBytesMax` until somebody reads, then what the reader allows.
import { ServiceError } from '../contract/errors.js';

export class BodyCollector {
  readonly #unreadBytesMax: number;
  readonly #timeoutMs: number;
  #chunks: Uint8Array[] = [];
  /** Bytes seen, kept or not. */
  #bytes = 0;
  #complete = false;
  #failure: ServiceError | undefined;
  #reader: { bytesMax: number; resolve: (body: Uint8Array) => void; reject: (error: ServiceError) => void; timer: NodeJS.Timeout } | undefined;

  constructor({ unreadBytesMax, timeoutMs }: { unreadBytesMax: number; timeoutMs: number }) {
    this.#unreadBytesMax = unreadBytesMax;
    this.#timeoutMs = timeoutMs;
  }

  get settled(): boolean {
    return this.#complete || this.#failure !== undefined;
  }

  /** The chunk must be the collector's own: a server that reuses its buffer copies first. */
  push(chunk: Uint8Array): void {
    if (this.settled) return;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > (this.#reader?.bytesMax ?? this.#unreadBytesMax)) this.fail(tooLarge(this.#reader?.bytesMax ?? this.#unreadBytesMax));
    else this.#chunks.push(chunk);
  }

  complete(): void {
    if (this.settled) return;
    this.#complete = true;
    if (this.#reader === undefined) return;
    clearTimeout(this.#reader.timer);
    this.#reader.resolve(this.#take());
  }

  fail(error: ServiceError): void {
    if (this.settled) return;
    this.#failure = error;
    this.#chunks = [];
    if (this.#reader === undefined) return;
    clearTimeout(this.#reader.timer);
    this.#reader.reject(error);
  }

  read(bytesMax: number): Promise<Uint8Array> {
    if (this.#bytes > bytesMax) this.fail(tooLarge(bytesMax));
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#complete) return this.#bytes > bytesMax ? Promise.reject(tooLarge(bytesMax)) : Promise.resolve(this.#take());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.fail(tooSlow(this.#timeoutMs)), this.#timeoutMs);
      this.#reader = { bytesMax, resolve, reject, timer };
    });
  }

  #take(): Uint8Array {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
  }
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
