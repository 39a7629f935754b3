// The routes' work: each takes checked parts and gives a reply. What a reply is on the wire, api-routes.ts says.
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { InspectorRouteId, InspectorRoutes } from '../contract/inspector/inspector.js';
import type { ReportFormat } from '../contract/inspector/runs.js';
import { RawText } from '../http/router.js';
import type { EventHub, FollowRequest } from './event-hub.js';
import type { ArchivePort } from './journal/archive-port.js';
import { pageReply } from './journal/page-text.js';
import type { JournalMirrors } from './journal-mirrors.js';
import type { Playground } from './playground.js';
import type { ProjectSource } from './project-source.js';
import type { Recordings } from './recordings.js';
import type { ReportDirectory } from './report-directory.js';
import type { RetainedWorlds } from './retained-worlds.js';
import type { RunQueue } from './run-queue.js';
import type { RunReader } from './run-reader.js';
import { journalHead, worldEvidence, worldNamespaces, worldScheduled, worldState } from './world-pages.js';

export interface InspectorParts {
  project: ProjectSource;
  hub: EventHub;
  queue: RunQueue;
  archive: ArchivePort;
  reports: ReportDirectory;
  retained: RetainedWorlds;
  runs: RunReader;
  mirrors: JournalMirrors;
  playground: Playground;
  recordings: Recordings;
}
export interface ApiCall<Id extends InspectorRouteId> {
  path: InspectorRoutes[Id]['path'];
  query: InspectorRoutes[Id]['query'];
  body: InspectorRoutes[Id]['body'];
  /** Of the client. */
  signal: AbortSignal;
}
/** JSON as text, text, bytes and streams stand for themselves. */
type Reply<T> = T extends string ? RawText | AsyncIterable<string> : T | RawText;
export type Api = {
  [Id in InspectorRouteId]: (call: ApiCall<Id>) => Promise<Reply<InspectorRoutes[Id]['reply']>> | Reply<InspectorRoutes[Id]['reply']>;
};

const one = { schemaVersion: 1 } as const;

export function inspectorApi(parts: InspectorParts): Api {
  return { ...projectApi(parts), ...runsApi(parts), ...reportApi(parts), ...workApi(parts), ...worldsApi(parts), ...worldPagesApi(parts) };
}

type ProjectPages = 'getProject' | 'refresh' | 'openEditor' | 'getImplementation' | 'listSource' | 'getSource' | 'findSource';

function projectApi({ project, queue }: InspectorParts): Pick<Api, ProjectPages> {
  return {
    getProject: () => project.reply(),
    refresh: async () => {
      if (queue.isBusy)
        throw new ServiceError('control.STATE_CONFLICT', { message: 'A drill is running; reload the source when it has ended.' });
      return project.refresh();
    },
    openEditor: async ({ body }) => ({ ...one, ...(await project.openEditor(body)) }),
    getImplementation: ({ path }) => project.implementation(path),
    listSource: async () => (await project.repository()).list(),
    getSource: async ({ path }) => (await project.repository()).file(path),
    findSource: async ({ query }) => (await project.repository()).find(query),
  };
}

type RunPages =
  | 'listRuns'
  | 'findRun'
  | 'getRun'
  | 'listEvidence'
  | 'searchEvidence'
  | 'getChain'
  | 'getStory'
  | 'getTranscript'
  | 'getTimeline'
  | 'listNamespaces'
  | 'listState'
  | 'listRowChanges'
  | 'listFaults'
  | 'listScheduledEvents'
  | 'listCallbacks'
  | 'listAssertions';
function runsApi({ reports, queue, runs, archive }: InspectorParts): Pick<Api, RunPages> {
  return {
    listRuns: async ({ query }) => {
      const page = await reports.page(query);
      return { ...one, ...page, active: queue.active() };
    },
    findRun: async ({ path }) => ({ ...one, runId: await reports.find(path.name) }),
    getRun: ({ path, signal }) => runs.run(path.runId, signal),
    listEvidence: async ({ path, query, signal }) => new RawText(pageReply(await runs.evidence(path.runId, query, signal))),
    searchEvidence: async ({ path, query, signal }) => ({ ...one, ...(await runs.search(path.runId, query, signal)) }),
    getChain: async ({ path, signal }) => ({ ...one, ...(await runs.chain(path.runId, path.sequence, signal)) }),
    getTranscript: async ({ path, signal }) => ({ ...one, ...(await runs.transcript(path.runId, signal)) }),
    getStory: async ({ path, signal }) => ({ ...one, ...(await archive.ask('story', await runs.report(path.runId), signal)) }),
    getTimeline: async ({ path, query, signal }) => ({ ...one, ...(await runs.timeline(path.runId, query, signal)) }),
    listNamespaces: async ({ path, query, signal }) => ({ ...one, ...(await runs.namespaces(path.runId, query, signal)) }),
    listState: async ({ path, query, signal }) => ({ ...one, ...(await runs.state(path.runId, query, signal)) }),
    listRowChanges: async ({ path, query, signal }) => ({ ...one, ...(await runs.rowChanges(path.runId, query, signal)) }),
    listFaults: ({ path }) => runs.faults(path.runId),
    listScheduledEvents: ({ path }) => runs.scheduled(path.runId),
    listCallbacks: async ({ path, signal }) => ({ ...one, ...(await runs.callbacks(path.runId, signal)) }),
    listAssertions: async ({ path, signal }) => ({ ...one, ...(await archive.ask('assertions', await runs.report(path.runId), signal)) }),
  };
}

