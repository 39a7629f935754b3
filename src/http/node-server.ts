// The server on node:http: on every Node.js, with every option that bounds a connection spelled out.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import { answer } from './answer.js';
import { BodyCollector, clientGone } from './body-collector.js';
import { plainAddress } from './client-address.js';
import { ConnectionCount } from './connection-count.js';
import { errorReply, malformedReply } from './envelope.js';
import { HeaderMap } from './header-map.js';
import { faultOf, isPlainValue } from './request-faults.js';
import { RequestLine } from './request-line.js';
import type { HttpReply, HttpServer, HttpServerOptions, ServerRequest } from './server.js';
import { statusReasons } from './status-reasons.js';
import { tuning } from './tuning.js';

export async function startNodeServer(options: HttpServerOptions): Promise<HttpServer> {
  const headersTimeoutMs = options.headersTimeoutMs ?? limits.headersTimeoutMs;
  const bodyTimeoutMs = options.bodyTimeoutMs ?? limits.bodyTimeoutMs;
  let closing = false;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs + bodyTimeoutMs,
    connectionsCheckingInterval: Math.max(
      tuning.connectionLookMsMin,
      Math.min(headersTimeoutMs, bodyTimeoutMs) / tuning.connectionLooksPerTimeout,
    ),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    // We answer that ourselves, in the envelope.
    requireHostHeader: false,
    insecureHTTPParser: false,
  });
  const work = { ...options, bodyTimeoutMs, replyStallMs: options.replyStallMs ?? limits.replyStallMs };
  // Whether a connection stays open is decided when its reply has left.
  const lines = boundConnections(server, options, () => {
    if (closing) setImmediate(() => server.closeIdleConnections());
  });
  const receive = (message: IncomingMessage, response: ServerResponse): void => {
    const line = lines.get(message.socket);
    const fail = (error: unknown): void => {
      response.destroy();
      const { method = '', url = '' } = message;
      options.onFailure?.({ correlationId: newId('corr'), method, path: url.replace(/\?.*/s, ''), error });
    };
    line?.take({ message, response, begin: () => void respond(work, message, response, line.address).catch(fail) });
  };
  server.on('request', receive);
  // An expectation that nobody knows may be ignored (RFC 9110 10.1.1); node would answer it without our envelope.
  server.on('checkExpectation', receive);
  // Those beyond this are dropped without a word, so one more than we take: such a request is refused.
  server.maxHeadersCount = limits.headersMax + 1;
  server.on('clientError', (error, socket) => refuseMalformed(error, socket as Socket, lines.get(socket as Socket)));
  await listen(server, options);
  return {
    engine: 'node:http',
    port: (server.address() as AddressInfo).port,
    warnings: [],
    close: () => {
      closing = true;
      return closeServer(server, options.closeGraceMs ?? limits.serverCloseGraceMs);
    },
  };
}

/** Of each connection that is taken, its requests. One too many gets a refusal, and is closed. */
function boundConnections(server: Server, options: HttpServerOptions, afterReply: () => void): WeakMap<Socket, RequestLine> {
  const lines = new WeakMap<Socket, RequestLine>();
  const count = new ConnectionCount(options);
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    socket.once('close', () => count.remove(address));
    if (count.add(address)) lines.set(socket, new RequestLine(socket, { address, afterReply }));
    else sendRaw(socket, tooManyConnections());
  });
  return lines;
}

type Work = HttpServerOptions & { bodyTimeoutMs: number; replyStallMs: number };

async function respond(work: Work, message: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
  const request = new NodeRequest({ message, response, work, address });
  const { fault } = request;
  if (fault !== undefined) {
    write(message, response, { ...malformedReply(fault), close: true });
    return;
  }
  const made = await answer(work.handler, request);
  const reply = request.isBodyLate ? { ...made, close: true } : made;
  if (response.destroyed) {
    reply.whenOver?.();
    return;
  }
  if (reply.whenOver !== undefined) response.once('close', reply.whenOver);
  if (message.method === 'HEAD' && reply.stream !== undefined) {
    writeHead(response, reply);
    return;
  }
  if (reply.stream === undefined) write(message, response, reply);
  else await writeStream(response, reply, { stream: reply.stream, stallMs: work.replyStallMs });
  // A client that takes nothing of its reply is let go; the time begins again whenever it takes something. Most replies have been taken by
  // the system by now, and need no timer.
  if (!response.writableFinished && message.socket.writableLength > 0) message.socket.setTimeout(work.replyStallMs);
}

function write(message: IncomingMessage, response: ServerResponse, { status, headers, body = '', close = false }: HttpReply): void {
  response.writeHead(status, fieldsOf(headers, { length: Buffer.byteLength(body), close }));
  // A text leaves in one piece with its header fields.
  response.end(message.method === 'HEAD' ? undefined : body);
}

/** Name and value in turns. */
function fieldsOf(headers: HttpReply['headers'], { length, close }: { length: number | undefined; close: boolean }): string[] {
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] as string);
  if (length !== undefined) fields.push('content-length', String(length));
  if (close) fields.push('connection', 'close');
  return fields;
}

/** Of a stream whose length is not known, none is sent. */
function writeHead(response: ServerResponse, { status, headers, streamBytes, close = false }: HttpReply): void {
  response.writeHead(status, fieldsOf(headers, { length: streamBytes, close })).end();
}

