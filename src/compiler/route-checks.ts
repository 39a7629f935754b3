// Wire routes in a manifest: operations, templates, statuses; what no request could reach.
import { isConnectionHeader } from '../contract/header-rules.js';
import { agentRoutes } from '../contract/world/agent-routes.js';
import { signatureHeaders, signedIdHeader } from '../contract/world/callback-signature.js';
import type { ToolCallback, ToolHttpRoute, ToolManifest } from '../contract/world/tool-manifest.js';
import { type ManifestFinding, unknownId } from './manifest-finding.js';

export function routeFindings(manifest: ToolManifest): ManifestFinding[] {
  return [...httpFindings(manifest), ...(manifest.graphql === undefined ? [] : templateFindings(manifest.graphql, '/graphql'))];
}

function httpFindings(manifest: ToolManifest): ManifestFinding[] {
  return manifest.http.flatMap((route, index) => {
    const path = `/http/${index}`;
    return [
      ...unknownId(manifest.operations, route.operationId, { code: 'DY3006', path: `${path}/operationId`, what: 'operation' }),
      ...templateFindings(route, path),
      ...errorFindings(manifest, route, path),
      ...statusFindings(route, path),
    ];
  });
}

/** What the templates of two routes must differ in: names of parameters do not count. */
export function routeKey(method: string, path: string): string {
  return `${method} ${path.replace(/\{[^{}]*\}/g, '{}')}`;
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

function templateFault(path: string): string | undefined {
  const names: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    const parameter = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(segment)?.[1];
    if (parameter === undefined && /[{}?#\s]/.test(segment))
      return `has the segment '${segment}'; a parameter is a whole segment in braces`;
    if (parameter !== undefined && names.includes(parameter)) return `names the parameter '${parameter}' twice`;
    if (parameter !== undefined) names.push(parameter);
  }
  return path.length > 1 && path.includes('//') ? 'has an empty segment' : undefined;
}

/** What the bindings themselves serve, whatever the method. */
export const reserved: readonly string[] = Object.values(agentRoutes).map(({ path }) => path);

/**
 * Every path of the template is one of ours, so none of them would ever reach the tool. A template with more parameters is merely shadowed
 * there.
 */
function covers(own: readonly string[], template: readonly string[]): boolean {
  return own.length === template.length && own.every((segment, place) => segment.startsWith('{') || segment === template[place]);
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

function statusFindings({ response: { successStatus, errors } }: ToolHttpRoute, path: string): ManifestFinding[] {
  const statuses: [at: string, status: number, least: number, most: number][] = [
    ['successStatus', successStatus, 200, 399],
    ...errors.map(({ status }, place): [string, number, number, number] => [`errors/${place}/status`, status, 300, 599]),
  ];
  return statuses.flatMap(([at, status, least, most]) =>
    status >= least && status <= most
      ? []
      : [{ code: 'DY5016' as const, path: `${path}/response/${at}`, message: `${status} is not from ${least} to ${most}` }],
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
