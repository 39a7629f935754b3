// Who receives the callbacks of one world: by receiver id, as the callbacks of its tools name it. Those that the run was given stay; an
// agent may add itself where there is none, as long as it has access.
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { CompiledBuild } from '../contract/run/build.js';
import { type AddressRule, isLoopbackAddress } from './addresses.js';

/** As its configuration says. */
export interface ReceiverTarget {
  /** http or https: scheme, host, port, and a path that goes before that of the callback. */
  url: string;
  /** The key of its signatures. It is in no evidence, no log and no URL. */
  secret: string;
}
export interface Receiver extends ReceiverTarget {
  isAllowed: AddressRule;
  /** When one of them aborts it receives no longer, and a request under way is broken off: as if it had broken off itself. */
  signals: readonly AbortSignal[];
  /** When it aborts the sender ends: a request under way is broken off, and goes out again from the next one. */
  leaving?: AbortSignal;
}
export interface ReceiverSource {
  /** Asked before each delivery: what it yields then is what holds. */
  current(): ReadonlyMap<string, Receiver>;
  /** The sender ends: nobody receives from it any more, and what was to be delivered is for the next one. */
  readonly isLeaving?: boolean;
}

export class Receivers implements ReceiverSource {
  readonly #known: ReadonlySet<string>;
  readonly #signal: AbortSignal;
  readonly #bound: Map<string, Receiver>;

  /** `known`: the receiver ids that the world's callbacks name. `signal`: from its abort on nobody receives anything. */
  constructor({ known, fixed = {}, signal }: { known: Iterable<string>; fixed?: CallbackReceivers | undefined; signal: AbortSignal }) {
    this.#known = new Set(known);
    this.#signal = signal;
    this.#bound = new Map(
      Object.entries(fixed).map(([receiverId, target]) => [receiverId, { ...loopbackReceiver(target), signals: [signal] }]),
    );
  }

  current(): ReadonlyMap<string, Receiver> {
    return this.#signal.aborted ? new Map() : this.#bound;
  }

  /** Until what it returns is called. control.NOT_FOUND for a receiver nobody sends to, control.STATE_CONFLICT for one that is there. */
  bind(receiverId: string, target: ReceiverTarget): () => void {
    if (!this.#known.has(receiverId))
      throw new ServiceError('control.NOT_FOUND', { message: 'No callback of this world is for that receiver.' });
    if (this.#bound.has(receiverId)) {
      throw new ServiceError('control.STATE_CONFLICT', { message: 'That receiver is there already.', details: { receiverId } });
    }
    const end = new AbortController();
    this.#bound.set(receiverId, { ...loopbackReceiver(target), signals: [this.#signal, end.signal] });
    return () => {
      this.#bound.delete(receiverId);
      end.abort();
    };
  }
}

/** Those that the callbacks of a build's tools name. */
export function receiverIdsOf({ tools }: Pick<CompiledBuild, 'tools'>): Set<string> {
  return new Set(tools.flatMap(({ manifest }) => manifest.callbacks.map(({ receiverId }) => receiverId)));
}

export interface CallbackReceivers {
  [receiverId: string]: ReceiverTarget;
}

/** A receiver on this machine. control.INVALID_REQUEST for a target that is none; where a name leads is seen when it is used. */
export function loopbackReceiver({ url, secret }: ReceiverTarget): Omit<Receiver, 'signals'> {
  const refuse = (path: string, message: string): ServiceError =>
    new ServiceError('control.INVALID_REQUEST', { message: 'The receiver cannot be used.', issues: [{ path, code: 'format', message }] });
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw refuse('/url', 'must be a URL that begins with http:// or https://');
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw refuse('/url', 'must have no credentials, query or fragment');
  }
  if (secret.length < limits.callbackSecretCharsMin || secret.length > limits.callbackSecretCharsMax) {
    throw refuse('/secret', `must have ${limits.callbackSecretCharsMin} to ${limits.callbackSecretCharsMax} characters`);
  }
  return { url: parsed.href, secret, isAllowed: isLoopbackAddress };
}
