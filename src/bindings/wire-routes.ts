// The wire routes of tools: found by the credential that comes with a request, in the world of its access, at the place that the route
// names; by the address where a route wants none.
//   WIRE-ROUTES-1. A route is answered only by an access to a world that has it, and its credential counts only where the route says it is.
//   WIRE-ROUTES-2. Where strangers share a listener, only who holds an access learns what is at a path, and of its own world alone.
//   WIRE-ROUTES-3. No header, query or form that decode sees holds the credential, and no log does.
import { errorTable, ServiceError } from '../contract/errors.js';
import type { EncodedMessage, WireBody, WireRequest, WireRoute } from '../contract/world/wire.js';
import { unauthenticated } from '../http/guards.js';
import { decodePathValues, type PathMatch } from '../http/path-table.js';
import { parseLists } from '../http/query.js';
import { type FoundElsewhere, OwnBody, type RouteReply, wrongMethod } from '../http/router.js';
import type { ServerRequest } from '../http/server.js';
import { addressOf } from './access-address.js';
import type { AccessTable } from './access-table.js';
import type { AgentAccess } from './agent-access.js';
import { readWireBody } from './wire-body.js';
import { credentialsIn, type Lists, withoutCredential, withoutToken } from './wire-credential.js';
import type { WireTable } from './wire-table.js';

interface RouteMatch {
  access: AgentAccess;
  match: PathMatch<WireRoute>;
  token: string | undefined;
}

export interface WireRoutesOptions {
  /** What lies before the base URL of every access. */
  prefix?: string;
  /** Worlds of strangers are behind the listener. */
  isShared?: boolean;
  /** Pages of other sites may be let in, and browsers asked for a password: nothing else is at this origin. Default true. */
  speaksForOrigin?: boolean;
}

/** What a router asks of paths that are not its own. */
export function wireRoutes(
  accesses: AccessTable,
  { prefix = '', isShared = false, speaksForOrigin = true }: WireRoutesOptions = {},
): (request: ServerRequest) => FoundElsewhere<AgentAccess> | undefined {
  return (request) => {
    const pathname = request.path.slice(prefix.length);
    const query = parseLists(request.query);
    const asked = { pathname, query: query ?? {}, isShared };
    const found = noting(
      () => asker(accesses, request, asked),
      request,
      pathname,
      () => find(accesses, request, asked),
    );
    if (found === undefined) {
      note(asker(accesses, request, asked), { request, pathname, status: errorTable['control.ROUTE_NOT_FOUND'].status });
      return undefined;
    }
    if (query === undefined) throw new ServiceError('control.INVALID_REQUEST', { message: 'The query is not percent-encoded UTF-8.' });
    return { id: 'wire', caller: found.access, answer: () => answerNoting(request, found, { pathname, query, speaksForOrigin }) };
  };
}

/** Whose request it is that no route answers: by address or credential, or, where nobody else has an access, theirs. */
function asker(accesses: AccessTable, request: ServerRequest, { query, isShared }: ReceivedRequest): AgentAccess | undefined {
  const address = addressOf(request);
  const addressed = address === undefined ? undefined : accesses.at(address);
  if (addressed !== undefined) return addressed;
  for (const auth of [...accesses.wirePlaces(), { kind: 'bearer' } as const, { kind: 'basic' } as const])
    for (const token of credentialsIn(auth, request, query)) {
      const access = accesses.findHolder(token);
      if (access !== undefined) return access;
    }
  return isShared ? undefined : accesses.only();
}

interface UnansweredNote {
  request: ServerRequest;
  pathname: string;
  status: number;
}
function note(access: AgentAccess | undefined, { request, pathname, status }: UnansweredNote): void {
  access?.unanswered.note({ method: request.method, path: pathname, status });
}

function noting<T>(whose: () => AgentAccess | undefined, request: ServerRequest, pathname: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) note(whose(), { request, pathname, status: errorTable[error.code].status });
    throw error;
  }
}

/** A request that its codec or the body's rules refuse became no call either. */
async function answerNoting(request: ServerRequest, found: RouteMatch, answering: Answering): Promise<RouteReply> {
  try {
    return await answer(request, found, answering);
  } catch (error) {
    if (error instanceof ServiceError) note(found.access, { request, pathname: answering.pathname, status: errorTable[error.code].status });
    throw error;
  }
}

