// An address that names a run in another way than by its id: `#/runs/latest`, `#/runs/latest~2`, `#/runs/inv_...`. It becomes that run's.
import { useEffect } from 'preact/hooks';
import { Await, useLoad } from '../../../viewer/kit/loading.tsx';
import { routeHash } from '../state/route.ts';
import { client, go } from '../state/session.tsx';
import { RunFailure } from './run-failure.tsx';
import { RunLoading } from './run-head.tsx';

interface NamedRunProps {
  name: string;
  query: { [name: string]: string };
}

export function NamedRun({ name, query }: NamedRunProps) {
  const found = useLoad(`run name ${name}`, () => client.call('findRun', { path: { name } }));
  if (found.error !== undefined) return <RunFailure runId={name} error={found.error} retry={found.reload} />;
  return (
    <Await of={found} what="the run" lines={10} head={<RunLoading runId={name} />}>
      {({ runId }) => <Forward runId={runId} query={query} />}
    </Await>
  );
}

function Forward({ runId, query }: { runId: string; query: NamedRunProps['query'] }) {
  useEffect(() => go(routeHash('runs', [runId], query), { replace: true }), [runId]);
  return null;
}
