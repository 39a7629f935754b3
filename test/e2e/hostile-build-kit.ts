// A project whose build misbehaves when reported to, and what its agents do.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '../../src/client/client.js';
import { type Published, publish } from './publish.js';
import { type Answered, asAgent } from './service.js';

const fixture = fileURLToPath(new URL('../../../test/fixtures/counter', import.meta.url));
type Entry = { name: string; parentPath: string; isFile(): boolean };
/** The counter, in which a tick of 13 never ends. */
const files = (readdirSync(fixture, { recursive: true, withFileTypes: true }) as Entry[])
  .filter((entry) => entry.isFile())
  .map(({ name, parentPath }) => join(parentPath, name))
  .map((file) => ({ path: file.slice(fixture.length + 1), content: readFileSync(file, 'utf8') }))
  .map(({ path, content }) => {
    const spinning = 'if (amount === 13) for (;;);\n      add(counter, amount, context);\n';
    return { path, content: content.replaceAll('\n      add(counter, amount, context);\n', `\n      ${spinning}`) };
  });

export async function hostileProject(client: Client): Promise<Published> {
  if (!files.some(({ content }) => content.includes('amount === 13'))) throw new Error('the counter has changed: nothing spins');
  return await publish(client, 'hostile', files);
}

export interface HostileAgent {
  sessionId: string;
  call(operationId: string, input: object): Promise<{ status: number; body: Answered }>;
  spin(): Promise<{ status: number; body: Answered }>;
  add(): Promise<{ status: number; body: Answered }>;
}
export async function hostileAgent(client: Client, { projectId, environmentId }: Published): Promise<HostileAgent> {
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  const { sessionId } = session;
  const { access } = await client.createSessionAccess({ path: { projectId, sessionId }, body: { actorId: 'operator', ttlMs: 3_600_000 } });
  const call: HostileAgent['call'] = (operationId, input) =>
    asAgent(access.worldHttpUrl, access.credential, `/v1/operations/counter/${operationId}`, { arguments: input });
  return {
    sessionId,
    call,
    spin: () => call('misbehave', { how: 'spin' }),
    add: () => call('add', { counter: 'main', amount: 1 }),
  };
}
