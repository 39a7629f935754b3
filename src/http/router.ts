// From a request to one route's function and back: matching, the guards in their order, the envelope.
//   R1. Order: host and origin -> route -> size -> media type -> bearer -> path values -> body -> the route.
//   R2. Every reply carries X-Correlation-Id; an error's envelope and its log line carry the same id.
//   R3. Everything up to reading the body happens before the first await, as HttpRequest.body wants it, unless `authenticate` itself waits.
import { ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { errorReply, jsonReply } from './envelope.js';
import { bearerOf, requireJsonType, requireSize } from './guards.js';
import { readJsonBody } from './json-body.js';
import { decodePathValues, type PathMatch, PathTable } from './path-table.js';
import type { HttpHandler, HttpReply, HttpRequest } from './server.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export interface RouteReply {
  status: number;
  /** Written as JSON. */
  body: unknown;
  headers?: { [name: string]: string };
}
export interface RouteCall<Caller> {
  request: HttpRequest;
  caller: Caller;
  /** Decoded values of the template's `{names}`. */
  path: { readonly [name: string]: string };
  /** Undefined for a route without a body. */
  body: JsonValue | undefined;
  correlationId: string;
}
interface RouteCommon {
  method: Method;
  /** `/v1/tools/{toolId}`: literal segments and whole-segment names. Compared as sent, undecoded. */
  path: string;
  /** A JSON body is read only where this is given. */
  body?: { bytesMax?: number };
}
export type Route<Caller> =
  | (RouteCommon & { auth: 'bearer'; run(call: RouteCall<Caller>): Promise<RouteReply> | RouteReply })
  | (RouteCommon & { auth: 'none'; run(call: RouteCall<undefined>): Promise<RouteReply> | RouteReply });

/** A bug met while answering: what the client is not told. */
export interface RouteFailure {
  correlationId: string;
  method: string;
  path: string;
  error: unknown;
}
export interface RouterOptions<Caller> {
  routes: readonly Route<Caller>[];
  /** Checks Host and Origin; throws a refusal. */
  requireHost(request: HttpRequest): void;
  /** The holder of a token, or a refusal. */
  authenticate(token: string): Caller | Promise<Caller>;
  onFailure(failure: RouteFailure): void;
}

export function createRouter<Caller>(options: RouterOptions<Caller>): HttpHandler {
  const table = new PathTable<Route<Caller>>(options.routes);
  return async (request) => {
    const correlationId = newId('corr');
    try {
      return await dispatch(options, table, request, correlationId);
    } catch (error) {
      if (!(error instanceof ServiceError)) options.onFailure({ correlationId, method: request.method, path: request.path, error });
      return errorReply(error, correlationId);
    }
  };
}

async function dispatch<Caller>(
  options: RouterOptions<Caller>,
  table: PathTable<Route<Caller>>,
  request: HttpRequest,
  correlationId: string,
): Promise<HttpReply> {
  options.requireHost(request);
  const { route, values } = requireRoute(table, request);
  const bytesMax = route.body?.bytesMax ?? limits.bodyBytesMax;
  if (route.body !== undefined) {
    requireSize(request, bytesMax);
    requireJsonType(request);
  }
  const rest = async () => ({
    request,
    path: decodePathValues(values),
    body: route.body === undefined ? undefined : await readJsonBody(request, bytesMax),
    correlationId,
  });
  let reply: RouteReply;
  if (route.auth === 'none') {
    reply = await route.run({ ...(await rest()), caller: undefined });
  } else {
    const known = options.authenticate(bearerOf(request));
    const caller = known instanceof Promise ? await known : known;
    reply = await route.run({ ...(await rest()), caller });
  }
  return jsonReply(reply.status, reply.body, correlationId, reply.headers);
}

function requireRoute<Caller>(table: PathTable<Route<Caller>>, { method, path }: HttpRequest): PathMatch<Route<Caller>> {
  const found = table.find(method === 'HEAD' ? 'GET' : method, path);
  if (found.kind === 'match') return found;
  if (found.kind === 'unknown') throw new ServiceError('control.ROUTE_NOT_FOUND', { message: 'There is nothing at this path.' });
  const allow = found.methods.includes('GET') ? ['HEAD', ...found.methods].sort() : found.methods;
  throw new ServiceError('control.METHOD_NOT_ALLOWED', { message: `This path does not answer to ${method}.`, details: { allow } });
}
