// What arrives at each route of agents, checked (route-validators.ts).
import typia from 'typia';
import type { ErrorEnvelope } from '../errors.js';
import type * as Binding from '../world/agent-binding.js';
import type { AgentRouteId, AgentRoutes } from '../world/agent-routes.js';
import { refinements } from './refinements.js';
import { type DescribedRoutes, fits, none, type RouteChecks, routeContract } from './route-validators.js';
import { wordings } from './validators.js';

/** The generated checks say `RegExp("...")` at every use, which would compile the pattern again; in this module that is a look-up. */
// biome-ignore lint/suspicious/noShadowRestrictedNames: shadowing it is the point
const RegExp = wordings.patternOf;

const checks: RouteChecks<AgentRoutes> = {
  getHealth: { path: none, query: none, body: none },
  listTools: { path: none, query: none, body: none },
  callOperation: {
    path: fits(() => typia.createEquals<Binding.CallPath>()),
    query: none,
    body: fits(() => typia.createEquals<Binding.CallRequest>()),
  },
  wait: { path: none, query: none, body: fits(() => typia.createEquals<Binding.WaitRequest>()) },
  receiveCallbacks: {
    path: fits(() => typia.createEquals<Binding.ReceiverPath>()),
    query: none,
    body: fits(() => typia.createEquals<Binding.ReceiveRequest>()),
  },
  mcp: { path: none, query: none, body: none },
};

interface Everything {
  routes: DescribedRoutes<AgentRoutes>;
  error: ErrorEnvelope;
}
const { components } = typia.json.schemas<[Everything], '3.1'>();
export const agentContract = routeContract<AgentRouteId>({ schemas: components.schemas, checks, refinements, patternOf: RegExp });
