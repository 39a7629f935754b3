import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { busySetup } from './bank-build.js';
import { type Bank, bankWorlds, codeOf } from './bank-kit.js';

const { create } = bankWorlds();
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

/** Everything that a whole world can change. */
async function live(bank: Bank): Promise<void> {
  await bank.add(5, { idempotencyKey: 'k' });
  await bank.call('roll', { most: 10 });
  await bank.call('later', { inUs: 50, account: 'other', amount: 4 });
  await bank.run({ kind: 'setFault', packageId: 'bank', faultId: 'busy-once', active: true });
  await bank.run({
    kind: 'setOverrides',
    scope: 'run',
    rules: [{ id: 'r', operation: { packageId: 'bank', operationId: 'pay' }, outcome: { kind: 'return', value: 1 } }],
  });
  await bank.advance(800);
}
/** What a world does next tells what it is: without lifecycle entries and sequences it must be the same. */
async function nextSteps(bank: Bank): Promise<unknown[]> {
  const { evidenceSequence } = await bank.position();
  await bank.add(1, { idempotencyKey: 'k' });
  await bank.add(1);
  await bank.add(1);
  await bank.call('roll', { most: 1000 });
  await bank.call('pay', { account: 'main', amount: 1 }, { idempotencyKey: 'p' });
  await bank.advance(1000);
  return (await bank.evidence(evidenceSequence + 1)).map(plain);
}
function plain(entry: EvidenceEntry): unknown {
  const text = JSON.stringify({ ...entry, sequence: 0, transactionId: '', correlationId: '', causeSequence: undefined });
  return JSON.parse(text.replace(/"(call|pending)_[0-9a-z]+"/g, '"$1"').replace(/"replayedFromSequence":\d+/g, '"replayedFromSequence":0'));
}

test('a whole reset is a fresh world with one more entry', async () => {
  const fresh = await create({ setup: busySetup });
  const bank = await create({ setup: busySetup });
  await live(bank);
  const { position } = await bank.run({ kind: 'reset' });
  const [created, reset, ...rest] = await bank.lines();
  assert.equal(created, (await fresh.lines())[0], 'world_created is the same, byte for byte');
  assert.match(reset ?? '', /"phase":"world_reset"/);
  assert.deepEqual(rest, []);
  assert.deepEqual([position.virtualTimeUs, position.evidenceSequence, position.stateHash], [500, 2, (await fresh.position()).stateHash]);
  assert.deepEqual(await bank.world.query({ kind: 'faults' }), await fresh.world.query({ kind: 'faults' }));
  assert.deepEqual(await bank.world.query({ kind: 'pending', limit: 10 }), await fresh.world.query({ kind: 'pending', limit: 10 }));
  assert.deepEqual(await bank.world.query({ kind: 'budgets' }), await fresh.world.query({ kind: 'budgets' }));
  await bank.world.passivate();
  assert.deepEqual(await nextSteps(bank), await nextSteps(fresh));
});

test('resets of equal worlds after different histories are equal, byte for byte', async () => {
  const [one, other] = [await create({ setup: busySetup }), await create({ setup: busySetup })];
  await live(one);
  await one.run({ kind: 'reset' });
  await live(one);
  for (const bank of [one, other]) {
    await bank.run({ kind: 'reset' });
    await live(bank);
  }
  assert.deepEqual(await one.lines(), await other.lines());
  assert.deepEqual(await one.position(), await other.position());
});

test('by packages: its rows, events, faults, receipts and override uses; the clock, the journal and all else stay', async () => {
  const bank = await create({ setup: busySetup });
  await live(bank);
  const before = await bank.position();
  const { position } = await bank.run({ kind: 'reset', packages: ['bank'] });
  assert.equal(position.virtualTimeUs, 800);
  assert.equal(await bank.balance(), 100);
  assert.deepEqual(await bank.row('seen', 'main', { packageId: 'audit' }), { count: 2, last: 106 }, "another package's rows stay");
  const entries = await bank.evidence(before.evidenceSequence + 1);
  assert.ok(entries.every(({ transactionId }) => transactionId === entries[0]?.transactionId));
  assert.deepEqual(
    entries.map((entry) => (entry.kind === 'event' ? entry.phase : entry.kind)),
    ['lifecycle', 'state_change', 'state_change', 'cancelled', 'scheduled', 'scheduled'],
  );
  const { events } = await bank.world.query({ kind: 'pending', limit: 10 });
  assert.deepEqual(
    events.map(({ atUs, payload }) => [atUs, payload.amount]),
    [
      [800, 1],
      [900, 2],
    ],
    'what it starts with is due again, not before now',
  );
  const repeated = await bank.add(5, { idempotencyKey: 'k' });
  assert.equal((await bank.operation(repeated.sequence)).idempotency, 'recorded');
  assert.deepEqual(
    (await bank.world.query({ kind: 'faults' })).filter(({ active }) => active).map(({ faultId, triggered }) => [faultId, triggered]),
    [['busy-third', 0]],
  );
});

test('by packages, twice over: the same entries whether the world was read and passivated between or not', async () => {
  const [one, two] = [await create({ setup: busySetup }), await create({ setup: busySetup })];
  for (const bank of [one, two]) {
    // To read namespaces is to name them first, in another order.
    if (bank === two) await bank.world.query({ kind: 'namespaces' });
    await bank.add(1, { instanceId: 'bank-two' });
    await live(bank);
    await bank.call('chain', { length: 2, width: 1 });
    if (bank === two) await bank.world.passivate();
    await bank.run({ kind: 'reset', packages: ['audit', 'bank'] });
  }
  assert.deepEqual(await one.lines(), await two.lines());
});

