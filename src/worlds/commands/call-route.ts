// A request to a wire route: decoded, called like any other call, encoded. All in one step of the world, so the watchdog bounds the codecs
// as it bounds handlers.
import { ServiceError } from '../../contract/errors.js';
import type { ToolOutcome } from '../../contract/world/evidence.js';
import type { TokenFault } from '../../contract/world/minted-tokens.js';
import type { ToolHttpRoute } from '../../contract/world/tool-manifest.js';
import type { CallRoute } from '../../contract/world/wire.js';
import type { RouteResult } from '../../contract/world/world-protocol.js';
import type { DecodeResult } from '../../tools/loaded-tool.js';
import { readToken, type TokenClaims } from '../../tools/token-endpoint.js';
import { isGranted } from '../turn/grants.js';
import type { Persona } from '../turn/program.js';
import type { Simulation } from '../turn/simulation.js';
import { callTool } from './call-tool.js';

/** Throws control.ROUTE_NOT_FOUND, and control.INVALID_REQUEST for an actor that the world does not have. */
export function callRoute(simulation: Simulation, { packageId, request, actorId, actorInstanceId, ...asked }: CallRoute): RouteResult {
  const who = actorInstanceId === undefined ? { actorId } : { actorId, actorInstanceId };
  const persona = simulation.persona(who);
  const route = simulation.program.tools.get(packageId)?.routes.get(request.routeId);
  if (route === undefined) throw noRoute();
  const { operationId } = route;
  const claims = request.credential === undefined ? undefined : readToken(request.credential);
  const ofToken = claims?.packageId === packageId ? claims.instanceId : undefined;
  const instanceId = asked.instanceId ?? ofToken ?? instanceFor(simulation, persona, { packageId, operationId });
  if (!simulation.program.hasInstance(packageId, instanceId)) throw noRoute();
  const instance = simulation.dispatcher.instance(packageId, instanceId);
  const decoded = instance.decodeHttp(route.id, request);
  if (decoded.kind !== 'value') return notDecoded(decoded);
  const { kind: _, ...given } = decoded;
  const invocation = { packageId, instanceId, operationId, ...given };
  const tokenFault =
    request.credential === undefined ? undefined : faultOf(claims, { route, packageId, instanceId, nowUs: simulation.clock.nowUs });
  const call = callTool(simulation, { kind: 'call', ...who, ...invocation, ...(tokenFault === undefined ? {} : { tokenFault }) });
  const encoded = instance.encodeHttp(route.id, { invocation: { callId: call.callId, ...invocation }, outcome: call.outcome });
  if (encoded.kind === 'value') return { kind: 'answered', call, status: statusOf(route, call.outcome), message: encoded.message };
  return { kind: 'not_encoded', call, reason: encoded.message };
}

interface TokenPlace {
  route: ToolHttpRoute;
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

/** The code's own where the manifest gives it one, whatever the kind of outcome. */
function statusOf({ response }: ToolHttpRoute, outcome: ToolOutcome): number {
  if (outcome.kind === 'ok') return response.successStatus;
  const { code, retryable } = outcome.error;
  const listed = response.errors.find((error) => error.code === code);
  if (listed !== undefined) return listed.status;
  switch (outcome.kind) {
    case 'denied':
      return code === 'TOKEN_INVALID' || code === 'TOKEN_EXPIRED' ? 401 : 403;
    case 'invalid':
      return 400;
    case 'unsupported':
      return 501;
    case 'tool_error':
      return retryable ? 503 : 500;
  }
}

function notDecoded(fault: Exclude<DecodeResult, { kind: 'value' }>): RouteResult {
  const code = fault.kind === 'failure' ? { code: fault.code } : {};
  return { kind: 'not_decoded', reason: fault.message, fault: fault.kind === 'misshapen' ? 'codec' : 'request', ...code };
}
