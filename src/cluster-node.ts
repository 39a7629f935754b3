// A node of a cluster: it beats, follows the homes of others, and answers every request, its own or by forwarding it to the owner. In this
// version all homes lie together: their owner, the leader, has the control plane and all worlds, and the other nodes stand by.
//   CLUSTER-NODE-1. A reply leaves the leader only while no other node can have taken its homes.
//   CLUSTER-NODE-2. When a node has lost the catalog's home, its control plane ends, and nothing that it had not appended was answered.
//   CLUSTER-NODE-3. Where nobody is the leader, requests wait, and are refused after limits.ownerWaitMs.
import { within } from './async/deadline.js';
import { pause } from './async/pause.js';
import { hostedPrefix } from './bindings/hosted-bindings.js';
import { steadyClock } from './cluster/clock.js';
import { nodeFigures } from './cluster/figures.js';
import { type ClusterLog, catalogHome } from './cluster/log.js';
import { Homes } from './cluster/node-homes.js';
import { openPostgresLog } from './cluster/postgres/postgres-log.js';
import type { CatalogCopyFile } from './cluster-copies.js';
import { ClusterKeeper } from './cluster-keeper.js';
import { clusterOperator } from './cluster-operator.js';
import { ClusterSnapshots } from './cluster-snapshots.js';
import { clusterFormats } from './contract/cluster-format.js';
import { defined } from './contract/defined.js';
import { invariant, ServiceError } from './contract/errors.js';
import { endpointTable } from './contract/hosted/endpoint-table.js';
import type { NotReadyReason } from './contract/hosted/readiness.js';
import { newId } from './contract/ids.js';
import { limits } from './contract/limits.js';
import { type Bootstrap, firstStartTable } from './control/bootstrap.js';
import { CatalogCopy } from './control/catalog/catalog-copy.js';
import { Keyring } from './control/catalog/keyring.js';
import type { ControlSettings } from './control/catalog/settings.js';
import type { View } from './control/catalog/tables.js';
import type { ClusterPort, ServiceHomes } from './control/core/services.js';
import type { ControlFigures } from './control/figures.js';
import { isOperatorToken } from './control/organizations/operator-token.js';
import { behindNodes } from './http/behind-nodes.js';
import { errorReply } from './http/envelope.js';
import { createForwarder, type Forwarder } from './http/forward.js';
import { bearerOf } from './http/guards.js';
import { clusterMetrics } from './http/metrics/cluster-metrics.js';
import { forwardMeter } from './http/metrics/forward-metrics.js';
import { createNodeToken } from './http/node-token.js';
import type { RequestOwner } from './http/request-owners.js';
import { createRouter, type Route } from './http/router.js';
import type { HttpHandler, HttpReply, ServerRequest } from './http/server.js';
import { serviceRoutes } from './http/service-routes.js';
import { siteGuards } from './http/site.js';
import { type Incarnation, openIncarnation, type ServiceGround, serviceState } from './service-incarnation.js';
import type { HomedWorlds } from './worlds/api.js';

export interface ClusterOptions {
  /** Of PostgreSQL; it may hold a password. */
  url: string;
  /** The name of this node, unique in the cluster. */
  node: string;
  /** Where other nodes reach it: scheme, host and port. */
  address: string;
  /** Homes of worlds, fixed when the cluster begins. Default limits.clusterHomes. */
  homes?: number;
  /** Where snapshots and blobs lie: `file:///folder` or `s3://bucket/prefix`. Default: in PostgreSQL. */
  store?: string;
}
export async function startClusterNode(settings: ControlSettings, ground: ServiceGround, options: ClusterOptions): Promise<ClusterNode> {
  const { dataDirectory, keyFile } = settings;
  const keyring = Keyring.open({ dataDirectory, nowMs: Date.now, ...defined({ keyFile }) });
  const { node, homes = limits.clusterHomes, store } = options;
  const log = await openPostgresLog(options.url, {
    ...{ node, homes, formats: clusterFormats },
    ...defined({ store }),
    keyFingerprint: keyring.fingerprint,
    warn: (message) => ground.log.warn(message),
  });
  const started = new ClusterNode({ settings, ground, options: { ...options, homes }, log, keyring });
  try {
    await started.begin();
    return started;
  } catch (error) {
    await started.close(0);
    throw error;
  }
}

