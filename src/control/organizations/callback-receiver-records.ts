// Callback receivers as they lie in the catalog, their states, and which origins may be one.
//   pending -> approved -> revoked; pending -> revoked
import { isLoopbackAddress, isPublicHost } from '../../callbacks/addresses.js';
import { ServiceError } from '../../contract/errors.js';
import type { CallbackReceiver } from '../../contract/hosted/organization.js';
import type { Keyring } from '../catalog/keyring.js';
import type { ControlSettings } from '../catalog/settings.js';
import { defineTable, type View } from '../catalog/tables.js';

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

export function requireNotRevoked({ state }: CallbackReceiver): void {
  if (state === 'revoked') throw new ServiceError('control.STATE_CONFLICT', { message: 'The receiver is revoked.', details: { state } });
}

/** Of the generation that was last shown; once that is accepted no more, of the present one, which must be shown again. */
export function signingSecretOf(keyring: Keyring, { callbackReceiverBindingId, keyGeneration = 1 }: CallbackReceiver): string {
  return keyring.token('callback', callbackReceiverBindingId, keyGeneration);
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

/**
 * An https origin as browsers write it. Addresses that lie inside a private network are refused here; names are looked up when they are
 * used.
 */
export function requireOrigin(text: string, { allowLoopbackReceivers, receiverPorts }: ReceiverRule): string {
  const refuse = (message: string): ServiceError =>
    new ServiceError('control.INVALID_REQUEST', {
      message: 'The receiver cannot be used.',
      issues: [{ path: '/origin', code: 'format', message }],
    });
  // Nothing beside scheme, host and port: no credentials, path, query or fragment, and nothing a parser would quietly drop or turn.
  if (allowLoopbackReceivers && isLoopbackOrigin(text)) return new URL(text).origin;
  if (!/^https:\/\/[^\s/?#@\\]+$/i.test(text) || !URL.canParse(text))
    throw refuse('must be an https origin: scheme, host and port, nothing else');
  const { origin, hostname } = new URL(text);
  if (!isPublicHost(hostname)) throw refuse('must not be inside a private network');
  if (!isOriginOpen(origin, { allowLoopbackReceivers, receiverPorts }))
    throw refuse(`must have one of the ports ${receiverPorts.join(', ')}`);
  return origin;
}

type ReceiverRule = Pick<ControlSettings, 'allowLoopbackReceivers' | 'receiverPorts'>;

/**
 * By its port: others are those of other protocols, some of which take a request for something of theirs. Asked before each delivery too.
 */
export function isOriginOpen(origin: string, { allowLoopbackReceivers, receiverPorts }: ReceiverRule): boolean {
  if (allowLoopbackReceivers && isLoopbackOrigin(origin)) return true;
  const { port } = new URL(origin);
  return receiverPorts.includes(port === '' ? 443 : Number(port));
}

function isLoopbackOrigin(text: string): boolean {
  if (!/^https?:\/\/[^\s/?#@\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const host = new URL(text).hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || isLoopbackAddress(host);
}
