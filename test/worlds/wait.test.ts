import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueEvent } from './bank-build.js';
import { type Bank, bankWorlds } from './bank-kit.js';

const { create } = bankWorlds();
const wait = (bank: Bank, untilUs?: number, actorId = 'clerk') =>
  bank.run({ kind: 'wait', actorId, ...(untilUs === undefined ? {} : { untilUs }) });

test('to the next event: everything due then fires, and the wait is the entry that tells', async () => {
  const bank = await create({ setup: { initialEvents: [dueEvent(700), dueEvent(700, 2), dueEvent(900)] } });
  const { outcome, virtualTimeUs, advance, correlationId } = await wait(bank);
  assert.deepEqual(outcome, { kind: 'ok', value: { virtualTimeUs: 700, reached: true } });
  assert.deepEqual([virtualTimeUs, advance?.scheduledEventsProcessed], [700, 2]);
  const entry = (await bank.evidence()).at(-1);
  assert.ok(entry?.kind === 'operation');
  assert.deepEqual(
    [entry.invocation.packageId, entry.invocation.operationId, entry.actorId, entry.correlationId],
    ['world', 'clock.wait', 'clerk', correlationId],
  );
  assert.equal(await bank.balance(), 103);
});

test('to a time: the clock moves on, with its own reason', async () => {
  const bank = await create({ setup: { initialEvents: [dueEvent(600)] } });
  await wait(bank, 800);
  const [operation, clock] = (await bank.evidence()).slice(-2);
  assert.deepEqual(clock?.kind === 'clock' && [clock.fromUs, clock.toUs, clock.reason, clock.causeSequence], [
    600,
    800,
    'wait',
    operation?.sequence,
  ]);
});

test('with nothing to wait for, it is now', async () => {
  const bank = await create();
  assert.deepEqual((await wait(bank)).outcome, { kind: 'ok', value: { virtualTimeUs: 500, reached: true } });
});

test('without the grant it is denied; into the past it is invalid; both are entries', async () => {
  const bank = await create();
  const denied = await wait(bank, 600, 'reader');
  assert.deepEqual([denied.outcome.kind, denied.virtualTimeUs, denied.advance], ['denied', 500, undefined]);
  assert.equal((await wait(bank, 499)).outcome.kind, 'invalid');
  assert.equal((await wait(bank, 600.5)).outcome.kind, 'invalid');
  assert.deepEqual(
    (await bank.evidence()).slice(1).map((entry) => entry.kind === 'operation' && entry.outcome.kind),
    ['denied', 'invalid', 'invalid'],
  );
});

test('to what is no finite number: refused without an entry, as no journal holds it', async () => {
  const bank = await create();
  const before = await bank.evidence();
  for (const untilUs of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '600' as unknown as number])
    await assert.rejects(wait(bank, untilUs), { code: 'control.INVALID_REQUEST' });
  assert.deepEqual(await bank.evidence(), before);
  assert.equal((await wait(bank, 600)).virtualTimeUs, 600);
});

test("within the run's budget, and it is no tool call", async () => {
  const bank = await create({ budgets: { maxToolCalls: 0, maxEvents: 1 }, setup: { initialEvents: [dueEvent(600), dueEvent(700)] } });
  const { outcome, advance } = await wait(bank, 800);
  assert.deepEqual(outcome, { kind: 'ok', value: { virtualTimeUs: 600, reached: false } });
  assert.equal(advance?.eventBudgetExhausted, true);
  const usage = await bank.world.query({ kind: 'budgets' });
  assert.deepEqual([usage.toolCalls.attempted, usage.scheduledEvents.exhausted], [0, true]);
});

test('a handler that fails meanwhile ends the wait; the agent only learns that it is not there yet', async () => {
  const bank = await create({ setup: { initialEvents: [dueEvent(600, 2000)] } });
  const { outcome, advance } = await wait(bank, 800);
  assert.deepEqual(outcome, { kind: 'ok', value: { virtualTimeUs: 600, reached: false } });
  assert.equal(advance?.status, 'failed');
});
