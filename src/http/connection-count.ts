// How many connections a server has, in all and by the address they come from: beyond a bound a new one is refused.
import { limits } from '../contract/limits.js';

export interface ConnectionBounds {
  connectionsMax?: number;
  connectionsPerAddressMax?: number;
}

export class ConnectionCount {
  readonly #bounds: Required<ConnectionBounds>;
  readonly #byAddress = new Map<string, number>();
  #open = 0;

  constructor({ connectionsMax = limits.connectionsMax, connectionsPerAddressMax = limits.connectionsPerAddressMax }: ConnectionBounds) {
    this.#bounds = { connectionsMax, connectionsPerAddressMax };
  }

  /** False where it is one too many; it counts all the same, until `remove`. */
  add(address: string): boolean {
    const ofAddress = (this.#byAddress.get(address) ?? 0) + 1;
    this.#byAddress.set(address, ofAddress);
    this.#open += 1;
    return this.#open <= this.#bounds.connectionsMax && ofAddress <= this.#bounds.connectionsPerAddressMax;
  }

  remove(address: string): void {
    this.#open -= 1;
    const ofAddress = (this.#byAddress.get(address) ?? 0) - 1;
    if (ofAddress > 0) this.#byAddress.set(address, ofAddress);
    else this.#byAddress.delete(address);
  }
}
