// The local inspector: one repository, its runs and a place to play, served to the one who holds the token, on loopback only.
//   START-INSPECTOR-1. What it writes lies in one temporary folder, which goes with it; runs and reports are written by runDrills alone.
// Source is read and never run here: drills run through runDrills, worlds to play with in hosts of their own.
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { within } from '../async/deadline.js';
import { pause } from '../async/pause.js';
import { createBindings } from '../bindings/create-bindings.js';
import { type CallbackReceivers, loopbackReceiver } from '../callbacks/receivers.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { type OptionShapes, optionShapes, requireOptions } from '../contract/known-options.js';
import { limits } from '../contract/limits.js';
import { localFolders } from '../contract/local-folders.js';
import type { TargetModule } from '../contract/run/target-invocation.js';
import { requireLoopback } from '../http/guards.js';
import type { RouteFailure } from '../http/route-failure.js';
import { createRouter } from '../http/router.js';
import type { HttpServer } from '../http/server.js';
import { type StartHttpServerOptions, startHttpServer } from '../http/start-server.js';
import type { Worlds } from '../worlds/api.js';
import { chooseLocalIsolation, openLocalWorlds } from '../worlds/local-worlds.js';
import { inspectorApi } from './api.js';
import { apiRoutes } from './api-routes.js';
import { editorOf } from './editor.js';
import { EventHub } from './event-hub.js';
import { ArchivePort } from './journal/archive-port.js';
import { JournalMirrors } from './journal-mirrors.js';
import { LiveWatch } from './live-watch.js';
import { documentRoute } from './openapi.js';
import { Playground } from './playground.js';
import { ProjectSource } from './project-source.js';
import { Recordings } from './recordings.js';
import { ReportDirectory } from './report-directory.js';
import { repositoryPorts } from './repository-port.js';
import { RetainedWorlds } from './retained-worlds.js';
import { RunQueue } from './run-queue.js';
import { RunReader } from './run-reader.js';
import { shellRoutes } from './shell.js';
import { SourceChanges } from './source-changes.js';
import { newToken, tokenCheck } from './token.js';
import { tuning } from './tuning.js';
import { worldEvidence } from './world-pages.js';

export interface LocalInspectorOptions {
  /** The repository. Default: the current folder. */
  root?: string;
  /** The root file. Default drillyard.json. */
  config?: string;
  /** The retained worlds, relative to the root. Default .service/runs. */
  runDirectory?: string;
  /** The reports, relative to the root. Default .service/reports. */
  reportDirectory?: string;
  /** The agent of `external` targets: called in this process for each interaction. Without it they cannot run. */
  agent?: TargetModule;
  /** Where callbacks are delivered, of runs and of worlds to play with: by receiver id, addresses of this machine. */
  callbackReceivers?: CallbackReceivers;
  /** Default 0: any that is free. `repository`: the same at every start for one root, or one near it where that is taken. */
  port?: number | 'repository';
  /** Compile again when a file of the repository changes, and say which drills that concerns. Default: false. */
  watch?: boolean;
  /** A loopback name or address. Default 127.0.0.1. */
  hostname?: string;
  /** Default: uWebSockets.js where it loads, else node:http. */
  engine?: HttpServer['engine'];
  /** How many of the repository's files have been read, before it listens. */
  onCompiling?: (done: number, total: number) => void;
  /** What the user should know, such as that code from outside of the repository runs without a box. */
  onNotice?: (text: string) => void;
  /** A bug met while answering. Default: one JSON line on stderr. */
  onFailure?: (failure: RouteFailure) => void;
}
export interface LocalInspector {
  /** Scheme, host and port, no slash at the end. */
  readonly baseUrl: string;
  /** The bearer of every request. Returned here, and nowhere else. */
  readonly token: string;
  /** Cancels what runs, ends every world to play with, stops listening. */
  close(): Promise<void>;
}

const loopbackHosts: { [name: string]: string } = { localhost: 'localhost', '127.0.0.1': '127.0.0.1', '::1': '[::1]', '[::1]': '[::1]' };

const shapes: OptionShapes<LocalInspectorOptions> = {
  ...{ root: 'text', config: 'text', runDirectory: 'text', reportDirectory: 'text', agent: 'function' },
  ...{ callbackReceivers: optionShapes.receivers, port: 'anything', watch: 'boolean', hostname: 'text', engine: 'text' },
  ...{ onCompiling: 'function', onNotice: 'function', onFailure: 'function' },
};

