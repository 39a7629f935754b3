// The checks of what arrives at the routes of each table: generated code and the walk over the same schemas agree, and say what is wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointTable } from '../../src/contract/hosted/endpoint-table.js';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import { inspectorRoutes } from '../../src/contract/inspector/routes.js';
import { pathNames, type RouteTable } from '../../src/contract/route-table.js';
import { shapeIssues } from '../../src/contract/shape-issues.js';
import { agentContract } from '../../src/contract/validate/agent-validators.js';
import { endpointContract, endpointValidators } from '../../src/contract/validate/endpoint-validators.js';
import { inspectorContract } from '../../src/contract/validate/inspector-validators.js';
import type { RouteContract } from '../../src/contract/validate/route-validators.js';
import { agentRoutes } from '../../src/contract/world/agent-routes.js';
import fc from '../fast-check.js';
import { breaks, broken, shapeArbitrary } from './shape-arbitrary.js';

/** Each table with what its routes take and return, and which of them has no reply of JSON. */
const apis: { [name: string]: { table: RouteTable<string>; contract: RouteContract<string>; text: string[] } } = {
  '/v1': { table: endpointTable, contract: endpointContract, text: [] },
  '/api/v1': { table: inspectorRoutes, contract: inspectorContract, text: ['getReport', 'listEvents'] },
  'of agents': { table: agentRoutes, contract: agentContract, text: [] },
};

for (const [name, { table, contract, text }] of Object.entries(apis)) {
  const { shapeChecks, shapeNameOf, shapes, validators, wordings } = contract;
  const issuesBySchema = (shape: string, value: unknown) => shapeIssues({ ...wordings, refinements: {} }, shape, value);

  test(`generated checks and the walk over their schemas agree: ${name}`, () => {
    for (const [shape, fits] of shapeChecks) {
      const sound = shapeArbitrary(shapes, shape);
      fc.assert(
        fc.property(sound, (value) => fits(value) && issuesBySchema(shape, value).length === 0),
        { numRuns: 5 },
      );
      fc.assert(
        fc.property(sound, breaks, (value, changes) => {
          const changed = broken(value, changes);
          assert.equal(fits(changed), issuesBySchema(shape, changed).length === 0, `${shape} ${JSON.stringify(changed).slice(0, 300)}`);
        }),
        { numRuns: 20 },
      );
    }
  });

  test(`every route has checks for exactly the parts it has, and a named reply: ${name}`, () => {
    for (const [id, rule] of Object.entries(table)) {
      const { method, path, media, readsBody } = rule;
      for (const part of ['path', 'query', 'body'] as const) {
        assert.equal(shapeNameOf(id, part) !== undefined, validators[id]?.[part] !== undefined, `${id} ${part}`);
      }
      const reply = shapeNameOf(id, 'reply');
      assert.equal(reply === undefined, text.includes(id), id);
      assert.ok(reply === undefined || reply === 'bytes' || shapes[reply] !== undefined, `${id} ${reply}`);
      if (reply === 'bytes' || reply === undefined) assert.ok(media !== undefined, `${id} says of what media type its reply is`);
      const shape = shapes[shapeNameOf(id, 'path') ?? ''];
      assert.deepEqual([...(shape?.required ?? [])].sort(), pathNames(path).sort(), `${id}: the path's names are the shape's members`);
      const takesBody = validators[id]?.body !== undefined || readsBody === true;
      assert.equal(method === 'POST' || method === 'PUT' || method === 'PATCH' || (method === 'DELETE' && name === '/v1'), takesBody, id);
    }
  });
}

const issuesOf = (id: EndpointId, value: unknown): string[] => {
  const check = endpointValidators[id].body;
  if (typeof check !== 'function') assert.fail(id);
  const result = check(value);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`).sort();
};

test('what types cannot say is said all the same', () => {
  assert.deepEqual(issuesOf('createSession', { seed: '18446744073709551616' }), ['/seed too_large']);
  assert.deepEqual(issuesOf('createSession', { seed: '1', drillId: 'a', scenarioId: 'b' }), ['/scenarioId conflict']);
  assert.deepEqual(issuesOf('createSourceRevision', { expectedVersion: 1 }), [' required']);
  const file = { path: 'a', content: '' };
  assert.deepEqual(issuesOf('createSourceRevision', { expectedVersion: 1, files: [file], changes: [{ action: 'put', ...file }] }), [
    '/changes conflict',
  ]);
  assert.deepEqual(issuesOf('resetSession', { expectedLeaseGeneration: 1, hostedSnapshotId: 'hsnap_0123456789ab', packages: ['a'] }), [
    '/packages conflict',
  ]);
  const fork = { expectedLeaseGeneration: 1, environmentId: 'env_0123456789ab' };
  assert.deepEqual(issuesOf('forkSession', { ...fork, hostedSnapshotId: 'hsnap_0123456789ab', atSequence: 3 }), ['/atSequence conflict']);
  assert.deepEqual(issuesOf('forkSession', { ...fork, atSequence: 3 }), []);
  assert.deepEqual(issuesOf('startRun', { expectedLeaseGeneration: 1, trial: 2, attempt: 3, attemptLimit: 2 }), [
    '/attempt too_large',
    '/trial too_large',
  ]);
});

test('bodies are closed', () => {
  assert.deepEqual(issuesOf('cancelOperation', { why: 1 }), ['/why unknown_property']);
  assert.deepEqual(issuesOf('destroySession', { expectedLeaseGeneration: 0, confirm: 5, force: true }), [
    '/confirm wrong_type',
    '/expectedLeaseGeneration too_small',
    '/force unknown_property',
  ]);
});
