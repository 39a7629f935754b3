// What the parts of a context share: its errors, and the way to the world. Evaluated inside the realm (realm-script.ts).
import type { TurnBound } from '../contract/turn-bounds.js';
import type { Capability } from '../contract/world/tool-manifest.js';
import type { ContextCalls } from './loaded-tool.js';

/** An error of the context itself: what was asked for is not there, not allowed, or not now. */
export class ContextError extends Error {
  constructor(message: string) {
    super(message);
    Object.defineProperty(this, 'name', { value: 'ContextError' });
  }
}

/** More than a turn may make. */
export class BoundError extends ContextError {
  readonly bound: TurnBound;

  constructor(bound: TurnBound, message: string) {
    super(message);
    this.bound = bound;
  }
}

/** The object and its functions: nothing can be kept on them. */
export function frozen(object: object): object {
  for (const { value, get } of Object.values(Object.getOwnPropertyDescriptors(object))) Object.freeze(value ?? get);
  return Object.freeze(object);
}

export interface Border {
  calls: ContextCalls;
  enter(): void;
  failed(error: unknown): Error;
  needs<F extends (...args: never[]) => unknown>(capability: Capability, use: F): F;
}
