// Where callbacks may go: addresses. A name says nothing of what it stands for by the time somebody connects (send.ts asks then); a
// name is judged here only where it is an address, or a local one.
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** Whether a callback may go to an address, as the socket will have it. */
export type AddressRule = (address: string) => boolean;

/** This machine's own, in the two forms that say so; nothing that only stands for them, such as ::ffff:127.0.0.1. */
export const isLoopbackAddress: AddressRule = (address) =>
  isIPv4(address) ? address.startsWith('127.') : isIPv6(address) && loopback6.check(address, 'ipv6') && !address.includes('.');

/** What anybody on the internet may have: no loopback, private, link-local, metadata, multicast, mapped or translated address. */
export const isPublicAddress: AddressRule = (address) => {
  if (isIPv4(address)) return !privateAddresses.check(address, 'ipv4');
  return isIPv6(address) && !address.includes('%') && publicAddresses6.check(address, 'ipv6') && !privateAddresses.check(address, 'ipv6');
};

/** Of a URL: an address that is public, or a name that could be public. Names are looked up when they are used. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes('.') && !/\.(localhost|local|internal|intranet|lan|home|corp|private|test|invalid|home\.arpa)$/.test(host);
}

const loopback6 = new BlockList();
loopback6.addAddress('::1', 'ipv6');

/** Global unicast, all that is handed out of IPv6. */
const publicAddresses6 = new BlockList();
publicAddresses6.addSubnet('2000::', 3, 'ipv6');

/** The special-purpose registries of IANA (RFC 6890 and what came after), as far as nothing public can be there. */
const privateAddresses = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  // Where clouds keep what only their machines may ask.
  ['168.63.129.16', 32],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  privateAddresses.addSubnet(address, bits, 'ipv4');
}
// 6to4 and Teredo carry IPv4 addresses inside; documentation addresses belong to no host.
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  privateAddresses.addSubnet(address, bits, 'ipv6');
}
