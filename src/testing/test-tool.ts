// One tool of a world as a test sees it: called by one actor, with what the tool's types say of operations and rows; looked into; broken.
import type { JsonObject, JsonValue } from '../contract/json.js';
import type { EvidenceEntry, OperationEntry, ToolOutcome } from '../contract/world/evidence.js';
import type { LocalWorld } from '../local-world.js';
import type { ToolTypes } from '../tools/sdk.js';

// biome-ignore lint/suspicious/noExplicitAny: where a tool's types do not say, the tool's schemas do, when it is called
type Untyped = any;
type Operations<T extends ToolTypes> = T extends { operations: infer O extends object }
  ? O
  : { [operationId: string]: { input: Untyped; output: Untyped } };
export type Rows<T extends ToolTypes> = T extends { state: infer S extends object } ? S : { [namespace: string]: Untyped };
type OperationId<T extends ToolTypes> = keyof Operations<T> & string;
type Input<T extends ToolTypes, O> = O extends keyof Operations<T> ? (Operations<T>[O] extends { input: infer I } ? I : never) : never;
type Output<T extends ToolTypes, O> = O extends keyof Operations<T> ? (Operations<T>[O] extends { output: infer V } ? V : never) : never;
type Namespace<T extends ToolTypes> = keyof Rows<T> & string;

export interface ToolCallOptions {
  idempotencyKey?: string;
}
export interface RecordedCall {
  operationId: string;
  actorId: string;
  arguments: JsonValue;
  /** What the caller received. */
  outcome: ToolOutcome;
  idempotency: OperationEntry['idempotency'];
  virtualTimeUs: number;
  /** Of its entry in the evidence. */
  sequence: number;
}
/** Which tool, and as whom. */
export interface ToolChoice {
  actorId: string;
  actorInstanceId?: string;
  /** Default: the package's own. */
  instanceId?: string;
}
export interface TestTool<T extends ToolTypes = ToolTypes> {
  readonly packageId: string;
  /** Resolves with the value; rejects with a ToolCallError where the outcome is not ok. */
  call<O extends OperationId<T>>(operationId: O, input: Input<T, O>, options?: ToolCallOptions): Promise<Output<T, O>>;
  /** The same, with the outcome as a value whatever it is. */
  outcome<O extends OperationId<T>>(operationId: O, input: Input<T, O>, options?: ToolCallOptions): Promise<ToolOutcome>;
  /** What everybody called of it, in order. */
  calls(operationId?: OperationId<T>): Promise<RecordedCall[]>;
  /** Its rows by id. */
  state<N extends Namespace<T>>(namespace: N): Promise<{ [rowId: string]: Rows<T>[N] }>;
  row<N extends Namespace<T>>(namespace: N, rowId: string): Promise<Rows<T>[N] | undefined>;
  /** Switches one of its declared faults, on by default. */
  fault(faultId: string, active?: boolean): Promise<void>;
}

/** A call that was answered with anything but ok. */
export class ToolCallError extends Error {
  /** The tool's own, such as NOT_FOUND. */
  readonly code: string;
  readonly outcome: ToolOutcome;

  constructor(call: string, outcome: Exclude<ToolOutcome, { kind: 'ok' }>) {
    super(`${call} was answered ${outcome.kind}: ${outcome.error.code}, ${outcome.error.message}`);
    this.name = 'ToolCallError';
    this.code = outcome.error.code;
    this.outcome = outcome;
  }
}

export function testTool<T extends ToolTypes>(local: LocalWorld, packageId: string, choice: ToolChoice): TestTool<T> {
  const { instanceId, ...actor } = choice;
  const instance = instanceId === undefined ? {} : { instanceId };
  const outcome = async (operationId: string, input: unknown, { idempotencyKey }: ToolCallOptions = {}): Promise<ToolOutcome> => {
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    return (await local.call({ ...actor, packageId, ...instance, operationId, arguments: input as JsonValue, ...key })).outcome;
  };
  return {
    packageId,
    outcome,
    call: async <O extends OperationId<T>>(operationId: O, input: Input<T, O>, options?: ToolCallOptions) => {
      const answered = await outcome(operationId, input, options);
      if (answered.kind !== 'ok') throw new ToolCallError(`${packageId}/${operationId}`, answered);
      return answered.value as Output<T, O>;
    },
    calls: async (operationId) => {
      const calls: RecordedCall[] = [];
      for await (const entry of local.evidence()) {
        if (isCallOf(entry, packageId, instanceId) && (operationId ?? entry.invocation.operationId) === entry.invocation.operationId)
          calls.push(recorded(entry));
      }
      return calls;
    },
    state: async <N extends Namespace<T>>(namespace: N) => {
      const rows: [string, JsonObject][] = [];
      for await (const { rowId, value } of local.state({ packageId, ...instance, namespace })) rows.push([rowId, value]);
      return Object.fromEntries(rows) as { [rowId: string]: Rows<T>[N] };
    },
    row: async <N extends Namespace<T>>(namespace: N, rowId: string) =>
      ((await local.row({ packageId, ...instance, namespace }, rowId)) ?? undefined) as Rows<T>[N] | undefined,
    fault: async (faultId, active = true) =>
      void (await local.world.command({ kind: 'setFault', packageId, ...instance, faultId, active })),
  };
}

function isCallOf(entry: EvidenceEntry, packageId: string, instanceId = packageId): entry is OperationEntry {
  return entry.kind === 'operation' && entry.invocation.packageId === packageId && entry.invocation.instanceId === instanceId;
}

function recorded({ invocation, actorId, outcome, idempotency, virtualTimeUs, sequence }: OperationEntry): RecordedCall {
  return { operationId: invocation.operationId, actorId, arguments: invocation.arguments, outcome, idempotency, virtualTimeUs, sequence };
}
