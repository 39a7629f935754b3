// What tool authors import as `drillyard/tool-sdk`: the types of a behavior module, and a run-time part that is tiny.
// The run-time part exists twice: here, for an author's own tests and editor, and inside the realm, which evaluates the text
// of these same functions (realm-inside.ts). So nothing in it may name anything but itself, token-endpoint.ts, time-zones.ts and
// ECMAScript.
import { addCalendarTime, instantOf, isoTime, isTimeZone, type LocalTime, timeZoneNames, type ZonedTime, zonedTime } from './time-zones.js';
import { decodeTokenRequest, encodeTokenReply, grantTokens, mintToken, readToken } from './token-endpoint.js';

export type { LocalTime, ZonedTime };
export {
  addCalendarTime,
  decodeTokenRequest,
  encodeTokenReply,
  grantTokens,
  instantOf,
  isoTime,
  isTimeZone,
  mintToken,
  readToken,
  timeZoneNames,
  zonedTime,
};

export type JsonPrimitive = null | boolean | number | string;
export type JsonValue = JsonPrimitive | readonly JsonValue[] | { readonly [key: string]: JsonValue };
/** A value as a tool is given it: frozen all the way down. */
export type Frozen<T> = T extends (...args: never[]) => unknown ? T : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/**
 * What a tool's types may say about itself; every part is optional. `state`: the row type of each namespace. `events`: the payload type of
 * each event of its own. `operations`: input and output of each operation. `errors`: the codes that each operation may fail with.
 * `subscriptions`: the payload of each subscription. `drillyard tool types` makes them from the manifest.
 */
export interface ToolTypes {
  state?: { [namespace: string]: object };
  events?: { [eventId: string]: object };
  operations?: { [operationId: string]: { input: unknown; output: unknown } };
  errors?: { [operationId: string]: string };
  subscriptions?: { [subscriptionId: string]: object };
}
// biome-ignore lint/suspicious/noExplicitAny: the schemas of the manifest have been checked before a handler runs, so an author who writes no types is not made to cast.
type Untyped = any;
type StateOf<T extends ToolTypes> = T extends { state: infer S extends object } ? S : { [namespace: string]: Untyped };
type EventsOf<T extends ToolTypes> = T extends { events: infer E extends object } ? E : { [eventId: string]: object };
type CodesOf<T extends ToolTypes> = T extends { errors: infer E extends { [operationId: string]: string } } ? E[keyof E] : string;
type Name<T> = keyof T & string;

export interface FailOptions<Code extends string = string> {
  /** Declared in the manifest's `declaredErrors` of the operation; `^[A-Z][A-Z0-9_]*$`. */
  code: Code;
  message: string;
  /** Default: what the declaration says, else false. */
  retryable?: boolean;
  details?: JsonValue;
  /**
   * What the turn has done stays: rows, events and what they cause. The service has decided and says no (a declined charge is there,
   * as failed). Default false: nothing of the turn stays.
   */
  keep?: boolean;
}
export interface ToolActor {
  readonly id: string;
  readonly instanceId?: string;
  readonly attributes: { readonly [name: string]: JsonValue };
  readonly grants: readonly { readonly packageId: string; readonly instanceId?: string; readonly operationId: string }[];
}
/** Why this turn runs. */
export type ToolSource =
  | { readonly kind: 'operation'; readonly operationId: string; readonly callId: string }
  | {
      readonly kind: 'event';
      readonly event: { readonly packageId: string; readonly instanceId: string; readonly eventId: string };
      readonly subscriptionId: string;
      /** Present when the event was scheduled, absent when it was emitted in the same turn. */
      readonly scheduledEventId?: string;
    };
