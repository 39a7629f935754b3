// One request and its bounded answer, over a connection of its own. Follows no redirect, knows no proxy, asks no address but those it may.
import { lookup } from 'node:dns';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { limits } from '../../contract/limits.js';
import { isLoopback, literalAddress } from '../../contract/run/http-agent.js';
import { addressRefused, loopbackOnly } from './loopback-only.js';

export interface HttpAsk {
  url: URL;
  method: 'POST' | 'PUT';
  headers: { [name: string]: string };
  body: string;
  /** Other machines may be asked. */
  allowRemote: boolean;
  /** What of the answer is read at most. */
  bytesMaxOf(head: HttpHead): number;
  /** Aborting closes the connection. */
  signal: AbortSignal;
}
export interface HttpHead {
  status: number;
  headers: IncomingMessage['headers'];
}
export type HttpAnswer =
  | ({ kind: 'answer'; body: Buffer } & HttpHead)
  | { kind: 'too_large' }
  /** No whole answer came. `connected`: the agent was there. One that changes the protocol has answered nothing. */
  | { kind: 'lost'; connected: boolean; code: string; message: string };

export const protocolChanged = 'PROTOCOL_CHANGED';

export async function exchange(ask: HttpAsk): Promise<HttpAnswer> {
  const { url, method, headers, allowRemote, signal } = ask;
  const address = literalAddress(url);
  if (!allowRemote && address !== undefined && !isLoopback(address)) {
    return { kind: 'lost', connected: false, code: addressRefused, message: `${address} is not this machine` };
  }
  return await new Promise((resolve) => {
    let connected = false;
    const request = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, {
      method,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(ask.body)) },
      agent: false,
      maxHeaderSize: limits.headerBytesMax,
      insecureHTTPParser: false,
      signal,
      ...(allowRemote ? {} : { lookup: loopbackOnly(lookup) }),
    });
    const lost = (error: NodeJS.ErrnoException): void =>
      resolve({ kind: 'lost', connected, code: error.code ?? '', message: error.message });
    // Before a TLS connection is secure nothing of the request has been sent.
    const made = url.protocol === 'https:' ? 'secureConnect' : 'connect';
    request.on('socket', (socket) => socket.once(made, () => (connected = true)));
    request.on('error', lost);
    request.on('upgrade', (_, socket) => {
      lost(Object.assign(new Error('it changes to another protocol'), { code: protocolChanged }));
      socket.destroy();
    });
    const end = (): void => lost(hungUp());
    request.once('close', end);
    request.once('response', (response) => {
      request.off('close', end);
      collect(response, { ask, lost, resolve });
    });
    request.end(ask.body);
  });
}

interface Collecting {
  ask: HttpAsk;
  lost: (error: Error) => void;
  resolve: (answer: HttpAnswer) => void;
}
function collect(response: IncomingMessage, { ask, lost, resolve }: Collecting): void {
  const head: HttpHead = { status: response.statusCode ?? 0, headers: response.headers };
  const bytesMax = ask.bytesMaxOf(head);
  const pieces: Buffer[] = [];
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= bytesMax) {
      pieces.push(piece);
      return;
    }
    resolve({ kind: 'too_large' });
    response.destroy();
  });
  response.on('error', lost);
  response.on('close', () => lost(hungUp()));
  response.on('end', () => resolve({ kind: 'answer', ...head, body: Buffer.concat(pieces) }));
}

function hungUp(): Error {
  return Object.assign(new Error('it ended before the answer was whole'), { code: 'ECONNRESET' });
}
