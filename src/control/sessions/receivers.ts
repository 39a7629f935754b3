// Who receives the callbacks of a session: the bindings that it names, as long as they are approved. Asked before each delivery, so a
// receiver that is revoked receives nothing more.
import { isLoopbackAddress, isPublicAddress } from '../../callbacks/addresses.js';
import type { Receiver, ReceiverSource } from '../../callbacks/receivers.js';
import { sessionTable } from '../catalog/session-records.js';
import type { WorldServices } from '../core/services.js';
import { callbackReceiverTable, isOriginOpen, signingSecretOf } from '../organizations/callback-receiver-records.js';

/** `signal`: the session has ended, or this incarnation of the service. */
export function sessionReceivers(
  { catalog, keyring, settings }: Pick<WorldServices, 'catalog' | 'keyring' | 'settings'>,
  sessionId: string,
  signal: AbortSignal,
): ReceiverSource {
  const isAllowed = settings.allowLoopbackReceivers
    ? (address: string) => isPublicAddress(address) || isLoopbackAddress(address)
    : isPublicAddress;
  return {
    current: () => {
      const receivers = new Map<string, Receiver>();
      if (signal.aborted) return receivers;
      for (const id of catalog.view.get(sessionTable, sessionId)?.session.callbackReceiverBindingIds ?? []) {
        const record = catalog.view.get(callbackReceiverTable, id);
        if (record?.state !== 'approved' || receivers.has(record.receiverId)) continue;
        if (!isOriginOpen(record.origin, settings)) continue;
        receivers.set(record.receiverId, { url: record.origin, secret: signingSecretOf(keyring, record), isAllowed, signals: [signal] });
      }
      return receivers;
    },
  };
}
