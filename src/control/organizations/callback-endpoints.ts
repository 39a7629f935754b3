// Callback receivers: registered, approved, revoked, given the signing secret of the present server key. Who approves needs the same
// authority as who registers, in a request of its own.
import type { CallbackReceiver, ChangeCallbackReceiverRequest } from '../../contract/hosted/organization.js';
import { newId } from '../../contract/ids.js';
import { listPage } from '../catalog/cursors.js';
import type { Caller, ChangeEndpoint, EndpointSet, Outcome } from '../catalog/endpoint.js';
import type { Change } from '../catalog/tables.js';
import { requireVersion } from '../catalog/versions.js';
import type { ControlServices } from '../core/services.js';
import {
  callbackReceiverTable,
  moveCallbackReceiver,
  requireCallbackReceiver,
  requireNotRevoked,
  requireOrigin,
  signingSecretOf,
} from './callback-receiver-records.js';

type Reply = { callbackReceiver: CallbackReceiver };
type ReceiverCall = { path: { projectId: string; callbackReceiverBindingId: string }; body: ChangeCallbackReceiverRequest; caller: Caller };

export function callbackEndpoints(
  services: ControlServices,
): EndpointSet<
  'createCallbackReceiver' | 'listCallbackReceivers' | 'approveCallbackReceiver' | 'revokeCallbackReceiver' | 'renewCallbackSecret'
> {
  const storeReceiver = (tx: Change, callbackReceiver: CallbackReceiver): Outcome<Reply> => {
    tx.put(callbackReceiverTable, callbackReceiver);
    return { reply: { callbackReceiver }, resource: { type: 'callbackReceiver', id: callbackReceiver.callbackReceiverBindingId } };
  };
  const transitionReceiver = (tx: Change, { path, body, caller }: ReceiverCall, state: 'approved' | 'revoked'): Outcome<Reply> => {
    const { organizationId } = caller;
    const receiver = requireCallbackReceiver(tx, { organizationId, projectId: path.projectId, id: path.callbackReceiverBindingId });
    requireVersion(receiver, body);
    return storeReceiver(tx, moveCallbackReceiver(receiver, state, services.nowMs()));
  };
  const { keyring } = services;
  const secrets: Pick<ChangeEndpoint<'createCallbackReceiver'>, 'withoutSecret' | 'withSecret'> = {
    withoutSecret: ({ callbackReceiver }) => ({ callbackReceiver, signingSecret: '' }),
    withSecret: ({ callbackReceiver }) => ({ callbackReceiver, signingSecret: signingSecretOf(keyring, callbackReceiver) }),
  };
  return {
    createCallbackReceiver: {
      kind: 'change',
      ...secrets,
      apply: (tx, { path, body, caller }) => {
        const nowMs = services.nowMs();
        const { reply, resource } = storeReceiver(tx, {
          schemaVersion: 1,
          callbackReceiverBindingId: newId('cbr'),
          organizationId: caller.organizationId,
          projectId: path.projectId,
          receiverId: body.receiverId,
          origin: requireOrigin(body.origin, services.settings),
          state: 'pending',
          version: 1,
          createdBy: caller.userId ?? caller.credentialId,
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
          keyGeneration: keyring.generation,
        });
        return { reply: { ...reply, signingSecret: signingSecretOf(keyring, reply.callbackReceiver) }, resource };
      },
    },
    listCallbackReceivers: {
      kind: 'read',
      run: (view, { path, query }) =>
        listPage(services, view, { table: callbackReceiverTable, index: 'byProject', prefix: [path.projectId], query }),
    },
    approveCallbackReceiver: { kind: 'change', apply: (tx, call) => transitionReceiver(tx, call, 'approved') },
    revokeCallbackReceiver: { kind: 'change', apply: (tx, call) => transitionReceiver(tx, call, 'revoked') },
    renewCallbackSecret: {
      kind: 'change',
      ...secrets,
      apply: (tx, { path, body, caller }) => {
        const place = { organizationId: caller.organizationId, projectId: path.projectId, id: path.callbackReceiverBindingId };
        const receiver = requireCallbackReceiver(tx, place);
        requireVersion(receiver, body);
        requireNotRevoked(receiver);
        const renewed = { ...receiver, keyGeneration: keyring.generation, version: receiver.version + 1, updatedAtMs: services.nowMs() };
        const { reply, resource } = storeReceiver(tx, renewed);
        return { reply: { ...reply, signingSecret: signingSecretOf(keyring, renewed) }, resource };
      },
    },
  };
}
