// One suite: its drills with what they last came to, some or all of which can be run.
import { useState } from 'preact/hooks';
import type { SavedRun } from '../../../contract/inspector/runs.js';
import type { ProjectView } from '../../../contract/run/project-view.js';
import { counted, hostDuration, Problem, Scroll, Status } from '../../../viewer/kit/parts.tsx';
import { Ago } from '../kit/host-time.tsx';
import { isOffline, noteRequest } from '../state/live.tsx';
import { routeHash, runHash } from '../state/route.ts';
import { client } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';
import { Launch } from './launch.tsx';
import { Requests } from './request-card.tsx';

type DrillView = ProjectView['drills'][number];
export type SuiteView = ProjectView['suites'][number];

/** Those it names, and those that have one of its tags; without either, every drill. */
function drillsOf(suite: SuiteView, drills: readonly DrillView[]): DrillView[] {
  if (suite.drills.length === 0 && suite.tags.length === 0) return [...drills];
  return drills.filter(
    ({ id, caseOf = id, tags }) =>
      suite.drills.includes(id) || suite.drills.includes(caseOf) || tags.some((tag) => suite.tags.includes(tag)),
  );
}

export function suiteWords(suite: SuiteView): string {
  if (suite.drills.length === 0 && suite.tags.length === 0) return 'every drill';
  return [...(suite.drills.length > 0 ? [counted(suite.drills.length, 'drill')] : []), ...suite.tags.map((tag) => `#${tag}`)].join(' · ');
}

export function SuitePanel({ suite, drills, last }: { suite: SuiteView; drills: DrillView[]; last: ReadonlyMap<string, SavedRun> }) {
  const mine = drillsOf(suite, drills);
  return (
    <article class="panel" aria-label={suite.id}>
      <header class="panel-head">
        <h2>{suite.title ?? suite.id}</h2>
        <p class="row">
          <code class="word">{suite.id}</code>
          <span class="quiet">
            {suiteWords(suite)} · {suite.concurrency} at a time · {counted(suite.retries, 'retry', 'retries')}
          </span>
        </p>
      </header>
      <Launch what={{ suiteId: suite.id }} trials={suite.trials} retries={suite.retries} concurrency={suite.concurrency} />
      <Requests
        matches={(request) => request.asked.suiteId === suite.id || mine.some(({ id }) => request.drillIds?.includes(id) === true)}
      />
      <DrillTable drills={mine} last={last} />
    </article>
  );
}

function DrillTable({ drills, last }: { drills: DrillView[]; last: ReadonlyMap<string, SavedRun> }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set());
  const { busy, problem, run } = useBusy();
  const failed = drills.filter(({ id }) => last.has(id) && last.get(id)?.verdict !== 'passed').map(({ id }) => id);
  const start = (ids: readonly string[]): void =>
    run(async () => {
      for (const drillId of ids) noteRequest((await client.call('startRun', { body: { drillId } })).request);
      setChosen(new Set());
    });
  const toggle = (id: string): void =>
    setChosen((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  return (
    <>
      <header class="row table-head">
        <h3 class="grow">{counted(drills.length, 'drill')}</h3>
        {failed.length > 0 && (
          <button type="button" aria-disabled={busy} disabled={isOffline.value} onClick={() => start(failed)}>
            Run {failed.length === 1 ? 'the one' : `the ${failed.length}`} that did not pass
          </button>
        )}
        <button type="button" aria-disabled={busy} disabled={chosen.size === 0 || isOffline.value} onClick={() => start([...chosen])}>
          Run {chosen.size === 0 ? 'those chosen' : counted(chosen.size, 'chosen drill')}
        </button>
      </header>
      <Problem text={problem} />
      <Scroll label="Drills of the suite">
        <table class="runs">
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">Choose</span>
              </th>
              <th scope="col">Drill</th>
              <th scope="col">Last run</th>
              <th scope="col" class="number-cell wide-cell">
                Took
              </th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {drills.map((drill) => (
              <DrillRow
                key={drill.id}
                drill={drill}
                run={last.get(drill.id)}
                isChosen={chosen.has(drill.id)}
                onToggle={() => toggle(drill.id)}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

interface DrillRowProps {
  drill: DrillView;
  run: SavedRun | undefined;
  isChosen: boolean;
  onToggle: () => void;
}

function DrillRow({ drill, run, isChosen, onToggle }: DrillRowProps) {
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Choose ${drill.id}`}
          checked={isChosen}
          disabled={drill.skip !== undefined}
          onChange={onToggle}
        />
      </td>
      <td class="run-name">
        <a href={routeHash('drills', [drill.id])}>{drill.title ?? drill.id}</a>
        <small class="quiet">{drill.id}</small>
      </td>
      <td>
        {run === undefined ? (
          <span class="quiet">{drill.skip === undefined ? 'never run' : 'skipped'}</span>
        ) : (
          <a class="plain-link" href={runHash(run.runId)}>
            <Status value={run.verdict} />
          </a>
        )}
      </td>
      <td class="number-cell wide-cell">{run === undefined ? '' : hostDuration(run.finishedAtMs - run.startedAtMs)}</td>
      <td class="when quiet">{run === undefined ? '' : <Ago ms={run.finishedAtMs} />}</td>
    </tr>
  );
}
