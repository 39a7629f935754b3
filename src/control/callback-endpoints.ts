// Callback receivers: registered, approved, revoked. Who approves needs the same authority as who registers, in a request of its own.
import type { CallbackReceiver, ChangeCallbackReceiverRequest } from '../contract/hosted-organization.js';
import { newId } from '../contract/ids.js';
import { callbackReceiverTable, moveCallbackReceiver, requireCallbackReceiver, requireOrigin } from './callback-receiver-records.js';
import { listPage } from './cursors.js';
import type { Caller, EndpointSet, Outcome } from './endpoint.js';
import type { ControlServices } from './services.js';
import type { Change } from './tables.js';
import { requireVersion } from './versions.js';

type Reply = { callbackReceiver: CallbackReceiver };
type ReceiverCall = { path: { projectId: string; callbackReceiverBindingId: string }; body: ChangeCallbackReceiverRequest; caller: Caller };

export function callbackEndpoints(
  services: ControlServices,
): EndpointSet<'createCallbackReceiver' | 'listCallbackReceivers' | 'approveCallbackReceiver' | 'revokeCallbackReceiver'> {
  const kept = (tx: Change, callbackReceiver: CallbackReceiver): Outcome<Reply> => {
    tx.put(callbackReceiverTable, callbackReceiver);
    return { reply: { callbackReceiver }, resource: { type: 'callbackReceiver', id: callbackReceiver.callbackReceiverBindingId } };
  };
  const moved = (tx: Change, { path, body, caller }: ReceiverCall, state: 'approved' | 'revoked'): Outcome<Reply> => {
    const { organizationId } = caller;
    const receiver = requireCallbackReceiver(tx, { organizationId, projectId: path.projectId, id: path.callbackReceiverBindingId });
    requireVersion(receiver, body);
    return kept(tx, moveCallbackReceiver(receiver, state, services.nowMs()));
  };
  const secretOf = ({ callbackReceiverBindingId }: CallbackReceiver): string => services.keyring.token('callback', callbackReceiverBindingId);
  return {
    createCallbackReceiver: {
      kind: 'change',
      withoutSecret: ({ callbackReceiver }) => ({ callbackReceiver, signingSecret: '' }),
      withSecret: ({ callbackReceiver }) => ({ callbackReceiver, signingSecret: secretOf(callbackReceiver) }),
      apply: (tx, { path, body, caller }) => {
        const nowMs = services.nowMs();
        const { reply, resource } = kept(tx, {
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
        });
        return { reply: { ...reply, signingSecret: secretOf(reply.callbackReceiver) }, resource };
      },
    },
    listCallbackReceivers: {
      kind: 'read',
      run: (view, { path, query }) => listPage(services, view, { table: callbackReceiverTable, index: 'byProject', prefix: [path.projectId], query }),
    },
    approveCallbackReceiver: { kind: 'change', apply: (tx, call) => moved(tx, call, 'approved') },
    revokeCallbackReceiver: { kind: 'change', apply: (tx, call) => moved(tx, call, 'revoked') },
  };
}
