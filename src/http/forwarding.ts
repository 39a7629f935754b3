// One request that this node does not own, on its way to its owner and back.
//   FORWARDING-1. A request reaches one owner at most once, unless nothing of it has left, the node that got it said that it is not the
//     owner, or it may be repeated. Where its outcome is not known, the client learns that.
//   FORWARDING-2. A reply that is not whole ends the client's connection; no part of one looks like the whole.
//   FORWARDING-3. When the client has gone, so has the request to the owner.
//   FORWARDING-4. A request does not wait for an owner that cannot be reached any more, however its connection stands.
//   FORWARDING-5. A node that has not learned who owns what, or has not reached the owner, for as long as a request may wait refuses at
//     once: another node may do better.
import { defined } from '../contract/defined.js';
import { isServiceError, ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import { clientGone, tooLarge } from './body-collector.js';
import type { BytesHeld } from './byte-budget.js';
import { errorReply } from './envelope.js';
import type { ForwardedBytes } from './forwarded-bytes.js';
import { declaresBody, requireSize } from './guards.js';
import { type NodeToken, nodeHeaders } from './node-token.js';
import type { OwnerChanges } from './owner-changes.js';
import type { OwnerConnections, OwnerExchange } from './owner-connections.js';
import type { OwnerReach } from './owner-reach.js';
import { passedRequestHeaders } from './passed-headers.js';
import { passedReply } from './passed-reply.js';
import type { RequestOwner, RequestOwners } from './request-owners.js';
import { RequestView } from './request-view.js';
import type { HttpHandler, HttpReply, ServerRequest } from './server.js';

/** `answered`: by its owner, whatever it said. */
export type ForwardResult = 'answered' | 'no_owner' | 'unknown_outcome' | 'client_gone' | 'refused';
/** What all requests of a forwarder share. */
export interface ForwardGround {
  owners: RequestOwners;
  token: NodeToken;
  format(): number;
  /** Answers what this node owns. */
  own: HttpHandler;
  mayRepeat(request: ServerRequest): boolean;
  ownerWaitMs: number;
  connections: OwnerConnections;
  reach: OwnerReach;
  changes: OwnerChanges;
  bytes: ForwardedBytes;
}

/** What an attempt leaves undone: nothing was sent or done; it may have been done. */
type Undone = 'nothing_done' | 'lost';

/** One request, from its first attempt until its reply is over. */
export class Forwarding {
  result: ForwardResult = 'answered';
  readonly #ground: ForwardGround;
  readonly #request: ServerRequest;
  readonly #signal: AbortSignal;
  readonly #whenOver: () => void;
  #body: Uint8Array | undefined;
  #held: BytesHeld | undefined;
  /** The reply is passed on as it comes, and tells when it is over. */
  #isStreaming = false;
  /** By when an owner must have been found: set when the first attempt was in vain. */
  #untilMs: number | undefined;

  constructor(ground: ForwardGround, request: ServerRequest, whenOver: () => void) {
    this.#ground = ground;
    this.#request = request;
    this.#signal = request.signal;
    this.#whenOver = whenOver;
  }

  async answer(): Promise<HttpReply> {
    try {
      return await this.#tryOwners();
    } catch (error) {
      if (this.result === 'answered') this.result = this.#signal.aborted ? 'client_gone' : 'refused';
      if (!isServiceError(error)) throw error;
      return errorReply(error, newId('corr'));
    } finally {
      this.#held?.release();
      if (!this.#isStreaming) this.#whenOver();
    }
  }

  async #tryOwners(): Promise<HttpReply> {
    const { owners, own, changes, mayRepeat, reach, ownerWaitMs } = this.#ground;
    for (;;) {
      const { count } = changes;
      const owner = await owners.ownerOf(this.#request);
      if (owner === 'self') return await own(this.#body === undefined ? this.#request : new WithBody(this.#request, this.#body));
      const cutMs = owner === undefined ? 0 : reach.cutMs(owner.address);
      if (cutMs >= ownerWaitMs) throw this.#noOwner();
      const outcome = owner === undefined ? 'nothing_done' : await this.#attempt(owner.address, count);
      if (typeof outcome !== 'string') return outcome;
      if (this.#signal.aborted) throw clientGone();
      if (outcome === 'lost' && !mayRepeat(this.#request)) {
        this.result = 'unknown_outcome';
        throw unavailable('The node that owns this has gone. Whether it carried out the request is not known.', { outcome: 'unknown' });
      }
      if (changes.count === count || owner !== undefined) await this.#waitForOwner({ isKnown: owner !== undefined });
    }
  }

  async #waitForOwner({ isKnown }: { isKnown: boolean }): Promise<void> {
    const { owners, changes, ownerWaitMs } = this.#ground;
    const nowMs = performance.now();
    this.#untilMs ??= nowMs + ownerWaitMs - (owners.silentMs?.() ?? 0);
    const leftMs = this.#untilMs - nowMs;
    if (leftMs <= 0 || changes.isClosed) throw this.#noOwner();
    // One that is known and cannot be reached, or does not know that it is the owner, may do so at any time.
    await changes.next(isKnown ? Math.min(leftMs, limits.ownerAskedAgainMs) : leftMs, this.#signal);
    if (changes.isClosed) this.#untilMs = nowMs;
  }

  #noOwner(): ServiceError {
    this.result = 'no_owner';
    return unavailable('No node that could answer this was found in time. Nothing was done.');
  }

  /** `changeCount`: what it was before the owner was asked for. */
  async #attempt(address: string, changeCount: number): Promise<HttpReply | Undone> {
    const { method, query } = this.#request;
    const path = RequestView.sentPath(this.#request);
    const headers = this.#headers();
    if (this.#body === undefined && declaresBody(this.#request)) this.#body = await this.#readBody();
    if (this.#signal.aborted) return 'nothing_done';
    // A method that usually has a body would leave in chunks.
    if (this.#body !== undefined || (method !== 'GET' && method !== 'HEAD'))
      headers.push('content-length', String(this.#body?.byteLength ?? 0));
    const target = query === '' ? path : `${path}?${query}`;
    const exchange = this.#ground.connections.send({ address, method, target, headers, body: this.#body });
    const over = this.#watch(exchange, { address, changeCount });
    const answer = await exchange.answer;
    if (typeof answer === 'string') {
      over();
      if (answer === 'unsent') this.#ground.reach.suspect(address);
      return answer === 'unsent' ? 'nothing_done' : 'lost';
    }
    if (answer.headers[nodeHeaders.notOwner] !== undefined) {
      over();
      answer.drop();
      this.#ground.reach.suspect(address);
      return 'nothing_done';
    }
    const reply = await passedReply(answer, { isHead: method === 'HEAD' });
    if (reply === undefined || reply.isWhole) {
      over();
      return reply?.reply ?? 'lost';
    }
    this.#isStreaming = true;
    const whenOver = (): void => {
      over();
      exchange.breakOff();
      this.#whenOver();
    };
    return { ...reply.reply, whenOver };
  }

  #headers(): string[] {
    const { token, format } = this.#ground;
    const headers = passedRequestHeaders(this.#request);
    const lines = headers.length / 2;
    headers.push(nodeHeaders.token, token.present(), nodeHeaders.client, this.#request.address);
    headers.push(nodeHeaders.format, String(format()));
    const { query } = this.#request;
    const path = RequestView.sentPath(this.#request);
    const bytes = headers.reduce((sum, text) => sum + text.length + 2, path.length + query.length);
    if (lines <= limits.forwardedHeadersMax && bytes <= limits.forwardedHeaderBytesMax) return headers;
    throw new ServiceError('control.INVALID_REQUEST', { message: 'There are too many headers, or they are too large.' });
  }

  async #readBody(): Promise<Uint8Array> {
    const bytesMax = limits.forwardedBodyBytesMax;
    requireSize(this.#request, bytesMax);
    const declared = this.#request.headers.get('content-length');
    this.#held = this.#ground.bytes.take(this.#request, declared === undefined ? bytesMax : Number(declared));
    const body = await this.#request.body(bytesMax);
    this.#held.resize(body.byteLength);
    return body;
  }

  /** Breaks it off when the client or the link to the owner goes away, and when another node is the owner and this one stays quiet. */
  #watch(exchange: OwnerExchange, { address, changeCount }: { address: string; changeCount: number }): () => void {
    const { owners, changes, reach } = this.#ground;
    const breakOff = (): void => exchange.breakOff();
    const look = async (): Promise<void> => {
      let owner: RequestOwner | undefined;
      try {
        owner = await owners.ownerOf(this.#request);
      } catch {
        // What it cannot say now it will say to the next request.
      }
      if (owner !== undefined && (owner === 'self' || owner.address !== address)) exchange.boundQuiet(limits.formerOwnerQuietMs);
    };
    const off = changes.on(() => void look());
    if (changes.count !== changeCount) void look();
    this.#signal.addEventListener('abort', breakOff);
    const unwatch = reach.watch(address, breakOff);
    return () => {
      off();
      unwatch();
      this.#signal.removeEventListener('abort', breakOff);
    };
  }
}

/** A request of which we have read the body. */
class WithBody extends RequestView {
  readonly #body: Uint8Array;

  constructor(request: ServerRequest, body: Uint8Array) {
    super(request);
    this.#body = body;
  }

  override body(bytesMax: number): Promise<Uint8Array> {
    return this.#body.byteLength > bytesMax ? Promise.reject(tooLarge(bytesMax)) : Promise.resolve(this.#body);
  }
}

export function unavailable(message: string, details?: { outcome: 'unknown' }): ServiceError {
  const retryAfterMs = limits.unavailableRetryAfterMs;
  return new ServiceError('control.UNAVAILABLE', { message, retryAfterMs, ...defined({ details }) });
}
