// What an agent that runs elsewhere answers with, in one piece: its result and all it wants kept. An external process hands it in; an HTTP
// agent may answer with it, as `application/vnd.drillyard.result+json`.
import type { JsonObject, JsonValue } from './json.js';
import type { tags } from './tags.js';
import type { TargetInvocation } from './target-invocation.js';

export interface TargetCompletion {
  status: 'completed' | 'failed';
  output?: JsonValue;
  /** Of one that failed. `code`: default target.AGENT_FAILED. */
  error?: {
    code?: string & tags.Pattern<'^target[.][A-Z][A-Z0-9_]*$'> & tags.MaxLength<128>;
    message: string & tags.MinLength<1> & tags.MaxLength<4096>;
    details?: JsonObject;
  };
  log?: string;
  attachments?: (TextAttachment | BytesAttachment)[] & tags.MaxItems<100>;
}
export interface TextAttachment {
  name: string & tags.MinLength<1> & tags.MaxLength<1024>;
  mediaType?: string & tags.MaxLength<127>;
  text: string;
}
export interface BytesAttachment {
  name: string & tags.MinLength<1> & tags.MaxLength<1024>;
  mediaType?: string & tags.MaxLength<127>;
  base64: string & tags.Pattern<'^[A-Za-z0-9+/]*={0,2}$'>;
}

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
