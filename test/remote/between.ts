// A machine between a repository and a service: it passes requests on, and does with some of them what a rule says.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface Passing {
  method: string;
  /** With its query. */
  path: string;
  /** Of requests of this method and path, ids left out: the first is 1. */
  count: number;
  /** `POST /v1/projects/_/runs`, ids and the query left out. */
  key: string;
}
/** `answer`: instead of the service. `silent`: nobody answers. `shown`: what the service answers, changed. Nothing: passed on. */
export type Rule = (
  passing: Passing,
) =>
  | undefined
  | { answer: { status: number; body: string | object; headers?: { [name: string]: string } } }
  | { silent: true }
  | { cut: true }
  | { shown: (text: string) => string | Promise<string> };

export interface Between {
  url: string;
  /** Keys of what was asked, in order. */
  readonly asked: string[];
}

export async function between(baseUrl: string, rule: Rule): Promise<Between> {
  const counts = new Map<string, number>();
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { method = 'GET', url: path = '' } = request;
    const key = `${method} ${path.replace(/\?.*/, '').replace(/[a-z]+_[0-9a-z]{12,}/g, '_')}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    asked.push(key);
    const done = rule({ method, path, key, count });
    if (done !== undefined && 'silent' in done) return;
    if (done !== undefined && 'cut' in done) {
      request.socket.destroy();
      return;
    }
    if (done !== undefined && 'answer' in done) {
      const { status, body, headers = { 'content-type': 'application/json' } } = done.answer;
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
      return;
    }
    const reply = await fetch(baseUrl + path, {
      method,
      headers: passed(request.headers),
      ...(pieces.length === 0 ? {} : { body: Buffer.concat(pieces) }),
    });
    const got = Buffer.from(await reply.arrayBuffer());
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'application/json' });
    response.end(done !== undefined && 'shown' in done ? await done.shown(got.toString()) : got);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** A refusal as a service words it. */
export function refusal(status: number, code: string, more: object = {}): { answer: { status: number; body: object } } {
  return { answer: { status, body: { code, message: 'not now', correlationId: 'corr', retryable: false, source: 'platform', ...more } } };
}

function passed({
  host: _host,
  connection: _connection,
  'content-length': _length,
  'transfer-encoding': _encoding,
  ...headers
}: IncomingHttpHeaders) {
  return headers as { [name: string]: string };
}