const formats: ReportFormat[] = ['html', 'json', 'junit', 'text'];
function reportApi({
  runs,
  archive,
  retained,
}: InspectorParts): Pick<Api, 'getReportAvailability' | 'getReport' | 'getReportZip' | 'listAttachments' | 'getAttachment'> {
  return {
    getReportAvailability: async ({ path: { runId } }) => {
      const source = await runs.sourceOf(runId);
      const world = source !== 'saved' || (await retained.has(runId));
      if (source !== 'saved') {
        const message = source === 'active' ? 'comes when the run ends' : 'was not written, or is gone';
        return { ...one, runId, available: false, formats: [], problems: [{ file: '', code: 'REPORT_MISSING', message }], world };
      }
      const { problems } = await archive.ask('verify', await runs.report(runId));
      const available = problems.length === 0;
      return { ...one, runId, available, formats: available ? formats : [], problems, world };
    },
    getReport: async ({ path }) => new RawText(await archive.ask('html', await runs.report(path.runId))),
    getReportZip: async ({ path }) => archive.ask('zip', await runs.report(path.runId)),
    listAttachments: async ({ path }) => ({ ...one, attachments: await archive.ask('attachments', await runs.report(path.runId)) }),
    getAttachment: async ({ path: { runId, attachmentId } }) => archive.ask('attachment', { ...(await runs.report(runId)), attachmentId }),
  };
}

type Work =
  | 'recordRun'
  | 'recordWorld'
  | 'startRun'
  | 'listRunRequests'
  | 'getRunRequest'
  | 'cancelRunRequest'
  | 'compareRuns'
  | 'listEvents';
function workApi({ queue, runs, archive, hub, project, playground, recordings }: InspectorParts): Pick<Api, Work> {
  return {
    startRun: async ({ body }) => ({ ...one, request: await queue.start(body) }),
    listRunRequests: () => ({ ...one, requests: queue.list() }),
    getRunRequest: ({ path }) => ({ ...one, request: queue.get(path.requestId) }),
    cancelRunRequest: ({ path }) => ({ ...one, request: queue.cancel(path.requestId) }),
    compareRuns: async ({ body, signal }) => {
      const [left, right] = [await runs.report(body.left), await runs.report(body.right)];
      return { ...one, comparison: await archive.ask('compare', { left, right }, signal) };
    },
    recordRun: ({ path, body }) => recordings.ofRun(path.runId, body),
    recordWorld: ({ path, body }) => recordings.ofWorld(path.worldId, body),
    listEvents: async ({ query, signal }) => {
      const follow = await followOf(query, async (id) => {
        if (playground.has(id)) return journalHead(playground.world(id));
        return (await runs.evidence(id, { fromSequence: 1, limit: 1 }, signal)).toSequence;
      });
      const hello = { type: 'hello', generation: project.generation, active: queue.active() } as const;
      return hub.listen(hello, { signal, ...defined({ follow }) });
    },
  };
}

async function followOf(
  { follow, fromSequence }: InspectorRoutes['listEvents']['query'],
  head: (id: string) => Promise<number>,
): Promise<FollowRequest | undefined> {
  if (follow === undefined) {
    if (fromSequence === undefined) return undefined;
    throw new ServiceError('control.INVALID_REQUEST', {
      message: 'The query breaks its schema.',
      issues: [{ path: '/query/fromSequence', code: 'conflict', message: 'goes with "follow"' }],
    });
  }
  // Also where it is said: whether there is such a thing is known now.
  const now = await head(follow);
  return { id: follow, nextSequence: fromSequence ?? now + 1 };
}

type Worlds =
  | 'createWorld'
  | 'listWorlds'
  | 'getWorld'
  | 'deleteWorld'
  | 'callWorld'
  | 'advanceWorld'
  | 'setWorldFault'
  | 'resetWorld'
  | 'forkWorld';
