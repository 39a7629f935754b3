// Worlds on two machines, one of which is asked over HTTP.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isServiceError } from '../../src/contract/errors.js';
import type { WorldSession } from '../../src/contract/hosted/resources.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { FollowedCatalog } from '../../src/control/catalog/followed-catalog.js';
import { requireRecord, sessionTable } from '../../src/control/catalog/session-records.js';
import { AskedRuns } from '../../src/control/memory/asked-worlds.js';
import type { HomesPort, WorldAsk, WorldAskAnswers } from '../../src/control/memory/world-asks.js';
import { SessionUnknown } from '../../src/control/owned-homes.js';
import { homeOf, newIdInHome } from '../../src/worlds/homes.js';
import { until } from '../until.js';
import { CatalogLog, catalogFolderOf, notes } from './catalog-kit.js';
import { refuses } from './session-kit.js';
import { homeCount, openSpreadKit, type SpreadKit, type TestMachine } from './spread-kit.js';

async function opened(t: TestContext): Promise<SpreadKit> {
  const kit = await openSpreadKit();
  t.after(() => kit.close());
  return kit;
}
/** One whose world is there. */
async function sessionOn(kit: SpreadKit, machine: TestMachine): Promise<WorldSession> {
  for (let tries = 0; tries < 64; tries++) {
    const session = await kit.session();
    if (kit.machineOf(session.sessionId) === machine) return session;
  }
  return assert.fail('no session fell on the machine');
}

test('a world on either machine is made, called, read, moved in time, forked, reset and removed alike', async (t) => {
  const kit = await opened(t);
  for (const machine of kit.machines) {
    const session = await sessionOn(kit, machine);
    const { sessionId } = session;
    const access = await kit.access(sessionId);
    assert.equal((await kit.add(access.credential, 5, machine)).status, 200);
    assert.equal(await kit.balance(sessionId), 105);
    const { leaseGeneration: expectedLeaseGeneration } = await kit.get(sessionId);
    const body = { ...kit.fence(session), expectedLeaseGeneration, targetUs: 9_000_000, maxEvents: 100 };
    const { operation } = await kit.call('advanceTime', { path: { sessionId }, body });
    const result = await kit.done(operation);
    assert.equal((result as { status?: string }).status ?? 'completed', 'completed');
    const forked = await kit.call('forkSession', {
      path: { sessionId },
      body: { environmentId: kit.environmentId, expectedLeaseGeneration },
    });
    await kit.done(forked.operation);
    assert.equal(kit.machineOf(forked.session.sessionId), machine);
    assert.equal(await kit.balance(forked.session.sessionId), 105);
    const unanswered = await kit.call('getUnansweredRequests', { path: { sessionId } });
    assert.deepEqual(unanswered.requests, []);
    const reset = await kit.call('resetSession', { path: { sessionId }, body: { expectedLeaseGeneration } });
    await kit.done(reset.operation);
    assert.equal(await kit.balance(sessionId), 100);
    // OWNED-HOMES-1
    assert.equal((await kit.add(access.credential, 5, machine)).status, 401);
    const lease = (await kit.get(sessionId)).leaseGeneration;
    const ended = await kit.call('destroySession', { path: { sessionId }, body: { confirm: sessionId, expectedLeaseGeneration: lease } });
    await kit.done(ended.operation);
    await assert.rejects(machine.owned.answer(sessionId, { kind: 'open' }), (error) => isServiceError(error, 'control.NOT_FOUND'));
  }
  assert.ok(kit.machines.every(({ asked }) => asked.length > 5));
});

// OWNED-HOMES-1
test('an access that was given opens its world where that is, and one that was taken back opens none', async (t) => {
  const kit = await opened(t);
  for (const machine of kit.machines) {
    const { sessionId } = await sessionOn(kit, machine);
    const access = await kit.access(sessionId);
    assert.equal((await kit.add(access.credential, 1, machine)).status, 200);
    const other = kit.machines.find((one) => one !== machine) as TestMachine;
    assert.equal((await kit.add(access.credential, 1, other)).status, 503, 'nothing of it is there');
    const { accessId } = access;
    await kit.call('revokeSessionAccess', { path: { sessionId, accessId }, body: { confirm: accessId } });
    assert.equal((await kit.add(access.credential, 1, machine)).status, 401);
    assert.equal(await kit.balance(sessionId), 101);
  }
});

// OWNED-HOMES-2
test('a home that moves has its worlds, and their accesses, where it is', async (t) => {
  const kit = await opened(t);
  const [one, other] = kit.machines;
  const { sessionId } = await sessionOn(kit, other);
  const home = homeOf(sessionId, homeCount);
  const access = await kit.access(sessionId);
  assert.equal((await kit.add(access.credential, 1, other)).status, 200);
  await other.give(home);
  assert.equal((await kit.add(access.credential, 1, other)).status, 503);
  // Nobody copies its file here: the next owner has no such world. It is asked, and says so.
  await one.take(home);
  kit.changed();
  await refuses(kit.call('listState', { path: { sessionId }, query: { packageId: 'bank', namespace: 'accounts' } }), 'control.NOT_FOUND');
  await one.give(home);
  await other.take(home);
  kit.changed();
  assert.equal(await kit.balance(sessionId), 101);
  assert.equal((await kit.add(access.credential, 1, other)).status, 200);
});

