// What a drill has come to so far: its last verdicts, its rate, and its latest runs.
import type { RunsReply, SavedRun } from '../../../contract/inspector/runs.js';
import { routeHash } from '../state/route.ts';
import { RunTable } from './run-table.tsx';
import { TrialFigures } from './trial-figures.tsx';

interface DrillHistory {
  drillId: string;
  /** Its newest runs, once they are there. */
  recent: RunsReply | undefined;
}

/** Its rate and its last verdicts. */
export function DrillFigures({ drillId, recent }: DrillHistory) {
  return <TrialFigures runs={runsOf(drillId, recent)} isPart={recent?.nextCursor !== undefined} isShort />;
}

export function LatestRuns({ drillId, recent }: DrillHistory) {
  const runs = runsOf(drillId, recent);
  if (runs.length === 0) return null;
  return (
    <>
      <h3>
        Latest runs <a href={routeHash('runs', [], { drill: drillId })}>All runs and rates</a>
      </h3>
      <RunTable runs={runs.slice(0, 8)} ofOneDrill cut="every" />
    </>
  );
}

/** A file of cases has an id that its drills share. */
function runsOf(drillId: string, reply: RunsReply | undefined): SavedRun[] {
  return (reply?.runs ?? []).filter(({ drill }) => drill.id === drillId);
}
