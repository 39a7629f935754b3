// What agents may do: the work behind each row of contract/world/agent-routes.ts.
import { type AgentDialect, ownAgentDialect, ownWordsHeader } from '../contract/run/dialect.js';
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
import type { ServerRequest } from '../http/server.js';
import { type RouteApi, type RowWork, tableRoutes } from '../http/table-routes.js';
import type { AgentAccess } from './agent-access.js';
import { answerMcpRequest } from './mcp-route.js';
import { answerWait } from './wait-route.js';

/** A client of ours is answered in our words. */
export function wordsFor({ headers }: Pick<ServerRequest, 'headers'>, dialect: AgentDialect): AgentDialect {
  return headers.has(ownWordsHeader) ? ownAgentDialect : dialect;
}

export const agentApi: RouteApi<AgentRouteId, AgentRule> = { table: agentRoutes, contract: agentContract };

const works: { readonly [_ in AgentRouteId]: RowWork<AgentAccess> } = {
  getHealth: () => () => ({ status: 200, body: { schemaVersion: 1, status: 'ok' } }),
  listTools:
    ({ caller, request }) =>
    async () => {
      const listed: ToolsResponse = { schemaVersion: 1, ...(await caller.catalog()) };
      return { status: 200, body: wordsFor(request, caller.dialect).tools(listed) };
    },
  callOperation: ({ caller, path, request }) => {
    const { packageId, operationId } = path as CallPath;
    return async (body) => {
      const result = await caller.call({ packageId, operationId, ...(body as CallRequest) });
      return wordsFor(request, caller.dialect).called(result, { packageId, operationId });
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
