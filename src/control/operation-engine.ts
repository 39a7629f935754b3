// Runs operations: lanes, beginnings, endings, cancellation, what a new life takes up. Owns what is in memory of them; the records are the
// catalog's (operation-records.ts). operations.ts has the promises.
//   E1. An operation is in its lane from the commit of its record until the commit of its end.
//   E2. `running` is written without waiting for the disk: a crash before that shows it pending again, and it had done nothing but what
//       its runner can do again.
//   E3. An end that could not be written is written later: the runner does not run again for it.
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { Operation, OperationKind } from '../contract/operation.js';
import type { Catalog } from './catalog.js';
import { type EndOperation, endingOf, type RunnerResult } from './operation-ending.js';
import { hasEnded, moveOperation, operationTable, requireUnended } from './operation-records.js';
import { type CreateOperation, LeftForNextLife, type OperationRecord, type Operations, type Runner } from './operations.js';
import { countOf, moveCount } from './quotas.js';
import type { ControlLog } from './services.js';
import type { Change } from './tables.js';

export interface OperationEngineOptions {
  catalog: Catalog;
  nowMs(): number;
  log: ControlLog;
  /** First wait before something is tried again. */
  retryMs?: number;
}
/** An operation whose runner is at work in this life. */
interface Live {
  record: OperationRecord;
  runner: Runner;
  controller: AbortController;
  progress?: JsonValue;
}
interface Waiter {
  resolve(operation: Operation): void;
  reject(error: unknown): void;
}

export class OperationEngine implements Operations {
  readonly #catalog: Catalog;
  readonly #nowMs: () => number;
  readonly #log: ControlLog;
  readonly #retryMs: number;
  readonly #runners = new Map<OperationKind, Runner>();
  /** Ids by lane, in order; the first is at work. */
  readonly #lanes = new Map<string, string[]>();
  readonly #live = new Map<string, Live>();
  readonly #atWork = new Set<Promise<void>>();
  readonly #waiters = new Map<string, Waiter[]>();
  /** `new` until resume. `over`: nothing that still ends in this life is written. */
  #phase: 'new' | 'open' | 'draining' | 'over' = 'new';
  readonly #leaving = new AbortController();
  readonly #over = new AbortController();

  constructor({ catalog, nowMs, log, retryMs = limits.operationRetryMs }: OperationEngineOptions) {
    this.#catalog = catalog;
    this.#nowMs = nowMs;
    this.#log = log;
    this.#retryMs = retryMs;
  }

