// What agents call: below the base URL of their access, locally and in the hosted service. Wire routes of tools lie beside these; the
// compiler keeps these paths from them.
import type { JsonObject } from '../json.js';
import type { RouteParts, RouteRule, RouteTable } from '../route-table.js';
import type {
  CallPath,
  CallRequest,
  CallResponse,
  ReceiveRequest,
  ReceiveResponse,
  ReceiverPath,
  ToolsResponse,
  WaitRequest,
  WaitResponse,
} from './agent-binding.js';

export interface AgentHealth {
  schemaVersion: 1;
  status: 'ok';
}
type None = undefined;

export interface AgentRoutes {
  getHealth: RouteParts<None, None, None, AgentHealth>;
  listTools: RouteParts<None, None, None, ToolsResponse>;
  callOperation: RouteParts<CallPath, None, CallRequest, CallResponse>;
  wait: RouteParts<None, None, WaitRequest, WaitResponse>;
  receiveCallbacks: RouteParts<ReceiverPath, None, ReceiveRequest, ReceiveResponse>;
  /** A message of the Model Context Protocol, and its answer. */
  mcp: RouteParts<None, None, None, JsonObject>;
}
export type AgentRouteId = keyof AgentRoutes;

/** `access`: the token of an access to a world, of one actor. */
export type AgentRule = RouteRule<'access' | 'none'>;

const row = (method: AgentRule['method'], path: string, summary: string): AgentRule => {
  return { method, path, area: 'agent', summary, authority: 'access', success: 200, ignoresQuery: true };
};

export const agentRoutes: RouteTable<AgentRouteId, AgentRule> = {
  getHealth: { ...row('GET', '/health', 'Whether the listener answers'), authority: 'none' },
  listTools: row('GET', '/v1/tools', 'What the actor may call, with schemas'),
  callOperation: row('POST', '/v1/operations/{packageId}/{operationId}', 'Call an operation of a tool'),
  wait: { ...row('POST', '/v1/wait', 'Let virtual time pass, where the actor may wait'), media: 'text/event-stream' },
  receiveCallbacks: row('PUT', '/v1/receivers/{receiverId}', 'Have the callbacks of a receiver sent to the agent; local runs only'),
  mcp: { ...row('POST', '/mcp', 'One message of the Model Context Protocol'), readsBody: true, media: 'text/event-stream' },
};
