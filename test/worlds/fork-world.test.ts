import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { WorldCommand } from '../../src/contract/world/world-protocol.js';
import { busySetup } from './bank-build.js';
import { Bank, bankWorlds } from './bank-kit.js';

for (const layout of ['shared', 'run'] as const) {
  test(`layout ${layout}`, async (context) => {
    await forks(context, layout);
  });
}
const doors = { shared: bankWorlds(), run: bankWorlds({ layout: 'run' }) };

/** A short history with everything in it; each step is one command. */
const call = (operationId: string, args: JsonObject, rest: { idempotencyKey?: string } = {}): WorldCommand => ({
  kind: 'call',
  actorId: 'clerk',
  packageId: 'bank',
  operationId,
  arguments: args,
  ...rest,
});
const history: WorldCommand[] = [
  call('add', { account: 'main', amount: 5 }, { idempotencyKey: 'k' }),
  call('roll', { most: 10 }),
  call('later', { inUs: 150, account: 'other', amount: 4 }),
  call('add', { account: 'main', amount: 2 }),
  { kind: 'setFault', packageId: 'bank', faultId: 'slow', active: true },
  call('add', { account: 'main', amount: 2000 }),
  call('add', { account: 'main', amount: 3 }),
  {
    kind: 'setOverrides',
    scope: 'run',
    rules: [
      { id: 'r', operation: { packageId: 'bank', operationId: 'pay' }, outcome: { kind: 'return', value: { balance: 1 } }, times: 2 },
    ],
  },
  call('pay', { account: 'main', amount: 1 }, { idempotencyKey: 'p' }),
  { kind: 'snapshot' },
  { kind: 'advance', targetUs: 1200, maxEvents: 1 },
  call('misbehave', { how: 'throw' }),
  call('misbehave', { how: 'kept' }, { idempotencyKey: 'kept' }),
  { kind: 'advance', targetUs: 1300, maxEvents: 10 },
  { kind: 'reset', packages: ['bank'] },
  call('add', { account: 'main', amount: 1 }, { idempotencyKey: 'k' }),
  call('roll', { most: 10 }),
];
/** What tells two worlds apart: rows, and what they do next. */
async function futureOf(bank: Bank): Promise<unknown> {
  const { evidenceSequence, stateHash, virtualTimeUs } = await bank.position();
  const pending = (await bank.world.query({ kind: 'pending', limit: 50 })).events.map(({ atUs, payload }) => [atUs, payload]);
  const faults = await bank.world.query({ kind: 'faults' });
  for (const amount of [1, 2]) await bank.add(amount, { idempotencyKey: 'k' });
  await bank.run(call('misbehave', { how: 'kept' }, { idempotencyKey: 'kept' }));
  await bank.run(call('pay', { account: 'main', amount: 1 }, { idempotencyKey: 'q' }));
  await bank.call('roll', { most: 1000 });
  await bank.advance(5000);
  const entries = (await bank.evidence(evidenceSequence + 1)).map((entry) =>
    JSON.stringify({ ...entry, sequence: 0, causeSequence: undefined, transactionId: '', correlationId: '' })
      .replace(/"(call|pending)_[0-9a-z]+"/g, '"$1"')
      .replace(/,"replayedFromSequence":\d+/g, ''),
  );
  return { stateHash, virtualTimeUs, pending, faults, entries, after: (await bank.position()).stateHash };
}

