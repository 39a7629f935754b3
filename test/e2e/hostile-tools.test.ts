// Tool code that somebody uploads and that loops for ever or takes all memory, on one worker beside everybody else's worlds: its caller
// gets the documented refusal, its world stays at its last commit, and the service and its other sessions continue.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Client } from '../../src/client/client.js';
import { errorTable } from '../../src/contract/errors.js';
import type { BuildAttempt } from '../../src/contract/hosted/source.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import { type Answered, asAgent, clientOf, startInside } from './service.js';

const fixture = fileURLToPath(new URL('../../../test/fixtures/counter', import.meta.url));
const files = (readdirSync(fixture, { recursive: true, withFileTypes: true }) as { name: string; parentPath: string; isFile(): boolean }[])
  .filter((entry) => entry.isFile())
  .map(({ name, parentPath }) => join(parentPath, name))
  .map((file) => ({ path: file.slice(fixture.length + 1), content: readFileSync(file, 'utf8') }));

interface Agent {
  sessionId: string;
  call(operationId: string, input: object, idempotencyKey?: string): Promise<{ status: number; body: Answered }>;
}
async function agentOf(client: Client, place: { projectId: string; environmentId: string }, buildHash: string): Promise<Agent> {
  const { projectId } = place;
  const { session, operation } = await client.createSession({ path: place, body: { seed: '1', buildHash } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  const { sessionId } = session;
  const { access } = await client.createSessionAccess({ path: { projectId, sessionId }, body: { actorId: 'operator' } });
  return {
    sessionId,
    call: (operationId, input, idempotencyKey) => {
      const body = { arguments: input, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
      return asAgent(access.worldHttpUrl, access.credential, `/v1/operations/counter/${operationId}`, body);
    },
  };
}

// HEALTH-1
test('hostile tool code costs its own session an answer, and the service nothing', { timeout: 120_000 }, async () => {
  const service = await startInside({ flags: ['--handler-timeout-ms', '500', '--host-heap-mb', '64'] });
  const { projectId, environmentId, credential } = service.ready;
  const client = clientOf(service, credential!);
  const { sourceDraft } = await client.createSourceDraft({ path: { projectId }, body: { name: 'hostile', files } });
  const { operation } = await client.createBuild({ path: { projectId, sourceDraftId: sourceDraft.sourceDraftId, revision: 1 }, body: {} });
  const { result } = await client.waitForOperation({ projectId, operationId: operation.operationId });
  const { buildHash } = (result as unknown as { attempt: BuildAttempt }).attempt;
  const [hostile, other] = [
    await agentOf(client, { projectId, environmentId }, buildHash!),
    await agentOf(client, { projectId, environmentId }, buildHash!),
  ];
  const add = { counter: 'main', amount: 1 };
  let added = 0;
  for (const [how, codes] of [
    ['spin', ['world.HANDLER_TIMEOUT']],
    ['hog', ['world.ACTOR_RESTARTED', 'world.HANDLER_TIMEOUT']],
  ] as const) {
    const refused = hostile.call('misbehave', { how });
    // While the worker is stuck, what needs no world is answered all the same.
    assert.equal((await client.listSessions({ path: { projectId } })).items.length, 2);
    assert.equal((await fetch(`${service.ready.baseUrl}/readyz`)).status, 200);
    const { status, body } = await refused;
    const code = body.code as (typeof codes)[number];
    assert.ok((codes as readonly string[]).includes(code), JSON.stringify(body));
    assert.ok(validateErrorEnvelope(body).ok);
    assert.equal(status, errorTable[code].status);
    for (const agent of [hostile, other]) {
      const again = await agent.call('add', add);
      assert.equal(again.body.outcome?.kind, 'ok', JSON.stringify(again.body));
    }
    added += 1;
    for (const { sessionId } of [hostile, other]) {
      const { rows } = await client.listState({ path: { projectId, sessionId }, query: { packageId: 'counter', namespace: 'counters' } });
      assert.equal(rows.find(({ rowId }) => rowId === 'main')?.value.total, added);
      const { rows: log } = await client.listState({ path: { projectId, sessionId }, query: { packageId: 'counter', namespace: 'log' } });
      assert.equal(
        log.some(({ rowId }) => rowId === 'misbehaved'),
        false,
      );
    }
  }
  await service.stop();
});
