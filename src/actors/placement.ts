// The placement port: which host owns an actor. By default the stable hash of its id says so; a caller may give it another place.
// This is the whole of what the rest of the runtime asks, so that owners may one day stand on other machines.
import { invariant } from '../contract/errors.js';

export interface PlacementPort {
  /** The host that owns the actor now. */
  hostOf(actorId: string): number;
  /** Gives it to another one. The caller makes sure that it is on no other host meanwhile. */
  assign(actorId: string, host: number): void;
  /** Back to the default. */
  unassign(actorId: string): void;
}

export class LocalPlacement implements PlacementPort {
  readonly #hosts: number;
  readonly #assigned = new Map<string, number>();

  constructor(hosts: number) {
    invariant(Number.isInteger(hosts) && hosts >= 1, 'a system has at least one host');
    this.#hosts = hosts;
  }

  hostOf(actorId: string): number {
    return this.#assigned.get(actorId) ?? stableHash(actorId) % this.#hosts;
  }
  assign(actorId: string, host: number): void {
    this.#assigned.set(actorId, host);
  }
  unassign(actorId: string): void {
    this.#assigned.delete(actorId);
  }
}

/** FNV-1a over UTF-16 code units, with a final mix; the same in every version, since stores are found by it. */
export function stableHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
