// Assertions over state and evidence. docs/assertions.md has the exact rule of each kind.
import type { JsonObject, JsonValue } from '../json.js';
import type { JsonPath } from '../json-path.js';
import type { Count, DottedId, DurationUs, RowId, Slug, VirtualUs } from '../primitives.js';
import type { tags } from '../tags.js';

export type Comparison = 'equals' | 'not_equals' | 'greater_than_or_equal' | 'less_than_or_equal' | 'one_of';
interface AssertionCommon {
  id: Slug;
  /** A failed gate fails the run; a failed non-gate is reported only. Default: true. */
  gate: boolean;
  message?: string & tags.MinLength<1> & tags.MaxLength<500>;
}
/** How many: exactly `equals`, or between `atLeast` and `atMost`. At least one is given. */
export interface CountBounds {
  equals?: Count;
  atLeast?: Count;
  atMost?: Count;
}
export interface OperationFilter {
  packageId: Slug;
  instanceId?: Slug;
  operationId: DottedId;
  actorId?: Slug;
  /** One of them, where there are several. */
  outcome?: OperationOutcome | (OperationOutcome[] & tags.MinItems<1> & tags.MaxItems<5>);
  /** What became of the call's idempotency key. */
  idempotency?: 'not_requested' | 'recorded' | 'replayed' | 'not_recorded';
  /** Each named member must be deeply equal to the call's argument. */
  arguments?: JsonObject;
}
type OperationOutcome = 'ok' | 'denied' | 'tool_error' | 'unsupported' | 'invalid';
/** A call that one of the filters means. */
export interface AnyOperation {
  /** A call that one of these filters means. */
  anyOf: OperationFilter[] & tags.MinItems<1> & tags.MaxItems<100>;
}
export type OperationChoice = OperationFilter | AnyOperation;
export interface DeniedOperationFilter extends Omit<OperationFilter, 'outcome' | 'idempotency'> {}

