// Operations as their project sees them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { OperationKind } from '../../src/contract/hosted/operation.js';
import { operationEndpoints } from '../../src/control/core/operation-endpoints.js';
import type { RunnerContext } from '../../src/control/core/operations.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import { until } from '../until.js';
import { type ControlKit, openControlKit } from './control-kit.js';

const contexts = new Map<string, RunnerContext>();
const kit: ControlKit = await openControlKit({
  endpoints: (services) => ({ ...operationEndpoints(services), ...projectEndpoints(services) }),
  runners: ({ operations }) => {
    operations.define('world.time.advance', {
      run: ({ operation }, context) => {
        contexts.set(operation.operationId, context);
        return new Promise((resolve) => context.signal.addEventListener('abort', () => resolve({ state: 'cancelled', apply: () => null })));
      },
    });
    operations.define('build.compile', { run: async () => ({ state: 'succeeded', apply: () => 'built' }) });
  },
});
after(async () => {
  kit.disk.full = true;
  await kit.end('crash');
  await kit.close();
});
const { call, services } = kit;
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

async function create(kind: OperationKind, lane: string, projectId = kit.projectId): Promise<string> {
  const { operationId } = await services.catalog.change((tx) =>
    services.operations.create(tx, {
      kind,
      organizationId: kit.organizationId,
      projectId,
      lane,
      resource: { type: 'thing', id: lane },
      input: null,
      idempotencyKey: 'key-0001',
      requestHash: 'sha256:0',
      correlationId: 'corr_1',
    }),
  );
  return operationId;
}
const path = (operationId: string) => ({ path: { operationId: operationId as never } });

test('found, followed, cancelled and listed by state, kind and resource', async () => {
  const built = await create('build.compile', 'b');
  const [running, waiting] = [await create('world.time.advance', 'a'), await create('world.time.advance', 'a')];
  await services.operations.whenEnded(built);
  await until(() => contexts.has(running));
  contexts.get(running)!.progress({ reachedUs: 9 });

  const list = async (query: object): Promise<string[]> =>
    (await call('listOperations', { query })).items.map(({ operationId }) => operationId);
  assert.deepEqual(await list({}), [waiting, running, built], 'the newest first');
  assert.deepEqual(await list({ state: 'running' }), [running]);
  assert.deepEqual(await list({ state: 'pending' }), [waiting]);
  assert.deepEqual(await list({ state: 'succeeded' }), [built]);
  assert.deepEqual(await list({ kind: 'build.compile' }), [built]);
  assert.deepEqual(await list({ kind: 'drill.run' }), []);
  assert.deepEqual(await list({ resourceId: 'a' }), [waiting, running]);
  assert.deepEqual(await list({ resourceId: 'a', state: 'succeeded' }), []);

  const { operation } = await call('getOperation', path(running));
  assert.deepEqual([operation.state, operation.result, operation.resourceId], ['running', { reachedUs: 9 }, 'a']);
  assert.equal((await call('cancelOperation', { ...path(waiting), body: {} })).operation.state, 'cancelled');
  assert.ok((await call('cancelOperation', { ...path(running), body: {} })).operation.cancelRequestedAtMs);
  assert.equal((await services.operations.whenEnded(running)).state, 'cancelled');
  await assert.rejects(call('cancelOperation', { ...path(built), body: {} }), refused('control.STATE_CONFLICT'));
});

test('an operation belongs to its project and its tenant', async () => {
  const { project } = await call('createProject', { body: { name: 'other' } });
  const theirs = await create('build.compile', 'theirs', project.projectId);
  const { caller } = await kit.foreigner();
  for (const where of [path(theirs), path('op_000000000000')]) {
    await assert.rejects(call('getOperation', where), refused('control.NOT_FOUND'));
    await assert.rejects(call('cancelOperation', { ...where, body: {} }), refused('control.NOT_FOUND'));
    await assert.rejects(call('getOperation', where, { caller }), refused('control.NOT_FOUND'));
  }
  assert.equal(
    (await call('getOperation', { path: { projectId: project.projectId, operationId: theirs as never } })).operation.operationId,
    theirs,
  );
  assert.ok(!(await call('listOperations')).items.some(({ operationId }) => operationId === theirs));
});
