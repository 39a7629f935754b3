// Callback receivers as they lie in the catalog, their states, and which origins may be one.
//   pending -> approved -> revoked; pending -> revoked
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { ServiceError } from '../contract/errors.js';
import type { CallbackReceiver } from '../contract/hosted-organization.js';
import { defineTable, type View } from './tables.js';

export const callbackReceiverTable = defineTable<CallbackReceiver>({
  name: 'callback-receiver',
  idOf: ({ callbackReceiverBindingId }) => callbackReceiverBindingId,
  indexes: { byProject: ({ projectId }) => [projectId] },
});

const nextStates = { pending: ['approved', 'revoked'], approved: ['revoked'], revoked: [] } as const satisfies {
  [State in CallbackReceiver['state']]: readonly CallbackReceiver['state'][];
};

export function moveCallbackReceiver(receiver: CallbackReceiver, state: 'approved' | 'revoked', nowMs: number): CallbackReceiver {
  const next: readonly CallbackReceiver['state'][] = nextStates[receiver.state];
  if (!next.includes(state)) {
    throw new ServiceError('control.STATE_CONFLICT', { message: `The receiver is ${receiver.state}.`, details: { state: receiver.state } });
  }
  return { ...receiver, state, version: receiver.version + 1, updatedAtMs: nowMs };
}

interface Place {
  organizationId: string;
  projectId: string;
}
export function requireCallbackReceiver(view: View, { organizationId, projectId, id }: Place & { id: string }): CallbackReceiver {
  const receiver = view.get(callbackReceiverTable, id);
  if (receiver !== undefined && receiver.organizationId === organizationId && receiver.projectId === projectId) return receiver;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such callback receiver.' });
}

/** All of them are of the project and approved, or the request is refused. */
export function requireApprovedReceivers(view: View, { organizationId, projectId, ids }: Place & { ids: readonly string[] }): void {
  for (const id of ids) {
    const { state } = requireCallbackReceiver(view, { organizationId, projectId, id });
    if (state === 'approved') continue;
    throw new ServiceError('control.STATE_CONFLICT', {
      message: 'A callback receiver must be approved before it is used.',
      details: { callbackReceiverBindingId: id, state },
    });
  }
}

/** An https origin as browsers write it. Addresses that lie inside somebody's network are refused here; names are looked up when they are used. */
export function requireOrigin(text: string): string {
  const refuse = (message: string): ServiceError =>
    new ServiceError('control.INVALID_REQUEST', { message: 'The receiver cannot be used.', issues: [{ path: '/origin', code: 'format', message }] });
  // Nothing beside scheme, host and port: no credentials, path, query or fragment, and nothing a parser would quietly drop or turn.
  if (!/^https:\/\/[^\s/?#@\\]+$/i.test(text) || !URL.canParse(text)) throw refuse('must be an https origin: scheme, host and port, nothing else');
  const { origin, hostname } = new URL(text);
  if (isPrivateHost(hostname)) throw refuse('must not be inside a private network');
  return origin;
}

function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIPv4(host)) return privateAddresses.check(host, 'ipv4');
  if (isIPv6(host)) return !publicAddresses6.check(host, 'ipv6') || privateAddresses.check(host, 'ipv6');
  return !host.includes('.') || /\.(localhost|local|internal|intranet|lan|home|corp|private|test|invalid|home\.arpa)$/.test(host);
}

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
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  privateAddresses.addSubnet(address, bits, 'ipv4');
}
// 6to4 and Teredo carry IPv4 addresses inside; documentation addresses are nobody's.
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  privateAddresses.addSubnet(address, bits, 'ipv6');
}
