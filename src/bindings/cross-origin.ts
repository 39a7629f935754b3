// Pages of other sites (CORS, Fetch Standard): which of them a route lets in, what their browsers are answered before the request itself,
// and the headers by which they let the page read its reply, that of a refusal too.
//   CROSS-ORIGIN-1. A page is let in by a route that names its origin, and by nothing else; of worlds of strangers, below their address.
import type { RouteCors } from '../contract/world/tool-manifest.js';
import { mountIn } from '../contract/world/wire-mounts.js';
import { type FoundElsewhere, OwnBody } from '../http/router.js';
import type { HttpReply, ServerRequest } from '../http/server.js';
import { addressOf } from './access-address.js';
import type { AccessTable } from './access-table.js';
import type { AgentAccess } from './agent-access.js';
import type { WireTable } from './wire-table.js';

export interface CrossOriginOptions {
  /** What lies before the base URL of every access. */
  prefix?: string;
  /** Worlds of strangers are behind the listener. */
  isShared?: boolean;
  /** Nothing else is at this origin, so cookies of it may come along. Default true. */
  speaksForOrigin?: boolean;
}
type Headers = { [name: string]: string };

export class CrossOrigin {
  readonly #accesses: AccessTable;
  readonly #options: CrossOriginOptions;

  constructor(accesses: AccessTable, options: CrossOriginOptions = {}) {
    this.#accesses = accesses;
    this.#options = options;
  }

  /** Of a page that is no page of this machine's own. */
  readonly admits = (request: ServerRequest): boolean => this.#ruleFor(request) !== undefined;

  /** Undefined for what is no such request, and where no route lets the page in. */
  preflight(request: ServerRequest): FoundElsewhere<AgentAccess> | undefined {
    if (!isPreflight(request)) return undefined;
    const rule = this.#ruleFor(request);
    if (rule === undefined) return undefined;
    const address = addressOf(request);
    const caller = address === undefined ? undefined : this.#accesses.at(address);
    return { id: 'wire', caller, answer: () => ({ status: 204, headers: preflightHeaders(rule, request), body: new OwnBody('') }) };
  }

  /** With what the browser of a page that is let in wants to see. What a tool says of it itself gives way. */
  readonly answered = (reply: HttpReply, request: ServerRequest): HttpReply => {
    const rule = this.#ruleFor(request);
    if (rule === undefined) return reply;
    const kept = Object.entries(reply.headers ?? {}).filter(([name]) => isPreflight(request) || !name.startsWith('access-control-'));
    const { vary: varies, ...headers } = Object.fromEntries(kept);
    const { vary, ...own } = this.#pageHeaders(rule, request);
    const all = [varies, vary].filter((value) => value !== undefined).join(', ');
    return { ...reply, headers: { ...headers, ...own, ...(all === '' ? {} : { vary: all }) } };
  };

  #ruleFor(request: ServerRequest): RouteCors | undefined {
    const origin = request.headers.get('origin');
    if (origin === undefined) return undefined;
    const method = isPreflight(request) ? (request.headers.get('access-control-request-method') ?? '') : request.method;
    const shown = request.path.slice(this.#options.prefix?.length ?? 0);
    const { mount, rest } = mountIn(shown) ?? { mount: undefined, rest: shown };
    for (const table of this.#tables(request)) {
      const search = table.find(method, rest, mount);
      // That a path takes other methods is for its page to read, too.
      const route = search.kind === 'match' ? search.route : isPreflight(request) ? undefined : table.firstFitting(rest, mount);
      if (route?.cors?.origins.some((admitted) => admitted === '*' || admitted === origin)) return route.cors;
    }
    return undefined;
  }

  #tables(request: ServerRequest): Iterable<WireTable> {
    const address = addressOf(request);
    if (address === undefined) return this.#options.isShared === true ? [] : this.#accesses.wireTables();
    const wires = this.#accesses.at(address)?.wires;
    return wires === undefined ? [] : [wires];
  }

  #pageHeaders({ origins, exposedHeaders = [], credentials = false }: RouteCors, { headers }: ServerRequest): Headers {
    const isForAll = origins.includes('*') && !credentials;
    return {
      'access-control-allow-origin': isForAll ? '*' : (headers.get('origin') as string),
      ...(isForAll ? {} : { vary: 'Origin' }),
      ...(exposedHeaders.length === 0 ? {} : { 'access-control-expose-headers': exposedHeaders.join(', ') }),
      ...(credentials && this.#options.speaksForOrigin !== false ? { 'access-control-allow-credentials': 'true' } : {}),
    };
  }
}

function isPreflight({ method, headers }: ServerRequest): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

const headerList = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:\s*,\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/;

function preflightHeaders({ headers: named, maxAgeSeconds }: RouteCors, { headers }: ServerRequest): Headers {
  const asked = headers.get('access-control-request-headers') ?? '';
  const allowed = named === undefined ? (headerList.test(asked) ? asked : '') : named.join(', ');
  return {
    'access-control-allow-methods': headers.get('access-control-request-method') as string,
    ...(allowed === '' ? {} : { 'access-control-allow-headers': allowed }),
    ...(maxAgeSeconds === undefined ? {} : { 'access-control-max-age': String(maxAgeSeconds) }),
    ...(headers.get('access-control-request-private-network') === 'true' ? { 'access-control-allow-private-network': 'true' } : {}),
    vary: 'Access-Control-Request-Method, Access-Control-Request-Headers',
  };
}
