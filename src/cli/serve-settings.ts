// Every setting of `drillyard serve`, once: its flag, its environment variable (DRILLYARD_ and the flag's name), its default, what it takes.
// A flag wins over the environment. The help, docs/hosting.md and the server all get theirs from here.
import { settingsDefaults as defaults, workersDefaultMax } from '../control/settings.js';
import type { ControlServerOptions } from '../index.js';

export interface ServeSetting<Value = unknown> {
  /** Without its dashes. */
  flag: string;
  placeholder: string;
  text: string;
  /** As one would write it; in words when it is not a fixed value. */
  default: string;
  /** Throws a NotTaken. */
  parse(text: string): Value;
}
/** What a setting takes, said of a value that it does not. */
class NotTaken extends Error {}

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
  server: setting('server', '<name>', 'the faster that loads', '`uws` for uWebSockets.js, `node` for node:http.', choice('uws', 'node')),
  dataDirectory: setting('data-dir', '<folder>', defaults.dataDirectory, 'Where everything is kept. One process at a time uses it.', nonEmpty),
  workers: setting('workers', '<n>', `processors, at most ${workersDefaultMax}`, 'Hosts of worlds. May change between starts.', integer(1, 256)),
  isolation: setting(
    'isolate',
    '<where>',
    defaults.isolation,
    'Where tool code runs: `thread`, or `process` for code you do not trust.',
    choice('thread', 'process'),
  ),
  handlerTimeoutMs: setting(
    'handler-timeout-ms',
    '<n>',
    String(defaults.handlerTimeoutMs),
    'How long one step of tool code may take; one that takes longer is ended, and its caller gets `world.HANDLER_TIMEOUT`.',
    integer(100, 600_000),
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
  sessionsLiveMax: quota('sessions-live-max', defaults.quotas.sessionsLiveMax, 'Sessions of one organization that are alive.'),
  runsActiveMax: quota('runs-active-max', defaults.quotas.runsActiveMax, 'Hosted runs of one organization that go on.'),
  sourceDraftsMax: quota('source-drafts-max', defaults.quotas.sourceDraftsMax, 'Source drafts of one organization.'),
  datasetsMax: quota('datasets-max', defaults.quotas.datasetsMax, 'Datasets of one organization.'),
  projectsMax: quota('projects-max', defaults.quotas.projectsMax, 'Projects of one organization.'),
  credentialsMax: quota('credentials-max', defaults.quotas.credentialsMax, 'Credentials of one organization that are valid.'),
  oidcIssuer: setting('oidc-issuer', '<url>', 'none', 'The identity provider, exactly as its tokens name it in `iss`.', url),
  oidcAudience: setting('oidc-audience', '<text>', 'none', 'What its tokens name in `aud`.', nonEmpty),
  oidcJwksUrl: setting('oidc-jwks-url', '<url>', 'none', 'Where it publishes its keys.', url),
  oidcOrganizationClaim: setting(
    'oidc-organization-claim',
    '<name>',
    defaults.organizationClaim,
    'The claim with the organizationId a token is for.',
    nonEmpty,
  ),
  oidcRoleClaim: setting('oidc-role-claim', '<name>', 'none', 'The claim with the role of a new member: viewer, builder, manager.', nonEmpty),
  authorCommand: setting('author-command', '<file>', 'none', 'The program behind `author: command`; without it such sessions are refused.', nonEmpty),
  authorArguments: setting('author-arguments', '<json>', '[]', 'Its arguments, a JSON array of strings.', stringArray),
  authorTimeoutMs: setting(
    'author-timeout-ms',
    '<n>',
    String(defaults.authorTimeoutMs),
    'How long one turn of it may take.',
    integer(1_000, 86_400_000),
  ),
  evidenceRetentionDays: setting(
    'evidence-retention-days',
    '<n>',
    String(defaults.evidenceRetentionMs / 86_400_000),
    'How long evidence bundles are kept.',
    integer(1, 36_500),
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
  return problems.length > 0 ? { problems } : { options: optionsOf(values as Values) };
}

function mismatches({
  oidcIssuer,
  oidcAudience,
  oidcJwksUrl,
  oidcRoleClaim,
  oidcOrganizationClaim,
  authorCommand,
  authorArguments,
  authorTimeoutMs,
}: Values): string[] {
  const problems: string[] = [];
  const needed = { 'oidc-issuer': oidcIssuer, 'oidc-audience': oidcAudience, 'oidc-jwks-url': oidcJwksUrl };
  const missing = Object.entries(needed).flatMap(([flag, value]) => (value === undefined ? [`--${flag}`] : []));
  const wantsIdentity = missing.length < 3 || oidcRoleClaim !== undefined || oidcOrganizationClaim !== undefined;
  if (wantsIdentity && missing.length > 0)
    problems.push(`An identity provider needs ${missing.join(' and ')} too (or the environment variable of that name).`);
  if (authorCommand === undefined && (authorArguments !== undefined || authorTimeoutMs !== undefined)) {
    problems.push('--author-arguments and --author-timeout-ms say nothing without --author-command; name the program.');
  }
  return problems;
}

function optionsOf(values: Values): ControlServerOptions {
  const {
    host,
    port,
    publicUrl,
    server,
    dataDirectory,
    workers,
    isolation,
    handlerTimeoutMs,
    durability,
    stopGraceMs,
    logLevel,
    evidenceRetentionDays,
  } = values;
  const { ratePerSecond: perSecond = defaults.rate.perSecond, rateBurst: burst = Math.max(perSecond, defaults.rate.burst) } = values;
  const { sessionsLiveMax, runsActiveMax, sourceDraftsMax, datasetsMax, projectsMax, credentialsMax } = values;
  return {
    ...defined({ host, port, publicUrl, dataDirectory, workers, isolation, handlerTimeoutMs, durability, stopGraceMs }),
    rate: { perSecond, burst },
    quotas: defined({ sessionsLiveMax, runsActiveMax, sourceDraftsMax, datasetsMax, projectsMax, credentialsMax }),
    log: defined({ level: logLevel }),
    ...defined({
      engine: server === undefined ? undefined : server === 'uws' ? ('uWebSockets.js' as const) : ('node:http' as const),
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
  authorCommand,
  authorArguments = [],
  authorTimeoutMs = defaults.authorTimeoutMs,
}: Values): ControlServerOptions['author'] | undefined {
  return authorCommand === undefined ? undefined : { executable: authorCommand, arguments: authorArguments, timeoutMs: authorTimeoutMs };
}

function setting<Value>(flag: string, placeholder: string, byDefault: string, text: string, parse: (text: string) => Value): ServeSetting<Value> {
  return { flag, placeholder, default: byDefault, text, parse };
}
function quota(flag: string, byDefault: number, text: string): ServeSetting<number> {
  return setting(flag, '<n>', String(byDefault), text, integer(1, 1_000_000_000));
}

function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value;
    throw new NotTaken(`an integer from ${min} to ${max}`);
  };
}
function choice<const Name extends string>(...names: Name[]): (text: string) => Name {
  return (text) => {
    const found = names.find((name) => name === text);
    if (found !== undefined) return found;
    throw new NotTaken(`${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
  };
}
function nonEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new NotTaken('something other than nothing');
}
function address(text: string): string {
  if (/^[A-Za-z0-9.:_-]+$/.test(text)) return text;
  throw new NotTaken('an IP address or a host name of this machine, such as 127.0.0.1');
}
function url(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new NotTaken('a URL that begins with https:// or http://');
}
function origin(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && text.replace(/\/$/, '').toLowerCase() === parsed.origin) return parsed.origin;
  throw new NotTaken('scheme, host and port alone, such as https://drills.example.com');
}
function stringArray(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new NotTaken('a JSON array of strings, such as ["--model","small"]');
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}
