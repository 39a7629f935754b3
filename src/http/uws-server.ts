// The server on uWebSockets.js, an optional dependency whose native binary exists for some Node.js versions only.
//   U1. A response object is touched only while it is alive: after an abort or its end, never again.
//   U2. Nothing of the request object or of a body chunk is used after the callback that brought it.
// Its parser takes about fifty header fields and the methods of RFC 9110; a request beyond that is hung up on, in ten seconds or at once, and
// never heard of here.
// The binary is loaded directly: the package's own entry prints warnings and falls back to another implementation where it does not load.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { limits } from '../contract/limits.js';
import { answer } from './answer.js';
import { BodyCollector, clientGone } from './body-collector.js';
import { malformedReply } from './envelope.js';
import { HeaderMap } from './header-map.js';
import type { HttpReply, HttpRequest, HttpServer, HttpServerOptions } from './server.js';

/** What we use of it. */
export interface Uws {
  App(): UwsApp;
  us_socket_local_port(socket: object): number;
}
interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  listen(host: string, port: number, options: number, callback: (socket: object | false) => void): UwsApp;
  close(): void;
}
interface UwsRequest {
  getMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(callback: (name: string, value: string) => void): void;
}
interface UwsResponse {
  writeStatus(status: string): void;
  writeHeader(name: string, value: string): void;
  end(body: string | Uint8Array, closeConnection: boolean): void;
  write(chunk: string): void;
  tryEnd(chunk: string, totalSize: number): void;
  close(): void;
  onAborted(callback: () => void): void;
  onData(callback: (chunk: ArrayBuffer, isLast: boolean) => void): void;
  cork(callback: () => void): void;
}

/** The binary for this Node.js, platform and processor; undefined where there is none or it does not load. */
export function loadUws(): Uws | undefined {
  const require = createRequire(import.meta.url);
  try {
    const folder = dirname(require.resolve('uWebSockets.js'));
    const name = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
    const binary = [join(folder, name), join(folder, '..', 'binaries', name)].find((file) => existsSync(file));
    return binary === undefined ? undefined : (require(binary) as Uws);
  } catch {
    return undefined;
  }
}

export async function startUwsServer(options: HttpServerOptions, uws: Uws): Promise<HttpServer> {
  const connections = new ReplyCount();
  const app = uws.App().any('/*', (response, request) => receive(options, connections, response, request));
  const socket = await new Promise<object | false>((resolve) => {
    // 1: this port is ours alone, as with node:http.
    app.listen(options.host, options.port, 1, resolve);
  });
  if (socket === false) throw new Error(`cannot listen on ${options.host}:${options.port}`);
  return {
    engine: 'uWebSockets.js',
    port: uws.us_socket_local_port(socket),
    close: async () => {
      await connections.drained(options.closeGraceMs ?? limits.serverCloseGraceMs);
      app.close();
    },
  };
}

/** Replies still owed, and whether the server is closing. */
class ReplyCount {
  #open = 0;
  #whenDrained: (() => void) | undefined;

  get closing(): boolean {
    return this.#whenDrained !== undefined;
  }
  add(): void {
    this.#open += 1;
  }
  remove(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#whenDrained?.();
  }
  drained(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      // One turn later, so that the last reply has left its socket's buffer.
      this.#whenDrained = () => {
        clearTimeout(timer);
        setImmediate(resolve);
      };
      if (this.#open === 0) this.#whenDrained();
    });
  }
}

