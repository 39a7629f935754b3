// The newest saved runs, asked for again whenever one ends: what drills last came to.
import type { InspectorRunsQuery, RunsReply, SavedRun } from '../../../contract/inspector/runs.js';
import { type LoadState, useLoad } from '../../../viewer/kit/loading.tsx';
import { tuning } from '../../tuning.js';
import { runsEnded } from './live.tsx';
import { client } from './session.tsx';

/** Of one drill, or of all; the last answer stays while it asks again. */
export function useRecentRuns(filter: Pick<InspectorRunsQuery, 'drillId' | 'q'> = {}): LoadState<RunsReply> {
  return useLoad(
    `recent runs ${JSON.stringify(filter)} ${runsEnded.value}`,
    () => client.call('listRuns', { query: { limit: tuning.runsChosenFrom, ...filter } }),
    { keep: true },
  );
}

/** The newest run of each drill. */
export function lastByDrill(runs: readonly SavedRun[]): ReadonlyMap<string, SavedRun> {
  const last = new Map<string, SavedRun>();
  for (const run of runs) if (!last.has(run.drill.id)) last.set(run.drill.id, run);
  return last;
}
