// Callbacks that no command sends: each session with receivers is asked at a start, and what passes by itself leaves none of them behind.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { FollowedCatalog } from '../../src/control/catalog/followed-catalog.js';
import { type SessionRecord, sessionTable } from '../../src/control/catalog/session-records.js';
import type { WorldServices } from '../../src/control/core/services.js';
import { ownFailure } from '../../src/control/guard/interruptions.js';
import { deliverAgain } from '../../src/control/sessions/deliveries.js';
import { homeOf } from '../../src/worlds/homes.js';
import { until } from '../until.js';
import { catalogFolderOf } from './catalog-kit.js';

const homes = 2;
const sessionIds = ['ses_a', 'ses_b', 'ses_c', 'ses_d'];

/** `refusals`: by session, what its world says first. */
async function ground(t: TestContext, refusals: { [sessionId: string]: unknown[] } = {}) {
  const catalog = new Catalog({ directory: catalogFolderOf(t) });
  t.after(() => catalog.close());
  await catalog.change((tx) => {
    for (const sessionId of sessionIds) {
      const session = { sessionId, projectId: 'prj_1', environmentId: 'env_1', state: 'ready', callbackReceiverBindingIds: ['crb_1'] };
      tx.put(sessionTable, { session } as unknown as SessionRecord);
    }
  });
  const followed = new FollowedCatalog();
  followed.follow(catalog);
  const owned = new Set([1, 2]);
  const delivered: string[] = [];
  const asked: string[] = [];
  const warned: string[] = [];
  const deliver = async (sessionId: string): Promise<void> => {
    asked.push(sessionId);
    const refusal = refusals[sessionId]?.shift();
    if (refusal !== undefined) throw refusal;
    delivered.push(sessionId);
  };
  const services = {
    catalog: followed,
    homes: { count: homes, owned: () => [...owned], use: () => {} },
    log: { info: () => {}, error: () => {}, warn: (_: string, { sessionId }: { sessionId: string }) => void warned.push(sessionId) },
    sessionMemory: { world: async (sessionId: string) => ({ deliver: () => deliver(sessionId) }) },
  } as unknown as WorldServices;
  const end = new AbortController();
  t.after(() => end.abort());
  return { services, catalog, followed, owned, delivered, asked, warned, end, signal: end.signal };
}
const moved = (): ServiceError => new ServiceError('control.UNAVAILABLE');

// DELIVERIES-1
test('a session that could not be asked is asked again, and holds no other up', async (t) => {
  const restarted = new ServiceError('world.ACTOR_RESTARTED');
  const kit = await ground(t, { ses_a: [moved(), restarted, moved()], ses_c: [new ServiceError('world.BUILD_QUARANTINED')] });
  const { rest } = await deliverAgain(kit.services, { signal: kit.signal });
  assert.deepEqual(kit.delivered, ['ses_b', 'ses_d'], 'the others were asked at once');
  await rest;
  assert.deepEqual(kit.delivered, ['ses_b', 'ses_d', 'ses_a']);
  assert.deepEqual(kit.warned, ['ses_c'], 'what does not pass is left to the next command');
});

test('a world that ends its host is not asked again', async (t) => {
  const kit = await ground(t, { ses_b: [ownFailure(new ServiceError('world.ACTOR_RESTARTED'))] });
  const { rest } = await deliverAgain(kit.services, { signal: kit.signal });
  await rest;
  assert.deepEqual([kit.warned, kit.asked.filter((id) => id === 'ses_b').length], [['ses_b'], 1]);
});

// DELIVERIES-1
test('sessions are listed when the catalog is there again', async (t) => {
  const kit = await ground(t);
  kit.followed.leave(kit.catalog);
  const delivering = deliverAgain(kit.services, { home: 1, signal: kit.signal });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(kit.delivered, []);
  kit.followed.follow(kit.catalog);
  await (await delivering).rest;
  assert.deepEqual(
    kit.delivered,
    sessionIds.filter((id) => homeOf(id, homes) === 1),
  );
});

test("nobody is asked of a home that is another's by then, nor after the end", async (t) => {
  const first = sessionIds.find((id) => homeOf(id, homes) === 1) as string;
  const kit = await ground(t, { [first]: Array.from({ length: 50 }, moved) });
  const { rest } = await deliverAgain(kit.services, { home: 1, signal: kit.signal });
  await until(() => kit.asked.filter((id) => id === first).length > 1);
  kit.owned.delete(1);
  await rest;
  kit.owned.add(1);
  const again = await deliverAgain(kit.services, { home: 1, signal: kit.signal });
  kit.end.abort();
  await again.rest;
  assert.ok(!kit.delivered.includes(first));
});

// DELIVERIES-2
test('a receiver that does not answer holds no session of another project up, and those of its own for a moment', async (t) => {
  const kit = await ground(t);
  const { sessionMemory } = kit.services;
  const { world } = sessionMemory;
  let answer = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const others = { ses_a: () => hanging, ses_b: () => hanging };
  const ofWorld = (id: string) => (id in others ? { deliver: others[id as keyof typeof others] } : world(id));
  Object.assign(sessionMemory, { world: async (id: string) => ofWorld(id) });
  await kit.catalog.change((tx) => {
    const record = tx.get(sessionTable, 'ses_c') as SessionRecord;
    tx.put(sessionTable, { ...record, session: { ...record.session, projectId: 'prj_2' } });
  });
  const delivering = deliverAgain(kit.services, { signal: kit.signal });
  await until(() => kit.delivered.length > 0);
  assert.deepEqual(kit.delivered, ['ses_c']);
  const { rest } = await delivering;
  assert.deepEqual(kit.delivered, ['ses_c', 'ses_d']);
  answer();
  await rest;
});

// DELIVERIES-2
test('nor does a session whose delivery fails by a bug', async (t) => {
  const kit = await ground(t, { ses_a: [new TypeError('a bug')] });
  const { rest } = await deliverAgain(kit.services, { signal: kit.signal });
  await rest;
  assert.deepEqual(kit.delivered, ['ses_b', 'ses_c', 'ses_d']);
});
