// Saved runs, the latest first, and those that run now; what cannot be read is shown with its reason.
import { useEffect, useState } from 'preact/hooks';
import type { ActiveRun, RunsReply, SavedRun, UnavailableRun } from '../../../contract/inspector/runs.js';
import { virtualDuration } from '../../../text/virtual-time.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { counted, hostTime, PageHead, Scroll, Status } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { active, runsEnded } from '../state/live.tsx';
import { routeHash, runHash } from '../state/route.ts';
import { client, go } from '../state/session.tsx';

export function RunsView() {
  const [older, setOlder] = useState<RunsReply[]>([]);
  const [wanted, setWanted] = useState('all');
  const latest = useLoad(`runs ${runsEnded.value}`, () => client.call('listRuns', { query: { limit: tuning.runsAPage } }));
  useEffect(() => setOlder([]), [latest.value]);
  const pages = latest.value === undefined ? [] : [latest.value, ...older];
  const cursor = pages.at(-1)?.nextCursor;
  const more = async (): Promise<void> => {
    if (cursor === undefined) return;
    const page = await client.call('listRuns', { query: { limit: tuning.runsAPage, cursor } });
    setOlder((list) => [...list, page]);
  };
  const runs = pages.flatMap((page) => page.runs);
  const shown = wanted === 'all' ? runs : runs.filter((run) => run.verdict === wanted);
  return (
    <>
      <PageHead title="Runs" lead="Every attempt that left a report, the latest first.">
        <div class="switch" role="group" aria-label="Verdict">
          {['all', 'failed', 'inconclusive', 'passed'].map((name) => (
            <button key={name} type="button" aria-pressed={wanted === name} onClick={() => setWanted(name)}>
              {name}
            </button>
          ))}
        </div>
      </PageHead>
      <Active />
      <Await of={latest} what="the runs" lines={10}>
        {() => (
          <>
            {runs.length === 0 && active.value.size === 0 && <NoRuns />}
            {shown.length > 0 && <RunTable runs={shown} />}
            {runs.length > 0 && shown.length === 0 && <p class="quiet">None of the runs shown so far {wanted}.</p>}
            <Unavailable list={pages.flatMap((page) => page.unavailable)} />
            {cursor !== undefined && (
              <button type="button" onClick={more}>
                Older runs
              </button>
            )}
          </>
        )}
      </Await>
    </>
  );
}

function NoRuns() {
  return (
    <Empty title="No runs yet">
      <p>
        <a href={routeHash('drills')}>Run a drill</a> here, or with <code>drillyard run</code>: what it proves appears in this list.
      </p>
    </Empty>
  );
}

function Active() {
  const runs = [...active.value.values()];
  if (runs.length === 0) return null;
  return (
    <section class="stack" aria-label="Running now">
      {runs.map((run) => (
        <ActiveRow key={run.runId} run={run} />
      ))}
    </section>
  );
}

export function ActiveRow({ run }: { run: ActiveRun }) {
  return (
    <a class="card row running" href={runHash(run.runId)}>
      <span class="spinner" aria-hidden="true" />
      <strong>{run.title ?? run.drillId}</strong>
      <span class="quiet">
        {run.trialCount > 1 && `trial ${run.trial} of ${run.trialCount} · `}
        {run.interactionId === undefined ? 'setting up' : `playing ${run.interactionId}`}
        {run.evidenceSequence !== undefined && ` · ${counted(run.evidenceSequence, 'entry', 'entries')}`}
      </span>
    </a>
  );
}

export function RunTable({ runs }: { runs: readonly SavedRun[] }) {
  return (
    <Scroll label="Runs">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">Verdict</th>
            <th scope="col">Drill</th>
            <th scope="col">Assertions</th>
            <th scope="col" class="wide-cell">
              Entries
            </th>
            <th scope="col" class="wide-cell">
              Virtual time
            </th>
            <th scope="col" class="wide-cell">
              Seed
            </th>
            <th scope="col" class="wide-cell">
              When
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.runId} run={run} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function RunRow({ run }: { run: SavedRun }) {
  const { passed, failed, inconclusive, invalid } = run.assertions;
  const open = (event: MouseEvent): void => {
    if ((event.target as HTMLElement).closest('a') === null) go(runHash(run.runId));
  };
  return (
    <tr class="run-row" onClick={open}>
      <td>
        <Status value={run.verdict} />
      </td>
      <td>
        <a href={runHash(run.runId)}>{run.drill.title ?? run.drill.id}</a>
        <small class="quiet">
          {run.drill.id}
          {run.trialCount > 1 && ` · trial ${run.trial}/${run.trialCount}`}
          {run.attempt > 1 && ` · attempt ${run.attempt}`}
          {run.attachments > 0 && ` · ${counted(run.attachments, 'attachment')}`}
        </small>
      </td>
      <td class="number-cell">
        {passed}
        <span class="quiet">/{passed + failed + inconclusive + invalid}</span>
      </td>
      <td class="number-cell wide-cell">{run.entries.toLocaleString('en-US')}</td>
      <td class="wide-cell">{virtualDuration(run.finishedAtVirtualUs - run.startedAtVirtualUs)}</td>
      <td class="wide-cell">
        <code>{run.seed.length > 12 ? `${run.seed.slice(0, 10)}…` : run.seed}</code>
      </td>
      <td class="wide-cell quiet">{hostTime(run.finishedAtMs)}</td>
    </tr>
  );
}

function Unavailable({ list }: { list: readonly UnavailableRun[] }) {
  if (list.length === 0) return null;
  return (
    <section>
      <h2>Reports that cannot be used</h2>
      <ul class="stack">
        {list.map((report) => (
          <li key={report.name} class="notice">
            <h2 class="h3">
              <code>{report.name}</code>
            </h2>
            {report.problems.map((problem) => (
              <p key={problem.file + problem.code}>
                <code>{problem.file}</code> {problem.message}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
