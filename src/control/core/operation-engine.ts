// Runs operations, and owns what is in memory of them; operation-records.ts has their records, operations.ts the promises.
//   OPERATION-ENGINE-1. An operation is in its lane from the commit of its record until the commit of its end.
//   OPERATION-ENGINE-2. A start is on the disk before the runner starts. The first start of what runs at once is counted in the change that
//     records it, so it waits for no disk again; `running` is then written for what still runs after a while: a crash before that shows it
//     pending again.
//   OPERATION-ENGINE-3. An end that could not be written is written later: the runner does not run again for it.
import { within } from '../../async/deadline.js';
import { pause } from '../../async/pause.js';
import { backoffMs } from '../../async/retry.js';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { LongRunningOperation, OperationKind } from '../../contract/hosted/operation.js';
import { newId } from '../../contract/ids.js';
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { Tracing } from '../../tracing/tracing.js';
import type { Catalog } from '../catalog/catalog.js';
import { countOf, moveCount } from '../catalog/quotas.js';
import { type Change, everyListed } from '../catalog/tables.js';
import { isInterruption, isOwnFailure } from '../guard/interruptions.js';
import { type ControlMeter, silentMeter } from '../memory/control-meter.js';
import { tuning } from '../tuning.js';
import { type EndOperation, endingOf, type RunnerResult, shuttingDown } from './operation-ending.js';
import { type InLane, OperationLanes } from './operation-lanes.js';
import { hasEnded, moveOperation, operationTable, requireOperation, requireUnended } from './operation-records.js';
import { inOperationSpan } from './operation-span.js';
import { StartWriter } from './operation-start-writer.js';
import { asBegun, beginCounted, type CountedStart, forgetStarts, spent } from './operation-starts.js';
import type { CreateOperation, OperationFigure, OperationRecord, Operations, Runner } from './operations.js';
import { OperationSuspended } from './operations.js';
import type { ControlLog } from './services.js';

export interface OperationEngineOptions {
  catalog: Catalog;
  nowMs(): number;
  log: ControlLog;
  meter?: ControlMeter;
  tracing?: Tracing | undefined;
  /** First wait before something is tried again. */
  retryMs?: number;
  /** Applied in the change that ends one which was started too often. */
  onSpent?(tx: Change, record: OperationRecord): void;
}
/** An operation whose runner is at work in this incarnation. */
interface Live {
  record: OperationRecord;
  runner: Runner;
  takenUp: boolean;
  controller: AbortController;
  progress?: JsonValue;
  /** Its last start ended the host under it: that one stays counted. */
  isAtFault: boolean;
}
interface Waiter {
  resolve(operation: LongRunningOperation): void;
  reject(error: unknown): void;
}

export class OperationEngine implements Operations {
  readonly #catalog: Catalog;
  readonly #nowMs: () => number;
  readonly #log: ControlLog;
  readonly #meter: ControlMeter;
  readonly #tracing: Tracing | undefined;
  readonly #retryMs: number;
  readonly #onSpent: NonNullable<OperationEngineOptions['onSpent']>;
  readonly #runners = new Map<OperationKind, Runner>();
  readonly #lanes: OperationLanes;
  readonly #live = new Map<string, Live>();
  readonly #waiters = new Map<string, Waiter[]>();
  readonly #starts: StartWriter;
  /** `new` until resume. `over`: nothing that still ends in this incarnation is written. */
  #phase: 'new' | 'open' | 'draining' | 'over' = 'new';
  readonly #leaving = new AbortController();
  readonly #over = new AbortController();

