// What types cannot say about the bodies of the hosted endpoints: which members exclude each other, and which number bounds which.
import type { Refinements, Report } from '../shape-refine.js';
import type { StartRunRequest } from './runs.js';
import type { CreateSessionRequest, ForkRequest, ResetRequest } from './sessions.js';
import type { CreateSourceRevisionRequest } from './source.js';

export const hostedRefinements = {
  CreateSessionRequest: ({ drillId, scenarioId }: CreateSessionRequest, report: Report) => {
    if (drillId !== undefined && scenarioId !== undefined)
      report('/scenarioId', 'conflict', 'a drill has its scenario: leave out "drillId" or "scenarioId"');
  },
  CreateSourceRevisionRequest: ({ files, changes }: CreateSourceRevisionRequest, report: Report) => {
    if (files === undefined && changes === undefined) report('', 'required', 'one of "files" and "changes" is required');
    else if (files !== undefined && changes !== undefined)
      report('/changes', 'conflict', '"files" is already the whole tree; leave out "changes"');
  },
  ResetRequest: ({ hostedSnapshotId, packages }: ResetRequest, report: Report) => {
    if (hostedSnapshotId !== undefined && packages !== undefined)
      report('/packages', 'conflict', 'a snapshot is restored whole; leave out "packages"');
  },
  ForkRequest: ({ hostedSnapshotId, atSequence }: ForkRequest, report: Report) => {
    if (hostedSnapshotId !== undefined && atSequence !== undefined)
      report('/atSequence', 'conflict', 'the snapshot says where; leave out "atSequence"');
  },
  StartRunRequest: ({ trial = 1, trialCount = 1, attempt = 1, attemptLimit = 1 }: StartRunRequest, report: Report) => {
    if (trial > trialCount) report('/trial', 'too_large', `expected at most trialCount, ${trialCount}`);
    if (attempt > attemptLimit) report('/attempt', 'too_large', `expected at most attemptLimit, ${attemptLimit}`);
  },
} satisfies Refinements;