interface Pieces {
  stream: AsyncIterable<string | Uint8Array>;
  stallMs: number;
}
async function writeStream(
  response: ServerResponse,
  { status, headers, streamBytes, isSized = false, close = false }: HttpReply,
  { stream, stallMs }: Pieces,
): Promise<void> {
  response.writeHead(status, fieldsOf(headers, { length: isSized ? streamBytes : undefined, close }));
  let missing = isSized ? streamBytes : undefined;
  response.flushHeaders();
  try {
    for await (const piece of stream) {
      if (response.destroyed) return;
      if (missing !== undefined) missing -= Buffer.byteLength(piece);
      if (response.write(piece)) continue;
      response.socket?.setTimeout(stallMs);
      await drained(response);
      response.socket?.setTimeout(0);
    }
    if (missing === undefined || missing === 0) response.end();
    else response.destroy();
  } catch {
    // What has left cannot be taken back: the client sees a reply that is not whole, with all that was written of it.
    if (response.socket === null) response.destroy();
    else response.socket.destroySoon();
  }
}

/** Until the client has taken what was written, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

interface NodeRequestParts {
  message: IncomingMessage;
  response: ServerResponse;
  work: Work;
  address: string;
}
class NodeRequest implements ServerRequest {
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #work: Work;
  readonly #headers: HeaderMap;
  #abort: AbortController | undefined;
  #collector: BodyCollector | undefined;

  constructor({ message, response, work, address }: NodeRequestParts) {
    const url = message.url as string;
    const mark = url.indexOf('?');
    this.method = message.method as string;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.#message = message;
    this.#response = response;
    this.#work = work;
    this.address = address;
    this.#headers = gatherHeaders(message.rawHeaders);
  }

  get headers(): ReadonlyMap<string, string> {
    return this.#headers.joined;
  }
  get repeatedHeaders(): ReadonlyMap<string, readonly string[]> {
    return this.#headers.repeated;
  }

  get isBodyLate(): boolean {
    return this.#collector?.isLate === true;
  }

  /** Why it is no good request. */
  get fault(): string | undefined {
    const { rawHeaders, url } = this.#message;
    const target = url as string;
    let bytes = target.length;
    let hasForeignBytes = false;
    for (let index = 0; index < rawHeaders.length; index++) {
      const text = rawHeaders[index] as string;
      bytes += text.length + 2;
      if (index % 2 === 1 && !isPlainValue(text)) hasForeignBytes = true;
    }
    const { headers, repeatedHeaders: repeated } = this;
    return faultOf({ target, headers, repeated, lines: rawHeaders.length / 2, bytes, hasForeignBytes });
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
    const collector = new BodyCollector({ timeoutMs: this.#work.bodyTimeoutMs });
    this.#collector = collector;
    const message = this.#message;
    // What follows a refused body is discarded as it comes, so that the client gets to read its reply.
    message.on('data', (chunk: Buffer) => collector.push(chunk));
    message.once('end', () => collector.complete());
    // An error that nobody hears is none, and ends so too.
    message.once('close', () => collector.lose());
    // Who asks late, as after a wait for another node, hears no event of a client that has gone.
    if (message.destroyed) collector.lose();
    return collector.read(bytesMax);
  }
}

/** From the raw list: IncomingMessage.headers drops all but the first of some repeated headers, Host among them. */
function gatherHeaders(raw: readonly string[]): HeaderMap {
  const headers = new HeaderMap();
  for (let index = 0; index < raw.length; index += 2) headers.add((raw[index] as string).toLowerCase(), raw[index + 1] as string);
  return headers;
}

/** Of the parser: with the piece of the socket that it was reading, and how much of it. */
type ParserError = Error & { code?: string; rawPacket?: Buffer; bytesParsed?: number };

/** What the parser refuses never becomes a request: answered here, and the connection ends. */
function refuseMalformed(error: ParserError, socket: Socket, line: RequestLine | undefined): void {
  if (error.code === 'ECONNRESET' || !socket.writable || line?.mayRefuse !== true) {
    socket.destroy();
    return;
  }
  const reply = malformedReply('The request is not well-formed HTTP/1.1, is too large or came too slowly.');
  const method = line.method ?? methodOf(error, socket);
  if (method !== undefined) {
    sendRaw(socket, reply, { isHead: method === 'HEAD' });
    return;
  }
  const { 'content-type': _, ...headers } = reply.headers ?? {};
  sendRaw(socket, { ...reply, headers, body: '' });
}

/** Of the head that was being read; undefined where its start came in an earlier piece: it may be a HEAD, whose reply has no body. */
function methodOf({ rawPacket, bytesParsed }: ParserError, socket: Socket): string | undefined {
  if (rawPacket === undefined) return undefined;
  const before = rawPacket.subarray(0, bytesParsed).lastIndexOf('\r\n\r\n');
  const method = /^[A-Z]+(?= )/.exec(rawPacket.toString('latin1', before < 0 ? 0 : before + 4))?.[0];
  const hasStart = before >= 0 || socket.bytesRead === rawPacket.length;
  return method ?? (hasStart ? 'none' : undefined);
}

function tooManyConnections(): HttpReply {
  const message = 'There are too many connections.';
  return errorReply(new ServiceError('control.UNAVAILABLE', { message, retryAfterMs: limits.unavailableRetryAfterMs }), newId('corr'));
}

/** The last that its client reads; nothing of it is read any more. */
function sendRaw(socket: Socket, { status, headers, body }: HttpReply, { isHead = false } = {}): void {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(body as string);
  const end = `content-length: ${length}\r\nconnection: close\r\n\r\n${isHead ? '' : body}`;
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${statusReasons[status]}\r\n${lines.join('')}${end}`, () => socket.destroy());
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
