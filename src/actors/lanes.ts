// What a process host and its parent say to each other: mail, control and heartbeat of life as lanes of one channel, and what a child gets
// before that.
import type { Envelope } from './frames.js';
import type { HostSetup, HostStart } from './host-port.js';

/** What a child loads before it is wanted, as its one argument. */
export interface ChildOrder {
  moduleHref: string;
  resourceLimits: HostStart['resourceLimits'];
  /** The board, as an inherited file. */
  boardFd: number;
}

/** The first message says what a child is. */
export type ToChild = { lane: 'start'; setup: HostSetup } | LaneMessage;
/** `heartbeat`: the parent asks whether the child is there, the child answers that it is. */
export type LaneMessage = { lane: 'mail'; envelope: Envelope } | ControlMessage | { lane: 'heartbeat' };
interface ControlMessage {
  lane: 'control';
  data: unknown;
}

/** What Comlink asks of a wire. */
export interface ControlEndpoint {
  postMessage(data: unknown): void;
  addEventListener(type: string, listener: (event: { data: unknown }) => void): void;
  removeEventListener(type: string, listener: (event: { data: unknown }) => void): void;
}

/**
 * One lane of the channel, as Comlink wants a wire to look. Used on both sides.
 * Comlink keeps a wire until the proxy made of it is collected, so a wire that leads to its proxy is never let go: `close` cuts it.
 */
export class ControlLane implements ControlEndpoint {
  readonly #listeners = new Set<(event: { data: unknown }) => void>();
  #send: (message: ControlMessage) => void;

  constructor(send: (message: ControlMessage) => void) {
    this.#send = send;
  }
  postMessage(data: unknown): void {
    this.#send({ lane: 'control', data });
  }
  addEventListener(_type: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.add(listener);
  }
  removeEventListener(_type: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.delete(listener);
  }
  close(): void {
    this.#send = () => {};
    this.#listeners.clear();
  }
  deliver(data: unknown): void {
    for (const listener of this.#listeners) listener({ data });
  }
}
