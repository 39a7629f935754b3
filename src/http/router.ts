// From a request to one route's function and back: matching, the guards in their order, the envelope.
//   ROUTER-1. Order: host and origin -> route -> draining -> size -> media type -> bearer and rate -> the route's own checks of path, query
//     and headers (`begin`) -> body -> the route.
//   ROUTER-2. Every reply carries X-Correlation-Id; an error's envelope and its log line carry the same id.
// Everything up to reading the body happens before the first await, as HttpRequest.body wants it, unless `authenticate` itself waits.
import { defined } from '../contract/defined.js';
import { type ErrorCode, type ErrorEnvelope, orUnavailable, ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { Tracing } from '../tracing/tracing.js';
import { Answered, type Observer } from './answered-request.js';
import { type ByteBounds, ByteBudget, type BytesHeld } from './byte-budget.js';
import { errorReply, jsonReply, ownReply, publicError, rawReply, streamReply } from './envelope.js';
import { bearerOf, declaresBody, requireMediaType, requireSize } from './guards.js';
import { readJsonBody } from './json-body.js';
import { decodePathValues, type PathMatch, PathTable } from './path-table.js';
import { inRequestSpan } from './request-span.js';
import type { RouteFailure } from './route-failure.js';
import type { HttpHandler, HttpReply, ServerRequest } from './server.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export interface RouteReply {
  status: number;
  /** Written as JSON, but for nothing (undefined), bytes, the text of a `RawText`, an `OwnBody` and text that comes in pieces. */
  body: unknown;
  headers?: { [name: string]: string };
  /** Released when the reply has left, or its client has gone. */
  held?: BytesHeld;
}
/** What is known before the body is read. */
export interface CallStart<Caller> {
  request: ServerRequest;
  caller: Caller;
  /** Decoded values of the template's `{names}`. */
  path: { readonly [name: string]: string };
  correlationId: string;
}
export interface RouteCall<Caller> extends CallStart<Caller> {
  /** Undefined for a route without a body, and where an optional one is absent. */
  body: JsonValue | undefined;
}
export interface BodyRule {
  /** Default limits.bodyBytesMax. */
  bytesMax?: number;
  /** Of JSON. Default limits.jsonDepthMax. */
  levelsMax?: number;
  /** A request without any body is fine. */
  optional?: boolean;
  /** Default JSON. */
  kind?: 'json' | 'bytes';
}
type Answer = Promise<RouteReply> | RouteReply;
/** The rest of a call once its body is there: JSON, bytes, or undefined where there is none. */
type WithBody = (body: JsonValue | Uint8Array | undefined) => Answer;
/** `begin` refuses what can be refused before the body is read; `run` is for routes that have nothing of that kind. */
type Work<Caller> = { run(call: RouteCall<Caller>): Answer } | { begin(call: CallStart<Caller>): WithBody };
interface RouteCommon {
  method: Method;
  /** `/v1/tools/{toolId}`: literal segments and whole-segment names. Compared as sent, undecoded. */
  path: string;
  /** The name of the route in figures and logs. Default: method and path. */
  id?: string;
  /** A body is read only where this is given. */
  body?: BodyRule;
  /** It reads a body of limits.bodyBytesMax at most itself, before it first awaits; that is counted as others are. */
  readsBody?: boolean;
  /** Bytes for a page are taken from the budget before the page is made. */
  hasLargeReply?: boolean;
  /** Answers while the server drains, too. */
  whileDraining?: boolean;
}
/** A route that anybody may ask. */
export type OpenRoute = RouteCommon & { auth: 'none'; run(call: RouteCall<undefined>): Answer };
export type Route<Caller> =
  | (RouteCommon & { auth: 'bearer'; authenticate?(token: string): Caller | Promise<Caller> } & Work<Caller>)
  | OpenRoute;

