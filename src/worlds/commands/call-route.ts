// A request to a wire route: decoded, called like any other call, encoded. All in one step of the world, so the watchdog bounds the codecs
// as it bounds handlers.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { baseUrlPlaceholder } from '../../contract/world/base-url.js';
import type { TokenFault } from '../../contract/world/minted-tokens.js';
import { mayHaveStatus, usualStatus } from '../../contract/world/route-status.js';
import { graphqlRouteId } from '../../contract/world/tool-graphql.js';
import type { ToolHttpRoute } from '../../contract/world/tool-manifest.js';
import type { CallRoute } from '../../contract/world/wire.js';
import type { RouteResult } from '../../contract/world/world-protocol.js';
import { readToken, type TokenClaims } from '../../tools/token-endpoint.js';
import { isGranted } from '../turn/grants.js';
import type { Persona } from '../turn/program.js';
import { countCall } from '../turn/rate-windows.js';
import type { Simulation } from '../turn/simulation.js';
import { callGraphql } from './call-graphql.js';
import { callVia } from './call-tool.js';
import { notDecoded } from './route-faults.js';
import { sentBody } from './sent-body.js';

/** Throws control.ROUTE_NOT_FOUND, and control.INVALID_REQUEST for an actor that the world does not have. */
export function callRoute(
  simulation: Simulation,
  { packageId, request, blobs, actorId, actorInstanceId, ...asked }: CallRoute,
): RouteResult {
  const who = actorInstanceId === undefined ? { actorId } : { actorId, actorInstanceId };
  const persona = simulation.persona(who);
  const tool = simulation.program.tools.get(packageId);
  const claims = request.credential === undefined ? undefined : readToken(request.credential);
  const ofToken = claims?.packageId === packageId ? claims.instanceId : undefined;
  const instanceOf = (operationId: string): string =>
    asked.instanceId ?? ofToken ?? instanceFor(simulation, persona, { packageId, operationId });
  const faultAt = (instanceId: string, route: Pick<ToolHttpRoute, 'scopes'>): TokenFault | undefined =>
    request.credential === undefined ? undefined : faultOf(claims, { route, packageId, instanceId, nowUs: simulation.clock.nowUs });
  if (tool?.manifest.graphql !== undefined && request.routeId === graphqlRouteId)
    return callGraphql(simulation, { packageId, who, request, instanceOf, faultAt: (instanceId) => faultAt(instanceId, {}) });
  const route = tool?.routes.get(request.routeId);
  if (tool === undefined || route === undefined) throw noRoute();
  const { operationId } = route;
  const instanceId = instanceOf(operationId);
  if (!simulation.program.hasInstance(packageId, instanceId)) throw noRoute();
  const instance = simulation.dispatcher.instance(packageId, instanceId);
  const decoded = instance.decodeHttp(route.id, request);
  if (decoded.kind !== 'value') return notDecoded(decoded);
  const { kind: _, streams, ...given } = decoded;
  const invocation = { packageId, instanceId, operationId, ...given };
  const nowUs = simulation.clock.nowUs;
  const rateLimit = countCall(simulation.counters, { manifest: tool.manifest, route, nowUs }, { packageId, instanceId, ...who });
  const tokenFault = faultAt(instanceId, route);
  const command = { kind: 'call' as const, ...who, ...invocation, ...defined({ tokenFault }) };
  const { result: call, cutAfter, replayedCallId } = callVia(simulation, command, { blobs, streams });
  const encoded = instance.encodeHttp(route.id, {
    invocation: { callId: call.callId, correlationId: call.correlationId, ...who, ...invocation, ...defined({ replayedCallId }) },
    outcome: call.outcome,
    request: { method: request.method, pathname: request.pathname, query: request.query },
    virtualTimeUs: simulation.clock.nowUs,
    baseUrl: baseUrlPlaceholder,
    ...defined({ rateLimit }),
  });
  if (encoded.kind !== 'value') return { kind: 'not_encoded', call, reason: encoded.message };
  const { message, status = usualStatus(route.response, call.outcome) } = encoded;
  if (!mayHaveStatus(route.response, call.outcome, status)) {
    const kind = call.outcome.kind === 'ok' ? 'success' : 'errors';
    return { kind: 'not_encoded', call, reason: `encode chose the status ${status}, which the route does not declare for ${kind}` };
  }
  const body = sentBody(simulation, message.body, { streams: streams === true && call.outcome.kind === 'ok', cutAfter });
  if (typeof body === 'string') return { kind: 'not_encoded', call, reason: body };
  return { kind: 'answered', call, status, message: { ...message, body } };
}

interface TokenPlace {
  route: Pick<ToolHttpRoute, 'scopes'>;
  packageId: string;
  instanceId: string;
  nowUs: number;
}
/** What is wrong with the minted token that a request came with; its seal was right. */
function faultOf(claims: TokenClaims | undefined, { route, packageId, instanceId, nowUs }: TokenPlace): TokenFault | undefined {
  if (claims?.kind !== 'access' || claims.packageId !== packageId || claims.instanceId !== instanceId) return 'TOKEN_INVALID';
  if (claims.expiresAtUs !== undefined && claims.expiresAtUs <= nowUs) return 'TOKEN_EXPIRED';
  return (route.scopes ?? []).every((scope) => claims.scopes.includes(scope)) ? undefined : 'TOKEN_SCOPE_MISSING';
}

function noRoute(): ServiceError {
  return new ServiceError('control.ROUTE_NOT_FOUND', { message: 'There is no such wire route.' });
}

/** The package's own instance, or the only other one that the actor is granted the operation of: a route names none. */
function instanceFor(
  { program }: Simulation,
  { actor }: Persona,
  { packageId, operationId }: { packageId: string; operationId: string },
): string {
  const granted = (program.instances.get(packageId) ?? []).filter((instanceId) => isGranted(actor, { packageId, instanceId, operationId }));
  return granted.length === 1 ? (granted[0] as string) : packageId;
}
