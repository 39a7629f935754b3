// Who receives the callbacks of a session: the bindings that it names, as long as they are approved. Asked before each delivery, so a
// receiver that is revoked receives nothing more.
import type { LateAbort } from '../../async/late-abort.js';
import { isLoopbackAddress, isPublicAddress } from '../../callbacks/addresses.js';
import type { Receiver, ReceiverSource } from '../../callbacks/receivers.js';
import { sessionTable } from '../catalog/session-records.js';
import type { WorldServices } from '../core/services.js';
import { callbackReceiverTable, isOriginOpen, signingSecretOf } from '../organizations/callback-receiver-records.js';

type Ground = Pick<WorldServices, 'catalog' | 'keyring' | 'settings'>;

export class SessionReceivers implements ReceiverSource {
  readonly #ground: Ground;
  readonly #sessionId: string;
  readonly #end: LateAbort;

  /** `end`: of the session, or of this incarnation of the service. */
  constructor(ground: Ground, sessionId: string, end: LateAbort) {
    this.#ground = ground;
    this.#sessionId = sessionId;
    this.#end = end;
  }

  get isLeaving(): boolean {
    return this.#end.isAborted;
  }
  current(): ReadonlyMap<string, Receiver> {
    const { catalog, keyring, settings } = this.#ground;
    const receivers = new Map<string, Receiver>();
    if (this.isLeaving) return receivers;
    const isAllowed = settings.allowLoopbackReceivers ? isPublicOrLoopback : isPublicAddress;
    for (const id of catalog.view.get(sessionTable, this.#sessionId)?.session.callbackReceiverBindingIds ?? []) {
      const record = catalog.view.get(callbackReceiverTable, id);
      if (record?.state !== 'approved' || receivers.has(record.receiverId)) continue;
      if (!isOriginOpen(record.origin, settings)) continue;
      const { signal } = this.#end;
      receivers.set(record.receiverId, {
        url: record.origin,
        secret: signingSecretOf(keyring, record),
        isAllowed,
        signals: [],
        leaving: signal,
      });
    }
    return receivers;
  }
}

const isPublicOrLoopback = (address: string): boolean => isPublicAddress(address) || isLoopbackAddress(address);
