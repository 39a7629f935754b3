// What a target is asked and what it may use: the invocation every kind gets, and the context of a module.
import type { JsonValue } from '../json.js';
import type { ToolOutcome } from '../world/evidence.js';
import type { ToolCatalogItem } from '../world/world-protocol.js';
import type { AgentUsage } from './agent-usage.js';
import type { ExternalResult } from './target-completion.js';
import type { AgentMessage } from './transcript.js';

/** Of the binding http: where the wire routes of one instance of a tool are, by the name of its mount (`mail`, `mail__work`). */
export interface BindingMounts {
  readonly [mount: string]: { readonly url: string };
}

/**
 * One task for one actor. A command reads it as JSON from stdin. Tokens are not in it: a command finds them in its environment, a module in
 * `context.binding`.
 */
export interface TargetInvocation {
  schemaVersion: 1;
  runId: string;
  drillId: string;
  interactionId: string;
  actorId: string;
  actorInstanceId?: string;
  task: { instruction: string; input?: JsonValue };
  virtualTimeUs: number;
  bindings: { [B in 'http' | 'mcp' | 'cli']?: { url: string; mounts?: BindingMounts } };
}

/**
 * The world as the module's actor may touch it, in process. A call resolves with its outcome; an outcome that is an error does not reject.
 */
export interface TargetWorld {
  call(
    packageId: string,
    operationId: string,
    args?: JsonValue,
    options?: { idempotencyKey?: string; instanceId?: string },
  ): Promise<ToolOutcome>;
  tools(): Promise<ToolCatalogItem[]>;
  /** To a virtual time, or to the next event; needs the grant world/clock.wait. */
  wait(untilUs?: number): Promise<ToolOutcome>;
  /** Callbacks for the receiver go to a server of the agent's, on this machine, from now on and until the interaction ends. */
  receive(receiverId: string, target: { url: string; secret: string }): Promise<void>;
}
export interface BindingPlace {
  readonly url: string;
  readonly token: string;
  readonly mounts?: BindingMounts;
  /** Of HTTP, where routes take signed requests: what the key is called whose secret the token is. */
  readonly keyId?: string;
}
export interface TargetContext {
  /** Aborted when time is up or the run is cancelled; by then access has been revoked. */
  readonly signal: AbortSignal;
  /** Present when the target lists the binding `direct`. */
  readonly world?: TargetWorld;
  /** What a command would find of its bindings in its environment: `SERVICE_HTTP_URL` ..., and the target's own names for them. */
  readonly environment: { readonly [name: string]: string };
  readonly binding: { readonly [B in 'http' | 'mcp' | 'cli']?: BindingPlace };
  /**
   * Keeps a file with the run, as the drill's capture policies say. A path leads to a file of the repository, and over no link. Throws
   * where it is refused or too large (`target.ATTACHMENT...`); the run notes that too.
   */
  attach(name: string, content: string | Uint8Array | { path: string }, options?: { mediaType?: string }): void;
  /**
   * What was used since the last time it said so: tokens, calls of models, money. Added up over the interaction; throws a TypeError for
   * another shape.
   * @example context.usage({ inputTokens: 1200, outputTokens: 80, modelCalls: 1, costUsd: 0.0042 })
   */
  usage(used: AgentUsage): void;
  /**
   * One message of the conversation with a model: it stands beside the entries of the journal, at the time at which it was said. Markdown
   * in it is rendered. Throws a TypeError for another shape.
   * @example context.message({ role: 'assistant', content: 'I refund **order 4711**.' })
   */
  message(message: AgentMessage): void;
  /** One line of the run's log; `console` writes there too. It stands beside the entries as messages do. */
  log(message: string, fields?: { [name: string]: JsonValue }): void;
}
/** What a target module exports: the result, if any, is JSON. A whole result is for an embedder's agent that asks another. */
export type TargetModule = (invocation: TargetInvocation, context: TargetContext) => TargetAnswer | Promise<TargetAnswer>;
type TargetAnswer = JsonValue | ExternalResult | undefined;
