// What the settings of `drillyard serve` mean together: the options of the server, and what does not go with what.
import { isIP } from 'node:net';
import { defined } from '../contract/defined.js';
import { dayMs } from '../contract/units.js';
import { settingsDefaults as defaults } from '../control/catalog/settings.js';
import type { ControlServerOptions } from '../index.js';
import { clusterMismatches, clusterOf } from './cluster-settings.js';
import { retentionOf } from './retention-settings.js';
import type { ServeValues } from './serve-settings.js';

type Rates = Required<Pick<ServeValues, 'ratePerSecond' | 'rateBurst' | 'organizationRatePerSecond' | 'organizationRateBurst'>>;
/** A burst is at least a second's requests, and an organization has at least what one credential has. */
export function ratesOf(values: ServeValues): Rates {
  const { ratePerSecond = defaults.rate.perSecond, rateBurst = Math.max(ratePerSecond, defaults.rate.burst) } = values;
  const { organizationRatePerSecond = Math.max(ratePerSecond, defaults.organizationRate.perSecond) } = values;
  const { organizationRateBurst = Math.max(rateBurst, organizationRatePerSecond, defaults.organizationRate.burst) } = values;
  return { ratePerSecond, rateBurst, organizationRatePerSecond, organizationRateBurst };
}

export function optionsOf(values: ServeValues): ControlServerOptions {
  const {
    host,
    port,
    publicUrl,
    worldUrl,
    worldMountHosts,
    server,
    dataDirectory,
    workers,
    logLevel,
    evidenceRetentionDays,
    allowLoopbackReceivers,
    receiverPorts,
    connectionsMax,
    connectionsPerAddressMax,
    agentCallsInFlightMax: callsInFlightMax,
    agentRatePerSecond: agentRate,
    keyFile,
    trustedProxies,
  } = values;
  const { ratePerSecond, rateBurst, organizationRatePerSecond, organizationRateBurst } = ratesOf(values);
  const { hostSecondsPerMinute, quarantineTimeouts: timeoutsMax, quarantineHostEnds: hostEndsMax } = values;
  const { isolation, trustToolCode, handlerTimeoutMs, hostHeapMb, durability, stopGraceMs } = values;
  const { sessionsLiveMax, runsActiveMax, sourceDraftsMax, datasetsMax, projectsMax, credentialsMax } = values;
  const { sessionBytesMax, projectBytesMax, organizationBytesMax } = values;
  return {
    ...defined({
      host,
      port,
      publicUrl,
      worldUrl,
      worldMountHosts,
      dataDirectory,
      workers,
      isolation,
      trustToolCode,
      keyFile,
      trustedProxies,
      handlerTimeoutMs,
      hostHeapMb,
      durability,
      stopGraceMs,
      allowLoopbackReceivers,
      receiverPorts,
      heldMsPerMinute: hostSecondsPerMinute === undefined ? undefined : hostSecondsPerMinute * 1000,
    }),
    quarantine: defined({ timeoutsMax, hostEndsMax }),
    connections: defined({ connectionsMax, connectionsPerAddressMax }),
    agents: defined({ callsInFlightMax, rate: agentRate === undefined ? undefined : { perSecond: agentRate, burst: 2 * agentRate } }),
    rate: { perSecond: ratePerSecond, burst: rateBurst },
    organizationRate: { perSecond: organizationRatePerSecond, burst: organizationRateBurst },
    quotas: defined({
      ...{ sessionsLiveMax, runsActiveMax, sourceDraftsMax, datasetsMax, projectsMax, credentialsMax },
      ...{ sessionBytesMax, projectBytesMax, organizationBytesMax },
    }),
    log: defined({ level: logLevel }),
    ...defined({
      engine: server === undefined ? undefined : server === 'uws' ? ('uWebSockets.js' as const) : ('node:http' as const),
      retention: retentionOf(values),
      evidenceRetentionMs: evidenceRetentionDays === undefined ? undefined : evidenceRetentionDays * dayMs,
      identity: identityOf(values),
      author: authorOf(values),
      cluster: clusterOf(values),
    }),
  };
}

function identityOf({
  oidcIssuer,
  oidcAudience,
  oidcJwksUrl,
  oidcOrganizationClaim,
  oidcRoleClaim,
}: ServeValues): ControlServerOptions['identity'] | undefined {
  if (oidcIssuer === undefined || oidcAudience === undefined || oidcJwksUrl === undefined) return undefined;
  const organizationClaim = oidcOrganizationClaim ?? defaults.organizationClaim;
  return { issuer: oidcIssuer, audience: oidcAudience, jwksUrl: oidcJwksUrl, organizationClaim, ...defined({ roleClaim: oidcRoleClaim }) };
}

function authorOf({
  authorCommand: executable,
  authorArguments = [],
  authorTimeoutMs: timeoutMs = defaults.authorTimeoutMs,
  authorNetwork: openNetwork,
}: ServeValues): ControlServerOptions['author'] | undefined {
  return executable === undefined ? undefined : { executable, arguments: authorArguments, timeoutMs, ...defined({ openNetwork }) };
}

/** What is wrong with values that are fine each by itself. */
export function mismatches(values: ServeValues, rotateKey: boolean): string[] {
  return [...clusterMismatches(values, rotateKey), ...serviceMismatches(values)];
}

function serviceMismatches({
  publicUrl,
  worldUrl,
  worldMountHosts,
  oidcIssuer,
  oidcAudience,
  oidcJwksUrl,
  oidcRoleClaim,
  oidcOrganizationClaim,
  authorCommand,
  authorArguments,
  authorTimeoutMs,
  authorNetwork,
}: ServeValues): string[] {
  const problems: string[] = [];
  if (worldUrl !== undefined && worldUrl === publicUrl)
    problems.push('--world-url is the public URL; worlds need another host name or port.');
  if (worldMountHosts === true && (worldUrl === undefined || isIP(new URL(worldUrl).hostname.replace(/^\[|\]$/g, '')) !== 0))
    problems.push('--world-mount-hosts needs a --world-url with a host name, below which the names of mounts are.');
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
