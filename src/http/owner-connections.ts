// Kept connections to the owners of what this node is asked for, and one exchange on one of them.
//   OWNER-CONNECTIONS-1. `unsent` is said only where no connection stood: nothing of the request has left. Everything else that ends
//     without a reply is `lost`: the owner may have carried it out.
//   OWNER-CONNECTIONS-2. Nothing is followed, no proxy is asked, and nothing of a reply is held but what its reader has not taken.
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { limits } from '../contract/limits.js';

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
export interface OwnerReply {
  status: number;
  /** Name and value in turns, as they came. */
  rawHeaders: readonly string[];
  /** Of a name in lower case. */
  headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Of its body, where it says so. */
  length: number | undefined;
  /** The body as it comes, to be read once. Throws where it is not whole. */
  pieces(): AsyncGenerator<Uint8Array>;
  /** All of it at once; undefined where it is not whole. */
  whole(): Promise<Uint8Array | undefined>;
  /** In place of reading it. */
  drop(): void;
}
export type OwnerAnswer = OwnerReply | 'unsent' | 'lost';

export class OwnerConnections {
  readonly #agent: Agent;

  constructor({ connectionsMax = limits.ownerConnectionsMax }: { connectionsMax?: number } = {}) {
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: connectionsMax,
      maxFreeSockets: Math.min(connectionsMax, limits.ownerConnectionsKeptMax),
      // Only of those that nobody uses.
      timeout: limits.ownerConnectionKeptMs,
      scheduling: 'lifo',
      noDelay: true,
    });
  }

  send(request: OutgoingRequest): OwnerExchange {
    return new OwnerExchange(this.#agent, request);
  }

  /** What is under way is broken off. */
  close(): void {
    this.#agent.destroy();
  }
}

export class OwnerExchange {
  /** Never rejects. */
  readonly answer: Promise<OwnerAnswer>;
  readonly #outgoing: ClientRequest;
  #isConnected = false;
  /** For the owner, and not for the reader of its reply. */
  #isWaiting = true;
  #quietMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(agent: Agent, { address, method, target, headers, body }: OutgoingRequest) {
    const { hostname, port } = new URL(address);
    const outgoing = httpRequest({
      agent,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? 80 : port,
      method,
      path: target,
      headers,
      maxHeaderSize: limits.ownerReplyHeaderBytesMax,
    });
    this.#outgoing = outgoing;
    this.answer = new Promise((resolve) => {
      outgoing.once('response', (incoming) => {
        this.#bound();
        resolve(this.#replyOf(incoming));
      });
      outgoing.on('error', () => resolve(this.#isConnected ? 'lost' : 'unsent'));
      outgoing.once('close', () => {
        clearTimeout(this.#timer);
        resolve(this.#isConnected ? 'lost' : 'unsent');
      });
    });
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) {
        this.#isConnected = true;
        return;
      }
      // A machine that is gone does not even refuse.
      this.#timer = setTimeout(() => outgoing.destroy(), limits.ownerConnectMs);
      socket.once('connect', () => {
        this.#isConnected = true;
        this.#bound();
      });
    });
    outgoing.end(body);
  }

  /** From now on it is broken off once it is waited for and has brought nothing for so long; at once where nothing has left. */
  boundQuiet(ms: number): void {
    this.#quietMs = ms;
    if (this.#isConnected) this.#bound();
    else this.#outgoing.destroy();
  }

  /** In the middle of anything; one that is over stays so, and its connection is kept. */
  breakOff(): void {
    this.#outgoing.destroy();
  }

  #replyOf(incoming: IncomingMessage): OwnerReply {
    const length = incoming.headers['content-length'];
    return {
      status: incoming.statusCode as number,
      rawHeaders: incoming.rawHeaders,
      headers: incoming.headers,
      length: length === undefined ? undefined : Number(length),
      pieces: () => this.#pieces(incoming),
      whole: () => this.#whole(incoming),
      drop: () => void incoming.resume(),
    };
  }

  /** By events: this is what most replies take, and an iterator costs more than all else here. */
  #whole(incoming: IncomingMessage): Promise<Uint8Array | undefined> {
    const pieces: Uint8Array[] = [];
    incoming.on('data', (piece: Uint8Array) => {
      pieces.push(piece);
      this.#bound();
    });
    return new Promise((resolve) => {
      incoming.once('end', () => {
        const whole = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
        resolve(incoming.complete ? whole : undefined);
      });
      incoming.once('error', () => resolve(undefined));
      incoming.once('close', () => resolve(undefined));
    });
  }

  async *#pieces(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
    for await (const piece of incoming) {
      this.#isWaiting = false;
      clearTimeout(this.#timer);
      yield piece as Uint8Array;
      this.#isWaiting = true;
      this.#bound();
    }
    if (!incoming.complete) throw new Error('the reply is not whole');
  }

  #bound(): void {
    clearTimeout(this.#timer);
    if (this.#quietMs === undefined || !this.#isWaiting || this.#outgoing.destroyed) return;
    this.#timer = setTimeout(() => this.#outgoing.destroy(), this.#quietMs);
  }
}
