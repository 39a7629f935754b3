import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RandomEntry } from '../../src/contract/world/evidence.js';
import { type Bank, bankWorlds } from './bank-kit.js';

const { create } = bankWorlds();
const roll = async (bank: Bank, rest = {}): Promise<unknown> => {
  const { outcome } = await bank.call('roll', { most: 1000 }, rest);
  return outcome.kind === 'ok' ? outcome.value : outcome.error;
};

test('the same seed rolls the same, on either side of a passivation; another seed or instance does not', async () => {
  const [one, two, other] = [await create(), await create(), await create({ seed: { seed: '8', trial: 1, attempt: 1 } })];
  const first = await roll(one);
  const second = await roll(one);
  assert.notDeepEqual(first, second);
  assert.deepEqual(await roll(two), first);
  await two.world.passivate();
  assert.deepEqual(await roll(two), second);
  assert.notDeepEqual(await roll(other), first);
  assert.notDeepEqual(await roll(await create(), { instanceId: 'bank-two' }), first);
});

test('trial and attempt name a world, and do not change what it draws', async () => {
  const one = await create();
  const other = await create({ seed: { seed: '7', trial: 2, attempt: 3 } });
  assert.notEqual(one.world.worldInstanceId, other.world.worldInstanceId);
  assert.deepEqual(await roll(one), await roll(other));
});

// TURN-2
test('a draw stays drawn when its turn is taken back', async () => {
  const [one, two] = [await create(), await create()];
  await one.call('misbehave', { how: 'throw' });
  const rolled = await roll(one);
  assert.notDeepEqual(rolled, await roll(two));
  await two.call('misbehave', { how: 'throw' });
  assert.notDeepEqual(rolled, await roll(two));
});

test('with recordRandom draws are evidence, those of a failed turn and of faults too', async () => {
  const bank = await create({ recordRandom: true, setup: { faults: [{ packageId: 'bank', faultId: 'busy-half' }] } });
  await bank.call('roll', { most: 10 });
  await bank.call('misbehave', { how: 'throw' });
  await bank.add(1);
  const draws = (await bank.evidence()).filter((entry): entry is RandomEntry => entry.kind === 'random');
  assert.deepEqual(
    draws.map(({ purpose, method, causeSequence, transactionIndex }) => [purpose, method, causeSequence, transactionIndex]),
    [
      ['behavior', 'nextFloat', 2, 1],
      ['behavior', 'nextInteger', 2, 2],
      ['behavior', 'nextU64', 2, 3],
      ['behavior', 'nextFloat', 6, 1],
      ['fault:busy-half', 'nextFloat', 8, 1],
    ],
  );
  const { outcome } = await bank.operation(2);
  const { float, integer, wide } = (outcome as unknown as { value: { float: number; integer: number; wide: string } }).value;
  assert.deepEqual(
    draws.slice(0, 3).map(({ value }) => value),
    [float, integer, wide],
  );
});
