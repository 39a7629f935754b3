// The server on node:http: on every Node.js, with every option that bounds a connection spelled out.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { limits } from '../contract/limits.js';
import { answer } from './answer.js';
import { BodyCollector, clientGone } from './body-collector.js';
import { malformedReply } from './envelope.js';
import type { HttpReply, HttpRequest, HttpServer, HttpServerOptions } from './server.js';

export async function startNodeServer(options: HttpServerOptions): Promise<HttpServer> {
  const headersTimeoutMs = options.headersTimeoutMs ?? limits.headersTimeoutMs;
  const bodyTimeoutMs = options.bodyTimeoutMs ?? limits.bodyTimeoutMs;
  let closing = false;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs + bodyTimeoutMs,
    connectionsCheckingInterval: Math.max(50, Math.min(headersTimeoutMs, bodyTimeoutMs) / 2),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    // We answer that ourselves, in the envelope.
    requireHostHeader: false,
    insecureHTTPParser: false,
  });
  server.on('request', (message: IncomingMessage, response: ServerResponse) => {
    // Whether its connection stays open is decided when its reply leaves.
    response.once('finish', () => closing && setImmediate(() => server.closeIdleConnections()));
    void respond({ ...options, bodyTimeoutMs }, message, response);
  });
  server.on('clientError', refuseMalformed);
  await listen(server, options);
  return {
    engine: 'node:http',
    port: (server.address() as AddressInfo).port,
    close: () => {
      closing = true;
      return closeServer(server, options.closeGraceMs ?? limits.serverCloseGraceMs);
    },
  };
}

async function respond(options: HttpServerOptions & { bodyTimeoutMs: number }, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const fault =
    message.url?.[0] !== '/' ? 'The request target must be a path.' : message.headers.host === undefined ? 'There is no Host header.' : null;
  if (fault !== null) {
    response.setHeader('connection', 'close');
    write(message, response, malformedReply(fault));
    return;
  }
  const reply = await answer(options.handler, new NodeRequest(message, response, options));
  if (!response.destroyed) write(message, response, reply);
}

function write(message: IncomingMessage, response: ServerResponse, { status, headers, body = '' }: HttpReply): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, { ...headers, 'content-length': bytes.byteLength });
  response.end(message.method === 'HEAD' ? undefined : bytes);
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: HttpServerOptions & { bodyTimeoutMs: number };
  #headers: Map<string, string> | undefined;
  #abort: AbortController | undefined;

  constructor(message: IncomingMessage, response: ServerResponse, options: HttpServerOptions & { bodyTimeoutMs: number }) {
    const url = message.url as string;
    const mark = url.indexOf('?');
    this.method = message.method as string;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.#message = message;
    this.#response = response;
    this.#options = options;
  }

  get headers(): ReadonlyMap<string, string> {
    this.#headers ??= joinHeaders(this.#message.rawHeaders);
    return this.#headers;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const response = this.#response;
      response.once('close', () => {
        if (!response.writableFinished) abort.abort(clientGone());
      });
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  body(bytesMax: number): Promise<Uint8Array> {
    const collector = new BodyCollector({ unreadBytesMax: bytesMax, timeoutMs: this.#options.bodyTimeoutMs });
    const message = this.#message;
    // What follows a refused body is discarded as it comes, so that the client gets to read its reply.
    message.on('data', (chunk: Buffer) => collector.push(chunk));
    message.once('end', () => collector.complete());
    message.once('close', () => collector.fail(clientGone()));
    message.once('error', () => collector.fail(clientGone()));
    return collector.read(bytesMax);
  }
}

/** From the raw list: IncomingMessage.headers drops all but the first of some repeated headers, Host among them. */
function joinHeaders(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    const value = raw[index + 1] as string;
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

/** What the parser refuses never becomes a request: answered here, and the connection ends. */
function refuseMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = malformedReply('The request is not well-formed HTTP/1.1, is too large or came too slowly.');
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(body as string);
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${lines.join('')}content-length: ${length}\r\nconnection: close\r\n\r\n${body as string}`);
}

function listen(server: Server, { host, port }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: limits.serverBacklog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
