import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { EventEntry } from '../../src/contract/world/evidence.js';
import { dueEvent } from './bank-build.js';
import { type Bank, bankWorlds } from './bank-kit.js';

const { create } = bankWorlds();
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;
const schedule = (bank: Bank, ...events: ReturnType<typeof dueEvent>[]) => bank.run({ kind: 'schedule', events });

test('what is due fires in the order of (time, scheduling), then the clock goes to the target', async () => {
  const bank = await create({ setup: { initialEvents: [dueEvent(700, 1), dueEvent(600, 2)] } });
  await schedule(bank, dueEvent(600, 3), dueEvent(550, 4), dueEvent(10, 5), dueEvent(901, 6));
  const result = await bank.advance(900);
  const { startedUs, reachedUs, scheduledEventsProcessed, status, eventBudgetExhausted, evidenceBeforeSequence, evidenceAfterSequence } =
    result;
  assert.deepEqual(
    { startedUs, reachedUs, scheduledEventsProcessed, status, eventBudgetExhausted },
    { startedUs: 500, reachedUs: 900, scheduledEventsProcessed: 5, status: 'completed', eventBudgetExhausted: false },
  );
  const entries = (await bank.evidence(evidenceBeforeSequence + 1)).filter(({ transactionIndex }) => transactionIndex === 0);
  const fired = entries.slice(0, -1) as EventEntry[];
  assert.deepEqual(
    fired.map(({ payload, virtualTimeUs, scheduledForUs, phase, subscriptionId }) => [
      payload.amount,
      virtualTimeUs,
      scheduledForUs,
      phase,
      subscriptionId,
    ]),
    [
      [5, 500, 500, 'handled', 'on-due'],
      [4, 550, 550, 'handled', 'on-due'],
      [2, 600, 600, 'handled', 'on-due'],
      [3, 600, 600, 'handled', 'on-due'],
      [1, 700, 700, 'handled', 'on-due'],
    ],
  );
  const clock = entries.at(-1);
  assert.deepEqual(clock?.kind === 'clock' && [clock.fromUs, clock.toUs, clock.reason, clock.sequence], [
    700,
    900,
    'explicit',
    evidenceAfterSequence,
  ]);
  assert.equal(new Set(entries.map(({ correlationId }) => correlationId)).size, 1);
  assert.equal(await bank.balance(), 115);
});

test('an event with no subscription is handled all the same', async () => {
  const bank = await create();
  await bank.run({
    kind: 'schedule',
    events: [{ event: { packageId: 'bank', eventId: 'ignored' }, payload: { a: 1 }, atUs: 600, actorId: 'clerk' }],
  });
  assert.equal((await bank.advance(600)).scheduledEventsProcessed, 1);
  const entry = (await bank.evidence()).at(-1);
  assert.deepEqual(entry?.kind === 'event' && [entry.phase, entry.handlerPackageId], ['handled', undefined]);
});

test('an advance to the present is an advance; to the past it is refused', async () => {
  const bank = await create();
  assert.equal((await bank.advance(500)).status, 'completed');
  assert.equal((await bank.evidence()).length, 1, 'a clock that does not move leaves no entry');
  for (const targetUs of [499, 500.5, Number.NaN]) await assert.rejects(bank.advance(targetUs), refused('control.INVALID_REQUEST'));
  for (const maxEvents of [-1, 1.5, 1_000_001]) await assert.rejects(bank.advance(600, maxEvents), refused('control.INVALID_REQUEST'));
});

// FIRE-EVENTS-2
test('budget used up: the clock stays at the last event, and the next advance continues', async () => {
  const bank = await create();
  await schedule(bank, dueEvent(600), dueEvent(700), dueEvent(800));
  const first = await bank.advance(1000, 2);
  assert.deepEqual(
    [first.status, first.eventBudgetExhausted, first.reachedUs, first.scheduledEventsProcessed],
    ['completed', true, 700, 2],
  );
  assert.equal((await bank.evidence()).at(-1)?.kind, 'state_change');
  const none = await bank.advance(1000, 0);
  assert.deepEqual([none.eventBudgetExhausted, none.reachedUs, none.scheduledEventsProcessed], [true, 700, 0]);
  const rest = await bank.advance(1000, 1);
  assert.deepEqual([rest.eventBudgetExhausted, rest.reachedUs, rest.scheduledEventsProcessed], [false, 1000, 1]);
});

