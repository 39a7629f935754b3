// What worlds hold of a tool: its manifest, its compiled schemas, and a door to its behavior. The shapes of this module's run time.
//   LOADED-TOOL-1. Every value that a handler sees is *admitted*: a frozen copy made inside the realm (`Realm.admit`, `Realm.revive`). A
//     host object never reaches tool code, and what tool code returns is admitted before the host reads it.
//   LOADED-TOOL-2. Validators take admitted values (or any plain JSON) and give null when it is valid.
//   LOADED-TOOL-3. `ContextCalls` are called by the realm's own facade only, with checked arguments. A `ContextRefusal` that one throws
//     becomes an error the handler sees (and may catch); any other error is a bug of ours: it leaves `call`/`handle` as it is, whatever the
//     handler does.
import type { Issue } from '../contract/errors.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import type { TurnBound } from '../contract/turn-bounds.js';
import type {
  StateNamespace,
  ToolEvent,
  ToolFault,
  ToolHttpRoute,
  ToolManifest,
  ToolOperation,
  ToolSubscription,
} from '../contract/world/tool-manifest.js';
import type { DraftedMessage, EncodedMessage } from '../contract/world/wire.js';

export type Validate = (value: unknown) => Issue[] | null;

/** A JSON value as tool code may hold it, and its canonical (RFC 8785) text. */
export interface AdmittedValue {
  value: JsonValue;
  text: string;
}
/** One realm a thread. Values of it may go to any tool and any world of the thread. */
export interface Realm {
  /**
   * Checks and copies any JSON value into a frozen realm value with sorted keys. Throws `ContextRefusal` for what is no JSON (undefined
   * members are dropped).
   */
  admit(value: unknown): AdmittedValue;
  /** The frozen realm value of a canonical text that was admitted before: what a store returns. About a JSON.parse. */
  revive(text: string): JsonValue;
}

/** Marks a refusal as an own member, so that the realm knows it without calling the host. */
export const refusalBrand = Symbol('ContextRefusal');

/** A refusal of a context call that the handler receives: unknown namespace, schema broken, no such event... */
export class ContextRefusal extends Error {
  readonly [refusalBrand] = true;
  /** Where it is a bound that the turn has crossed. */
  readonly bound: TurnBound | undefined;

  constructor(message: string, bound?: TurnBound) {
    super(message);
    this.bound = bound;
  }
}

/**
 * What the world does for a handler; one table for each (world, instance). Arguments have been checked for their types, capabilities for
 * being declared; whether the namespace or event exists and its schema holds is checked behind these calls.
 */
export interface ContextCalls {
  readonly packageId: string;
  readonly instanceId: string;
  /** The actor of the present turn: an admitted value `{id, instanceId?, attributes, grants}`. */
  actor(): JsonValue;
  /** Why this turn runs: sdk.ts `ToolSource`, any plain JSON; asked for only when a handler reads it. */
  source(): unknown;
  get(namespace: string, rowId: string): JsonObject | undefined;
  /** At most `limit` rows after `afterRowId`, values admitted. The array stays the world's: it is copied at once. */
  scan(namespace: string, afterRowId: string | undefined, limit: number): readonly { rowId: string; value: JsonObject }[];
  put(namespace: string, rowId: string, value: JsonObject, text: string): void;
  delete(namespace: string, rowId: string): boolean;
  nowUs(): number;
  nextFloat(): number;
  nextInteger(min: number, maxExclusive: number): number;
  nextU64(): bigint;
  emit(eventId: string, payload: JsonObject, text: string): void;
  scheduleAt(eventId: string, payload: JsonObject, text: string, virtualTimeUs: number): string;
  cancel(scheduledEventId: string): boolean;
  /** Bytes of the host, to be copied at once. */
  readBlob(digest: string, from: number, length: number | undefined): Uint8Array | undefined;
  readBlobText(digest: string): string | undefined;
  /** `content`: any typed array or text; it is copied before this returns. Gives digest and length. */
  putBlob(content: Uint8Array | string): { digest: string; length: number };
  joinBlobs(digests: readonly string[]): { digest: string; length: number };
}

