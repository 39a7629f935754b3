// Pages of the list of runs as one list. Runs that end while it is read push others from page to page: each is listed once.
import { defined } from '../../../contract/defined.js';
import type { RunsReply } from '../../../contract/inspector/runs.js';

export type RunPages = Pick<RunsReply, 'runs' | 'unavailable' | 'nextCursor'>;

/** Of the stretch that both have, the newer page decides: what it does not list is gone. */
export function joinedRuns(newer: RunPages, older: RunPages): RunPages {
  const known = new Set([...newer.runs.map(({ runId }) => runId), ...newer.unavailable.map(({ name }) => name)]);
  const last = newer.runs.at(-1)?.modifiedAtMs ?? Number.POSITIVE_INFINITY;
  return {
    runs: [...newer.runs, ...older.runs.filter((run) => !known.has(run.runId) && run.modifiedAtMs <= last)],
    unavailable: [...newer.unavailable, ...older.unavailable.filter(({ name }) => !known.has(name))],
    ...defined({ nextCursor: older.nextCursor }),
  };
}
