// The agent desk by its protocol: who gets which interaction, what is taken once, what is refused.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonValue } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import type { CompleteRequest, ConnectedInvocation } from '../../src/contract/run/agent-desk.js';
import type { ExternalResult } from '../../src/contract/run/target-completion.js';
import type { TargetContext, TargetInvocation } from '../../src/contract/run/target-invocation.js';
import { type AgentDesk, startAgentDesk } from '../../src/desk/agent-desk.js';

let desk: AgentDesk;
before(async () => {
  desk = await startAgentDesk();
});
after(() => desk.close());

let runs = 0;
function pending(interactionId: string): { runId: string; handedIn: Promise<unknown>; abort: AbortController } {
  const abort = new AbortController();
  const runId = `run_${++runs}`;
  const task = { instruction: 'x' };
  const bindings = { http: { url: 'http://127.0.0.1:1' } };
  const invocation: TargetInvocation = {
    schemaVersion: 1,
    runId,
    drillId: 'd',
    interactionId,
    actorId: 'a',
    task,
    virtualTimeUs: 0,
    bindings,
  };
  const context = { environment: { SERVICE_HTTP_TOKEN: 'T' }, signal: abort.signal } as unknown as TargetContext;
  return { runId, abort, handedIn: desk.agent(invocation, context) };
}
interface Reply {
  status: number;
  body: { state?: string; interaction?: ConnectedInvocation; code?: string; replayed?: boolean };
}
async function ask(
  path: string,
  { body, token = desk.token, headers = {} }: { body?: unknown; token?: string; headers?: object } = {},
): Promise<Reply> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const reply = await fetch(desk.url + path, { headers: { authorization: `Bearer ${token}`, ...type, ...headers }, ...sent });
  return { status: reply.status, body: (await reply.json()) as Reply['body'] };
}
const next = (query = '?waitMs=0') => ask(`/v1/interaction${query}`);
const complete = (
  runId: string,
  interactionId: string,
  targetResult: CompleteRequest['targetResult'] = { status: 'completed', output: 1 },
) => ask('/v1/interaction/complete', { body: { runId, interactionId, targetResult } });

// PENDING-INTERACTIONS-1
test('each interaction is handed out once, the oldest first, and again where that is asked for', async () => {
  const [first, second] = [pending('main'), pending('main')];
  // A HEAD has no body to hand it out in.
  await fetch(`${desk.url}/v1/interaction`, { method: 'HEAD', headers: { authorization: `Bearer ${desk.token}` } });
  const got = [await next(), await next(), await next()].map(({ body }) => [body.state, body.interaction?.runId]);
  assert.deepEqual(got, [
    ['pending', first.runId],
    ['pending', second.runId],
    ['waiting', undefined],
  ]);
  const again = await next('?waitMs=0&again=true');
  assert.deepEqual([again.body.interaction?.runId, again.body.interaction?.environment], [first.runId, { SERVICE_HTTP_TOKEN: 'T' }]);
  await complete(second.runId, 'main', { status: 'completed', output: { done: true } });
  assert.deepEqual(((await second.handedIn) as ExternalResult).completion, { status: 'completed', output: { done: true } });
  assert.equal((await complete(first.runId, 'main')).status, 200);
  assert.equal((await next('?waitMs=0&again=true')).body.state, 'waiting');
});

test('a request that waits gets what comes', async () => {
  const waiting = next(`?waitMs=${limits.agentDeskWaitMsMax}`);
  // Only once it has arrived can it be the one that waits.
  while ((await next()).body.state !== 'waiting');
  const { runId } = pending('late');
  const { body } = await waiting;
  assert.equal(body.interaction?.runId, runId);
  await complete(runId, 'late');
});

// PENDING-INTERACTIONS-1, PENDING-INTERACTIONS-2
test('a result is taken once: the same again is the same, another is refused, and so is one too late or for nothing', async () => {
  const { runId } = pending('once');
  assert.deepEqual([(await complete(runId, 'once')).body.replayed, (await complete(runId, 'once')).body.replayed], [false, true]);
  const other = await complete(runId, 'once', { status: 'completed', output: 2 });
  assert.deepEqual([other.status, other.body.code], [409, 'control.STATE_CONFLICT']);
  const late = pending('late');
  late.abort.abort();
  assert.deepEqual((await complete(late.runId, 'late')).body.code, 'control.STATE_CONFLICT');
  assert.deepEqual((await complete('run_none', 'main')).body.code, 'control.NOT_FOUND');
  assert.equal((await next()).body.state, 'waiting');
});

test('an output may be as deep as one of any target, whatever a request puts around it', async () => {
  const deep = (levels: number): JsonValue => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  const { runId, handedIn } = pending('main');
  assert.equal((await complete(runId, 'main', { status: 'completed', output: deep(limits.jsonDepthMax + 1) })).status, 400);
  assert.equal((await complete(runId, 'main', { status: 'completed', output: deep(limits.jsonDepthMax) })).status, 200);
  assert.deepEqual(((await handedIn) as ExternalResult).completion.output, deep(limits.jsonDepthMax));
});

test('only its bearer, from loopback, with a request that fits', async () => {
  assert.equal((await ask('/v1/interaction?waitMs=0', { token: 'x' })).body.code, 'control.UNAUTHENTICATED');
  assert.equal(
    (await ask('/v1/interaction?waitMs=0', { headers: { origin: 'https://example.com' } })).body.code,
    'control.ORIGIN_REJECTED',
  );
  for (const query of ['?waitMs=-1', '?waitMs=60001', '?waitMs=x', '?again=maybe', '?wait=1'])
    assert.equal((await next(query)).status, 400, query);
  assert.equal((await ask('/v1/interaction/complete', { body: { runId: 'r' } })).body.code, 'control.INVALID_REQUEST');
  const odd = { status: 'completed', attachments: [{ name: 'a', text: 'x', base64: 'x' }] };
  assert.equal(
    (await ask('/v1/interaction/complete', { body: { runId: 'r', interactionId: 'i', targetResult: odd } })).body.code,
    'control.INVALID_REQUEST',
  );
});

test('an interaction that no outside process can play is reported as such', async () => {
  const invocation = { bindings: {} } as TargetInvocation;
  const handedIn = await desk.agent(invocation, {} as TargetContext);
  assert.equal(handedIn.completion.error?.code, 'target.BINDING_UNAVAILABLE');
});

test('when the run is over, a request that waits gets an answer', async () => {
  const other = await startAgentDesk();
  const poll = async () => (await fetch(`${other.url}/v1/interaction`, { headers: { authorization: `Bearer ${other.token}` } })).json();
  const waiting = poll();
  await fetch(`${other.url}/health`);
  await other.close();
  assert.deepEqual(await waiting, { schemaVersion: 1, state: 'ended' });
});
