// Commands sent without waiting share turns of the host and commits; what they answer and leave is as if each had waited for the one before
// it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import fc from '../fast-check.js';
import { busySetup } from './bank-build.js';
import { Bank, bankWorlds } from './bank-kit.js';

const { create } = bankWorlds();
let forks = 0;

/** Ids are minted from counters, so a snapshot can be named before it is taken. */
const snapshotOf = (bank: Bank, value: number): string =>
  `snap_${bank.world.worldInstanceId.slice('world_'.length)}000000000${(value % 3) + 1}`;
async function fork(bank: Bank, from: { atSequence?: number; snapshotId?: string }): Promise<unknown> {
  const { world, position } = await bank.world.fork({ worldId: `run_b${String(forks++).padStart(11, '0')}`, ...from });
  const child = new Bank(world);
  assert.deepEqual(await world.query({ kind: 'position' }), position);
  await child.add(1);
  await child.run({ kind: 'reset' });
  const lines = await child.lines();
  if (forks % 2 === 0) await world.destroy();
  return { position, lines };
}

const steps: { [name: string]: (bank: Bank, value: number) => Promise<unknown> } = {
  add: (bank, value) => bank.add(value, { idempotencyKey: `key-${value % 4}` }),
  pay: (bank, value) => bank.call('pay', { account: 'other', amount: value }, { idempotencyKey: `key-${value}` }),
  roll: (bank) => bank.call('roll', { most: 100 }),
  later: (bank, value) => bank.call('later', { inUs: value * 10, account: 'main', amount: 1 }),
  misbehave: (bank) => bank.call('misbehave', { how: 'throw' }),
  fault: (bank, value) => bank.run({ kind: 'setFault', packageId: 'bank', faultId: 'slow', active: value % 2 === 0 }),
  snapshot: (bank) => bank.run({ kind: 'snapshot' }),
  reset: (bank) => bank.run({ kind: 'reset' }),
  resetTo: (bank, value) => bank.run({ kind: 'reset', snapshotId: snapshotOf(bank, value) }),
  resetBank: (bank) => bank.run({ kind: 'reset', packages: ['bank'] }),
  fork: (bank) => fork(bank, {}),
  forkAt: (bank, value) => fork(bank, { atSequence: 1 + value * 2 }),
  forkSnapshot: (bank, value) => fork(bank, { snapshotId: snapshotOf(bank, value) }),
  position: (bank) => bank.position(),
  passivate: (bank) => bank.world.passivate(),
};
const reads = new Set(['position', 'passivate']);
const step = fc.record({ name: fc.constantFrom(...Object.keys(steps)), value: fc.nat(9) });
/** A refusal is an answer. */
const take = (bank: Bank, { name, value }: { name: string; value: number }): Promise<unknown> =>
  (steps[name] as (typeof steps)[string])(bank, value).catch((error) => {
    if (error instanceof ServiceError) return error.code;
    throw error;
  });

test('waiting or not is no difference', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 12 }), { maxLength: 4, size: 'max' }), async (batches) => {
      const [patient, hasty] = [
        await create({ setup: busySetup, recordRandom: true }),
        await create({ setup: busySetup, recordRandom: true }),
      ];
      for (const batch of batches) {
        const commands = batch.filter(({ name }) => !reads.has(name));
        const answers: unknown[] = [];
        for (const command of commands) answers.push(await take(patient, command));
        // The host answers reads in between wherever it can, and they change nothing.
        const sent = batch.map((command) => ({ isRead: reads.has(command.name), answer: take(hasty, command) }));
        await Promise.all(sent.map(({ answer }) => answer));
        assert.deepEqual(await Promise.all(sent.filter(({ isRead }) => !isRead).map(({ answer }) => answer)), answers);
      }
      assert.deepEqual(await hasty.position(), await patient.position());
      await hasty.world.passivate();
      assert.deepEqual(await hasty.lines(), await patient.lines());
      assert.deepEqual(await hasty.position(), await patient.position());
      for (const bank of [patient, hasty]) await bank.world.destroy();
    }),
    { numRuns: Number(process.env.DRILLYARD_MODEL_RUNS ?? 40), includeErrorInReport: true },
  );
});
