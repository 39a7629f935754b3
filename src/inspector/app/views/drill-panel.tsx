// One drill: how to run it, what it asks of whom, what must hold, and what its runs came to.
import type { ProjectView } from '../../../contract/run/project-view.js';
import { Fact, Identity } from '../../../viewer/kit/parts.tsx';
import { assertionWords } from '../kit/assertion-words.ts';
import { projectReply } from '../state/live.tsx';
import { useRecentRuns } from '../state/recent-runs.tsx';
import { routeHash } from '../state/route.ts';
import { DeclaredIn } from './declared-in.tsx';
import { DrillFigures, LatestRuns } from './drill-history.tsx';
import { Launch } from './launch.tsx';
import { OpenEditor } from './open-editor.tsx';
import { Requests } from './request-card.tsx';

type DrillView = ProjectView['drills'][number];

const classifications = {
  contract: 'A contract: every trial must pass.',
  safety: 'About safety: what must not happen.',
  quality: 'About quality: how well it goes.',
} as const;

export function DrillPanel({ drill }: { drill: DrillView }) {
  const { timeline, trials } = drill;
  const recent = useRecentRuns({ drillId: drill.id }).value;
  return (
    <article class="panel" aria-label={drill.id}>
      <header class="panel-head">
        <h2>{drill.title ?? drill.id}</h2>
        <p class="row">
          <code class="word">{drill.id}</code>
          <OpenEditor place={{ drillId: drill.id }} />
          {drill.tags.map((tag) => (
            <span key={tag} class="kind">
              {tag}
            </span>
          ))}
        </p>
      </header>
      <Start drill={drill} />
      <Requests matches={(request) => request.drillIds?.includes(drill.id) === true} />
      <DrillFigures drillId={drill.id} recent={recent} />
      {timeline.interactions.map((interaction) => (
        <blockquote key={interaction.id} class="task">
          {interaction.task.instruction}
          <footer class="quiet">
            {interaction.id}, as {interaction.actorId}
          </footer>
        </blockquote>
      ))}
      <h3>What must hold</h3>
      <dl class="promises">
        {[...drill.assertions, ...timeline.invariants].map((assertion) => (
          <div key={assertion.id}>
            <dt>
              <code class="word">{assertion.id}</code>
              {!assertion.gate && <span class="quiet"> advisory</span>}
              {timeline.invariants.includes(assertion) && <span class="quiet"> always</span>}
            </dt>
            <dd title={assertion.kind}>{assertionWords(assertion)}</dd>
          </div>
        ))}
      </dl>
      <h3>How it is played</h3>
      <dl class="facts">
        <Fact name="Target">{drill.targetId}</Fact>
        <Fact name="Scenario">
          {drill.scenarioId === undefined ? (
            'the baseline'
          ) : (
            <a href={routeHash('world', ['scenarios', drill.scenarioId])}>{drill.scenarioId}</a>
          )}
        </Fact>
        <Fact name="Trials">
          {trials.count}{' '}
          <span class="quiet" title={classifications[trials.classification]}>
            {trials.classification}
          </span>
        </Fact>
        <Fact name="Tool calls">at most {timeline.maxToolCalls.toLocaleString('en-US')}</Fact>
        <DeclaredIn at={drill.provenance} />
      </dl>
      <Identity of={{ setup: drill.setupHash }} />
      <LatestRuns drillId={drill.id} recent={recent} />
    </article>
  );
}

/** The form that runs it, or why there is none. */
function Start({ drill }: { drill: DrillView }) {
  const refusal = projectReply.value?.unavailableTargets.find((one) => one.targetId === drill.targetId);
  const why = drill.skip ?? refusal?.message;
  if (why === undefined) return <Launch what={{ drillId: drill.id }} trials={drill.trials.count} />;
  return (
    <div class="notice">
      <h2 class="h3">{drill.skip === undefined ? 'It cannot be run here' : 'It is skipped'}</h2>
      <p>{why}</p>
    </div>
  );
}
