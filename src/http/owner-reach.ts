// Whether a node can be reached at all: asked by a connection of its own, once a request to it has brought nothing for a while. A kept
// connection over a link that is cut stays open and says nothing.
//   OWNER-REACH-1. Each address is asked at most once in each quiet time, however many requests wait for it.
import { connect } from 'node:net';
import { limits } from '../contract/limits.js';

export class OwnerReach {
  readonly #asked = new Map<string, Promise<boolean>>();
  readonly #quietMs: number;

  /** `quietMs`: after which a request is worth the question. */
  constructor({ quietMs = limits.ownerQuietMs }: { quietMs?: number } = {}) {
    this.#quietMs = quietMs;
  }

  /** Calls once the address cannot be reached any more. Returns what ends the watch. */
  watch(address: string, whenCut: () => void): () => void {
    let isOver = false;
    let timer: NodeJS.Timeout;
    const lookLater = (): void => {
      timer = setTimeout(() => void look(), this.#quietMs);
    };
    const look = async (): Promise<void> => {
      const isReached = await this.#isReached(address);
      if (isOver) return;
      if (isReached) lookLater();
      else whenCut();
    };
    lookLater();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  #isReached(address: string): Promise<boolean> {
    const known = this.#asked.get(address);
    if (known !== undefined) return known;
    const asked = reaches(address).finally(() => {
      setTimeout(() => this.#asked.delete(address), this.#quietMs).unref();
    });
    this.#asked.set(address, asked);
    return asked;
  }
}

function reaches(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) });
    const end = (isReached: boolean): void => {
      socket.destroy();
      resolve(isReached);
    };
    socket.setTimeout(limits.ownerReachMs, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
