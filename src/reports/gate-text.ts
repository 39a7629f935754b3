// A drill of several trials may pass although some of them did not: then these are no failures, in any format.
import type { RunEvent } from '../contract/run/run-events.js';
import { counted } from '../text/counted.js';

/** Of a drill that passed without all of its trials: by how many. Undefined for any other. */
export function gateText({ verdict, trialsPassed, trialCount }: Extract<RunEvent, { event: 'drill' }>): string | undefined {
  if (verdict !== 'passed' || trialsPassed === trialCount) return undefined;
  return `${trialsPassed} of ${counted(trialCount, 'trial')} passed, which is enough for its gate`;
}
