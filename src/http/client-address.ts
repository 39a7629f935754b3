// Addresses of clients as text: one spelling for each, and the lists of them that proxies hand on.
import { isIP, SocketAddress } from 'node:net';
import { ServiceError } from '../contract/errors.js';

/** The one spelling of an address. An IPv4 client is one over an IPv6 socket too. '' for text that is no address. */
export function plainAddress(text: string): string {
  const version = isIP(text);
  if (version !== 6) return version === 4 ? text : '';
  const zone = text.indexOf('%');
  const { address } = new SocketAddress({ address: zone < 0 ? text : text.slice(0, zone), family: 'ipv6' });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}

/**
 * What is counted as one client, of an address in its plain spelling: an IPv4 address, or the 64 bits of an IPv6 address that networks are
 * given at least, as a holder of one of these has them all.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}

/** The senders that an X-Forwarded-For header names, the nearest last; '' for one that is not named by an address. */
export function customHops(header: string): string[] {
  return header.split(',').map((text) => hopOf(text.trim()));
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** The blanks after a pair are looked for where there is one: two lists of blanks beside each other could share them in many ways. */
const forwardedPart = new RegExp(`[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?([;,]|$)`, 'y');

/**
 * The same of a Forwarded header (RFC 7239). control.INVALID_REQUEST for one out of shape: an open quote may hide what a proxy has
 * appended.
 */
export function standardHops(header: string): string[] {
  const hops: string[] = [];
  let pairs = 0;
  let named: string | undefined;
  forwardedPart.lastIndex = 0;
  for (;;) {
    const found = forwardedPart.exec(header);
    if (found === null) throw badForwarding('forwarded', 'is not well-formed (RFC 7239)');
    const [, name, bare, quoted = '', end] = found;
    if (name !== undefined) pairs += 1;
    if (name?.toLowerCase() === 'for') {
      if (named !== undefined) throw badForwarding('forwarded', 'names two senders in one element');
      named = bare ?? quoted.replace(/\\(.)/g, '$1');
    }
    if (end === ';') continue;
    // A list may have empty elements, which say nothing.
    if (pairs > 0) hops.push(hopOf(named ?? ''));
    if (end === '') return hops;
    pairs = 0;
    named = undefined;
  }
}

/** An address with or without a port; '' for `unknown` and for names that hide one. */
function hopOf(text: string): string {
  const bracketed = /^\[([0-9a-fA-F:.]+)\](?::[\w.-]+)?$/.exec(text)?.[1];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? plainAddress(bracketed) : '';
  return plainAddress(/^([\d.]+):[\w.-]+$/.exec(text)?.[1] ?? text);
}

export function badForwarding(header: string, message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', {
    message: `The ${header} header ${message}.`,
    issues: [{ path: `/headers/${header}`, code: 'pattern', message }],
  });
}
