// The bindings as an agent uses them, over a world that records what it is asked.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { agentDocument } from '../../src/bindings/openapi.js';
import {
  validateCallResponse,
  validateErrorEnvelope,
  validateToolsResponse,
  validateWaitResponse,
} from '../../src/contract/validate/validators.js';
import type { RouteAuth } from '../../src/contract/world/tool-manifest.js';
import type { WireRoute } from '../../src/contract/world/wire.js';
import type { WorldCommand, WorldQuery } from '../../src/contract/world/world-protocol.js';
import type { Access } from '../../src/drills/ports/bindings-port.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { assertKept, assertValid, DocumentJudge } from '../http/openapi/judge.js';

const bindings = createBindings();
after(() => bindings.close());

const document = agentDocument();
/** Each answer that a test gets is one that the document announces. */
const judge = new DocumentJudge(document);

test('the document of these routes is valid, is docs/openapi-agent.json, and its examples fit', async () => {
  await assertValid(document);
  assertKept(document, 'openapi-agent.json');
  // Not every validator takes more of a variable.
  const [server] = document.servers as [{ variables: { access: object } }];
  assert.deepEqual(Object.keys(server.variables.access), ['default']);
  assert.ok(judge.assertExamples() > 40);
});

interface RecordingWorld {
  world: WorldRef;
  asked: (WorldCommand | WorldQuery)[];
  /** While set, calls wait for it. */
  gate: Promise<void> | undefined;
}
function recordingWorld(): RecordingWorld {
  const asked: (WorldCommand | WorldQuery)[] = [];
  const correlationId = 'corr_0000000000000000';
  const recording: RecordingWorld = {
    asked,
    gate: undefined,
    world: {
      worldId: 'run_0123456789ab',
      worldInstanceId: 'world_0123456789ab',
      command: async (command: WorldCommand) => {
        asked.push(command);
        await recording.gate;
        const outcome = { kind: 'ok', value: { done: true } };
        return command.kind === 'wait'
          ? { outcome, correlationId, virtualTimeUs: 7 }
          : { callId: 'call_0000000000000000', correlationId, outcome, sequence: 2 };
      },
      query: async (query: WorldQuery) => {
        if (query.kind === 'routes') return [];
        asked.push(query);
        const tool = {
          packageId: 'desk',
          instanceId: 'desk',
          operationId: 'ticket.close',
          inputSchema: true,
          outputSchema: true,
          declaredErrors: [],
          idempotency: 'none',
        };
        return [tool];
      },
    } as unknown as WorldRef,
  };
  return recording;
}

const openHttp = (world: WorldRef, actorId = 'agent'): Promise<Access> =>
  bindings.open({ world, actorId, bindings: ['direct', 'http', 'cli'] });

async function send(
  access: Access,
  path: string,
  body?: unknown,
  headers: { [name: string]: string } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { url, token } = access.endpoints.http ?? assert.fail('no http endpoint');
  const reply = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const method = body === undefined ? 'GET' : 'POST';
  judge.assertAnswer({
    method,
    path: path.split('?')[0] as string,
    status: reply.status,
    headers: Object.fromEntries(reply.headers),
    text,
  });
  return { status: reply.status, body: JSON.parse(text) as Record<string, unknown> };
}

test('calls, tools and waits go to the access holder and nobody else, as its actor', async () => {
  const first = recordingWorld();
  const second = recordingWorld();
  const agent = await openHttp(first.world, 'agent');
  const other = await openHttp(second.world, 'other');
  const call = await send(agent, '/v1/operations/desk/ticket.close', { arguments: { id: 1 }, idempotencyKey: 'k', instanceId: 'desk' });
  assert.equal(call.status, 200);
  assert.ok(validateCallResponse(call.body).ok);
  assert.ok(validateToolsResponse((await send(other, '/v1/tools')).body).ok);
  assert.ok(validateWaitResponse((await send(agent, '/v1/wait', { untilUs: 5 })).body).ok);
  assert.deepEqual(first.asked, [
    {
      kind: 'call',
      actorId: 'agent',
      packageId: 'desk',
      operationId: 'ticket.close',
      arguments: { id: 1 },
      idempotencyKey: 'k',
      instanceId: 'desk',
    },
    { kind: 'wait', actorId: 'agent', untilUs: 5 },
  ]);
  assert.deepEqual(second.asked, [{ kind: 'tools', actorId: 'other' }, { kind: 'actors' }]);
});

test('every access has its own tokens, one a binding, and none of them is short or repeated', async () => {
  const { world } = recordingWorld();
  const tokens = (await Promise.all([openHttp(world), openHttp(world)])).flatMap(({ endpoints }) =>
    Object.values(endpoints).map(({ token }) => token),
  );
  assert.equal(new Set(tokens).size, 4);
  for (const token of tokens) assert.ok(Buffer.from(token, 'base64url').length === 32);
});

test('only the bindings that were asked for are issued', async () => {
  const { world } = recordingWorld();
  const access = await bindings.open({ world, actorId: 'agent', bindings: ['mcp', 'cli'] });
  assert.deepEqual(Object.keys(access.endpoints), ['mcp', 'cli']);
  assert.equal(access.direct, undefined);
});

