// Which moves a build attempt may make, in one place.
import { invariant } from '../../contract/errors.js';
import type { BuildAttempt } from '../../contract/hosted/source.js';

type AttemptState = BuildAttempt['state'];
const nextStates: { readonly [State in AttemptState]: readonly AttemptState[] } = {
  queued: ['compiling', 'failed', 'cancelled'],
  compiling: ['verifying', 'failed', 'cancelled'],
  verifying: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
};

/** The attempt in another state, with what it found when that is its end. */
export function movedAttempt(
  attempt: BuildAttempt,
  state: AttemptState,
  ending?: Pick<BuildAttempt, 'buildHash' | 'diagnostics' | 'finishedAtMs'>,
): BuildAttempt {
  invariant(nextStates[attempt.state].includes(state), `a build attempt goes from ${attempt.state} to ${state}`);
  return { ...attempt, state, ...ending };
}