/** What is known of a request that is to be authenticated. */
export interface RequestPlace {
  route: string | undefined;
  correlationId: string;
  request: ServerRequest;
}
export interface RouterOptions<Caller> {
  routes: readonly Route<Caller>[];
  /** Put before the path of every route, as `/world`. */
  prefix?: string;
  /** Checks Host and Origin; throws a refusal. */
  requireHost(request: ServerRequest): void;
  /** Checks what of it the node that forwarded a request cannot. */
  requirePage?(request: ServerRequest): void;
  /** The holder of a token, or a refusal; also one to a holder who asks too often. */
  authenticate(token: string, at: RequestPlace): Caller | Promise<Caller>;
  /** Asked for what lies at no path of `routes`; undefined where it knows nothing of it either. It may refuse. */
  otherwise?(request: ServerRequest): FoundElsewhere<Caller> | undefined | Promise<FoundElsewhere<Caller> | undefined>;
  /** New work is refused while it says so. */
  draining?(): boolean;
  /** For logs: never a secret. */
  nameOf?(caller: Caller): string;
  /** For logs: ids of what a caller stands for that its paths do not name. */
  idsOf?(caller: Caller): { readonly [name: string]: string };
  /** Put into every reply to a caller, in an object of its own. */
  headersOf?(caller: Caller): { [name: string]: string };
  /** What a reply is when it leaves. */
  answered?(reply: HttpReply, request: ServerRequest): HttpReply;
  /** Whose bytes a caller's bodies and large replies are. Default: all callers share one owner. */
  ownerOf?(caller: Caller): string;
  /** What an owner is, for refusals. Default: an organization. */
  ownerNoun?: string;
  observers?: readonly Observer[];
  /** Absent: no traces are wanted. */
  tracing?: Tracing | undefined;
  /** Whether a request is worth a span. Default: each is. */
  isTraced?(request: ServerRequest): boolean;
  onFailure(failure: RouteFailure): void;
  /** The body of every error reply. Default: the envelope. */
  refused?(envelope: ErrorEnvelope, request: ServerRequest): object;
}
/** Takes bytes for a body from the budget of bodies, for the caller whose it is. Throws the refusal. */
export type TakeBody = (bytes: number) => BytesHeld;
/** A request that `otherwise` knows what to do with. */
export interface FoundElsewhere<Caller> {
  /** The name of all such routes in figures and logs. */
  id: string;
  /** Undefined where nobody was authenticated. */
  caller: Caller | undefined;
  /** Asks for the body, if at all, before its first await. */
  answer(takeBody: TakeBody): Answer;
}
/** What becomes known of a request on its way. */
interface Exchange<Caller> extends RequestPlace {
  /** The route's id, and its path with names in braces. */
  route: string | undefined;
  template: string | undefined;
  /** Of an error reply. */
  code: ErrorCode | undefined;
  caller: Caller | undefined;
  /** Of one that is authenticated. */
  path: { readonly [name: string]: string } | undefined;
  /** Of a large reply: bytes of the budget, released when the reply has left. */
  held: BytesHeld | undefined;
}

/** How many bytes bodies and large replies may hold in memory. */
interface ByteBudgets {
  bodies: ByteBudget;
  replies: ByteBudget;
}
function newBudgets(noun: Pick<ByteBounds, 'ownerNoun'>): ByteBudgets {
  const waiting = { waitingMax: limits.repliesWaitingMax, waitMsMax: limits.replyWaitMsMax, ...noun };
  return {
    bodies: new ByteBudget({ ownerBytesMax: limits.organizationBodyBytesMax, totalBytesMax: limits.bodyBytesUnderWayMax, ...waiting }),
    replies: new ByteBudget({ ownerBytesMax: limits.organizationReplyBytesMax, totalBytesMax: limits.replyBytesUnderWayMax, ...waiting }),
  };
}