test('bodies and paths that break their schema are refused with the broken path, and reach no world', async () => {
  const { world, asked } = recordingWorld();
  const access = await openHttp(world);
  const cases: [string, unknown, string][] = [
    ['/v1/operations/desk/ticket.close', {}, '/arguments'],
    ['/v1/operations/desk/ticket.close', { arguments: {}, actorId: 'boss' }, '/actorId'],
    ['/v1/operations/desk/ticket.close', { arguments: {}, idempotencyKey: '' }, '/idempotencyKey'],
    ['/v1/operations/Desk/ticket.close', { arguments: {} }, '/path/packageId'],
    ['/v1/wait', { untilUs: 0.5 }, '/untilUs'],
    ['/v1/wait', [], ''],
    ['/v1/wait', null, ''],
  ];
  for (const [path, body, issue] of cases) {
    const reply = await send(access, path, body);
    assert.equal(reply.status, 400, path);
    assert.ok(validateErrorEnvelope(reply.body).ok);
    assert.ok(
      (reply.body.issues as { path: string }[]).some((found) => found.path === issue),
      `${path} ${JSON.stringify(reply.body)}`,
    );
  }
  assert.deepEqual(asked, []);
  // Only what a route takes is checked: agents of any make may add parameters.
  for (const path of ['/health?probe=1', '/v1/tools?page=2&page=%zz']) assert.equal((await send(access, path)).status, 200, path);
});

test('the direct client checks what it is given like a request', async () => {
  const { world, asked } = recordingWorld();
  const { direct } = await openHttp(world);
  const refused = { code: 'control.INVALID_REQUEST' };
  await assert.rejects(direct?.call({ packageId: 'No', operationId: 'x', arguments: {} }) ?? Promise.resolve(), refused);
  await assert.rejects(
    direct?.call({ packageId: 'desk', operationId: 'x', arguments: {}, idempotencyKey: '' }) ?? Promise.resolve(),
    refused,
  );
  await assert.rejects(direct?.wait(0.5) ?? Promise.resolve(), refused);
  assert.deepEqual(asked, []);
  await direct?.wait();
  assert.deepEqual(asked, [{ kind: 'wait', actorId: 'agent' }]);
});

test('there is no way to the clock, faults, reset, evidence or state', async () => {
  const access = await openHttp(recordingWorld().world);
  for (const path of ['/v1/advance', '/v1/faults', '/v1/reset', '/v1/evidence', '/v1/state', '/v1/snapshots', '/api/v1/project']) {
    assert.equal((await send(access, path)).status, 404, path);
  }
});

test('observed is what the agent did, not what it was given', async () => {
  const { world } = recordingWorld();
  const access = await openHttp(world);
  const { url } = access.endpoints.http ?? assert.fail();
  await fetch(`${url}/health`);
  await fetch(`${url}/v1/tools`, { headers: { authorization: 'Bearer wrong' } });
  assert.equal(access.observed(), false);
  await access.direct?.tools();
  assert.equal(access.observed(), true);
});

// AGENT-ACCESS-1
test('revoking refuses at once, lets the call in flight finish, and waits for it', async () => {
  const recording = recordingWorld();
  const access = await openHttp(recording.world);
  let release = (): void => {};
  recording.gate = new Promise((resolve) => {
    release = resolve;
  });
  const running = access.direct?.call({ packageId: 'desk', operationId: 'ticket.close', arguments: {} });
  let revoked = false;
  const revoking = access.revoke().then(() => {
    revoked = true;
  });
  assert.equal((await send(access, '/v1/tools')).status, 401);
  await assert.rejects(access.direct?.tools() ?? Promise.resolve(), { code: 'control.UNAUTHENTICATED' });
  assert.equal(revoked, false);
  release();
  assert.equal((await running)?.outcome.kind, 'ok');
  await revoking;
  assert.equal(recording.asked.length, 1);
});

test('a header that not every server takes is answered where a route wants it', { timeout: 30_000 }, async () => {
  const own = createBindings();
  after(() => own.close());
  const route = (auth: RouteAuth): WireRoute => {
    return { packageId: 'desk', routeId: 'r', instances: ['desk'], method: 'GET', path: '/r', auths: [auth], requestBody: 'none' };
  };
  const statusAt = async (name: string): Promise<number | undefined> => {
    const { world } = recordingWorld();
    const query = async () => [route({ kind: 'header', name })];
    const access = await own.open({ world: { ...world, query } as unknown as WorldRef, actorId: 'agent', bindings: ['http'] });
    const { url } = access.endpoints.http ?? assert.fail('no http');
    const headers = { [name]: 'x'.repeat(43) };
    return await new Promise((resolve, reject) => {
      request(`${url}/r`, { headers, agent: false }, (reply) => resolve(reply.resume().statusCode))
        .on('error', reject)
        .end();
    });
  };
  // The listener of the one before it is there.
  for (const name of ['X-Api-Key', 'X_Api_Key', 'x.api~key']) assert.equal(await statusAt(name), 401, name);
});
