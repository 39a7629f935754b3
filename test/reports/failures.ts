// The drills that fail, played once a process: what their reports say is asked from several sides.
import { after } from 'node:test';
import { type PlayedFailures, playFailures } from './failing-drills.js';

let playing: Promise<PlayedFailures> | undefined;
after(async () => (await playing)?.repository.remove());

export function playedFailures(): Promise<PlayedFailures> {
  playing ??= playFailures();
  return playing;
}

/** What decides each drill, as the first screen has to say it. */
export const expectedCauses: { readonly [drillId: string]: { headline: RegExp; first: RegExp } } = {
  invariant: { headline: /^never-three does not hold$/, first: /never-three/ },
  crash: { headline: /^The agent failed: target\.THREW: Cannot read/, first: /The agent failed: TypeError: Cannot read properties/ },
  fault: { headline: /^note-first does not hold$/, first: /note-first/ },
  budget: { headline: /^5 calls were refused, because the budget of 4 tool calls/, first: /The budget of tool calls is used up/ },
  timeout: { headline: /^The agent timed out: target\.TIMED_OUT/, first: /The agent timed out: The target did not finish within 300 ms/ },
  tool: { headline: /^The tool notes broke in note\.remove: TypeError/, first: /note\.remove/ },
};