/** The value at `path` in one row, compared. `one_of` expects an array in `expected`. */
export interface StateValueAssertion extends AssertionCommon {
  kind: 'state.value';
  packageId: Slug;
  instanceId?: Slug;
  namespace: Slug;
  rowId: RowId;
  path: JsonPath;
  comparison: Comparison;
  expected: JsonValue;
}
/** How many rows of a namespace have all members of `where` (top level, deeply equal). */
export interface StateCountAssertion extends AssertionCommon {
  kind: 'state.count';
  packageId: Slug;
  instanceId?: Slug;
  namespace: Slug;
  where?: JsonObject;
  count: CountBounds;
}
export interface OperationCountAssertion extends AssertionCommon {
  kind: 'operation.count';
  operation: OperationChoice;
  count: CountBounds;
}
/** The listed operations happened in this order (others may lie between). */
export interface OperationOrderAssertion extends AssertionCommon {
  kind: 'operation.order';
  operations: OperationChoice[] & tags.MinItems<2> & tags.MaxItems<100>;
}
/** A call's arguments: the value at `path` in the `occurrence`-th matching call (1-based; default: every matching call, at least one). */
export interface OperationArgumentsAssertion extends AssertionCommon {
  kind: 'operation.arguments';
  operation: OperationFilter;
  occurrence?: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<1000000>;
  path: JsonPath;
  comparison: Comparison;
  expected: JsonValue;
}
/** How often calls to the operation were denied. Default: at least once. */
export interface OperationDeniedAssertion extends AssertionCommon {
  kind: 'operation.denied';
  operation: DeniedOperationFilter;
  count?: CountBounds;
}
export interface EventCountAssertion extends AssertionCommon {
  kind: 'event.count';
  event: { packageId: Slug; instanceId?: Slug; eventId: DottedId };
  phase: 'emitted' | 'scheduled' | 'handled' | 'failed';
  /** Each named member must be deeply equal to the payload's. */
  payload?: JsonObject;
  count: CountBounds;
}
export interface CallbackCountAssertion extends AssertionCommon {
  kind: 'callback.count';
  callbackId: Slug;
  packageId: Slug;
  instanceId?: Slug;
  phase: 'queued' | 'attempt_started' | 'delivered' | 'retry_scheduled' | 'failed' | 'recovered';
  count: CountBounds;
}
/** How often a fault was triggered, or with `operationId` how often by calls to it. */
export interface FaultCountAssertion extends AssertionCommon {
  kind: 'fault.count';
  fault: { packageId: Slug; instanceId?: Slug; faultId: Slug; operationId?: DottedId };
  count: CountBounds;
}
/** The clock got to a time: on the world's clock, or counted from the drill's start. Exactly one of the two is given. */
export interface TimeReachedAssertion extends AssertionCommon {
  kind: 'time.reached';
  virtualTimeUs?: VirtualUs;
  afterStartUs?: DurationUs;
}
/** The value at `path` in what the target returned from one interaction, compared. */
export interface OutputValueAssertion extends AssertionCommon {
  kind: 'output.value';
  interactionId: string & tags.MinLength<1> & tags.MaxLength<300>;
  path: JsonPath;
  comparison: Comparison;
  expected: JsonValue;
}
/** Which calls are about the same thing: those with the same idempotency key, or with the same values at these paths of their arguments. */
export type EffectIdentity = 'idempotencyKey' | { arguments: JsonPath[] & tags.MinItems<1> & tags.MaxItems<20> };
/** No logical effect happened twice, however often its call was tried. */
export interface EffectAtMostOnceAssertion extends AssertionCommon {
  kind: 'effect.at_most_once';
  operation: DeniedOperationFilter;
  identity: EffectIdentity;
}
/** A part of the state: every instance, namespace and row where none is named. */
export interface Footprint {
  packageId: Slug;
  instanceId?: Slug;
  namespace?: Slug;
  rowId?: RowId;
}
type Footprints = Footprint[] & tags.MaxItems<1000>;
/** Nothing lies in none. */
type Scope = Footprint[] & tags.MinItems<1> & tags.MaxItems<1000>;
/** Every row, but for those of `except`, is what it was when the drill began. `scope`: only rows in it are compared. */
export interface StateUnchangedAssertion extends AssertionCommon {
  kind: 'state.unchanged';
  except: Footprints;
  scope?: Scope;
}
/** One net change of one row. `before` and `after`: each named member is deeply equal. `only`: no other member of the row changed. */
export interface ExpectedChange {
  change: 'insert' | 'update' | 'delete';
  packageId: Slug;
  instanceId?: Slug;
  namespace: Slug;
  rowId?: RowId;
  before?: JsonObject;
  after?: JsonObject;
  only?: string[] & tags.MaxItems<100>;
}
/** Each of `changes` is a net change since the drill began, another row for each; `exact`: and nothing else changed. */
export interface StateDiffAssertion extends AssertionCommon {
  kind: 'state.diff';
  changes: ExpectedChange[] & tags.MaxItems<1000>;
  exact: boolean;
  scope?: Scope;
}
export interface ExpressionRows {
  packageId: Slug;
  instanceId?: Slug;
  namespace: Slug;
}
/** A CEL expression that is true. `state` names the rows it reads: `state.<name>[<rowId>]`. */
export interface ExprAssertion extends AssertionCommon {
  kind: 'expr';
  expression: string & tags.MinLength<1> & tags.MaxLength<4096>;
  state: { [name: string]: ExpressionRows };
}
/** What a module of the repository answers, which is asked once, when the timeline has ended. */
export interface CustomAssertion extends AssertionCommon {
  kind: 'custom';
  /** The file, relative to the root of the repository: JavaScript or TypeScript. */
  module: string & tags.MinLength<1> & tags.MaxLength<1024>;
  /** The function of it that is called. Default: default. */
  export: string & tags.MinLength<1> & tags.MaxLength<128>;
  /** What the module is given besides, as it is. Default: {}. */
  with: JsonObject;
  /** The rows that it is shown, by names of their own. Default: none. */
  state: { [name: string]: ExpressionRows };
  /** How long it has. Default: 60000. */
  timeoutMs: number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<600000>;
}
export type Assertion =
  | StateValueAssertion
  | StateCountAssertion
  | OperationCountAssertion
  | OperationOrderAssertion
  | OperationArgumentsAssertion
  | OperationDeniedAssertion
  | EventCountAssertion
  | CallbackCountAssertion
  | FaultCountAssertion
  | TimeReachedAssertion
  | OutputValueAssertion
  | EffectAtMostOnceAssertion
  | StateUnchangedAssertion
  | StateDiffAssertion
  | ExprAssertion
  | CustomAssertion;
