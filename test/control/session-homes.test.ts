// Sessions of a service that shares its worlds with others: where the ids of forks fall.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeOf, newIdInHome } from '../../src/worlds/homes.js';
import { openSessionKit } from './session-kit.js';

test('a fork has an id in the home of its parent, and so has a fork of it; other sessions are anywhere', async (t) => {
  const count = 64;
  const kit = await openSessionKit({ services: { homes: { count, owned: () => [], use: () => {} } } });
  t.after(() => kit.close());
  const fork = async (sessionId: string): Promise<string> => {
    const body = { expectedLeaseGeneration: 1, environmentId: kit.environmentId };
    const { session, operation } = await kit.call('forkSession', { path: { sessionId }, body });
    await kit.done(operation);
    return session.sessionId;
  };
  const parent = await kit.session();
  const child = await fork(parent.sessionId);
  const grandchild = await fork(child);
  const home = homeOf(parent.sessionId, count);
  assert.deepEqual([homeOf(child, count), homeOf(grandchild, count)], [home, home]);
  assert.equal(new Set([parent.sessionId, child, grandchild]).size, 3);
  assert.equal(await kit.balance(grandchild), 100);
  assert.notEqual(newIdInHome('ses', { home, homes: count }), child);
});
