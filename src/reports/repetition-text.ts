// What a repetition came to, in words.
import type { Repetition, RepetitionDifference } from '../contract/run/repetition.js';

/** In one sentence, with why it is another. */
export function repetitionText({ ofRunId, same, differs }: Repetition): string {
  if (same) return `The same as ${ofRunId}: the trajectory hash is equal.`;
  const what = differs.map((name) => difference[name]).join('; ');
  return `Not the same as ${ofRunId}: ${what}.`;
}
const difference: { [name in RepetitionDifference]: string } = {
  seed: 'the seed is another',
  setup: 'the drill starts from another setup now',
  target: 'the drill has another target now',
  build: 'the source was changed since: the build is another',
  agent: 'world, setup and seed are equal, so the agent did something else (its code changed, or it is not deterministic)',
};