  constructor(options: OperationEngineOptions) {
    const { catalog, nowMs, log, meter = silentMeter, tracing, retryMs = limits.operationRetryMs, onSpent = () => {} } = options;
    this.#catalog = catalog;
    this.#nowMs = nowMs;
    this.#log = log;
    this.#meter = meter;
    this.#tracing = tracing;
    this.#retryMs = retryMs;
    this.#onSpent = onSpent;
    this.#starts = new StartWriter({
      catalog,
      nowMs,
      log,
      startsMaxOf: (kind) => this.#runnerOf(kind).startsMax ?? limits.operationStartsMax,
      isOpen: () => this.#phase === 'open',
      isOver: () => this.#phase === 'over',
      wait: (tries) => this.#wait(tries),
    });
    this.#lanes = new OperationLanes({
      isOpen: () => this.#phase === 'open',
      carryOut: (entry) => this.#carryOut(entry),
      // The start of the first may have been counted with its record.
      left: (entries) => this.#starts.uncount(takeCounted(entries)),
      detached: (work) => tracing?.detached(work) ?? work(),
    });
  }

  define(kind: OperationKind, runner: Runner): void {
    if (this.#runners.has(kind)) throw new Error(`${kind} has two runners`);
    this.#runners.set(kind, runner);
  }

  create(tx: Change, request: CreateOperation): LongRunningOperation {
    const { kind, organizationId, projectId, lane, resource, input, idempotencyKey, requestHash, correlationId } = request;
    this.#runnerOf(kind);
    if (countOf(tx, laneCount(lane)) >= limits.lanePendingMax) {
      throw new ServiceError('control.WORLD_BUSY', {
        message: `At most ${limits.lanePendingMax} operations of one resource may wait.`,
        retryAfterMs: limits.unavailableRetryAfterMs,
      });
    }
    const nowMs = this.#nowMs();
    const operation: LongRunningOperation = {
      schemaVersion: 1,
      operationId: newId('op'),
      organizationId,
      projectId,
      kind,
      state: 'pending',
      idempotencyKey,
      requestHash,
      resourceType: resource.type,
      resourceId: resource.id,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    moveCount(tx, laneCount(lane), 1);
    const isCounted = this.#phase === 'open' && this.#lanes.isEmpty(lane);
    const traceparent = this.#tracing?.traceparent();
    const traced = defined({ traceparent });
    tx.put(operationTable, { operation, input, lane, correlationId, ...traced, ...(isCounted ? { starts: 1 } : {}) });
    // Before `resume` nothing runs, and it finds this one on the disk.
    const waiting = { operationId: operation.operationId, kind, isCounted, takenUp: false };
    tx.afterCommit(() => this.#phase === 'open' && this.#lanes.enter(lane, waiting));
    return operation;
  }

  cancel(tx: Change, operationId: string): LongRunningOperation {
    const record = requireOperation(tx.get(operationTable, operationId));
    requireUnended(record.operation);
    const nowMs = this.#nowMs();
    const live = this.#live.get(operationId);
    const asked: LongRunningOperation = { ...asBegun(record.operation, live?.record), cancelRequestedAtMs: nowMs, updatedAtMs: nowMs };
    if (asked.state === 'pending' && live === undefined) {
      this.#runnerOf(asked.kind).onCancel?.(tx, record);
      const cancelled = moveOperation(asked, 'cancelled', nowMs);
      this.#putEnd(tx, record, cancelled);
      tx.afterCommit(() => this.#ended(record.lane, cancelled));
      return cancelled;
    }
    if (record.operation.cancelRequestedAtMs !== undefined) return record.operation;
    tx.put(operationTable, { ...record, operation: asked });
    tx.afterCommit(() => this.#live.get(operationId)?.controller.abort());
    return asked;
  }

  forgetStarts(tx: Change, operationId: string): void {
    forgetStarts(tx, operationId);
  }

  find(operationId: string): LongRunningOperation | undefined {
    const record = this.#catalog.view.get(operationTable, operationId);
    const live = this.#live.get(operationId);
    if (record === undefined || live === undefined || hasEnded(record.operation)) return record?.operation;
    const begun = asBegun(record.operation, live.record);
    return live.progress === undefined ? begun : { ...begun, result: live.progress };
  }

  async whenEnded(operationId: string): Promise<LongRunningOperation> {
    const { operation } = requireOperation(this.#catalog.view.get(operationTable, operationId));
    if (hasEnded(operation)) return operation;
    if (this.#phase === 'over') throw shuttingDown();
    const others = this.#waiters.get(operationId) ?? [];
    return new Promise((resolve, reject) => this.#waiters.set(operationId, [...others, { resolve, reject }]));
  }

  figures(): OperationFigure[] {
    const figures = new Map([...this.#runners.keys()].map((kind) => [kind, { kind, pending: 0, running: 0 }]));
    for (const { operationId, kind } of this.#lanes.entries()) figures.get(kind)![this.#live.has(operationId) ? 'running' : 'pending'] += 1;
    return [...figures.values()];
  }

  resume(): void {
    this.#phase = 'open';
    const onDamage = (operationId: string, err: unknown): void =>
      this.#log.error('what is stored of an operation is damaged; it is not taken up', { operationId, err });
    for (const { lane, operation } of everyListed(this.#catalog.view, operationTable, { index: 'unfinished', prefix: [], onDamage })) {
      const { operationId, kind } = operation;
      this.#lanes.enter(lane, { operationId, kind, isCounted: false, takenUp: true });
    }
  }

  async drain(graceMs: number): Promise<void> {
    if (this.#phase === 'over') return;
    this.#phase = 'draining';
    this.#leaving.abort();
    await within(graceMs, this.#lanes.ended());
    this.#phase = 'over';
    this.#over.abort();
    const atWork = [...this.#live.values()].filter(({ isAtFault }) => !isAtFault).map(({ record }) => record.operation);
    await this.#starts.uncount([...atWork, ...takeCounted(this.#lanes.entries())]);
    // Each uncounts its own.
    await this.#starts.settled();
    for (const waiters of this.#waiters.values()) for (const { reject } of waiters) reject(shuttingDown());
    this.#waiters.clear();
  }

  async #carryOut(entry: InLane): Promise<void> {
    const { operationId, isCounted } = entry;
    entry.isCounted = false;
    const started = isCounted ? beginCounted(this.#catalog.view, operationId, this.#nowMs()) : await this.#starts.begin(operationId);
    if (started === undefined) return;
    const noted = isCounted ? this.#starts.noteRunningLater(started.record) : undefined;
    await inOperationSpan(this.#tracing, started.record, () => this.#runToEnd(entry, started));
    clearTimeout(noted);
  }

  /** Undefined: it was left for the next incarnation. */
  async #runToEnd({ takenUp }: InLane, { record, isSpent }: CountedStart): Promise<LongRunningOperation | undefined> {
    const { operationId, kind, cancelRequestedAtMs } = record.operation;
    const live: Live = { record, runner: this.#runnerOf(kind), takenUp, controller: new AbortController(), isAtFault: false };
    this.#live.set(operationId, live);
    if (cancelRequestedAtMs !== undefined) live.controller.abort();
    const result = isSpent ? this.#spent(live, record) : await this.#run(live);
    const ended = result && (await this.#end(live, result));
    this.#live.delete(operationId);
    if (ended !== undefined) this.#ended(record.lane, ended);
    // Where this incarnation is over, `drain` has done so.
    else if (this.#phase !== 'over' && !live.isAtFault) await this.#starts.uncount([record.operation]);
    return ended;
  }

  /** Undefined: it was left for the next incarnation. */
  async #run(live: Live): Promise<RunnerResult | undefined> {
    const { record, runner, takenUp, controller } = live;
    const { operationId } = record.operation;
    const progress = (value: JsonValue): void => {
      live.progress = value;
    };
    let interruptions = 0;
    for (let runs = 1; ; runs++) {
      try {
        return await runner.run(record, { signal: controller.signal, leaving: this.#leaving.signal, takenUp, progress });
      } catch (error) {
        if (error instanceof OperationSuspended) return undefined;
        const isOwn = isOwnFailure(error);
        if (!isOwn && (!isInterruption(error) || ++interruptions > limits.operationInterruptionsMax)) return { error };
        live.isAtFault = isOwn;
        if (this.#phase === 'over') return undefined;
        await this.#wait(runs);
        const again = isOwn ? await this.#starts.begin(operationId) : undefined;
        if (isOwn && again === undefined) return undefined;
        live.isAtFault = false;
        if (again?.isSpent) return this.#spent(live, again.record, error);
      }
    }
  }

  /** It was started as often as it may be. */
  #spent(live: Live, record: OperationRecord, cause?: unknown): RunnerResult {
    const { runner } = live;
    live.runner = {
      ...runner,
      onFailure: (tx, ended, error) => {
        runner.onFailure?.(tx, ended, error);
        this.#onSpent(tx, ended);
      },
    };
    return { error: spent(record, cause) };
  }

  /** Writes the end, as often as it takes. Undefined: this incarnation is over, the next one runs it again. */
  async #end({ record, runner }: Live, result: RunnerResult): Promise<LongRunningOperation | undefined> {
    const { correlationId, operation } = record;
    const about = { operationId: operation.operationId, correlationId };
    if ('error' in result && !(result.error instanceof ServiceError)) this.#log.error('a runner threw', { ...about, err: result.error });
    let end = endingOf(record, runner, result);
    for (let tries = 1; this.#phase !== 'over'; tries++) {
      let broken = false;
      const apply = (tx: Change): LongRunningOperation => {
        try {
          return this.#applyEnd(tx, record, end);
        } catch (error) {
          broken = true;
          throw error;
        }
      };
      try {
        return await this.#catalog.change(apply);
      } catch (error) {
        this.#log[broken ? 'error' : 'warn']('the end of an operation was not written', { ...about, err: error });
        if (broken) end = end.otherwise(error);
        // Its own ending and its failure may both be broken: after that only the disk can be in the way.
        if (!broken || tries > 2) await this.#wait(tries);
      }
    }
    return undefined;
  }

  #applyEnd(tx: Change, begun: OperationRecord, { state, apply }: EndOperation): LongRunningOperation {
    const nowMs = this.#nowMs();
    const record = requireOperation(tx.get(operationTable, begun.operation.operationId));
    const { cancelRequestedAtMs } = record.operation;
    // The record may not know that it began: that write may have failed.
    const running: LongRunningOperation = { ...begun.operation, ...defined({ cancelRequestedAtMs }) };
    const ended: LongRunningOperation = { ...moveOperation(running, state, nowMs), ...apply(tx, record) };
    this.#putEnd(tx, record, ended);
    return ended;
  }

  #putEnd(tx: Change, record: OperationRecord, operation: LongRunningOperation): void {
    moveCount(tx, laneCount(record.lane), -1);
    tx.put(operationTable, { ...record, operation });
  }

  /** Longer each time; over at once when this incarnation is. */
  async #wait(tries: number): Promise<void> {
    const maxMs = Math.min(limits.operationRetryMaxMs, this.#retryMs * tuning.operationWaitGrowthMax);
    await pause(backoffMs({ firstMs: this.#retryMs, maxMs }, tries), this.#over.signal);
  }

  #ended(lane: string, operation: LongRunningOperation): void {
    this.#lanes.leave(lane, operation.operationId);
    const waiters = this.#waiters.get(operation.operationId) ?? [];
    this.#waiters.delete(operation.operationId);
    for (const { resolve } of waiters) resolve(operation);
    this.#meter.operationEnded(operation);
  }

  #runnerOf(kind: OperationKind): Runner {
    const runner = this.#runners.get(kind);
    if (runner === undefined) throw new Error(`${kind} has no runner`);
    return runner;
  }
}

/** Those whose next start is on the disk though they have not begun; each is returned once. */
function takeCounted(entries: Iterable<InLane>): InLane[] {
  const counted = [...entries].filter(({ isCounted }) => isCounted);
  for (const entry of counted) entry.isCounted = false;
  return counted;
}

const laneCount = (lane: string): string => `lane ${lane}`;
