// Kept connections to the owners of what this node is asked for: one exchange at a time on each. They speak HTTP/1.1 by themselves, as a
// forward waits for everything that is done here, and the client of Node.js does more than this needs.
//   OWNER-CONNECTIONS-1. A connection carries a next request only where its reply has ended, its request has left as a whole, and nothing
//     has come since.
//   OWNER-CONNECTIONS-2. There are at most so many to one owner; requests beyond wait, in their order.
import { connect, type Socket } from 'node:net';
import { limits } from '../contract/limits.js';
import { type ExchangeCarrier, type OutgoingRequest, OwnerExchange } from './owner-exchange.js';
import { ReplyFault } from './reply-parser.js';

interface Owner {
  host: string;
  port: number;
  /** The one that was used last is last. */
  free: Connection[];
  all: Set<Connection>;
  waiting: OwnerExchange[];
}

export class OwnerConnections {
  readonly #connectionsMax: number;
  readonly #owners = new Map<string, Owner>();
  #isClosed = false;

  constructor({ connectionsMax = limits.ownerConnectionsMax }: { connectionsMax?: number } = {}) {
    this.#connectionsMax = connectionsMax;
  }

  send(request: OutgoingRequest): OwnerExchange {
    const owner = this.#ownerAt(request.address);
    const exchange: OwnerExchange = new OwnerExchange(request, {
      hold: () => {},
      breakOff: () => {
        owner.waiting = owner.waiting.filter((one) => one !== exchange);
        exchange.settle();
      },
    });
    if (this.#isClosed) exchange.settle();
    else {
      const free = owner.free.pop();
      if (free !== undefined) free.carry(exchange);
      else if (owner.all.size < this.#connectionsMax) this.#open(owner, exchange);
      else owner.waiting.push(exchange);
    }
    return exchange;
  }

  /** What is under way is broken off. */
  close(): void {
    this.#isClosed = true;
    for (const owner of this.#owners.values()) {
      for (const exchange of [...owner.waiting]) exchange.breakOff();
      for (const connection of owner.all) connection.breakOff();
    }
  }

  #ownerAt(address: string): Owner {
    const known = this.#owners.get(address);
    if (known !== undefined) return known;
    const { hostname, port } = new URL(address);
    const owner = {
      ...{ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) },
      ...{ free: [], all: new Set<Connection>(), waiting: [] },
    };
    this.#owners.set(address, owner);
    return owner;
  }

  #open(owner: Owner, first: OwnerExchange): void {
    const connection: Connection = new Connection(owner, {
      over: () => {
        const next = owner.waiting.shift();
        if (next !== undefined) connection.carry(next);
        else if (owner.free.length < limits.ownerConnectionsKeptMax) owner.free.push(connection);
        else connection.breakOff();
      },
      closed: () => {
        owner.all.delete(connection);
        owner.free = owner.free.filter((one) => one !== connection);
        const next = owner.waiting.shift();
        if (next !== undefined) this.#open(owner, next);
        else if (owner.all.size === 0) this.#forget(owner);
      },
    });
    owner.all.add(connection);
    connection.carry(first);
  }

  /** Nodes come and go, each with an address of its own. */
  #forget(owner: Owner): void {
    for (const [address, one] of this.#owners) if (one === owner) this.#owners.delete(address);
  }
}

interface ConnectionEnds {
  /** Another exchange may begin. */
  over(): void;
  closed(): void;
}

class Connection implements ExchangeCarrier {
  readonly #socket: Socket;
  readonly #ends: ConnectionEnds;
  #isConnected = false;
  #isClosed = false;
  #exchange: OwnerExchange | undefined;

  constructor({ host, port }: Pick<Owner, 'host' | 'port'>, ends: ConnectionEnds) {
    this.#ends = ends;
    const socket = connect({ host, port, noDelay: true, keepAlive: true });
    this.#socket = socket;
    // A machine that is gone does not even refuse.
    const timer = setTimeout(() => this.breakOff(), limits.ownerConnectMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      this.#isConnected = true;
      // It begins again with each byte.
      socket.setTimeout(limits.ownerConnectionKeptMs);
      if (this.#exchange !== undefined) this.#send(this.#exchange);
    });
    socket.on('timeout', () => {
      if (this.#exchange === undefined) this.breakOff();
    });
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('end', () => this.breakOff());
    // 'close' follows.
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(timer);
      this.#close();
    });
  }

  /** Only where no other exchange is under way. */
  carry(exchange: OwnerExchange): void {
    this.#exchange = exchange;
    if (this.#isConnected) this.#send(exchange);
    else exchange.waitOn(this);
  }

  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Nobody gets it any more, though its socket closes a moment later. */
  breakOff(): void {
    this.#socket.destroy();
    this.#close();
  }

  #send(exchange: OwnerExchange): void {
    const [head, body] = exchange.leave(this);
    if (body === undefined) {
      this.#socket.write(head);
      return;
    }
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(body);
    this.#socket.uncork();
  }

  #take(bytes: Buffer): void {
    if (this.#isClosed) return;
    const exchange = this.#exchange;
    // Nobody has asked for it, or it is no reply.
    if (exchange === undefined || !isTaken(exchange, bytes)) {
      this.breakOff();
      return;
    }
    if (!exchange.isWhole) return;
    this.#leave();
    if (!exchange.isKept || this.#socket.writableLength > 0) {
      this.breakOff();
      return;
    }
    this.#socket.resume();
    this.#ends.over();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leave();
    this.#ends.closed();
  }

  #leave(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.settle();
  }
}

function isTaken({ parser }: OwnerExchange, bytes: Buffer): boolean {
  try {
    parser.push(bytes);
    return true;
  } catch (error) {
    if (error instanceof ReplyFault) return false;
    throw error;
  }
}
