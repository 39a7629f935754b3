// Worlds in homes: what an id says, homes that open and close on hosts that come and go, and what is kept when another system takes over.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { WorldsOptions } from '../../src/worlds/api.js';
import { homeFileName, homeOf, homeOfFileName, newIdInHome } from '../../src/worlds/homes.js';
import { verifyWorlds } from '../../src/worlds/verify-worlds.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { dueEvent } from './bank-build.js';
import { Bank, createBank } from './bank-kit.js';

const count = 4;
const idIn = (home: number): string => newIdInHome('world', { home, homes: count });
const isCode =
  (...codes: string[]) =>
  (error: unknown): boolean =>
    error instanceof ServiceError && codes.includes(error.code);
const unavailable = isCode('control.UNAVAILABLE');
const restarted = isCode('world.ACTOR_RESTARTED');

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-homes-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
const open = (directory: string, homes: readonly number[], options: Partial<WorldsOptions> = {}) =>
  openWorlds({
    directory,
    layout: 'homes',
    homes: { count, open: homes },
    durability: 'committed',
    hosts: 2,
    hostsAtStart: 0,
    isolation: 'thread',
    ...options,
  });
/** An advance over them takes many slices. */
async function manyEvents(bank: Bank): Promise<void> {
  for (let from = 10_000; from < 50_000; from += 20_000)
    await bank.run({ kind: 'schedule', events: Array.from({ length: 20_000 }, (_, index) => dueEvent(from + index, 0, 'other')) });
}

// HOMES-1
test('an id says its home, the same for ever, and an id is found for each home', () => {
  assert.deepEqual(
    ['ses_000000000000', 'ses_000000000001', 'world_0123456789ab', 'run_zzzzzzzzzzzz'].map((id) => homeOf(id, 64)),
    [17, 59, 17, 14],
  );
  for (let home = 1; home <= 64; home++) {
    const id = newIdInHome('ses', { home, homes: 64 });
    assert.match(id, /^ses_[0-9a-z]{26}$/);
    assert.equal(homeOf(id, 64), home);
    assert.equal(homeOfFileName(homeFileName(home)), home);
  }
  assert.throws(() => newIdInHome('ses', { home: 65, homes: 64 }), isCode('control.INTERNAL'));
  for (const name of ['home-0', 'home-01', 'home-', 'host-1', 'home-1x']) assert.equal(homeOfFileName(name), undefined);
});

