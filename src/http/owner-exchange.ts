// One request to an owner and its reply, on a connection that others use before and after it.
//   OWNER-EXCHANGE-1. `unsent` is said only where no connection stood: nothing of the request has left. Everything else that ends without a
//     reply is `lost`: the owner may have carried it out.
//   OWNER-EXCHANGE-2. Nothing is followed, no proxy is asked, and nothing of a reply is held but what its reader has not taken.
import { invariant } from '../contract/errors.js';
import { type ReplyHead, ReplyParser } from './reply-parser.js';
import { isPlainValue } from './request-faults.js';
import { tuning } from './tuning.js';

export interface OutgoingRequest {
  /** Of the owner: scheme, host and port. */
  address: string;
  method: string;
  /** Path and query, undecoded. */
  target: string;
  /** Name and value in turns. */
  headers: readonly string[];
  body: Uint8Array | undefined;
}
export interface OwnerReply extends ReplyHead {
  /** The body as it comes, to be read once. Throws where it is not whole. */
  pieces(): AsyncGenerator<Uint8Array>;
  /** All of it at once; undefined where it is not whole. */
  whole(): Promise<Uint8Array | undefined>;
  /** In place of reading it. */
  drop(): void;
}
export type OwnerAnswer = OwnerReply | 'unsent' | 'lost';

/** Of the connection that carries it, or of the place where it waits for one. */
export interface ExchangeCarrier {
  /** Stops reading what comes, and reads again. */
  hold(isHeld: boolean): void;
  /** Ends the connection, or the wait for one. */
  breakOff(): void;
}

export class OwnerExchange {
  /** Never rejects. */
  readonly answer: Promise<OwnerAnswer>;
  readonly parser: ReplyParser;
  /** The reply is whole, and its connection may carry another. */
  isKept = false;
  readonly #request: OutgoingRequest;
  readonly #resolve: (answer: OwnerAnswer) => void;
  /** Undefined: it is over. */
  #carrier: ExchangeCarrier | undefined;
  #isConnected = false;
  /** For the owner, and not for the reader of its reply. */
  #isWaiting = true;
  #quietMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Of the body, what its reader has not taken. */
  #pieces: Uint8Array[] = [];
  #heldBytes = 0;
  #isHeld = false;
  #isDropped = false;
  #isWhole = false;
  #wake = (): void => {};

  constructor(request: OutgoingRequest, carrier: ExchangeCarrier) {
    requireShape(request);
    this.#request = request;
    this.#carrier = carrier;
    this.parser = new ReplyParser(
      {
        head: (head) => this.#begin(head),
        piece: (bytes) => this.#add(bytes),
        end: (isKept) => {
          this.#isWhole = true;
          this.isKept = isKept;
        },
      },
      { isHead: request.method === 'HEAD' },
    );
    let resolve!: (answer: OwnerAnswer) => void;
    this.answer = new Promise((settle) => {
      resolve = settle;
    });
    this.#resolve = resolve;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** A connection is on its way. */
  waitOn(carrier: ExchangeCarrier): void {
    this.#carrier = carrier;
  }

  /** A connection stands, which carries it from now on. Yields what is to leave. */
  leave(carrier: ExchangeCarrier): [head: Buffer, body?: Uint8Array] {
    this.#carrier = carrier;
    this.#isConnected = true;
    this.#bound();
    const { method, target, headers, body } = this.#request;
    let text = `${method} ${target} HTTP/1.1\r\n`;
    for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
    text += 'connection: keep-alive\r\n\r\n';
    if (body === undefined || body.byteLength === 0) return [Buffer.from(text, 'latin1')];
    if (body.byteLength > tuning.copiedBodyBytesMax) return [Buffer.from(text, 'latin1'), body];
    // Of a request that leaves as one piece the owner reads all at once.
    const whole = Buffer.allocUnsafe(text.length + body.byteLength);
    whole.write(text, 'latin1');
    whole.set(body, text.length);
    return [whole];
  }

  /** The carrier does no more for it. */
  settle(): void {
    this.#carrier = undefined;
    clearTimeout(this.#timer);
    this.#resolve(this.#isConnected ? 'lost' : 'unsent');
    this.#wake();
  }

  /** From now on it is broken off once it is waited for and has brought nothing for so long; at once where nothing has left. */
  boundQuiet(ms: number): void {
    this.#quietMs = ms;
    if (this.#isConnected) this.#bound();
    else this.breakOff();
  }

  /** In the middle of anything; one that is over stays so, and its connection is kept. */
  breakOff(): void {
    this.#carrier?.breakOff();
  }

  #begin(head: ReplyHead): void {
    this.#bound();
    this.#resolve({
      ...head,
      pieces: () => this.#eachPiece(),
      whole: () => this.#allPieces(),
      drop: () => {
        this.#isDropped = true;
        this.#takeAll();
      },
    });
  }

  #add(bytes: Uint8Array): void {
    this.#bound();
    if (this.#isDropped) return;
    this.#pieces.push(bytes);
    this.#heldBytes += bytes.byteLength;
    if (this.#heldBytes >= tuning.ownerReplyHeldBytes && !this.#isHeld) {
      this.#isHeld = true;
      this.#carrier?.hold(true);
    }
    this.#wake();
  }

  #takeAll(): Uint8Array[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#heldBytes = 0;
    if (this.#isHeld) {
      this.#isHeld = false;
      this.#carrier?.hold(false);
    }
    return pieces;
  }

  get #isOver(): boolean {
    return this.#isWhole || this.#carrier === undefined;
  }
  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #allPieces(): Promise<Uint8Array | undefined> {
    const pieces = this.#takeAll();
    while (!this.#isOver) {
      await this.#more();
      pieces.push(...this.#takeAll());
    }
    if (!this.#isWhole) return undefined;
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  }

  async *#eachPiece(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const pieces = this.#takeAll();
        if (pieces.length === 0 && this.#isOver) break;
        if (pieces.length === 0) await this.#more();
        this.#isWaiting = false;
        clearTimeout(this.#timer);
        for (const piece of pieces) yield piece;
        this.#isWaiting = true;
        this.#bound();
      }
      if (!this.#isWhole) throw new Error('the reply is not whole');
    } finally {
      if (!this.#isWhole) this.breakOff();
    }
  }

  #bound(): void {
    clearTimeout(this.#timer);
    if (this.#quietMs === undefined || !this.#isWaiting || this.#isOver) return;
    this.#timer = setTimeout(() => this.breakOff(), this.#quietMs);
  }
}

/** What would end a line and begin another was refused where it came from. */
function requireShape({ method, target, headers }: OutgoingRequest): void {
  invariant(lineShape.test(`${method} ${target}`) && headers.every(isPlainValue), 'a request to another node is not well-formed');
}
const lineShape = /^[!-~]+ \/[!-~]*$/;
