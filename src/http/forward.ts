// Any node answers any request: what this node does not own goes to its owner over kept connections, and the owner's reply comes back as it
// is. Why: docs/decisions/020.
//   FORWARD-1. A request that a node has forwarded is never forwarded again.
import { newId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import { errorReply } from './envelope.js';
import type { ForwardedBytes } from './forwarded-bytes.js';
import { type ForwardGround, Forwarding, type ForwardResult, unavailable } from './forwarding.js';
import { type NodeToken, nodeHeaders } from './node-token.js';
import { OwnerChanges } from './owner-changes.js';
import { OwnerConnections } from './owner-connections.js';
import type { OwnerReach } from './owner-reach.js';
import type { RequestOwners } from './request-owners.js';
import type { HttpHandler, HttpReply, ServerRequest } from './server.js';

export interface ForwardMeter {
  forwarded(result: ForwardResult, seconds: number): void;
}
export interface ForwarderOptions {
  owners: RequestOwners;
  token: NodeToken;
  /** That the cluster writes now. */
  format(): number;
  /** Answers what this node owns. */
  own: HttpHandler;
  /** Of what this node forwards for its client; the owner does not check it again. */
  requireHost(request: ServerRequest): void;
  /** Of a request that may have been carried out: whether it may be sent again. Default: where its method only reads (GET, HEAD). */
  mayRepeat?(request: ServerRequest): boolean;
  meter?: ForwardMeter;
  /** Shared by all forwarders of a node. */
  bytes: ForwardedBytes;
  /** Default limits.ownerWaitMs. */
  ownerWaitMs?: number;
  /** What this node knows of ways to others. */
  reach: OwnerReach;
  /** To each owner. Default limits.ownerConnectionsMax. */
  connectionsMax?: number;
}
export interface Forwarder {
  /** Behind `behindNodes`, and behind what tells the addresses of clients. */
  handler: HttpHandler;
  /** Breaks off what is under way. */
  close(): void;
}

export function createForwarder(options: ForwarderOptions): Forwarder {
  const { owners, token, format, own, requireHost, meter, bytes, reach } = options;
  const { ownerWaitMs = limits.ownerWaitMs, connectionsMax = limits.ownerConnectionsMax } = options;
  const connections = new OwnerConnections({ connectionsMax });
  const changes = new OwnerChanges(owners);
  const mayRepeat = options.mayRepeat ?? onlyReads;
  const ground: ForwardGround = { owners, token, format, own, mayRepeat, ownerWaitMs, connections, reach, changes, bytes };
  let underWay = 0;
  const elsewhere = async (request: ServerRequest): Promise<HttpReply> => {
    if (request.isForwarded === true) return notOwnerReply();
    try {
      requireHost(request);
    } catch (error) {
      return errorReply(error, newId('corr'));
    }
    const began = performance.now();
    if (underWay >= limits.forwardsUnderWayMax) {
      meter?.forwarded('refused', 0);
      return errorReply(unavailable('Too many requests are on their way to other nodes.'), newId('corr'));
    }
    underWay += 1;
    const forward = new Forwarding(ground, request, () => {
      underWay -= 1;
    });
    const reply = await forward.answer();
    meter?.forwarded(forward.result, (performance.now() - began) / 1000);
    return reply;
  };
  return {
    handler: (request) => {
      const owner = owners.ownerOf(request);
      if (owner instanceof Promise) return owner.then((found) => (found === 'self' ? own(request) : elsewhere(request)));
      return owner === 'self' ? own(request) : elsewhere(request);
    },
    close: () => {
      changes.close();
      connections.close();
    },
  };
}

/** It may be sent again, whatever became of it. */
export function onlyReads({ method }: Pick<ServerRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Between two views of who owns what: nothing was done, and nobody is asked. */
export function notOwnerReply(): HttpReply {
  const reply = errorReply(unavailable('This node does not own what is asked for. Nothing was done.'), newId('corr'));
  return { ...reply, headers: { ...reply.headers, [nodeHeaders.notOwner]: '1' } };
}