async function forks(context: Parameters<NonNullable<Parameters<typeof test>[0]>>[0], layout: 'shared' | 'run'): Promise<void> {
  const { create } = doors[layout];
  let made = 0;
  const forkId = (): string => `run_f${String(made++).padStart(11, '0')}`;
  const run = async (bank: Bank, commands: readonly WorldCommand[]): Promise<void> => {
    for (const command of commands) await bank.run(command);
  };

  await context.test('at every sequence it equals the commands so far, run again', async () => {
    const parent = await create({ setup: busySetup });
    const prefixes: { sequence: number; commands: number }[] = [{ sequence: 1, commands: 0 }];
    for (let commands = 0; commands < history.length; commands++) {
      await parent.run(history[commands] as WorldCommand);
      const { evidenceSequence: sequence } = await parent.position();
      // An override is no evidence: it belongs to whatever sequence comes after it.
      if (sequence > (prefixes.at(-1)?.sequence ?? 0)) prefixes.push({ sequence, commands: commands + 1 });
    }
    const lines = await parent.lines();
    for (const { sequence, commands } of prefixes) {
      const { world } = await parent.world.fork({ worldId: forkId(), atSequence: sequence });
      const again = await create({ setup: busySetup });
      await run(again, history.slice(0, commands));
      assert.deepEqual(await futureOf(new Bank(world)), await futureOf(again), `after ${commands} commands, at ${sequence}`);
      await world.destroy();
    }
    assert.deepEqual(await parent.lines(), lines, 'the parent is as it was');
  });

  await context.test('its own identity, its lineage, its own journal', async () => {
    const parent = await create({ setup: busySetup });
    await run(parent, history.slice(0, 3));
    const before = await parent.position();
    const { world, position } = await parent.world.fork({ worldId: forkId() });
    assert.notEqual(world.worldInstanceId, parent.world.worldInstanceId);
    assert.deepEqual([position.evidenceSequence, position.stateHash, position.virtualTimeUs], [1, before.stateHash, before.virtualTimeUs]);
    const [first] = await new Bank(world).evidence();
    assert.deepEqual(first?.kind === 'lifecycle' && [first.phase, first.details], [
      'world_forked',
      {
        parentWorldInstanceId: parent.world.worldInstanceId,
        fromSequence: before.evidenceSequence,
        parentEvidenceHash: before.evidenceHash,
        stateHash: before.stateHash,
      },
    ]);
    const sibling = await parent.world.fork({ worldId: forkId() });
    assert.deepEqual(sibling.position, position, 'two forks at one position are equal');
  });

  await context.test('inside a transaction: the last whole one before it', async () => {
    const parent = await create({ setup: busySetup });
    await parent.add(5);
    const { position } = await parent.world.fork({ worldId: forkId(), atSequence: 4 });
    assert.equal(position.stateHash, (await (await create({ setup: busySetup })).position()).stateHash);
  });

  await context.test('nothing is shared: each goes its own way, and outlives the other', async () => {
    const parent = await create();
    await run(parent, history.slice(0, 4));
    const { world } = await parent.world.fork({ worldId: forkId() });
    const child = new Bank(world);
    await parent.add(10);
    await child.add(20);
    await child.world.passivate();
    assert.deepEqual([await parent.balance(), await child.balance()], [117, 127]);
    const grandchild = new Bank((await child.world.fork({ worldId: forkId() })).world);
    await parent.world.destroy();
    await child.world.destroy();
    assert.equal(await grandchild.balance(), 127);
    await grandchild.run({ kind: 'reset' });
    assert.equal(await grandchild.balance(), 127, 'its start is where it was forked');
  });

  await context.test('at a snapshot', async () => {
    const parent = await create({ setup: busySetup });
    await parent.add(5);
    const { snapshotId, position } = await parent.run({ kind: 'snapshot' });
    await parent.add(6);
    const fork = await parent.world.fork({ worldId: forkId(), snapshotId });
    assert.equal(fork.position.stateHash, position.stateHash);
    const [first] = await new Bank(fork.world).evidence();
    assert.equal(first?.kind === 'lifecycle' && first.details.parentEvidenceHash, position.evidenceHash);
    await assert.rejects(
      parent.world.fork({ worldId: forkId(), snapshotId: 'snap_x' }),
      (error) => error instanceof ServiceError && error.code === 'control.NOT_FOUND',
    );
    assert.equal(await parent.balance(), 111, 'a refusal changes nothing');
    await parent.run({ kind: 'reset' });
    const again = await parent.world.fork({ worldId: forkId(), snapshotId });
    assert.deepEqual(again.position, fork.position, 'a reset leaves the journal of a snapshot to it');
  });

  await context.test('one moment after another, of one journal and of the next: each has the hashes of its own rows', async () => {
    const parent = await create({ setup: busySetup });
    const amounts = [5, 6, 7, 6];
    const { snapshotId } = await parent.run({ kind: 'snapshot' });
    const forksHere = async (): Promise<void> => {
      const { evidenceSequence: atSequence, stateHash, evidenceHash } = await parent.position();
      for (const at of [{}, {}, { atSequence }, { snapshotId }, { atSequence }]) {
        const { world, position } = await parent.world.fork({ worldId: forkId(), ...at });
        const child = new Bank(world);
        // Of a host that knows nothing of the fork: all is hashed again, from what is stored.
        await world.passivate();
        assert.deepEqual(await child.position(), position);
        if ('snapshotId' in at) continue;
        const [first] = await child.evidence();
        assert.deepEqual(first?.kind === 'lifecycle' && [first.details.stateHash, first.details.parentEvidenceHash], [
          stateHash,
          evidenceHash,
        ]);
        assert.equal(position.stateHash, stateHash);
      }
    };
    for (const amount of amounts) {
      await parent.add(amount);
      await forksHere();
    }
    const before = await parent.position();
    await parent.run({ kind: 'reset' });
    await forksHere();
    // As many entries as before the reset, and other rows.
    for (const amount of amounts) {
      await parent.add(amount + 1);
      await forksHere();
    }
    assert.notEqual((await parent.position()).stateHash, before.stateHash);
  });

  await context.test('reset by packages it has the receipts that it began with, and so have forks of it', async () => {
    const parent = await create({ setup: busySetup });
    await parent.add(5, { idempotencyKey: 'before' });
    await parent.call('later', { inUs: 150, account: 'other', amount: 4 }, { idempotencyKey: 'before' });
    const { evidenceSequence: atSequence } = await parent.position();
    const { snapshotId } = await parent.run({ kind: 'snapshot' });
    for (const at of [{}, { atSequence }, { atSequence: atSequence - 1 }, { snapshotId }]) {
      const child = new Bank((await parent.world.fork({ worldId: forkId(), ...at })).world);
      await child.add(6, { idempotencyKey: 'after' });
      await child.run({ kind: 'reset', packages: ['bank'] });
      const { evidenceSequence: last } = await child.position();
      const forks = await Promise.all(
        [{}, { atSequence: last }].map(async (point) => new Bank((await child.world.fork({ worldId: forkId(), ...point })).world)),
      );
      await child.world.passivate();
      for (const bank of [child, ...forks]) {
        const balance = await bank.balance();
        const again = await bank.operation((await bank.add(5, { idempotencyKey: 'before' })).sequence);
        assert.deepEqual([again.idempotency, await bank.balance()], ['replayed', balance], JSON.stringify(at));
        assert.equal((await bank.operation((await bank.add(6, { idempotencyKey: 'after' })).sequence)).idempotency, 'recorded');
        assert.equal((await bank.operation((await bank.add(6, { idempotencyKey: 'after' })).sequence)).idempotency, 'replayed');
      }
    }
  });

  await context.test('a call that repeats one of the parent names no entry of the fork', async () => {
    const parent = await create({ setup: busySetup });
    const first = await parent.add(5, { idempotencyKey: 'k' });
    const { evidenceSequence: atSequence } = await parent.position();
    for (const at of [{}, { atSequence }]) {
      const child = new Bank((await parent.world.fork({ worldId: forkId(), ...at })).world);
      for (let calls = 0; calls < 3; calls++) await child.add(1, { idempotencyKey: 'own' });
      const again = await child.add(5, { idempotencyKey: 'k' });
      const { idempotency, replayedFromSequence } = await child.operation(again.sequence);
      assert.deepEqual([again.outcome, idempotency, replayedFromSequence], [first.outcome, 'replayed', undefined]);
      const calls = (await child.evidence()).filter((entry) => entry.kind === 'operation');
      const [made, ...replays] = calls.slice(0, 3);
      assert.deepEqual(
        replays.map((entry) => entry.kind === 'operation' && entry.replayedFromSequence),
        [made?.sequence, made?.sequence],
      );
    }
  });

  await context.test('of a closed world, which stays as it is', async () => {
    const parent = await create({ setup: busySetup });
    await parent.add(5);
    const { position } = await parent.run({ kind: 'close' });
    for (const at of [{}, { atSequence: 2 }]) {
      const { world } = await parent.world.fork({ worldId: forkId(), ...at });
      assert.equal((await new Bank(world).add(1)).outcome.kind, 'ok');
    }
    await parent.world.passivate();
    assert.deepEqual(await parent.position(), position);
  });

  await context.test('budgets: the limits are inherited, what was used is not', async () => {
    const parent = await create({ setup: busySetup, budgets: { maxToolCalls: 1, maxEvents: null } });
    await parent.add(5);
    const { world } = await parent.world.fork({ worldId: forkId() });
    assert.deepEqual((await world.query({ kind: 'budgets' })).toolCalls, { limit: 1, attempted: 0, rejected: 0 });
    await parent.run({ kind: 'setBudgets', budgets: { maxToolCalls: 9, maxEvents: 8 } });
    await parent.add(1);
    const sequence = (await parent.position()).evidenceSequence;
    await parent.run({ kind: 'setBudgets', budgets: { maxToolCalls: null, maxEvents: null } });
    await parent.add(1);
    const limitsAt = async (at: { atSequence?: number }): Promise<unknown> => {
      const { toolCalls, scheduledEvents } = await (await parent.world.fork({ worldId: forkId(), ...at })).world.query({ kind: 'budgets' });
      return [toolCalls.limit, scheduledEvents.limit];
    };
    const last = (await parent.position()).evidenceSequence;
    assert.deepEqual(
      [await limitsAt({ atSequence: sequence }), await limitsAt({ atSequence: last }), await limitsAt({})],
      [
        [9, 8],
        [null, null],
        [null, null],
      ],
    );
  });

  await context.test('a sequence that is not there, an id that is taken', async () => {
    const parent = await create({ setup: busySetup });
    const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;
    await assert.rejects(parent.world.fork({ worldId: forkId(), atSequence: 2 }), refused('control.NOT_FOUND'));
    await assert.rejects(parent.world.fork({ worldId: forkId(), atSequence: 0 }), refused('control.INVALID_REQUEST'));
    await assert.rejects(parent.world.fork({ worldId: 'x' }), refused('control.INVALID_REQUEST'));
    await assert.rejects(parent.world.fork({ worldId: parent.world.worldId }), refused('control.STATE_CONFLICT'));
    assert.equal((await parent.add(1)).outcome.kind, 'ok');
  });
}
