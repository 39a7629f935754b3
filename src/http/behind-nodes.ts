// Requests that another node of the cluster has forwarded: whom they come from.
//   BEHIND-NODES-1. The address of the client is what a node with the right token says. Of anybody else the two headers change nothing.
//   BEHIND-NODES-2. Nothing behind sees these headers, from a node or not.
import { plainAddress } from './client-address.js';
import { type NodeToken, nodeHeaders } from './node-token.js';
import { RequestView } from './request-view.js';
import type { HttpHandler, ServerRequest } from './server.js';

/**
 * The same handler; a request that a node has forwarded has the address of its client, and `isForwarded`. It stands before whatever else
 * looks at addresses.
 */
export function behindNodes(token: NodeToken, handler: HttpHandler): HttpHandler {
  return (request) => {
    const given = request.headers.get(nodeHeaders.token);
    const client = request.headers.get(nodeHeaders.client);
    if (given === undefined && client === undefined) return handler(request);
    const isNode = given !== undefined && token.isRight(given);
    return handler(isNode ? new ForwardedByNode(request, plainAddress(client ?? '')) : new PlainRequest(request));
  };
}

class PlainRequest extends RequestView {
  readonly #headers: ReadonlyMap<string, string>;
  readonly #repeated: ReadonlyMap<string, readonly string[]>;

  constructor(request: ServerRequest) {
    super(request);
    this.#headers = without(request.headers);
    this.#repeated = without(request.repeatedHeaders);
  }

  override get headers(): ReadonlyMap<string, string> {
    return this.#headers;
  }
  override get repeatedHeaders(): ReadonlyMap<string, readonly string[]> {
    return this.#repeated;
  }
}

class ForwardedByNode extends PlainRequest {
  readonly #client: string;

  constructor(request: ServerRequest, client: string) {
    super(request);
    this.#client = client;
  }

  override get address(): string {
    return this.#client;
  }
  override get isForwarded(): boolean {
    return true;
  }
}

function without<Value>(headers: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  if (!headers.has(nodeHeaders.token) && !headers.has(nodeHeaders.client)) return headers;
  const kept = new Map(headers);
  kept.delete(nodeHeaders.token);
  kept.delete(nodeHeaders.client);
  return kept;
}
