// The command that plays a run again, exactly: by the seed of the run, never by that of a trial, which would be derived once more.
import type { RunReport } from '../contract/run/run-events.js';

/** Undefined where the report does not know the seed of its run. `flags`: those that find the repository, each with a space before it. */
export function repeatCommand(
  { drill, result: { identity }, invocation }: Pick<RunReport, 'drill' | 'result' | 'invocation'>,
  flags = '',
): string | undefined {
  if (invocation === undefined) return undefined;
  const trial = identity.trialCount > 1 ? ` --trial ${identity.trial}` : '';
  return `drillyard run ${drill.id}${flags} --seed ${invocation.seed}${trial}`;
}
