// What the app knows without asking again: the project, runs that run, requests, playground worlds; kept current by the live stream.
import { computed, signal } from '@preact/signals';
import { pause } from '../../../async/pause.js';
import { LruMap } from '../../../collections/lru-map.js';
import { defined } from '../../../contract/defined.js';
import type { InspectorEvent, InspectorProjectReply } from '../../../contract/inspector/inspector.js';
import type { ActiveRun, RunRequest } from '../../../contract/inspector/runs.js';
import type { PlayWorld } from '../../../contract/inspector/worlds.js';
import type { LoadState } from '../../../viewer/kit/loading.tsx';
import { useLoad } from '../../../viewer/kit/loading.tsx';
import { tuning } from '../../tuning.js';
import { client, token } from './session.tsx';

export type Connection = 'connecting' | 'open' | 'lost';

export const connection = signal<Connection>('connecting');
/** When the server was last heard; what asks something of it waits while it is gone. */
export const lastSeenMs = signal<number | undefined>(undefined);
export const isOffline = computed(() => connection.value !== 'open' && lastSeenMs.value !== undefined && lostOnce.value);
const lostOnce = signal(false);
/** Ends the wait before the next try. */
let tryNow: () => void = () => {};
export const projectReply = signal<InspectorProjectReply | undefined>(undefined);
export const project = computed(() => projectReply.value?.project);
export const requests = signal<ReadonlyMap<string, RunRequest>>(new Map());
export const active = signal<ReadonlyMap<string, ActiveRun>>(new Map());
export const worlds = signal<ReadonlyMap<string, PlayWorld>>(new Map());
/** Worlds that are no more: an answer that was on its way names them still. */
const ended = new LruMap<string, true>({ entriesMax: tuning.endedWorldsMax });
/** How far each journal reaches that has grown since the app began, by run or world. */
export const grown = signal<ReadonlyMap<string, number>>(new Map());
/** How much the agents of running runs have said. */
export const said = signal<ReadonlyMap<string, number>>(new Map());
/** Rises whenever a run ends: lists of runs ask again. */
export const runsEnded = signal(0);
export const refreshing = signal(false);
/** Why the last reload of the source failed. */
export const refreshProblem = signal<string | undefined>(undefined);

/** What changed last in the repository, until it is dealt with. */
export const sourceChange = signal<{ files: string[]; drills: string[] } | undefined>(undefined);

const generation = signal(0);

/** The request that is under way, for a project of this generation or a later one; 0 until the stream has named one. */
let asked: { generation: number; reply: Promise<InspectorProjectReply> } | undefined;

/**
 * The project, requested again after each reload of its source, and once for all that show it. As it was it stays until then, and so does
 * a dialog over it.
 */
export function projectLoad(): LoadState<InspectorProjectReply['project']> {
  const { error, reload } = useLoad(`project ${generation.value}`, loadProject);
  return { reload, ...defined({ value: project.value, error }) };
}

async function loadProject(): Promise<void> {
  const wanted = generation.value;
  const isKnown = (): boolean => (projectReply.value?.generation ?? -1) >= wanted;
  if (isKnown()) return;
  noteProject(await askProject(wanted));
  // The stream has named a later one than the server had when it was asked.
  if (!isKnown()) noteProject(await client.call('getProject', {}));
}

function askProject(wanted: number): Promise<InspectorProjectReply> {
  if (asked?.generation === wanted) return asked.reply;
  const reply = client.call('getProject', {});
  const mine = { generation: wanted, reply };
  const end = (): void => {
    if (asked === mine) asked = undefined;
  };
  asked = mine;
  reply.then(end, end);
  return reply;
}

/** One that was asked for before a reload may come after it. */
function noteProject(reply: InspectorProjectReply): void {
  if (reply.generation >= (projectReply.value?.generation ?? 0)) projectReply.value = reply;
}

export async function refreshProject(): Promise<void> {
  refreshing.value = true;
  refreshProblem.value = undefined;
  try {
    const reply = await client.call('refresh', { body: {} });
    noteProject(reply);
    generation.value = reply.generation;
  } catch (error) {
    refreshProblem.value = (error as Error).message;
  } finally {
    refreshing.value = false;
  }
}

/** The reply to a request may come after the stream has reported a later state: what is older than what is known is left. */
export function noteRequest(request: RunRequest): void {
  const known = requests.value.get(request.requestId);
  if (known !== undefined && progressOf(request) < progressOf(known)) return;
  requests.value = new Map(requests.value).set(request.requestId, request);
}

function progressOf({ state, runsTotal }: RunRequest): number {
  if (state === 'queued') return 0;
  return state === 'running' ? 1 + runsTotal : Number.POSITIVE_INFINITY;
}

/**
 * The reply to a request that was made before a whole reset may come after it: what it says of the journal then is over. So may a list that
 * was asked for before the stream opened: of the same journal what is known reaches further.
 */
export function noteWorld(world: PlayWorld): void {
  const { worldId, resets, position } = world;
  if (ended.peek(worldId) === true) return;
  const known = worlds.value.get(worldId);
  if (known !== undefined && resets < known.resets) return;
  const isSameJournal = known === undefined || resets === known.resets;
  const reached = isSameJournal ? (grown.value.get(worldId) ?? 0) : 0;
  if (known === undefined || !isSameJournal || position.evidenceSequence >= known.position.evidenceSequence)
    worlds.value = new Map(worlds.value).set(worldId, world);
  noteGrowth(worldId, Math.max(reached, position.evidenceSequence));
}

