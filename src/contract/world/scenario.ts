// Scenarios: what a world starts from. `Scenario` is the materialized form, every default present;
// `ScenarioInput` is what an author may write.
import type { JsonObject, JsonValue } from '../json.js';
import type { Description, DottedId, PositiveCount, ProviderErrorCode, RowId, Slug, Title, VirtualUs } from '../primitives.js';
import type { tags } from '../tags.js';

export interface Grant {
  packageId: Slug;
  instanceId?: Slug;
  operationId: DottedId;
}

export interface ScenarioActor {
  id: Slug;
  instanceId?: Slug;
  /** Plain text for authoring and inspection, never a prompt or a permission. */
  description?: Description;
  attributes: JsonObject;
  grants: Grant[];
}

export interface StateUpsert {
  action: 'upsert';
  packageId: Slug;
  instanceId?: Slug;
  namespace: Slug;
  rowId: RowId;
  /** Replaces the entire record. */
  value: JsonObject;
}
export interface StateDelete {
  action: 'delete';
  packageId: Slug;
  instanceId?: Slug;
  namespace: Slug;
  rowId: RowId;
}
export type StatePatch = StateUpsert | StateDelete;

export interface FaultSelection {
  packageId: Slug;
  instanceId?: Slug;
  faultId: Slug;
}

export interface EventRef {
  packageId: Slug;
  instanceId?: Slug;
  eventId: DottedId;
}

export interface InitialEvent {
  event: EventRef;
  payload: JsonObject;
  atUs: VirtualUs;
  actorId: Slug;
  actorInstanceId?: Slug;
}

export interface OperationRef {
  packageId: Slug;
  instanceId?: Slug;
  operationId: DottedId;
}

export interface OverrideReturn {
  kind: 'return';
  value: JsonValue;
}
export interface OverrideError {
  kind: 'error';
  code: ProviderErrorCode;
  message: string & tags.MinLength<1> & tags.MaxLength<1000>;
  retryable?: boolean;
}
export interface OverrideOriginal {
  kind: 'original';
}
export type OverrideOutcome = OverrideReturn | OverrideError | OverrideOriginal;

export interface ToolOverride {
  id: Slug;
  operation: OperationRef;
  /** All given parts must match; `arguments` matches when each named member is deeply equal. */
  when?: { arguments?: JsonObject; actorId?: Slug; actorInstanceId?: Slug };
  outcome: OverrideOutcome;
  times?: PositiveCount;
}

export interface Scenario {
  schemaVersion: 1;
  id: Slug;
  title?: Title;
  virtualTimeUs?: VirtualUs;
  actors: ScenarioActor[];
  state: StatePatch[];
  faults: FaultSelection[];
  initialEvents: InitialEvent[];
  toolOverrides?: ToolOverride[] & tags.MaxItems<1000>;
}

export interface ScenarioActorInput
  extends Omit<ScenarioActor, 'attributes' | 'grants'>,
    Partial<Pick<ScenarioActor, 'attributes' | 'grants'>> {}

export interface ScenarioInput extends Omit<Scenario, 'actors' | 'state' | 'faults' | 'initialEvents'> {
  actors?: ScenarioActorInput[];
  state?: StatePatch[];
  faults?: FaultSelection[];
  initialEvents?: InitialEvent[];
}

/**
 * What a world starts from, complete: the world baseline with a scenario's layer, or an inline scenario alone. `setupHash` is its digest.
 */
export interface WorldSetup {
  virtualTimeUs: VirtualUs;
  actors: ScenarioActor[];
  state: StatePatch[];
  faults: FaultSelection[];
  initialEvents: InitialEvent[];
  /** By scope, highest first in force: run > drill > scenario > world. */
  toolOverrides: { scope: OverrideScope; rules: ToolOverride[] }[];
}
export type OverrideScope = 'run' | 'drill' | 'scenario' | 'world';
