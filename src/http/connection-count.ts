// How many connections a server has, in all and by the address they come from: beyond a bound a new one is refused.
import { limits } from '../contract/limits.js';
import { networkOf } from './client-address.js';

export interface ConnectionBounds {
  connectionsMax?: number;
  connectionsPerAddressMax?: number;
}
export interface ConnectionCountOptions extends ConnectionBounds {
  /** Of an address that many clients share: it is bounded by the first bound alone. Default: none is. */
  isProxy?(address: string): boolean;
}

export class ConnectionCount {
  readonly #bounds: Required<ConnectionBounds>;
  readonly #isProxy: (address: string) => boolean;
  readonly #byAddress = new Map<string, number>();
  #open = 0;

  constructor({ isProxy = () => false, ...bounds }: ConnectionCountOptions) {
    const { connectionsMax = limits.connectionsMax, connectionsPerAddressMax = limits.connectionsPerAddressMax } = bounds;
    this.#bounds = { connectionsMax, connectionsPerAddressMax };
    this.#isProxy = isProxy;
  }

  /** False where it is one too many; it counts nevertheless, until `remove`. */
  add(address: string): boolean {
    const network = networkOf(address);
    const ofAddress = (this.#byAddress.get(network) ?? 0) + 1;
    this.#byAddress.set(network, ofAddress);
    this.#open += 1;
    const { connectionsMax, connectionsPerAddressMax } = this.#bounds;
    return this.#open <= connectionsMax && (ofAddress <= connectionsPerAddressMax || this.#isProxy(address));
  }

  remove(address: string): void {
    this.#open -= 1;
    const network = networkOf(address);
    const ofAddress = (this.#byAddress.get(network) ?? 0) - 1;
    if (ofAddress > 0) this.#byAddress.set(network, ofAddress);
    else this.#byAddress.delete(network);
  }
}
