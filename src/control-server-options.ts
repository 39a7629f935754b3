// Which options `startControlServer` has: a name that it does not know would leave data, rates or walls where nobody wants them.
import type { AgentLimitOptions } from './bindings/agent-limits.js';
import {
  membersOf,
  type NamesElsewhere,
  type OptionShape,
  type OptionShapes,
  optionShapes,
  requireOptions,
} from './contract/known-options.js';
import { type ControlSettings, settingsDefaults } from './control/catalog/settings.js';
import type { ConnectionBounds } from './http/connection-count.js';
import type { HttpServer } from './http/server.js';
import type { ServiceLogOptions } from './http/service-log.js';
import type { ClusterOptions } from './nodes/cluster-node.js';

/** Everything has a default (settingsDefaults). docs/hosting.md says what each is for. */
export interface ControlServerOptions extends Partial<Omit<ControlSettings, 'quotas' | 'quarantine' | 'retention'>> {
  host?: string;
  /** 0: any that is free. */
  port?: number;
  /** Default: uWebSockets.js where it loads, else node:http. */
  engine?: HttpServer['engine'];
  quotas?: Partial<ControlSettings['quotas']>;
  quarantine?: Partial<ControlSettings['quarantine']>;
  retention?: Partial<ControlSettings['retention']>;
  /**
   * Where agents reach worlds, if not at `publicUrl`; with port 0, at any that is free. The service listens on a port of http that is not
   * `port`.
   */
  worldUrl?: string;
  /**
   * Whether mounts of wire routes have host names below that of `worldUrl`, as `https://pay.worlds.example.net`. All of these names have to
   * lead here, by a wildcard of the DNS and of the certificate. Default false.
   */
  worldMountHosts?: boolean;
  connections?: ConnectionBounds;
  /** Addresses, or blocks of them (CIDR), of proxies whose X-Forwarded-For or Forwarded names the client. Default: none. */
  trustedProxies?: readonly string[];
  /** Of all agents of one project. */
  agents?: Omit<AgentLimitOptions, 'nowMs'>;
  /** Of an address: what it may ask without a valid credential. Default limits.strangerPerSecond and strangerBurst. */
  strangerRate?: ControlSettings['rate'];
  log?: Omit<ServiceLogOptions, 'traceFields'>;
  /** Spans go to the SDK of OpenTelemetry that the program has registered before. Default: there are none. */
  tracing?: boolean;
  /** This service is a node of a cluster. Default: it is alone. */
  cluster?: ClusterOptions;
  /** How long `close` lets work finish before it is left to the next start. */
  stopGraceMs?: number;
  /** Aborted: a start of a node of a cluster that still waits, for its database or for a leader, rejects with the signal's reason. */
  signal?: AbortSignal;
}

const requiredText: OptionShape = { required: 'text' };
const requiredNumber: OptionShape = { required: 'number' };
const numbers = (names: object): OptionShape => ({ members: Object.fromEntries(Object.keys(names).map((name) => [name, 'number'])) });
const rate = membersOf<ControlSettings['rate']>({ perSecond: requiredNumber, burst: requiredNumber });

