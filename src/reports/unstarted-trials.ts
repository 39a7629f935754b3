// Trials that a run had planned and never began, as it was cancelled: they have no report, and have not passed. One file of the invocation
// beside the reports, which goes when reports of its time do.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { idTimeMs } from '../contract/ids.js';
import type { RunInvocation } from '../contract/run/run-events.js';
import { makeFolder } from '../files/make-folder.js';
import { isInvocationId } from './invocation-id.js';
import { runIdsIn } from './run-ids.js';

export interface UnstartedTrials extends RunInvocation {
  notStarted: { drillId: string; trials: number[] }[];
}
const suffix = '.not-started.json';

/** Where the disk takes nothing the run ends all the same: its own words have said what did not begin. */
export function writeUnstarted(directory: string, unstarted: UnstartedTrials): void {
  try {
    makeFolder(directory);
    writeFileSync(join(directory, unstarted.id + suffix), `${JSON.stringify(unstarted)}\n`);
  } catch {
    // As reports that cannot be written.
  }
}

/** Of the invocation, or else of the newest that has some. */
export function readUnstarted(directory: string, wanted?: string): UnstartedTrials | undefined {
  const id = wanted ?? invocationsIn(directory).at(-1);
  try {
    const read = id === undefined ? undefined : (JSON.parse(readFileSync(join(directory, id + suffix), 'utf8')) as UnstartedTrials);
    return read !== undefined && Array.isArray(read.notStarted) && typeof read.seed === 'string'
      ? { ...read, id: id as string }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Those of invocations that are older than every report that is left. */
export function removeOldUnstarted(directory: string): void {
  const oldest = runIdsIn(directory).at(-1);
  for (const id of invocationsIn(directory))
    if (oldest === undefined || idTimeMs(id) < idTimeMs(oldest)) rmSync(join(directory, id + suffix), { force: true });
}

/** The oldest first. */
function invocationsIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => name.endsWith(suffix));
  return names
    .map((name) => name.slice(0, -suffix.length))
    .filter(isInvocationId)
    .sort();
}
