// Looking at hosted runs: one, many, and what happened to one.
import { defined } from '../../contract/defined.js';
import type { RunsQuery } from '../../contract/hosted/runs.js';
import { listPage } from '../catalog/cursors.js';
import type { ReadEndpoint } from '../catalog/endpoint.js';
import type { ControlServices } from '../core/services.js';
import { activityTable, type RunRecord, requireRun, runTable, wholeRun } from './records.js';

export function getRun(): ReadEndpoint<'getRun'> {
  return { kind: 'read', run: (view, { path, caller }) => ({ run: wholeRun(view, requireRun(view, { ...path, ...caller })) }) };
}

/** The newest first; without their results, which can be large. */
export function listRuns(services: ControlServices): ReadEndpoint<'listRuns'> {
  return {
    kind: 'read',
    run: (view, { path: { projectId }, query }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query;
      const { index, prefix } = placeOf(projectId, query);
      const where = ({ run }: RunRecord): boolean => matches(run, query);
      const { items, nextCursor } = listPage(services, view, { table: runTable, index, prefix, reverse: true, query, filters, where });
      return { items: items.map(({ run }) => run), ...defined({ nextCursor }) };
    },
  };
}

/** The index that leaves the least to look through. */
function placeOf(projectId: string, { sessionId, environmentId, drillId, state = 'all' }: RunsQuery): { index: string; prefix: string[] } {
  if (sessionId !== undefined) return { index: 'bySession', prefix: [projectId, sessionId] };
  if (drillId !== undefined) return { index: 'byDrill', prefix: [projectId, drillId] };
  if (environmentId !== undefined) return { index: 'byEnvironment', prefix: [projectId, environmentId] };
  return state === 'all' ? { index: 'byProject', prefix: [projectId] } : { index: 'byProjectState', prefix: [projectId, state] };
}

function matches({ sessionId, environmentId, request, state }: RunRecord['run'], query: RunsQuery): boolean {
  const fits = (wanted: string | undefined, value: string): boolean => wanted === undefined || wanted === value;
  return (
    fits(query.sessionId, sessionId) &&
    fits(query.environmentId, environmentId) &&
    fits(query.drillId, request.drillId) &&
    (query.state === 'all' || fits(query.state, state))
  );
}

export function listRunActivity(services: ControlServices): ReadEndpoint<'listRunActivity'> {
  return {
    kind: 'read',
    run: (view, { path, caller, query }) => {
      const { hostedRunId } = requireRun(view, { ...path, ...caller }).run;
      return listPage(services, view, { table: activityTable, index: 'byRun', prefix: [hostedRunId], query });
    },
  };
}
