// Requests to wire routes that became no call, answered in the words of the package that they were for: where it is known which package of
// whose world was asked, or all that it can have been have the same words. All others are answered in the envelope.
//   WIRE-REFUSALS-1. A world learns of no credential: not of the one that was wrong, nor of one in the path.
//   WIRE-REFUSALS-2. What no route has is refused with a header that says so, in the words of the package and in the envelope.
//   WIRE-REFUSALS-3. Where several worlds may have been meant and all have the same routes, one of them words the refusal for all, and none
//     has it as evidence or in its list of unanswered requests.
import { defined } from '../contract/defined.js';
import { type ErrorCode, type Issue, ServiceError } from '../contract/errors.js';
import type { RefusalKind } from '../contract/world/tool-wire.js';
import type { UncalledRequest, WireRoute } from '../contract/world/wire.js';
import type { RouteResult } from '../contract/world/world-protocol.js';
import { unsupportedHeader } from '../http/envelope.js';
import { allowOf, type FoundElsewhere, type RouteReply } from '../http/router.js';
import type { AgentAccess } from './agent-access.js';
import { shownPath } from './unanswered-requests.js';
import { replyOf, withoutOrigin } from './wire-reply.js';
import type { WireTable } from './wire-table.js';

/** What decode has thrown. */
export class NotDecoded extends ServiceError {
  readonly failureCode: string | undefined;
  readonly reason: string;
  /** Of the arguments that decode made: they are no places in what the client sent, so the envelope does not have them. */
  readonly issues: Issue[] | undefined;

  constructor(routeId: string, { reason, code, issues }: Omit<NotDecodedResult, 'kind' | 'fault'>) {
    const details = code === undefined ? undefined : { code };
    super('control.INVALID_REQUEST', { message: `The request does not fit route '${routeId}': ${reason}`, ...defined({ details }) });
    this.failureCode = code;
    this.reason = issues?.map(({ path, message }) => `${path === '' ? 'the value' : path} ${message}`).join('; ') ?? reason;
    this.issues = issues;
  }
}
type NotDecodedResult = Extract<RouteResult, { kind: 'not_decoded' }>;

export interface RefusedExchange {
  method: string;
  /** Below the mount. */
  pathname: string;
  mount: string | undefined;
  /** Of the mount, or of the access. */
  baseUrl: string;
  error: ServiceError;
  speaksForOrigin: boolean;
  /** It is not known which of several accesses it was sent to: one speaks for all, and no world has it as evidence. */
  isUnplaced: boolean;
}

const kinds: { readonly [code in ErrorCode]?: RefusalKind } = {
  'control.UNAUTHENTICATED': 'unauthenticated',
  'control.ROUTE_NOT_FOUND': 'not_found',
  'control.METHOD_NOT_ALLOWED': 'method_not_allowed',
  'control.UNSUPPORTED_MEDIA_TYPE': 'unsupported_media_type',
  'control.PAYLOAD_TOO_LARGE': 'too_large',
  'control.INVALID_JSON': 'malformed',
  'control.INVALID_REQUEST': 'malformed',
};
const unsupported: ReadonlySet<RefusalKind> = new Set(['not_found', 'method_not_allowed']);
const kindOf = (error: ServiceError): RefusalKind | undefined => (error instanceof NotDecoded ? 'not_decoded' : kinds[error.code]);

/** The error of a request that no route has; every other one as it is. */
export function unsupportedBy(access: AgentAccess | undefined, error: ServiceError): ServiceError {
  const kind = kindOf(error);
  // With details of mounts it is not that no route has it, but that several packages do.
  const isThere = access?.wires === undefined || kind === undefined || !unsupported.has(kind) || error.extra.details?.mounts !== undefined;
  return isThere ? error : new ServiceError(error.code, { ...error.extra, message: error.message, isUnsupported: true });
}

/** Of a request for which no route was found; undefined where no package of the access words it. */
export function refusedElsewhere(access: AgentAccess | undefined, refused: RefusedExchange): FoundElsewhere<AgentAccess> | undefined {
  const kind = kindOf(refused.error);
  if (access?.wires === undefined || kind === undefined) return undefined;
  const { route, packageId, allow } = placeOf(access.wires, refused);
  if (packageId === undefined || !access.wires.words(packageId, kind, refused.pathname)) return undefined;
  const answer = () => worded(access, packageId, { kind, ...defined({ routeId: route?.routeId, allow }) }, refused);
  // Nobody was authenticated.
  return { id: 'wire', caller: kind === 'unauthenticated' || refused.isUnplaced ? undefined : access, answer };
}

/** Of a request to a route; throws the error itself where its package does not word it. */
export function refusedByRoute(access: AgentAccess, { packageId, routeId }: WireRoute, refused: RefusedExchange): Promise<RouteReply> {
  const kind = kindOf(refused.error);
  if (kind === undefined || access.wires?.words(packageId, kind, refused.pathname) !== true) throw refused.error;
  return worded(access, packageId, { kind, routeId }, refused);
}

interface Place {
  route?: WireRoute;
  packageId?: string | undefined;
  allow?: string[];
}
function placeOf(wires: WireTable, { method, pathname, mount }: RefusedExchange): Place {
  const search = wires.find(method, pathname, mount);
  if (search.kind === 'shared') return {};
  if (search.kind === 'match') return { route: search.route, packageId: search.route.packageId };
  if (search.kind === 'unknown') return { packageId: wires.nearestPackage(pathname, mount) };
  return {
    packageId: wires.firstFitting(pathname, mount)?.packageId,
    allow: allowOf(search.methods),
  };
}

async function worded(
  access: AgentAccess,
  packageId: string,
  known: Pick<UncalledRequest, 'kind' | 'routeId' | 'allow'>,
  { method, pathname, baseUrl, error, speaksForOrigin, isUnplaced }: RefusedExchange,
): Promise<RouteReply> {
  const { message } = error;
  const more =
    error instanceof NotDecoded
      ? { reason: error.reason, ...defined({ code: error.failureCode, issues: error.issues }) }
      : { reason: message, ...defined({ issues: error.extra.issues }) };
  const request = { ...known, method, pathname: shownPath(pathname), message, ...more };
  const result = await access.refuse(packageId, request, { isUnplaced }).catch((other: unknown) => {
    // A world that takes no more commands still has its refusal.
    throw other instanceof ServiceError && !other.code.startsWith('world.') ? error : other;
  });
  if (result.kind === 'not_worded')
    throw new ServiceError('world.HANDLER_FAILED', {
      message: `refuse of '${packageId}' failed: ${result.reason}`,
      details: { packageId },
    });
  const encoded = replyOf(result.status, result.message, baseUrl);
  const reply = unsupported.has(known.kind) ? { ...encoded, headers: { ...encoded.headers, ...unsupportedHeader } } : encoded;
  return speaksForOrigin ? reply : { ...reply, headers: withoutOrigin(reply.headers) };
}
