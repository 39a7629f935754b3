// What an agent that runs elsewhere fetches and hands in (docs/targets.md).
import type { tags } from '../tags.js';
import type { TargetCompletion } from './target-completion.js';
import type { TargetInvocation } from './target-invocation.js';

/** An invocation with what its agent needs to reach the world: the body of a request to an HTTP agent, and what an external one fetches. */
export interface ConnectedInvocation extends TargetInvocation {
  /** `SERVICE_HTTP_URL`, `SERVICE_HTTP_TOKEN` ..., and the target's own names for them. */
  environment: { readonly [name: string]: string };
}
export type PendingAnswer =
  | { schemaVersion: 1; state: 'pending'; interaction: ConnectedInvocation }
  /** Nothing to do so far: ask again. */
  | { schemaVersion: 1; state: 'waiting' }
  /** Nothing to do any more. */
  | { schemaVersion: 1; state: 'ended' };
export interface CompleteRequest {
  runId: string & tags.MinLength<1> & tags.MaxLength<128>;
  interactionId: string & tags.MinLength<1> & tags.MaxLength<512>;
  targetResult: TargetCompletion;
}
export interface CompleteReply {
  schemaVersion: 1;
  runId: string;
  interactionId: string;
  /** The same result had been handed in before. */
  replayed: boolean;
}