  define(kind: OperationKind, runner: Runner): void {
    if (this.#runners.has(kind)) throw new Error(`${kind} has two runners`);
    this.#runners.set(kind, runner);
  }

  create(tx: Change, request: CreateOperation): Operation {
    const { kind, organizationId, projectId, lane, resource, input, idempotencyKey, requestHash, correlationId } = request;
    this.#runnerOf(kind);
    if (countOf(tx, laneCount(lane)) >= limits.lanePendingMax) {
      throw new ServiceError('control.WORLD_BUSY', {
        message: `At most ${limits.lanePendingMax} operations of one resource may wait.`,
        retryAfterMs: limits.unavailableRetryAfterMs,
      });
    }
    const nowMs = this.#nowMs();
    const operation: Operation = {
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
    tx.put(operationTable, { operation, input, lane, correlationId });
    // Before `resume` nothing runs, and it finds this one on the disk.
    tx.afterCommit(() => this.#phase === 'open' && this.#enter(lane, operation.operationId));
    return operation;
  }

  cancel(tx: Change, operationId: string): Operation {
    const record = requireOperation(tx.get(operationTable, operationId));
    requireUnended(record.operation);
    const nowMs = this.#nowMs();
    const asked: Operation = { ...record.operation, cancelRequestedAtMs: nowMs, updatedAtMs: nowMs };
    if (asked.state === 'pending' && !this.#live.has(operationId)) {
      this.#runnerOf(asked.kind).onCancel?.(tx, record);
      const cancelled = moveOperation(asked, 'cancelled', nowMs);
      this.#putEnd(tx, record, cancelled);
      tx.afterCommit(() => this.#tellEnd(cancelled));
      return cancelled;
    }
    if (record.operation.cancelRequestedAtMs !== undefined) return record.operation;
    tx.put(operationTable, { ...record, operation: asked });
    tx.afterCommit(() => this.#live.get(operationId)?.controller.abort());
    return asked;
  }

  find(operationId: string): Operation | undefined {
    const record = this.#catalog.view.get(operationTable, operationId);
    const live = this.#live.get(operationId);
    if (record === undefined || live === undefined || hasEnded(record.operation)) return record?.operation;
    const { startedAtMs, state } = live.record.operation;
    const begun: Operation = { ...record.operation, state, ...(startedAtMs === undefined ? {} : { startedAtMs }) };
    return live.progress === undefined ? begun : { ...begun, result: live.progress };
  }

  async whenEnded(operationId: string): Promise<Operation> {
    const { operation } = requireOperation(this.#catalog.view.get(operationTable, operationId));
    if (hasEnded(operation)) return operation;
    if (this.#phase === 'over') throw shuttingDown();
    return new Promise((resolve, reject) => this.#waiters.set(operationId, [...(this.#waiters.get(operationId) ?? []), { resolve, reject }]));
  }

  resume(): void {
    this.#phase = 'open';
    let after: string | undefined;
    do {
      const page = this.#catalog.view.list(operationTable, {
        index: 'unfinished',
        prefix: [],
        limit: limits.purgeRecordsMax,
        ...(after === undefined ? {} : { after }),
      });
      for (const { lane, operation } of page.records) this.#enter(lane, operation.operationId);
      after = page.next;
    } while (after !== undefined);
  }

  async drain(graceMs: number): Promise<void> {
    if (this.#phase === 'over') return;
    this.#phase = 'draining';
    this.#leaving.abort();
    const done = new AbortController();
    await Promise.race([Promise.all(this.#atWork), pause(graceMs, undefined, { signal: done.signal }).catch(() => {})]);
    done.abort();
    this.#phase = 'over';
    this.#over.abort();
    for (const waiters of this.#waiters.values()) for (const { reject } of waiters) reject(shuttingDown());
    this.#waiters.clear();
  }

  #enter(lane: string, operationId: string): void {
    const waiting = this.#lanes.get(lane);
    if (waiting !== undefined) {
      waiting.push(operationId);
      return;
    }
    const ids = [operationId];
    this.#lanes.set(lane, ids);
    const work = this.#workOff(lane, ids).finally(() => this.#atWork.delete(work));
    this.#atWork.add(work);
  }

  async #workOff(lane: string, ids: string[]): Promise<void> {
    for (; ids.length > 0 && this.#phase === 'open'; ids.shift()) await this.#carryOut(ids[0]!);
    this.#lanes.delete(lane);
  }

  async #carryOut(operationId: string): Promise<void> {
    const record = this.#begin(operationId);
    if (record === undefined) return;
    const live: Live = { record, runner: this.#runnerOf(record.operation.kind), controller: new AbortController() };
    this.#live.set(operationId, live);
    if (record.operation.cancelRequestedAtMs !== undefined) live.controller.abort();
    const result = await this.#run(live);
    const ended = result && (await this.#end(live, result));
    this.#live.delete(operationId);
    if (ended !== undefined) this.#tellEnd(ended);
  }

  /** Undefined for one that was cancelled while it waited. */
  #begin(operationId: string): OperationRecord | undefined {
    let begun: OperationRecord | undefined;
    const written = this.#catalog.change((tx) => {
      const record = tx.get(operationTable, operationId);
      if (record === undefined || hasEnded(record.operation)) return;
      begun = record;
      if (record.operation.state === 'running') return;
      begun = { ...record, operation: moveOperation(record.operation, 'running', this.#nowMs()) };
      tx.put(operationTable, begun);
    });
    written.catch((error) => this.#log.warn('the beginning of an operation was not written', { operationId, error: String(error) }));
    return begun;
  }

  /** Undefined: it was left for the next life. */
  async #run({ record, runner, controller: { signal } }: Live): Promise<RunnerResult | undefined> {
    const { operationId } = record.operation;
    const progress = (value: JsonValue): void => {
      const live = this.#live.get(operationId);
      if (live !== undefined) live.progress = value;
    };
    for (let runs = 1; ; runs++) {
      try {
        return await runner.run(record, { signal, leaving: this.#leaving.signal, progress });
      } catch (error) {
        if (error instanceof LeftForNextLife) return undefined;
        const isSmallCrash = error instanceof ServiceError && error.code === 'world.ACTOR_RESTARTED';
        if (!isSmallCrash || runs === limits.operationRunsMax || this.#phase === 'over') return { error };
        await this.#wait(runs);
      }
    }
  }

  /** Writes the end, as often as it takes. Undefined: this life is over, the next one runs it again. */
  async #end({ record, runner }: Live, result: RunnerResult): Promise<Operation | undefined> {
    const { correlationId, operation } = record;
    const about = { operationId: operation.operationId, correlationId };
    if ('error' in result && !(result.error instanceof ServiceError)) this.#log.error('a runner threw', { ...about, err: result.error });
    let end = endingOf(record, runner, result);
    for (let tries = 1; this.#phase !== 'over'; tries++) {
      let broken = false;
      const apply = (tx: Change): Operation => {
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

  #applyEnd(tx: Change, begun: OperationRecord, { state, apply }: EndOperation): Operation {
    const nowMs = this.#nowMs();
    const record = requireOperation(tx.get(operationTable, begun.operation.operationId));
    const { cancelRequestedAtMs } = record.operation;
    // The record may not know that it began: that write may have failed.
    const running: Operation = { ...begun.operation, ...(cancelRequestedAtMs === undefined ? {} : { cancelRequestedAtMs }) };
    const ended: Operation = { ...moveOperation(running, state, nowMs), ...apply(tx, record) };
    this.#putEnd(tx, record, ended);
    return ended;
  }

  #putEnd(tx: Change, record: OperationRecord, operation: Operation): void {
    moveCount(tx, laneCount(record.lane), -1);
    tx.put(operationTable, { ...record, operation });
  }

  /** Longer each time; over at once when this life is. */
  async #wait(tries: number): Promise<void> {
    const ms = Math.min(this.#retryMs * 2 ** (tries - 1), limits.operationRetryMaxMs);
    await pause(ms, undefined, { signal: this.#over.signal }).catch(() => {});
  }

  #tellEnd(operation: Operation): void {
    const waiters = this.#waiters.get(operation.operationId) ?? [];
    this.#waiters.delete(operation.operationId);
    for (const { resolve } of waiters) resolve(operation);
  }

  #runnerOf(kind: OperationKind): Runner {
    const runner = this.#runners.get(kind);
    if (runner === undefined) throw new Error(`${kind} has no runner`);
    return runner;
  }
}

const laneCount = (lane: string): string => `lane ${lane}`;
const shuttingDown = (): ServiceError =>
  new ServiceError('control.UNAVAILABLE', {
    message: 'The server shuts down; the operation goes on in its next life.',
    retryAfterMs: limits.unavailableRetryAfterMs,
  });

function requireOperation(record: OperationRecord | undefined): OperationRecord {
  if (record === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such operation.' });
  return record;
}
