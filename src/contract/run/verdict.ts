// The verdict rule, once: drills apply it, reports recompute it.
import { counted } from '../../text/counted.js';
import type { EventEntry } from '../world/evidence.js';
import type { AssertionResult, InteractionResult, RunResult, Verdict } from './run.js';

/** Failed if any gate failed or was invalid, else inconclusive if any gate was, else passed. What is no gate never counts. */
export function runVerdict(results: Iterable<Pick<AssertionResult, 'gate' | 'status'>>): Verdict {
  let verdict: Verdict = 'passed';
  for (const { gate, status } of results) {
    if (!gate || status === 'passed') continue;
    if (status !== 'inconclusive') return 'failed';
    verdict = 'inconclusive';
  }
  return verdict;
}

/** What a run says that an agent's own failure has cut short (`stopOnTargetFailure`). */
export function targetFailureReason({
  interactionId,
  targetResult: { status, error },
}: Pick<InteractionResult, 'interactionId' | 'targetResult'>): string {
  return `the target ${status.replace('_', ' ')} in interaction ${interactionId} (${error?.code ?? 'no reason given'})`;
}

/** What a run says that a scheduled event whose handler threw has cut short. */
export function failedEventReason({ virtualTimeUs, error }: Pick<EventEntry, 'virtualTimeUs' | 'error'>): string {
  return `a scheduled event failed at ${virtualTimeUs} us (${error?.code}: ${error?.message})`;
}

/** What a run says that its budget of events has cut short; `when`: in which interaction's wait, or at which time. */
export function eventBudgetReason(maxEvents: number, when: string): string {
  return `the budget of ${counted(maxEvents, 'scheduled event')} was used up ${when}`;
}
export const inInteraction = (interactionId: string): string => `in interaction ${interactionId}`;

type Judged = Pick<RunResult, 'status' | 'assertionResults' | 'checkpoints'> & { readonly interactions?: readonly InteractionResult[] };

/**
 * Of a whole run: its own assertions and those of every checkpoint. A run that was not sealed proved nothing, so it never passes; nor does
 * one whose agent failed, where that is no part of the drill: what it was to do is not done, whatever holds.
 */
export function resultVerdict(result: Judged, cutShort?: string): Verdict {
  const verdict = runVerdict([...result.assertionResults, ...result.checkpoints.flatMap((checkpoint) => checkpoint.assertionResults)]);
  if (verdict !== 'passed') return verdict;
  const last = result.interactions?.at(-1);
  const hasFailed = last !== undefined && last.targetResult.status !== 'completed' && cutShort === targetFailureReason(last);
  return result.status !== 'sealed' || hasFailed ? 'inconclusive' : 'passed';
}