export interface ScanOptions {
  /** Rows after this id, in UTF-16 order of ids. */
  afterRowId?: string;
  /** At least 1. Without it every row is given; more than 10,000 are an error, so page through a large namespace. */
  limit?: number;
}
export interface ScannedRow<Row> {
  readonly rowId: string;
  readonly value: Frozen<Row>;
}
/** The tool's own rows. Values given out are frozen; a put replaces the whole row and is checked against the namespace's schema. */
export interface ToolState<S> {
  get<N extends Name<S>>(namespace: N, rowId: string): Frozen<S[N]> | undefined;
  scan<N extends Name<S>>(namespace: N, options?: ScanOptions): readonly ScannedRow<S[N]>[];
  put<N extends Name<S>>(namespace: N, rowId: string, value: Frozen<S[N]>): void;
  /** True when there was such a row. */
  delete(namespace: Name<S>, rowId: string): boolean;
}
export interface ToolClock {
  /** Virtual time in integer microseconds. */
  nowUs(): number;
}
export interface ToolRandom {
  /** 0 <= x < 1. */
  nextFloat(): number;
  /** An integer, min <= x < maxExclusive. */
  nextInteger(min: number, maxExclusive: number): number;
  nextU64(): bigint;
}
export interface ToolEvents<E> {
  /** Delivered to its subscribers in this turn, after the handler. */
  emit<I extends Name<E>>(eventId: I, payload: E[I]): void;
  /** Delivered when virtual time reaches `virtualTimeUs`; a time that has passed means now. Returns the scheduled event's id. */
  scheduleAt<I extends Name<E>>(eventId: I, payload: E[I], virtualTimeUs: number): string;
  /** Takes back one of its own that has not fired; false where there is none. A fork knows the ids of its parent. */
  cancel(scheduledEventId: string): boolean;
}
/** Bytes of the world as a value: fit for arguments, results and rows. */
export interface ToolBlob {
  readonly digest: string;
  readonly length: number;
  readonly contentType: string;
}
/** Of bytes: `from` counts from 0; without `length` to the end. */
export interface BlobRange {
  from?: number;
  length?: number;
}
/**
 * The bytes that references stand for. Reading needs the capability `state.read`, making `state.write`. They stay as long as the journal
 * that speaks of them; rows hold references.
 */
export interface ToolBlobs {
  /** A new array; undefined where the world has no such bytes. */
  read(blob: ToolBlob, range?: BlobRange): Uint8Array | undefined;
  /** The same as UTF-8; what is no UTF-8 becomes U+FFFD. */
  text(blob: ToolBlob): string | undefined;
  put(content: Uint8Array | string, contentType: string): ToolBlob;
  /** The bytes of all, one after the other. */
  concat(blobs: readonly ToolBlob[], contentType: string): ToolBlob;
}
/** All a handler may touch. It is valid during the turn only. */
export interface ToolContext<T extends ToolTypes = ToolTypes> {
  readonly packageId: string;
  readonly instanceId: string;
  readonly actor: ToolActor;
  readonly source: ToolSource;
  /** Ends the call with a declared error: nothing that the turn has changed stays, unless `keep` says so. */
  fail(options: FailOptions<CodesOf<T>>): never;
  readonly state: ToolState<StateOf<T>>;
  readonly clock: ToolClock;
  readonly random: ToolRandom;
  readonly events: ToolEvents<EventsOf<T>>;
  readonly blobs: ToolBlobs;
}

type OperationHandlers<T extends ToolTypes> = T extends {
  operations: infer O extends { [id: string]: { input: unknown; output: unknown } };
}
  ? { [K in keyof O]: (input: Frozen<O[K]['input']>, context: ToolContext<T>) => Frozen<O[K]['output']> }
  : { [operationId: string]: (input: Untyped, context: ToolContext<T>) => unknown };
type SubscriptionHandlers<T extends ToolTypes> = T extends { subscriptions: infer S extends object }
  ? { [K in keyof S]: (payload: Frozen<S[K]>, context: ToolContext<T>) => void }
  : { [subscriptionId: string]: (payload: Untyped, context: ToolContext<T>) => void };

export type HttpRequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'form'; readonly value: { readonly [name: string]: readonly string[] } }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: ToolBlob }
  | { readonly kind: 'multipart'; readonly subtype: 'form-data' | 'related' | 'mixed'; readonly parts: readonly HttpRequestPart[] };
/** A part has either a text or bytes. */
export interface HttpRequestPart {
  readonly name?: string;
  readonly filename?: string;
  /** Without parameters; '' where the part says none. */
  readonly contentType: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly text?: string;
  readonly bytes?: ToolBlob;
}
/** A request to one of the tool's wire routes; the credential is already gone from it. */
export interface HttpRequest {
  readonly routeId: string;
  readonly method: string;
  readonly pathname: string;
  readonly path: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: readonly string[] };
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: readonly string[] };
  readonly body: HttpRequestBody;
  /** A token that the tool has minted, where the request came with one as its credential. */
  readonly credential?: string;
  /** Minted tokens elsewhere in it, of the same access: what is not listed here is a text that anybody may have made up. */
  readonly tokens?: readonly string[];
}
export interface DecodedRequest {
  /** Plain JSON; members that are undefined are left out. */
  arguments: unknown;
  idempotencyKey?: string;
  /** The reply to a success is events, and faults of the timing `stream` may cut it. */
  streams?: boolean;
}
export type ToolOutcome =
  | { readonly kind: 'ok'; readonly value: JsonValue }
  | {
      readonly kind: 'denied' | 'tool_error' | 'unsupported' | 'invalid';
      readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean; readonly details?: JsonValue };
      /** Of a declared failure with `keep`: what the call did stands. */
      readonly committed?: true;
    };
