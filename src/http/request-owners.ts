// The port through which a node learns who owns what a request asks for.
import type { ServerRequest } from './server.js';

/** Scheme, host and port of another node; or this one. */
export type RequestOwner = { address: string } | 'self';
export interface RequestOwners {
  /** Undefined where nobody owns what it asks for at the moment. It reads no body. */
  ownerOf(request: ServerRequest): RequestOwner | undefined | Promise<RequestOwner | undefined>;
  /** Resolves at the first change after it was asked for: an owner may be another one than before. Never rejects. */
  changed(): Promise<void>;
  /** Somebody waits for a change from now on, or nobody does. Default: nothing looks more often for it. */
  watch?(isWatched: boolean): void;
  /** For how many milliseconds this node has not learned who owns what; 0 while it does. Default 0. */
  silentMs?(): number;
}