export function createRouter<Caller>(options: RouterOptions<Caller>): HttpHandler {
  const { prefix = '', observers = [], tracing, isTraced = () => true } = options;
  const table = new PathTable<Route<Caller>>(options.routes.map((route) => ({ ...route, path: prefix + route.path })));
  const budgets = newBudgets(defined({ ownerNoun: options.ownerNoun }));
  const answer = async (request: ServerRequest, exchange: Exchange<Caller>): Promise<HttpReply> => {
    const { correlationId } = exchange;
    try {
      const made = await dispatch(options, { table, budgets }, request, exchange);
      exchange.held ??= made.held;
      const reply = untilLeft(written(made, correlationId), exchange);
      return options.draining?.() === true ? { ...reply, close: true } : reply;
    } catch (thrown) {
      const error = orUnavailable(thrown);
      exchange.held?.release();
      exchange.code = publicError(error).code;
      if (!(error instanceof ServiceError)) options.onFailure({ correlationId, method: request.method, path: request.path, error });
      const reply = errorReply(error, correlationId, (envelope) => options.refused?.(envelope, request) ?? envelope);
      return options.draining?.() === true ? { ...reply, close: true } : reply;
    }
  };
  const answerCaller = async (request: ServerRequest, exchange: Exchange<Caller>): Promise<HttpReply> => {
    const made = await answer(request, exchange);
    const reply = options.answered?.(made, request) ?? made;
    if (exchange.caller === undefined || options.headersOf === undefined) return reply;
    return { ...reply, headers: Object.assign(options.headersOf(exchange.caller), reply.headers) };
  };
  const observed = async (request: ServerRequest, exchange: Exchange<Caller>): Promise<HttpReply> => {
    const began = performance.now();
    for (const observer of observers) observer.received();
    const reply = await answerCaller(request, exchange);
    const answered = new Answered(options, exchange, { status: reply.status, seconds: (performance.now() - began) / 1000 });
    for (const observer of observers) observer.answered(answered);
    return reply;
  };
  const answerSeen = observers.length === 0 ? answerCaller : observed;
  if (tracing === undefined) return (request) => answerSeen(request, newExchange(request));
  return (request) => {
    const exchange = newExchange<Caller>(request);
    if (!isTraced(request)) return answerSeen(request, exchange);
    return inRequestSpan(tracing, request, { facts: exchange, answer: () => answerSeen(request, exchange) });
  };
}

/** Text to be sent as it is, or its UTF-8; the media type is in the reply's headers. */
export class RawText {
  readonly text: string | Uint8Array;

  constructor(text: string | Uint8Array) {
    this.text = text;
  }
}

/** A body whose headers are all the route's own. */
export class OwnBody {
  readonly content: string | Uint8Array;

  constructor(content: string | Uint8Array) {
    this.content = content;
  }
}

function written({ status, body, headers }: RouteReply, correlationId: string): HttpReply {
  if (body instanceof Uint8Array) return rawReply(status, body, correlationId, headers);
  if (body instanceof OwnBody) return ownReply(status, body.content, correlationId, headers);
  if (isStream(body)) {
    const { bytes } = body as { bytes?: number };
    return { ...streamReply(status, body, correlationId, headers), ...(bytes === undefined ? {} : { streamBytes: bytes }) };
  }
  // Nothing has no media type.
  if (body === undefined)
    return { status, headers: { 'cache-control': 'no-store', 'x-correlation-id': correlationId, ...headers }, body: '' };
  return body instanceof RawText ? rawReply(status, body.text, correlationId, headers) : jsonReply(status, body, correlationId, headers);
}

/** A large reply holds the bytes that it has, until it has left. */
function untilLeft(reply: HttpReply, { held }: Exchange<unknown>): HttpReply {
  if (held === undefined) return reply;
  if (reply.body !== undefined) held.resize(typeof reply.body === 'string' ? Buffer.byteLength(reply.body) : reply.body.byteLength);
  return { ...reply, whenOver: () => held.release() };
}

function isStream(body: unknown): body is AsyncIterable<string | Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function newExchange<Caller>(request: ServerRequest): Exchange<Caller> {
  return {
    correlationId: newId('corr'),
    request,
    route: undefined,
    template: undefined,
    code: undefined,
    caller: undefined,
    path: undefined,
    held: undefined,
  };
}

