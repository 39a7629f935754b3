// The agent desk: where an agent that runs on its own, in any language, fetches interactions and hands in results, over HTTP on loopback.
// To a run it is the embedder's agent, as any other (drills/targets/external-target.ts).
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../contract/errors.js';
import { type OptionShapes, requireOptions } from '../contract/known-options.js';
import { limits } from '../contract/limits.js';
import type { ConnectedInvocation } from '../contract/run/agent-desk.js';
import { ExternalResult } from '../contract/run/target-completion.js';
import type { TargetContext, TargetInvocation } from '../contract/run/target-invocation.js';
import { validateCompleteRequest } from '../contract/validate/validators.js';
import { requireLoopback } from '../http/guards.js';
import { parseQuery } from '../http/query.js';
import { requireValid } from '../http/require-valid.js';
import type { RouteFailure } from '../http/route-failure.js';
import { createRouter, type Route } from '../http/router.js';
import { startHttpServer } from '../http/start-server.js';
import { PendingInteractions, waiting } from './pending-interactions.js';

export interface AgentDeskOptions {
  /** Called with each interaction as it begins to wait. It holds the tokens of its bindings. */
  onPending?: (interaction: ConnectedInvocation) => void;
  /** A bug met while answering. Default: one JSON line on stderr. */
  onFailure?: (failure: RouteFailure) => void;
}
export interface AgentDesk {
  readonly url: string;
  /** The bearer that every request carries; its holder is the agent. */
  readonly token: string;
  /** For `runDrills({ agent })`. */
  readonly agent: (invocation: TargetInvocation, context: TargetContext) => Promise<ExternalResult>;
  /** Answers waiting requests: nothing is to come. */
  close(): Promise<void>;
}

const shapes: OptionShapes<AgentDeskOptions> = { onPending: 'function', onFailure: 'function' };

export async function startAgentDesk(options: AgentDeskOptions = {}): Promise<AgentDesk> {
  requireOptions('startAgentDesk', options, shapes);
  const { onPending = () => {}, onFailure = logFailure } = options;
  const token = randomBytes(32).toString('base64url');
  const interactions = new PendingInteractions([token]);
  const server = await startHttpServer({
    // The one of the two whose requests may be this large and wait this long. Speed is no matter here.
    engine: 'node:http',
    host: '127.0.0.1',
    port: 0,
    onFailure,
    handler: createRouter({
      routes: deskRoutes(interactions),
      requireHost: requireLoopback,
      authenticate: (given) => {
        if (!timingSafeEqual(hashOf(given), hashOf(token)))
          throw new ServiceError('control.UNAUTHENTICATED', { message: 'A valid bearer token is needed.' });
        return 'agent';
      },
      onFailure,
    }),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    token,
    agent: async (invocation, { environment, signal }) => {
      if (Object.keys(invocation.bindings).length === 0) return unreachable;
      const interaction: ConnectedInvocation = { ...invocation, environment };
      const handedIn = interactions.add(interaction, signal);
      onPending(interaction);
      return await handedIn;
    },
    close: async () => {
      interactions.close();
      await server.close();
    },
  };
}

const unreachable = new ExternalResult({
  status: 'failed',
  error: {
    code: 'target.BINDING_UNAVAILABLE',
    message: 'An agent in a process of its own cannot use the binding direct, and the target lists no other: give it http, mcp or cli.',
  },
});

function deskRoutes(interactions: PendingInteractions): readonly Route<string>[] {
  return [
    { method: 'GET', path: '/health', auth: 'none', run: () => ({ status: 200, body: { schemaVersion: 1, status: 'ok' } }) },
    {
      method: 'GET',
      path: '/v1/interaction',
      auth: 'bearer',
      run: async ({ request }) => {
        const options = nextOptions(request.query);
        // What nobody reads is not handed out.
        if (request.method === 'HEAD') return { status: 200, body: waiting };
        return { status: 200, body: await interactions.next({ ...options, signal: request.signal }) };
      },
    },
    {
      method: 'POST',
      path: '/v1/interaction/complete',
      auth: 'bearer',
      body: { bytesMax: limits.completionBytesMax, levelsMax: limits.completionDepthMax },
      run: ({ body }) => ({ status: 200, body: interactions.complete(requireValid(validateCompleteRequest(body))) }),
    },
  ];
}

function nextOptions(query: string): { waitMs: number; again: boolean } {
  const issues: { path: string; code: string; message: string }[] = [];
  const { waitMs = String(limits.agentDeskWaitMs), again = 'false', ...unknown } = parseQuery(query, issues);
  for (const name of Object.keys(unknown)) issues.push({ path: `/query/${name}`, code: 'unknown_property', message: 'is not known' });
  if (!/^\d{1,5}$/.test(waitMs) || Number(waitMs) > limits.agentDeskWaitMsMax)
    issues.push({ path: '/query/waitMs', code: 'OUT_OF_RANGE', message: `must be an integer from 0 to ${limits.agentDeskWaitMsMax}` });
  if (again !== 'true' && again !== 'false') issues.push({ path: '/query/again', code: 'not_one_of', message: 'must be true or false' });
  if (issues.length > 0) throw new ServiceError('control.INVALID_REQUEST', { message: 'The query is not one of this route.', issues });
  return { waitMs: Number(waitMs), again: again === 'true' };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function logFailure({ correlationId, method, path, error }: RouteFailure): void {
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${JSON.stringify({ level: 'error', correlationId, method, path, stack })}\n`);
}
