// Bytes of bodies that a node holds on their way to other nodes. It has read a body before the owner has looked at the credential, so what
// anybody may send is bounded apart from what holders of known credentials send.
//   FORWARDED-BYTES-1. Bodies of strangers, however many there are, never have a body of a known credential refused.
import { limits } from '../contract/limits.js';
import { ByteBudget, type BytesHeld } from './byte-budget.js';
import { networkOf } from './client-address.js';
import type { ServerRequest } from './server.js';

/** The organization of the credential in a request, as far as this node knows it; `undefined` for a stranger. */
export type HolderOf = (request: ServerRequest) => string | undefined;

const noWait = { waitingMax: 0, waitMsMax: 0 };

export class ForwardedBytes {
  readonly #holderOf: HolderOf;
  readonly #anybody = new ByteBudget({
    ownerBytesMax: limits.forwardedClientBodyBytesMax,
    totalBytesMax: limits.forwardedStrangerBodyBytesMax,
    ...noWait,
    ownerNoun: 'client',
  });
  readonly #known = new ByteBudget({
    ownerBytesMax: limits.organizationBodyBytesMax,
    totalBytesMax: limits.bodyBytesUnderWayMax - limits.forwardedStrangerBodyBytesMax,
    ...noWait,
  });

  constructor(holderOf: HolderOf = () => undefined) {
    this.#holderOf = holderOf;
  }

  /**
   * At once. Who asks is looked up only where anybody's bytes are used up: most bodies cost no look into the catalog.
   * control.RATE_LIMITED, control.UNAVAILABLE.
   */
  take(request: ServerRequest, bytes: number): BytesHeld {
    const network = networkOf(request.address);
    if (this.#anybody.fits(network, bytes)) return this.#anybody.take(network, bytes);
    const holder = this.#holderOf(request);
    return holder === undefined ? this.#anybody.take(network, bytes) : this.#known.take(holder, bytes);
  }
}
