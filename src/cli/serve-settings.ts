// Every setting of `drillyard serve`, once: its flag, its environment variable (DRILLYARD_ and the flag's name), its default, what it takes.
// A flag wins over the environment. The help, docs/hosting.md and the server all get theirs from here.
import { limits } from '../contract/limits.js';
import { settingsDefaults as defaults, workersDefaultMax } from '../control/settings.js';
import type { ControlServerOptions } from '../index.js';
import { retentionOf, retentionSettings } from './retention-settings.js';
import { type ServeSetting, setting } from './serve-setting.js';
import { address, choice, integer, jwksUrl, NotTaken, nonEmpty, origin, ports, stringArray, url } from './setting-values.js';

export const environmentName = ({ flag }: { flag: string }): string => `DRILLYARD_${flag.toUpperCase().replaceAll('-', '_')}`;

const settings = {
  host: setting(
    'host',
    '<address>',
    defaults.host,
    'The address to listen on. `0.0.0.0` or `::` for every one; then name `--public-url` too.',
    address,
  ),
  port: setting('port', '<n>', String(defaults.port), 'The port; 0 for any that is free.', integer(0, 65535)),
  publicUrl: setting(
    'public-url',
    '<url>',
    'where it listens',
    'Where clients and agents reach the service, such as a proxy in front of it; scheme, host, port.',
    origin,
  ),
  worldUrl: setting(
    'world-url',
    '<url>',
    'where it listens',
    'Where agents reach worlds: a host name or port apart from the control API, which is refused there, and worlds elsewhere. The service also listens on a port of http that is not its own; 0 for any.',
    origin,
  ),
  server: setting(
    'server',
    '<name>',
    'the faster that is right',
    '`uws` for uWebSockets.js, `node` for node:http; see [the two servers](#the-two-servers).',
    choice('uws', 'node'),
  ),
  dataDirectory: setting('data-dir', '<folder>', defaults.dataDirectory, 'Where everything is kept. One process at a time uses it.', nonEmpty),
  keyFile: setting(
    'key-file',
    '<file>',
    'server.key in the data directory',
    'The server key, where it lies outside of what it protects. It must exist.',
    nonEmpty,
  ),
  keyGraceMs: setting(
    'key-grace-ms',
    '<n>',
    '0',
    'With `--rotate-key`: how long what derives from the present key goes on working.',
    integer(0, 2_592_000_000),
  ),
  workers: setting('workers', '<n>', `processors, at most ${workersDefaultMax}`, 'Hosts of worlds. May change between starts.', integer(1, 256)),
  isolation: setting(
    'isolate',
    '<where>',
    'box, or process without bubblewrap',
    'Where tool code runs: `box` (bubblewrap, for code of strangers), `process`, or `thread` (in this process, the fastest).',
    choice('thread', 'process', 'box'),
  ),
  trustToolCode: setting(
    'trust-tool-code',
    '<yes>',
    String(defaults.trustToolCode),
    'Without boxes: `true` lets the service listen beyond this machine, and hold several projects. Tool code can then do what the service can.',
    (text) => choice('true', 'false')(text) === 'true',
  ),
  handlerTimeoutMs: setting(
    'handler-timeout-ms',
    '<n>',
    String(defaults.handlerTimeoutMs),
    'How long one step of tool code may take; one that takes longer is ended, and its caller gets `world.HANDLER_TIMEOUT`.',
    integer(100, 600_000),
  ),
  hostHeapMb: setting(
    'host-heap-mb',
    '<n>',
    String(defaults.hostHeapMb),
    'Heap of one host in MB; tool code that takes more ends its host. Buffers are not counted.',
    integer(32, 1_048_576),
  ),
  hostSecondsPerMinute: setting(
    'host-seconds-per-minute',
    '<n>',
    String(defaults.heldMsPerMinute / 1000),
    'How long tool code of one project may hold hosts in a minute; sessions that do then get `control.RATE_LIMITED`.',
    integer(1, 60_000),
  ),
  quarantineTimeouts: setting(
    'quarantine-timeouts',
    '<n>',
    String(defaults.quarantine.timeoutsMax),
    'How often tool code of one build may run past its time within ten minutes before the build is quarantined.',
    integer(1, 1_000_000),
  ),
  quarantineHostEnds: setting(
    'quarantine-host-ends',
    '<n>',
    String(defaults.quarantine.hostEndsMax),
    'How often it may end its host so.',
    integer(1, 1_000_000),
  ),
  durability: setting(
    'durability',
    '<level>',
    defaults.durability,
    'What a reply about a world survives: the power cord (`flushed`) or the end of the process (`committed`).',
    choice('flushed', 'committed'),
  ),
  ratePerSecond: setting('rate-per-second', '<n>', String(defaults.rate.perSecond), 'Requests a second of one credential.', integer(1, 1_000_000)),
  rateBurst: setting('rate-burst', '<n>', String(defaults.rate.burst), 'Requests of one credential at once.', integer(1, 1_000_000)),
  organizationRatePerSecond: setting(
    'organization-rate-per-second',
    '<n>',
    String(defaults.organizationRate.perSecond),
    'Requests a second of all credentials of one organization.',
    integer(1, 1_000_000),
  ),
  organizationRateBurst: setting(
    'organization-rate-burst',
    '<n>',
    String(defaults.organizationRate.burst),
    'Requests of all credentials of one organization at once.',
    integer(1, 1_000_000),
  ),
  sessionsLiveMax: quota('sessions-live-max', defaults.quotas.sessionsLiveMax, 'Sessions of one organization that are alive.'),
  runsActiveMax: quota('runs-active-max', defaults.quotas.runsActiveMax, 'Hosted runs of one organization that go on.'),
  sourceDraftsMax: quota('source-drafts-max', defaults.quotas.sourceDraftsMax, 'Source drafts of one organization.'),
  datasetsMax: quota('datasets-max', defaults.quotas.datasetsMax, 'Datasets of one organization.'),
  projectsMax: quota('projects-max', defaults.quotas.projectsMax, 'Projects of one organization.'),
  credentialsMax: quota('credentials-max', defaults.quotas.credentialsMax, 'Credentials of one organization that are valid.'),
  sessionBytesMax: quota('session-bytes-max', defaults.quotas.sessionBytesMax, 'Bytes that the world of one session may store.'),
  projectBytesMax: quota('project-bytes-max', defaults.quotas.projectBytesMax, 'Bytes of all worlds and evidence bundles of one project.'),
  organizationBytesMax: quota(
    'organization-bytes-max',
    defaults.quotas.organizationBytesMax,
    'Bytes of all worlds and evidence bundles of one organization.',
  ),
  oidcIssuer: setting('oidc-issuer', '<url>', 'none', 'The identity provider, exactly as its tokens name it in `iss`.', url),
  oidcAudience: setting('oidc-audience', '<text>', 'none', 'What its tokens name in `aud`.', nonEmpty),
  oidcJwksUrl: setting('oidc-jwks-url', '<url>', 'none', 'Where it publishes its keys: over https, or on this machine.', jwksUrl),
  oidcOrganizationClaim: setting(
    'oidc-organization-claim',
    '<name>',
    defaults.organizationClaim,
    'The claim with the organizationId a token is for.',
    nonEmpty,
  ),
  oidcRoleClaim: setting(
    'oidc-role-claim',
    '<name>',
    'none',
    'The claim with the role of a member: viewer, builder, manager; another value is none.',
    nonEmpty,
  ),
  authorCommand: setting('author-command', '<file>', 'none', 'The program behind `author: command`; without it such sessions are refused.', nonEmpty),
  authorArguments: setting('author-arguments', '<json>', '[]', 'Its arguments, a JSON array of strings.', stringArray),
  authorTimeoutMs: setting(
    'author-timeout-ms',
    '<n>',
    String(defaults.authorTimeoutMs),
    'How long one turn of it may take.',
    integer(1_000, 86_400_000),
  ),
  authorNetwork: setting(
    'author-network',
    '<yes>',
    'false',
    'With `--isolate box`: `true` lets it reach the network from its box.',
    (text) => choice('true', 'false')(text) === 'true',
  ),
  evidenceRetentionDays: setting(
    'evidence-retention-days',
    '<n>',
    String(defaults.evidenceRetentionMs / 86_400_000),
    'How long evidence bundles are kept.',
    integer(1, 36_500),
  ),
  ...retentionSettings,
  allowLoopbackReceivers: setting(
    'allow-loopback-receivers',
    '<yes>',
    String(defaults.allowLoopbackReceivers),
    'Whether callbacks may go to receivers on this machine, over http too: `true` for tests, and where every tenant is you.',
    (text) => choice('true', 'false')(text) === 'true',
  ),
  receiverPorts: setting(
    'receiver-ports',
    '<list>',
    defaults.receiverPorts.join(','),
    'Ports that callback receivers on other machines may have.',
    ports,
  ),
  connectionsMax: setting(
    'connections-max',
    '<n>',
    String(limits.connectionsMax),
    'Connections at once; one more is answered 503 by node:http, and closed by a uWebSockets.js that can count them.',
    integer(1, 1_000_000),
  ),
  connectionsPerAddressMax: setting(
    'connections-per-address-max',
    '<n>',
    String(limits.connectionsPerAddressMax),
    'Connections from one address at once. A proxy is one address.',
    integer(1, 1_000_000),
  ),
  agentCallsInFlightMax: setting(
    'agent-calls-in-flight-max',
    '<n>',
    String(limits.agentCallsInFlightMax),
    'Calls in flight of all agents of one project.',
    integer(1, 1_000_000),
  ),
  agentRatePerSecond: setting(
    'agent-rate-per-second',
    '<n>',
    String(limits.agentCallsPerSecond),
    'Calls a second of all agents of one project; twice as many at once.',
    integer(1, 1_000_000),
  ),
  logLevel: setting(
    'log-level',
    '<level>',
    defaults.logLevel,
    '`debug`, `info` (a line each request, but for calls of agents that succeed), `warn`, `error` or `silent`.',
    choice('debug', 'info', 'warn', 'error', 'silent'),
  ),
  stopGraceMs: setting(
    'stop-grace-ms',
    '<n>',
    String(defaults.stopGraceMs),
    'How long a stop lets work finish; what is left goes on at the next start.',
    integer(0, 3_600_000),
  ),
};
export const serveSettings: readonly ServeSetting[] = Object.values(settings);