test("the run's own budget stops it too", async () => {
  const bank = await create({ budgets: { maxToolCalls: null, maxEvents: 2 } });
  await schedule(bank, dueEvent(600), dueEvent(700), dueEvent(800));
  const result = await bank.advance(1000);
  assert.deepEqual([result.eventBudgetExhausted, result.reachedUs], [true, 700]);
  assert.deepEqual((await bank.world.query({ kind: 'budgets' })).scheduledEvents, { limit: 2, processed: 2, exhausted: true });
  await bank.run({ kind: 'setBudgets', budgets: { maxToolCalls: null, maxEvents: 3 } });
  assert.equal((await bank.advance(1000)).reachedUs, 1000);
});

test('a failing handler stops the advance there: rolled back, marked failed, gone', async () => {
  const bank = await create();
  const { scheduledEventIds } = await schedule(bank, dueEvent(600, 5), dueEvent(700, 561), dueEvent(800, 6));
  const result = await bank.advance(1000);
  assert.deepEqual(
    [result.status, result.reachedUs, result.scheduledEventsProcessed, result.eventBudgetExhausted],
    ['failed', 700, 2, false],
  );
  assert.deepEqual([result.failure?.code, result.failure?.scheduledEventId], ['HANDLER_FAILED', scheduledEventIds[1]]);
  assert.equal(await bank.balance(), 105);
  const failed = (await bank.evidence()).at(-1) as EventEntry;
  assert.deepEqual(
    [failed.phase, failed.scheduledForUs, failed.subscriptionId, failed.error?.code, failed.transactionSize],
    ['failed', 700, 'on-due', 'HANDLER_FAILED', 1],
  );
  const rest = await bank.advance(1000);
  assert.deepEqual([rest.status, rest.scheduledEventsProcessed], ['completed', 1]);
  assert.equal(await bank.balance(), 111);
});

test('a declared failure in a subscription keeps its code', async () => {
  const bank = await create();
  await schedule(bank, dueEvent(600, 2000));
  const { failure } = await bank.advance(1000);
  assert.equal(failure?.code, 'TOO_MUCH');
});

test('what a handler schedules for now fires in the same advance', async () => {
  const bank = await create();
  await bank.call('later', { inUs: -50, account: 'main', amount: 3 });
  const { total, events } = await bank.world.query({ kind: 'pending', limit: 10 });
  assert.deepEqual([total, events[0]?.atUs], [1, 500]);
  assert.equal((await bank.advance(500)).scheduledEventsProcessed, 1);
  assert.equal(await bank.balance(), 103);
  const [scheduled] = (await bank.evidence()).filter((entry) => entry.kind === 'event' && entry.phase === 'scheduled');
  const [fired] = (await bank.evidence()).filter((entry) => entry.kind === 'event' && entry.phase === 'handled' && entry.scheduledEventId);
  assert.equal(fired?.causeSequence, scheduled?.sequence);
});

test('the same key gives the stored result; with another request it is refused', async () => {
  const bank = await create();
  await schedule(bank, dueEvent(600));
  const command = { kind: 'advance' as const, targetUs: 700, maxEvents: 5, operationKey: 'op-1' };
  const first = await bank.run(command);
  await bank.advance(800);
  await bank.world.passivate();
  assert.deepEqual(await bank.run(command), first);
  await assert.rejects(bank.run({ ...command, targetUs: 900 }), refused('control.IDEMPOTENCY_KEY_REUSED'));
  assert.equal((await bank.position()).virtualTimeUs, 800);
});

test('cancelled between slices, it keeps what it has done and says so', async () => {
  const bank = await create();
  for (let from = 0; from < 60_000; from += 20_000) {
    await schedule(bank, ...Array.from({ length: 20_000 }, (_, index) => dueEvent(1000 + from + index, 0, 'other')));
  }
  const abort = new AbortController();
  const progress: number[] = [];
  const advancing = bank.world.command(
    { kind: 'advance', targetUs: 100_000, maxEvents: 100_000 },
    {
      signal: abort.signal,
      onProgress: ({ scheduledEventsProcessed }) => {
        progress.push(scheduledEventsProcessed);
        abort.abort();
      },
    },
  );
  const result = await advancing;
  assert.equal(result.status, 'cancelled');
  assert.ok(progress.length > 0 && result.scheduledEventsProcessed >= (progress[0] as number));
  assert.ok(result.scheduledEventsProcessed < 60_000);
  assert.equal((await bank.row('seen', 'other', { packageId: 'audit' }))?.count, result.scheduledEventsProcessed);
});
