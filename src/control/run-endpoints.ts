// Everything of hosted runs that control.ts mounts.
import type { EndpointSet } from './endpoint.js';
import { sweepEvidence } from './evidence-bundles.js';
import { completeInteraction, createRunAccess } from './run-agent.js';
import { beginAttachment, completeAttachment, putAttachmentContent } from './run-attachments.js';
import { cancelRun } from './run-cancel.js';
import { compareRuns } from './run-comparisons.js';
import { runRunner } from './run-coordinator.js';
import { sweepDeadlines } from './run-deadline.js';
import { getRun, listRunActivity, listRuns } from './run-reads.js';
import { rerun } from './run-rerun.js';
import { startRun } from './run-start.js';
import type { ControlServices } from './services.js';

type RunEndpoints =
  | 'startRun'
  | 'listRuns'
  | 'getRun'
  | 'createRunAccess'
  | 'completeInteraction'
  | 'cancelRun'
  | 'rerun'
  | 'listRunActivity'
  | 'compareRuns'
  | 'beginAttachment'
  | 'putAttachmentContent'
  | 'completeAttachment';

export function runEndpoints(services: ControlServices): EndpointSet<RunEndpoints> {
  return {
    startRun: startRun(services),
    listRuns: listRuns(services),
    getRun: getRun(),
    createRunAccess: createRunAccess(services),
    completeInteraction: completeInteraction(services),
    cancelRun: cancelRun(services),
    rerun: rerun(services),
    listRunActivity: listRunActivity(services),
    compareRuns: compareRuns(services),
    beginAttachment: beginAttachment(services),
    putAttachmentContent: putAttachmentContent(services),
    completeAttachment: completeAttachment(),
  };
}

export function defineRunRunners(services: ControlServices): void {
  services.operations.define('drill.run', runRunner(services));
}

/** Deadlines and retention; called again and again, as often as a deadline may be late. */
export async function sweepRuns(services: ControlServices): Promise<void> {
  await sweepDeadlines(services);
  await sweepEvidence(services);
}
