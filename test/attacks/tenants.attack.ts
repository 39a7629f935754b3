// Ids of another organization, and of another project, open nothing. The matrix of all endpoints is in the suite; this is the quick look.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTenants } from '../e2e/tenants.js';

test('a tenant gets nothing by the ids of another one', { timeout: 180_000 }, async () => {
  const { service, foreign, idle, ids } = await startTenants();
  const ask = async (path: string, credential: string): Promise<number> => {
    const reply = await fetch(service.ready.baseUrl + path, { headers: { authorization: `Bearer ${credential}` } });
    await reply.arrayBuffer();
    return reply.status;
  };
  const { projectId = '', buildHash, environmentId, sessionId } = ids;
  const things = [
    `builds/${buildHash}`,
    `environments/${environmentId}`,
    `sessions/${sessionId}`,
    `sessions/${sessionId}/evidence`,
    'sessions',
  ];
  for (const thing of things) {
    assert.equal(await ask(`/v1/projects/${projectId}/${thing}`, service.ready.credential!), 200, thing);
    assert.equal(await ask(`/v1/projects/${projectId}/${thing}`, foreign.credential), 404, thing);
    if (thing !== 'sessions') assert.equal(await ask(`/v1/projects/${foreign.projectId}/${thing}`, foreign.credential), 404, thing);
  }
  assert.equal(await ask(`/v1/projects/${projectId}/sessions`, idle.worldCredential), 401);
  await service.stop();
});
