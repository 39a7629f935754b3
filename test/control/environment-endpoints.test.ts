import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import { compiler, noHash, openSourceKit } from './source-kit.js';

after(() => compiler.close());

test('an environment gets builds of its project by promotion, in order of its versions', async (t) => {
  const kit = await openSourceKit(t);
  const { build } = await kit.builtFrom();
  const { buildHash } = build;
  const { environment } = await kit.call('createEnvironment', { body: { name: 'staging' } });
  assert.deepEqual([environment.state, environment.version, environment.buildHash], ['active', 1, undefined]);
  const path = { environmentId: environment.environmentId };
  await assert.rejects(kit.call('promoteBuild', { path, body: { buildHash: noHash, expectedVersion: 1 } }), { code: 'control.NOT_FOUND' });
  const stale = { buildHash, expectedVersion: 2 };
  await assert.rejects(
    kit.call('promoteBuild', { path, body: stale }),
    (error: ServiceError) => error.code === 'control.VERSION_CONFLICT' && error.extra.details?.version === 1,
  );
  const promoted = (await kit.call('promoteBuild', { path, body: { buildHash, expectedVersion: 1 } })).environment;
  assert.deepEqual([promoted.version, promoted.buildHash], [2, buildHash]);
  assert.deepEqual((await kit.call('getEnvironment', { path })).environment, promoted);
  const made = (await kit.call('createEnvironment', { body: { name: 'next', buildHash } })).environment;
  assert.equal(made.buildHash, buildHash);
  await assert.rejects(kit.call('createEnvironment', { body: { name: 'none', buildHash: noHash } }), { code: 'control.NOT_FOUND' });
});

test('an archived environment stays in the list and takes no more builds; another tenant sees none', async (t) => {
  const kit = await openSourceKit(t);
  const { environment } = await kit.call('createEnvironment', { body: { name: 'old' } });
  const path = { environmentId: environment.environmentId };
  await assert.rejects(kit.call('archiveEnvironment', { path, body: { expectedVersion: 1, confirm: 'old' } }), {
    code: 'control.CONFIRMATION_MISMATCH',
  });
  const archive = { expectedVersion: 1, confirm: environment.environmentId };
  const archived = (await kit.call('archiveEnvironment', { path, body: archive })).environment;
  assert.deepEqual([archived.state, archived.version, archived.archivedAtMs], ['archived', 2, kit.clock.nowMs]);
  await assert.rejects(kit.call('archiveEnvironment', { path, body: { ...archive, expectedVersion: 2 } }), {
    code: 'control.STATE_CONFLICT',
  });
  assert.ok((await kit.call('listEnvironments')).items.some(({ environmentId }) => environmentId === path.environmentId));
  const { caller } = await kit.foreigner();
  await assert.rejects(kit.call('getEnvironment', { path }, { caller }), { code: 'control.NOT_FOUND' });
});
