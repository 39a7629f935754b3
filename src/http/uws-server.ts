// The server on uWebSockets.js (uws-binary.ts).
//   UWS-SERVER-1. A response object is touched only while it is alive: after an abort or its end, never again.
//   UWS-SERVER-2. Nothing of the request object or of a body chunk is used after the callback that brought it.
//   UWS-SERVER-3. Requests behind one that waits for its reply end their connection: the binary does not stop reading, and closes it. What
//     was read at once is answered at once, up to `repliesOwedMax`; the next one waits for a turn of the event loop, and so ends the
//     connection.
//   UWS-SERVER-4. The reply to a request with a body in chunks ends its connection: the parser checks no end of a chunk and reads no
//     trailers, so what comes behind may be anything.
// Its parser takes about fifty header fields and the methods of RFC 9110; a request beyond that is hung up on, in ten seconds or at once,
// and never seen here.
import { limits } from '../contract/limits.js';
import { answer } from './answer.js';
import { BodyCollector, clientGone } from './body-collector.js';
import { plainAddress } from './client-address.js';
import { ConnectionCount } from './connection-count.js';
import { malformedReply } from './envelope.js';
import { HeaderMap } from './header-map.js';
import { faultOf, isPlainValue } from './request-faults.js';
import type { HttpReply, HttpServer, HttpServerOptions, ServerRequest } from './server.js';
import type { ServiceWarning } from './service-warning.js';
import type { UwsApp, UwsBuild, UwsRequest, UwsResponse } from './uws-binary.js';
import { IdleTimer } from './uws-idle-timer.js';
import { type UwsExchange, writeHeadReply, writeLastReply, writePieces, writeReply, writeSizedPieces } from './uws-reply.js';

interface ServerState {
  options: HttpServerOptions;
  bodyTimeoutMs: number;
  replyStallMs: number;
  replies: ReplyCount;
  turn: TurnCount;
}

export async function startUwsServer(options: HttpServerOptions, { uws, isOfficial }: UwsBuild): Promise<HttpServer> {
  const bodyTimeoutMs = options.bodyTimeoutMs ?? limits.bodyTimeoutMs;
  const replyStallMs = options.replyStallMs ?? limits.replyStallMs;
  const state: ServerState = { options, bodyTimeoutMs, replyStallMs, replies: new ReplyCount(), turn: new TurnCount() };
  const app = uws.App().any('/*', (response, request) => receive(state, response, request));
  const countsConnections = boundConnections(app, options);
  const socket = await new Promise<object | false>((resolve) => {
    // 1: this port is ours alone, as with node:http.
    app.listen(options.host, options.port, 1, resolve);
  });
  if (socket === false) throw new Error(`cannot listen on ${options.host}:${options.port}`);
  return {
    engine: 'uWebSockets.js',
    port: uws.us_socket_local_port(socket),
    warnings: warningsOf({ isOfficial, countsConnections }),
    close: async () => {
      await state.replies.drained(options.closeGraceMs ?? limits.serverCloseGraceMs);
      app.close();
    },
  };
}

/** False where the build cannot tell when a connection comes. One too many is closed without a word: there is no request to answer yet. */
function boundConnections(app: UwsApp, options: HttpServerOptions): boolean {
  if (app.filter === undefined) return false;
  const count = new ConnectionCount(options);
  const noteChange: Parameters<Required<UwsApp>['filter']>[0] = (connection, change) => {
    const address = addressOf(connection);
    if (change < 0) count.remove(address);
    else if (!count.add(address)) connection.close();
  };
  app.filter(noteChange);
  return true;
}

function addressOf(connection: Pick<UwsResponse, 'getRemoteAddressAsText'>): string {
  return plainAddress(Buffer.from(connection.getRemoteAddressAsText()).toString('latin1'));
}

