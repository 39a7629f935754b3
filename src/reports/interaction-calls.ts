// Which tool calls belong to which interaction. A result does not say; actor, virtual time and the checkpoint after each interaction do.
import type { InteractionResult, RunResult } from '../contract/run/run.js';
import type { OperationEntry } from '../contract/world/evidence.js';
import { actorName } from './entry-text.js';
import type { ShownEntry } from './evidence-view.js';

/** By interaction id: the sequences of its calls among the shown entries, in order. Each call belongs to one interaction. */
export function callsByInteraction(result: RunResult, shown: readonly ShownEntry[]): Map<string, number[]> {
  const ends = checkpointSequences(result, shown);
  const open = new Map<string, OperationEntry[]>();
  for (const { entry } of shown) {
    if (entry.kind !== 'operation') continue;
    const calls = open.get(actorName(entry));
    if (calls === undefined) open.set(actorName(entry), [entry]);
    else calls.push(entry);
  }
  const found = new Map<string, number[]>();
  for (const interaction of result.interactions) {
    const calls = open.get(actorName(interaction)) ?? [];
    const end = ends.get(interaction.interactionId) ?? Number.POSITIVE_INFINITY;
    const own = takeWhile(calls, (entry) => entry.sequence < end && within(interaction, entry.virtualTimeUs));
    found.set(
      interaction.interactionId,
      own.map((entry) => entry.sequence),
    );
  }
  return found;
}

/** By interaction id: the sequence of the entry that its checkpoint left. */
function checkpointSequences({ checkpoints }: RunResult, shown: readonly ShownEntry[]): Map<string, number> {
  const interactions = new Map(checkpoints.map((checkpoint) => [checkpoint.checkpointId, checkpoint.interactionId]));
  const ends = new Map<string, number>();
  for (const { entry } of shown) {
    if (entry.kind !== 'verification') continue;
    const interactionId = interactions.get(entry.checkpointId);
    if (interactionId !== undefined) ends.set(interactionId, entry.sequence);
  }
  return ends;
}

function within({ startedAtVirtualUs, finishedAtVirtualUs }: InteractionResult, timeUs: number): boolean {
  return timeUs >= startedAtVirtualUs && timeUs <= finishedAtVirtualUs;
}

/** Removes the calls before the interaction began (of no interaction) and its own from the front; returns its own. */
function takeWhile(calls: OperationEntry[], isOwn: (entry: OperationEntry) => boolean): OperationEntry[] {
  const from = calls.findIndex(isOwn);
  if (from < 0) return [];
  let to = from;
  while (to < calls.length && isOwn(calls[to] as OperationEntry)) to++;
  return calls.splice(0, to).slice(from);
}
