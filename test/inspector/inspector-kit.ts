// An inspector over a repository of its own, spoken to over real HTTP, on either engine.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { ErrorEnvelope } from '../../src/contract/errors.js';
import type { InspectorEvent } from '../../src/contract/inspector/inspector.js';
import { inspectorPrefix } from '../../src/contract/inspector/routes.js';
import type { RunRequest, RunsReply } from '../../src/contract/inspector/runs.js';
import { loadUws } from '../../src/http/uws-binary.js';
import { type LocalInspectorOptions, runDrills, startLocalSimulationServer } from '../../src/index.js';
import { inspectorDocument } from '../../src/inspector/openapi.js';
import { createRepository, drill, moduleAgent, noteIs, type Repository } from '../drills/repository.js';
import { DocumentJudge } from '../http/openapi/judge.js';

/** Each answer that a test gets is one that the document announces. */
const judge = new DocumentJudge(inspectorDocument());

export const engines = (['node:http', 'uWebSockets.js'] as const).filter((engine) => engine === 'node:http' || loadUws() !== undefined);
type Engine = (typeof engines)[number];

/** The same test on each engine. */
export function onEachEngine(name: string, body: (t: TestContext, engine: Engine) => Promise<void>): void {
  for (const engine of engines) test(`${name} (${engine})`, (t) => body(t, engine));
}

export interface Asked {
  method?: string;
  body?: unknown;
  headers?: { [name: string]: string };
}
export interface Answer {
  status: number;
  headers: { [name: string]: string | string[] | undefined };
  bytes: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  json: any;
}
export interface TestInspector {
  baseUrl: string;
  token: string;
  repository: Repository;
  reports: string;
  runs: string;
  /** The runs that were there when it started, in the order of `played`. */
  played: string[];
  /** With the bearer. */
  ask(path: string, asked?: Asked): Promise<Answer>;
  /** As it is. */
  askPlainly(path: string, asked?: Asked): Promise<Answer>;
  /** Posts JSON. */
  post(path: string, body?: unknown): Promise<Answer>;
  events(query?: string): Promise<TestStream>;
  /** Starts one and waits for its end. */
  run(body: object): Promise<RunRequest>;
  runIds(): Promise<string[]>;
  close(): Promise<void>;
}

export const writerAgent = moduleAgent(
  'writer-agent',
  `await context.world.call('notes', 'note.write', { id: 'a', text: 'one' });
   await context.world.call('notes', 'note.remind', { id: 'a', afterUs: 500 });
   await context.world.call('notes', 'note.write', { id: 'a', text: 'two' });
   await context.world.call('notes', 'note.remove', { id: 'first' });
   context.attach('notes.html', '<script>alert(1)</script>', { mediaType: 'text/html' });
   context.log('done');
   return { ok: true };`,
);
/** A drill that passes, one that fails, one that hangs until it is cancelled. */
export const drills: { [path: string]: string | object } = {
  ...writerAgent,
  ...moduleAgent(
    'hanging-agent',
    "await context.world.call('notes', 'note.write', { id: 'h', text: 'hangs' }); await new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(new Error('ended'))));",
  ),
  ...drill('passes', 'writer-agent', [noteIs('a', 'two')], {
    title: 'It writes',
    tags: ['quick'],
    capture: { logs: 'always', files: 'always' },
    timeline: { horizonUs: 2000, interactions: [{ id: 'only', afterStartUs: 0, actorId: 'writer', task: { instruction: 'Write.' } }] },
  }),
  ...drill('fails', 'writer-agent', [noteIs('a', 'three'), noteIs('a', 'two', { id: 'also' })]),
  ...drill('hangs', 'hanging-agent', [noteIs('h', 'hangs')]),
  'drillyard/all.suite.json': { schemaVersion: 1, id: 'all', drills: ['passes', 'fails'] },
};

export async function startTestInspector(
  t: TestContext,
  {
    engine,
    files = drills,
    options = {},
    played = [],
  }: {
    engine?: Engine;
    files?: { [path: string]: string | object };
    options?: Partial<LocalInspectorOptions>;
    /** Of `drills`: what their runs leave is there from the start. For a test of what is read, not of how it came about. */
    played?: string[];
  } = {},
): Promise<TestInspector> {
  const repository = createRepository(files);
  const before = played.length === 0 ? undefined : await playedOnce(played);
  if (before !== undefined) cpSync(before.service, join(repository.root, '.service'), { recursive: true });
  const inspector = await startLocalSimulationServer({ root: repository.root, ...(engine === undefined ? {} : { engine }), ...options });
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await inspector.close();
  };
  t.after(async () => {
    await close();
    repository.remove();
  });
  return {
    ...connect(inspector),
    repository,
    reports: join(repository.root, '.service/reports'),
    runs: join(repository.root, '.service/runs'),
    played: before?.runIds ?? [],
    close,
  };
}

