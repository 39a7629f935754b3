// The wire routes of tools: found by the credential that comes with a request, in the world of its access, at the place that the route
// names; by the address where a route wants none.
//   WIRE-ROUTES-1. A route is answered only by an access to a world that has it, and its credential counts only where the route says it is.
//     The name of a key, which is public, counts only for a route whose signature is verified.
//   WIRE-ROUTES-2. Where strangers share a listener, only who holds an access learns what is at a path, and of its own world alone.
//   WIRE-ROUTES-3. No header, query or form that decode sees holds the credential, and no log does.
//   WIRE-ROUTES-4. Bytes that come and bytes that leave have a bound, of each organization (else of each world) and of all
//     behind a listener.
import { isUtf8 } from 'node:buffer';
import { errorTable, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { RouteAuth } from '../contract/world/tool-manifest.js';
import type { WireRequest, WireRoute } from '../contract/world/wire.js';
import { mountIn, mountMark } from '../contract/world/wire-mounts.js';
import { ByteBudget } from '../http/byte-budget.js';
import { bearerChallenge } from '../http/envelope.js';
import { declaresBody, requireSize, unauthenticated } from '../http/guards.js';
import { decodePathValues } from '../http/path-table.js';
import { parseLists } from '../http/query.js';
import { RequestView } from '../http/request-view.js';
import { bodyBytesOf, type FoundElsewhere, type RouteReply, type TakeBody, wrongMethod } from '../http/router.js';
import type { ServerRequest } from '../http/server.js';
import { addressOf } from './access-address.js';
import type { AccessTable } from './access-table.js';
import type { AgentAccess, WireOwner } from './agent-access.js';
import { isForm } from './body-kind.js';
import type { CrossOrigin } from './cross-origin.js';
import { mediaTypeOf } from './media-type.js';
import { isAtOwnMount } from './mount-listeners.js';
import { verifySignature } from './signed-request.js';
import { type BodyPlan, planBody, type ReceivedBody } from './wire-body.js';
import { areReadAlike, callerOf, type WireCaller } from './wire-caller.js';
import {
  bodyWithoutTokens,
  type CredentialRule,
  credentialOf,
  credentialsIn,
  type Lists,
  withoutCredential,
  withTrailers,
} from './wire-credential.js';
import { NotDecoded, refusedByRoute, refusedElsewhere, unsupportedBy } from './wire-refusals.js';
import { heldBytesOf, replyOf, withoutOrigin } from './wire-reply.js';
import { isAt, type WireSearch, type WireTable } from './wire-table.js';
import { sealedMessage, unsealedRequest } from './wire-tokens.js';

interface RouteMatch {
  access: AgentAccess;
  match: Extract<WireSearch, { kind: 'match' }>;
  /** Where its credential is. */
  auth: RouteAuth;
  /** Undefined where the route wants none, and the address says whose request it is. */
  caller: WireCaller | undefined;
}

export interface WireRoutesOptions {
  /** What lies before the base URL of every access. */
  prefix?: string;
  /** Worlds of strangers are behind the listener. */
  isShared?: boolean;
  /** Pages of other sites may be let in, and browsers asked for a password: nothing else is at this origin. Default true. */
  speaksForOrigin?: boolean;
  /** Pages of other sites that routes let in. */
  pages: CrossOrigin;
}

/** Whose body is there already. */
class ReadRequest extends RequestView {
  readonly #bytes: Uint8Array;

  constructor(request: ServerRequest, bytes: Uint8Array) {
    super(request);
    this.#bytes = bytes;
  }

  override async body(): Promise<Uint8Array> {
    return this.#bytes;
  }
}

/** What a router asks of paths that are not its own. */
export function wireRoutes(
  accesses: AccessTable,
  { prefix = '', isShared = false, speaksForOrigin = true, pages }: WireRoutesOptions,
): (request: ServerRequest) => FoundElsewhere<AgentAccess> | undefined {
  const ownerNoun = isShared ? 'organization' : 'world';
  const bounds = { ownerBytesMax: limits.ownerWireBytesMax, totalBytesMax: limits.wireBytesUnderWayMax, ownerNoun };
  const bodies = new ByteBudget({ ...bounds, waitingMax: 0, waitMsMax: 0 });
  const replies = new ByteBudget({ ...bounds, waitingMax: limits.wireRepliesWaitingMax, waitMsMax: limits.wireReplyWaitMs });
  const search = (request: ServerRequest, form?: Lists): FoundElsewhere<AgentAccess> | undefined => {
    const shown = request.path.slice(prefix.length);
    const { mount, rest: pathname } = mountIn(shown) ?? { mount: undefined, rest: shown };
    const query = parseLists(request.query);
    const asked = { pathname, mount, query: query ?? {}, form, isShared, speaksForOrigin };
    let found: RouteMatch | undefined;
    try {
      const match = find(accesses, request, asked);
      if (match === 'in_form') return { id: 'wire', caller: undefined, answer: (takeBody) => answerForm(request, takeBody) };
      found = match;
      if (found === undefined) throw new ServiceError('control.ROUTE_NOT_FOUND', { message: 'There is nothing at this path.' });
      if (query === undefined) throw new ServiceError('control.INVALID_REQUEST', { message: 'The query is not percent-encoded UTF-8.' });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const known = found?.access ?? asker(accesses, request, asked);
      note(known, { request, pathname: shown, status: errorTable[error.code].status });
      const access = known ?? (isShared ? undefined : accesses.spokesman(mount));
      const place = { method: request.method, pathname, mount, baseUrl: access?.baseUrlAt(mount, isAtOwnMount(request)) ?? '' };
      const refused = refusedElsewhere(access, { ...place, error, speaksForOrigin, isUnplaced: known === undefined });
      if (refused !== undefined) return refused;
      const refusal = unsupportedBy(access, error);
      if (refusal === error && found === undefined && isUnknown(error)) return undefined;
      throw refusal;
    }
    const answering = { shown, pathname, mount, query, speaksForOrigin, bodies, replies };
    return { id: 'wire', caller: found.access, answer: (takeBody) => answerNoting(request, found, { ...answering, takeBody }) };
  };
  /** Whose request it is, its body says: that is read first, and is then found read. */
  const answerForm = async (request: ServerRequest, takeBody: TakeBody): Promise<RouteReply> => {
    requireSize(request, limits.bodyBytesMax);
    const held = takeBody(bodyBytesOf(request));
    try {
      const bytes = await request.body(limits.bodyBytesMax);
      const form = isUtf8(bytes) ? parseLists(Buffer.from(bytes).toString('utf8')) : undefined;
      return await (search(new ReadRequest(request, bytes), form ?? {}) as FoundElsewhere<AgentAccess>).answer(() => held);
    } finally {
      held.release();
    }
  };
  return (request) => pages.preflight(request) ?? search(request);
}

/** Nothing at all is there; a route that only mounts answer is something. */
const isUnknown = ({ code, extra }: ServiceError): boolean => code === 'control.ROUTE_NOT_FOUND' && extra.details === undefined;

/** Whose request it is that no route answers: by address or credential, or, where nobody else has an access, theirs. */
function asker(accesses: AccessTable, request: ServerRequest, { isShared, ...lists }: ReceivedRequest): AgentAccess | undefined {
  const address = addressOf(request);
  const addressed = address === undefined ? undefined : accesses.at(address);
  if (addressed !== undefined) return addressed;
  for (const auth of [...accesses.wirePlaces(), { kind: 'bearer' } as const, { kind: 'basic' } as const])
    for (const token of credentialsIn(auth, request, lists)) {
      const caller = callerOf(accesses, auth, token);
      if (caller !== undefined) return caller.access;
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

/** A request that its codec or the body's rules refuse became no call either. */
async function answerNoting(request: ServerRequest, found: RouteMatch, answering: Answering): Promise<RouteReply> {
  try {
    return await answer(request, found, answering);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { shown, pathname, mount, speaksForOrigin } = answering;
    note(found.access, { request, pathname: shown, status: errorTable[error.code].status });
    const place = { method: request.method, pathname, mount, baseUrl: found.access.baseUrlAt(mount, isAtOwnMount(request)) };
    return await refusedByRoute(found.access, found.match.route, { ...place, error, speaksForOrigin, isUnplaced: false });
  }
}

interface ReceivedRequest {
  /** Below the mount. */
  pathname: string;
  mount: string | undefined;
  query: Lists;
  /** Undefined where none has been read. */
  form: Lists | undefined;
  isShared: boolean;
  speaksForOrigin: boolean;
}
/**
 * By the credential, so that it does not matter how many worlds there are; undefined where nothing lies at the path. `in_form`: the
 * credential may be in the body.
 */
function find(accesses: AccessTable, request: ServerRequest, asked: ReceivedRequest): RouteMatch | 'in_form' | undefined {
  const { pathname, mount } = asked;
  const address = addressOf(request);
  const addressed = address === undefined ? undefined : accesses.at(address);
  for (const auth of accesses.wirePlaces()) {
    for (const token of credentialsIn(auth, request, asked)) {
      const caller = callerOf(accesses, auth, token);
      const access = caller?.access;
      if (access?.wires === undefined || (addressed !== undefined && addressed.wires !== access.wires)) continue;
      const match = access.wires.find(request.method, pathname, mount);
      const used = match.kind === 'match' ? credentialOf(match.route.auths, request, asked) : undefined;
      if (match.kind !== 'match' || used === undefined || !areReadAlike(auth, used.auth)) continue;
      if (used.texts.includes(token)) return { access, match, caller, auth: used.auth };
    }
  }
  const match = addressed?.wires?.find(request.method, pathname, mount);
  if (addressed !== undefined && match?.kind === 'match' && isAt(match.route, 'none'))
    return { access: addressed, match, caller: undefined, auth: { kind: 'none' } };
  return findDeclared(tablesShownTo(accesses, request, { addressed, isShared: asked.isShared }), request, asked);
}

/** The routes that the caller may know. */
function tablesShownTo(
  accesses: AccessTable,
  request: ServerRequest,
  { addressed, isShared }: { addressed: AgentAccess | undefined; isShared: boolean },
): Iterable<WireTable> {
  if (!isShared && addressed === undefined) return accesses.wireTables();
  const holder = addressed ?? holderOf(accesses, request);
  if (holder === undefined) throw unauthenticated(bearerChallenge);
  return holder.wires === undefined ? [] : [holder.wires];
}

/** Of a request whose credential was not found. Refuses what some world has. */
function findDeclared(tables: Iterable<WireTable>, request: ServerRequest, asked: ReceivedRequest): 'in_form' | undefined {
  const { method } = request;
  const { pathname, mount } = asked;
  const methods = new Set<string>();
  for (const table of tables) {
    const search = table.find(method, pathname, mount);
    if (search.kind === 'match' && mayHaveForm(search.route, request, asked)) return 'in_form';
    if (search.kind === 'match') throw unauthenticated(challengeOf(search.route, asked));
    if (search.kind === 'shared') throw unmounted(search.mounts);
    if (search.kind === 'method') for (const other of search.methods) methods.add(other);
  }
  if (methods.size > 0) throw wrongMethod(method, [...methods].sort());
  return undefined;
}

/** A form that was not read may hold the credential, and no other place of the route holds anything. */
function mayHaveForm(route: WireRoute, request: ServerRequest, asked: ReceivedRequest): boolean {
  if (!isAt(route, 'form') || asked.form !== undefined || !declaresBody(request)) return false;
  if (!isForm(mediaTypeOf(request.headers.get('content-type') ?? '').type)) return false;
  return credentialOf(route.auths, request, asked) === undefined;
}

/** Each scheme by which the route takes a credential (RFC 9110 11.6.1). Browsers ask for a password, which only an origin of worlds may. */
function challengeOf(route: WireRoute, { speaksForOrigin }: ReceivedRequest): string {
  if (!isAt(route, 'basic') || !speaksForOrigin) return bearerChallenge;
  return isAt(route, 'bearer') ? `${bearerChallenge}, ${basicChallenge}` : basicChallenge;
}
const basicChallenge = 'Basic realm="world", charset="UTF-8"';

/** Several packages have the route, and the base URL does not say whose is meant. */
function unmounted(mounts: readonly string[]): ServiceError {
  return new ServiceError('control.ROUTE_NOT_FOUND', {
    message: 'Several packages have this route: ask below one of their mounts.',
    details: { mounts: mounts.map((name) => `/${mountMark}${name}`) },
  });
}

/** The caller that the `Authorization` header names, for any route. */
function holderOf(accesses: AccessTable, request: ServerRequest): AgentAccess | undefined {
  for (const auth of [{ kind: 'bearer' }, { kind: 'basic' }] as const)
    for (const token of credentialsIn(auth, request, { query: {} })) {
      const caller = callerOf(accesses, auth, token);
      if (caller !== undefined) return caller.access;
    }
  return undefined;
}

interface Answering extends Omit<ReceivedRequest, 'isShared' | 'form'> {
  /** The path below the base URL, its mount included. */
  shown: string;
  /** For those that are small. */
  takeBody: TakeBody;
  bodies: ByteBudget;
  replies: ByteBudget;
}
async function answer(request: ServerRequest, found: RouteMatch, answering: Answering): Promise<RouteReply> {
  const { pathname, mount, query, speaksForOrigin, takeBody, bodies, replies } = answering;
  const { access, match, caller, auth } = found;
  const { packageId, routeId, method, auths, requestBody } = match.route;
  const secrets = [...access.keys.map(({ token }) => token), ...(caller === undefined ? [] : [caller.text])];
  const rule = { auths, secrets };
  const seen = { routeId, method, pathname, path: decodePathValues(match.values), ...withoutCredential(rule, request, query) };
  const plan = auth.kind === 'sigv4' ? planSigned(request, requestBody, caller) : planBody(request, requestBody);
  const held = plan.isLarge ? bodies.take(access.bytesOwner, plan.bytes) : takeBody(plan.bytes);
  let reply: RouteReply;
  try {
    const asked = { seen, body: plan.read(), rule, minted: caller?.minted, baseUrl: access.baseUrlAt(mount, isAtOwnMount(request)) };
    reply = await answerWith(access, { packageId, instanceId: match.instanceId }, asked);
  } finally {
    held.release();
  }
  reply = await holdReply(replies, access.bytesOwner, reply);
  return speaksForOrigin ? reply : { ...reply, headers: withoutOrigin(reply.headers) };
}

/** What leaves is held until it has, events as well: clients that read slowly are no reason to have more of it. */
async function holdReply(replies: ByteBudget, owner: string, reply: RouteReply): Promise<RouteReply> {
  try {
    return { ...reply, held: await replies.whenFree(owner, heldBytesOf(reply)) };
  } catch {
    throw new ServiceError('control.UNAVAILABLE', {
      message: 'The call was made, and too many bytes are on their way to clients for its reply to leave.',
      retryAfterMs: limits.unavailableRetryAfterMs,
    });
  }
}

/** The signature is verified first, unless it needs the body: then a small body is read for it. */
function planSigned(request: ServerRequest, kind: WireRoute['requestBody'], caller: WireCaller | undefined): Omit<BodyPlan, 'kind'> {
  const verified = verifySignature(request, (caller as WireCaller).token);
  if (typeof verified !== 'function') return planBody(verified, kind);
  return { bytes: bodyBytesOf(request), isLarge: false, read: async () => await planBody(await verified(), kind).read() };
}

interface Asked {
  seen: Omit<WireRequest, 'body'>;
  body: Promise<ReceivedBody>;
  rule: CredentialRule;
  /** The credential, where it is a token that a tool has minted. */
  minted: string | undefined;
  baseUrl: string;
}
async function answerWith(access: AgentAccess, of: WireOwner, asked: Asked): Promise<RouteReply> {
  const { seen, rule } = asked;
  const { body, blobs, trailers } = await asked.body;
  const headers = withTrailers(seen.headers, trailers, rule.secrets);
  const visible = { ...seen, headers, body: bodyWithoutTokens(body, rule) };
  const result = await access.callRoute(of, unsealedRequest(visible, access.keys, asked.minted), blobs);
  if (result.kind === 'answered' || result.kind === 'answered_each')
    return replyOf(result.status, sealedMessage(result.message, access.keys[0]), asked.baseUrl);
  const { kind, reason } = result;
  if (kind === 'not_decoded' && result.fault === 'request') throw new NotDecoded(seen.routeId, result);
  const codec = kind === 'not_decoded' ? 'decode' : 'encode';
  throw new ServiceError('world.HANDLER_FAILED', {
    message: `${codec} of route '${seen.routeId}' failed: ${reason}`,
    details: { packageId: of.packageId },
  });
}
