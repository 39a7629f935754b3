// A live world: its clock, an operation to call, its faults and what comes next, above its journal and its state at any moment.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { defined } from '../../../contract/defined.js';
import type { PlayWorld } from '../../../contract/inspector/worlds.js';
import type { FaultView } from '../../../contract/world/world-protocol.js';
import { virtualClock } from '../../../text/virtual-time.js';
import { EvidenceBench } from '../../../viewer/evidence-bench.tsx';
import { choicesOf, filterOfQuery, type JournalFilter, queryOfFilter } from '../../../viewer/journal-filter.ts';
import { useLoad } from '../../../viewer/kit/loading.tsx';
import { Copy, DueEvent, Problem } from '../../../viewer/kit/parts.tsx';
import { grown, isOffline, noteWorld, project, worlds } from '../state/live.tsx';
import { meaningInProject, worldSource } from '../state/live-source.tsx';
import { routeHash } from '../state/route.ts';
import { client, go, pageWatch, refine, route } from '../state/session.tsx';
import { type Busy, useBusy } from '../state/use-busy.tsx';
import { CallForm } from './call-form.tsx';
import { RecordActions } from './record-dialog.tsx';
import { RunOrigin } from './run-origin.tsx';
import { startWords } from './world-words.ts';

const nothingCited: ReadonlyMap<number, readonly string[]> = new Map();

export function PlayWorldView({ world, query }: { world: PlayWorld; query: { [name: string]: string } }) {
  const { worldId, resets } = world;
  const work = useBusy();
  const time = useBusy();
  const problem = work.problem ?? time.problem;
  const source = useMemo(() => worldSource(client, { worldId, resets }), [worldId, resets]);
  const count = Math.max(world.position.evidenceSequence, grown.value.get(worldId) ?? 0);
  const selected = query.seq === undefined ? undefined : Math.min(Math.max(Number(query.seq) || 1, 1), Math.max(count, 1));
  // Of what is shown by then: a call may be answered after the filter has changed.
  const say = (more: { [name: string]: string | number | undefined }): void =>
    refine(routeHash('play', [worldId], { ...route.value.query, ...more }));
  const show = (seq: number | undefined): void => say({ seq });
  const narrow = (filter: JournalFilter): void => say(queryOfFilter(filter));
  const act: Act = (doIt) => work.run(async () => noteWorld(await doIt()));
  const fork = (atSequence?: number): void =>
    work.run(async () => {
      const isHere = pageWatch();
      const reply = await client.call('forkWorld', { path: { worldId }, body: defined({ atSequence }) });
      noteWorld(reply.world);
      if (isHere()) go(routeHash('play', [reply.world.worldId]));
    });
  return (
    <div class="play">
      <WorldHead world={world} act={act} busy={work.busy} time={time} onFork={() => fork()} />
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {world.origin !== undefined && <RunOrigin world={world} />}
      <EvidenceBench
        source={source}
        count={count}
        filter={filterOfQuery(query)}
        onFilter={narrow}
        choices={choicesOf(project.value?.world?.actors ?? noActors)}
        interactions={noInteractions}
        selected={selected}
        cited={nothingCited}
        onSelect={show}
        onClose={() => show(undefined)}
        meaningOf={meaningInProject}
        actions={() => (
          <button type="button" aria-disabled={work.busy} disabled={isOffline.value} onClick={() => fork(selected)}>
            Fork from here
          </button>
        )}
      >
        <div class="play-grid">
          <CallForm
            worldId={worldId}
            resets={resets}
            first={world.origin?.next}
            onCalled={(reply) => {
              noteWorld(reply.world);
              if (worlds.value.get(worldId)?.resets === reply.world.resets) show(reply.result.sequence);
            }}
          />
          <Weather world={world} />
        </div>
      </EvidenceBench>
    </div>
  );
}

const noInteractions: [] = [];
const noActors: [] = [];

type Act = (doIt: () => Promise<PlayWorld>) => void;

const steps: [string, number][] = [
  ['+1 min', 60_000_000],
  ['+1 h', 3_600_000_000],
  ['+1 d', 86_400_000_000],
];

interface WorldHeadProps {
  world: PlayWorld;
  act: Act;
  busy: boolean;
  /** What moves the clock. */
  time: Busy;
  onFork: () => void;
}

/** Steps that are asked for while the clock is moved are made together after that. */
function useClock({ worldId }: PlayWorld, { run }: Busy) {
  const ahead = useRef(0);
  const moveTo = async (targetUs: number): Promise<void> =>
    noteWorld((await client.call('advanceWorld', { path: { worldId }, body: { targetUs } })).world);
  const move = (targetUs?: number): void =>
    run(async () => {
      try {
        if (targetUs !== undefined) await moveTo(targetUs);
        for (let world = worlds.value.get(worldId); world !== undefined && ahead.current > 0; world = worlds.value.get(worldId)) {
          const nextUs = world.position.virtualTimeUs + ahead.current;
          ahead.current = 0;
          await moveTo(nextUs);
        }
      } finally {
        ahead.current = 0;
      }
    });
  const step = (us: number): void => {
    ahead.current += us;
    move();
  };
  return { move, step };
}

