// The one port through which drills are handed their bindings: this module opens no socket. `bindings` implements it,
// `src/index.ts` joins the two.
import type { JsonValue } from '../../contract/json.js';
import type { AgentDialect } from '../../contract/run/dialect.js';
import type { UnansweredRequests } from '../../contract/run/run-events.js';
import type { Binding, HttpMounts, McpToolNames } from '../../contract/run/target.js';
import type { CallResult, ToolCatalogItem, WaitResult } from '../../contract/world/world-protocol.js';
import type { WorldRef } from '../../worlds/api.js';

/** Where each mount is, by name. `hostUrl`: at a host name of its own, where a hosted service has names for mounts. */
export interface AccessMounts {
  readonly [mount: string]: { readonly url: string; readonly hostUrl?: string };
}

/** Makes one that speaks to its agents so. */
export type OpenBindings = (options: { dialect: AgentDialect }) => BindingsPort;
export interface BindingsPort {
  /** Bindings that `open` can issue. */
  readonly available: ReadonlySet<Binding>;
  /** Where `open` can serve mounts of wire routes. */
  readonly httpMounts: ReadonlySet<HttpMounts>;
  /** Access for one actor in one interaction: its own bearer, nothing shared with another. */
  open(request: OpenAccess): Promise<Access>;
  /** Who knows of accesses that are not open here. A port that is for one process alone has no use for it. */
  recall?(stored: StoredAccesses): void;
  /** Revokes what is open and closes the listener. */
  close(): Promise<void>;
}
/**
 * Accesses that an earlier process has opened, and that are valid still. Both verbs open one with `open`, and resolve when that is done;
 * undefined, at once, where there is none. They reject with what kept its world from being opened.
 */
export interface StoredAccesses {
  /** Of every token that one may have; with the flag g. */
  readonly tokenShape: RegExp;
  /** sha256 of the token, base64url. */
  openByToken(tokenHash: string): Promise<void> | undefined;
  openByAddress(address: string): Promise<void> | undefined;
}
export interface OpenAccess {
  world: WorldRef;
  actorId: string;
  actorInstanceId?: string;
  /** Those that are not available are left out. */
  bindings: readonly Binding[];
  /** Where the agent may say that it receives callbacks; what it has said ends with the access. Default: it may not. */
  receivers?: ReceiverBook;
  /** How MCP lists the tools. Default: by their own names. */
  mcpToolNames?: McpToolNames;
  /** Where the mounts of wire routes are. Default: below paths. A hosted service gives the URLs of all that it serves (`AccessMounts`). */
  httpMounts?: HttpMounts;
  /** The bearer of every binding. Default: a fresh one for each. */
  token?: string;
  /** The address that it had, where its world has routes that take no credential. Default: a fresh one. */
  address?: string;
  /** Who answers for what the agent asks, such as a project; a hosted service bounds that together. Default: nobody, and no bound. */
  owner?: string;
  /** Whose bytes on their way are bounded together. Default: the world by itself. */
  organizationId?: string;
  /** Epoch milliseconds from which on a bearer is refused as if it were revoked. Default: never. */
  expiresAtMs?: number;
  /** Asked before each thing the actor does: throws the refusal while the world takes no calls. Default: it always does. */
  requireOpen?(): void;
}
export interface ReceiverBook {
  /** Yields what ends it. control.NOT_FOUND for a receiver nobody sends to, control.STATE_CONFLICT for one that is there. */
  bind(receiverId: string, target: { url: string; secret: string }): () => void;
}
export interface Access {
  /** By binding: where and with what. `direct` needs neither. */
  readonly endpoints: { readonly [B in Exclude<Binding, 'direct'>]?: Endpoint };
  /** Of its routes that take no credential, where there are some. */
  readonly address?: string;
  /** Present when `direct` was asked for. */
  readonly direct?: DirectClient;
  /** True once the agent used any binding. */
  observed(): boolean;
  /** What the agent asked over HTTP and no route answered; undefined where there was nothing. */
  unanswered(): UnansweredRequests | undefined;
  /** What it asked first of all that has no answer yet. Absent: nobody knows here. */
  pending?(): PendingStep | undefined;
  /**
   * Calls in flight are answered, later ones refused (control.UNAUTHENTICATED) from this very moment. Resolves when no call is left
   * running.
   */
  revoke(): Promise<void>;
}
export interface PendingStep {
  /** Such as `'item.get' of tool 'stock'`. */
  words: string;
  /** Of host time. */
  forMs: number;
}
export interface Endpoint {
  url: string;
  token: string;
  /** Of HTTP, in a world whose tools have wire routes: where each mount is, by name. */
  mounts?: AccessMounts;
  /** Of HTTP, where routes take signed requests: what the key is called whose secret the token is. */
  keyId?: string;
}

/** The world as its actor may touch it. Outcomes are values; a refusal (revoked access, a world that is gone) rejects with ServiceError. */
export interface DirectClient {
  tools(): Promise<ToolCatalogItem[]>;
  call(call: DirectCall): Promise<Pick<CallResult, 'callId' | 'correlationId' | 'outcome'>>;
  wait(untilUs?: number): Promise<Pick<WaitResult, 'correlationId' | 'virtualTimeUs' | 'outcome'>>;
  /** Callbacks for the receiver go there from now on, until the access ends. */
  receive(receiverId: string, target: { url: string; secret: string }): Promise<void>;
}
export interface DirectCall {
  packageId: string;
  operationId: string;
  arguments: JsonValue;
  instanceId?: string;
  idempotencyKey?: string;
}
