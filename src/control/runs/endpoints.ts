// Everything of hosted runs that open-control.ts mounts.
import type { EndpointSet } from '../catalog/endpoint.js';
import type { ControlServices } from '../core/services.js';
import { completeInteraction, createRunAccess } from './agent.js';
import { beginAttachment, completeAttachment, putAttachmentContent } from './attachments.js';
import { cancelRun } from './cancel.js';
import { compareRuns } from './comparisons.js';
import { runRunner } from './coordinator.js';
import { sweepDeadlines } from './deadline.js';
import { sweepEvidence } from './evidence-bundles.js';
import { getRun, listRunActivity, listRuns } from './reads.js';
import { rerun } from './rerun.js';
import { startRun } from './start.js';

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
