import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { OverrideScope, ToolOverride } from '../../src/contract/world/scenario.js';
import { type Bank, bankWorlds, codeOf } from './bank-kit.js';

const { create } = bankWorlds();
const returns = (id: string, value: number, rest: Partial<ToolOverride> = {}): ToolOverride => ({
  id,
  operation: { packageId: 'bank', operationId: 'add' },
  outcome: { kind: 'return', value: { balance: value } },
  ...rest,
});
const withRules = (...scopes: [OverrideScope, ...ToolOverride[]][]) =>
  create({ setup: { toolOverrides: scopes.map(([scope, ...rules]) => ({ scope, rules })) } });
const balanceOf = async (bank: Bank, amount = 1, rest = {}): Promise<unknown> => {
  const { outcome } = await bank.add(amount, rest);
  return outcome.kind === 'ok' && (outcome.value as { balance: number }).balance;
};

test('a rule answers in place of the tool, and the entry names it', async () => {
  const bank = await withRules(['world', returns('fake', 1)]);
  const result = await bank.add(5);
  assert.deepEqual(result.outcome, { kind: 'ok', value: { balance: 1 } });
  assert.equal(await bank.balance(), 100);
  assert.deepEqual((await bank.operation(result.sequence)).toolOverride, { scope: 'world', id: 'fake', outcome: 'return' });
});

test('run > drill > scenario > world; inside a scope the later rule first', async () => {
  const bank = await withRules(['world', returns('a', 1)], ['scenario', returns('b', 2), returns('c', 3)]);
  assert.equal(await balanceOf(bank), 3);
  await bank.run({ kind: 'setOverrides', scope: 'drill', rules: [returns('d', 4)] });
  assert.equal(await balanceOf(bank), 4);
  await bank.run({ kind: 'setOverrides', scope: 'run', rules: [returns('e', 5)] });
  assert.equal(await balanceOf(bank), 5);
  await bank.run({ kind: 'setOverrides', scope: 'run', rules: [] });
  assert.equal(await balanceOf(bank), 4);
});

test('the same id in a higher scope replaces: the lower one never answers', async () => {
  const bank = await withRules(['world', returns('same', 1)], ['scenario', returns('same', 2, { times: 1 })]);
  assert.deepEqual([await balanceOf(bank), await balanceOf(bank)], [2, 101]);
});

test('a rule used up falls through to the next; uses survive a rollback and a passivation', async () => {
  const original: ToolOverride = { ...returns('first', 0), outcome: { kind: 'original' }, times: 1 };
  const bank = await withRules(['world', returns('last', 9), returns('middle', 8, { times: 2 })], ['run', original]);
  assert.equal(codeOf(await bank.add(1001)), 'tool_error TOO_MUCH', 'the tool itself, rolled back');
  assert.equal(await balanceOf(bank), 8);
  await bank.world.passivate();
  assert.deepEqual([await balanceOf(bank), await balanceOf(bank), await balanceOf(bank)], [8, 9, 9]);
  assert.deepEqual((await bank.operation(2)).toolOverride, { scope: 'run', id: 'first', outcome: 'original' });
});

test('conditions: instance, actor, arguments deeply', async () => {
  const bank = await withRules(
    ['world', returns('argument', 1, { when: { arguments: { amount: 7 } } })],
    ['world', returns('actor', 2, { when: { actorId: 'teller', actorInstanceId: 'north' } })],
    [
      'world',
      returns('instance', 3, { operation: { packageId: 'bank', operationId: 'add', instanceId: 'bank-two' }, when: { actorId: 'clerk' } }),
    ],
  );
  assert.equal(await balanceOf(bank, 7), 1);
  assert.equal(await balanceOf(bank, 6), 106);
  assert.equal(await balanceOf(bank, 6, { instanceId: 'bank-two' }), 3);
  assert.equal(await balanceOf(bank, 6, { instanceId: 'bank-two', actorId: 'teller', actorInstanceId: 'north' }), 2);
});

test('an error rule is a tool error; faults do not look where a rule has answered', async () => {
  const rule: ToolOverride = { ...returns('down', 0), outcome: { kind: 'error', code: 'DOWN', message: 'no service', retryable: true } };
  const bank = await create({
    setup: { toolOverrides: [{ scope: 'world', rules: [rule] }], faults: [{ packageId: 'bank', faultId: 'busy' }] },
  });
  assert.deepEqual((await bank.add(1)).outcome, { kind: 'tool_error', error: { code: 'DOWN', message: 'no service', retryable: true } });
  assert.equal((await bank.world.query({ kind: 'faults' })).find(({ faultId }) => faultId === 'busy')?.triggered, 0);
});

test('a key keeps what a rule has answered', async () => {
  const bank = await withRules(['world', returns('once', 1, { times: 1 })]);
  const key = { idempotencyKey: 'k' };
  assert.deepEqual([await balanceOf(bank, 1, key), await balanceOf(bank, 1, key), await balanceOf(bank, 1)], [1, 1, 101]);
});

test('rules that name nothing of the world are refused', async () => {
  const bank = await create();
  const rule = { ...returns('x', 1), operation: { packageId: 'bank', operationId: 'nothing' } };
  await assert.rejects(
    bank.run({ kind: 'setOverrides', scope: 'run', rules: [rule] }),
    (error) => error instanceof ServiceError && error.code === 'control.INVALID_REQUEST',
  );
});