type Values = { [Name in keyof typeof settings]?: (typeof settings)[Name] extends ServeSetting<infer Value> ? Value : never };

/** `flags`: as given, by flag name. Every problem at once, each a sentence that says what to do. */
export function readServeSettings(
  flags: { readonly [flag: string]: string | undefined },
  environment: { readonly [name: string]: string | undefined },
  { rotateKey = false }: { rotateKey?: boolean } = {},
): { options: ControlServerOptions } | { problems: string[] } {
  const problems: string[] = [];
  const values: { [name: string]: unknown } = {};
  for (const [name, one] of Object.entries<ServeSetting>(settings)) {
    const flagged = flags[one.flag];
    const text = flagged ?? (environment[environmentName(one)] || undefined);
    if (text === undefined) continue;
    try {
      values[name] = one.parse(text);
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
      const where = flagged === undefined ? environmentName(one) : `--${one.flag}`;
      problems.push(`${where} is ${JSON.stringify(text)}; it must be ${error.message}.`);
    }
  }
  problems.push(...mismatches(values as Values));
  return problems.length > 0 ? { problems } : { options: { ...optionsOf(values as Values), ...rotation(values as Values, rotateKey) } };
}

const rotation = ({ keyGraceMs: graceMs = 0 }: Values, rotateKey: boolean): Pick<ControlServerOptions, 'rotateKey'> =>
  rotateKey ? { rotateKey: { graceMs } } : {};

