// A node of a cluster: it beats, follows the homes of others, and answers every request, its own or by forwarding it to the owner. Agents
// are answered by the owner of their world's home; the owner of the catalog's, the leader, has the control plane.
//   CLUSTER-NODE-1. When a node has lost the catalog's home, its control plane ends, and nothing that it had not appended was answered.
//   CLUSTER-NODE-2. Where nobody is the leader, requests wait, and are refused after limits.ownerWaitMs.
import { within } from '../async/deadline.js';
import { pause } from '../async/pause.js';
import { takeAll } from '../async/take-all.js';
import { type HostedBindings, hostedPrefix } from '../bindings/hosted-bindings.js';
import { steadyClock } from '../cluster/clock.js';
import { nodeFigures } from '../cluster/figures.js';
import { type ClusterLog, catalogHome, LogUnavailable } from '../cluster/log.js';
import { Homes } from '../cluster/node-homes.js';
import { clusterFormats } from '../contract/cluster-format.js';
import { invariant, isServiceError, ServiceError } from '../contract/errors.js';
import { endpointTable } from '../contract/hosted/endpoint-table.js';
import type { NotReadyReason } from '../contract/hosted/readiness.js';
import { limits } from '../contract/limits.js';
import { type Bootstrap, firstStartOf } from '../control/bootstrap.js';
import { CatalogCopy } from '../control/catalog/catalog-copy.js';
import type { ControlSettings } from '../control/catalog/settings.js';
import type { ClusterPort } from '../control/core/services.js';
import type { ControlFigures } from '../control/figures.js';
import { isOperatorToken } from '../control/organizations/operator-token.js';
import { OwnedHomes } from '../control/owned-homes.js';
import type { OwnerReport } from '../control/owner-report.js';
import { spreadHomes } from '../control/spread-homes.js';
import { watchSpace } from '../files/disk-full.js';
import { behindNodes } from '../http/behind-nodes.js';
import { createForwarder, type Forwarder, notOwnerReply } from '../http/forward.js';
import { bearerOf } from '../http/guards.js';
import { clusterMetrics } from '../http/metrics/cluster-metrics.js';
import { forwardMeter } from '../http/metrics/forward-metrics.js';
import { NodeAsks } from '../http/node-asks.js';
import { behindDoor, type NodeDoor } from '../http/node-door.js';
import type { NodeToken } from '../http/node-token.js';
import { OwnerChanges } from '../http/owner-changes.js';
import { OwnerConnections } from '../http/owner-connections.js';
import { OwnerReach } from '../http/owner-reach.js';
import { createRouter, type Route } from '../http/router.js';
import type { HttpHandler, ServerRequest } from '../http/server.js';
import { serviceRoutes } from '../http/service-routes.js';
import { siteGuards, siteHandlers } from '../http/site.js';
import { whoIsThere } from '../http/who-is-there.js';
import { atMountHosts, type Incarnation, openBindings, openPlane, type ServiceGround, serviceState } from '../service-incarnation.js';
import { ClusterAhead } from './cluster-ahead.js';
import { ClusterAnswers, type OwnWork } from './cluster-answers.js';
import { ClusterCatalog } from './cluster-catalog.js';
import { ClusterDoor } from './cluster-door.js';
import { HeldAnswers } from './cluster-held.js';
import { ClusterKeeper } from './cluster-keeper.js';
import { clusterOperator } from './cluster-operator.js';
import { ClusterOwners } from './cluster-owners.js';
import { noteOutage, noteProblem } from './cluster-problems.js';
import { clusterReaders } from './cluster-readers.js';
import { movedReply } from './cluster-replies.js';
import { ClusterSnapshots } from './cluster-snapshots.js';
import { ClusterUse } from './cluster-use.js';

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
export interface ClusterNodeParts {
  settings: ControlSettings;
  ground: ServiceGround;
  options: ClusterOptions & { homes: number };
  log: ClusterLog;
  /** By which the nodes of the cluster know each other. */
  token: NodeToken;
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
  readonly #parts: ClusterNodeParts;
  readonly #homes: Homes;
  readonly #keeper: ClusterKeeper;
  readonly #snapshots: ClusterSnapshots;
  readonly #owned: OwnedHomes;
  readonly #owners: ClusterOwners;
  readonly #bindings: HostedBindings;
  readonly #asks: NodeAsks;
  readonly #ways = { connections: new OwnerConnections(), reach: new OwnerReach((address) => this.#isThere(address)) };
  readonly #changes: OwnerChanges;
  readonly #operator: ClusterPort;
  readonly #forwarders: Forwarder[] = [];
  /** Homes of worlds that are open here. */
  readonly #open = new Set<number>();
  readonly #catalog: ClusterCatalog;
  readonly #use = new ClusterUse();
  readonly #answers: ClusterAnswers;
  readonly #ahead: ClusterAhead;
  #incarnation: Pick<Incarnation, 'control' | 'handler'> | undefined;
  /** The home of the catalog is being given away or was lost: nothing is answered here any more. */
  #isLeaving = false;
  #isClosed = false;

