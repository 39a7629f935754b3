// What an agent says and hears over HTTP (docs/bindings.md). The CLI binding speaks the same to the same listener.
import type { JsonValue } from '../json.js';
import type { DottedId, Slug, VirtualUs } from '../primitives.js';
import type { tags } from '../tags.js';
import type { ToolOutcome } from './evidence.js';
import type { ToolCatalogItem } from './world-protocol.js';

/** The path of POST /v1/operations/{packageId}/{operationId}. */
export interface CallPath {
  packageId: Slug;
  operationId: DottedId;
}
export interface CallRequest {
  arguments: JsonValue;
  idempotencyKey?: string & tags.MinLength<1> & tags.MaxLength<256>;
  instanceId?: Slug;
}
export interface CallResponse {
  schemaVersion: 1;
  callId: string;
  /** Of the world; the HTTP correlation id is in the header. */
  correlationId: string;
  outcome: ToolOutcome;
}
/** GET /v1/tools: what the actor is granted, and nothing else. */
export interface ToolsResponse {
  schemaVersion: 1;
  tools: ToolCatalogItem[];
  /** Whether it is granted its wait, which is no tool of any package. */
  mayWait: boolean;
}
/** To a virtual time, or to the next event when `untilUs` is absent. A client that goes away ends its wait. */
export interface WaitRequest {
  untilUs?: VirtualUs;
}
/**
 * To a client that asks for `text/event-stream` it is sent as events: `progress` with an AdvanceProgress, only forward, as often as the
 * reader keeps up with; then `result` with this, or `error` with an error envelope.
 */
export interface WaitResponse {
  schemaVersion: 1;
  correlationId: string;
  virtualTimeUs: number;
  outcome: ToolOutcome;
}

/** The path of PUT /v1/receivers/{receiverId}: callbacks for it go to the agent until its access ends. Local runs only. */
export interface ReceiverPath {
  receiverId: Slug;
}
export interface ReceiveRequest {
  /** On this machine. */
  url: string & tags.MinLength<1> & tags.MaxLength<2048>;
  /** Of the agent's own choice: the key of the signatures. */
  secret: string & tags.MinLength<16> & tags.MaxLength<1024>;
}
export interface ReceiveResponse {
  schemaVersion: 1;
  receiverId: string;
}