function mismatches({
  publicUrl,
  worldUrl,
  oidcIssuer,
  oidcAudience,
  oidcJwksUrl,
  oidcRoleClaim,
  oidcOrganizationClaim,
  authorCommand,
  authorArguments,
  authorTimeoutMs,
  authorNetwork,
}: Values): string[] {
  const problems: string[] = [];
  if (worldUrl !== undefined && worldUrl === publicUrl) problems.push('--world-url is the public URL; worlds need another host name or port.');
  const needed = { 'oidc-issuer': oidcIssuer, 'oidc-audience': oidcAudience, 'oidc-jwks-url': oidcJwksUrl };
  const missing = Object.entries(needed).flatMap(([flag, value]) => (value === undefined ? [`--${flag}`] : []));
  const wantsIdentity = missing.length < 3 || oidcRoleClaim !== undefined || oidcOrganizationClaim !== undefined;
  if (wantsIdentity && missing.length > 0)
    problems.push(`An identity provider needs ${missing.join(' and ')} too (or the environment variable of that name).`);
  if (authorCommand === undefined && [authorArguments, authorTimeoutMs, authorNetwork].some((value) => value !== undefined)) {
    problems.push('--author-arguments, --author-timeout-ms and --author-network say nothing without --author-command; name the program.');
  }
  return problems;
}