function receive(options: HttpServerOptions, replies: ReplyCount, response: UwsResponse, request: UwsRequest): void {
  const exchange = new Exchange(options, request);
  replies.add();
  response.onAborted(() => {
    exchange.aborted = true;
    if (exchange.over) return;
    replies.remove();
    exchange.abort();
  });
  response.onData((chunk, isLast) => {
    // U2: the chunk's memory is taken back when this returns.
    // What follows a refused body is discarded as it comes.
    if (chunk.byteLength > 0 && !exchange.over && !exchange.collector.settled) exchange.collector.push(new Uint8Array(chunk.slice(0)));
    if (isLast) exchange.collector.complete();
  });
  const end = (send: () => void): void => {
    if (exchange.over) return;
    exchange.over = true;
    replies.remove();
    send();
  };
  const finish = (reply: HttpReply, closeConnection = false): void => {
    const closes = (): boolean => closeConnection || replies.closing || reply.close === true;
    if (reply.stream !== undefined)
      void writePieces(response, exchange, reply, reply.stream).then(() => end(() => response.cork(() => response.end('', closes()))));
    else if (exchange.method === 'HEAD') end(() => setImmediate(() => writeHead(response, exchange, reply)));
    else end(() => response.cork(() => write(response, reply, closes())));
  };
  const length = exchange.headers.get('content-length');
  if (exchange.headerBytes > limits.headerBytesMax || exchange.headerLines > limits.headersMax) {
    finish(malformedReply('There are too many headers, or they are too large.'), true);
    return;
  }
  // The parser passes on what RFC 9112 6.3 calls an unrecoverable error.
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    finish(malformedReply('The Content-Length header is not one decimal number.'), true);
    return;
  }
  const reply = answer(options.handler, exchange);
  if (reply instanceof Promise) void reply.then(finish);
  else finish(reply);
}

function write(response: UwsResponse, { status, headers, body = '' }: HttpReply, closeConnection: boolean): void {
  writeHeaders(response, status, headers);
  response.end(body, closeConnection);
}

/** Until the stream or the client ends. */
async function writePieces(response: UwsResponse, exchange: Exchange, { status, headers }: HttpReply, stream: AsyncIterable<string>): Promise<void> {
  if (exchange.over) return;
  response.cork(() => {
    writeHeaders(response, status, headers);
    response.write('');
  });
  for await (const piece of stream) {
    if (exchange.over) return;
    response.cork(() => response.write(piece));
  }
}

/**
 * endWithoutBody leaves its connection unusable in some versions; a reply that is begun and closed is right in all of them. Called outside of
 * the request's own callback, whose buffer a close would throw away.
 */
function writeHead(response: UwsResponse, exchange: Exchange, { status, headers, body = '' }: HttpReply): void {
  if (exchange.aborted) return;
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  // A reply of no length is over when it is begun, and must not be touched then.
  if (bytes === 0) {
    response.cork(() => write(response, headers === undefined ? { status } : { status, headers }, true));
    return;
  }
  response.cork(() => {
    writeHeaders(response, status, { ...headers, connection: 'close' });
    response.tryEnd('', bytes);
  });
  response.close();
}

function writeHeaders(response: UwsResponse, status: number, headers: HttpReply['headers']): void {
  response.writeStatus(`${status} ${reasons[status] ?? 'Status'}`);
  for (const name in headers) response.writeHeader(name, headers[name] as string);
}

class Exchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #headers = new HeaderMap();
  readonly collector: BodyCollector;
  /** The request line counts, as it does with node:http. */
  headerBytes: number;
  headerLines = 0;
  /** Replied or aborted: the response object is dead. */
  over = false;
  aborted = false;
  #abort: AbortController | undefined;

  constructor(options: HttpServerOptions, request: UwsRequest) {
    this.method = request.getMethod().toUpperCase();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    this.headerBytes = this.path.length + this.query.length;
    this.collector = new BodyCollector({
      unreadBytesMax: options.bodyBytesMax ?? limits.bodyBytesMax,
      timeoutMs: options.bodyTimeoutMs ?? limits.bodyTimeoutMs,
    });
    request.forEach((name, value) => {
      this.headerLines += 1;
      this.headerBytes += name.length + value.length + 4;
      this.#headers.add(name, value);
    });
  }

  get headers(): ReadonlyMap<string, string> {
    return this.#headers.joined;
  }
  get repeatedHeaders(): ReadonlyMap<string, readonly string[]> {
    return this.#headers.repeated;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.over) this.#abort.abort(clientGone());
    }
    return this.#abort.signal;
  }

  body(bytesMax: number): Promise<Uint8Array> {
    return this.collector.read(bytesMax);
  }

  abort(): void {
    this.over = true;
    this.collector.fail(clientGone());
    this.#abort?.abort(clientGone());
  }
}

const reasons: { [status: number]: string } = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
