// What an agent may do in its world, wherever that is: in this process (agent-access.ts), or behind the HTTP binding (remote-world.ts).
import type { JsonObject } from '../contract/json.js';
import type { AgentDialect } from '../contract/run/dialect.js';
import type { AdvanceProgress, CallResult, NamedOperation, ToolCatalogItem, WaitResult } from '../contract/world/world-protocol.js';
import type { DirectCall } from '../drills/ports/bindings-port.js';

/** Outcomes are values; a refusal (revoked access, a world that is gone) rejects with ServiceError. */
export interface AgentWorld {
  /** How its agent is spoken to. */
  readonly dialect: AgentDialect;
  catalog(): Promise<AgentCatalog>;
  /** How a tool is called by a name that the catalog does not have: what it means is known where the world is, and shown to no agent. */
  readonly unlisted: Unlisted;
  /** An idempotency key that no call of the actor has: the same in every run that makes the same calls. */
  madeKey(): Promise<string>;
  call(call: DirectCall, options?: AskOptions): Promise<Pick<CallResult, 'callId' | 'correlationId' | 'outcome'>>;
  wait(untilUs?: number, options?: AskOptions): Promise<Pick<WaitResult, 'correlationId' | 'virtualTimeUs' | 'outcome'>>;
}

/** What the actor is granted. */
export interface AgentCatalog {
  tools: ToolCatalogItem[];
  /** Its wait is no tool of any package. */
  mayWait: boolean;
}
export type Unlisted =
  | {
      /** All of the world. */
      operations(): Promise<readonly NamedOperation[]>;
    }
  | {
      /** Params and result of tools/call. Throws McpFailure. */
      call(params: JsonObject, options?: AskOptions): Promise<JsonObject>;
    };
export interface AskOptions {
  /** Aborting cancels what has not begun, and a wait between its slices. */
  signal?: AbortSignal | undefined;
  /** Of a wait. */
  onProgress?: ((progress: AdvanceProgress) => void) | undefined;
}
