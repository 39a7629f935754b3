// What a service does about tool code of strangers: a box for each project where one is available, and a refusal where it would be needed
// and cannot.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { boundsHeld } from '../../src/processes/bounds.js';
import { canBox } from '../../src/processes/bubblewrap.js';
import { makeDeepFolder } from '../deep-folder.js';
import { until } from '../until.js';
import { hostileAgent, hostileProject } from './hostile-build-kit.js';
import { filesOf, publish } from './publish.js';
import { asAgent, clientOf, serve, startedDirectory, startInside, startService } from './service.js';

const { works, reason } = canBox();

/** Processes whose command line names the entry of host processes, of this service alone. */
function hostProcesses(servicePid: number): string[] {
  const parentOf = (pid: string): string => /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  const isBelow = (pid: string): boolean => pid !== '0' && pid !== '' && (pid === String(servicePid) || isBelow(parentOf(pid)));
  return readdirSync('/proc').filter((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return /^\d+$/.test(pid) && line[0] === process.execPath && line.some((word) => word.endsWith('child-entry.js')) && isBelow(pid);
    } catch {
      return false;
    }
  });
}

test('in boxes: each project has a process of its own, its worlds outlive it, and the ready line says so', {
  skip: works ? false : reason,
  timeout: 120_000,
}, async () => {
  const dataDirectory = await startedDirectory();
  const service = await startService({ dataDirectory, flags: ['--isolate', 'box'] });
  const { baseUrl, projectId, environmentId, credential, toolCode } = service.ready;
  assert.equal(toolCode.isolation, 'box');
  const readiness = (await (await fetch(`${baseUrl}/readyz`)).json()) as { toolCode: object };
  assert.deepEqual(readiness.toolCode, toolCode);
  assert.deepEqual(toolCode, { isolation: 'box', ...boundsHeld({ inBox: true }) });
  const client = clientOf(service, credential as string);
  const make = async (of: { projectId: string; environmentId: string }) => {
    const { session, operation } = await client.createSession({ path: of, body: { seed: '1' } });
    await client.waitForOperation({ projectId: of.projectId, operationId: operation.operationId });
    return session.sessionId;
  };
  const first = { projectId, environmentId };
  const sessionId = await make(first);
  const { project } = await client.createProject({ body: { name: 'second' } });
  assert.notEqual(project.projectId, projectId);
  const path = { ...first, sessionId };
  const { session } = await client.getSession({ path });
  const read = async () => (await client.getSession({ path })).session.state;
  assert.equal(session.state, 'ready');
  assert.ok(hostProcesses(service.child.pid as number).length >= 1);
  assert.equal((await service.stop()).code, 0);
  // At rest every data folder is where it belongs, and the next start finds its worlds.
  const folders = readdirSync(join(dataDirectory, 'worlds')).filter((name) => name !== '.slots');
  assert.deepEqual(
    folders.map((name) => name.slice(0, 2)),
    ['p-'],
  );
  const next = await startService({ dataDirectory, flags: ['--isolate', 'box'] });
  const again = clientOf(next, credential as string);
  assert.equal((await again.getSession({ path })).session.state, await read().catch(() => 'ready'));
  // Killed while a box has the folder, and started without boxes: the worlds are found all the same, whatever code in the box has left.
  const query = { limit: 5 };
  const { entries } = await again.listEvidence({ path, query });
  const slots = join(dataDirectory, 'worlds', '.slots');
  const seen = readdirSync(slots).map((name) => join(slots, name, 'data'));
  for (const place of seen.flatMap((folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))])) {
    makeDeepFolder(place);
    mkdirSync(join(place, 'closed', 'inner'), { recursive: true });
    chmodSync(join(place, 'closed'), 0);
  }
  await next.stop('SIGKILL');
  const last = await startService({ dataDirectory, flags: ['--isolate', 'process', '--trust-tool-code', 'true'] });
  assert.deepEqual((await clientOf(last, credential as string).listEvidence({ path, query })).entries, entries);
  assert.equal((await last.stop()).code, 0);
  assert.deepEqual(readdirSync(slots), []);
});