async function dispatch<Caller>(
  options: RouterOptions<Caller>,
  { table, budgets }: { table: PathTable<Route<Caller>>; budgets: ByteBudgets },
  request: ServerRequest,
  exchange: Exchange<Caller>,
): Promise<RouteReply> {
  // The node that forwarded it has checked it: it knows by which names it is reached itself.
  if (request.isForwarded === true) options.requirePage?.(request);
  else options.requireHost(request);
  const found = findRoute(table, request);
  if (found === undefined) return await answerElsewhere(options, budgets, request, exchange);
  const { route, values } = found;
  exchange.route = route.id ?? `${route.method} ${route.path}`;
  exchange.template = route.path;
  if (route.whileDraining !== true && options.draining?.() === true) throw draining();
  const rule = route.body;
  const expectsBody = rule !== undefined && !(rule.optional === true && !declaresBody(request));
  if (expectsBody) {
    requireSize(request, rule.bytesMax ?? limits.bodyBytesMax);
    requireMediaType(request, rule.kind ?? 'json');
  }
  const { correlationId } = exchange;
  let rest: WithBody;
  if (route.auth === 'none') {
    rest = begin(route, { request, caller: undefined, path: decodePathValues(values), correlationId });
  } else {
    const known = (route.authenticate ?? options.authenticate)(bearerOf(request), exchange);
    const caller = known instanceof Promise ? await known : known;
    exchange.caller = caller;
    exchange.path = decodePathValues(values);
    rest = begin(route, { request, caller, path: exchange.path, correlationId });
  }
  const owner = ownerOf(options, exchange.caller);
  if (route.hasLargeReply === true) exchange.held = await budgets.replies.whenFree(owner, limits.pageBytesMax);
  if (!expectsBody && route.readsBody !== true) return await rest(undefined);
  const held = budgets.bodies.take(owner, bodyBytesOf(request, rule));
  try {
    return await rest(expectsBody ? await readBody(request, rule) : undefined);
  } finally {
    held.release();
  }
}

function ownerOf<Caller>(options: RouterOptions<Caller>, caller: Caller | undefined): string {
  return caller === undefined ? '' : (options.ownerOf?.(caller) ?? '');
}

/** As declared; of a body without a length, all that it may be. */
export function bodyBytesOf({ headers }: ServerRequest, { bytesMax = limits.bodyBytesMax }: BodyRule = {}): number {
  const declared = headers.get('content-length');
  return declared === undefined ? bytesMax : Number(declared);
}

function begin<Caller>(work: Work<Caller>, call: CallStart<Caller>): WithBody {
  if ('begin' in work) return work.begin(call);
  return (body) => work.run({ ...call, body: body as JsonValue | undefined });
}

function readBody(
  request: ServerRequest,
  { kind = 'json', bytesMax = limits.bodyBytesMax, levelsMax }: BodyRule,
): Promise<JsonValue | Uint8Array> {
  return kind === 'json' ? readJsonBody(request, bytesMax, levelsMax) : request.body(bytesMax);
}

function findRoute<Caller>(table: PathTable<Route<Caller>>, { method, path }: ServerRequest): PathMatch<Route<Caller>> | undefined {
  const found = table.find(method === 'HEAD' ? 'GET' : method, path);
  if (found.kind === 'method') throw wrongMethod(method, found.methods);
  return found.kind === 'match' ? found : undefined;
}

async function answerElsewhere<Caller>(
  options: RouterOptions<Caller>,
  budgets: ByteBudgets,
  request: ServerRequest,
  exchange: Exchange<Caller>,
): Promise<RouteReply> {
  const asked = options.otherwise?.(request);
  const found = asked instanceof Promise ? await asked : asked;
  if (found === undefined) throw new ServiceError('control.ROUTE_NOT_FOUND', { message: 'There is nothing at this path.' });
  exchange.route = found.id;
  exchange.caller = found.caller;
  if (options.draining?.() === true) throw draining();
  return await found.answer((bytes) => budgets.bodies.take(ownerOf(options, found.caller), bytes));
}

/** With what is answered where one of them is. */
export function allowOf(methods: readonly string[]): string[] {
  return methods.includes('GET') ? ['HEAD', ...methods].sort() : [...methods];
}

/** The refusal of a path that has routes, for a method that none of them has. */
export function wrongMethod(method: string, methods: readonly string[]): ServiceError {
  const allow = allowOf(methods);
  return new ServiceError('control.METHOD_NOT_ALLOWED', { message: `This path does not answer to ${method}.`, details: { allow } });
}

function draining(): ServiceError {
  return new ServiceError('control.UNAVAILABLE', {
    message: 'The service is shutting down.',
    retryAfterMs: limits.unavailableRetryAfterMs,
  });
}
