// What this node asks the owners of homes, itself among them (docs/decisions/020).
//   NODE-ASKS-1. What may change something reaches one owner at most once, unless nothing of it was done there; where that is not known, it
//     rejects with world.ACTOR_RESTARTED.
//   NODE-ASKS-2. While nobody owns a home it is waited for, no longer than limits.ownerWaitMs.
//   NODE-ASKS-3. An answer is not waited for from a node that cannot be reached any more, however its connection stands.
//   NODE-ASKS-4. An owner that was not reached for as long as an ask may wait is not asked: it is refused at once.
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { type AnswerTo, type AskOptions, type HomesPort, isRepeatable, type WorldAsk } from '../control/memory/world-asks.js';
import { unavailable } from './forwarding.js';
import { answerOf, type NodeDoor, type NodeLine, type NodeRequest, NotOwner, nodePath } from './node-door.js';
import { type NodeToken, nodeHeaders } from './node-token.js';
import type { OwnerChanges } from './owner-changes.js';
import type { OwnerConnections, OwnerExchange } from './owner-connections.js';
import type { OwnerReach } from './owner-reach.js';
import type { RequestOwner } from './request-owners.js';

export interface NodeAsksParts {
  /** 1 and upwards; each is owned by one node, or by none for a while. */
  homes: number;
  homeOf(sessionId: string): number;
  ownerOf(home: number): RequestOwner | undefined;
  changes: OwnerChanges;
  connections: OwnerConnections;
  reach: OwnerReach;
  token: NodeToken;
  /** In which this node writes. */
  format(): number;
  /** This node, asked without a wire. */
  own: NodeDoor;
  /** Of the newest record of the catalog that has been acknowledged here: an owner must not work by an older state. */
  catalog(): number;
}

type Undone = 'nothing_done' | 'lost';
interface Asked {
  sessionId: string;
  ask: WorldAsk;
  options: AskOptions;
}

const never = new AbortController().signal;

export class NodeAsks implements HomesPort {
  readonly #parts: NodeAsksParts;
  #underWay = 0;

  constructor(parts: NodeAsksParts) {
    this.#parts = parts;
  }