/** A failure that the tool declared (`context.fail`, `ToolFailure`). `retryable` is undefined when the author left it to the manifest. */
export interface DeclaredFailure {
  kind: 'failure';
  code: string;
  message: string;
  retryable: boolean | undefined;
  details: JsonValue | undefined;
  /** What the turn has done stays. */
  keep: boolean;
}
/** Anything else that went wrong in tool code: a throw, a Promise, a value that is no JSON. */
export interface HandlerThrow {
  kind: 'thrown';
  /** Fit for evidence: the same on every version of Node. Of an error that V8 makes itself it holds the class only. */
  message: string;
  /** For a person: class and message, whatever V8 said; '' where `message` says it all. */
  detail: string;
  /** What was crossed, where that is what went wrong. */
  bound?: TurnBound;
  /** Of arguments that decode made and that are no JSON: where, and what is wrong there. */
  issues?: Issue[];
}
export type HandlerFault = DeclaredFailure | HandlerThrow;
/** What a callback or a refusal sends: neither events nor bytes of the world. */
export type WholeMessage = Omit<EncodedMessage, 'body'> & { body: Exclude<EncodedMessage['body'], { kind: 'events' }> };
export type HandlerReturn = { kind: 'value'; value: JsonValue; text: string } | HandlerFault;

/** What a codec returned is no message: its author's mistake, whatever the request was. */
export interface MalformedMessage {
  kind: 'misshapen';
  message: string;
}
export type DecodeResult =
  | { kind: 'value'; arguments: JsonValue; idempotencyKey?: string; streams?: boolean }
  | HandlerFault
  | MalformedMessage;
/** `status`: what encode has chosen, if it has; the route says which it may choose. */
export type EncodeResult<M = DraftedMessage> = { kind: 'value'; message: M; status?: number } | HandlerFault | MalformedMessage;

/** A newly evaluated behavior: its own module state, bound to one table of context calls. */
export interface ToolInstance {
  /** Runs an operation's handler. `input` is admitted. */
  call(operationId: string, input: JsonValue): HandlerReturn;
  /** Runs a subscription's handler; null when it returned. */
  handle(subscriptionId: string, payload: JsonValue): HandlerFault | null;
}
/** The pure half of a behavior: no context. */
export interface ToolCodecs {
  decodeHttp(routeId: string, request: unknown): DecodeResult;
  encodeHttp(routeId: string, input: unknown): EncodeResult;
  encodeRefusal(input: unknown): EncodeResult<WholeMessage>;
  encodeCallback(callbackId: string, input: unknown): EncodeResult<WholeMessage>;
}

export interface LoadedOperation {
  operation: ToolOperation;
  validateInput: Validate;
  validateOutput: Validate;
  declaredErrors: ReadonlyMap<string, { retryable: boolean }>;
}
export interface LoadedNamespace {
  namespace: StateNamespace;
  validate: Validate;
}
export interface LoadedEvent {
  event: ToolEvent;
  validatePayload: Validate;
}
export interface LoadedTool {
  readonly manifest: ToolManifest;
  readonly packageId: string;
  readonly artifactHash: string;
  readonly realm: Realm;
  readonly operations: ReadonlyMap<string, LoadedOperation>;
  readonly namespaces: ReadonlyMap<string, LoadedNamespace>;
  readonly events: ReadonlyMap<string, LoadedEvent>;
  readonly faults: ReadonlyMap<string, ToolFault>;
  readonly routes: ReadonlyMap<string, ToolHttpRoute>;
  readonly subscriptions: readonly ToolSubscription[];
  /** Loads the module once, if that has not been done. Throws as `instantiate` does. */
  check(): void;
  /**
   * A fresh behavior over `calls`. A fresh module per turn means one before every turn. A module that throws while it loads, or lacks a
   * handler that the manifest declares, is a ServiceError `world.HANDLER_FAILED`.
   */
  instantiate(calls: ContextCalls): ToolInstance;
  /** A fresh behavior for its codecs alone: they share no variable with handlers. Throws as `instantiate` does. */
  codecs(): ToolCodecs;
}
