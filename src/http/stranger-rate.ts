// How often an address, or a network of IPv6, may ask without a valid credential: for what needs none, and with one that opens nothing. Who
// has a credential is counted by it, so a proxy in front, which is one address, bounds nobody who has one.
import { ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import type { BucketRate } from '../contract/token-bucket.js';
import { RateLimiter } from '../control/organizations/rate-limiter.js';
import { networkOf } from './client-address.js';
import { errorReply } from './envelope.js';
import type { HttpHandler, HttpReply, ServerRequest } from './server.js';

export class StrangerRate {
  readonly #limiter: RateLimiter;
  readonly #onLimited: () => void;

  /** `onLimited`: a request that would have been answered 401 was one too many. */
  constructor(
    nowMs: () => number,
    rate: BucketRate = { perSecond: limits.strangerPerSecond, burst: limits.strangerBurst },
    onLimited = () => {},
  ) {
    this.#limiter = new RateLimiter(rate, nowMs);
    this.#onLimited = onLimited;
  }

  /** control.RATE_LIMITED for one too many. */
  readonly take = ({ address }: ServerRequest): void => {
    this.#limiter.take(networkOf(address));
  };

  /** The same handler; of what it answers 401 an address gets so many. */
  bound(handler: HttpHandler): HttpHandler {
    return (request) => {
      const reply = handler(request);
      return reply instanceof Promise ? reply.then((made) => this.#counted(request, made)) : this.#counted(request, reply);
    };
  }

  #counted(request: ServerRequest, reply: HttpReply): HttpReply {
    if (reply.status !== 401) return reply;
    try {
      this.take(request);
      return reply;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#onLimited();
      return errorReply(error, reply.headers?.['x-correlation-id'] ?? newId('corr'));
    }
  }
}