export interface EncodeInput {
  readonly invocation: {
    readonly callId: string;
    /** As evidence has it. */
    readonly correlationId: string;
    readonly actorId: string;
    readonly actorInstanceId?: string;
    readonly packageId: string;
    readonly instanceId: string;
    readonly operationId: string;
    readonly arguments: JsonValue;
    readonly idempotencyKey?: string;
    /** Of a call that repeats an earlier one by its idempotency key, and gets its outcome: the callId of that one. */
    readonly replayedCallId?: string;
  };
  readonly outcome: ToolOutcome;
  /** As decode saw it. */
  readonly request: Pick<HttpRequest, 'method' | 'pathname' | 'query'>;
  /** When the call had ended. */
  readonly virtualTimeUs: number;
  /**
   * Stands for the base URL of the client, without a slash at the end: written into a header, JSON or text, it is the URL that the client
   * uses when the reply gets there. What it says here is the same in every run.
   */
  readonly baseUrl: string;
  /** Of a route with a `rateLimit`. */
  readonly rateLimit?: {
    readonly id: string;
    readonly limit: number;
    /** Of this actor to this instance in the window so far, with this one. */
    readonly calls: number;
    /** Virtual time: the window is [windowStartUs, windowEndUs). */
    readonly windowStartUs: number;
    readonly windowEndUs: number;
  };
}
export type WireBody =
  | { kind: 'empty' }
  | { kind: 'json'; value: unknown }
  | { kind: 'text'; value: string; contentType?: string }
  | { kind: 'bytes'; value: Uint8Array; contentType: string }
  /** Bytes of the world, or a part of them; of wire routes only. Default: all, as their own content type. */
  | { kind: 'blob'; value: ToolBlob; range?: BlobRange; contentType?: string }
  /** Server-sent events; of wire routes whose decode said `streams`. */
  | { kind: 'events'; value: readonly ToolStreamEvent[] };
export interface ToolStreamEvent {
  event?: string;
  id?: string;
  retry?: number;
  /** A text as it is, anything else as JSON. */
  data: unknown;
}
export interface WireMessage {
  headers?: { [name: string]: string };
  body: WireBody;
  /** Of a reply: tokens that stand in it (`mintToken`), which the server seals. */
  tokens?: readonly string[];
}
/** What encode answers a request with. */
export interface WireReply extends WireMessage {
  /** One of those that the route's `response` declares for such an outcome. Default: the one that it has for this one. */
  status?: number;
}
export interface CallbackInput {
  readonly callbackId: string;
  readonly deliveryId: string;
  readonly receiverId: string;
  readonly event: { readonly packageId: string; readonly instanceId: string; readonly eventId: string };
  readonly payload: { readonly [name: string]: JsonValue };
  readonly virtualTimeUs: number;
  readonly attempt: number;
}

/** A request that became no call; there is no credential in it. */
export interface RefusalInput {
  readonly kind:
    | 'unauthenticated'
    | 'not_found'
    | 'method_not_allowed'
    | 'unsupported_media_type'
    | 'malformed'
    | 'too_large'
    | 'not_decoded';
  readonly method: string;
  /** Cut, and without what may be a credential. */
  readonly pathname: string;
  readonly routeId?: string;
  /** What the platform would say. */
  readonly message: string;
  /** The same without words of the platform: of `not_decoded`, what decode has thrown. */
  readonly reason: string;
  /** Where it is known what is wrong in the body, or in the arguments that decode made: a JSON Pointer into it, and what is wrong there. */
  readonly issues?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** Of a ToolFailure that decode has thrown. */
  readonly code?: string;
  /** Of `method_not_allowed`: what the path takes. */
  readonly allow?: readonly string[];
  readonly status: number;
  readonly virtualTimeUs: number;
  /** As encode sees it. */
  readonly baseUrl: string;
}

