import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { EventEntry } from '../../src/contract/world/evidence.js';
import { dueEvent } from './bank-build.js';
import { bankWorlds } from './bank-kit.js';

const { create } = bankWorlds();
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

test('events are scheduled all or none, each with its entry, none before now', async () => {
  const bank = await create();
  const { scheduledEventIds } = await bank.run({ kind: 'schedule', events: [dueEvent(700), dueEvent(3), dueEvent(600)] });
  const entries = (await bank.evidence(2)) as EventEntry[];
  assert.deepEqual(
    entries.map(({ phase, scheduledForUs, scheduledEventId, transactionSize }) => [
      phase,
      scheduledForUs,
      scheduledEventId,
      transactionSize,
    ]),
    [
      ['scheduled', 700, scheduledEventIds[0], 3],
      ['scheduled', 500, scheduledEventIds[1], 3],
      ['scheduled', 600, scheduledEventIds[2], 3],
    ],
  );
  const wrong = [
    { ...dueEvent(1), actorId: 'nobody' },
    { ...dueEvent(1), event: { packageId: 'bank', eventId: 'none' } },
    dueEvent(1, 'x'),
    dueEvent(1.5),
    { ...dueEvent(1), event: { packageId: 'bank', instanceId: 'bank-three', eventId: 'due' } },
  ];
  await assert.rejects(bank.run({ kind: 'schedule', events: [dueEvent(800), ...wrong] }), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual(
      error.extra.issues?.map(({ path }) => path),
      ['/events/1/actorId', '/events/2/event', '/events/3/payload/amount', '/events/4/atUs', '/events/5/event'],
    );
    return true;
  });
  assert.equal((await bank.world.query({ kind: 'pending', limit: 10 })).total, 3);
});

// PACKED-SCHEDULE-1, PACKED-SCHEDULE-2
test('events that travel packed are scheduled, or refused, as those that travel one by one', async () => {
  const note = 'é😀 "quoted", [1, 2]';
  const unordered = { z: { y: [-0, 1e21], x: undefined as never, a: '\\ud' }, b: -0, a: true };
  const sound = [
    dueEvent(700, 3),
    { ...dueEvent(3), event: { packageId: 'bank', instanceId: 'bank', eventId: 'due' } },
    { event: { packageId: 'bank', eventId: 'ignored' }, payload: { note, '10': null, '9': [] }, atUs: 2 ** 40, actorId: 'clerk' },
    { event: { packageId: 'bank', eventId: 'ignored' }, payload: unordered, atUs: 2 ** 41, actorId: 'clerk' },
    dueEvent(700, 4),
  ];
  const of = (change: object) => [...sound, { ...dueEvent(900), ...change } as never, { ...dueEvent(900, 'x'), actorId: 'nobody' }];
  const lists = [
    sound,
    [],
    of({}),
    of({ actorId: 'no body' }),
    of({ actorId: 7 }),
    of({ actorInstanceId: 'x' }),
    of({ atUs: 1.5 }),
    of({ payload: { amount: 1, at: new Date(0) } }),
    of({ payload: [] }),
    of({ event: { packageId: 'bank due', eventId: 'x' } }),
  ];
  const outcomes = await Promise.all(
    // Under a key they travel as they are.
    [false, true].map(async (isKeyed) => {
      const bank = await create();
      const outcomes: unknown[] = [];
      for (const [index, events] of lists.entries()) {
        const asked = bank.run({ kind: 'schedule', events, ...(isKeyed && { operationKey: `list ${index}` }) });
        outcomes.push(await asked.catch((error: ServiceError) => [error.code, error.message, error.extra.issues]));
      }
      return [outcomes, await bank.position(), await bank.world.query({ kind: 'pending', limit: 10 })];
    }),
  );
  assert.deepEqual(outcomes[0], outcomes[1]);
  assert.equal((outcomes[0]?.[0] as unknown[]).filter(Array.isArray).length, lists.length - 2);
});

test('pending events are listed the earliest first, ties in the order of scheduling', async () => {
  const bank = await create();
  await bank.run({ kind: 'schedule', events: [dueEvent(700, 1), dueEvent(600, 2), dueEvent(700, 3), dueEvent(650, 4)] });
  const { total, events } = await bank.world.query({ kind: 'pending', limit: 3 });
  assert.deepEqual(
    [total, events.map(({ atUs, payload }) => [atUs, payload.amount])],
    [
      4,
      [
        [600, 2],
        [650, 4],
        [700, 1],
      ],
    ],
  );
});

test('a cancelled event never fires, and says so once', async () => {
  const bank = await create();
  const { scheduledEventIds } = await bank.run({ kind: 'schedule', events: [dueEvent(600), dueEvent(700)] });
  const cancel = () => bank.run({ kind: 'cancelEvent', scheduledEventId: scheduledEventIds[0] as string });
  assert.deepEqual([await cancel(), await cancel()], [{ cancelled: true }, { cancelled: false }]);
  await bank.world.passivate();
  assert.equal((await bank.advance(1000)).scheduledEventsProcessed, 1);
  const phases = (await bank.evidence())
    .filter((entry) => entry.kind === 'event' && entry.scheduledEventId === scheduledEventIds[0])
    .map((entry) => (entry as EventEntry).phase);
  assert.deepEqual(phases, ['scheduled', 'cancelled']);
  for (const scheduledEventId of ['', 'pending_', scheduledEventIds[1] as string, 'pending_000000000000000000000000zz']) {
    assert.deepEqual(await bank.run({ kind: 'cancelEvent', scheduledEventId }), { cancelled: false });
  }
});

test('verification is evidence', async () => {
  const bank = await create();
  const result = { verdict: 'passed' as const, assertions: [{ assertionId: 'a', status: 'passed', gate: true }] };
  const { sequence } = await bank.run({ kind: 'verify', checkpointId: 'c', checkpointKind: 'final', result });
  const [entry] = await bank.evidence(sequence);
  assert.deepEqual(entry?.kind === 'verification' && [entry.checkpointId, entry.checkpointKind, entry.result], ['c', 'final', result]);
});

test('a closed world answers and never changes', async () => {
  const bank = await create();
  await bank.add(5);
  const { position } = await bank.run({ kind: 'close' });
  assert.deepEqual(await bank.run({ kind: 'close' }), { position });
  await bank.world.passivate();
  await assert.rejects(bank.add(5), refused('control.STATE_CONFLICT'));
  await assert.rejects(bank.advance(1000), refused('control.STATE_CONFLICT'));
  assert.deepEqual(await bank.position(), position);
  assert.equal(await bank.balance(), 105);
  const last = (await bank.evidence()).at(-1);
  assert.equal(last?.kind === 'lifecycle' && last.phase, 'world_closed');
});

test('budgets are numbers or nothing', async () => {
  const bank = await create();
  for (const maxEvents of [-1, 1.5, 'x' as never])
    await assert.rejects(bank.run({ kind: 'setBudgets', budgets: { maxToolCalls: null, maxEvents } }), refused('control.INVALID_REQUEST'));
  const usage = await bank.run({ kind: 'setBudgets', budgets: { maxToolCalls: 5, maxEvents: 6 } });
  assert.deepEqual([usage.toolCalls.limit, usage.scheduledEvents.limit], [5, 6]);
});
