// A run that cannot be shown: which one, why, and the way back. What was tampered with stays so, so nothing offers to try again.
import { ApiError } from '../state/client.ts';
import { routeHash } from '../state/route.ts';
import { RunCrumbs } from './run-head.tsx';

export function RunFailure({ runId, error, retry }: { runId: string; error: Error; retry: () => void }) {
  const { status, code, issues } = error instanceof ApiError ? error : { status: 0, code: '', issues: [] };
  const isGone = status === 404 || status === 400;
  const isDamaged = code === 'control.STATE_CONFLICT' && issues.length > 0;
  return (
    <>
      <header class="run-head">
        <RunCrumbs runId={runId} />
        <h1>{isGone ? 'There is no such run' : isDamaged ? 'This report is not as it was sealed' : 'The run could not be loaded'}</h1>
      </header>
      <div class="notice bad" role="alert">
        <p>{isGone ? 'It was deleted, or never had this id: the list has those that are kept.' : error.message}</p>
        {isDamaged && (
          <>
            <ul class="issues">
              {issues.map((issue) => (
                <li key={issue.path + issue.message}>
                  <code>{issue.path.replace(/^\//, '') || 'the folder'}</code> {issue.message}
                </li>
              ))}
            </ul>
            <p>
              <code>drillyard report verify {runId}</code> says the same on the terminal.
            </p>
          </>
        )}
      </div>
      <p class="row">
        <a class="button" href={routeHash('runs')}>
          All runs
        </a>
        {!isGone && !isDamaged && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      </p>
    </>
  );
}
