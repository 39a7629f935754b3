// How much agents may ask of a hosted service: calls in flight and calls a second, of one access and of all accesses of an owner (a
// project), so that the agents of one project do not take the whole service. A host of its own for each project is what shares the
// processors.
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { type Bucket, type BucketRate, spendToken } from '../contract/token-bucket.js';

export interface AgentLimitOptions {
  /** Calls in flight of one owner. Default limits.agentCallsInFlightMax. */
  callsInFlightMax?: number;
  /** Of one owner. Default limits.agentCallsPerSecond, and twice as many at once. */
  rate?: BucketRate;
  nowMs(): number;
}
/** Of one access. */
export interface AccessLimit {
  /** A call begins; control.RATE_LIMITED where it is one too many. What it yields is called when the call is over. */
  begin(): () => void;
  /** The access is revoked. */
  release(): void;
}
const defaultRate: BucketRate = { perSecond: limits.agentCallsPerSecond, burst: 2 * limits.agentCallsPerSecond };
interface Owner {
  accesses: number;
  running: number;
  bucket: Bucket | undefined;
}

export class AgentLimits {
  readonly #options: Required<AgentLimitOptions>;
  /** Those with an access. */
  readonly #owners = new Map<string, Owner>();

  constructor({ callsInFlightMax = limits.agentCallsInFlightMax, rate = defaultRate, nowMs }: AgentLimitOptions) {
    this.#options = { callsInFlightMax, rate, nowMs };
  }

  of(name: string): AccessLimit {
    const owner = this.#owners.get(name) ?? { accesses: 0, running: 0, bucket: undefined };
    this.#owners.set(name, owner);
    owner.accesses += 1;
    return new OwnLimit(this, owner, name);
  }

  release(owner: Owner, name: string): void {
    owner.accesses -= 1;
    if (owner.accesses === 0 && this.#owners.get(name) === owner) this.#owners.delete(name);
  }

  /** A call begins, as `AccessLimit.begin`. */
  take(owner: Owner): void {
    const { callsInFlightMax, rate, nowMs } = this.#options;
    if (owner.running >= callsInFlightMax) throw tooMany(`At most ${callsInFlightMax} calls of one project's agents at once.`);
    const { bucket, waitMs } = spendToken(owner.bucket, rate, nowMs());
    owner.bucket = bucket;
    if (waitMs > 0) throw tooMany(`At most ${rate.perSecond} calls a second of one project's agents, ${rate.burst} at once.`, waitMs);
    owner.running += 1;
  }
}

class OwnLimit implements AccessLimit {
  readonly #all: AgentLimits;
  readonly #owner: Owner;
  readonly #name: string;
  #running = 0;

  constructor(all: AgentLimits, owner: Owner, name: string) {
    this.#all = all;
    this.#owner = owner;
    this.#name = name;
  }

  begin(): () => void {
    if (this.#running >= limits.accessCallsInFlightMax)
      throw tooMany(`At most ${limits.accessCallsInFlightMax} calls of one access at once.`);
    this.#all.take(this.#owner);
    this.#running += 1;
    return () => {
      this.#running -= 1;
      this.#owner.running -= 1;
    };
  }
  release(): void {
    this.#all.release(this.#owner, this.#name);
  }
}

function tooMany(message: string, retryAfterMs: number = limits.inFlightRetryAfterMs): ServiceError {
  return new ServiceError('control.RATE_LIMITED', { message, retryAfterMs });
}