function optionsOf(values: Values): ControlServerOptions {
  const {
    host,
    port,
    publicUrl,
    worldUrl,
    server,
    dataDirectory,
    workers,
    isolation,
    trustToolCode,
    handlerTimeoutMs,
    hostHeapMb,
    durability,
    stopGraceMs,
    logLevel,
    evidenceRetentionDays,
    allowLoopbackReceivers,
    receiverPorts,
    connectionsMax,
    connectionsPerAddressMax,
    agentCallsInFlightMax: callsInFlightMax,
    agentRatePerSecond: agentRate,
    keyFile,
  } = values;
  const { ratePerSecond: perSecond = defaults.rate.perSecond, rateBurst: burst = Math.max(perSecond, defaults.rate.burst) } = values;
  const { hostSecondsPerMinute, quarantineTimeouts: timeoutsMax, quarantineHostEnds: hostEndsMax } = values;
  const { sessionsLiveMax, runsActiveMax, sourceDraftsMax, datasetsMax, projectsMax, credentialsMax } = values;
  const { sessionBytesMax, projectBytesMax, organizationBytesMax } = values;
  const { organizationRatePerSecond = Math.max(perSecond, defaults.organizationRate.perSecond) } = values;
  const { organizationRateBurst = Math.max(burst, organizationRatePerSecond, defaults.organizationRate.burst) } = values;
  return {
    ...defined({ host, port, publicUrl, worldUrl, dataDirectory, workers, isolation, trustToolCode, keyFile }),
    ...defined({ handlerTimeoutMs, hostHeapMb, durability, stopGraceMs, allowLoopbackReceivers, receiverPorts }),
    ...defined({ heldMsPerMinute: hostSecondsPerMinute === undefined ? undefined : hostSecondsPerMinute * 1000 }),
    quarantine: defined({ timeoutsMax, hostEndsMax }),
    connections: defined({ connectionsMax, connectionsPerAddressMax }),
    agents: defined({ callsInFlightMax, rate: agentRate === undefined ? undefined : { perSecond: agentRate, burst: 2 * agentRate } }),
    rate: { perSecond, burst },
    organizationRate: { perSecond: organizationRatePerSecond, burst: organizationRateBurst },
    quotas: defined({
      ...{ sessionsLiveMax, runsActiveMax, sourceDraftsMax, datasetsMax, projectsMax, credentialsMax },
      ...{ sessionBytesMax, projectBytesMax, organizationBytesMax },
    }),
    log: defined({ level: logLevel }),
    ...defined({
      engine: server === undefined ? undefined : server === 'uws' ? ('uWebSockets.js' as const) : ('node:http' as const),
      retention: retentionOf(values),
      evidenceRetentionMs: evidenceRetentionDays === undefined ? undefined : evidenceRetentionDays * 86_400_000,
      identity: identityOf(values),
      author: authorOf(values),
    }),
  };
}

function identityOf({
  oidcIssuer,
  oidcAudience,
  oidcJwksUrl,
  oidcOrganizationClaim,
  oidcRoleClaim,
}: Values): ControlServerOptions['identity'] | undefined {
  if (oidcIssuer === undefined || oidcAudience === undefined || oidcJwksUrl === undefined) return undefined;
  const organizationClaim = oidcOrganizationClaim ?? defaults.organizationClaim;
  return { issuer: oidcIssuer, audience: oidcAudience, jwksUrl: oidcJwksUrl, organizationClaim, ...defined({ roleClaim: oidcRoleClaim }) };
}

function authorOf({
  authorCommand: executable,
  authorArguments = [],
  authorTimeoutMs: timeoutMs = defaults.authorTimeoutMs,
  authorNetwork: openNetwork,
}: Values): ControlServerOptions['author'] | undefined {
  return executable === undefined ? undefined : { executable, arguments: authorArguments, timeoutMs, ...defined({ openNetwork }) };
}

function quota(flag: string, byDefault: number, text: string): ServeSetting<number> {
  return setting(flag, '<n>', String(byDefault), text, integer(1, 100_000_000_000_000));
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}
