// A request to a tool's GraphQL API: planned by the tool's kit, its root fields called like any other call, one after another, the reply
// put together. All in one step of the world, so all of its calls are in one commit: a crash leaves each of them or none.
//   CALL-GRAPHQL-1. A root field whose type has no null and that gives none ends the request: what comes after it is not called.
import { defined } from '../../contract/defined.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { TokenFault } from '../../contract/world/minted-tokens.js';
import { type GraphqlCall, graphqlRouteId } from '../../contract/world/tool-graphql.js';
import type { WireRequest } from '../../contract/world/wire.js';
import type { CallResult, RouteResult } from '../../contract/world/world-protocol.js';
import type { Simulation } from '../turn/simulation.js';
import { callTool } from './call-tool.js';
import { notDecoded } from './route-faults.js';
import { sentBody } from './sent-body.js';

interface GraphqlRequest {
  packageId: string;
  who: { actorId: string; actorInstanceId?: string };
  request: WireRequest;
  instanceOf(operationId: string): string;
  /** What is wrong with the minted token that it came with. */
  faultAt(instanceId: string): TokenFault | undefined;
}

export function callGraphql(simulation: Simulation, { packageId, who, request, instanceOf, faultAt }: GraphqlRequest): RouteResult {
  const instance = simulation.dispatcher.instance(packageId, packageId);
  const decoded = instance.decodeHttp(graphqlRouteId, request);
  if (decoded.kind !== 'value') return notDecoded(decoded);
  const plan = decoded.arguments as JsonObject;
  const planned = callsOf(plan);
  if (planned === undefined) return notDecoded({ kind: 'misshapen', message: 'the plan of a request is none' });
  if (planned.length > limits.graphqlCallsMax)
    return notDecoded({
      kind: 'failure',
      code: 'TOO_MANY_FIELDS',
      message: tooMany(planned.length),
      retryable: false,
      details: undefined,
      keep: false,
    });
  const calls: CallResult[] = [];
  for (const { operationId, arguments: given, nonNull } of planned) {
    const instanceId = instanceOf(operationId);
    const target = { packageId, instanceId, operationId, ...defined({ tokenFault: faultAt(instanceId) }) };
    const call = callTool(simulation, { kind: 'call', ...who, ...target, arguments: given as JsonObject });
    calls.push(call);
    if (nonNull && isNull(call)) break;
  }
  const encoded = instance.encodeHttp(graphqlRouteId, { plan, outcomes: calls.map(({ outcome }) => outcome) });
  if (encoded.kind !== 'value') return { kind: 'not_encoded', reason: encoded.message };
  const body = sentBody(simulation, encoded.message.body, { streams: false, cutAfter: undefined });
  if (typeof body === 'string') return { kind: 'not_encoded', reason: body };
  return { kind: 'answered_each', calls, status: plan.status === 400 ? 400 : 200, message: { ...encoded.message, body } };
}

const tooMany = (count: number): string => `the request has ${count} root fields; ${limits.graphqlCallsMax} are the most`;

function isNull({ outcome }: CallResult): boolean {
  return outcome.kind !== 'ok' || (outcome.value as { data?: JsonValue } | null)?.data == null;
}

/** The tool's code has made it. */
function callsOf({ calls }: JsonObject): GraphqlCall[] | undefined {
  if (!Array.isArray(calls)) return undefined;
  const isCall = (call: JsonValue): boolean => {
    const { operationId, arguments: given, nonNull } = (typeof call === 'object' && call !== null ? call : {}) as JsonObject;
    return typeof operationId === 'string' && given !== undefined && typeof nonNull === 'boolean';
  };
  return calls.every(isCall) ? (calls as unknown as GraphqlCall[]) : undefined;
}
