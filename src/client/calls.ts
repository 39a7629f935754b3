// What a call takes, by its endpoint.
import type { EndpointId, EndpointReply, Endpoints } from '../contract/hosted/endpoints.js';

export interface CallOptions {
  signal?: AbortSignal;
  /** Default: a new one for each call, the same for all its tries. */
  idempotencyKey?: string;
  retries?: number;
  timeoutMs?: number;
}
/** A part is left out where the endpoint has none, and may be where nothing in it is required. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : Record<never, never> extends T
    ? { [P in Name]?: T }
    : { [P in Name]: T };
export type CallInput<Id extends EndpointId> = Part<'path', Endpoints[Id]['path']> &
  Part<'query', Endpoints[Id]['query']> &
  Part<'body', Endpoints[Id]['body']>;
export type CallArguments<Id extends EndpointId> =
  Record<never, never> extends CallInput<Id>
    ? [input?: CallInput<Id>, options?: CallOptions]
    : [input: CallInput<Id>, options?: CallOptions];

/** Resolves with the reply; rejects with a ControlError for a refusal. */
export type CallEndpoint = <Id extends EndpointId>(id: Id, ...args: CallArguments<Id>) => Promise<EndpointReply<Id>>;
