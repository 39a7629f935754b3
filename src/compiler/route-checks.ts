// Wire routes in a manifest: operations, templates, statuses; what no request could reach.
import { isConnectionHeader } from '../contract/header-rules.js';
import { agentRoutes } from '../contract/world/agent-routes.js';
import { signatureHeaders, signedIdHeader } from '../contract/world/callback-signature.js';
import { statusBounds } from '../contract/world/route-status.js';
import { segmentOf, templateFault } from '../contract/world/route-template.js';
import type { ToolCallback, ToolHttpRoute, ToolManifest } from '../contract/world/tool-manifest.js';
import { addressShape } from '../contract/world/wire-mounts.js';
import { type ManifestFinding, unknownId } from './manifest-finding.js';

export function routeFindings(manifest: ToolManifest): ManifestFinding[] {
  return [...httpFindings(manifest), ...(manifest.graphql === undefined ? [] : templateFindings(manifest.graphql, '/graphql'))];
}

function httpFindings(manifest: ToolManifest): ManifestFinding[] {
  const routes = manifest.http.flatMap((route, index) => {
    const path = `/http/${index}`;
    return [
      ...unknownId(manifest.operations, route.operationId, { code: 'DY3006', path: `${path}/operationId`, what: 'operation' }),
      ...templateFindings(route, path),
      ...errorFindings(manifest, route, path),
      ...statusFindings(route, path),
      ...rateLimitFindings(manifest, route, path),
      ...pageFindings(route, path),
    ];
  });
  if (manifest.http.length === 0 || !addressShape.test(manifest.id)) return routes;
  const message = `'${manifest.id}' is what addresses of worlds look like; a tool with routes needs another id`;
  return [{ code: 'DY5013', path: '/id', message }, ...routes];
}

function templateFindings({ path: template }: Pick<ToolHttpRoute, 'path'>, path: string): ManifestFinding[] {
  const fault = templateFault(template);
  if (fault !== undefined) return [{ code: 'DY5010', path: `${path}/path`, message: `'${template}' ${fault}` }];
  const covering = reserved.find((own) => covers(own.split('/'), template.split('/')));
  if (covering !== undefined)
    return [
      { code: 'DY5015', path: `${path}/path`, message: `'${template}' is no path for a tool: every world serves '${covering}' itself` },
    ];
  if (template.startsWith('/~'))
    return [{ code: 'DY5015', path: `${path}/path`, message: `'${template}' begins with '~', which addresses of worlds do` }];
  return [];
}

/** What the bindings themselves serve, whatever the method. */
export const reserved: readonly string[] = Object.values(agentRoutes).map(({ path }) => path);

/**
 * Every path of the template is one of ours, so none of them would ever reach the tool. A template with more parameters is merely shadowed
 * there.
 */
function covers(own: readonly string[], template: readonly string[]): boolean {
  return (
    own.length === template.length &&
    own.every((segment, place) => {
      const given = template[place] as string;
      return segment.startsWith('{') ? segmentOf(given).kind !== 'rest' : segment === given;
    })
  );
}

function errorFindings({ operations }: ToolManifest, { operationId, response }: ToolHttpRoute, path: string): ManifestFinding[] {
  const declared = operations.find(({ id }) => id === operationId)?.declaredErrors ?? [];
  const listed = response.errors.map(({ code }) => code);
  const missing = declared.filter(({ code }) => !listed.includes(code));
  return [
    ...missing.map(({ code }) => ({
      code: 'DY5011' as const,
      path: `${path}/response/errors`,
      message: `the route has no status for the declared error ${code}`,
      suggestion: `Add { code: ${code}, status: 400 }, with the status of the real service.`,
    })),
    ...listed.flatMap((code, place) =>
      listed.indexOf(code) === place
        ? []
        : [{ code: 'DY5011' as const, path: `${path}/response/errors/${place}/code`, message: `${code} has two statuses` }],
    ),
  ];
}