for (const isolation of ['thread', 'process'] as const) {
  // LMDB-FILES-1
  test(`worlds are made, called, forked and destroyed in their homes, and nowhere else (${isolation})`, async (t) => {
    const directory = scratch(t);
    const worlds = await open(directory, [1, 2, 3], { isolation });
    t.after(() => worlds.close());
    const banks = await Promise.all([1, 2, 3].map((home) => createBank(worlds, idIn(home))));
    for (const bank of banks) await bank.add(5);
    const [first] = banks as [Bank, Bank, Bank];
    const childId = idIn(1);
    const child = new Bank((await first.world.fork({ worldId: childId })).world);
    await child.add(1);
    assert.deepEqual([await first.balance(), await child.balance()], [105, 106]);
    await assert.rejects(first.world.fork({ worldId: idIn(2) }), isCode('control.INVALID_REQUEST'));
    await assert.rejects(createBank(worlds, idIn(1), { placement: { host: 0 } }), isCode('control.INVALID_REQUEST'));
    await assert.rejects(createBank(worlds, childId), isCode('control.STATE_CONFLICT'));
    await assert.rejects(worlds.open(idIn(1)), isCode('control.NOT_FOUND'));
    await assert.rejects(createBank(worlds, idIn(4)), unavailable);
    await assert.rejects(worlds.open(idIn(4)), unavailable);
    await assert.rejects(worlds.openHome(5), isCode('control.INVALID_REQUEST'));
    await child.world.destroy();
    await assert.rejects(worlds.open(childId), isCode('control.NOT_FOUND'));
    assert.deepEqual(readdirSync(directory).sort(), ['home-1', 'home-2', 'home-3']);

    const into = join(directory, '..', `${first.world.worldId}-copy`);
    mkdirSync(into);
    t.after(() => rmSync(into, { recursive: true }));
    await worlds.closeHome(3);
    await worlds.copyFiles(into, [first.world.worldId]);
    assert.deepEqual(readdirSync(into).sort(), ['home-1', 'home-2']);
    const copied = await verifyWorlds(join(into, 'home-1', 'data.mdb'), (fault) => assert.fail(fault));
    assert.deepEqual(
      copied.map(({ worldId }) => worldId),
      [first.world.worldId],
    );
  });

  // SYSTEM-HOMES-2
  test(`a home that is closed at work is opened by another system, with all that was answered (${isolation})`, async (t) => {
    const directory = scratch(t);
    const one = await open(directory, [1, 2, 3, 4], { isolation });
    t.after(() => one.close());
    const busy = await createBank(one, idIn(1));
    const neighbor = await createBank(one, idIn(3));
    const quiet = await createBank(one, idIn(1));
    await quiet.add(7);
    await manyEvents(busy);
    let begun = (): void => {};
    const runs = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const running = busy.world.command({ kind: 'advance', targetUs: 10_000_000, maxEvents: 1_000_000 }, { onProgress: () => begun() });
    const ended = running.then(
      () => 'answered',
      (error) => (restarted(error) ? 'refused' : Promise.reject(error)),
    );
    await Promise.race([runs, ended]);
    const waiting = Promise.allSettled(Array.from({ length: 5 }, () => busy.add(1)));
    await quiet.add(1);
    const adds = Promise.allSettled(Array.from({ length: 20 }, () => quiet.add(1)));
    const beside = neighbor.add(1);
    await one.closeHome(1);
    const acknowledged = (await adds).filter(({ status }) => status === 'fulfilled').length;
    for (const result of [...(await adds), ...(await waiting)])
      if (result.status === 'rejected') assert.ok(restarted(result.reason) || unavailable(result.reason));
    assert.equal((await beside).outcome.kind, 'ok');
    await assert.rejects(quiet.add(1), unavailable);
    await assert.rejects(quiet.balance(), unavailable);

    const other = await open(directory, [1], { isolation });
    t.after(() => other.close());
    const [taken, takenBusy] = await Promise.all([quiet, busy].map(async ({ world }) => new Bank(await other.open(world.worldId))));
    // Nothing that was answered is lost, and what was refused was not done.
    assert.equal(await taken?.balance(), 108 + acknowledged);
    if ((await ended) === 'answered') assert.equal((await takenBusy?.position())?.virtualTimeUs, 10_000_000);
    await taken?.add(1);
    await takenBusy?.add(1);
    await assert.rejects(other.open(neighbor.world.worldId), unavailable);
    await other.closeHome(1);
    await one.openHome(1);
    assert.equal(await quiet.balance(), 109 + acknowledged);
  });

  // SYSTEM-HOMES-1
  test(`a host that is killed serves the homes that are open, and not those that were closed (${isolation})`, async (t) => {
    const directory = scratch(t);
    const worlds = await open(directory, [1, 3], { isolation });
    t.after(() => worlds.close());
    const [kept, left, later] = [await createBank(worlds, idIn(1)), await createBank(worlds, idIn(3)), idIn(2)];
    assert.equal(worlds.hostOf(kept.world.worldId), worlds.hostOf(left.world.worldId));
    await kept.add(1);
    await worlds.closeHome(3);
    await worlds.killHost(worlds.hostOf(kept.world.worldId));
    assert.equal(await kept.balance(), 101);
    await assert.rejects(left.balance(), unavailable);
    // Its host has never stood, and is not started for that.
    await worlds.openHome(2);
    assert.equal((await worlds.stats()).hosts.length, 1);
    await worlds.closeHome(2);
    await worlds.openHome(2);
    await createBank(worlds, later);
    const closing = worlds.closeHome(1);
    await Promise.all([worlds.killHost(worlds.hostOf(kept.world.worldId)), closing]);
    await assert.rejects(kept.balance(), unavailable);
    await worlds.openHome(3);
    assert.equal(await left.balance(), 100);
  });
}

test('what is lost is not answered; the home opens again with what was', async (t) => {
  const directory = scratch(t);
  const worlds = await open(directory, [1, 2, 3, 4]);
  t.after(() => worlds.close());
  const bank = await createBank(worlds, idIn(2));
  await bank.add(1);
  const adds = Array.from({ length: 50 }, () => bank.add(1));
  const settled = Promise.allSettled(adds);
  await worlds.closeHome(2, { lost: true });
  const answered = (await settled).filter(({ status }) => status === 'fulfilled').length;
  await assert.rejects(bank.balance(), unavailable);
  await Promise.all([worlds.openHome(2), worlds.closeHome(2), worlds.openHome(2)]);
  const balance = (await bank.balance()) as number;
  assert.ok(balance >= 101 + answered && balance <= 151, `${balance} of ${answered}`);
});

test('a damaged file is refused to the worlds of its home alone', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'home-1'));
  writeFileSync(join(directory, 'home-1', 'data.mdb'), 'not a database');
  const worlds = await open(directory, [1, 3], { hosts: 1 });
  t.after(() => worlds.close());
  await assert.rejects(createBank(worlds, idIn(1)), isCode('control.DATA_DAMAGED'));
  const bank = await createBank(worlds, idIn(3));
  await bank.add(1);
  assert.equal(await bank.balance(), 101);
  await worlds.closeHome(1);
  assert.ok(existsSync(join(directory, 'home-1', 'data.mdb')));
});

test('worlds of another layout have no homes', async (t) => {
  const worlds = await openWorlds({ directory: scratch(t), layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread' });
  t.after(() => worlds.close());
  await assert.rejects(worlds.openHome(1), isCode('control.INVALID_REQUEST'));
});
