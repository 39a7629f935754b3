// Long work that outlives its request and its process: recorded before it begins, carried on after a restart, shown as one resource.
//   OPERATIONS-1. An operation is recorded in the change that asks for it, and begins when that is durable.
//   OPERATIONS-2. Operations of one lane run one at a time, in the order they were recorded; lanes do not wait for each other.
//   OPERATIONS-3. What a runner did to the catalog and the operation's end commit together. After a crash the runner runs again from the
//     start, so what it does elsewhere must be done once by itself (a world's `operationKey`, an id chosen beforehand).
//   OPERATIONS-4. One that ends the process, or the host of its world, each time it is started is ended as failed after so many starts,
//     over all incarnations.
import type { LongRunningOperation, OperationKind } from '../../contract/hosted/operation.js';
import type { JsonValue } from '../../contract/json.js';
import type { Change } from '../catalog/tables.js';

export interface OperationRecord {
  operation: LongRunningOperation;
  /** What the runner needs to know beyond the resource. */
  input: JsonValue;
  lane: string;
  /** The correlation id of the request that asked for it. */
  correlationId: string;
  /** Of the span of that request, where there are traces: the operation's is its child, in whatever incarnation it runs. */
  traceparent?: string;
  /**
   * How often its runner was started since it last did no harm, counted on the disk before each start (operation-starts.ts). Absent: never.
   */
  starts?: number;
}
export interface CreateOperation {
  kind: OperationKind;
  organizationId: string;
  projectId: string;
  /** For worlds: `session:<sessionId>`. */
  lane: string;
  resource: { type: string; id: string };
  input: JsonValue;
  idempotencyKey: string;
  requestHash: string;
  correlationId: string;
}
export interface RunnerContext {
  /** Aborted when somebody cancels the operation; the runner ends as it can. */
  signal: AbortSignal;
  /** Aborted when this incarnation is to end. A runner that only waits for somebody outside then rejects with OperationSuspended. */
  leaving: AbortSignal;
  /** An earlier incarnation had it: what it was to make may be there already. */
  takenUp: boolean;
  /** Shown as `result` while the operation runs; not durable, and thinned. */
  progress(value: JsonValue): void;
}
/** The operation has not ended: the next incarnation runs it again. */
export class OperationSuspended extends Error {
  constructor() {
    super('the operation continues in the next incarnation');
    this.name = 'OperationSuspended';
  }
}
/** What a runner ends with: applied in the change that ends the operation. Its value is the operation's `result`. */
export type Ending = { state: 'succeeded' | 'cancelled'; apply(tx: Change): JsonValue };
/** A rejection ends the operation as failed, with the refusal as its error; `onFailure` then applies in the same change. */
export interface Runner {
  run(record: OperationRecord, context: RunnerContext): Promise<Ending>;
  onFailure?(tx: Change, record: OperationRecord, error: unknown): void;
  /** How often it is started at most when that ends the process, or the host of its world, each time. Default limits.operationStartsMax. */
  startsMax?: number;
  /** Applied in the change that cancels an operation which has not begun. */
  onCancel?(tx: Change, record: OperationRecord): void;
}

/** Operations of one kind that have not ended. */
export interface OperationFigure {
  kind: OperationKind;
  pending: number;
  running: number;
}

export interface Operations {
  /** Every kind has its runner before `resume` is called. */
  define(kind: OperationKind, runner: Runner): void;
  /** control.WORLD_BUSY when too many wait in the lane. */
  create(tx: Change, request: CreateOperation): LongRunningOperation;
  /** Of one that has not begun, in `tx`, at once; of one that runs, by its signal. control.STATE_CONFLICT when it has ended. */
  cancel(tx: Change, operationId: string): LongRunningOperation;
  /** It waits for somebody outside: its starts so far have done no harm, and are counted no more. */
  forgetStarts(tx: Change, operationId: string): void;
  /** As it stands now, with its latest progress; undefined until it is durable. */
  find(operationId: string): LongRunningOperation | undefined;
  /** Resolves when it has ended; for tests and for endpoints that wait a moment. */
  whenEnded(operationId: string): Promise<LongRunningOperation>;
  figures(): OperationFigure[];
  /** Takes up what an earlier incarnation left. */
  resume(): void;
  /** Starts nothing more; resolves when what runs has ended or `graceMs` are over. What is left continues in the next incarnation. */
  drain(graceMs: number): Promise<void>;
}
