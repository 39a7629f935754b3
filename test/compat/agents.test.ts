// How agents of another runner's projects are spoken to over the generic routes, where a client of ours beside them hears our own words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { RemoteWorld } from '../../src/bindings/remote-world.js';
import { runDialect } from '../../src/compat/dialects.js';
import type { JsonValue } from '../../src/contract/json.js';
import { createLocalWorld } from '../../src/index.js';

// biome-ignore lint/suspicious/noExplicitAny: JSON whose shape is what the tests look at.
type Body = { [name: string]: any };

const root = fileURLToPath(new URL('../../../test/fixtures/other-small/conformance', import.meta.url));

async function spokenTo(t: { after(end: () => Promise<void>): void }) {
  const local = await createLocalWorld({ root });
  const bindings = createBindings({ dialect: runDialect('firedrill').agents });
  t.after(async () => {
    await bindings.close();
    await local.close();
  });
  const { endpoints } = await bindings.open({ world: local.world, actorId: 'operator', bindings: ['http', 'cli'] });
  return { ...(endpoints.http ?? assert.fail()), cli: endpoints.cli ?? assert.fail() };
}

test('calls, lists and refusals are in its words, by their statuses', async (t) => {
  const { url, token } = await spokenTo(t);
  const ask = async (path: string, body?: object, authorization = `Bearer ${token}`) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(url + path, { ...init, headers: { authorization, 'content-type': 'application/json' } });
    return { status: reply.status, body: (await reply.json()) as Body };
  };
  const missing = await ask('/v1/operations/beacon/monitors.get', { arguments: { name: 'web' } });
  const { callId, correlationId, invocation, outcome } = missing.body;
  assert.deepEqual(
    [missing.status, invocation],
    [422, { callId, correlationId, operation: { packageId: 'beacon', operationId: 'monitors.get' } }],
  );
  assert.deepEqual(outcome, {
    status: 'tool_error',
    error: {
      schemaVersion: 1,
      code: 'tool.MONITOR_NOT_FOUND',
      source: 'tool',
      message: 'There is no monitor web.',
      retryable: false,
      issues: [],
      correlationId,
      details: {},
    },
  });
  const { body: listed } = await ask('/v1/tools');
  assert.deepEqual(listed.tools[0].operation, { packageId: 'beacon', instanceId: 'beacon', operationId: 'incidents.open' });
  const refusals: [Promise<{ status: number; body: Body }>, number, string][] = [
    [ask('/v1/tools', undefined, 'Bearer none'), 401, 'framework.HTTP_UNAUTHENTICATED'],
    [ask('/v1/operations/beacon/monitors.get', { args: {} }), 400, 'framework.HTTP_INVALID_REQUEST'],
    [ask('/v1/operations'), 404, 'framework.HTTP_ROUTE_NOT_FOUND'],
  ];
  for (const [refusal, status, code] of refusals) {
    const { status: got, body } = await refusal;
    assert.deepEqual([got, body.schemaVersion, body.code, body.error.code, body.error.source], [status, 1, code, code, 'framework']);
  }
  const { body } = await ask('/v1/operations/beacon/monitors.get', { args: {} });
  assert.ok(
    body.error.issues.some(({ path }: { path: JsonValue }) => JSON.stringify(path) === '["args"]'),
    JSON.stringify(body),
  );
});

test('a client of ours hears our own words', async (t) => {
  const { cli } = await spokenTo(t);
  const world = new RemoteWorld(cli);
  const { tools } = await world.catalog();
  assert.deepEqual(
    tools.map(({ operationId }) => operationId),
    ['incidents.open', 'monitors.get'],
  );
  const { outcome } = await world.call({ packageId: 'beacon', operationId: 'monitors.get', arguments: { name: 'web' } });
  assert.equal(outcome.kind === 'tool_error' && outcome.error.code, 'MONITOR_NOT_FOUND');
  await assert.rejects(new RemoteWorld({ ...cli, token: 'none' }).catalog(), { code: 'control.UNAUTHENTICATED' });
});