/** What the stream did not say while nobody listened: worlds that were reset, and those that are gone. */
export async function listWorlds(): Promise<readonly PlayWorld[]> {
  const earlier = [...worlds.value.keys()];
  const { worlds: open } = await client.call('listWorlds', {});
  const ids = new Set<string>(open.map(({ worldId }) => worldId));
  for (const worldId of earlier) if (!ids.has(worldId)) forgetWorld(worldId);
  for (const world of open) noteWorld(world);
  return open;
}

export function forgetWorld(worldId: string): void {
  ended.set(worldId, true);
  worlds.value = without(worlds.value, worldId);
}

function noteGrowth(id: string, toSequence: number): void {
  if (grown.value.get(id) !== toSequence) grown.value = new Map(grown.value).set(id, toSequence);
}

/** What was not dealt with yet stays. */
function union(before: readonly string[] = [], now: readonly string[]): string[] {
  return [...new Set([...before, ...now])];
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

function hear(event: InspectorEvent): void {
  switch (event.type) {
    case 'hello':
      // What was asked for before the stream opened is likely to be of this one.
      if (asked?.generation === 0) asked.generation = event.generation;
      generation.value = event.generation;
      active.value = new Map(event.active.map((run) => [run.runId, run]));
      break;
    case 'project':
      generation.value = event.generation;
      break;
    case 'source':
      sourceChange.value = {
        files: union(sourceChange.value?.files, event.files),
        drills: union(sourceChange.value?.drills, event.drills),
      };
      break;
    case 'run-request':
      noteRequest(event.request);
      break;
    case 'run':
      if (event.phase === 'finished') {
        active.value = without(active.value, event.run.runId);
        runsEnded.value++;
      } else active.value = new Map(active.value).set(event.run.runId, event.run);
      break;
    case 'evidence':
      noteGrowth(event.id, event.toSequence);
      break;
    case 'transcript':
      said.value = new Map(said.value).set(event.id, event.lines);
      break;
    case 'entries':
      break;
    case 'world':
      if (event.change === 'deleted') forgetWorld(event.worldId);
      else noteWorld(event.world);
      break;
  }
}

/** Keeps the stream open for as long as there is a token; after it broke, tries again with growing patience. */
export function startLive(): void {
  let current: AbortController | undefined;
  token.subscribe((value) => {
    current?.abort();
    // Another inspector counts from 1 again.
    projectReply.value = undefined;
    generation.value = 0;
    asked = undefined;
    if (value === '') return;
    current = new AbortController();
    follow(current.signal);
  });
}

/**
 * A browser opens few connections to one server: the stream of a tab that nobody sees would be taken from those that are looked at.
 * Aborts once the tab has been out of sight for a while.
 */
function untilHidden(ended: AbortSignal): AbortController {
  const hidden = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => hidden.abort(), tuning.hiddenStreamMs);
  };
  document.addEventListener('visibilitychange', look, { signal: hidden.signal });
  ended.addEventListener('abort', () => hidden.abort(), { signal: hidden.signal });
  look();
  return hidden;
}

function untilSeen(ended: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      if (!document.hidden || ended.aborted) resolve();
    };
    document.addEventListener('visibilitychange', done, { signal: ended });
    ended.addEventListener('abort', done, { once: true });
  });
}

export function reconnect(): void {
  tryNow();
}

async function listRequests(): Promise<void> {
  try {
    const earlier = requests.value;
    const { requests: known } = await client.call('listRunRequests', {});
    // Of an earlier inspector, or dropped since: gone. What the stream has named meanwhile may be newer than the list.
    const named = [...requests.value].filter(([id, request]) => earlier.get(id) !== request);
    requests.value = new Map(known.map((request) => [request.requestId, request]));
    for (const [, request] of named) noteRequest(request);
  } catch {
    // The state of the connection shows it.
  }
}

async function follow(ended: AbortSignal): Promise<void> {
  let opened = 0;
  for (let waitMs = tuning.liveRetryFirstMs; !ended.aborted; waitMs = Math.min(waitMs * 2, tuning.liveRetryMaxMs)) {
    await untilSeen(ended);
    connection.value = 'connecting';
    const hidden = untilHidden(ended);
    try {
      await client.events(
        () => {
          connection.value = 'open';
          // Once the stream is open: what changed before it is in the lists, and what changes later in the stream. A list that was asked
          // for before may come after, and says less.
          void listRequests();
          // Where it fails, the state of the connection shows it.
          void listWorlds().catch(() => {});
          lostOnce.value = false;
          // Runs may have ended meanwhile.
          if (opened++ > 0) runsEnded.value++;
          waitMs = tuning.liveRetryFirstMs;
        },
        (event) => {
          lastSeenMs.value = Date.now();
          hear(JSON.parse(event.data) as InspectorEvent);
        },
        hidden.signal,
      );
    } catch {
      // The state of the connection shows it; views show what they could not load.
    }
    const isHidden = hidden.signal.aborted;
    hidden.abort();
    if (ended.aborted) return;
    if (isHidden) continue;
    connection.value = 'lost';
    lostOnce.value = true;
    const patience = new AbortController();
    tryNow = () => patience.abort();
    ended.addEventListener('abort', tryNow, { once: true });
    await pause(waitMs, patience.signal);
  }
}