interface ReceivedRequest {
  pathname: string;
  query: Lists;
  isShared: boolean;
}
/** By the credential, so that it does not matter how many worlds there are; undefined where nothing lies at the path. */
function find(accesses: AccessTable, request: ServerRequest, asked: ReceivedRequest): RouteMatch | undefined {
  const { pathname, query } = asked;
  const address = addressOf(request);
  const addressed = address === undefined ? undefined : accesses.at(address);
  for (const auth of accesses.wirePlaces()) {
    for (const token of credentialsIn(auth, request, query)) {
      const access = accesses.findHolder(token);
      if (access?.wires === undefined || (addressed !== undefined && addressed.wires !== access.wires)) continue;
      const match = access.wires.find(request.method, pathname);
      if (match.kind === 'match' && credentialsIn(match.route.auth, request, query).includes(token)) return { access, match, token };
    }
  }
  const match = addressed?.wires?.find(request.method, pathname);
  if (addressed !== undefined && match?.kind === 'match' && match.route.auth.kind === 'none')
    return { access: addressed, match, token: undefined };
  refuseDeclared(toldTo(accesses, request, { addressed, isShared: asked.isShared }), request.method, pathname);
  return undefined;
}

/** The routes that the caller may know. */
function toldTo(
  accesses: AccessTable,
  request: ServerRequest,
  { addressed, isShared }: { addressed: AgentAccess | undefined; isShared: boolean },
): Iterable<WireTable> {
  if (!isShared && addressed === undefined) return accesses.wireTables();
  const holder = addressed ?? holderOf(accesses, request);
  if (holder === undefined) throw unauthenticated();
  return holder.wires === undefined ? [] : [holder.wires];
}

function refuseDeclared(tables: Iterable<WireTable>, method: string, pathname: string): void {
  const methods = new Set<string>();
  for (const table of tables) {
    const search = table.find(method, pathname);
    if (search.kind === 'match') throw unauthenticated();
    if (search.kind === 'method') for (const other of search.methods) methods.add(other);
  }
  if (methods.size > 0) throw wrongMethod(method, [...methods].sort());
}

/** The caller that the `Authorization` header names, for any route. */
function holderOf(accesses: AccessTable, request: ServerRequest): AgentAccess | undefined {
  for (const auth of [{ kind: 'bearer' }, { kind: 'basic' }] as const)
    for (const token of credentialsIn(auth, request, {})) {
      const access = accesses.findHolder(token);
      if (access !== undefined) return access;
    }
  return undefined;
}

interface Answering extends Omit<ReceivedRequest, 'isShared'> {
  speaksForOrigin: boolean;
}
async function answer(request: ServerRequest, found: RouteMatch, { pathname, query, speaksForOrigin }: Answering): Promise<RouteReply> {
  const { access, match, token } = found;
  const { packageId, routeId, method, auth, requestBody } = match.route;
  const seen = { routeId, method, pathname, path: decodePathValues(match.values), ...withoutCredential({ auth, token }, request, query) };
  const reply = await answerWith(access, packageId, { seen, body: readWireBody(request, requestBody), token });
  return speaksForOrigin ? reply : { ...reply, headers: withoutOrigin(reply.headers) };
}

async function answerWith(
  access: AgentAccess,
  packageId: string,
  asked: { seen: Omit<WireRequest, 'body'>; body: WireBody | Promise<WireBody>; token: string | undefined },
): Promise<RouteReply> {
  const { seen, token } = asked;
  const body = await asked.body;
  const visible = body.kind === 'form' ? { ...body, value: withoutToken(body.value, token) } : body;
  const result = await access.callRoute(packageId, { ...seen, body: visible });
  if (result.kind === 'answered' || result.kind === 'answered_each') return replyOf(result.status, result.message);
  const { kind, reason } = result;
  if (kind === 'not_decoded' && result.fault === 'request') {
    const details = result.code === undefined ? {} : { details: { code: result.code } };
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `The request does not fit route '${seen.routeId}': ${reason}`,
      ...details,
    });
  }
  const codec = kind === 'not_decoded' ? 'decode' : 'encode';
  throw new ServiceError('world.HANDLER_FAILED', {
    message: `${codec} of route '${seen.routeId}' failed: ${reason}`,
    details: { packageId },
  });
}

/** Without what would let pages of other sites read this origin, or make browsers ask for a password and send it to all of it. */
function withoutOrigin(headers: RouteReply['headers'] = {}): { [name: string]: string } {
  const kept = Object.entries(headers).filter(
    ([name, value]) => !name.startsWith('access-control-') && !(name === 'www-authenticate' && !/^bearer\b[^,]*$/i.test(value)),
  );
  return Object.fromEntries(kept);
}

const contentless = new Set([204, 205, 304]);

function replyOf(status: number, { headers, body }: EncodedMessage): RouteReply {
  if (body.kind === 'empty' || contentless.has(status)) return { status, headers, body: new OwnBody('') };
  const contentType = body.kind === 'json' ? 'application/json; charset=utf-8' : body.contentType;
  return {
    status,
    headers: { 'content-type': contentType, ...headers },
    body: new OwnBody(body.kind === 'bytes' ? Buffer.from(body.base64, 'base64') : body.text),
  };
}
