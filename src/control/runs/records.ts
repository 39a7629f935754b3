// Hosted runs as they lie in the catalog: the resource, what a coordinator needs to continue with it, and apart from it what grows or is
// large: the steps it has played, what happened to it, its result.
import { ServiceError } from '../../contract/errors.js';
import type { WorldSession } from '../../contract/hosted/resources.js';
import type { RunActivity } from '../../contract/hosted/runs.js';
import { limits } from '../../contract/limits.js';
import type { BindingEvidence, HostedRun, RunResult } from '../../contract/run/run.js';
import type { AttemptStart, PlayedStep, StepStart, TimelineEnd } from '../../drills/attempt/attempt-environment.js';
import type { AgentSubmission } from '../../drills/attempt/hosted-attempt.js';
import { defineTable, everyListed, type Table, type View } from '../catalog/tables.js';

export interface RunRecord {
  /** Without its result, which lies apart. */
  run: Omit<HostedRun, 'result'>;
  operationId: string;
  createdBy: string;
  /** Of the making of its world, where they are not 1: a rerun's world is made the same. */
  madeFor?: Pick<WorldSession, 'trial' | 'attempt'>;
  /** Where the world stood when the run began; absent until then. */
  begun?: AttemptStart;
  /** How its timeline ended; absent until then. */
  ended?: TimelineEnd;
  /** Of the interaction after the last kept step, from when its agent is awaited until the step is kept. */
  pending?: PendingRecord;
  stepCount: number;
  activityCount: number;
  attachments: { count: number; bytes: number };
}
export interface PendingRecord {
  interactionId: string;
  started: StepStart;
  /** What is known to have been issued or used of access to it. */
  bindingEvidence: BindingEvidence;
  /** Present once it has ended; then nobody is awaited any more. */
  handedIn?: AgentSubmission;
}

export const runTable = defineTable<RunRecord>({
  name: 'run',
  idOf: ({ run }) => run.hostedRunId,
  // Ids rise with time, so every index lists in the order of creation.
  indexes: {
    byProject: ({ run }) => [run.projectId],
    byProjectState: ({ run }) => [run.projectId, run.state],
    bySession: ({ run }) => [run.projectId, run.sessionId],
    byEnvironment: ({ run }) => [run.projectId, run.environmentId],
    byDrill: ({ run }) => [run.projectId, run.request.drillId],
    byEnd: ({ run: { finishedAtMs, evidenceRetentionMs } }) =>
      finishedAtMs === undefined ? undefined : [finishedAtMs + Math.max(limits.endedRunKeptMs, evidenceRetentionMs)],
    unended: ({ run: { finishedAtMs } }) => (finishedAtMs === undefined ? [] : undefined),
    // Only while somebody is awaited: nothing else waits for a deadline.
    byDeadline: ({ run, pending }) => (pending !== undefined && pending.handedIn === undefined ? [run.deadlineAtMs] : undefined),
  },
});

/** One interaction as it was played, in order: what a coordinator of another incarnation begins with. Gone once the run has its result. */
export interface StepRecord {
  hostedRunId: string;
  /** From 1. */
  ordinal: number;
  step: PlayedStep;
}
export const stepTable = defineTable<StepRecord>({
  name: 'run-step',
  idOf: ({ hostedRunId, ordinal }) => stepId(hostedRunId, ordinal),
  indexes: { byRun: ({ hostedRunId, ordinal }) => [hostedRunId, ordinal] },
});
export const stepId = (hostedRunId: string, ordinal: number): string => `${hostedRunId}.${ordinal}`;

export const runResultTable = defineTable<{ hostedRunId: string; result: RunResult }>({
  name: 'run-result',
  idOf: ({ hostedRunId }) => hostedRunId,
  indexes: {},
});

export const activityTable = defineTable<RunActivity>({
  name: 'run-activity',
  idOf: ({ hostedRunId, ordinal }) => `${hostedRunId}.${ordinal}`,
  indexes: { byRun: ({ hostedRunId, ordinal }) => [hostedRunId, ordinal] },
});

/** A run as its project sees it. control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireRun(view: View, place: { organizationId: string; projectId: string; hostedRunId: string }): RunRecord {
  const record = view.get(runTable, place.hostedRunId);
  if (record !== undefined && record.run.organizationId === place.organizationId && record.run.projectId === place.projectId) return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such run.' });
}

/** control.VERSION_CONFLICT with the present one in `details`. */
export function requireRevision({ run: { revision } }: RunRecord, expected: number): void {
  if (revision === expected) return;
  throw new ServiceError('control.VERSION_CONFLICT', { message: 'The run has changed since.', details: { revision } });
}

/** The resource with its result, where it has one. */
export function wholeRun(view: View, { run }: RunRecord): HostedRun {
  const found = view.get(runResultTable, run.hostedRunId);
  return found === undefined ? run : { ...run, result: found.result };
}

/** The records of a table that belong to one run, all of them, in order. */
export function ofRun<Record>(view: View, table: Table<Record>, hostedRunId: string): Iterable<Record> {
  return everyListed(view, table, { index: 'byRun', prefix: [hostedRunId], limit: limits.runRecordsPage });
}
