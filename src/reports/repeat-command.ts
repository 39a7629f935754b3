// The command that plays a run again, exactly: by the seed of the run, never by that of a trial, which would be derived once more.
import type { RunReport } from '../contract/run/run-events.js';
import { anywhere, type CommandPlace } from './command-place.js';

/** Undefined where the report does not know the seed of its run. */
export function repeatCommand(
  { drill, result: { identity }, invocation }: Pick<RunReport, 'drill' | 'result' | 'invocation'>,
  { own, flags }: CommandPlace = anywhere,
): string | undefined {
  if (invocation === undefined) return undefined;
  // How many there are is of the drill, of a suite, or of that command alone.
  const trial = identity.trialCount > 1 ? ` --trials ${identity.trialCount} --trial ${identity.trial}` : '';
  return `${own} run ${drill.id}${flags} --seed ${invocation.seed}${trial}`;
}