interface Played {
  service: string;
  runIds: string[];
}
const playing = new Map<string, Promise<Played>>();
const templates: Repository[] = [];
after(() => {
  for (const template of templates) template.remove();
});
/** The same drills are played once a process; each inspector gets a copy of what they left. */
function playedOnce(drillIds: readonly string[]): Promise<Played> {
  const key = drillIds.join();
  const known = playing.get(key) ?? play(drillIds);
  playing.set(key, known);
  return known;
}
async function play(drillIds: readonly string[]): Promise<Played> {
  const template = createRepository(drills);
  templates.push(template);
  const runIds: string[] = [];
  for (const drillId of drillIds) runIds.push(...(await runOnce(template, { drills: [drillId] })));
  return { service: join(template.root, '.service'), runIds };
}

/** The drills' reports without an inspector. */
export async function runOnce(repository: Repository, selection: { drills: string[]; trials?: number }): Promise<string[]> {
  const { drills: outcomes } = await runDrills({ root: repository.root, ...selection });
  return outcomes.flatMap(({ trials }) => trials.flatMap(({ attempts }) => attempts.map(({ runId }) => runId)));
}

function connect({
  baseUrl,
  token,
}: {
  baseUrl: string;
  token: string;
}): Omit<TestInspector, 'repository' | 'reports' | 'runs' | 'played' | 'close'> {
  const askPlainly = async (path: string, asked: Asked = {}): Promise<Answer> => {
    const answer = await exchange(baseUrl, path, asked);
    const { status, headers, text } = answer;
    const { method = 'GET' } = asked;
    const pathname = path.split('?')[0] as string;
    if (pathname.startsWith(`${inspectorPrefix}/`)) judge.assertAnswer({ method, path: pathname, status, headers, text });
    return answer;
  };
  const ask: TestInspector['ask'] = (path, asked = {}) =>
    askPlainly(path, { ...asked, headers: { authorization: `Bearer ${token}`, ...asked.headers } });
  const post = (path: string, body: unknown = {}): Promise<Answer> => ask(path, { method: 'POST', body });
  return {
    baseUrl,
    token,
    ask,
    askPlainly,
    post,
    events: (query = '') => openStream(`${baseUrl}/api/v1/events${query}`, token),
    run: async (body) => {
      const stream = await openStream(`${baseUrl}/api/v1/events`, token);
      const started = await post('/api/v1/run-requests', body);
      assert.equal(started.status, 202, started.text);
      const { requestId } = started.json.request as RunRequest;
      await stream.until(
        (event) => event.type === 'run-request' && event.request.requestId === requestId && event.request.finishedAtMs !== undefined,
      );
      await stream.end();
      return (await ask(`/api/v1/run-requests/${requestId}`)).json.request as RunRequest;
    },
    runIds: async () => ((await ask('/api/v1/runs?limit=500')).json as RunsReply).runs.map(({ runId }) => runId),
  };
}

function exchange(baseUrl: string, path: string, { method = 'GET', body, headers = {} }: Asked): Promise<Answer> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const { hostname, port } = new URL(baseUrl);
  const sent = {
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname: hostname.replace(/[[\]]/g, ''), port, path, method, headers: sent, agent: false },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(pieces);
          const answer = { status: response.statusCode as number, headers: response.headers, bytes, text: bytes.toString() };
          resolve({
            ...answer,
            get json() {
              return JSON.parse(answer.text);
            },
          });
        });
      },
    );
    request.on('error', reject);
    request.end(text);
  });
}

export interface TestStream {
  readonly seen: InspectorEvent[];
  /** The first event, come already or still to come, that fits. */
  until(fits: (event: InspectorEvent) => boolean): Promise<InspectorEvent>;
  end(): Promise<void>;
}

async function openStream(url: string, token: string): Promise<TestStream> {
  const abort = new AbortController();
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: abort.signal });
  assert.equal(response.status, 200, await (response.status === 200 ? 'fine' : response.text()));
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  const seen: InspectorEvent[] = [];
  let wake: () => void = () => {};
  let ended = false;
  const reading = (async () => {
    let rest = '';
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      const messages = (rest + Buffer.from(piece).toString('utf8')).split('\n\n');
      rest = messages.pop() as string;
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data !== undefined) seen.push(JSON.parse(data) as InspectorEvent);
      }
      wake();
    }
  })()
    .catch(() => {})
    .finally(() => {
      ended = true;
      wake();
    });
  return {
    seen,
    until: async (fits) => {
      for (let from = 0; ; ) {
        const found = seen.slice(from).find(fits);
        if (found !== undefined) return found;
        if (ended) throw new Error(`the stream ended; it reported ${JSON.stringify(seen.map(({ type }) => type))}`);
        from = seen.length;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (seen.length > from || ended) resolve();
        });
      }
    },
    end: async () => {
      abort.abort();
      await reading;
    },
  };
}

/** One envelope, whatever was refused. */
export function assertRefused({ status, headers, json }: Answer, expected: number, code: string): ErrorEnvelope {
  const envelope = json as ErrorEnvelope;
  assert.deepEqual([status, envelope.code], [expected, code], JSON.stringify(envelope));
  assert.ok(envelope.message.length > 0);
  assert.equal(envelope.correlationId, headers['x-correlation-id']);
  assert.equal(typeof envelope.retryable, 'boolean');
  assert.equal(headers['access-control-allow-origin'], undefined);
  return envelope;
}
