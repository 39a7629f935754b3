// Whom a request comes from. A proxy that the operator trusts names its client in X-Forwarded-For or Forwarded; nobody else is believed.
//   TRUSTED-PROXIES-1. The client is the nearest sender that is no trusted proxy: lists are read from their end, where proxies append. What
//     stands before it may come from any client, and decides nothing.
//   TRUSTED-PROXIES-2. A proxy that hides its sender, or names none, is the client itself.
//   TRUSTED-PROXIES-3. Where both headers come, they lead to one address, or the request is refused: which of them the proxy wrote is not
//     known.
import { BlockList, isIP } from 'node:net';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { badForwarding, customHops, standardHops } from './client-address.js';
import { RequestFrom } from './request-from.js';
import type { HttpHandler, HttpReply, ServerRequest } from './server.js';

interface Subnet {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

/** An address or a block of them (CIDR); undefined for other text, and for the block of everybody. */
export function subnetOf(text: string): Subnet | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return undefined;
  const bits = version === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : 0;
  return prefix < 1 || prefix > bits ? undefined : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

export class TrustedProxies {
  readonly #subnets = new BlockList();
  // A proxy sends many requests from one address, and asking the list takes as long as the rest.
  #lastAsked = '';
  #lastTrusted = false;

  /** control.INVALID_REQUEST for one that is neither an address nor a block of addresses. */
  constructor(subnets: readonly string[]) {
    for (const text of subnets) {
      const subnet = subnetOf(text);
      if (subnet === undefined) {
        const message = `"${text.slice(0, limits.quotedNameCharsMax)}" is no address of a proxy, such as 10.0.0.7 or 10.0.0.0/24.`;
        throw new ServiceError('control.INVALID_REQUEST', { message });
      }
      this.#subnets.addSubnet(subnet.address, subnet.prefix, subnet.family);
    }
  }

  /** `address` in its plain spelling. */
  readonly has = (address: string): boolean => {
    if (address === this.#lastAsked) return this.#lastTrusted;
    const version = isIP(address);
    this.#lastTrusted = version !== 0 && this.#subnets.check(address, version === 4 ? 'ipv4' : 'ipv6');
    this.#lastAsked = address;
    return this.#lastTrusted;
  };

  /** control.INVALID_REQUEST where the headers contradict each other or are out of shape. */
  clientOf({ address: peer, headers }: ServerRequest): string {
    if (!this.has(peer)) return peer;
    const standard = headers.get('forwarded');
    const custom = headers.get('x-forwarded-for');
    const byStandard = standard === undefined ? undefined : this.#nearest(peer, standardHops(standard));
    const byCustom = custom === undefined ? undefined : this.#nearest(peer, customHops(custom));
    if (byStandard !== undefined && byCustom !== undefined && byStandard !== byCustom)
      throw badForwarding('forwarded', 'and the x-forwarded-for header name different clients; a proxy sends one and removes the other');
    return byStandard ?? byCustom ?? peer;
  }

  #nearest(peer: string, hops: readonly string[]): string {
    let nearest = peer;
    for (const hop of hops.slice(-limits.forwardedHopsMax).reverse()) {
      if (hop === '') return nearest;
      nearest = hop;
      if (!this.has(hop)) return nearest;
    }
    return nearest;
  }
}

/** The same handler; requests that came through trusted proxies have the address of their client. */
export function behindProxies(proxies: TrustedProxies, handler: HttpHandler): HttpHandler {
  return (request): HttpReply | Promise<HttpReply> => {
    const client = proxies.clientOf(request);
    return handler(client === request.address ? request : new RequestFrom(request, client));
  };
}