export type AssertionKind = Assertion['kind'];
export type AssertionOf<K extends AssertionKind> = { [P in K]: Extract<Assertion, { kind: P }> }[K];

// As authored: `gate` defaults to true, `path` to [], `comparison` to equals, event `phase` to emitted, callback `phase` to delivered,
// `interactionId` to main (the one of the short form), `identity` to idempotencyKey, `except` to [], `exact` to true, `state` and
// `with` to {}, `export` to default, `timeoutMs` to 60000.
type WithDefaults<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;
export interface StateValueAssertionInput extends WithDefaults<StateValueAssertion, 'gate' | 'path' | 'comparison'> {}
export interface StateCountAssertionInput extends WithDefaults<StateCountAssertion, 'gate'> {}
export interface OperationCountAssertionInput extends WithDefaults<OperationCountAssertion, 'gate'> {}
export interface OperationOrderAssertionInput extends WithDefaults<OperationOrderAssertion, 'gate'> {}
export interface OperationArgumentsAssertionInput extends WithDefaults<OperationArgumentsAssertion, 'gate' | 'path' | 'comparison'> {}
export interface OperationDeniedAssertionInput extends WithDefaults<OperationDeniedAssertion, 'gate'> {}
export interface EventCountAssertionInput extends WithDefaults<EventCountAssertion, 'gate' | 'phase'> {}
export interface CallbackCountAssertionInput extends WithDefaults<CallbackCountAssertion, 'gate' | 'phase'> {}
export interface FaultCountAssertionInput extends WithDefaults<FaultCountAssertion, 'gate'> {}
export interface TimeReachedAssertionInput extends WithDefaults<TimeReachedAssertion, 'gate'> {}
export interface OutputValueAssertionInput extends WithDefaults<OutputValueAssertion, 'gate' | 'interactionId' | 'path' | 'comparison'> {}
export interface EffectAtMostOnceAssertionInput extends WithDefaults<EffectAtMostOnceAssertion, 'gate' | 'identity'> {}
export interface StateUnchangedAssertionInput extends WithDefaults<StateUnchangedAssertion, 'gate' | 'except'> {}
export interface StateDiffAssertionInput extends WithDefaults<StateDiffAssertion, 'gate' | 'exact'> {}
export interface ExprAssertionInput extends WithDefaults<ExprAssertion, 'gate' | 'state'> {}
export interface CustomAssertionInput extends WithDefaults<CustomAssertion, 'gate' | 'export' | 'with' | 'state' | 'timeoutMs'> {}
export type AssertionInput =
  | StateValueAssertionInput
  | StateCountAssertionInput
  | OperationCountAssertionInput
  | OperationOrderAssertionInput
  | OperationArgumentsAssertionInput
  | OperationDeniedAssertionInput
  | EventCountAssertionInput
  | CallbackCountAssertionInput
  | FaultCountAssertionInput
  | TimeReachedAssertionInput
  | OutputValueAssertionInput
  | EffectAtMostOnceAssertionInput
  | StateUnchangedAssertionInput
  | StateDiffAssertionInput
  | ExprAssertionInput
  | CustomAssertionInput;