test('in boxes: a GraphQL API is compiled and answers', { skip: works ? false : reason, timeout: 120_000 }, async () => {
  // A schema is built in the first step, which is longer than the usual second where other processes have the processors.
  const service = await startInside({ flags: ['--isolate', 'box', '--handler-timeout-ms', '60000'] });
  const client = clientOf(service, service.ready.credential as string);
  const manifest = {
    ...{ schemaVersion: 1, id: 'issues', version: '1.0.0', engine: '>=0.1.0', capabilities: ['state.read', 'state.write'], operations: [] },
    state: [{ namespace: 'issues', schema: { type: 'object' } }],
    graphql: {
      ...{ path: '/graphql', auth: { kind: 'bearer' }, depthMax: 5, costMax: 100 },
      schema:
        'type Query { issue(id: ID!): Issue } type Mutation { issueCreate(title: String!): Issue! } type Issue { id: ID! title: String! }',
    },
  };
  const behavior = `import { defineToolBehavior } from 'drillyard/tool-sdk';
export default defineToolBehavior({
  operations: {},
  graphql: {
    Query: { issue: (_, { id }, { state }) => state.get('issues', id) },
    Mutation: {
      issueCreate: (_, { title }, { state }) => {
        state.put('issues', title, { id: title, title });
        return { id: title, title };
      },
    },
  },
});`;
  const grants = ['issue', 'issue_create'].map((operationId) => ({ packageId: 'issues', operationId }));
  const { projectId, environmentId } = await publish(
    client,
    'graphql',
    filesOf({
      'drillyard.json': '{ "schemaVersion": 1 }',
      'drillyard/world.yaml': JSON.stringify({ schemaVersion: 1, id: 'graphql', actors: [{ id: 'agent', grants }] }),
      'drillyard/issues.tool.yaml': JSON.stringify({ schemaVersion: 1, module: 'issues.ts', manifest }),
      'drillyard/issues.ts': behavior,
    }),
  );
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  const path = { projectId, sessionId: session.sessionId };
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'agent' } });
  const query = 'mutation { issueCreate(title: "door") { id } }';
  const { status, body } = await asAgent(access.worldHttpMounts!.issues!.url, access.credential, '/graphql', { query });
  assert.deepEqual([status, body], [200, { data: { issueCreate: { id: 'door' } } }]);
  await service.stop();
});

test('a host process ends with its service, even while tool code loops', { timeout: 60_000 }, async () => {
  const flags = ['--isolate', 'process', '--trust-tool-code', 'true', '--handler-timeout-ms', '60000'];
  const service = await startService({ flags });
  const client = clientOf(service, service.ready.credential as string);
  const { call, spin } = await hostileAgent(client, await hostileProject(client));
  assert.equal((await call('read', { counter: 'main' })).status, 200);
  const hosts = hostProcesses(service.child.pid as number);
  assert.ok(hosts.length > 0);
  const spinning = spin().catch(() => 'cut off');
  await until(() => hosts.some((pid) => cpuTicksOf(pid) > 20));
  await service.stop('SIGKILL');
  assert.equal(await spinning, 'cut off');
  await until(() => hosts.every((pid) => !existsSync(`/proc/${pid}`)));
});

/** Hundredths of a second in user mode; 0 once it has ended. */
function cpuTicksOf(pid: string): number {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[11],
    );
  } catch {
    return 0;
  }
}

test('without a box a service lets nobody in from outside, unless tool code is trusted', { timeout: 60_000 }, async () => {
  const flags = ['--host', '0.0.0.0', '--isolate'];
  const outside = await serve({ flags: [...flags, 'process'] }).ended;
  assert.equal(outside.code, 2, outside.stderr);
  assert.match(outside.stderr, /others may reach this service.*--trust-tool-code true/);
  await assert.rejects(startInside({ flags: [...flags, 'thread'] }), /others may reach this service.*--trust-tool-code true/);
  const trusted = await startInside({ flags: ['--isolate', 'process', '--host', '0.0.0.0', '--trust-tool-code', 'true'] });
  assert.equal(trusted.ready.toolCode.isolation, 'process');
  await trusted.stop();
});

test('without a box there is one project, and a start with several is refused', { timeout: 60_000 }, async () => {
  const dataDirectory = await startedDirectory();
  const trusted = await startInside({ dataDirectory });
  await clientOf(trusted, trusted.ready.credential as string).createProject({ body: { name: 'second' } });
  await trusted.stop();
  await assert.rejects(
    startInside({ dataDirectory, flags: ['--isolate', 'process'] }),
    /this service holds several projects.*--trust-tool-code true/,
  );
  const alone = await startInside({ flags: ['--isolate', 'process'] });
  await assert.rejects(clientOf(alone, alone.ready.credential as string).createProject({ body: { name: 'second' } }), {
    code: 'control.STATE_CONFLICT',
  });
  await alone.stop();
});
