// Every setting of `drillyard serve`, once: its flag, its environment variable (DRILLYARD_ and the flag's name), its name in a
// configuration file (the flag's in camel case), its default, what it takes. The command line, the file, its JSON Schema, the help, the
// docs and the server all get theirs from here.
import type { JsonObject } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { dayMs } from '../contract/units.js';
import { settingsDefaults as defaults } from '../control/catalog/settings.js';
import { clusterSettings } from './cluster-settings.js';
import { retentionSettings } from './retention-settings.js';
import { type ServeSetting, setting, words } from './serve-setting.js';
import {
  address,
  choice,
  integer,
  jwksUrl,
  nonEmpty,
  origin,
  path,
  ports,
  programArguments,
  subnets,
  url,
  yesNo,
} from './setting-values.js';

export const environmentName = ({ flag }: { flag: string }): string => `DRILLYARD_${flag.toUpperCase().replaceAll('-', '_')}`;
export const fileName = ({ flag }: { flag: string }): string => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const settings = {
  host: setting(
    'host',
    '<address>',
    defaults.host,
    'The address to listen on. `0.0.0.0` or `::` for every one; then name `--public-url` too.',
    address,
  ),
  port: setting('port', '<n>', String(defaults.port), 'The port; 0 for any that is free.', integer(0, limits.portMax)),
  publicUrl: setting(
    'public-url',
    '<url>',
    words('where it listens'),
    'Where clients and agents reach the service, such as a proxy in front of it; scheme, host, port.',
    origin,
  ),
  worldUrl: setting(
    'world-url',
    '<url>',
    words('where it listens'),
    'Where agents reach worlds: a host name or port apart from the control API, which is refused there, and worlds elsewhere. The service also listens on a port of http that is not its own; 0 for any.',
    origin,
  ),
  worldMountHosts: setting(
    'world-mount-hosts',
    '<yes>',
    'false',
    'With `--world-url`: `true` gives each mount of wire routes a host name below that of worlds, such as `pay.worlds.example.net`, for clients that take a host and no path. DNS and certificate need a wildcard.',
    yesNo,
  ),
  trustedProxies: setting(
    'trusted-proxy',
    '<address>',
    words('none'),
    'A proxy in front of the service, or a block of them (CIDR), whose `X-Forwarded-For` or `Forwarded` names the client; see [behind a proxy](#behind-a-proxy). Repeatable; with commas in the variable.',
    subnets,
  ),
  server: setting(
    'server',
    '<name>',
    words('the faster that is right'),
    '`uws` for uWebSockets.js, `node` for node:http; see [the two servers](#the-two-servers).',
    choice('uws', 'node'),
  ),
  dataDirectory: setting('data-dir', '<folder>', defaults.dataDirectory, 'Where everything is kept. One process at a time uses it.', path),
  keyFile: setting(
    'key-file',
    '<file>',
    words('server.key in the data directory'),
    'The server key, where it lies outside of what it protects. It must exist.',
    path,
  ),
  keyGraceMs: setting(
    'key-grace-ms',
    '<n>',
    '0',
    'With `--rotate-key`: how long what derives from the present key still works.',
    integer(0, 2_592_000_000),
  ),
  ...clusterSettings,
  workers: setting(
    'workers',
    '<n>',
    words(`processors, at most ${limits.workersDefaultMax}`),
    'Hosts of worlds. May change between starts.',
    integer(1, 256),
  ),
  isolation: setting(
    'isolate',
    '<where>',
    words('box, or process without bubblewrap'),
    'Where tool code runs: `box` (bubblewrap, for code of strangers), `process`, or `thread` (in this process, the fastest).',
    choice('thread', 'process', 'box'),
  ),
  trustToolCode: setting(
    'trust-tool-code',
    '<yes>',
    String(defaults.trustToolCode),
    'Without boxes: `true` lets the service listen beyond this machine, and hold several projects. Tool code can then do what the service can.',
    yesNo,
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
  ratePerSecond: setting(
    'rate-per-second',
    '<n>',
    String(defaults.rate.perSecond),
    'Requests a second of one credential.',
    integer(1, 1_000_000),
  ),
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
  runsActiveMax: quota('runs-active-max', defaults.quotas.runsActiveMax, 'Hosted runs of one organization under way.'),
  sourceDraftsMax: quota('source-drafts-max', defaults.quotas.sourceDraftsMax, 'Source drafts of one organization.'),
  datasetsMax: quota('datasets-max', defaults.quotas.datasetsMax, 'Datasets of one organization.'),
  projectsMax: quota('projects-max', defaults.quotas.projectsMax, 'Projects of one organization.'),
  credentialsMax: quota('credentials-max', defaults.quotas.credentialsMax, 'Credentials of one organization that are valid.'),
  sessionBytesMax: quota('session-bytes-max', defaults.quotas.sessionBytesMax, 'Bytes that the world of one session may store.'),
  projectBytesMax: quota(
    'project-bytes-max',
    defaults.quotas.projectBytesMax,
    'Bytes that one project stores: worlds, evidence, source, builds, datasets.',
  ),
  organizationBytesMax: quota(
    'organization-bytes-max',
    defaults.quotas.organizationBytesMax,
    'Bytes that one organization stores: worlds, evidence, source, builds, datasets.',
  ),
  oidcIssuer: setting('oidc-issuer', '<url>', words('none'), 'The identity provider, exactly as its tokens name it in `iss`.', url),
  oidcAudience: setting('oidc-audience', '<text>', words('none'), 'What its tokens name in `aud`.', nonEmpty),
  oidcJwksUrl: setting('oidc-jwks-url', '<url>', words('none'), 'Where it publishes its keys: over https, or on this machine.', jwksUrl),
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
    words('none'),
    'The claim with the role of a member: viewer, builder, manager; another value is none.',
    nonEmpty,
  ),
  authorCommand: setting(
    'author-command',
    '<file>',
    words('none'),
    'The program behind `author: command`; without it such sessions are refused.',
    nonEmpty,
  ),
  authorArguments: setting('author-arguments', '<json>', '[]', 'Its arguments, a JSON array of strings.', programArguments),
  authorTimeoutMs: setting(
    'author-timeout-ms',
    '<n>',
    String(defaults.authorTimeoutMs),
    'How long one turn of it may take.',
    integer(1_000, dayMs),
  ),
  authorNetwork: setting('author-network', '<yes>', 'false', 'With `--isolate box`: `true` lets it reach the network from its box.', yesNo),
  evidenceRetentionDays: setting(
    'evidence-retention-days',
    '<n>',
    String(defaults.evidenceRetentionMs / dayMs),
    'How long evidence bundles are kept.',
    integer(1, 36_500),
  ),
  ...retentionSettings,
  allowLoopbackReceivers: setting(
    'allow-loopback-receivers',
    '<yes>',
    String(defaults.allowLoopbackReceivers),
    'Whether callbacks may go to receivers on this machine, over http too: `true` for tests, and where every tenant is you.',
    yesNo,
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
    'Connections at once; one more is answered 503 by node:http, and closed by a uWebSockets.js that can count them. ' +
      'Each is an open file: see [open files](#open-files).',
    integer(1, 1_000_000),
  ),
  connectionsPerAddressMax: setting(
    'connections-per-address-max',
    '<n>',
    String(limits.connectionsPerAddressMax),
    'Connections from one address (of IPv6: from its network of 64 bits) at once; those of a `--trusted-proxy` are not counted so.',
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
    '`error`, `warn`, `info` (a line each request), `debug` or `silent`; see [the log](#the-log).',
    choice('error', 'warn', 'info', 'debug', 'silent'),
  ),
  stopGraceMs: setting(
    'stop-grace-ms',
    '<n>',
    String(defaults.stopGraceMs),
    'How long a stop lets work finish; what is left continues at the next start.',
    integer(0, 3_600_000),
  ),
};
/** What a configuration file may set. */
export const serveSettings: readonly ServeSetting[] = Object.values(settings);
/** The file itself: a flag and a variable. */
export const configFile = setting(
  'config-file',
  '<file>',
  words('none'),
  'A file with settings; see [a configuration file](#a-configuration-file).',
  nonEmpty,
);

export type ServeValues = { [Name in keyof typeof settings]?: (typeof settings)[Name] extends ServeSetting<infer Value> ? Value : never };
/** Each with the name of its value in `ServeValues`. */
export const namedSettings: readonly (readonly [keyof ServeValues, ServeSetting])[] = Object.entries(settings) as never;

/** As docs/files.md and the JSON Schema of the file have them. */
export function settingFields(): { name: string; meaning: string; fallback: string; schema: JsonObject }[] {
  return serveSettings.map((setting) => {
    const { text: meaning, default: fallback, kind } = setting;
    return { name: fileName(setting), meaning, fallback, schema: kind.schema };
  });
}

function quota(flag: string, byDefault: number, text: string): ServeSetting<number> {
  return setting(flag, '<n>', String(byDefault), text, integer(1, 100_000_000_000_000));
}