interface NodeParts {
  settings: ControlSettings;
  ground: ServiceGround;
  options: ClusterOptions & { homes: number };
  log: ClusterLog;
  keyring: Keyring;
}

/** Paths that each node answers for itself. */
const ownPaths: ReadonlySet<string> = new Set([
  ...['/healthz', '/readyz', '/metrics', '/docs', '/v1/openapi.json'],
  // Also where there is no leader: then it is wanted most.
  endpointTable.getCluster.path,
]);

export class ClusterNode {
  readonly main: HttpHandler;
  readonly worldsAlone: HttpHandler;
  readonly #parts: NodeParts;
  readonly #homes: Homes;
  readonly #keeper: ClusterKeeper;
  readonly #snapshots: ClusterSnapshots;
  readonly #operator: ClusterPort;
  readonly #forwarders: Forwarder[] = [];
  /** The catalog as it lies here, while another node leads. */
  #copy: CatalogCopy | undefined;
  /** Homes of worlds that are open here. */
  readonly #open = new Set<number>();
  #worlds: HomedWorlds | undefined;
  #incarnation: Incarnation | undefined;
  /** The home of the catalog is being given away or was lost: nothing is answered here any more. */
  #isLeaving = false;
  #isClosed = false;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    const { settings, ground, options, log, keyring } = parts;
    const openCatalog = (directory: string): CatalogCopyFile => {
      const copy = new CatalogCopy(directory);
      this.#copy = copy;
      // A snapshot takes its place, or this node its home: from then on nothing is read of it.
      return closing(copy, () => {
        if (this.#copy === copy) this.#copy = undefined;
      });
    };
    this.#snapshots = new ClusterSnapshots({
      data: settings.dataDirectory,
      log,
      openCatalog: (directory) => new CatalogCopy(directory),
      stateOf: (home) => this.#homes.members.last?.homes.find((state) => state.home === home),
    });
    this.#keeper = new ClusterKeeper({
      data: settings.dataDirectory,
      clusterId: log.clusterId,
      openCatalog,
      appender: () => this.#homes.appender,
      opened: (home) => this.#opened(home),
      closing: (home, why) => this.#closing(home, why),
      restore: (home, state) => this.#snapshots.restore(home, state),
    });
    const { node, address } = options;
    this.#homes = new Homes({
      ...{ log, clock: steadyClock, keeper: this.#keeper, node, address, format: clusterFormats.newest },
      areTogether: true,
      meter: ground.metrics.add((registers) => clusterMetrics(registers, () => this.#clusterFigures())),
      onProblem: (error, home) => ground.log.error('a home of the cluster stays closed on this node', { err: error, ...defined({ home }) }),
    });
    this.#operator = clusterOperator({ log, homes: this.#homes, node });
    const token = createNodeToken(keyring, 'cluster');
    const meter = ground.metrics.add(forwardMeter);
    const own = this.#ownRoutes();
    const guards = siteGuards(ground.site);
    const requireHost = (request: ServerRequest): void =>
      (request.path.startsWith(`${hostedPrefix}/`) ? guards.worlds : guards.control)(request);
    const handlerOf = (pick: (incarnation: Incarnation) => HttpHandler): HttpHandler => {
      const owners = { ownerOf: () => this.#owner(), changed: () => this.#changed() };
      const forwarder = createForwarder({
        ...{ owners, token, format: () => this.#format, meter, requireHost },
        own: (request) => this.#answer(request, pick),
      });
      this.#forwarders.push(forwarder);
      const answer: HttpHandler = (request) => (ownPaths.has(request.path) ? own(request) : forwarder.handler(request));
      return behindNodes(token, answer, clusterFormats);
    };
    this.main = handlerOf(({ main }) => main);
    this.worldsAlone = handlerOf(({ worldsAlone }) => worldsAlone);
  }

  /** Resolves when there is a leader, and this node knows what the first start has made. */
  async begin(): Promise<void> {
    await this.#keeper.openCatalog();
    this.#homes.start();
    this.#snapshots.start(this.#keeper, {
      homes: () => this.#toSnapshot(),
      failed: (err, home) => this.#parts.ground.log.warn('a snapshot was not made', { err, home }),
      sweepFailed: (err) => this.#parts.ground.log.warn('what is left over in the store of the cluster was not removed', { err }),
    });
    while (!this.#isClosed && this.#known === undefined) await pause(limits.clusterLookMs);
  }

  /** Its secret is only where the first start was made. */
  get first(): Bootstrap {
    const known = this.#known;
    invariant(known !== undefined, 'a node that has begun knows of the first start');
    return known;
  }

  get #known(): Bootstrap | undefined {
    if (this.#incarnation !== undefined) return this.#incarnation.control.first;
    const { organizationId, projectId = '', environmentId = '', buildHash } = this.#view?.get(firstStartTable, 'first') ?? {};
    // Until the example is built, its project has no build.
    if (organizationId === undefined || (projectId !== '' && buildHash === undefined)) return undefined;
    return { organizationId, projectId, environmentId, buildHash: buildHash ?? '', markShown: async () => {} };
  }

  async figures(): Promise<ControlFigures | undefined> {
    return await this.#incarnation?.control.figures();
  }

  /** Hands over what it has where there is another node, then ends. */
  async close(graceMs: number): Promise<void> {
    if (this.#isClosed) return;
    await within(graceMs + limits.ownerWaitMs, this.#homes.drain());
    this.#isClosed = true;
    // What nobody has taken ends here, while its last appends are still possible.
    this.#isLeaving = true;
    const ended = this.#end(graceMs);
    await within(graceMs + limits.ownerWaitMs, ended);
    // Where the log does not answer they are given up: what waits for them would wait for as long.
    await Promise.all([this.#homes.stop(), this.#snapshots.stop()]);
    await ended;
    for (const forwarder of this.#forwarders) forwarder.close();
    await this.#keeper.stop();
    await within(limits.ownerWaitMs, this.#parts.log.close());
  }

  /** Nodes that follow make them, the leader where it is alone. */
  #toSnapshot(): number[] {
    const isAlone = this.#homes.members.alive.length < 2;
    const all = Array.from({ length: this.#parts.options.homes + 1 }, (_, home) => home);
    return all.filter((home) => this.#homes.phaseOf(home) === (isAlone ? 'owned' : 'following'));
  }

  /** That this node writes to others. */
  get #format(): number {
    return this.#homes.members.last?.format ?? clusterFormats.oldest;
  }

  #clusterFigures() {
    const figures = nodeFigures(this.#homes);
    return figures && { ...figures, isLeader: this.#incarnation !== undefined && !this.#isLeaving };
  }

  get #view(): View | undefined {
    return this.#incarnation === undefined && this.#copy?.isClosed === false ? this.#copy.view : undefined;
  }

  #owner(): RequestOwner | undefined {
    if (this.#incarnation !== undefined && !this.#isLeaving) return 'self';
    const owner = this.#homes.ownerOf(catalogHome);
    return owner === undefined || owner.node === this.#parts.options.node ? undefined : { address: owner.address };
  }

  /** Resolves when another node, or none, is to be asked. */
  async #changed(): Promise<void> {
    const before = this.#ownerText();
    while (!this.#isClosed && this.#ownerText() === before) await pause(limits.clusterLookMs);
    // Nothing changes any more. Who asks again and again would keep the process from everything else.
    if (this.#isClosed) await new Promise(() => {});
  }
  #ownerText(): string {
    const owner = this.#owner();
    return owner === undefined || owner === 'self' ? `${owner}` : owner.address;
  }

  /** What was found out may be old when another node could have taken the catalog's home. */
  async #answer(request: ServerRequest, pick: (incarnation: Incarnation) => HttpHandler): Promise<HttpReply> {
    const incarnation = this.#incarnation;
    if (incarnation === undefined) return movedReply();
    const reply = await pick(incarnation)(request);
    if (this.#homes.mayRead(catalogHome) && this.#incarnation === incarnation) return reply;
    reply.whenOver?.();
    return movedReply();
  }

  #ownRoutes(): HttpHandler {
    const { ground } = this.#parts;
    const { log, metrics, site, draining, tracing } = ground;
    const requireOperatorToken = (token: string): void => {
      const plane = this.#incarnation?.control.plane;
      if (plane !== undefined) plane.authenticateOperator(token);
      else if (this.#view === undefined) throw catalogMoving();
      else if (!isOperatorToken(this.#view, token))
        throw new ServiceError('control.UNAUTHENTICATED', { message: 'The token of the operator is needed.' });
    };
    const requireOperator = (request: ServerRequest): void => requireOperatorToken(bearerOf(request) ?? '');
    const overview: Route<undefined> = {
      ...{ method: 'GET', path: endpointTable.getCluster.path, id: 'getCluster', auth: 'bearer', whileDraining: true },
      authenticate: (token) => void requireOperatorToken(token),
      run: async () => ({ status: 200, body: { cluster: await this.#operator.overview() } }),
    };
    return createRouter<undefined>({
      ...{ draining, onFailure: log.failure, tracing, observers: [log.access, metrics] },
      routes: [overview, ...serviceRoutes(serviceState(ground, { troubles: () => this.#troubles(), requireOperator }))],
      requireHost: siteGuards(site).control,
      authenticate: () => {
        throw new ServiceError('control.UNAUTHENTICATED', { message: 'There is nothing here that needs a credential.' });
      },
    });
  }

  async #troubles(): Promise<NotReadyReason[]> {
    const { members } = this.#homes;
    if (this.#parts.ground.draining()) return ['shutting_down'];
    if (members.isRefused) return ['cluster_format'];
    if (members.last === undefined) return ['starting'];
    if (!members.mayRead) return ['cluster_lag'];
    if (this.#incarnation !== undefined && !this.#isLeaving) return await this.#incarnation.control.troubles();
    const found: NotReadyReason[] = [];
    if (this.#owner() === undefined) found.push('cluster_no_leader');
    // Others rely on it: who ends the leader now would have nobody to hand over to.
    if (!this.#homes.isReady) found.push('cluster_joining');
    return found;
  }

  async #opened(home: number): Promise<void> {
    if (home !== catalogHome) {
      this.#open.add(home);
      await this.#worlds?.openHome(home);
      return;
    }
    const { settings, ground } = this.#parts;
    // Work of the incarnation before continues at once, and needs its worlds.
    const untilMs = steadyClock.now() + limits.ownerWaitMs;
    while (this.#open.size < this.#parts.options.homes && steadyClock.now() < untilMs) await pause(limits.clusterLookMs);
    this.#isLeaving = false;
    const onLost = (err: unknown): void => ground.log.error('the catalog of this node has lost its log', { err });
    this.#incarnation = await openIncarnation(settings, ground, {
      homes: this.#serviceHomes(),
      cluster: this.#operator,
      catalog: { log: this.#keeper.catalogLog, onLost },
      blobs: this.#parts.log.blobs,
    });
    ground.log.info('this node is the leader', { node: this.#parts.options.node });
  }

  async #closing(home: number, why: 'given' | 'lost'): Promise<void> {
    if (home !== catalogHome) {
      this.#open.delete(home);
      await this.#worlds?.closeHome(home, { lost: why === 'lost' });
      return;
    }
    this.#isLeaving = true;
    this.#parts.ground.log.info('this node is the leader no more', { node: this.#parts.options.node, why });
    await this.#end(0);
  }

  async #end(graceMs: number): Promise<void> {
    const incarnation = this.#incarnation;
    this.#incarnation = undefined;
    await incarnation?.control.close(graceMs);
    this.#worlds = undefined;
  }

  #serviceHomes(): ServiceHomes {
    return {
      count: this.#parts.options.homes,
      owned: () => [...this.#open],
      use: (worlds) => {
        this.#worlds = worlds;
      },
      log: this.#keeper,
    };
  }
}

function closing(copy: CatalogCopy, closes: () => void): CatalogCopyFile {
  return {
    get position() {
      return copy.position;
    },
    follow: (records) => copy.follow(records),
    copyTo: (directory) => copy.copyTo(directory),
    close: () => {
      closes();
      return copy.close();
    },
  };
}

/** The catalog's file has no reader between two owners. */
function catalogMoving(): ServiceError {
  return new ServiceError('control.UNAVAILABLE', {
    message: 'This node does not have the catalog at the moment, so it knows nobody.',
    retryAfterMs: limits.unavailableRetryAfterMs,
  });
}

function movedReply(): HttpReply {
  return errorReply(
    new ServiceError('control.UNAVAILABLE', {
      message: 'The leader of the cluster is changing. Whether this request was carried out is not known.',
      retryAfterMs: limits.unavailableRetryAfterMs,
    }),
    newId('corr'),
  );
}
