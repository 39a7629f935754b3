// The World: what the repository compiles to. Tools with their schemas and data, actors and their grants, scenarios as layers, diagnostics.
import type { Diagnostic } from '../../../contract/run/build.js';
import type { ProjectView, ToolView } from '../../../contract/run/project-view.js';
import type { ScenarioActor } from '../../../contract/world/scenario.js';
import { virtualClock } from '../../../text/virtual-time.js';
import { Await, Empty } from '../../../viewer/kit/loading.tsx';
import { counted, PageHead } from '../../../viewer/kit/parts.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { isOffline, projectLoad, projectReply, refreshing, refreshProblem, refreshProject } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { DiagnosticList } from './diagnostic-list.tsx';
import { ScenarioLayers } from './scenario-layers.tsx';
import { ToolPanel } from './tool-panel.tsx';
import { ActorCard, Chooser } from './world-parts.tsx';

type Section = 'tools' | 'actors' | 'scenarios' | 'diagnostics';

export function WorldView({ path }: { path: string[] }) {
  const project = projectLoad();
  return (
    <Await of={project} what="the project" head={<PageHead title="World" />}>
      {(view) => (
        <>
          <PageHead title={view.world?.title ?? view.world?.id ?? 'World'} lead={<WorldLead view={view} />}>
            <button type="button" onClick={refreshProject} disabled={refreshing.value || isOffline.value}>
              {refreshing.value ? 'Compiling…' : 'Compile again'}
            </button>
          </PageHead>
          {refreshProblem.value !== undefined && (
            <p class="notice bad" role="alert">
              {refreshProblem.value}
            </p>
          )}
          <WorldSections view={view} path={path} />
        </>
      )}
    </Await>
  );
}

function WorldLead({ view }: { view: ProjectView }) {
  const errors = view.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  if (view.buildHash === undefined) return <span class="bad-text">The source does not compile: {counted(errors, 'error')}.</span>;
  return (
    <>
      {counted(view.tools.length, 'tool')}, {counted(view.world?.actors.length ?? 0, 'actor')}, {counted(view.scenarios.length, 'scenario')}
      , {counted(view.drills.length, 'drill')}. It is {virtualClock(view.world?.virtualTimeUs ?? 0)} when a run begins.
    </>
  );
}

function WorldSections({ view, path }: { view: ProjectView; path: string[] }) {
  const fallback: Section = view.buildHash === undefined ? 'diagnostics' : 'tools';
  const section = (path[0] as Section | undefined) ?? fallback;
  const tabs: [Section, string, number][] = [
    ['tools', 'Tools', view.tools.length],
    ['actors', 'Actors', view.world?.actors.length ?? 0],
    ['scenarios', 'Scenarios', view.scenarios.length],
    ['diagnostics', 'Diagnostics', view.diagnostics.length],
  ];
  return (
    <>
      <Tabs
        label="Parts of the world"
        current={section}
        tabs={tabs.map(([name, title, count]) => ({ name, href: routeHash('world', [name]), title, count }))}
      />
      {section === 'actors' && <Actors actors={view.world?.actors ?? []} />}
      {section === 'scenarios' && <ScenarioLayers view={view} chosen={path[1]} />}
      {section === 'diagnostics' && <Diagnostics list={view.diagnostics} />}
      {section === 'tools' && <Tools view={view} chosen={path[1]} />}
    </>
  );
}

function Tools({ view, chosen }: { view: ProjectView; chosen: string | undefined }) {
  const tool = view.tools.find((one) => one.toolId === chosen) ?? view.tools[0];
  if (tool === undefined) {
    return (
      <Empty title="No tools yet">
        <p>
          Name tool packages under <code>toolPackages</code> in drillyard.json, or add one with <code>drillyard init</code>, then compile
          again.
        </p>
      </Empty>
    );
  }
  return (
    <div class="split">
      <Chooser
        label="Tools"
        items={view.tools.map((one) => ({ id: one.toolId, title: one.definition.title ?? one.toolId, note: toolNote(one) }))}
        chosen={tool.toolId}
        hash={(id) => routeHash('world', ['tools', id])}
      />
      <ToolPanel key={tool.toolId} tool={tool} view={view} />
    </div>
  );
}

const toolNote = (tool: ToolView): string => `${counted(tool.definition.operations.length, 'operation')} · ${tool.version}`;

function Actors({ actors }: { actors: ScenarioActor[] }) {
  if (actors.length === 0)
    return <Empty title="No actors in the world">A scenario may still bring some. Actors are declared under `actors` in world.yaml.</Empty>;
  return (
    <div class="cards">
      {actors.map((actor) => (
        <ActorCard key={actor.id + (actor.instanceId ?? '')} actor={actor} />
      ))}
    </div>
  );
}

function Diagnostics({ list }: { list: Diagnostic[] }) {
  if (list.length === 0) return <Empty title="Nothing to complain about">The source compiles without errors and warnings.</Empty>;
  return <DiagnosticList list={list} excerpts={projectReply.value?.excerpts ?? []} />;
}
