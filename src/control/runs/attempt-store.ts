// The store of a hosted attempt: keeps every step of it in the catalog, and returns what its agent handed in.
//   RUN-ATTEMPT-STORE-1. Nothing is kept for a coordinator whose generation is not the run's any more.
//   RUN-ATTEMPT-STORE-2. An interaction's access has ended, and every call under it has been answered, before the attempt continues.
import { retry } from '../../async/retry.js';
import { unlessAborted } from '../../async/unless-aborted.js';
import { defined } from '../../contract/defined.js';
import { isServiceError } from '../../contract/errors.js';
import type { RunIdentity } from '../../contract/run/run.js';
import type { AttemptProgress, AttemptStart, PlayedStep, TimelineEnd, WorkResult } from '../../drills/attempt/attempt-environment.js';
import type { CapturedFile } from '../../drills/attempt/capture.js';
import type { AgentSubmission, AttemptStore, PendingInteraction } from '../../drills/attempt/hosted-attempt.js';
import type { WorldRef } from '../../worlds/api.js';
import type { Change } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';
import { operationWaitMs } from '../core/with-retry.js';
import { loadAttached } from './attachment-records.js';
import { awaitAgent, coordinationOf, endTimeline, markBegun, putRun, storeStep } from './changes.js';
import { timedOutIfOver } from './deadline.js';
import { ofRun, type RunRecord, runTable, stepTable } from './records.js';

export interface StoredAttempt {
  /** As this coordinator took it up. */
  record: RunRecord;
  identity(worldInstanceId: string): RunIdentity;
  leaving: AbortSignal;
}

/** Another coordinator has taken the run. */
export class FenceError extends Error {
  constructor(hostedRunId: string) {
    super(`the run ${hostedRunId} has another coordinator`);
    this.name = 'FenceError';
  }
}

export class RunAttemptStore implements AttemptStore {
  readonly played: AttemptProgress;
  readonly ended?: TimelineEnd;
  begun?: AttemptStart;
  readonly #services: ControlServices;
  readonly #part: StoredAttempt;
  readonly #hostedRunId: string;

  constructor(services: ControlServices, part: StoredAttempt) {
    this.#services = services;
    this.#part = part;
    const { run, begun, ended, pending } = part.record;
    this.#hostedRunId = run.hostedRunId;
    const steps = [...ofRun(services.catalog.view, stepTable, run.hostedRunId)].map(({ step }) => step);
    this.played = { steps, ...defined({ started: pending?.started }) };
    if (begun !== undefined) this.begun = begun;
    if (ended !== undefined) this.ended = ended;
  }

  async begin(begun: AttemptStart, world: WorldRef): Promise<void> {
    const identity = this.#part.identity(world.worldInstanceId);
    await this.change((tx, record, nowMs) => putRun(tx, markBegun(record, nowMs, { begun, identity }), nowMs));
    this.begun = begun;
  }

  async await(pending: PendingInteraction): Promise<AgentSubmission & Pick<WorkResult, 'unanswered'>> {
    const memory = this.#services.runMemory;
    // Before it can be reported.
    const next = memory.nextHandedIn(this.#hostedRunId);
    const { id: interactionId } = pending.interaction;
    const record = await this.change((tx, before, nowMs) => {
      if (before.pending?.handedIn === undefined) this.#services.operations.forgetStarts(tx, before.operationId);
      // An earlier incarnation has reported it already.
      if (before.pending?.interactionId === interactionId) return before;
      const noted = putRun(tx, awaitAgent(before, nowMs, pending), nowMs, { kind: 'interaction_awaited', interactionId });
      return timedOutIfOver(tx, noted, { nowMs });
    });
    if (record.pending?.handedIn !== undefined) memory.forget(this.#hostedRunId);
    const handedIn = record.pending?.handedIn ?? (await unlessAborted(next, this.#part.leaving, () => new Error('this incarnation ends')));
    await memory.close(this.#hostedRunId);
    const observed = memory.takeObserved(this.#hostedRunId) ? ({ bindingEvidence: 'observed' } as const) : {};
    return { ...handedIn, ...observed, unanswered: memory.takeUnanswered(this.#hostedRunId) };
  }

  async keep(step: PlayedStep): Promise<void> {
    const hostedRunId = this.#hostedRunId;
    await this.change((tx, record, nowMs) => {
      const kept = storeStep(record, nowMs);
      tx.put(stepTable, { hostedRunId, ordinal: kept.stepCount, step });
      return putRun(tx, kept, nowMs);
    });
  }

  async end(ended: TimelineEnd): Promise<TimelineEnd> {
    return await this.change((tx, record, nowMs) => {
      // A cancellation that was accepted holds, whether the attempt has seen it or not.
      const stands: TimelineEnd = record.run.termination === undefined ? ended : { ...ended, cancelled: true };
      putRun(tx, endTimeline(record, nowMs, stands), nowMs);
      return stands;
    });
  }

  attached(): Promise<CapturedFile[]> {
    return loadAttached(this.#services, this.#hostedRunId);
  }

  /** Of the run, as long as it is this coordinator's. A full disk is waited for. */
  async change<T>(work: (tx: Change, record: RunRecord, nowMs: number) => T): Promise<T> {
    const { catalog, nowMs } = this.#services;
    const isRetryable = (error: unknown): boolean => isServiceError(error, 'control.STORAGE_FULL');
    return await retry({ isRetryable, waitMs: operationWaitMs, signal: this.#part.leaving }, () =>
      catalog.change((tx) => work(tx, this.mine(tx), nowMs())),
    );
  }

  mine(tx: Change): RunRecord {
    const record = tx.get(runTable, this.#hostedRunId);
    const { generation } = coordinationOf(this.#part.record);
    if (record === undefined || coordinationOf(record).generation !== generation) throw new FenceError(this.#hostedRunId);
    return record;
  }
}
