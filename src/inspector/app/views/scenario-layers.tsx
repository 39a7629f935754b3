// A scenario as what it is: a layer over the world's baseline. What it adds, changes and removes, in that order of importance.
import type { JsonObject } from '../../../contract/json.js';
import type { ProjectView } from '../../../contract/run/project-view.js';
import type { Scenario, StatePatch } from '../../../contract/world/scenario.js';
import { virtualClock } from '../../../text/virtual-time.js';
import { visibleLine } from '../../../text/visible-text.js';
import { Empty } from '../../../viewer/kit/loading.tsx';
import { ChangeTable, counted, DueEvent, Fact, Identity, Short } from '../../../viewer/kit/parts.tsx';
import { routeHash } from '../state/route.ts';
import { DeclaredIn } from './declared-in.tsx';
import { ActorCard, Chooser } from './world-parts.tsx';

type ScenarioView = ProjectView['scenarios'][number];

export function ScenarioLayers({ view, chosen }: { view: ProjectView; chosen: string | undefined }) {
  const scenario = view.scenarios.find((one) => one.id === chosen) ?? view.scenarios[0];
  if (scenario === undefined) {
    return (
      <Empty title="No scenarios">
        <p>Every drill starts from the world's baseline. A file ending in .scenario.yaml puts a layer on it.</p>
      </Empty>
    );
  }
  const items = view.scenarios.map((one) => ({ id: one.id, title: one.title ?? one.id, note: layerNote(one) }));
  return (
    <div class="split">
      <Chooser label="Scenarios" items={items} chosen={scenario.id} hash={(id) => routeHash('world', ['scenarios', id])} />
      <Layer key={scenario.id} scenario={scenario} view={view} />
    </div>
  );
}

const layerNote = (scenario: Scenario): string =>
  [counted(scenario.state.length, 'row'), ...(scenario.faults.length > 0 ? [counted(scenario.faults.length, 'fault')] : [])].join(' · ');

function Layer({ scenario, view }: { scenario: ScenarioView; view: ProjectView }) {
  return (
    <article class="panel" aria-label={scenario.id}>
      <header class="panel-head">
        <h2>{scenario.title ?? scenario.id}</h2>
        <p class="row">
          <code class="word">{scenario.id}</code>
          <a href={routeHash('play', [], { scenario: scenario.id })}>Play in it</a>
        </p>
      </header>
      <dl class="facts">
        <Fact name="It is">{virtualClock(scenario.virtualTimeUs ?? view.world?.virtualTimeUs ?? 0)}</Fact>
        <DeclaredIn at={scenario.provenance} />
      </dl>
      <Identity of={{ setup: scenario.setupHash }} />
      <Happenings scenario={scenario} />
      <h3>Rows</h3>
      {scenario.state.length === 0 && <p class="quiet">As the world has them.</p>}
      {scenario.state.map((patch, index) => (
        <Patch key={index} patch={patch} before={rowBelow(view, patch)} />
      ))}
      {scenario.actors.length > 0 && <h3>Actors</h3>}
      <div class="cards">
        {scenario.actors.map((actor) => (
          <ActorCard key={actor.id + (actor.instanceId ?? '')} actor={actor} />
        ))}
      </div>
    </article>
  );
}

/** The row of the world that a patch lies over. */
function rowBelow(view: ProjectView, patch: StatePatch): JsonObject | undefined {
  const { packageId, instanceId = packageId, namespace, rowId } = patch;
  const below = (view.world?.state ?? []).findLast(
    (row) =>
      row.packageId === packageId && (row.instanceId ?? packageId) === instanceId && row.namespace === namespace && row.rowId === rowId,
  );
  return below?.action === 'upsert' ? below.value : undefined;
}

function Patch({ patch, before }: { patch: StatePatch; before: JsonObject | undefined }) {
  const change = patch.action === 'delete' ? 'delete' : before === undefined ? 'insert' : 'update';
  return (
    <div class="layer-row">
      <p class="row">
        <span class={`change change-${change}`}>{{ delete: 'removes', update: 'changes', insert: 'adds' }[change]}</span>
        <code>
          {patch.packageId}/{patch.namespace}/{visibleLine(patch.rowId)}
        </code>
        {patch.action === 'upsert' && before === undefined && <Short value={patch.value} max={300} />}
      </p>
      {patch.action === 'upsert' && before !== undefined && <ChangeTable before={before} after={patch.value} />}
    </div>
  );
}

const byTime = (left: { atUs: number }, right: { atUs: number }): number => left.atUs - right.atUs;

function Happenings({ scenario }: { scenario: Scenario }) {
  return (
    <>
      {scenario.faults.length > 0 && <h3>Faults, switched on</h3>}
      {scenario.faults.map((fault) => (
        <p key={fault.packageId + fault.faultId} class="line">
          <code class="word fault">
            {fault.packageId}.{fault.faultId}
          </code>
        </p>
      ))}
      {scenario.initialEvents.length > 0 && <h3>Events to come</h3>}
      {scenario.initialEvents.toSorted(byTime).map((event, index) => (
        <DueEvent key={index} of={event} />
      ))}
      {(scenario.toolOverrides ?? []).length > 0 && <h3>Answers overridden</h3>}
      {scenario.toolOverrides?.map((rule) => (
        <div key={rule.id} class="data-row">
          <code class="word">{rule.id}</code>
          <code>
            {rule.operation.packageId}.{rule.operation.operationId}
          </code>
          <Short value={rule.outcome as never} />
        </div>
      ))}
    </>
  );
}
