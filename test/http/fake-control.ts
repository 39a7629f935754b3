// A server with every hosted endpoint over a control plane that only tells what it was asked, on both engines.
import { after } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import type { Caller } from '../../src/control/catalog/endpoint.js';
import type { DispatchContext } from '../../src/control/dispatch.js';
import { type ControlPort, controlRoutes } from '../../src/http/control-routes.js';
import { requireHost, unauthenticated } from '../../src/http/guards.js';
import type { RouteFailure } from '../../src/http/route-failure.js';
import { createRouter, type OpenRoute, type RouterOptions } from '../../src/http/router.js';
import type { HttpServer } from '../../src/http/server.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { loadUws } from '../../src/http/uws-binary.js';

export const engines: HttpServer['engine'][] = loadUws() === undefined ? ['node:http'] : ['node:http', 'uWebSockets.js'];

export interface Asked {
  id: EndpointId;
  path: unknown;
  query: unknown;
  body: unknown;
  context: DispatchContext;
}
export interface FakeControl {
  url: string;
  port: number;
  server: HttpServer;
  asked: Asked[];
  failures: RouteFailure[];
  /** What the next requests are answered with; default an empty object, the first time. */
  answer: (asked: Asked) => unknown | Promise<unknown>;
  /** Refuses before the body is read. */
  admit: (asked: Pick<Asked, 'id' | 'path' | 'context'>) => void;
  replayed: boolean;
  isKnown: boolean;
  draining: boolean;
}

const opened = new Set<HttpServer>();
after(async () => {
  await Promise.all([...opened].map((server) => server.close()));
});

export interface FakeOptions extends Partial<RouterOptions<Caller>> {
  open?: readonly OpenRoute[];
  bodyTimeoutMs?: number;
  headersTimeoutMs?: number;
}

/** The credential `good` opens it, the identity token `identity` the identity endpoints. */
export async function fakeControl(
  engine: HttpServer['engine'],
  { open = [], bodyTimeoutMs, headersTimeoutMs, ...router }: FakeOptions = {},
): Promise<FakeControl> {
  const fake: FakeControl = {
    url: '',
    port: 0,
    server: undefined as never,
    asked: [],
    failures: [],
    answer: () => ({}),
    admit: () => {},
    replayed: false,
    isKnown: false,
    draining: false,
  };
  const port: ControlPort = {
    authenticateIdentity: async (token) => {
      if (token !== 'identity') throw unauthenticated();
      return caller;
    },
    authenticateOperator: (token) => {
      if (token !== 'operator') throw unauthenticated();
      return caller;
    },
    admit: (id, path, context) => fake.admit({ id, path, context }),
    dispatch: async (id, input, context) => {
      const asked = { id, ...input, context };
      fake.asked.push(asked);
      return { reply: (await fake.answer(asked)) as never, replayed: fake.replayed, isKnown: fake.isKnown };
    },
  };
  const handler = createRouter<Caller>({
    routes: [...controlRoutes(port), ...open],
    requireHost: requireHost({ publicUrl: 'https://drillyard.test', hosts: 'any' }),
    authenticate: (token) => {
      if (token === 'hasty') throw new ServiceError('control.RATE_LIMITED', { retryAfterMs: 1200 });
      if (token !== 'good') throw unauthenticated();
      return caller;
    },
    draining: () => fake.draining,
    nameOf: ({ credentialId }) => credentialId,
    onFailure: (failure) => fake.failures.push(failure),
    ...router,
  });
  const limits = {
    ...(bodyTimeoutMs === undefined ? {} : { bodyTimeoutMs }),
    ...(headersTimeoutMs === undefined ? {} : { headersTimeoutMs }),
  };
  fake.server = await startHttpServer({ host: '127.0.0.1', port: 0, engine, handler, closeGraceMs: 100, ...limits });
  opened.add(fake.server);
  fake.port = fake.server.port;
  fake.url = `http://127.0.0.1:${fake.port}`;
  return fake;
}

const caller: Caller = { organizationId: 'org_1', credentialId: 'cred_1', role: 'manager', authoritiesIn: () => new Set() };

export const ids = {
  projectId: 'prj_0123456789ab',
  environmentId: 'env_0123456789ab',
  sessionId: 'ses_0123456789ab',
  sourceDraftId: 'draft_0123456789ab',
  hostedRunId: 'hrun_0123456789ab',
  attachmentId: 'attachment_0123456789ab',
  evidenceBundleId: 'evidence_0123456789ab',
  operationId: 'op_0123456789ab',
  credentialId: 'cred_0123456789ab',
} as const;

export interface Sent {
  method?: string;
  headers?: { [name: string]: string };
  body?: string | Uint8Array;
}
export interface Received {
  status: number;
  headers: Headers;
  text: string;
  /** Of a JSON reply; {} of any other. */
  body: { [name: string]: unknown };
}
export async function send(url: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Received> {
  const reply = await fetch(url, {
    method,
    headers: { authorization: 'Bearer good', ...headers },
    ...(body === undefined ? {} : { body: body as string }),
  });
  const text = await reply.text();
  const json = text !== '' && reply.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: reply.status, headers: reply.headers, text, body: json ? (JSON.parse(text) as { [name: string]: unknown }) : {} };
}
export const keyed = { 'content-type': 'application/json', 'idempotency-key': 'key-00000001' };
export const issuePaths = ({ body }: Received): string[] =>
  ((body.issues ?? []) as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`).sort();
