// The requests of one connection of node:http, one at a time: the next one begins when the reply before it has been taken by the system, so
// that a client that does not read costs one reply. The parser hands over all that one read of the socket held: up to 1,300 requests, whose
// objects hold the process up for 20 ms. `stopParser` ends that read.
import type { Socket } from 'node:net';
import { limits } from '../contract/limits.js';

interface Exchange {
  /** Whether all of its body has come. */
  message: { readonly complete: boolean; readonly method?: string | undefined };
  response: { readonly headersSent: boolean; once(event: 'close', listener: () => void): unknown };
  begin(): void;
}

export class RequestLine {
  /** Of its client, in its plain spelling. */
  readonly address: string;
  readonly #socket: Socket;
  readonly #waiting: Exchange[] = [];
  #current: Exchange | undefined;
  readonly #afterReply: () => void;

  constructor(socket: Socket, { address, afterReply }: { address: string; afterReply: () => void }) {
    this.#socket = socket;
    this.address = address;
    this.#afterReply = afterReply;
  }

  /** A connection that is owed more than `repliesOwedMax` replies is closed. */
  take(exchange: Exchange): void {
    // Nothing is begun behind a last reply, though the parser continues.
    if (!this.#socket.writable) return;
    exchange.response.once('close', () => this.#next());
    if (this.#current === undefined) {
      this.#current = exchange;
      exchange.begin();
    } else if (this.#waiting.length + 1 < limits.repliesOwedMax) this.#waiting.push(exchange);
    else {
      this.#waiting.length = 0;
      this.#socket.destroy();
      stopParser(this.#socket);
    }
  }

  /**
   * Whether what the parser could not read may be answered: as the next reply of the connection, or as that to the body which is under way.
   */
  get mayRefuse(): boolean {
    if (this.#current === undefined) return true;
    const { message, response } = this.#current;
    return !message.complete && !response.headersSent;
  }

  /** Of the request whose body is under way. */
  get method(): string | undefined {
    return this.#current?.message.method;
  }

  #next(): void {
    this.#current = undefined;
    this.#afterReply();
    if (!this.#socket.writable) return;
    const exchange = this.#waiting.shift();
    if (exchange === undefined) return;
    this.#current = exchange;
    // What bounded the reply before it does not bound the next one's work.
    this.#socket.setTimeout(0);
    exchange.begin();
  }
}

/**
 * A closed socket does not end the read that its parser is in, and Node.js has no public call that does. A handler that answers 2 says that
 * what follows is another protocol, as it is after an upgrade, so the parser leaves the rest alone. Where the member does not exist, the
 * read is parsed to its end.
 */
function stopParser(socket: Socket & { parser?: { onIncoming?: () => number } }): void {
  if (socket.parser?.onIncoming !== undefined) socket.parser.onIncoming = () => upgraded;
}
const upgraded = 2;
