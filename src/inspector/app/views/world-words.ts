// What a playground world is called where it has no title of its own.
import type { PlayWorld } from '../../../contract/inspector/worlds.js';

export function startWords({ start, parent, title }: Pick<PlayWorld, 'start' | 'parent' | 'title'>): string {
  if (title !== undefined) return title;
  const origin = start.kind === 'baseline' ? 'The baseline' : `${start.kind === 'scenario' ? 'Scenario' : 'Drill'} ${start.id}`;
  return parent === undefined ? origin : `${origin}, forked at #${parent.atSequence}`;
}
