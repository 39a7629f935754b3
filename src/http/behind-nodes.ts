// Requests that another node of the cluster has forwarded: whom they come from.
//   BEHIND-NODES-1. The address of the client is what a node with the right token says. Of anybody else the headers change nothing.
//   BEHIND-NODES-2. Nothing behind sees these headers, from a node or not.
//   BEHIND-NODES-3. A request in a format that this node does not read is refused before anything of it is done, by a code that says what
//     to install where.
//   BEHIND-NODES-4. What a node asks for itself differs from what it sends on for a client: only that names a client, and always does.
import type { ClusterFormats } from '../contract/cluster-format.js';
import { ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import { plainAddress } from './client-address.js';
import { errorReply } from './envelope.js';
import { type NodeToken, nodeHeaders } from './node-token.js';
import { RequestFrom } from './request-from.js';
import { RequestView } from './request-view.js';
import type { HttpHandler, ServerRequest } from './server.js';

/**
 * The same handler; a request that a node has forwarded has the address of its client, and `isForwarded`; one of the node itself has
 * `isFromNode`. It stands before whatever else looks at addresses.
 */
export function behindNodes(token: NodeToken, handler: HttpHandler, formats: ClusterFormats): HttpHandler {
  return (request) => {
    const { headers } = request;
    if (!ofNodes.some((name) => headers.has(name))) return handler(request);
    const given = headers.get(nodeHeaders.token);
    const plain = new PlainRequest(request);
    if (given === undefined || !token.isRight(given)) return handler(plain);
    const format = Number(headers.get(nodeHeaders.format) ?? 0);
    if (!(format >= formats.oldest && format <= formats.newest)) return errorReply(formatRefused(format, formats), newId('corr'));
    const client = headers.get(nodeHeaders.client);
    // Each request that is sent on names its client, and what nodes ask for themselves has none.
    const node = client === undefined ? { isFromNode: true } : { isForwarded: true };
    return handler(new RequestFrom(plain, plainAddress(client ?? ''), node));
  };
}

const ofNodes = [nodeHeaders.token, nodeHeaders.client, nodeHeaders.format];

function formatRefused(format: number, { oldest, newest }: ClusterFormats): ServiceError {
  const who =
    format > newest ? 'this node: install the version of the other nodes on it' : 'the node that sent it: install a newer version there';
  return new ServiceError('cluster.FORMAT_UNSUPPORTED', {
    message: `A node sent a request in format ${format}, and this one reads ${oldest} to ${newest}. At fault is ${who}. Nothing was done.`,
    details: { format, oldest, newest },
  });
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

function without<Value>(headers: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  const kept = new Map(headers);
  for (const name of ofNodes) kept.delete(name);
  return kept;
}