function statusFindings({ response: { successStatus, successStatuses = [], errors } }: ToolHttpRoute, path: string): ManifestFinding[] {
  const { success, error } = statusBounds;
  const statuses: [at: string, status: number, bounds: { least: number; most: number }][] = [
    ['successStatus', successStatus, success],
    ...successStatuses.map((status, place): [string, number, typeof success] => [`successStatuses/${place}`, status, success]),
    ...errors.map(({ status }, place): [string, number, typeof error] => [`errors/${place}/status`, status, error]),
  ];
  return statuses.flatMap(([at, status, { least, most }]) =>
    status >= least && status <= most
      ? []
      : [{ code: 'DY5016' as const, path: `${path}/response/${at}`, message: `${status} is not from ${least} to ${most}` }],
  );
}

/** What no browser would ever send, or take. */
function pageFindings({ cors }: ToolHttpRoute, path: string): ManifestFinding[] {
  if (cors === undefined) return [];
  const findings = cors.origins.flatMap((origin, place): ManifestFinding[] => {
    const sent = origin === '*' ? origin : URL.canParse(origin) ? new URL(origin).origin : undefined;
    if (sent === origin) return [];
    const suggestion = sent === undefined ? undefined : `Write '${sent}'.`;
    return [{ code: 'DY5036', path: `${path}/cors/origins/${place}`, message: `no browser calls an origin '${origin}'`, suggestion }];
  });
  if (cors.credentials !== true || !cors.origins.includes('*')) return findings;
  const message = 'credentials come along to origins that are named alone';
  return [...findings, { code: 'DY5036', path: `${path}/cors/credentials`, message, suggestion: "Name each origin in the place of '*'." }];
}

function rateLimitFindings({ wire }: ToolManifest, { rateLimit }: ToolHttpRoute, path: string): ManifestFinding[] {
  if (rateLimit === undefined) return [];
  return unknownId(wire?.rateLimits ?? [], rateLimit, { code: 'DY3026', path: `${path}/rateLimit`, what: 'rate limit' });
}

/** Of what holds for all routes. */
export function wireFindings({ wire }: ToolManifest): ManifestFinding[] {
  const ids = (wire?.rateLimits ?? []).map(({ id }) => id);
  return ids.flatMap((id, place) =>
    ids.indexOf(id) === place
      ? []
      : [{ code: 'DY3001' as const, path: `/wire/rateLimits/${place}/id`, message: `'${id}' is the id of two entries of rateLimits` }],
  );
}

/** The headers that a callback declares are set beside what its sender says of the connection. */
export function callbackHeaderFindings({ callbacks }: ToolManifest): ManifestFinding[] {
  return callbacks.flatMap((callback, index) => [...connectionHeaderFindings(callback, index), ...sharedHeaderFindings(callback, index)]);
}

function connectionHeaderFindings({ idempotencyHeader, signature }: ToolCallback, index: number): ManifestFinding[] {
  const declared = signature.kind === 'hmac-sha256' ? { 'signature/header': signature.header } : {};
  return Object.entries({ idempotencyHeader, ...declared })
    .filter(([, name]) => isConnectionHeader(name.toLowerCase()))
    .map(([member, name]) => ({
      code: 'DY5020' as const,
      path: `/callbacks/${index}/${member}`,
      message: `${name} is a header of the connection, which the sender of the request sets`,
      suggestion: 'Name the header that the real service uses, such as X-Signature.',
    }));
}

/** Of a scheme with a name: it sets its headers itself. */
function sharedHeaderFindings({ idempotencyHeader, signature }: ToolCallback, index: number): ManifestFinding[] {
  const name = idempotencyHeader.toLowerCase();
  const isTaken = signature.kind !== 'hmac-sha256' && signatureHeaders(signature).includes(name) && name !== signedIdHeader(signature);
  if (!isTaken) return [];
  return [
    {
      code: 'DY5020',
      path: `/callbacks/${index}/idempotencyHeader`,
      message: `${idempotencyHeader} is a header of the signature '${signature.kind}', which the sender sets`,
      suggestion: 'Name the header in which the real service sends the id of a delivery.',
    },
  ];
}
