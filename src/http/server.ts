// The small server interface behind which uWebSockets.js and node:http are the same thing to every route. Why: docs/decisions/016.
import type { RouteFailure } from './route-failure.js';
import type { ServiceWarning } from './service-warning.js';

export interface ServerRequest {
  /** Upper case. */
  readonly method: string;
  /** Undecoded path, without the query; it begins with a slash. */
  readonly path: string;
  /** Undecoded query, without `?`; '' when absent. */
  readonly query: string;
  /** Lower-case names; a repeated header's values are joined by ', '. */
  readonly headers: ReadonlyMap<string, string>;
  /** The values of those that came more than once, in order. */
  readonly repeatedHeaders: ReadonlyMap<string, readonly string[]>;
  /**
   * Of the client, or of the proxy before it, in its one spelling (client-address.ts). '' where the connection is gone before anybody
   * asked.
   */
  readonly address: string;
  /** A client's, which another node of the cluster has sent on (behind-nodes.ts). */
  readonly isForwarded?: boolean;
  /** Another node asks for itself. Never of a request that a node sends on, whatever its client put into it. */
  readonly isFromNode?: boolean;
  /** Aborted when the client goes away before its reply. */
  readonly signal: AbortSignal;
  /**
   * The whole body; rejects with control.PAYLOAD_TOO_LARGE beyond `bytesMax`, with control.INVALID_REQUEST when it does not arrive in
   * time. Ask once. Little of it is read before anybody asks.
   */
  body(bytesMax: number): Promise<Uint8Array>;
}
export interface HttpReply {
  status: number;
  headers?: { [name: string]: string };
  /** To a HEAD request only its length is sent. */
  body?: string | Uint8Array;
  /** In place of `body`: pieces that leave as they come. It ends itself when the client goes away, by the request's signal or soon. */
  stream?: AsyncIterable<string | Uint8Array>;
  /** Of a stream, where it is known. */
  streamBytes?: number;
  /** The stream leaves with `streamBytes` as its Content-Length, and is broken where it is shorter; else it leaves in chunks. */
  isSized?: boolean;
  /** Called once: the reply has left, or its client has gone. */
  whenOver?: () => void;
  /** The connection ends with this reply. */
  close?: boolean;
}
export type HttpHandler = (request: ServerRequest) => Promise<HttpReply> | HttpReply;

export interface HttpServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  handler: HttpHandler;
  /** node:http only: a reply that cannot be written, which is a bug. Its connection is closed. */
  onFailure?(failure: RouteFailure): void;
  /** node:http only; uWebSockets.js waits 10 s. Default limits.headersTimeoutMs. */
  headersTimeoutMs?: number;
  /** Default limits.bodyTimeoutMs. */
  bodyTimeoutMs?: number;
  /** node:http only; uWebSockets.js waits 10 s. How long a client may take nothing of its reply. Default limits.replyStallMs. */
  replyStallMs?: number;
  /** Default limits.connectionsMax. One more is answered 503 by node:http, and closed by uWebSockets.js, where its build can tell. */
  connectionsMax?: number;
  /** Default limits.connectionsPerAddressMax. */
  connectionsPerAddressMax?: number;
  /** Of an address that many clients share: the bound of an address does not hold for it. Default: none is. */
  isProxy?(address: string): boolean;
  /** How long `close` waits for replies in flight. Default limits.serverCloseGraceMs. */
  closeGraceMs?: number;
}
export interface HttpServer {
  readonly engine: 'uWebSockets.js' | 'node:http';
  readonly port: number;
  /** What it does not do as it should, for strangers to use. */
  readonly warnings: readonly ServiceWarning[];
  /** Stops accepting, lets replies in flight leave, then closes every connection. */
  close(): Promise<void>;
}
