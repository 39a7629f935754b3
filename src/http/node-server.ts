// The server on node:http: on every Node.js, with every option that bounds a connection spelled out.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { limits } from '../contract/limits.js';
import { answer } from './answer.js';
import { BodyCollector, clientGone } from './body-collector.js';
import { malformedReply } from './envelope.js';
import { HeaderMap } from './header-map.js';
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
  const receive = (message: IncomingMessage, response: ServerResponse): void => {
    // Whether its connection stays open is decided when its reply leaves.
    response.once('finish', () => closing && setImmediate(() => server.closeIdleConnections()));
    void respond({ ...options, bodyTimeoutMs }, message, response);
  };
  server.on('request', receive);
  // An expectation that nobody knows may be ignored (RFC 9110 10.1.1); node would answer it without our envelope.
  server.on('checkExpectation', receive);
  // Those beyond this are dropped without a word, so one more than we take: such a request is refused.
  server.maxHeadersCount = limits.headersMax + 1;
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
  const fault = faultOf(message);
  if (fault !== null) {
    response.setHeader('connection', 'close');
    write(message, response, malformedReply(fault));
    return;
  }
  const reply = await answer(options.handler, new NodeRequest(message, response, options));
  if (response.destroyed) return;
  if (reply.stream === undefined) write(message, response, reply);
  else await writeStream(response, reply, reply.stream);
}

function faultOf({ url, headers, rawHeaders }: IncomingMessage): string | null {
  if (url?.[0] !== '/') return 'The request target must be a path.';
  if (headers.host === undefined) return 'There is no Host header.';
  return rawHeaders.length / 2 > limits.headersMax ? 'There are too many headers.' : null;
}

function write(message: IncomingMessage, response: ServerResponse, { status, headers, body = '', close = false }: HttpReply): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, { ...headers, 'content-length': bytes.byteLength, ...(close ? { connection: 'close' } : {}) });
  response.end(message.method === 'HEAD' ? undefined : bytes);
}

async function writeStream(response: ServerResponse, { status, headers, close = false }: HttpReply, stream: AsyncIterable<string>): Promise<void> {
  response.writeHead(status, { ...headers, ...(close ? { connection: 'close' } : {}) });
  response.flushHeaders();
  for await (const piece of stream) {
    if (response.destroyed) return;
    response.write(piece);
  }
  response.end();
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: HttpServerOptions & { bodyTimeoutMs: number };
  #headers: HeaderMap | undefined;
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
    return this.#gathered.joined;
  }
  get repeatedHeaders(): ReadonlyMap<string, readonly string[]> {
    return this.#gathered.repeated;
  }
  get #gathered(): HeaderMap {
    this.#headers ??= gatherHeaders(this.#message.rawHeaders);
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
function gatherHeaders(raw: readonly string[]): HeaderMap {
  const headers = new HeaderMap();
  for (let index = 0; index < raw.length; index += 2) headers.add((raw[index] as string).toLowerCase(), raw[index + 1] as string);
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
