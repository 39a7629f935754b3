// Who listens to the live stream, and what each receives. A listener that does not read is let go. When it comes back, one that follows a
// journal says from where on (live-watch.ts), and the window loads its lists again (app/state/live.tsx).
//   EVENT-HUB-1. Who follows a world that is reset as a whole gets its journal again from 1, however far behind it was: while the reset is
//     done nothing is read for it, and what was read before and comes now is left (`restarts`).
import { ServiceError } from '../contract/errors.js';
import type { InspectorEvent } from '../contract/inspector/inspector.js';
import { limits } from '../contract/limits.js';
import { withoutSilence } from '../http/event-stream.js';
import { tuning } from './tuning.js';

export interface FollowRequest {
  id: string;
  /** The next entry it wants. */
  nextSequence: number;
  /** It has everything there will ever be. */
  ended?: boolean;
  /** How often the journal began to begin again (EVENT-HUB-1). */
  restarts?: number;
}

export class EventHub {
  readonly #listeners = new Set<Listener>();
  /** Resets under way, by world. */
  readonly #resets = new Map<string, number>();

  /** For work that only somebody who listens needs. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  publish(event: InspectorEvent): void {
    if (this.#listeners.size === 0) return;
    const text = messageOf(event);
    for (const listener of this.#listeners) listener.push(text);
  }

  /** What listeners want of journals, of those that are not being reset; they note in it how far they are. */
  follows(): { follow: FollowRequest; send: (text: string) => void; canTake: boolean }[] {
    return [...this.#listeners].flatMap((listener) => {
      const { follow, canTake } = listener;
      return follow === undefined || this.#resets.has(follow.id) ? [] : [{ follow, canTake, send: (text: string) => listener.push(text) }];
    });
  }

  /** `reset`: the journal of a world begins again, and those who follow it do, too. Where it rejects, they stay where they are. */
  async restart<T>(id: string, reset: () => Promise<T>): Promise<T> {
    this.#resets.set(id, (this.#resets.get(id) ?? 0) + 1);
    for (const follow of this.#followsOf(id)) follow.restarts = (follow.restarts ?? 0) + 1;
    try {
      const done = await reset();
      for (const follow of this.#followsOf(id)) follow.nextSequence = 1;
      return done;
    } finally {
      const others = (this.#resets.get(id) ?? 1) - 1;
      if (others > 0) this.#resets.set(id, others);
      else this.#resets.delete(id);
    }
  }

  #followsOf(id: string): FollowRequest[] {
    return [...this.#listeners].flatMap(({ follow }) => (follow?.id === id ? [follow] : []));
  }

  /** The stream of one listener. It ends when `signal` aborts, when the hub closes, and when it is too far behind. */
  listen(first: InspectorEvent, { follow, signal }: { follow?: FollowRequest; signal: AbortSignal }): AsyncIterable<string> {
    if (this.#listeners.size >= limits.inspectorStreamsMax)
      throw new ServiceError('control.UNAVAILABLE', {
        message: 'Too many live streams are open.',
        retryAfterMs: limits.unavailableRetryAfterMs,
      });
    const listener = new Listener(follow);
    listener.push(messageOf(first));
    this.#listeners.add(listener);
    const leave = (): void => {
      this.#listeners.delete(listener);
      listener.end();
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    return withoutSilence(listener.pieces(leave));
  }

  /** Resolves when every stream has been written to its end. */
  async close(): Promise<void> {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener.end();
    await Promise.all(listeners.map(({ written }) => written));
  }
}

function messageOf(event: InspectorEvent): string {
  return messageText(event.type, JSON.stringify(event));
}

/** One message; `data` is JSON on one line. */
export function messageText(type: InspectorEvent['type'], data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}

class Listener {
  readonly follow: FollowRequest | undefined;
  readonly #waiting: string[] = [];
  /** Its stream is over. */
  readonly written: Promise<void>;
  #over: () => void = () => {};
  #ended = false;
  #wake: () => void = () => {};

  constructor(follow: FollowRequest | undefined) {
    this.follow = follow;
    this.written = new Promise((resolve) => {
      this.#over = resolve;
    });
  }

  get canTake(): boolean {
    return this.#waiting.length < limits.inspectorStreamBacklogMax / tuning.streamRoomPart;
  }

  push(text: string): void {
    if (this.#ended) return;
    if (this.#waiting.push(text) > limits.inspectorStreamBacklogMax) this.end();
    else this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *pieces(leave: () => void): AsyncGenerator<string> {
    try {
      while (!this.#ended) {
        if (this.#waiting.length > 0) yield this.#waiting.splice(0).join('');
        else await this.#news();
      }
    } finally {
      leave();
      this.#over();
    }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
