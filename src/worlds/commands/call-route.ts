// A request to a wire route: decoded, called like any other call, encoded. All in one step of the world, so the watchdog bounds the codecs
// as it bounds handlers.
import { ServiceError } from '../../contract/errors.js';
import type { ToolOutcome } from '../../contract/world/evidence.js';
import { graphqlRouteId } from '../../contract/world/tool-graphql.js';
import type { ToolHttpRoute } from '../../contract/world/tool-manifest.js';
import type { CallRoute, RouteResult } from '../../contract/world/world-protocol.js';
import { isGranted } from '../turn/grants.js';
import type { Persona } from '../turn/program.js';
import type { Simulation } from '../turn/simulation.js';
import { callGraphql } from './call-graphql.js';
import { callTool } from './call-tool.js';
import { notDecoded } from './route-faults.js';

/** Throws control.ROUTE_NOT_FOUND, and control.INVALID_REQUEST for an actor that the world does not have. */
export function callRoute(simulation: Simulation, { packageId, request, actorId, actorInstanceId }: CallRoute): RouteResult {
  const who = actorInstanceId === undefined ? { actorId } : { actorId, actorInstanceId };
  const persona = simulation.persona(who);
  const tool = simulation.program.tools.get(packageId);
  if (tool?.manifest.graphql !== undefined && request.routeId === graphqlRouteId)
    return callGraphql(simulation, {
      packageId,
      who,
      request,
      instanceFor: (operationId) => instanceFor(simulation, persona, { packageId, operationId }),
    });
  const route = tool?.routes.get(request.routeId);
  if (route === undefined) throw new ServiceError('control.ROUTE_NOT_FOUND', { message: 'There is no such wire route.' });
  const { operationId } = route;
  const instanceId = instanceFor(simulation, persona, { packageId, operationId });
  const instance = simulation.dispatcher.instance(packageId, instanceId);
  const decoded = instance.decodeHttp(route.id, request);
  if (decoded.kind !== 'value') return notDecoded(decoded);
  const { kind: _, ...asked } = decoded;
  const invocation = { packageId, instanceId, operationId, ...asked };
  const call = callTool(simulation, { kind: 'call', ...who, ...invocation });
  const encoded = instance.encodeHttp(route.id, { invocation: { callId: call.callId, ...invocation }, outcome: call.outcome });
  if (encoded.kind === 'value') return { kind: 'answered', call, status: statusOf(route, call.outcome), message: encoded.message };
  return { kind: 'not_encoded', call, reason: encoded.message };
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
      return 403;
    case 'invalid':
      return 400;
    case 'unsupported':
      return 501;
    case 'tool_error':
      return retryable ? 503 : 500;
  }
}
