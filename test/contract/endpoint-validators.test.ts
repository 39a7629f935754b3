// The checks of the hosted endpoints: generated code and the walk over the same schemas agree, and say what is wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointTable } from '../../src/contract/endpoint-table.js';
import { endpointContract, endpointValidators } from '../../src/contract/endpoint-validators.js';
import type { EndpointId } from '../../src/contract/endpoints.js';
import { shapeIssues } from '../../src/contract/shape-issues.js';
import fc from '../fast-check.js';
import { breaks, broken, shapeArbitrary } from './shape-arbitrary.js';

const { shapeChecks, shapeNameOf, shapes, wordings } = endpointContract;
const issuesBySchema = (name: string, value: unknown) => shapeIssues({ ...wordings, refinements: {} }, name, value);

test('generated checks and the walk over their schemas agree', () => {
  for (const [name, fits] of shapeChecks) {
    const sound = shapeArbitrary(shapes, name);
    fc.assert(
      fc.property(sound, (value) => fits(value) && issuesBySchema(name, value).length === 0),
      { numRuns: 5 },
    );
    fc.assert(
      fc.property(sound, breaks, (value, changes) => {
        const changed = broken(value, changes);
        assert.equal(fits(changed), issuesBySchema(name, changed).length === 0, `${name} ${JSON.stringify(changed).slice(0, 300)}`);
      }),
      { numRuns: 20 },
    );
  }
});

test('every endpoint has checks for exactly the parts it has, and a named reply', () => {
  for (const id of Object.keys(endpointTable) as EndpointId[]) {
    for (const part of ['path', 'query', 'body'] as const) {
      assert.equal(shapeNameOf(id, part) !== undefined, endpointValidators[id][part] !== undefined, `${id} ${part}`);
    }
    const reply = shapeNameOf(id, 'reply') ?? assert.fail(id);
    assert.ok(reply === 'bytes' || shapes[reply] !== undefined, `${id} ${reply}`);
    const names = [...endpointTable[id].path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
    const shape = shapes[shapeNameOf(id, 'path') ?? ''];
    assert.deepEqual([...(shape?.required ?? [])].sort(), names, `${id}: the path's names are the shape's members`);
    assert.equal(endpointTable[id].method === 'GET', endpointValidators[id].body === undefined, id);
  }
});

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