test('a command that is cancelled before it begins never reaches the world', async (t) => {
  const kit = await opened(t);
  const { sessionId } = await sessionOn(kit, kit.machines[1]);
  const world = await kit.services.worlds.open(sessionId);
  const cancel = new AbortController();
  cancel.abort();
  const advance = { kind: 'advance', targetUs: 50_000_000, maxEvents: 100 } as const;
  await assert.rejects(
    world.command(advance, { signal: cancel.signal }),
    (error) => isServiceError(error) && error.extra.details?.cancelled === true,
  );
  const { status } = await world.command(advance, { onProgress: () => {} });
  assert.equal(status, 'completed');
});

test('what a build did to a host, and what a world stores, is reported to the control plane', async (t) => {
  const kit = await opened(t);
  const [, other] = kit.machines;
  const { sessionId } = await sessionOn(kit, other);
  await other.owned.services.guard.quarantines.strike('timeout', sessionId);
  assert.deepEqual(other.reports, [{ kind: 'strike', strike: 'timeout', sessionId }]);
});

test('nothing is made of a session that the catalog of the machine does not have yet', async (t) => {
  const kit = await opened(t);
  for (const machine of kit.machines) {
    const { sessionId } = await sessionOn(kit, machine);
    const worldId = newIdInHome('ses', { home: homeOf(sessionId, homeCount), homes: homeCount });
    await assert.rejects(machine.owned.answer(worldId, { kind: 'make', isNew: true }), SessionUnknown);
    const fork: WorldAsk = { kind: 'fork', request: { worldId, isNew: true } };
    await assert.rejects(machine.owned.answer(sessionId, fork), SessionUnknown);
    // As the control plane does once the copy of the machine has the session.
    await kit.services.catalog.change((tx) => {
      const record = requireRecord(tx, sessionId);
      tx.put(sessionTable, { ...record, session: { ...record.session, sessionId: worldId } });
    });
    const { position } = (await machine.owned.answer(sessionId, fork)) as WorldAskAnswers['fork'];
    assert.equal(position.evidenceSequence > 0, true);
  }
});

test('a run is not over for its coordinator before the owner has said that its calls are', async () => {
  let fails = 2;
  const homes = {
    ask: async () => {
      if (fails-- > 0) throw new Error('nobody answers');
      return { observed: true, unanswered: { requests: [{ method: 'GET', path: '/x', status: 404, times: 1 }], left: 0 } };
    },
    removeProject: async () => {},
  } as unknown as HomesPort;
  const leaving = new AbortController();
  const runs = new AskedRuns({ homes, sessionOf: () => 'ses_1', leaving: leaving.signal });
  await runs.close('hrun_1');
  assert.equal(fails, -1);
  assert.deepEqual([runs.takeObserved('hrun_1'), runs.takeObserved('hrun_1')], [true, false]);
  assert.equal(runs.takeUnanswered('hrun_1')?.requests.length, 1);
  fails = Number.POSITIVE_INFINITY;
  leaving.abort();
  await assert.rejects(runs.close('hrun_1'));
});

// CATALOG-6
test('a change of what readers depend on is answered when they have seen it, and no other change waits', async (t) => {
  const seen: number[] = [];
  let see = (): void => {};
  const catalog = new Catalog({
    directory: catalogFolderOf(t),
    log: new CatalogLog(),
    readers: {
      tables: new Set(['note']),
      caughtUp: (number) => {
        seen.push(number);
        return new Promise((resolve) => (see = resolve));
      },
    },
  });
  t.after(() => catalog.close());
  await catalog.change((tx) => tx.get(notes, 'a'));
  assert.deepEqual(seen, []);
  let isAnswered = false;
  const change = catalog.change((tx) => tx.put(notes, { id: 'a', group: 1, text: '' })).then(() => (isAnswered = true));
  await until(() => seen.length > 0);
  assert.deepEqual([seen, isAnswered, catalog.view.get(notes, 'a')?.id], [[1], false, 'a']);
  see();
  await change;
});

// FOLLOWED-CATALOG-1
test('a catalog that is followed is read as it is at the moment, and between two of them it is refused', async (t) => {
  const followed = new FollowedCatalog();
  assert.throws(
    () => followed.view.get(notes, 'a'),
    (error) => isServiceError(error, 'control.UNAVAILABLE'),
  );
  const catalogs = ['one', 'two'].map(() => new Catalog({ directory: catalogFolderOf(t) }));
  const states = new Set([followed.commits]);
  for (const [index, catalog] of catalogs.entries()) {
    await catalog.change((tx) => tx.put(notes, { id: 'a', group: index, text: '' }));
    followed.follow(catalog);
    states.add(followed.commits);
    assert.equal(followed.view.get(notes, 'a')?.group, index);
    await catalog.change((tx) => tx.put(notes, { id: 'b', group: index, text: '' }));
    states.add(followed.commits);
    if (index === 0) followed.leave(catalog);
    followed.leave(catalogs[1 - index] as Catalog);
    states.add(followed.commits);
    await catalog.close();
  }
  assert.equal(states.size, 6, 'no number is of two states');
});
