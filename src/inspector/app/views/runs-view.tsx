// Saved runs, the latest first, and those that run now; what cannot be read is shown with its reason. The address holds the filter.
import { useEffect, useRef, useState } from 'preact/hooks';
import { defined } from '../../../contract/defined.js';
import type { ActiveRun, InspectorRunsQuery, RunsReply, UnavailableRun } from '../../../contract/inspector/runs.js';
import type { Verdict } from '../../../contract/run/run.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { counted, PageHead, Problem } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { active, isOffline, project, runsEnded } from '../state/live.tsx';
import { keepRows, keptRows } from '../state/places.tsx';
import { useRecentRuns } from '../state/recent-runs.tsx';
import { routeHash, runHash } from '../state/route.ts';
import { client, refine, route } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';
import { useTyped } from '../state/use-typed.tsx';
import { joinedRuns, type RunPages } from './joined-runs.ts';
import { Requests } from './request-card.tsx';
import { RunTable } from './run-table.tsx';
import { TrialFigures } from './trial-figures.tsx';

const noRuns: RunPages = { runs: [], unavailable: [] };
const verdicts = ['failed', 'inconclusive', 'passed'] as const;

interface RunFilter {
  verdict?: Verdict;
  drillId?: string;
  q?: string;
}

export function RunsView({ query }: { query: { [name: string]: string } }) {
  const filter = filterOf(query);
  const { verdict, ...about } = filter;
  const recent = useRecentRuns(about);
  return (
    <>
      <PageHead
        title="Runs"
        lead={
          filter.drillId === undefined ? (
            'Every attempt that left a report, the latest first.'
          ) : (
            <>
              Those of <a href={routeHash('drills', [filter.drillId])}>{filter.drillId}</a>, the latest first.
            </>
          )
        }
      />
      <Filters filter={filter} recent={recent.value} />
      {verdict === undefined && about.q === undefined && <Active drillId={filter.drillId} />}
      {Object.keys(filter).length === 0 && <Requests matches={({ asked }) => asked.failedOf !== undefined} />}
      {filter.drillId !== undefined && recent.value !== undefined && (
        <TrialFigures
          runs={recent.value.runs.filter(({ drill }) => drill.id === filter.drillId)}
          isPart={recent.value.nextCursor !== undefined}
        />
      )}
      <List key={JSON.stringify(filter)} filter={filter} />
    </>
  );
}

function filterOf({ verdict, drill, q }: { [name: string]: string }): RunFilter {
  const known = verdicts.find((name) => name === verdict);
  return {
    ...defined({ verdict: known }),
    ...(drill === undefined || drill === '' ? {} : { drillId: drill }),
    ...(q === undefined || q.trim() === '' ? {} : { q: q.trim() }),
  };
}

function show({ verdict, drillId, q }: RunFilter): void {
  refine(routeHash('runs', [], { verdict, drill: drillId, q }));
}

function Filters({ filter, recent }: { filter: RunFilter; recent: RunsReply | undefined }) {
  const [text, setText] = useTyped(filter.q ?? '', (q) => show({ ...filterOf(route.value.query), q }));
  const drills = project.value?.drills ?? [];
  const { verdict: _, ...rest } = filter;
  return (
    <div class="filters" role="search">
      <input
        type="search"
        placeholder="Title, reason, seed, run…  /"
        aria-label="Search runs"
        aria-keyshortcuts="/"
        data-search
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <select
        aria-label="Drill"
        value={filter.drillId ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const { drillId: __, ...others } = filter;
          show(value === '' ? others : { ...others, drillId: value });
        }}
      >
        <option value="">Every drill</option>
        {filter.drillId !== undefined && !drills.some(({ id }) => id === filter.drillId) && (
          <option value={filter.drillId}>{filter.drillId}</option>
        )}
        {drills.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <div class="switch" role="group" aria-label="Verdict">
        <button type="button" aria-pressed={filter.verdict === undefined} onClick={() => show(rest)}>
          All <Count of={recent} />
        </button>
        {verdicts.map((name) => (
          <button key={name} type="button" aria-pressed={filter.verdict === name} onClick={() => show({ ...rest, verdict: name })}>
            {name.slice(0, 1).toUpperCase() + name.slice(1)} <Count of={recent} verdict={name} />
          </button>
        ))}
      </div>
    </div>
  );
}

