// The hosted endpoints on the wire: each row of the endpoint table becomes a route that reads text into values, asks the control plane once
// and says how it went. No decision is made here.
import { type EndpointRule, endpointTable } from '../contract/hosted/endpoint-table.js';
import type { EndpointId, EndpointInput } from '../contract/hosted/endpoints.js';
import { endpointContract } from '../contract/validate/endpoint-validators.js';
import type { Caller } from '../control/catalog/endpoint.js';
import { requireIdempotencyKey } from '../control/core/idempotency.js';
import type { Dispatch, DispatchContext } from '../control/dispatch.js';
import type { Route, RouteReply } from './router.js';
import { type RouteApi, type RowAccess, type RowWork, rowReply, tableRoutes } from './table-routes.js';

/** What the routes need of the control plane. */
export interface ControlPort {
  /** The holder of an identity provider's token. */
  authenticateIdentity(token: string): Promise<Caller>;
  /** The holder of the operator's token. */
  authenticateOperator(token: string): Caller;
  /** Refuses what can be refused before the body is read. */
  admit(id: EndpointId, path: { [name: string]: string | number } | undefined, context: DispatchContext): void;
  dispatch<Id extends EndpointId>(id: Id, input: EndpointInput<Id>, context: DispatchContext): Promise<Dispatch<Id>>;
}

export const hostedApi: RouteApi<EndpointId, EndpointRule> = { table: endpointTable, contract: endpointContract };

export function controlRoutes(control: ControlPort): Route<Caller>[] {
  return tableRoutes(hostedApi, {
    accessOf: (rule) => accessOf(control, rule),
    workOf: (id, rule) => workOf(control, id, rule),
  });
}

function accessOf(control: ControlPort, { authority }: EndpointRule): RowAccess<Caller> {
  if (authority === 'identity') return { auth: 'bearer', authenticate: (token) => control.authenticateIdentity(token) };
  if (authority === 'operator') return { auth: 'bearer', authenticate: (token) => control.authenticateOperator(token) };
  return { auth: 'bearer' };
}

function workOf(control: ControlPort, id: EndpointId, rule: EndpointRule): RowWork<Caller> {
  const takesBody = endpointContract.validators[id].body !== undefined;
  return ({ request, caller, correlationId, path, query }) => {
    const idempotencyKey = requireIdempotencyKey(rule, request.headers.get('idempotency-key'));
    // The audit trail asks for the address of each change, when the client may have gone; of other requests it asks for few.
    const context: DispatchContext =
      idempotencyKey === undefined
        ? { caller, correlationId, client: request }
        : { caller, correlationId, client: { address: request.address }, idempotencyKey };
    if (takesBody) control.admit(id, path as { [name: string]: string | number } | undefined, context);
    return async (body) => {
      const input = { path, query, body };
      return replyOf(rule, await control.dispatch(id, input as EndpointInput<typeof id>, context));
    };
  };
}

function replyOf(rule: EndpointRule, { reply, replayed, isKnown }: Dispatch<EndpointId>): RouteReply {
  const first = isKnown === true ? { ...rowReply(rule, reply), status: 200 } : rowReply(rule, reply);
  return replayed && rule.media === undefined ? { ...first, status: 200, headers: { 'idempotent-replayed': 'true' } } : first;
}