  async ask<A extends WorldAsk>(sessionId: string, ask: A, options: AskOptions = {}): Promise<AnswerTo<A>> {
    if (this.#underWay >= limits.nodeAsksMax) throw unavailable('Too much is asked of other nodes.');
    this.#underWay += 1;
    try {
      return (await this.#askOwners({ sessionId, ask, options })) as AnswerTo<A>;
    } finally {
      this.#underWay -= 1;
    }
  }

  async removeProject(projectId: string): Promise<void> {
    const { homes, ownerOf, own, changes } = this.#parts;
    const left = new Set(Array.from({ length: homes }, (_, index) => index + 1));
    for (const untilMs = performance.now() + limits.ownerWaitMs * 2; left.size > 0; ) {
      const owners = new Map([...left].map((home) => [addressOf(ownerOf(home)), ownerOf(home)] as const));
      const catalog = this.#parts.catalog();
      for (const owner of owners.values()) {
        if (owner === undefined) continue;
        const request: NodeRequest = { kind: 'project', projectId, catalog };
        const done = owner === 'self' ? await own.removeProject(projectId, { catalog }) : await this.send(owner.address, request);
        for (const home of done as readonly number[]) left.delete(home);
      }
      if (left.size === 0) return;
      if (performance.now() > untilMs) throw unavailable(`${left.size} homes have no owner.`);
      await changes.next(limits.ownerAskedAgainMs, never);
    }
  }

  /** One request to one node. Rejects with its refusal, and with control.UNAVAILABLE where it did not answer. */
  async send(address: string, request: NodeRequest): Promise<unknown> {
    const outcome = await this.#exchange(address, request);
    if (typeof outcome === 'string') throw unavailable('Another node of the cluster does not answer.');
    return outcome.answer;
  }

  async #askOwners(asked: Asked): Promise<unknown> {
    const { homeOf, ownerOf, changes, reach } = this.#parts;
    const home = homeOf(asked.sessionId);
    let untilMs: number | undefined;
    for (;;) {
      const { count } = changes;
      const owner = ownerOf(home);
      const cutMs = owner === undefined || owner === 'self' ? 0 : reach.cutMs(owner.address);
      if (cutMs >= limits.ownerWaitMs) throw noOwnerInTime();
      const outcome = owner === undefined ? 'nothing_done' : await this.#askOwner(owner, asked, { home, count });
      if (typeof outcome !== 'string') return outcome.answer;
      if (outcome === 'lost' && !isRepeatable(asked.ask))
        throw new ServiceError('world.ACTOR_RESTARTED', { message: 'The machine of this world has gone while it worked.' });
      const nowMs = performance.now();
      untilMs ??= nowMs + limits.ownerWaitMs;
      if (nowMs >= untilMs || changes.isClosed) throw noOwnerInTime();
      if (changes.count === count || owner !== undefined)
        await changes.next(owner === undefined ? untilMs - nowMs : Math.min(untilMs - nowMs, limits.ownerAskedAgainMs), never);
    }
  }

  async #askOwner(owner: RequestOwner, asked: Asked, at: { home: number; count: number }): Promise<{ answer: unknown } | Undone> {
    if (owner !== 'self') return await this.#askNode(owner.address, asked, at);
    const { sessionId, ask, options } = asked;
    try {
      return { answer: await this.#parts.own.ask(sessionId, ask, { ...options, catalog: this.#parts.catalog() }) };
    } catch (error) {
      if (error instanceof NotOwner) return 'nothing_done';
      throw error;
    }
  }

  async #askNode(
    address: string,
    { sessionId, ask, options: { signal, onProgress } }: Asked,
    { home, count }: { home: number; count: number },
  ): Promise<{ answer: unknown } | Undone> {
    const askId = randomUUID();
    const shared = { sessionId, ask, askId, catalog: this.#parts.catalog() };
    const request: NodeRequest = { kind: 'ask', ...shared, isCancelled: signal?.aborted === true, wantsProgress: onProgress !== undefined };
    const over = new AbortController();
    const cancel = (): void => void this.#cancel(address, askId, over.signal);
    signal?.addEventListener('abort', cancel, { once: true, signal: over.signal });
    try {
      return await this.#exchange(address, request, {
        onProgress: (line) => onProgress?.((line as Extract<NodeLine, { progress: unknown }>).progress),
        watched: (exchange) => this.#watch(exchange, { address, home, count, over: over.signal }),
      });
    } finally {
      over.abort();
    }
  }

  /** Until what it cancels is over: it may come there before that. */
  async #cancel(address: string, askId: string, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const found = await this.send(address, { kind: 'cancel', askId }).catch(() => false);
      if (found === true) return;
      await this.#parts.changes.next(limits.nodeCancelAgainMs, over);
    }
  }

  /** Once another node is the owner, one that brings nothing is given up. */
  #watch(exchange: OwnerExchange, at: { address: string; home: number; count: number; over: AbortSignal }): void {
    const { changes, ownerOf } = this.#parts;
    const look = (): void => {
      const owner = ownerOf(at.home);
      if (owner !== undefined && addressOf(owner) !== at.address) exchange.boundQuiet(limits.formerOwnerQuietMs);
    };
    const off = changes.on(look);
    at.over.addEventListener('abort', off, { once: true });
    if (changes.count !== at.count) look();
  }

  async #exchange(
    address: string,
    request: NodeRequest,
    { onProgress, watched }: { onProgress?: (line: unknown) => void; watched?: (exchange: OwnerExchange) => void } = {},
  ): Promise<{ answer: unknown } | Undone> {
    const { connections, reach, token, format } = this.#parts;
    const body = Buffer.from(JSON.stringify(request));
    const headers = ['host', new URL(address).host, 'content-type', 'application/json', 'content-length', String(body.length)];
    headers.push(nodeHeaders.token, token.present(), nodeHeaders.format, String(format()));
    const exchange = connections.send({ address, method: 'POST', target: nodePath, headers, body });
    watched?.(exchange);
    const unwatch = reach.watch(address, () => exchange.breakOff());
    try {
      const outcome = await outcomeOf(exchange, onProgress);
      // No connection, or somebody who does not own what it should.
      if (outcome === 'nothing_done') reach.suspect(address);
      return outcome;
    } finally {
      unwatch();
    }
  }
}

async function outcomeOf(
  exchange: OwnerExchange,
  onProgress: ((line: unknown) => void) | undefined,
): Promise<{ answer: unknown } | Undone> {
  const reply = await exchange.answer;
  if (reply === 'unsent') return 'nothing_done';
  if (reply === 'lost') return 'lost';
  // All that the door has taken in is answered with 200.
  if (reply.status !== 200) {
    reply.drop();
    return 'nothing_done';
  }
  const line = await lastLine(reply.pieces(), onProgress);
  if (line === undefined) {
    exchange.breakOff();
    return 'lost';
  }
  try {
    return { answer: answerOf(line) };
  } catch (error) {
    if (error instanceof NotOwner) return 'nothing_done';
    throw error;
  }
}

const noOwnerInTime = (): ServiceError => unavailable('No machine that has this world was found in time. Nothing was done.');
const addressOf = (owner: RequestOwner | undefined): string => (owner === undefined || owner === 'self' ? `${owner}` : owner.address);

/** Undefined where the reply is not whole, or is no reply of a node. */
async function lastLine(pieces: AsyncIterable<Uint8Array>, onProgress: ((line: unknown) => void) | undefined): Promise<unknown> {
  let held: Buffer[] = [];
  let bytes = 0;
  let last: unknown;
  try {
    for await (const piece of pieces) {
      let rest = Buffer.from(piece);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const line = JSON.parse(Buffer.concat([...held, rest.subarray(0, end)]).toString()) as object;
        [held, bytes, rest] = [[], 0, rest.subarray(end + 1)];
        if ('progress' in line) onProgress?.(line);
        else last = line;
      }
      bytes += rest.length;
      if (bytes > limits.nodeReplyBytesMax) return undefined;
      if (rest.length > 0) held.push(rest);
    }
    return last;
  } catch {
    return undefined;
  }
}
