// Which options `startControlServer` has: a name that it does not know would leave data, rates or walls where nobody wants them.
import type { AgentLimitOptions } from './bindings/agent-limits.js';
import { type OptionShape, type OptionShapes, optionShapes, requireOptions } from './contract/known-options.js';
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

const numbers = (names: object): OptionShape => ({ members: Object.fromEntries(Object.keys(names).map((name) => [name, 'number'])) });
const rate = numbers({ perSecond: 0, burst: 0 });
const log: OptionShape = { having: { level: 'text' } };

const shapes: OptionShapes<ControlServerOptions> = {
  ...{ host: 'text', port: 'number', engine: { oneOf: ['uWebSockets.js', 'node:http'] }, dataDirectory: 'text', publicUrl: 'text' },
  ...{ worldUrl: 'text', worldMountHosts: 'boolean', connections: 'object', trustedProxies: optionShapes.texts, agents: 'object' },
  ...{ workers: 'number', isolation: optionShapes.isolate, trustToolCode: 'boolean', handlerTimeoutMs: 'number', hostHeapMb: 'number' },
  ...{ heldMsPerMinute: 'number', durability: { oneOf: ['committed', 'flushed'] }, rate, organizationRate: rate, strangerRate: rate },
  quarantine: numbers(settingsDefaults.quarantine),
  quotas: numbers(settingsDefaults.quotas),
  retention: numbers(settingsDefaults.retention),
  evidenceRetentionMs: 'number',
  ...{ keyFile: 'text', rotateKey: numbers({ graceMs: 0 }), identity: 'object', author: 'object' },
  ...{ receiverPorts: { listOf: 'number' }, allowLoopbackReceivers: 'boolean' },
  ...{ log, tracing: 'boolean', cluster: 'object', stopGraceMs: 'number', signal: 'anything' },
};

/** control.INVALID_REQUEST for the first that is unknown or of another type. */
export function requireServerOptions(options: ControlServerOptions): void {
  requireOptions('startControlServer', options, shapes);
}
