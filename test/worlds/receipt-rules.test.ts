import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bankWorlds, codeOf } from './bank-kit.js';

const { create } = bankWorlds();
const key = { idempotencyKey: 'key-1' };

test('a repeat gets the first result, has no effect, and is a call all the same', async () => {
  const bank = await create({ budgets: { maxToolCalls: 3, maxEvents: null } });
  const first = await bank.add(5, key);
  const again = await bank.add(5, key);
  assert.deepEqual(again.outcome, first.outcome);
  assert.notEqual(again.callId, first.callId);
  assert.equal(await bank.balance(), 105);
  const { idempotency, replayedFromSequence } = await bank.operation(again.sequence);
  assert.deepEqual({ idempotency, replayedFromSequence }, { idempotency: 'replayed', replayedFromSequence: first.sequence });
  assert.equal((await bank.operation(first.sequence)).idempotency, 'recorded');
  assert.equal((await bank.transaction(again.sequence)).length, 1);
  assert.equal(codeOf(await bank.add(5, key)), 'ok');
  assert.equal(codeOf(await bank.add(5, key)), 'denied TOOL_CALL_BUDGET_EXHAUSTED');
});

test('the same key with other arguments is invalid; the order of members is no difference', async () => {
  const bank = await create();
  await bank.call('pay', { account: 'main', amount: 5 }, key);
  assert.equal(codeOf(await bank.call('pay', { account: 'main', amount: 6 }, key)), 'invalid IDEMPOTENCY_KEY_REUSED');
  const { outcome, sequence } = await bank.call('pay', { amount: 5, account: 'main' }, key);
  assert.deepEqual(outcome, { kind: 'ok', value: { balance: 105 } });
  assert.equal((await bank.operation(sequence)).idempotency, 'replayed');
});

test('a key belongs to the operation of the instance, for all callers', async () => {
  const bank = await create();
  await bank.add(5, key);
  assert.equal(codeOf(await bank.call('pay', { account: 'main', amount: 5 }, key)), 'ok');
  assert.equal(await bank.balance(), 110);
  assert.equal(codeOf(await bank.add(5, { ...key, instanceId: 'bank-two' })), 'ok');
  assert.equal(await bank.balance('main', 'bank-two'), 5);
  const teller = await bank.add(5, { ...key, instanceId: 'bank-two', actorId: 'teller', actorInstanceId: 'north' });
  assert.equal((await bank.operation(teller.sequence)).idempotency, 'replayed');
});

test('a denial is kept for its actor alone, through a reopening: the same call again is the same denial', async () => {
  const bank = await create();
  const denied = { ...key, actorId: 'reader' };
  const first = await bank.add(5, denied);
  assert.equal((await bank.operation(first.sequence)).idempotency, 'recorded');
  const again = await bank.add(5, denied);
  const { idempotency, replayedFromSequence } = await bank.operation(again.sequence);
  assert.deepEqual([again.outcome, idempotency, replayedFromSequence], [first.outcome, 'replayed', first.sequence]);
  // With other arguments it is another call; by another actor another's.
  assert.equal((await bank.operation((await bank.add(6, denied)).sequence)).idempotency, 'not_recorded');
  assert.equal(codeOf(await bank.add(5, key)), 'ok');
  assert.equal(codeOf(await bank.add(5, denied)), 'denied NOT_GRANTED');
});

test('what the service decided is kept; what never happened is not', async () => {
  const bank = await create();
  const first = await bank.add(1001, { idempotencyKey: 'declared' });
  assert.equal((await bank.operation(first.sequence)).idempotency, 'recorded');
  const again = await bank.add(1001, { idempotencyKey: 'declared' });
  assert.deepEqual(again.outcome, first.outcome);
  assert.equal((await bank.operation(again.sequence)).idempotency, 'replayed');
  for (const how of ['throw', 'retryable', 'output', 'undeclared']) {
    for (let round = 0; round < 2; round++) {
      const { sequence } = await bank.call('misbehave', { how }, { idempotencyKey: how });
      assert.equal((await bank.operation(sequence)).idempotency, 'not_recorded', how);
    }
  }
});

test('a failure that kept its effects is the answer to its key, even one that says it may be tried again', async () => {
  const bank = await create();
  for (const how of ['kept', 'kept retryable']) {
    const first = await bank.call('misbehave', { how }, { idempotencyKey: how });
    assert.equal((await bank.operation(first.sequence)).idempotency, 'recorded');
    const { stateHash } = await bank.position();
    await bank.world.passivate();
    const again = await bank.call('misbehave', { how }, { idempotencyKey: how });
    assert.deepEqual(again.outcome, first.outcome);
    assert.equal((await bank.operation(again.sequence)).replayedFromSequence, first.sequence);
    assert.equal((await bank.position()).stateHash, stateHash);
  }
});

test('refusals before the handler keep nothing: the key is free', async () => {
  const bank = await create();
  await bank.add('much' as never, key);
  assert.equal(codeOf(await bank.add(5, { ...key, actorId: 'reader' })), 'denied NOT_GRANTED');
  const { sequence } = await bank.add(5, key);
  assert.equal((await bank.operation(sequence)).idempotency, 'recorded');
});

test('an operation without idempotency ignores the key', async () => {
  const bank = await create();
  const { sequence } = await bank.call('read', { account: 'main' }, key);
  await bank.add(1);
  const second = await bank.call('read', { account: 'main' }, key);
  assert.equal((second.outcome as unknown as { value: { balance: number } }).value.balance, 101);
  assert.equal((await bank.operation(sequence)).idempotency, 'not_recorded');
});

test('a receipt survives passivation', async () => {
  const bank = await create();
  const first = await bank.add(5, key);
  await bank.world.passivate();
  const again = await bank.add(5, key);
  assert.deepEqual(again.outcome, first.outcome);
  assert.equal((await bank.operation(again.sequence)).replayedFromSequence, first.sequence);
});

test('committed, but the answer was lost: a retry with the key gets the success', async () => {
  const bank = await create({ setup: { faults: [{ packageId: 'bank', faultId: 'lost' }] } });
  const first = await bank.add(5, key);
  assert.equal(codeOf(first), 'tool_error BUSY');
  assert.equal(await bank.balance(), 105);
  const entry = await bank.operation(first.sequence);
  assert.deepEqual(entry.committedOutcome, { kind: 'ok', value: { balance: 105 } });
  assert.equal(entry.idempotency, 'recorded');
  const again = await bank.add(5, key);
  assert.deepEqual(again.outcome, { kind: 'ok', value: { balance: 105 } });
  assert.equal(await bank.balance(), 105);
});