export async function startInspector(options: LocalInspectorOptions = {}): Promise<LocalInspector> {
  requireOptions('startLocalInspector', options, shapes);
  const { port = 0, hostname = '127.0.0.1', engine, onFailure = logFailure } = options;
  const shownHost = loopbackHosts[hostname];
  if (shownHost === undefined)
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `The inspector listens on loopback only: localhost, 127.0.0.1 or ::1, not ${hostname}.`,
    });
  const scratch = await mkdtemp(join(tmpdir(), 'drillyard-inspector-'));
  const closing: (() => Promise<void>)[] = [() => rm(scratch, { recursive: true, force: true })];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.reverse()) await close();
  };
  try {
    const { parts, close } = await openParts(options, scratch);
    closing.push(close);
    const token = newToken();
    const server = await listenAtOneOf(port === 'repository' ? repositoryPorts(resolve(options.root ?? '.')) : [port], {
      host: hostname.replace(/^\[|\]$/g, ''),
      closeGraceMs: limits.inspectorCloseGraceMs,
      onFailure,
      ...defined({ engine }),
      handler: createRouter<true>({
        routes: [...apiRoutes(inspectorApi(parts)), documentRoute(), ...shellRoutes(new URL('./app/', import.meta.url))],
        requireHost: requireLoopback,
        authenticate: tokenCheck(token),
        onFailure,
      }),
    });
    closing.push(() => server.close());
    // Live streams would keep their connections, and the server's close would wait for them. A client that is gone reads nothing to its
    // end.
    const closeStreams = async (): Promise<void> => {
      await parts.hub.close();
      await pause(tuning.lastPiecesMs);
    };
    closing.push(() => within(limits.inspectorCloseGraceMs, closeStreams()));
    let closed: Promise<void> | undefined;
    return {
      baseUrl: `http://${shownHost}:${server.port}`,
      token,
      close: () => {
        closed ??= closeAll();
        return closed;
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** At the first port that is free. */
async function listenAtOneOf(ports: readonly number[], options: Omit<StartHttpServerOptions, 'port'>): Promise<HttpServer> {
  const [port = 0, ...others] = ports;
  try {
    return await startHttpServer({ ...options, port });
  } catch (error) {
    if (others.length === 0 || !(error instanceof ServiceError)) throw error;
    return listenAtOneOf(others, options);
  }
}

async function openParts(options: LocalInspectorOptions, scratch: string) {
  const { config, agent, callbackReceivers } = options;
  for (const target of Object.values(callbackReceivers ?? {})) loopbackReceiver(target);
  const root = resolve(options.root ?? '.');
  const [runDirectory, reportDirectory] = [
    directoryOf(root, options.runDirectory ?? localFolders.runs),
    directoryOf(root, options.reportDirectory ?? localFolders.reports),
  ];
  const bindings = createBindings();
  const hub = new EventHub();
  const source = {
    root,
    hub,
    hasAgent: agent !== undefined,
    bindings: bindings.available,
    ...defined({ config, editor: editorOf(process.env) }),
  };
  const project = await ProjectSource.load(source, options.onCompiling);
  await bindings.close();
  const worldFolder = join(scratch, 'worlds');
  await mkdir(worldFolder);
  let worlds: Promise<Worlds> | undefined;
  const openedWorlds = (): Promise<Worlds> => {
    if (worlds === undefined) {
      const { isolation, notice } = chooseLocalIsolation(project.outsidePackages);
      if (notice !== undefined) options.onNotice?.(notice);
      worlds = openLocalWorlds({ directory: worldFolder, isFresh: true, hosts: 1, isolation, hostCoolDownMs: 0, printThrows: true });
    }
    return worlds;
  };
  const archive = new ArchivePort();
  const reports = new ReportDirectory(reportDirectory, archive);
  const given = {
    ...defined({ config, agent, callbackReceivers }),
  };
  const queue = new RunQueue({ root, runDirectory, reportDirectory, project, hub, openBindings: createBindings, ...given });
  const retained = new RetainedWorlds({ runDirectory, copyDirectory: worldFolder, worlds: openedWorlds });
  const mirrors = new JournalMirrors(scratch, archive);
  const runs = new RunReader({ archive, reports, queue, retained, mirrors });
  const playground = new Playground(openedWorlds, { hub, receivers: callbackReceivers });
  const recordings = new Recordings({ root, project, archive, runs, playground });
  const watch = new LiveWatch({
    hub,
    queue,
    evidence: async (id, fromSequence) => {
      if (playground.has(id))
        return { ...(await worldEvidence(playground.world(id), { fromSequence, limit: tuning.liveEntriesAtOnce })), ends: false };
      const ends = (await runs.sourceOf(id)) !== 'active';
      return { ...(await runs.evidence(id, { fromSequence, limit: tuning.liveEntriesAtOnce }, undefined)), ends };
    },
  });
  const watched = { root, config: config ?? 'drillyard.json', written: [runDirectory, reportDirectory] };
  const changes = options.watch === true ? new SourceChanges({ watch: watched, project, queue, ...source }) : undefined;
  const close = async (): Promise<void> => {
    await changes?.close();
    playground.close();
    await queue.close();
    await watch.close();
    await archive.close();
    await (await worlds)?.close();
  };
  return { parts: { project, hub, queue, archive, reports, retained, runs, mirrors, playground, recordings }, close };
}

/** Resolved once: what a launch option names may itself be, or lie behind, a link. */
function directoryOf(root: string, path: string): string {
  const directory = resolve(root, path);
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

function logFailure({ correlationId, method, path, error }: RouteFailure): void {
  const stack = error instanceof Error ? error.stack : String(error);
  console.error(JSON.stringify({ level: 'error', correlationId, method, path, error: stack }));
}