const shapes: OptionShapes<ControlServerOptions> = {
  ...{ host: 'text', port: 'number', engine: { oneOf: ['uWebSockets.js', 'node:http'] }, dataDirectory: 'text', publicUrl: 'text' },
  ...{ worldUrl: 'text', worldMountHosts: 'boolean', trustedProxies: optionShapes.texts },
  connections: membersOf<ConnectionBounds>({ connectionsMax: 'number', connectionsPerAddressMax: 'number' }),
  agents: membersOf<NonNullable<ControlServerOptions['agents']>>({ callsInFlightMax: 'number', rate }),
  ...{ workers: 'number', isolation: optionShapes.isolate, trustToolCode: 'boolean', handlerTimeoutMs: 'number', hostHeapMb: 'number' },
  ...{ heldMsPerMinute: 'number', durability: { oneOf: ['committed', 'flushed'] }, rate, organizationRate: rate, strangerRate: rate },
  quarantine: numbers(settingsDefaults.quarantine),
  quotas: numbers(settingsDefaults.quotas),
  retention: numbers(settingsDefaults.retention),
  ...{ evidenceRetentionMs: 'number', keyFile: 'text', rotateKey: { members: { graceMs: requiredNumber } } },
  identity: membersOf<NonNullable<ControlSettings['identity']>>({
    ...{ issuer: requiredText, audience: requiredText, jwksUrl: requiredText, organizationClaim: requiredText, roleClaim: 'text' },
  }),
  author: membersOf<NonNullable<ControlSettings['author']>>({
    ...{ executable: requiredText, arguments: { required: optionShapes.texts }, timeoutMs: requiredNumber, openNetwork: 'boolean' },
  }),
  ...{ receiverPorts: { listOf: 'number' }, allowLoopbackReceivers: 'boolean' },
  log: membersOf<NonNullable<ControlServerOptions['log']>>({
    ...{ level: { oneOf: ['debug', 'info', 'warn', 'error', 'silent'] }, destination: 'anything', nowMs: 'function' },
  }),
  cluster: membersOf<ClusterOptions>({ url: requiredText, node: requiredText, address: requiredText, homes: 'number', store: 'text' }),
  ...{ tracing: 'boolean', stopGraceMs: 'number', signal: 'anything' },
};

/** Settings of `drillyard serve`, by their names in a file, whose option has another name or is a member of one. */
const optionsOfSettings = {
  ...{ dataDir: 'dataDirectory', isolate: 'isolation', server: 'engine', trustedProxy: 'trustedProxies', logLevel: 'log.level' },
  ...{ keyGraceMs: 'rotateKey.graceMs', hostSecondsPerMinute: 'heldMsPerMinute', evidenceRetentionDays: 'evidenceRetentionMs' },
  ...{ node: 'cluster.node', nodeAddress: 'cluster.address', homes: 'cluster.homes', clusterStore: 'cluster.store' },
  ...{ quarantineTimeouts: 'quarantine.timeoutsMax', quarantineHostEnds: 'quarantine.hostEndsMax' },
  ...{ ratePerSecond: 'rate.perSecond', rateBurst: 'rate.burst' },
  ...{ organizationRatePerSecond: 'organizationRate.perSecond', organizationRateBurst: 'organizationRate.burst' },
  ...{ oidcIssuer: 'identity.issuer', oidcAudience: 'identity.audience', oidcJwksUrl: 'identity.jwksUrl' },
  ...{ oidcOrganizationClaim: 'identity.organizationClaim', oidcRoleClaim: 'identity.roleClaim' },
  ...{ authorCommand: 'author.executable', authorArguments: 'author.arguments' },
  ...{ authorTimeoutMs: 'author.timeoutMs', authorNetwork: 'author.openNetwork' },
  ...{ connectionsMax: 'connections.connectionsMax', connectionsPerAddressMax: 'connections.connectionsPerAddressMax' },
  ...{ agentCallsInFlightMax: 'agents.callsInFlightMax', agentRatePerSecond: 'agents.rate.perSecond' },
};
const settingNames: NamesElsewhere = {
  what: 'setting',
  options: new Map([
    ...Object.entries(optionsOfSettings),
    ...Object.keys(settingsDefaults.quotas).map((name) => [name, `quotas.${name}`] as const),
    ...Object.keys(settingsDefaults.retention).map((name) => [name.replace(/Ms$/, 'RetentionDays'), `retention.${name}`] as const),
  ]),
};

/** control.INVALID_REQUEST for the first that is unknown or of another type. */
export function requireServerOptions(options: ControlServerOptions): void {
  requireOptions('startControlServer', options, shapes, settingNames);
}
