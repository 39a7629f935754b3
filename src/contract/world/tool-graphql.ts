// A tool's GraphQL API: the `graphql` of a manifest. Each root field of its schema is an operation, so that grants, faults, receipts and
// evidence know what was asked; nothing else of a world knows GraphQL.
import { authsOf } from './route-auth.js';
import type { ToolGraphql, ToolManifest } from './tool-manifest.js';
import type { WireRoute } from './wire.js';

/** The id of the route that every GraphQL API is served at. */
export const graphqlRouteId = 'graphql';
/** Where its API is served. */
export function graphqlRoutes({ graphql }: Pick<ToolManifest, 'graphql'>): Omit<WireRoute, 'packageId' | 'instances' | 'worded'>[] {
  if (graphql === undefined) return [];
  return [{ routeId: graphqlRouteId, method: 'POST', path: graphql.path, auths: authsOf(graphql), requestBody: 'json' }];
}
/** Of a generated operation: the fields that are asked of its result, as GraphQL writes them. No argument of GraphQL can have the name. */
export const selectionArgument = '__selection';
/** What a generated operation fails with for a selection that is none of its type, or beyond the bounds. */
export const invalidSelection = 'INVALID_SELECTION';

/** A root field and the operation that it is. */
export interface GraphqlField {
  root: 'query' | 'mutation';
  field: string;
  operationId: string;
}
/** What the compiler hands the kit in a behavior's bundle. */
export interface GraphqlSettings extends Pick<ToolGraphql, 'schema' | 'depthMax' | 'costMax'> {
  fields: GraphqlField[];
  tokensMax: number;
  callsMax: number;
}
/** A request of several root fields, as the kit plans it: what the world is to call, in order. */
export interface GraphqlPlan {
  /** 200, or 400 for a request that is not executed. */
  status: number;
  calls: GraphqlCall[];
}
export interface GraphqlCall {
  operationId: string;
  arguments: { [name: string]: unknown };
  /** Its type has no null: where it gives none, neither has the reply, and what comes after it is not called. */
  nonNull: boolean;
}
