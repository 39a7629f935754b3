// A server before another one of this machine: it passes on each request and keeps it with its whole response. Paths may begin lower there.
//   RECORDING-PROXY-1. What a client gets is what was answered, byte for byte but for URLs of the server, which become those of the proxy;
//     a response that was cut is cut.
import { Agent, createServer, type IncomingMessage, request as requestOf, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RecordedRequest {
  /** The port of the server that answered. */
  port: number;
  host: string;
  method: string;
  /** Path and query as the server got them. */
  target: string;
  requestBody: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}
export interface RecordingProxyOptions {
  /** Of the server, on loopback. */
  port: number;
  /** Put before the path of each request. */
  prefix?: string;
  /** Other URLs of the server by which replies may call the place that the proxy is at. */
  alsoCalled?: readonly string[];
  record(exchange: RecordedRequest): void;
}
export interface RecordingProxy {
  port: number;
  close(): Promise<void>;
}

const loopback = '127.0.0.1';
/** Of one connection: they are not passed on. */
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'expect', 'upgrade']);

export async function startRecordingProxy({ port, prefix = '', alsoCalled = [], record }: RecordingProxyOptions): Promise<RecordingProxy> {
  const agent = new Agent({ keepAlive: true });
  const server: Server = createServer((incoming, outgoing) => {
    const own = (server.address() as AddressInfo).port;
    const place = { agent, port, prefix, alsoCalled, own };
    passOn(incoming, outgoing, place).then(
      (exchange) => exchange !== undefined && record(exchange),
      // The server is gone, or the client: nobody can be answered.
      () => outgoing.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, loopback, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

interface Place {
  agent: Agent;
  port: number;
  prefix: string;
  alsoCalled: readonly string[];
  /** The proxy's port. */
  own: number;
}

/** Undefined where the response was cut. */
async function passOn(incoming: IncomingMessage, outgoing: ServerResponse, place: Place): Promise<RecordedRequest | undefined> {
  const sent = await buffer(incoming);
  const target = place.prefix + (incoming.url ?? '/');
  const reply = await answerOf(incoming, sent, { ...place, target });
  const host = incoming.headers.host ?? '';
  const { content, isWhole } = await contentOf(reply);
  const rewrite = rewriting(host, place);
  const body = isText(reply) ? Buffer.from(rewrite(content.toString('utf8'))) : content;
  outgoing.writeHead(
    reply.statusCode as number,
    reply.statusMessage,
    headersFor(reply, { rewrite, body, isWhole, method: incoming.method }),
  );
  if (!isWhole) {
    outgoing.write(body, () => outgoing.destroy());
    return undefined;
  }
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
  return {
    ...{ port: place.port, host, method: incoming.method as string, target, requestBody: sent.toString('utf8') },
    ...{ status: reply.statusCode as number, headers: singleHeaders(reply), body: body.toString('utf8') },
  };
}

/** The Host is passed on as it came: signatures cover it. */
function answerOf(incoming: IncomingMessage, sent: Buffer, { agent, port, target }: Place & { target: string }): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = pairs(incoming.rawHeaders).filter(([name]) => !ofConnection.has(name.toLowerCase()));
    const asked = requestOf({ host: loopback, port, agent, method: incoming.method, path: target, headers: headers.flat() }, resolve);
    asked.on('error', reject);
    const trailers = pairs(incoming.rawTrailers);
    if (trailers.length > 0) asked.addTrailers(trailers);
    asked.end(sent);
  });
}

async function contentOf(reply: IncomingMessage): Promise<{ content: Buffer; isWhole: boolean }> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of reply) pieces.push(piece as Buffer);
    return { content: Buffer.concat(pieces), isWhole: reply.complete };
  } catch {
    return { content: Buffer.concat(pieces), isWhole: false };
  }
}

type Rewrite = (text: string) => string;
function rewriting(host: string, { port, prefix, alsoCalled, own }: Place): Rewrite {
  const names = [...new Set([host.replace(/:\d+$/, ''), loopback, 'localhost'])];
  const changes = [
    ...alsoCalled.map((url) => [url, `http://${loopback}:${own}`] as const),
    ...names.map((name) => [`//${name}:${port}${prefix}`, `//${name}:${own}`] as const),
  ];
  return (text) => changes.reduce((left, [from, to]) => left.replaceAll(from, to), text);
}

function isText({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? '';
  return headers['content-encoding'] === undefined && /^text\/|[/+](?:json|xml)\b|x-www-form-urlencoded/i.test(type);
}

interface Written {
  rewrite: Rewrite;
  body: Buffer;
  isWhole: boolean;
  method: string | undefined;
}
function headersFor(reply: IncomingMessage, { rewrite, body, isWhole, method }: Written): string[] {
  const kept = pairs(reply.rawHeaders).filter(
    ([name]) => !ofConnection.has(name.toLowerCase()) && name.toLowerCase() !== 'transfer-encoding',
  );
  return kept.flatMap(([name, value]) => {
    if (name.toLowerCase() !== 'content-length') return [name, rewrite(value)];
    // What is cut has no length of its own, and what HEAD would have got is not there to be measured.
    return isWhole ? [name, method === 'HEAD' ? value : String(body.length)] : [];
  });
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] as string] as [string, string]] : []));
}

function singleHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value as string)]),
  );
}
