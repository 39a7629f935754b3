// Play: live worlds to try tools in by hand. The list of them and how to start one; a world itself is play-world.tsx.
import { useEffect, useState } from 'preact/hooks';
import type { CreateWorldRequest, PlayWorld } from '../../../contract/inspector/worlds.js';
import type { ProjectView } from '../../../contract/run/project-view.js';
import { virtualClock } from '../../../text/virtual-time.js';
import { Await, Empty, useLoad } from '../../../viewer/kit/loading.tsx';
import { counted, hostTime, PageHead, Problem } from '../../../viewer/kit/parts.tsx';
import { forgetWorld, isOffline, listWorlds, noteWorld, projectLoad, worlds } from '../state/live.tsx';
import { routeHash } from '../state/route.ts';
import { client, go, pageWatch } from '../state/session.tsx';
import { useBusy } from '../state/use-busy.tsx';
import { SeedField } from './launch.tsx';
import { PlayWorldView } from './play-world.tsx';
import { startWords } from './world-words.ts';

const lead = 'A world of your own: call its tools, move its clock, break it, fork it. No run is touched.';

export function PlayView({ worldId, query }: { worldId: string | undefined; query: { [name: string]: string } }) {
  const project = projectLoad();
  const listed = useLoad('worlds', listWorlds);
  const world = worldId === undefined ? undefined : worlds.value.get(worldId);
  return (
    <Await of={project} what="the project" head={<PageHead title="Play" lead={lead} />}>
      {(view) => (
        <Await of={listed} what="the worlds" head={<PageHead title="Play" lead={lead} />}>
          {() =>
            worldId === undefined ? (
              <WorldList view={view} scenario={query.scenario} />
            ) : world === undefined ? (
              <>
                <PageHead title="Play" />
                <Empty title="This world is gone">
                  <p>
                    Worlds to play with last as long as the inspector runs. <a href={routeHash('play')}>Start another one</a>.
                  </p>
                </Empty>
              </>
            ) : (
              <PlayWorldView key={worldId} world={world} query={query} />
            )
          }
        </Await>
      )}
    </Await>
  );
}

function WorldList({ view, scenario }: { view: ProjectView; scenario: string | undefined }) {
  const list = [...worlds.value.values()].sort((left, right) => right.createdAtMs - left.createdAtMs);
  return (
    <>
      <PageHead title="Play" lead={lead} />
      {view.buildHash === undefined ? (
        <Empty title="The source does not compile">
          <p>
            A world can be started once the <a href={routeHash('world', ['diagnostics'])}>diagnostics</a> are gone.
          </p>
        </Empty>
      ) : (
        <NewWorld view={view} scenario={scenario} />
      )}
      {list.length > 0 && <h2>Worlds that are open</h2>}
      <ul class="stack">
        {list.map((world) => (
          <WorldRow key={world.worldId} world={world} />
        ))}
      </ul>
    </>
  );
}

function WorldRow({ world }: { world: PlayWorld }) {
  const { busy, problem, run } = useBusy();
  const end = async (): Promise<void> => {
    await client.call('deleteWorld', { path: { worldId: world.worldId } });
    forgetWorld(world.worldId);
  };
  return (
    <li class="card row">
      <a class="grow" href={routeHash('play', [world.worldId])}>
        <strong>{startWords(world)}</strong>
      </a>
      <span class="quiet">
        {virtualClock(world.position.virtualTimeUs)} · {counted(world.position.evidenceSequence, 'entry', 'entries')} · since{' '}
        {hostTime(world.createdAtMs)}
      </span>
      <button
        type="button"
        onClick={() => run(end)}
        aria-disabled={busy}
        disabled={isOffline.value}
        aria-label={`End ${startWords(world)}`}
      >
        End
      </button>
      <Problem text={problem} />
    </li>
  );
}

function NewWorld({ view, scenario }: { view: ProjectView; scenario: string | undefined }) {
  const [start, setStart] = useState(scenario === undefined ? '' : `scenario:${scenario}`);
  const { busy, problem, run } = useBusy();
  useEffect(() => {
    if (scenario !== undefined) setStart(`scenario:${scenario}`);
  }, [scenario]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const seed = String(new FormData(event.currentTarget as HTMLFormElement).get('seed') ?? '').trim();
    const [kind, id] = start.split(':');
    const body: CreateWorldRequest = {
      ...(kind === 'scenario' ? { scenarioId: id! } : kind === 'drill' ? { drillId: id! } : {}),
      ...(seed === '' ? {} : { seed }),
    };
    const isHere = pageWatch();
    run(async () => {
      const { world } = await client.call('createWorld', { body });
      noteWorld(world);
      if (isHere()) go(routeHash('play', [world.worldId]));
    });
  };
  return (
    <form class="launch" onSubmit={submit}>
      <label class="field wide">
        It starts from
        <select value={start} onChange={(event) => setStart(event.currentTarget.value)}>
          <option value="">the world's baseline</option>
          {view.scenarios.length > 0 && (
            <optgroup label="A scenario">
              {view.scenarios.map((one) => (
                <option key={one.id} value={`scenario:${one.id}`}>
                  {one.title ?? one.id}
                </option>
              ))}
            </optgroup>
          )}
          {view.drills.length > 0 && (
            <optgroup label="What a drill starts from">
              {view.drills.map((one) => (
                <option key={one.id} value={`drill:${one.id}`}>
                  {one.title ?? one.id}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      <SeedField />
      <button type="submit" class="primary" aria-disabled={busy} disabled={isOffline.value}>
        Start a world
      </button>
      <Problem text={problem} />
    </form>
  );
}
