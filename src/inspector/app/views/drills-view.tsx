// Drills and suites: run one with options, watch it, read the verdict of every trial, run it again with the same seed.
import type { SavedRun } from '../../../contract/inspector/runs.js';
import type { ProjectView } from '../../../contract/run/project-view.js';
import { nearest } from '../../../text/nearest.js';
import { Await, Empty } from '../../../viewer/kit/loading.tsx';
import { counted, PageHead } from '../../../viewer/kit/parts.tsx';
import { projectLoad } from '../state/live.tsx';
import { lastByDrill, useRecentRuns } from '../state/recent-runs.tsx';
import { routeHash } from '../state/route.ts';
import { DrillPanel } from './drill-panel.tsx';
import { Requests } from './request-card.tsx';
import { SuitePanel, suiteWords } from './suite-panel.tsx';
import { Chooser, type ChooserItem } from './world-parts.tsx';

type DrillView = ProjectView['drills'][number];

const suitePrefix = 'suite:';

export function DrillsView({ path }: { path: string[] }) {
  const project = projectLoad();
  const recent = useRecentRuns();
  const isKnown = recent.value !== undefined || recent.error !== undefined;
  return (
    <>
      <PageHead title="Drills" lead="Try the agent, as often as it takes. Every attempt leaves evidence." />
      <Await of={isKnown ? project : { reload: project.reload }} what="the drills">
        {(view) =>
          view.drills.length === 0 ? (
            <NoDrills view={view} />
          ) : (
            <Drills view={view} chosen={path[0]} last={lastByDrill(recent.value?.runs ?? [])} />
          )
        }
      </Await>
    </>
  );
}

function NoDrills({ view }: { view: ProjectView }) {
  if (view.buildHash === undefined) {
    return (
      <>
        <Empty title="The source does not compile">
          <p>
            Drills can be run once the <a href={routeHash('world', ['diagnostics'])}>{counted(view.diagnostics.length, 'diagnostic')}</a> of
            World
            {view.diagnostics.length === 1 ? ' is' : ' are'} gone.
          </p>
        </Empty>
        <Requests matches={() => true} />
      </>
    );
  }
  return (
    <Empty title="No drills yet">
      <p>
        A drill is a file ending in <code>.drill.yaml</code>: who is asked to do what, and what must hold afterwards.
      </p>
    </Empty>
  );
}

interface DrillsProps {
  view: ProjectView;
  chosen: string | undefined;
  last: ReadonlyMap<string, SavedRun>;
}

function Drills({ view, chosen: named, last }: DrillsProps) {
  const chosen = named ?? firstLook(view, last);
  const items: ChooserItem[] = [
    ...view.drills.map((one) => ({
      id: one.id,
      title: one.title ?? one.id,
      note: noteOf(one),
      group: 'Drills',
      mark: one.skip === undefined ? (last.get(one.id)?.verdict ?? 'none') : 'none',
    })),
    ...view.suites.map((one) => ({
      id: suitePrefix + one.id,
      title: one.title ?? one.id,
      note: suiteWords(one),
      group: 'Suites',
    })),
  ];
  return (
    <div class="split">
      <Chooser label="Drills and suites" items={items} chosen={chosen} hash={(next) => routeHash('drills', [next])} canFilter />
      <Chosen view={view} chosen={chosen} last={last} />
    </div>
  );
}

function Chosen({ view, chosen, last }: { view: ProjectView; chosen: string; last: ReadonlyMap<string, SavedRun> }) {
  if (chosen.startsWith(suitePrefix)) {
    const id = chosen.slice(suitePrefix.length);
    const suite = view.suites.find((one) => one.id === id);
    if (suite !== undefined) return <SuitePanel key={suite.id} suite={suite} drills={view.drills} last={last} />;
    return <Unknown what="suite" id={id} known={view.suites.map((one) => one.id)} prefix={suitePrefix} />;
  }
  const drill = view.drills.find((one) => one.id === chosen);
  if (drill !== undefined) return <DrillPanel key={drill.id} drill={drill} />;
  return <Unknown what="drill" id={chosen} known={view.drills.map((one) => one.id)} prefix="" />;
}

function Unknown({ what, id, known, prefix }: { what: string; id: string; known: string[]; prefix: string }) {
  const meant = nearest(id, known);
  return (
    <Empty title={`There is no ${what} ${id}`}>
      <p>
        {meant === undefined ? (
          'The list has those that there are.'
        ) : (
          <>
            Did you mean <a href={routeHash('drills', [prefix + meant])}>{meant}</a>?
          </>
        )}
      </p>
    </Empty>
  );
}

/** What one most likely came for: the drill whose last run did not pass, else the first. */
function firstLook(view: ProjectView, last: ReadonlyMap<string, SavedRun>): string {
  const failed = [...last.values()].find(({ verdict, drill }) => verdict === 'failed' && view.drills.some(({ id }) => id === drill.id));
  return failed?.drill.id ?? view.drills[0]?.id ?? '';
}

function noteOf({ targetId, scenarioId = 'baseline', skip }: DrillView): string {
  return `${targetId} · ${scenarioId}${skip === undefined ? '' : ' · skipped'}`;
}
