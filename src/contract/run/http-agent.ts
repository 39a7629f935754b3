// What may be asked of an agent over HTTP, as far as its target's file says: reported when it is compiled, enforced when it is asked.
import { BlockList, isIP, isIPv6 } from 'node:net';

/** What keeps a URL from being asked at all. */
export function urlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'The url of an HTTP target is no URL: its host or its port cannot be.';
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return 'The url of an HTTP target must begin with http:// or https://.';
  if (username !== '' || password !== '') return 'The url of an HTTP target holds no credentials: use headersFromEnvironment.';
  return undefined;
}

/** Those that the request is made of. */
const ownHeaders = new Set([
  'host',
  'content-type',
  'content-length',
  'transfer-encoding',
  'connection',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'accept-encoding',
]);

export function headerFault(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return `"${name}" is no name of a header.`;
  return ownHeaders.has(name.toLowerCase()) ? `The header ${name} cannot be set: it belongs to the request itself.` : undefined;
}

/** The host where it is an address, however that was written; a name says nothing before it is looked up. */
export function literalAddress({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

export function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