function worldsApi({ playground, project, mirrors, runs, hub }: InspectorParts): Pick<Api, Worlds> {
  return {
    createWorld: async ({ body, signal }) => {
      const { runId, atSequence, title } = body;
      const build = project.build();
      if (runId === undefined || atSequence === undefined) return { ...one, world: await playground.create(build, body) };
      const { parent, report, origin } = await runs.position(runId, atSequence, signal);
      const { seed, buildHash, drillId } = report.result.identity;
      const start = { kind: 'drill', id: drillId } as const;
      return { ...one, world: await playground.continueRun({ parent, origin, build, start, seed, buildHash, ...defined({ title }) }) };
    },
    listWorlds: async () => ({ ...one, worlds: await playground.list() }),
    getWorld: async ({ path }) => ({ ...one, world: await playground.get(path.worldId) }),
    deleteWorld: async ({ path: { worldId } }) => {
      await playground.remove(worldId);
      await mirrors.drop(worldId);
      return { ...one, worldId };
    },
    callWorld: async ({ path, body }) => ({ ...one, ...(await playground.call(path.worldId, body)) }),
    advanceWorld: async ({ path, body, signal }) => ({ ...one, ...(await playground.advance(path.worldId, body, signal)) }),
    setWorldFault: async ({ path, body }) => ({ ...one, ...(await playground.setFault(path.worldId, body)) }),
    resetWorld: async ({ path, body }) => {
      const reset = () => playground.reset(path.worldId, body);
      const world = await (body.packages === undefined ? hub.restart(path.worldId, reset) : reset());
      // A whole reset takes entries back.
      await mirrors.drop(path.worldId);
      return { ...one, world };
    },
    forkWorld: async ({ path, body }) => ({ ...one, world: await playground.fork(path.worldId, body) }),
  };
}

type WorldPages =
  | 'compareWorld'
  | 'listWorldEvidence'
  | 'searchWorldEvidence'
  | 'getWorldChain'
  | 'getWorldTimeline'
  | 'listWorldNamespaces'
  | 'listWorldState'
  | 'listWorldRowChanges'
  | 'listWorldFaults'
  | 'listWorldScheduledEvents'
  | 'listWorldActors'
  | 'listWorldTools';
function worldPagesApi({ playground, mirrors, archive, runs }: InspectorParts): Pick<Api, WorldPages> {
  const journal = ({ worldId }: { worldId: string }) => mirrors.of(worldId, playground.world(worldId));
  return {
    compareWorld: async ({ path, signal }) => {
      const { origin } = await playground.get(path.worldId);
      if (origin === undefined) throw new ServiceError('control.STATE_CONFLICT', { message: 'This world was not forked from a run.' });
      const { runId, atSequence } = origin;
      const { worldInstanceId } = playground.world(path.worldId);
      const ask = { report: await runs.report(runId), afterSequence: atSequence, place: await journal(path), worldInstanceId };
      return { ...one, runId, atSequence, ...(await archive.ask('continued', ask, signal)) };
    },
    listWorldEvidence: async ({ path, query }) => new RawText(pageReply(await worldEvidence(playground.world(path.worldId), query))),
    searchWorldEvidence: async ({ path, query, signal }) => ({
      ...one,
      ...(await archive.ask('search', { place: await journal(path), query }, signal)),
    }),
    getWorldChain: async ({ path, signal }) => ({
      ...one,
      ...(await archive.ask('chain', { place: await journal(path), query: { sequence: path.sequence } }, signal)),
    }),
    getWorldTimeline: async ({ path, query, signal }) => ({
      ...one,
      ...(await archive.ask('timeline', { place: await journal(path), query }, signal)),
    }),
    listWorldNamespaces: async ({ path, query }) => ({ ...one, ...(await worldNamespaces(playground.world(path.worldId), query)) }),
    listWorldState: async ({ path, query }) => ({ ...one, ...(await worldState(playground.world(path.worldId), query)) }),
    listWorldRowChanges: async ({ path, query, signal }) => ({
      ...one,
      ...(await archive.ask('rowChanges', { place: await journal(path), query }, signal)),
    }),
    listWorldFaults: async ({ path }) => ({ ...one, faults: await playground.world(path.worldId).query({ kind: 'faults' }) }),
    listWorldScheduledEvents: ({ path }) => worldScheduled(playground.world(path.worldId)),
    listWorldActors: async ({ path }) => ({ ...one, actors: await playground.world(path.worldId).query({ kind: 'actors' }) }),
    listWorldTools: async ({ path, query }) => ({ ...one, tools: await playground.world(path.worldId).query({ kind: 'tools', ...query }) }),
  };
}
