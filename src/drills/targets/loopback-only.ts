// A look-up that yields addresses of this machine alone: what a name stands for is decided when it is connected to, so a name that changes
// its mind in between gains nothing.
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLoopback } from '../../contract/run/http-agent.js';

export const addressRefused = 'ADDRESS_REFUSED';

type LookUpAll = (
  name: string,
  options: LookupOptions & { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** A literal address is never looked up: its user asks `isLoopback`. */
export function loopbackOnly(lookUp: LookUpAll): LookupFunction {
  return (name, options, callback) => {
    lookUp(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const stranger = addresses.find(({ address }) => !isLoopback(address));
      const first = addresses[0];
      if (stranger !== undefined || first === undefined) {
        const message = `"${name}" is ${stranger?.address ?? 'no address'}, which is not this machine`;
        return callback(Object.assign(new Error(message), { code: addressRefused }), '');
      }
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