function warningsOf({ isOfficial, countsConnections }: { isOfficial: boolean; countsConnections: boolean }): ServiceWarning[] {
  const instead = 'Install the official package, or choose `--server node`.';
  return [
    ...(isOfficial
      ? []
      : [
          {
            code: 'uws_registry_build',
            message: `The HTTP server is a repackaged build of uWebSockets.js, which nobody mends, and which reads malformed requests otherwise than they came. ${instead}`,
          },
        ]),
    ...(countsConnections
      ? []
      : [
          {
            code: 'uws_connections_unbounded',
            message: `This build of uWebSockets.js cannot bound how many connections it takes. ${instead}`,
          },
        ]),
  ];
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

/** Replies made in one turn of the event loop: a read of one connection, however many requests are in it, is one turn. */
class TurnCount {
  #made = 0;

  /** Whether this is one too many. */
  spend(): boolean {
    if (this.#made === 0) {
      setImmediate(() => {
        this.#made = 0;
      });
    }
    this.#made += 1;
    return this.#made > limits.repliesOwedMax;
  }
}

function receive(server: ServerState, response: UwsResponse, request: UwsRequest): void {
  const exchange = new Exchange(server, response, request);
  response.onAborted(() => exchange.gone());
  response.onData((chunk, isLast) => exchange.take(chunk, isLast));
  if (exchange.fault !== undefined) {
    finish(server, response, exchange, { ...malformedReply(exchange.fault), close: true });
    return;
  }
  const reply = answer(server.options.handler, exchange);
  if (reply instanceof Promise) void reply.then((made) => finish(server, response, exchange, made));
  else finish(server, response, exchange, reply);
}

function finish({ replies, turn }: ServerState, response: UwsResponse, exchange: Exchange, reply: HttpReply): void {
  if (!exchange.begin()) {
    reply.whenOver?.();
    return;
  }
  exchange.whenOver = reply.whenOver;
  const { stream } = reply;
  const closes = (): boolean => replies.closing || reply.close === true || exchange.collector.isLate || exchange.isChunked;
  const later = (write: typeof writeReply): unknown => setImmediate(() => !exchange.over && write(response, exchange, reply));
  if (exchange.method === 'HEAD') later(writeHeadReply);
  // One that leaves with its length cannot end its connection.
  else if (stream !== undefined && reply.isSized === true && !closes()) {
    void writeSizedPieces(response, exchange, { ...reply, stream })
      .catch(() => {})
      .then(
        // It has ended with its last byte, or it is not whole.
        () => !exchange.over && response.close(),
      );
  } else if (stream !== undefined) {
    void writePieces(response, exchange, { ...reply, stream }).then(
      () => {
        if (exchange.over) return;
        exchange.end();
        response.cork(() => response.end('', closes()));
      },
      // What has left cannot be taken back: the client sees a reply that is not whole.
      () => !exchange.over && response.close(),
    );
  } else if (closes()) later(writeLastReply);
  else if (turn.spend()) later((...parts) => (closes() ? writeLastReply(...parts) : writeReply(...parts)));
  else writeReply(response, exchange, reply);
}

class Exchange implements ServerRequest, UwsExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #headers = new HeaderMap();
  readonly collector: BodyCollector;
  /** Why it is no good request. */
  readonly fault: string | undefined;
  /** Replied or aborted: the response object is dead. */
  over = false;
  /** A reply is on its way, and no other may be. */
  replying = false;
  whenGone: (() => void) | undefined;
  whenOver: (() => void) | undefined;
  readonly idle: IdleTimer;
  readonly #server: ServerState;
  readonly #response: UwsResponse;
  /** More of the body than is kept unasked has come, and the connection is not read until somebody asks. */
  #paused = false;
  #abort: AbortController | undefined;
  /** As it was when somebody asked for it: the response object may be dead when the next one does. */
  #address: string | undefined;

  constructor(server: ServerState, response: UwsResponse, request: UwsRequest) {
    this.#server = server;
    this.#response = response;
    this.method = request.getMethod().toUpperCase();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    const target = this.query === '' ? this.path : `${this.path}?${this.query}`;
    this.idle = new IdleTimer(response, server.replyStallMs);
    this.collector = new BodyCollector({
      timeoutMs: server.bodyTimeoutMs,
      // The collector bounds how long it may take.
      whenSlow: () => !this.over && !this.replying && this.idle.holdOff(),
    });
    let lines = 0;
    // The request line counts, as it does with node:http.
    let bytes = target.length;
    let hasForeignBytes = false;
    request.forEach((name, value) => {
      lines += 1;
      bytes += name.length + value.length + 4;
      if (!isPlainValue(value)) hasForeignBytes = true;
      this.#headers.add(name, value);
    });
    this.fault = faultOf({ target, headers: this.headers, repeated: this.repeatedHeaders, lines, bytes, hasForeignBytes });
    server.replies.add();
  }

  get headers(): ReadonlyMap<string, string> {
    return this.#headers.joined;
  }
  get repeatedHeaders(): ReadonlyMap<string, readonly string[]> {
    return this.#headers.repeated;
  }
  get isChunked(): boolean {
    return this.headers.has('transfer-encoding');
  }

  get address(): string {
    if (this.over) return this.#address ?? '';
    this.#address ??= addressOf(this.#response);
    return this.#address;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.over) this.#abort.abort(clientGone());
    }
    return this.#abort.signal;
  }

  body(bytesMax: number): Promise<Uint8Array> {
    const body = this.collector.read(bytesMax);
    this.#resume();
    return body;
  }

  /** UWS-SERVER-2: the chunk's memory is taken back when this returns. What follows a refused body is discarded as it comes. */
  take(chunk: ArrayBuffer, isLast: boolean): void {
    if (chunk.byteLength > 0 && !this.over && !this.replying) this.collector.push(new Uint8Array(chunk.slice(0)));
    if (isLast) {
      // A reply that is on its way has its own time.
      if (!this.replying) this.idle.stop();
      this.collector.complete();
    } else if (!this.#paused && !this.over && !this.replying && this.collector.unreadBytes > limits.unreadBodyBytesMax) {
      this.#paused = true;
      this.#response.pause();
    }
  }

  /** False where the client has gone, or a reply is on its way already. */
  begin(): boolean {
    if (this.over || this.replying) return false;
    this.replying = true;
    this.idle.stop();
    this.collector.drop();
    this.#resume();
    return true;
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.idle.stop();
    this.#server.replies.remove();
    this.whenOver?.();
  }

  gone(): void {
    if (this.over) return;
    this.end();
    this.collector.fail(clientGone());
    this.#abort?.abort(clientGone());
    this.whenGone?.();
  }

  #resume(): void {
    if (!this.#paused || this.over) return;
    this.#paused = false;
    this.#response.resume();
  }
}
