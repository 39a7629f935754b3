// Requests under way of which this node may not answer any more, or not for now: none of them waits for as long as its log does.
//   CLUSTER-HELD-1. A request is answered with "not known" once its node could not have answered for its home for limits.heldAnswerMs; the
//     reply that comes later goes nowhere.
import type { ClusterClock } from '../cluster/clock.js';
import { limits } from '../contract/limits.js';
import type { HttpReply } from '../http/server.js';
import { movedReply } from './cluster-replies.js';

interface Held {
  mayAnswer: () => boolean;
  /** When it was first seen that the node may not answer. */
  sinceMs: number | undefined;
  giveUp(): void;
}

export class HeldAnswers {
  readonly #clock: ClusterClock;
  readonly #under = new Set<Held>();
  #isLooking = false;

  constructor(clock: ClusterClock) {
    this.#clock = clock;
  }

  /** The reply, or that it is not known. The answer is begun at once. */
  during(mayAnswer: () => boolean, answer: () => Promise<HttpReply> | HttpReply): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      const held: Held = { mayAnswer, sinceMs: undefined, giveUp: () => this.#under.delete(held) && resolve(movedReply()) };
      this.#under.add(held);
      this.#lookOn();
      const replied = (reply: HttpReply): void => {
        if (this.#under.delete(held)) resolve(reply);
        else reply.whenOver?.();
      };
      const failed = (error: unknown): void => {
        if (this.#under.delete(held)) reject(error);
      };
      try {
        const answered = answer();
        if (answered instanceof Promise) answered.then(replied, failed);
        else replied(answered);
      } catch (error) {
        failed(error);
      }
    });
  }

  #lookOn(): void {
    if (this.#isLooking || this.#under.size === 0) return;
    this.#isLooking = true;
    this.#clock.after(limits.heldLookMs, () => {
      this.#isLooking = false;
      const nowMs = this.#clock.now();
      for (const held of this.#under) {
        held.sinceMs = held.mayAnswer() ? undefined : (held.sinceMs ?? nowMs);
        if (held.sinceMs !== undefined && nowMs - held.sinceMs >= limits.heldAnswerMs) held.giveUp();
      }
      this.#lookOn();
    });
  }
}