/** Of the newest; more where there are older ones. */
function Count({ of: reply, verdict }: { of: RunsReply | undefined; verdict?: Verdict }) {
  if (reply === undefined) return null;
  const count = reply.runs.filter((run) => verdict === undefined || run.verdict === verdict).length;
  return (
    <span class="count">
      {count}
      {reply.nextCursor === undefined ? '' : '+'}
    </span>
  );
}

function List({ filter }: { filter: RunFilter }) {
  const [older, setOlder] = useState<RunPages | undefined>();
  const { busy, problem, run } = useBusy();
  const list = useRef<HTMLDivElement>(null);
  const query: InspectorRunsQuery = { limit: tuning.runsAPage, ...filter };
  // Come back to, the list is as long as it was.
  const [first] = useState({ ...query, limit: Math.min(Math.max(keptRows(), tuning.runsAPage), tuning.runsAPageMax) });
  const latest = useLoad(`runs ${JSON.stringify(filter)} ${runsEnded.value}`, () => client.call('listRuns', { query: first }), {
    keep: true,
  });
  const loaded = useRef<RunsReply | undefined>(undefined);
  useEffect(() => {
    const last = loaded.current;
    loaded.current = latest.value;
    // What runs that ended have pushed out of the latest page stays.
    if (last !== undefined) setOlder((known) => known && joinedRuns(last, known));
  }, [latest.value]);
  const newest = latest.value ?? noRuns;
  const { runs, unavailable, nextCursor: cursor } = older === undefined ? newest : joinedRuns(newest, older);
  const before = useRef(0);
  const more = async (): Promise<void> => {
    const page = await client.call('listRuns', { query: { ...query, ...defined({ cursor }) } });
    before.current = runs.length;
    setOlder((known) => (known === undefined ? page : joinedRuns(known, page)));
  };
  useEffect(() => keepRows(runs.length), [runs.length]);
  useEffect(() => {
    // The button that asked for the last of them is gone, and may have had the focus.
    if (older !== undefined && cursor === undefined && document.activeElement === document.body)
      list.current?.querySelectorAll<HTMLElement>('.run-row .run-name a')[before.current]?.focus();
  }, [older]);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Await of={latest} what="the runs" lines={10}>
      {() => (
        <div ref={list}>
          {runs.length === 0 && !isFiltered && active.value.size === 0 && <NoRuns />}
          {runs.length > 0 && (
            <RunTable
              runs={runs}
              ofOneDrill={runs.every(({ drill }) => drill.id === filter.drillId)}
              cut={isFiltered ? 'every' : cursor === undefined ? 'none' : 'last'}
            />
          )}
          {runs.length === 0 && isFiltered && cursor === undefined && (
            <Empty title="No run fits">
              <p>
                <a href={routeHash('runs')}>Show all runs</a>
              </p>
            </Empty>
          )}
          {cursor !== undefined && (
            <button type="button" aria-disabled={busy} disabled={isOffline.value} onClick={() => run(more)}>
              {runs.length === 0 ? 'Look through older runs' : 'Older runs'}
            </button>
          )}
          <Problem text={problem} />
          <Unavailable list={unavailable} />
        </div>
      )}
    </Await>
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

function Active({ drillId }: { drillId: string | undefined }) {
  const runs = [...active.value.values()].filter((run) => drillId === undefined || run.drillId === drillId);
  if (runs.length === 0) return null;
  return (
    <section class="stack" aria-label="Running now">
      {runs.map((run) => (
        <ActiveRow key={run.runId} run={run} />
      ))}
    </section>
  );
}

function ActiveRow({ run }: { run: ActiveRun }) {
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

function Unavailable({ list }: { list: readonly UnavailableRun[] }) {
  if (list.length === 0) return null;
  return (
    <section>
      <h2>Reports that cannot be used</h2>
      <ul class="stack">
        {list.map((report) => (
          <li key={report.name} class="notice">
            <h3>
              <code>{report.name}</code>
            </h3>
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