  constructor(parts: ClusterNodeParts) {
    this.#parts = parts;
    const { settings, ground, options, log, token } = parts;
    const { node, address } = options;
    this.#snapshots = new ClusterSnapshots({
      data: settings.dataDirectory,
      log,
      openCatalog: (directory) => new CatalogCopy(directory),
      stateOf: (home) => this.#homes.members.last?.homes.find((state) => state.home === home),
    });
    this.#keeper = new ClusterKeeper({
      data: settings.dataDirectory,
      openCatalog: (directory) => this.#catalog.openCopy(directory),
      clusterId: log.clusterId,
      appender: () => this.#homes.appender,
      opened: (home) => this.#opened(home),
      closing: (home, why) => this.#closing(home, why),
      restore: (home, state) => this.#snapshots.restore(home, state),
    });
    this.#homes = new Homes({
      ...{ log, clock: steadyClock, keeper: this.#keeper, node, address, format: clusterFormats.newest },
      ...{ space: watchSpace(settings.dataDirectory), cutAmong: (addresses: readonly string[]) => this.#ways.reach.cutAmong(addresses) },
      meter: ground.metrics.add((registers) => clusterMetrics(registers, () => this.#clusterFigures())),
      onProblem: (problem) => noteProblem(ground.log, problem),
      onOutage: (change) => noteOutage(ground.log, change),
    });
    this.#operator = clusterOperator({ log, homes: this.#homes, node });
    // Homes are handed over one by one, and their agents are answered meanwhile.
    this.#bindings = openBindings({ ...ground, draining: () => this.#isClosed });
    this.#owned = this.#openOwned();
    this.#catalog = new ClusterCatalog(this.#owned.catalog);
    this.#owners = new ClusterOwners({
      ...{ node, count: options.homes, homes: this.#homes, catalog: this.#owned.catalog, open: this.#open, prefix: hostedPrefix },
      leads: () => this.#incarnation !== undefined && !this.#isLeaving,
      hasCatalog: () => this.#catalog.isOwn,
    });
    this.#answers = new ClusterAnswers({
      ...{ owners: this.#owners, homes: this.#homes, use: this.#use, held: new HeldAnswers(steadyClock) },
      plane: () => this.#incarnation,
    });
    this.#ahead = new ClusterAhead({ node, clock: steadyClock, members: this.#homes.members, keeper: this.#keeper, owned: this.#owned });
    this.#changes = new OwnerChanges(this.#owners);
    const door = new ClusterDoor({
      node,
      ...{ owners: this.#owners, follower: this.#homes.follower, owned: this.#owned, use: this.#use, log: ground.log },
      catalogNumber: () => this.#catalog.number,
      control: () => this.#incarnation?.control,
      isOver: () => this.#isClosed,
    });
    this.#asks = new NodeAsks({
      ...{ homes: options.homes, token, own: door, changes: this.#changes, ...this.#ways },
      homeOf: (sessionId) => this.#owners.homeOf(sessionId),
      ownerOf: (home) => this.#owners.ownerOfHome(home),
      catalog: () => this.#catalog.number,
      format: () => this.#format,
    });
    ({ main: this.main, worldsAlone: this.worldsAlone } = this.#openHandlers(token, door));
  }

  #openHandlers(token: NodeToken, door: NodeDoor): { main: HttpHandler; worldsAlone: HttpHandler } {
    const { ground } = this.#parts;
    const meter = ground.metrics.add(forwardMeter);
    const own = this.#ownRoutes();
    // Which pages of other sites a world lets in, its owner knows.
    const guards = siteGuards(ground.site, () => true);
    const site = siteHandlers(ground.site, {
      worlds: this.#bindings.handler,
      control: (request) => this.#incarnation?.handler(request) ?? movedReply(),
      prefix: hostedPrefix,
    });
    const handlerOf = (answer: HttpHandler, isOfAgent: (request: ServerRequest) => boolean): HttpHandler => {
      const ownerOf = (request: ServerRequest) => (isOfAgent(request) ? this.#owners.ownerOfAgent(request) : this.#owners.leader());
      const forwarder = createForwarder({
        ...this.#owners.forForwarder(ownerOf),
        requireHost: (request) => (isOfAgent(request) ? guards.worlds : guards.control)(request),
        ...{ token, meter, reach: this.#ways.reach, format: () => this.#format },
        own: (request) => (isOfAgent(request) ? this.#answers.ofAgent(request, work) : this.#answers.ofControl(request, work)),
      });
      const work: OwnWork = { answer, elsewhere: forwarder.handler };
      this.#forwarders.push(forwarder);
      const rest: HttpHandler = (request) => {
        if (ownPaths.has(request.path)) return own(request);
        // It has nothing any more, and the next of a kept connection must not keep it.
        if (this.#isClosed) return { ...(request.isForwarded === true ? notOwnerReply() : movedReply()), close: true };
        return forwarder.handler(request);
      };
      return behindNodes(
        token,
        behindDoor(door, (err) => ground.log.error('a bug met in what another node asked', { err }), atMountHosts(ground.site, rest)),
        clusterFormats,
      );
    };
    return {
      main: handlerOf(site.main, ({ path }) => path === hostedPrefix || path.startsWith(`${hostedPrefix}/`)),
      worldsAlone: handlerOf(site.worldsAlone, () => true),
    };
  }

  #openOwned(): OwnedHomes {
    const { settings, ground, options, log } = this.#parts;
    return new OwnedHomes({
      ...{ settings, bindings: this.#bindings, log: ground.log, meter: ground.metrics.meter, tracing: ground.tracing },
      homes: { count: options.homes, owned: () => [...this.#open], log: this.#keeper },
      blobs: log.blobs,
      report: (report) => this.#report(report),
    });
  }

  /** To the leader, once. */
  async #report(report: OwnerReport): Promise<void> {
    const leader = this.#owners.leader();
    if (leader === 'self') return await this.#incarnation?.control.take(report);
    if (leader === undefined) throw new ServiceError('control.UNAVAILABLE', { message: 'The cluster has no leader at the moment.' });
    await this.#asks.send(leader.address, { kind: 'report', report });
  }

  /**
   * Resolves when there is a leader, and this node knows what the first start has made: that may be never. Rejects when the signal is
   * aborted, and where the cluster refuses this node; what the node has by then is its own until it is closed.
   */
  async begin(signal?: AbortSignal): Promise<void> {
    this.#homes.start();
    this.#snapshots.start(this.#keeper, {
      homes: () => this.#toSnapshot(),
      failed: (err, home) => this.#parts.ground.log.warn('a snapshot was not made', { err, home }),
      sweepFailed: (err) => this.#parts.ground.log.warn('what is left over in the store of the cluster was not removed', { err }),
    });
    void this.#catalog.keepOpen(this.#keeper, () => this.#isClosed);
    while (!this.#isClosed && this.#known === undefined) {
      signal?.throwIfAborted();
      if (this.#homes.members.refusal !== undefined) throw this.#homes.members.refusal;
      await pause(limits.clusterLookMs, signal);
    }
  }

  /** Its secret is only where the first start was made. */
  get first(): Bootstrap {
    const known = this.#known;
    invariant(known !== undefined, 'a node that has begun knows of the first start');
    return known;
  }

  get #known(): Bootstrap | undefined {
    if (this.#incarnation !== undefined) return this.#incarnation.control.first;
    const { catalog } = this.#owned;
    if (this.#catalog.isOwn || !catalog.isThere) return undefined;
    const first = firstStartOf(catalog.view);
    return first && { ...first, markShown: async () => {} };
  }

  async figures(): Promise<ControlFigures | undefined> {
    return await this.#incarnation?.control.figures();
  }

  /** Hands over what it has where there is another node, then ends. */
  async close(graceMs: number): Promise<void> {
    if (this.#isClosed) return;
    this.#ahead.close();
    await within(graceMs + limits.ownerWaitMs, this.#homes.drain());
    this.#isClosed = true;
    // What nobody has taken ends here, while its last appends are still possible.
    this.#isLeaving = true;
    const ended = this.#end(graceMs).then(() => this.#owned.close());
    await takeAll([
      () => within(graceMs + limits.ownerWaitMs, ended),
      // Where the log does not answer they are given up: what waits for them would wait for as long.
      () => Promise.all([this.#homes.stop(), this.#snapshots.stop()]),
      () => ended,
      () => [...this.#forwarders, this.#changes, this.#owners, this.#ways.connections].forEach((part) => void part.close()),
      () => this.#keeper.stop(),
      () => within(limits.ownerWaitMs, this.#parts.log.close()),
    ]);
  }

  /** Nodes that follow make them, the leader where it is alone. */
  #toSnapshot(): number[] {
    const isAlone = this.#homes.members.alive.length < 2;
    const all = Array.from({ length: this.#parts.options.homes + 1 }, (_, home) => home);
    return all.filter((home) => this.#homes.phaseOf(home) === (isAlone ? 'owned' : 'following'));
  }

  /** The node that says so of itself. */
  async #isThere(address: string): Promise<boolean> {
    const who = await whoIsThere(address, { token: this.#parts.token, format: this.#format });
    if (typeof who === 'string') return who === 'silent';
    const named = (this.#homes.members.last?.nodes ?? []).filter((one) => one.address === address);
    return named.length === 0 || named.some(({ node }) => node === who.node);
  }

  /** That this node writes to others. */
  get #format(): number {
    return this.#homes.members.last?.format ?? clusterFormats.oldest;
  }
  #clusterFigures() {
    const figures = nodeFigures(this.#homes);
    return figures && { ...figures, isLeader: this.#incarnation !== undefined && !this.#isLeaving };
  }

  #ownRoutes(): HttpHandler {
    const { ground } = this.#parts;
    const { log, metrics, site, draining, tracing } = ground;
    const requireOperator = (request: ServerRequest): void => this.#requireOperatorToken(bearerOf(request) ?? '');
    const overview: Route<undefined> = {
      ...{ method: 'GET', path: endpointTable.getCluster.path, id: 'getCluster', auth: 'bearer', whileDraining: true },
      authenticate: async (token) => {
        await this.#catalog.untilThere();
        this.#requireOperatorToken(token);
      },
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

  #requireOperatorToken(token: string): void {
    const plane = this.#incarnation?.control.plane;
    if (plane !== undefined) plane.authenticateOperator(token);
    else if (!isOperatorToken(this.#owned.catalog.view, token))
      throw new ServiceError('control.UNAUTHENTICATED', { message: 'The token of the operator is needed.' });
  }

  async #troubles(): Promise<NotReadyReason[]> {
    const { members } = this.#homes;
    if (this.#parts.ground.draining()) return ['shutting_down'];
    if (members.refusal !== undefined)
      return [isServiceError(members.refusal, 'cluster.NODE_NAME_IN_USE') ? 'cluster_name' : 'cluster_format'];
    if (members.last === undefined) return ['starting'];
    if (!members.mayRead) return ['cluster_lag'];
    if (members.isOutdone) return ['cluster_cut_off'];
    if (this.#incarnation !== undefined && !this.#isLeaving) return await this.#incarnation.control.troubles();
    const found: NotReadyReason[] = [];
    if (this.#owners.leader() === undefined) found.push('cluster_no_leader');
    // One that came back a moment ago gets no homes yet, and serves as any other.
    if (!this.#homes.isWarm) found.push('cluster_joining');
    return found;
  }

  async #opened(home: number): Promise<void> {
    if (home !== catalogHome) {
      // What was revoked before is not to be served here.
      if (!(await this.#owners.catalogToEnd())) throw new LogUnavailable('the catalog was not read to its end');
      this.#open.add(home);
      return await this.#owned.openHome(home);
    }
    const { settings, ground } = this.#parts;
    this.#isLeaving = false;
    const onLost = (err: unknown): void => ground.log.error('the catalog of this node has lost its log', { err });
    const tell = async (address: string, catalog: number) => void (await this.#asks.send(address, { kind: 'catalog', catalog }));
    this.#incarnation = await openPlane(settings, ground, {
      bindings: this.#bindings.announced,
      homes: { count: this.#parts.options.homes, owned: () => [...this.#open], use: () => {} },
      cluster: this.#operator,
      catalog: { log: this.#keeper.catalogLog, onLost, readers: clusterReaders({ members: () => this.#homes.members, tell }) },
      blobs: this.#parts.log.blobs,
      spread: this.#catalog.watched(spreadHomes(this.#asks, this.#owned)),
    });
    ground.log.info('this node is the leader', { node: this.#parts.options.node });
  }

  async #closing(home: number, why: 'given' | 'lost'): Promise<void> {
    if (home !== catalogHome) {
      this.#open.delete(home);
      if (why === 'given') await this.#use.quiet(home);
      await this.#owned.closeHome(home, { lost: why === 'lost' });
      return;
    }
    this.#isLeaving = true;
    const { ground, options } = this.#parts;
    if (this.#incarnation !== undefined) ground.log.info('this node is the leader no more', { node: options.node, why });
    if (why === 'given') await this.#use.quiet(home);
    await this.#end(0);
  }

  async #end(graceMs: number): Promise<void> {
    const incarnation = this.#incarnation;
    this.#incarnation = undefined;
    await incarnation?.control.close(graceMs);
  }
}
