// The routes an agent may use (docs/bindings.md): the shape of each, nothing else.
import type { CallResponse, ReceiveResponse, ToolsResponse } from '../contract/agent-binding.js';
import { validateCallPath, validateCallRequest, validateReceiveRequest, validateReceiverPath } from '../contract/validators.js';
import { requireValid } from '../http/require-valid.js';
import type { Route } from '../http/router.js';
import type { AgentAccess } from './agent-access.js';
import { mcpRoute } from './mcp-route.js';
import { waitRoute } from './wait-route.js';

export const agentRoutes: readonly Route<AgentAccess>[] = [
  { method: 'GET', path: '/health', auth: 'none', run: () => ({ status: 200, body: { schemaVersion: 1, status: 'ok' } }) },
  {
    method: 'GET',
    path: '/v1/tools',
    auth: 'bearer',
    run: async ({ caller }) => {
      const body: ToolsResponse = { schemaVersion: 1, ...(await caller.catalog()) };
      return { status: 200, body };
    },
  },
  {
    method: 'POST',
    path: '/v1/operations/{packageId}/{operationId}',
    auth: 'bearer',
    body: {},
    run: async ({ caller, path, body }) => {
      const { packageId, operationId } = requireValid(validateCallPath({ ...path }), '/path');
      const call = requireValid(validateCallRequest(body));
      const { callId, correlationId, outcome } = await caller.call({ packageId, operationId, ...call });
      const reply: CallResponse = { schemaVersion: 1, callId, correlationId, outcome };
      return { status: 200, body: reply };
    },
  },
  waitRoute,
  {
    method: 'PUT',
    path: '/v1/receivers/{receiverId}',
    auth: 'bearer',
    body: {},
    run: async ({ caller, path, body }) => {
      const { receiverId } = requireValid(validateReceiverPath({ ...path }), '/path');
      await caller.receive(receiverId, requireValid(validateReceiveRequest(body)));
      const reply: ReceiveResponse = { schemaVersion: 1, receiverId };
      return { status: 200, body: reply };
    },
  },
  mcpRoute,
];