function WorldHead({ world, act, busy, time, onFork }: WorldHeadProps) {
  const { worldId, position } = world;
  const path = { worldId };
  const { move, step } = useClock(world, time);
  const reset = (): void => act(async () => (await client.call('resetWorld', { path, body: {} })).world);
  return (
    <header class="run-head">
      <p class="crumbs">
        <a href={routeHash('play')}>Play</a> <span aria-hidden="true">/</span> <code>{worldId}</code>{' '}
        <Copy text={worldId} label="world id" />
      </p>
      <div class="run-title">
        <div>
          <h1>{startWords(world)}</h1>
          {world.parent !== undefined && (
            <p class="quiet">
              Forked from{' '}
              <a href={routeHash('play', [world.parent.worldId], { seq: world.parent.atSequence })}>
                {world.parent.worldId} at #{world.parent.atSequence}
              </a>
            </p>
          )}
          <p class="clock">
            <span class="quiet">It is</span> <time>{virtualClock(position.virtualTimeUs)}</time>
          </p>
        </div>
        <div class="actions">
          {steps.map(([text, us]) => (
            <button key={text} type="button" disabled={isOffline.value} onClick={() => step(us)}>
              {text}
            </button>
          ))}
          <button
            type="button"
            aria-disabled={time.busy}
            disabled={world.nextEventUs === undefined || isOffline.value}
            onClick={() => {
              const { nextEventUs } = world;
              if (nextEventUs !== undefined) move(nextEventUs);
            }}
          >
            To the next event
          </button>
          <button type="button" aria-disabled={busy} disabled={isOffline.value} onClick={onFork}>
            Fork
          </button>
          <button type="button" aria-disabled={busy} disabled={isOffline.value} onClick={reset}>
            Reset
          </button>
          <RecordActions of={{ worldId }} name={world.start.id ?? 'played'} />
        </div>
      </div>
    </header>
  );
}

const byActivity = (left: FaultView, right: FaultView): number =>
  Number(right.active) - Number(left.active) || Number(right.triggered > 0) - Number(left.triggered > 0);

/** What the world does to those who use it: its faults, and what is due. */
function Weather({ world }: { world: PlayWorld }) {
  const path = { worldId: world.worldId };
  const now = `${world.worldId} ${world.resets} ${world.position.evidenceSequence}`;
  const faults = useLoad(`faults ${now}`, async () => (await client.call('listWorldFaults', { path })).faults, { keep: true });
  const pending = useLoad(`pending ${now}`, () => client.call('listWorldScheduledEvents', { path }), { keep: true });
  return (
    <section class="card weather" aria-label="Faults and scheduled events">
      <h2 class="h3">Faults</h2>
      {faults.value?.length === 0 && <p class="quiet">Its tools know none.</p>}
      <ul class="plain fault-list" tabIndex={isOffline.value ? 0 : undefined}>
        {faults.value?.toSorted(byActivity).map((fault) => (
          <FaultRow key={fault.packageId + fault.instanceId + fault.faultId} worldId={world.worldId} fault={fault} />
        ))}
      </ul>
      <h2 class="h3">What comes next</h2>
      {pending.value?.total === 0 && <p class="quiet">Nothing is scheduled.</p>}
      {pending.value?.events.slice(0, 6).map((event) => (
        <DueEvent key={event.scheduledEventId} of={event} max={60} />
      ))}
      {(pending.value?.total ?? 0) > 6 && <p class="quiet">and {(pending.value?.total ?? 0) - 6} more</p>}
    </section>
  );
}

/** Switched again while the first switch is under way, it ends as it was switched last. */
function FaultRow({ worldId, fault }: { worldId: string; fault: FaultView }) {
  const { packageId, instanceId, faultId } = fault;
  const [wanted, setWanted] = useState<boolean | undefined>();
  const next = useRef<boolean | undefined>(undefined);
  const { problem, run } = useBusy();
  const set = async (): Promise<void> => {
    try {
      for (let active = next.current; active !== undefined; active = next.current) {
        next.current = undefined;
        noteWorld((await client.call('setWorldFault', { path: { worldId }, body: { packageId, instanceId, faultId, active } })).world);
      }
    } catch (error) {
      next.current = undefined;
      setWanted(undefined);
      throw error;
    }
  };
  // Until the list says so.
  useEffect(() => setWanted(next.current), [fault]);
  const choose = (active: boolean): void => {
    next.current = active;
    setWanted(active);
    run(set);
  };
  return (
    <li>
      <label class="toggle">
        <input
          type="checkbox"
          checked={wanted ?? fault.active}
          disabled={isOffline.value}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
        <code>
          {packageId}.{faultId}
        </code>
        {fault.triggered > 0 && <span class="quiet">fired {fault.triggered}×</span>}
      </label>
      <FaultMeaning fault={fault} />
      <Problem text={problem} />
    </li>
  );
}

function FaultMeaning({ fault }: { fault: FaultView }) {
  const meaning = meaningInProject(fault);
  if (meaning === undefined) return null;
  return (
    <small class={fault.active ? 'quiet fault-meaning' : 'quiet fault-meaning off'} title={meaning}>
      {meaning}
    </small>
  );
}
