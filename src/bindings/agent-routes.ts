// What agents may do: the work behind each row of contract/world/agent-routes.ts.
import { agentContract } from '../contract/validate/agent-validators.js';
import type {
  CallPath,
  CallRequest,
  ReceiveRequest,
  ReceiveResponse,
  ReceiverPath,
  ToolsResponse,
} from '../contract/world/agent-binding.js';
import { type AgentRouteId, type AgentRule, agentRoutes } from '../contract/world/agent-routes.js';
import type { Route } from '../http/router.js';
import { type RouteApi, type RowWork, tableRoutes } from '../http/table-routes.js';
import type { AgentAccess } from './agent-access.js';
import { answerMcpRequest } from './mcp-route.js';
import { answerWait } from './wait-route.js';

export const agentApi: RouteApi<AgentRouteId, AgentRule> = { table: agentRoutes, contract: agentContract };

const works: { readonly [_ in AgentRouteId]: RowWork<AgentAccess> } = {
  getHealth: () => () => ({ status: 200, body: { schemaVersion: 1, status: 'ok' } }),
  listTools:
    ({ caller }) =>
    async () => {
      const listed: ToolsResponse = { schemaVersion: 1, ...(await caller.catalog()) };
      return { status: 200, body: caller.dialect.tools(listed) };
    },
  callOperation: ({ caller, path }) => {
    const { packageId, operationId } = path as CallPath;
    return async (body) => {
      const result = await caller.call({ packageId, operationId, ...(body as CallRequest) });
      return caller.dialect.called(result, { packageId, operationId });
    };
  },
  wait: answerWait,
  receiveCallbacks: ({ caller, path }) => {
    const { receiverId } = path as ReceiverPath;
    return async (body) => {
      await caller.receive(receiverId, body as ReceiveRequest);
      const reply: ReceiveResponse = { schemaVersion: 1, receiverId };
      return { status: 200, body: reply };
    };
  },
  mcp: answerMcpRequest,
};

export const routesOfAgents: readonly Route<AgentAccess>[] = tableRoutes<AgentRouteId, AgentRule, AgentAccess>(agentApi, {
  accessOf: ({ authority }) => ({ auth: authority === 'none' ? 'none' : 'bearer' }),
  workOf: (id) => works[id],
  // Beside the endpoints of `/v1` in the same figures.
  isNamedById: false,
});