/** The default export of a behavior module. Handlers are synchronous; codecs are pure and see no state. */
export interface ToolBehavior<T extends ToolTypes = ToolTypes> {
  operations: OperationHandlers<T>;
  subscriptions?: SubscriptionHandlers<T>;
  http?: { [routeId: string]: { decode(request: HttpRequest): DecodedRequest; encode(input: EncodeInput): WireReply } };
  callbacks?: { [callbackId: string]: { encode(input: CallbackInput): WireMessage } };
  /** Words the refusals that the manifest lists in `wire.refusals`; as pure as a codec. */
  refuse?(input: RefusalInput): WireMessage;
  /**
   * Of a manifest with `graphql`: resolvers by type and field. Those of `Query` and `Mutation` are the handlers of their operations; any
   * other field without one is the member of that name.
   */
  graphql?: { [type: string]: { [field: string]: GraphqlResolver<T> } };
}
/** `parent`: the value whose field it is; undefined at the root. A failure below the root leaves the rest of the result. */
export type GraphqlResolver<T extends ToolTypes = ToolTypes> = (parent: Untyped, args: Untyped, context: ToolContext<T>) => unknown;
/** A manifest and its behavior in one value. */
export interface ToolDefinition<T extends ToolTypes = ToolTypes> {
  manifest: object;
  behavior: ToolBehavior<T>;
}

/**
 * The declared failure of a call: `throw new ToolFailure({ code: 'CARD_DECLINED', message: '...' })` is what `context.fail` does.
 * Known by a registered symbol and not by its class, so that it is known in every realm.
 */
export class ToolFailure extends Error {
  readonly code: string;
  readonly retryable: boolean | undefined;
  readonly details: JsonValue | undefined;
  readonly keep: boolean;

  constructor(options: FailOptions) {
    super(String(options.message));
    this.code = String(options.code);
    this.retryable = options.retryable;
    this.details = options.details;
    this.keep = options.keep === true;
    Object.defineProperty(this, 'name', { value: 'ToolFailure', configurable: true, writable: true });
    Object.defineProperty(this, Symbol.for('drillyard.ToolFailure'), { value: true });
  }
}

/**
 * Declares a behavior. It is returned as it came; what is missing or is no function is a TypeError here, where the author's stack is
 * near.
 */
export function defineToolBehavior<T extends ToolTypes = ToolTypes>(behavior: ToolBehavior<T>): ToolBehavior<T> {
  if (behavior === null || typeof behavior !== 'object') throw new TypeError('defineToolBehavior takes an object');
  if (behavior.refuse !== undefined && typeof behavior.refuse !== 'function')
    throw new TypeError('defineToolBehavior: refuse is a function');
  const groups: [string, { [id: string]: unknown } | undefined, readonly string[]][] = [
    ['operations', behavior.operations as { [id: string]: unknown }, []],
    ['subscriptions', behavior.subscriptions as { [id: string]: unknown } | undefined, []],
    ['http', behavior.http, ['decode', 'encode']],
    ['callbacks', behavior.callbacks, ['encode']],
  ];
  for (const [group, members, methods] of groups) {
    if (members === undefined && group !== 'operations') continue;
    if (members === null || typeof members !== 'object') throw new TypeError(`defineToolBehavior: ${group} is an object of handlers by id`);
    for (const [id, member] of Object.entries(members)) {
      const functions = methods.length === 0 ? [member] : methods.map((name) => (member as { [name: string]: unknown } | null)?.[name]);
      if (functions.some((value) => typeof value !== 'function')) {
        throw new TypeError(
          `defineToolBehavior: ${group} '${id}' is ${methods.length === 0 ? 'a function' : `an object with ${methods.join(' and ')}`}`,
        );
      }
    }
  }
  for (const [type, fields] of Object.entries(behavior.graphql ?? {}))
    if (Object.values(fields ?? { none: null }).some((value) => typeof value !== 'function'))
      throw new TypeError(`defineToolBehavior: graphql '${type}' is an object of resolvers by field`);
  return behavior;
}

/**
 * Declares a manifest together with its behavior. As a module's default export, its behavior is what counts: the manifest of a package is
 * its tool file's.
 */
export function defineTool<T extends ToolTypes = ToolTypes>(definition: ToolDefinition<T>): ToolDefinition<T> {
  if (definition === null || typeof definition !== 'object' || definition.manifest === null || typeof definition.manifest !== 'object') {
    throw new TypeError('defineTool takes { manifest, behavior }');
  }
  defineToolBehavior(definition.behavior);
  return definition;
}
