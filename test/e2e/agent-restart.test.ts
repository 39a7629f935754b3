// An agent over a restart of the service, as a process: the same credential, over HTTP, MCP and the CLI; the same MCP client, too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AccessBundle } from '../../src/contract/hosted/sessions.js';
import { drillyard } from '../cli/cli.js';
import { asAgent, clientOf, startedDirectory, startService } from './service.js';

test('agents keep their credentials over a stop and over a crash; what was revoked before stays so', async () => {
  const dataDirectory = await startedDirectory();
  const server = ['--server', 'node'];
  let service = await startService({ dataDirectory, flags: server });
  const { projectId, environmentId, baseUrl, credential } = service.ready;
  // Agents have its URLs, and only node:http has its port back at once.
  const flags = [...server, '--port', new URL(baseUrl).port];
  const client = clientOf(service, credential!);
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '7' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  const path = { projectId, sessionId: session.sessionId };
  const give = async (): Promise<AccessBundle> =>
    (await client.createSessionAccess({ path, body: { actorId: 'support-agent', ttlMs: 3_600_000 } })).access;
  const access = await give();
  const mcp = await connect(access);
  let comments = 0;
  const comment = (): object => ({ ticketId: 'TKT-1001', body: `It stays (${++comments}).` });
  const useAll = async (): Promise<void> => {
    const called = await asAgent(access.worldHttpUrl, access.credential, '/v1/operations/ticket-desk/comment.add', {
      arguments: comment(),
    });
    assert.deepEqual([called.status, called.body.outcome?.kind], [200, 'ok'], JSON.stringify(called.body));
    const told = await mcp.callTool({ name: 'ticket-desk.comment.add', arguments: comment() as { [name: string]: unknown } });
    assert.notEqual(told.isError, true, JSON.stringify(told));
    const env = { SERVICE_CLI_URL: access.worldCliUrl, SERVICE_CLI_TOKEN: access.credential };
    const { code, stdout, stderr } = await drillyard(['world', 'tools'], { env });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /ticket-desk/);
  };
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const revoked = await give();
    const { accessId } = revoked;
    assert.equal((await asAgent(revoked.worldHttpUrl, revoked.credential, '/v1/tools')).status, 200);
    await client.revokeSessionAccess({ path: { ...path, accessId }, body: { confirm: accessId } });
    await service.stop(signal);
    service = await startService({ dataDirectory, flags });
    assert.equal(service.ready.baseUrl, baseUrl);
    assert.equal((await asAgent(revoked.worldHttpUrl, revoked.credential, '/v1/tools')).status, 401, signal);
    await useAll();
    assert.equal((await client.getSession({ path })).session.leaseGeneration, session.leaseGeneration);
  }
  const { rows } = await client.listState({ path, query: { packageId: 'ticket-desk', namespace: 'comments', limit: 200 } });
  assert.equal(rows.filter(({ value }) => String(value.body).startsWith('It stays')).length, comments);
  const again = await connect(access);
  assert.ok((await again.listTools()).tools.length > 0);
  await Promise.all([mcp.close(), again.close()]);
  assert.equal((await service.stop()).code, 0);
});

async function connect({ worldMcpUrl, credential }: AccessBundle): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${credential}` } };
  const transport = new StreamableHTTPClientTransport(new URL(worldMcpUrl), { requestInit });
  // The package's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as unknown as Parameters<Client['connect']>[0]);
  return client;
}
