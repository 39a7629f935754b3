// Interactions that wait for an agent elsewhere: handed out one after another, the oldest first, and ended by a result, by time, or by the
// run.
//   PENDING-INTERACTIONS-1. Each is handed out once, unless somebody asks for it again; each takes one result.
//   PENDING-INTERACTIONS-2. The same result a second time is answered as the first was; another one, or one that comes too late, is
//     refused.
import { LruMap } from '../collections/lru-map.js';
import { canonicalJson } from '../contract/canonical-json.js';
import { sha256Digest } from '../contract/digest.js';
import { ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { CompleteReply, CompleteRequest, ConnectedInvocation, PendingAnswer } from '../contract/run/agent-desk.js';
import { ExternalResult } from '../contract/run/target-completion.js';

interface Pending {
  interaction: ConnectedInvocation;
  isHandedOut: boolean;
  settle: (handedIn: ExternalResult) => void;
}
interface Poll {
  answer: (answer: PendingAnswer) => void;
}
export interface NextOptions {
  waitMs: number;
  /** One that was handed out already will do: its first worker may be gone. */
  again: boolean;
  /** Aborted when nobody listens any more. */
  signal: AbortSignal;
}

export const waiting: PendingAnswer = { schemaVersion: 1, state: 'waiting' };

export class PendingInteractions {
  readonly #secrets: readonly string[];
  readonly #pending = new Map<string, Pending>();
  /** How those ended that are not pending any more, the last ones: a result by its digest. */
  readonly #ended = new LruMap<string, string>({ entriesMax: limits.agentDeskRememberedMax });
  readonly #polls = new Set<Poll>();
  #isOver = false;

  /** `secrets`: what the caller knows and must not disclose. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** Resolves with what is handed in; never, when `signal` comes first. */
  add(interaction: ConnectedInvocation, signal: AbortSignal): Promise<ExternalResult> {
    const key = keyOf(interaction);
    return new Promise((settle) => {
      const pending: Pending = { interaction, isHandedOut: false, settle };
      this.#pending.set(key, pending);
      signal.addEventListener('abort', () => this.#end(key, 'its time is up, or the run was cancelled'), { once: true });
      const poll = [...this.#polls][0];
      if (poll !== undefined) this.#handOut(pending, poll.answer);
    });
  }

  next({ waitMs, again, signal }: NextOptions): Promise<PendingAnswer> {
    return new Promise((resolve, reject) => {
      const found = [...this.#pending.values()].find(({ isHandedOut }) => again || !isHandedOut);
      if (found !== undefined) return this.#handOut(found, resolve);
      if (this.#isOver) return resolve({ schemaVersion: 1, state: 'ended' });
      if (this.#polls.size >= limits.agentDeskPollsMax) {
        return reject(
          new ServiceError('control.UNAVAILABLE', { message: 'Too many ask at once.', retryAfterMs: limits.unavailableRetryAfterMs }),
        );
      }
      const poll: Poll = {
        answer: (answer) => {
          clearTimeout(timer);
          this.#polls.delete(poll);
          resolve(answer);
        },
      };
      const timer = setTimeout(() => poll.answer(waiting), waitMs);
      signal.addEventListener('abort', () => poll.answer(waiting), { once: true });
      this.#polls.add(poll);
    });
  }

  complete({ runId, interactionId, targetResult }: CompleteRequest): CompleteReply {
    const key = keyOf({ runId, interactionId });
    const digest = sha256Digest(canonicalJson(targetResult as unknown as JsonValue));
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      this.#end(key, digest);
      pending.settle(new ExternalResult(targetResult, this.#secrets));
      return { schemaVersion: 1, runId, interactionId, replayed: false };
    }
    const how = this.#ended.peek(key);
    if (how === digest) return { schemaVersion: 1, runId, interactionId, replayed: true };
    if (how === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'No such interaction is pending.' });
    const why = how.startsWith('sha256:') ? 'another result was handed in before' : how;
    throw new ServiceError('control.STATE_CONFLICT', { message: `The interaction has ended: ${why}.`, details: { runId, interactionId } });
  }

  /** The run is over: waiting requests get an answer. */
  close(): void {
    this.#isOver = true;
    for (const poll of [...this.#polls]) poll.answer({ schemaVersion: 1, state: 'ended' });
  }

  #handOut(pending: Pending, answer: (answer: PendingAnswer) => void): void {
    pending.isHandedOut = true;
    answer({ schemaVersion: 1, state: 'pending', interaction: pending.interaction });
  }

  #end(key: string, how: string): void {
    if (!this.#pending.delete(key)) return;
    this.#ended.set(key, how);
  }
}

/** Interactions have their ids within a run. */
function keyOf({ runId, interactionId }: Pick<CompleteRequest, 'runId' | 'interactionId'>): string {
  return `${runId} ${interactionId}`;
}
