// The comparison of two runs, asked of the inspector; the viewer shows it.
import { Comparison } from '../../../viewer/comparison.tsx';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { ApiError } from '../state/client.ts';
import { routeHash, runHash } from '../state/route.ts';
import { client } from '../state/session.tsx';

export function ComparedRuns({ left, right }: { left: string; right: string }) {
  const unknown = [left, right].find((runId) => !/^run_[0-9a-z]{12,32}$/.test(runId));
  const loaded = useLoad(`compare ${left} ${right}`, async () => {
    if (unknown !== undefined) return undefined;
    return (await client.call('compareRuns', { body: { left, right } })).comparison;
  });
  const missing = loaded.error instanceof ApiError && loaded.error.status === 404 ? loaded.error.message : undefined;
  if (unknown !== undefined || missing !== undefined) {
    return (
      <Empty title={missing ?? `There is no run ${unknown}.`}>
        <p>
          <a href={routeHash('runs')}>All runs</a>, or choose another above.
        </p>
      </Empty>
    );
  }
  return (
    <Await of={loaded} what="the comparison">
      {(comparison) => (comparison === undefined ? null : <Comparison comparison={comparison} address={runHash} />)}
    </Await>
  );
}
