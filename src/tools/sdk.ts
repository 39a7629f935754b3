// What tool authors import as `drillyard/tool-sdk`: the types of a behavior module, and a run-time part that is tiny.
// The run-time part exists twice: here, for an author's own tests and editor, and inside the realm, which evaluates the text
// of these same functions (realm-inside.ts). So nothing in it may name anything but itself and ECMAScript.

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
/** All a handler may touch. It is valid during the turn only. */
export interface ToolContext<T extends ToolTypes = ToolTypes> {
  readonly packageId: string;
  readonly instanceId: string;
  readonly actor: ToolActor;
  readonly source: ToolSource;
  /** Ends the call with a declared error: nothing that the turn has changed stays. */
  fail(options: FailOptions<CodesOf<T>>): never;
  readonly state: ToolState<StateOf<T>>;
  readonly clock: ToolClock;
  readonly random: ToolRandom;
  readonly events: ToolEvents<EventsOf<T>>;
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
  | { readonly kind: 'text'; readonly value: string };
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
}
export interface DecodedRequest {
  /** Plain JSON; members that are undefined are left out. */
  arguments: unknown;
  idempotencyKey?: string;
}
export type ToolOutcome =
  | { readonly kind: 'ok'; readonly value: JsonValue }
  | {
      readonly kind: 'denied' | 'tool_error' | 'unsupported' | 'invalid';
      readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean; readonly details?: JsonValue };
    };
export interface EncodeInput {
  readonly invocation: {
    readonly callId: string;
    readonly packageId: string;
    readonly instanceId: string;
    readonly operationId: string;
    readonly arguments: JsonValue;
    readonly idempotencyKey?: string;
  };
  readonly outcome: ToolOutcome;
}
export type WireBody =
  | { kind: 'empty' }
  | { kind: 'json'; value: unknown }
  | { kind: 'text'; value: string; contentType?: string }
  | { kind: 'bytes'; value: Uint8Array; contentType: string };
/** The status is the manifest's. */
export interface WireMessage {
  headers?: { [name: string]: string };
  body: WireBody;
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

/** The default export of a behavior module. Handlers are synchronous; codecs are pure and see no state. */
export interface ToolBehavior<T extends ToolTypes = ToolTypes> {
  operations: OperationHandlers<T>;
  subscriptions?: SubscriptionHandlers<T>;
  http?: { [routeId: string]: { decode(request: HttpRequest): DecodedRequest; encode(input: EncodeInput): WireMessage } };
  callbacks?: { [callbackId: string]: { encode(input: CallbackInput): WireMessage } };
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

  constructor(options: FailOptions) {
    super(String(options.message));
    this.code = String(options.code);
    this.retryable = options.retryable;
    this.details = options.details;
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