test('to a snapshot: that position, its journal, and one entry more', async () => {
  const bank = await create({ setup: busySetup });
  await bank.add(5, { idempotencyKey: 'k' });
  const { snapshotId, position } = await bank.run({ kind: 'snapshot' });
  const kept = await bank.lines();
  assert.equal(kept.length, position.evidenceSequence);
  await live(bank);
  const reset = await bank.run({ kind: 'reset', snapshotId });
  assert.equal(reset.position.stateHash, position.stateHash);
  assert.deepEqual((await bank.lines()).slice(0, -1), kept);
  const replay = await bank.add(5, { idempotencyKey: 'k' });
  assert.equal((await bank.operation(replay.sequence)).idempotency, 'replayed');
  const again = await bank.run({ kind: 'snapshot' });
  assert.notEqual(again.snapshotId, snapshotId);
  await bank.run({ kind: 'reset' });
  assert.equal((await bank.run({ kind: 'reset', snapshotId })).position.stateHash, position.stateHash, 'snapshots outlive resets');
});

test('a snapshot that is deleted leaves the world, its hashes, its other snapshots and its forks as they are', async () => {
  const [bank, twin] = [await create({ setup: busySetup }), await create({ setup: busySetup })];
  const playAll = async (of: Bank): Promise<string[]> => {
    const ids: string[] = [];
    for (const amount of [1, 2, 3]) {
      await of.add(amount);
      ids.push((await of.run({ kind: 'snapshot' })).snapshotId);
    }
    await of.add(4);
    // The first two are on the chain, the third keeps what the reset has left.
    await of.run({ kind: 'reset', snapshotId: ids[1] as string });
    await of.add(5);
    return ids;
  };
  const [first = '', second = '', third = ''] = await playAll(bank);
  await playAll(twin);
  const { world: child } = await bank.world.fork({ worldId: 'run_00000000000f', snapshotId: third });
  const kept = await child.query({ kind: 'position' });
  for (const snapshotId of [third, first]) {
    await bank.run({ kind: 'deleteSnapshot', snapshotId });
    await assert.rejects(bank.run({ kind: 'deleteSnapshot', snapshotId }), refused('control.NOT_FOUND'));
    await assert.rejects(bank.run({ kind: 'reset', snapshotId }), refused('control.NOT_FOUND'));
  }
  await assert.rejects(bank.run({ kind: 'deleteSnapshot', snapshotId: '' }), refused('control.INVALID_REQUEST'));
  await bank.world.passivate();
  await child.passivate();
  assert.deepEqual(await bank.lines(), await twin.lines());
  assert.deepEqual(await bank.position(), await twin.position());
  assert.deepEqual(await child.query({ kind: 'position' }), kept);
  const { evidenceSequence } = await bank.position();
  await bank.world.query({ kind: 'state', packageId: 'bank', namespace: 'accounts', atSequence: evidenceSequence, limit: 10 });
  // Ids are minted from how many there ever were.
  const [of, ofTwin] = [await bank.run({ kind: 'snapshot' }), await twin.run({ kind: 'snapshot' })];
  assert.deepEqual(of, ofTwin);
  assert.equal(new Set([first, second, third, of.snapshotId]).size, 4);
  for (const one of [bank, twin]) await one.run({ kind: 'reset', snapshotId: second });
  await bank.world.passivate();
  assert.deepEqual(await bank.lines(), await twin.lines());
});

test('sent without waiting, commands do what they do one after the other', async () => {
  const [one, two] = [await create({ setup: busySetup }), await create({ setup: busySetup })];
  const steps = (bank: Bank): (() => Promise<unknown>)[] => [
    () => bank.add(1, { idempotencyKey: 'a' }),
    () => bank.run({ kind: 'snapshot' }),
    () => bank.add(2),
    () => bank.call('later', { inUs: 5, account: 'main', amount: 1 }),
    () => bank.run({ kind: 'reset' }),
    () => bank.add(3, { idempotencyKey: 'a' }),
    () => bank.run({ kind: 'snapshot' }),
    () => bank.run({ kind: 'reset', packages: ['bank'] }),
    () => bank.add(4),
    () => bank.run({ kind: 'reset' }),
    () => bank.advance(800),
  ];
  const answers: unknown[] = [];
  for (const step of steps(one)) answers.push(await step());
  assert.deepEqual(await Promise.all(steps(two).map((step) => step())), answers);
  await two.world.passivate();
  assert.deepEqual(await two.lines(), await one.lines());
  assert.deepEqual(await two.position(), await one.position());
});

test('what cannot be reset is refused', async () => {
  const bank = await create();
  await assert.rejects(bank.run({ kind: 'reset', packages: [] }), refused('control.INVALID_REQUEST'));
  await assert.rejects(bank.run({ kind: 'reset', packages: ['nobody'] }), refused('control.INVALID_REQUEST'));
  await assert.rejects(bank.run({ kind: 'reset', packages: ['bank'], snapshotId: 'snap_x' }), refused('control.INVALID_REQUEST'));
  await assert.rejects(bank.run({ kind: 'reset', snapshotId: 'snap_x' }), refused('control.NOT_FOUND'));
  assert.equal(codeOf(await bank.add(1)), 'ok');
});
