// Drills and suites: run one with options, watch it, read the verdict of every trial, run it again with the same seed.
import { useState } from 'preact/hooks';
import type { InspectorStartRunRequest, RunRequest } from '../../../contract/inspector/runs.js';
import { limits } from '../../../contract/limits.js';
import type { ProjectView } from '../../../contract/run/project-view.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { counted, DeclaredIn, Fact, Hash, PageHead, Problem } from '../../../viewer/kit/parts.tsx';
import { tuning } from '../../tuning.js';
import { noteRequest, projectLoad, projectReply, requests, runsEnded } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client } from '../state/session.tsx';
import { RequestCard } from './request-card.tsx';
import { RunTable } from './runs-view.tsx';
import { Chooser } from './world-parts.tsx';

type DrillView = ProjectView['drills'][number];
type SuiteView = ProjectView['suites'][number];

export function DrillsView({ path }: { path: string[] }) {
  const project = projectLoad();
  return (
    <>
      <PageHead title="Drills" lead="Try the agent, as often as it takes. Every attempt leaves evidence." />
      <Await of={project} what="the drills">
        {(view) => (view.drills.length === 0 ? <NoDrills view={view} /> : <Drills view={view} chosen={path[0]} />)}
      </Await>
    </>
  );
}

function NoDrills({ view }: { view: ProjectView }) {
  if (view.buildHash === undefined) {
    return (
      <Empty title="The source does not compile">
        <p>
          <a href={routeHash('world', ['diagnostics'])}>{counted(view.diagnostics.length, 'diagnostic')}</a> say why. Drills can be run once
          they are gone.
        </p>
      </Empty>
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

function Drills({ view, chosen }: { view: ProjectView; chosen: string | undefined }) {
  const [kind, id] = chosen?.startsWith('suite:') ? ['suite', chosen.slice(6)] : ['drill', chosen];
  const suite = kind === 'suite' ? view.suites.find((one) => one.id === id) : undefined;
  const drill = suite === undefined ? (view.drills.find((one) => one.id === id) ?? view.drills[0]!) : undefined;
  const items = [
    ...view.suites.map((one) => ({ id: `suite:${one.id}`, title: one.title ?? one.id, note: `suite · ${suiteWords(one)}` })),
    ...view.drills.map((one) => ({ id: one.id, title: one.title ?? one.id, note: noteOf(one) })),
  ];
  return (
    <div class="split">
      <Chooser label="Drills and suites" items={items} chosen={chosen ?? drill?.id ?? ''} hash={(next) => routeHash('drills', [next])} />
      {suite !== undefined ? <SuitePanel key={suite.id} suite={suite} /> : <DrillPanel key={drill!.id} drill={drill!} />}
    </div>
  );
}

function noteOf({ targetId, scenarioId = 'baseline', skip }: DrillView): string {
  return `${targetId} · ${scenarioId}${skip === undefined ? '' : ' · skipped'}`;
}

function suiteWords(suite: SuiteView): string {
  if (suite.drills.length === 0 && suite.tags.length === 0) return 'every drill';
  return [...(suite.drills.length > 0 ? [counted(suite.drills.length, 'drill')] : []), ...suite.tags.map((tag) => `#${tag}`)].join(' · ');
}

function SuitePanel({ suite }: { suite: SuiteView }) {
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
      <Requests matches={(request) => request.asked.suiteId === suite.id} />
    </article>
  );
}

function DrillPanel({ drill }: { drill: DrillView }) {
  const { timeline, trials } = drill;
  const refusal = projectReply.value?.unavailableTargets.find((one) => one.targetId === drill.targetId);
  return (
    <article class="panel" aria-label={drill.id}>
      <header class="panel-head">
        <h2>{drill.title ?? drill.id}</h2>
        <p class="row">
          <code class="word">{drill.id}</code>
          {drill.tags.map((tag) => (
            <span key={tag} class="kind">
              {tag}
            </span>
          ))}
        </p>
      </header>
      {drill.skip !== undefined ? (
        <div class="notice">
          <h2 class="h3">It is skipped</h2>
          <p>{drill.skip}</p>
        </div>
      ) : refusal === undefined ? (
        <Launch what={{ drillId: drill.id }} trials={trials.count} />
      ) : (
        <div class="notice">
          <h2 class="h3">It cannot be run here</h2>
          <p>{refusal.message}</p>
        </div>
      )}
      <Requests matches={(request) => request.asked.drillId === drill.id} />
      {timeline.interactions.map((interaction) => (
        <blockquote key={interaction.id} class="task">
          {interaction.task.instruction}
          <footer class="quiet">
            {interaction.id}, as {interaction.actorId}
          </footer>
        </blockquote>
      ))}
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
          {trials.count} <span class="quiet">{trials.classification}</span>
        </Fact>
        <Fact name="Tool calls">at most {timeline.maxToolCalls.toLocaleString('en-US')}</Fact>
        <DeclaredIn at={drill.provenance} />
        <Hash name="setup" value={drill.setupHash} />
      </dl>
      <h3>What must hold</h3>
      <ul class="plain">
        {[...drill.assertions, ...timeline.invariants].map((assertion) => (
          <li key={assertion.id} class="line">
            <code class="word">{assertion.id}</code> <span class="quiet">{assertion.kind}</span>
          </li>
        ))}
      </ul>
      <Before drillId={drill.id} />
    </article>
  );
}

function Before({ drillId }: { drillId: string }) {
  const latest = useLoad(`runs of ${drillId} ${runsEnded.value}`, () =>
    client.call('listRuns', { query: { limit: tuning.runsChosenFrom } }),
  );
  const runs = (latest.value?.runs ?? []).filter((run) => run.drill.id === drillId).slice(0, 8);
  if (runs.length === 0) return null;
  return (
    <>
      <h3>Runs of it</h3>
      <RunTable runs={runs} />
    </>
  );
}

function Requests({ matches }: { matches: (request: RunRequest) => boolean }) {
  const mine = [...requests.value.values()].filter(matches).sort((left, right) => right.createdAtMs - left.createdAtMs);
  return (
    <>
      {mine.slice(0, 3).map((request) => (
        <RequestCard key={request.requestId} request={request} />
      ))}
    </>
  );
}

type Selection = Pick<InspectorStartRunRequest, 'drillId' | 'suiteId'>;

function Launch({
  what,
  trials,
  retries,
  concurrency,
}: {
  what: Selection;
  trials?: number | undefined;
  retries?: number;
  concurrency?: number;
}) {
  const [problem, setProblem] = useState<string | undefined>();
  const [starting, setStarting] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const number = (name: string): { [name: string]: number } => (given.get(name) === '' ? {} : { [name]: Number(given.get(name)) });
    const seed = String(given.get('seed') ?? '').trim();
    setStarting(true);
    setProblem(undefined);
    try {
      const body = { ...what, ...(seed === '' ? {} : { seed }), ...number('trials'), ...number('retries'), ...number('concurrency') };
      noteRequest((await client.call('startRun', { body })).request);
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setStarting(false);
    }
  };
  return (
    <form class="launch" onSubmit={submit}>
      <label class="field wide">
        Seed
        <input name="seed" placeholder="a fresh one" autocomplete="off" spellcheck={false} />
      </label>
      <label class="field">
        Trials
        <input name="trials" type="number" min={1} max={limits.trialsMax} placeholder={trials === undefined ? 'its own' : String(trials)} />
      </label>
      <label class="field">
        Retries
        <input name="retries" type="number" min={0} max={limits.retriesMax} placeholder={String(retries ?? 0)} />
      </label>
      <label class="field">
        At a time
        <input name="concurrency" type="number" min={1} max={limits.runConcurrencyMax} placeholder={String(concurrency ?? 1)} />
      </label>
      <button type="submit" class="primary" disabled={starting}>
        {starting ? 'Starting…' : 'Run'}
      </button>
      <Problem text={problem} />
    </form>
  );
}
