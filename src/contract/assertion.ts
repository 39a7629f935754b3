// Assertions over state and evidence (decisions.md 10): the eight kinds every drill may use.
import type { JsonObject, JsonValue } from './json.js';
import type { Count, DottedId, RowId, Slug } from './primitives.js';
import type { tags } from './tags.js';

export type Comparison = 'equals' | 'not_equals' | 'greater_than_or_equal' | 'less_than_or_equal' | 'one_of';
/** Member names and list positions, from the row or the arguments inwards; [] is the whole. */
type Path = (string | (number & tags.Type<'uint32'> & tags.Minimum<0> & tags.Maximum<1000000>))[] & tags.MaxItems<64>;

interface AssertionCommon {
  id: Slug;
  /** A failed gate fails the run; a failed non-gate is reported only. */
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
  outcome?: 'ok' | 'denied' | 'tool_error' | 'unsupported' | 'invalid';
  /** Each named member must be deeply equal to the call's argument. */
  arguments?: JsonObject;
}
export interface DeniedOperationFilter extends Omit<OperationFilter, 'outcome'> {}

/** The value at `path` in one row, compared. `one_of` expects an array in `expected`. */
export interface StateValueAssertion extends AssertionCommon {
  kind: 'state.value';
  packageId: Slug;
  instanceId?: Slug;
  namespace: Slug;
  rowId: RowId;
  path: Path;
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
  operation: OperationFilter;
  count: CountBounds;
}
/** The listed operations happened in this order (others may lie between). */
export interface OperationOrderAssertion extends AssertionCommon {
  kind: 'operation.order';
  operations: OperationFilter[] & tags.MinItems<2> & tags.MaxItems<100>;
}
/** A call's arguments: the value at `path` in the `occurrence`-th matching call (1-based; default: every matching call, at least one). */
export interface OperationArgumentsAssertion extends AssertionCommon {
  kind: 'operation.arguments';
  operation: OperationFilter;
  occurrence?: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<1000000>;
  path: Path;
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
export type Assertion =
  | StateValueAssertion
  | StateCountAssertion
  | OperationCountAssertion
  | OperationOrderAssertion
  | OperationArgumentsAssertion
  | OperationDeniedAssertion
  | EventCountAssertion
  | CallbackCountAssertion;

// As authored: `gate` defaults to true, `path` to [], `comparison` to equals, event `phase` to emitted, callback `phase` to delivered.
type Defaulted<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;
export interface StateValueAssertionInput extends Defaulted<StateValueAssertion, 'gate' | 'path' | 'comparison'> {}
export interface StateCountAssertionInput extends Defaulted<StateCountAssertion, 'gate'> {}
export interface OperationCountAssertionInput extends Defaulted<OperationCountAssertion, 'gate'> {}
export interface OperationOrderAssertionInput extends Defaulted<OperationOrderAssertion, 'gate'> {}
export interface OperationArgumentsAssertionInput extends Defaulted<OperationArgumentsAssertion, 'gate' | 'path' | 'comparison'> {}
export interface OperationDeniedAssertionInput extends Defaulted<OperationDeniedAssertion, 'gate'> {}
export interface EventCountAssertionInput extends Defaulted<EventCountAssertion, 'gate' | 'phase'> {}
export interface CallbackCountAssertionInput extends Defaulted<CallbackCountAssertion, 'gate' | 'phase'> {}
export type AssertionInput =
  | StateValueAssertionInput
  | StateCountAssertionInput
  | OperationCountAssertionInput
  | OperationOrderAssertionInput
  | OperationArgumentsAssertionInput
  | OperationDeniedAssertionInput
  | EventCountAssertionInput
  | CallbackCountAssertionInput;
