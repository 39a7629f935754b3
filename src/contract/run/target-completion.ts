// What an agent that runs elsewhere answers with, in one piece: its result and all it wants kept. An external process hands it in; an HTTP
// agent may answer with it, as `application/vnd.drillyard.result+json`.
import type { JsonObject, JsonValue } from '../json.js';
import type { tags } from '../tags.js';
import type { AgentUsage } from './agent-usage.js';

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
  usage?: AgentUsage;
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

/** What an embedder's agent returns when the work was done elsewhere: a whole result in place of an output. */
export class ExternalResult {
  readonly completion: TargetCompletion;
  /** What its agent knew beside its bindings and must not tell. */
  readonly secrets: readonly string[];

  constructor(completion: TargetCompletion, secrets: readonly string[] = []) {
    this.completion = completion;
    this.secrets = secrets;
  }
}
