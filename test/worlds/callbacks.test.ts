import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import type { DeliveryRequest } from '../../src/contract/world/delivery-request.js';
import type { FaultEntry } from '../../src/contract/world/evidence.js';
import type { Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import fc from '../fast-check.js';
import { bodyOf, createShop, Shop } from './callback-kit.js';

let worlds: Worlds;
let directory: string;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'drillyard-callbacks-'));
  worlds = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread' });
});
after(async () => {
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
});

async function started(shop: Shop, ...receivers: string[]): Promise<DeliveryRequest> {
  const request = await shop.start(...receivers);
  assert.ok(request, 'a delivery is due');
  return request;
}
const noAnswer = { kind: 'none', reason: 'timeout' } as const;

// TURN-1
test('a callback is queued in the transaction of its event, once a declaration, in the order of the manifest', async () => {
  const shop = await createShop(worlds);
  const { sequence, deliveriesDue } = await shop.order('a');
  assert.equal(deliveriesDue, true);
  const entries = (await shop.evidence()).filter((entry) => entry.sequence >= sequence);
  assert.deepEqual(
    entries.map((entry) => [entry.kind, entry.transactionId === entries[0]!.transactionId]),
    [
      ['operation', true],
      ['state_change', true],
      ['event', true],
      ['callback', true],
      ['callback', true],
    ],
  );
  const queued = await shop.callbacks();
  assert.deepEqual(
    queued.map(({ callbackId, receiverId, phase, causeSequence }) => ({ callbackId, receiverId, phase, causeSequence })),
    [
      { callbackId: 'ordered', receiverId: 'hook', phase: 'queued', causeSequence: sequence + 2 },
      { callbackId: 'audited', receiverId: 'auditor', phase: 'queued', causeSequence: sequence + 2 },
    ],
  );
  assert.notEqual(queued[0]!.deliveryId, queued[1]!.deliveryId);
});

test('a turn that is rolled back queues nothing, and an event that fires queues its own', async () => {
  const shop = await createShop(worlds);
  await shop.call('fail', { id: 'a' });
  assert.deepEqual(await shop.callbacks(), []);
  await shop.call('later', { id: 'b', inUs: 50 });
  await shop.call('later', { id: 'c', inUs: 60, fails: true });
  await shop.advance(1050);
  assert.deepEqual(await shop.phases(), ['queued']);
  assert.equal((await shop.advance(1100)).status, 'failed');
  assert.deepEqual(await shop.phases(), ['queued']);
});

// CALLBACK-ATTEMPTS-1
test('an attempt is evidence before its request is reported; what was answered decides what comes', async () => {
  const shop = await createShop(worlds);
  await shop.order('a');
  const first = await started(shop);
  assert.equal(first.path, '/hooks/ordered');
  assert.deepEqual(first.headers, { 'x-kind': 'order', 'content-type': 'application/json', 'delivery-id': first.deliveryId });
  const event = { packageId: 'shop', instanceId: 'shop', eventId: 'order.made' };
  const reported = {
    callbackId: 'ordered',
    receiverId: 'hook',
    deliveryId: first.deliveryId,
    event,
    payload: { id: 'a' },
    virtualTimeUs: 1000,
  };
  assert.deepEqual(bodyOf(first), { ...reported, attempt: 1 });
  assert.deepEqual(await shop.phases(), ['queued', 'attempt_started']);
  await shop.settle(first, 503);
  assert.equal(await shop.start(), undefined, 'the retry is not due yet');
  assert.ok((await shop.advance(9000, ['hook'])).paused);
  const second = await started(shop);
  assert.deepEqual([second.deliveryId, second.attempt], [first.deliveryId, 2]);
  await shop.settle(second, 204);
  const entries = (await shop.callbacks()).filter(({ receiverId }) => receiverId === 'hook');
  assert.deepEqual(
    entries.map(({ phase, attempt, status, retryAtUs, virtualTimeUs }) => ({ phase, attempt, status, retryAtUs, virtualTimeUs })),
    [
      { phase: 'queued', attempt: undefined, status: undefined, retryAtUs: undefined, virtualTimeUs: 1000 },
      { phase: 'attempt_started', attempt: 1, status: undefined, retryAtUs: undefined, virtualTimeUs: 1000 },
      { phase: 'retry_scheduled', attempt: 1, status: 503, retryAtUs: 1100, virtualTimeUs: 1000 },
      { phase: 'attempt_started', attempt: 2, status: undefined, retryAtUs: undefined, virtualTimeUs: 1100 },
      { phase: 'delivered', attempt: 2, status: 204, retryAtUs: undefined, virtualTimeUs: 1100 },
    ],
  );
  assert.deepEqual(
    entries.slice(1).map(({ causeSequence }) => causeSequence),
    entries.slice(0, -1).map(({ sequence }) => sequence),
  );
});

for (const [answer, phase, code] of [
  [200, 'delivered', undefined],
  [299, 'delivered', undefined],
  [301, 'failed', 'UNEXPECTED_STATUS'],
  [400, 'failed', 'UNEXPECTED_STATUS'],
  [408, 'retry_scheduled', 'UNEXPECTED_STATUS'],
  [425, 'retry_scheduled', 'UNEXPECTED_STATUS'],
  [429, 'retry_scheduled', 'UNEXPECTED_STATUS'],
  [500, 'retry_scheduled', 'UNEXPECTED_STATUS'],
  [599, 'retry_scheduled', 'UNEXPECTED_STATUS'],
  [noAnswer, 'retry_scheduled', 'TIMEOUT'],
  [{ kind: 'none', reason: 'connection' }, 'retry_scheduled', 'CONNECTION_FAILED'],
  [{ kind: 'none', reason: 'address_refused' }, 'failed', 'ADDRESS_REFUSED'],
] as const) {
  test(`${typeof answer === 'number' ? `the status ${answer}` : `no answer (${answer.reason})`} is ${phase}`, async () => {
    const shop = await createShop(worlds);
    await shop.order('a');
    await shop.settle(await started(shop), answer);
    const last = (await shop.callbacks()).at(-1)!;
    assert.deepEqual([last.phase, last.error?.code], [phase, code]);
  });
}

test('a delivery whose retries are used up has failed; an answer to another attempt is nothing', async () => {
  const shop = await createShop(worlds);
  await shop.order('a');
  for (const [targetUs, phase] of [
    [1000, 'retry_scheduled'],
    [1100, 'retry_scheduled'],
    [2100, 'failed'],
  ] as const) {
    await shop.advance(targetUs, ['hook']);
    const request = await started(shop);
    assert.deepEqual(await shop.settle({ ...request, attempt: request.attempt + 1 }, 200), { settled: false });
    assert.deepEqual(await shop.settle(request, 500), { settled: true, phase });
    assert.deepEqual(await shop.settle(request, 200), { settled: false });
  }
  assert.equal((await shop.phases()).at(-1), 'failed');
  assert.equal((await shop.pending()).deliveries.filter(({ receiverId }) => receiverId === 'hook').length, 0);
});

test('time stands still for a receiver that somebody delivers to, before the events of the same moment, and for no other', async () => {
  const shop = await createShop(worlds);
  for (const inUs of [50, 50, 80]) await shop.call('later', { id: `in ${inUs}`, inUs });
  const plain = await shop.advance(1010, ['nobody']);
  assert.deepEqual([plain.status, plain.reachedUs, plain.paused], ['completed', 1010, undefined]);
  const seen: unknown[] = [];
  let result = await shop.advance(2000, ['hook']);
  for (; result.paused !== undefined; result = await again(result.paused)) {
    seen.push([result.reachedUs, result.scheduledEventsProcessed]);
    await shop.settle(await started(shop), 200);
  }
  assert.deepEqual(seen, [
    [1050, 1],
    [1050, 2],
    [1080, 3],
  ]);
  const { startedUs, reachedUs, scheduledEventsProcessed } = result;
  assert.deepEqual([startedUs, reachedUs, scheduledEventsProcessed], [1010, 2000, 3]);

  function again(resume: NonNullable<typeof result.paused>) {
    return shop.world.command({ kind: 'advance', targetUs: 2000, maxEvents: 1000, delivering: { receivers: ['hook'], resume } });
  }
});

test('an advance under a key stands still, survives the end of its host, and is answered once', async () => {
  const shop = await createShop(worlds);
  await shop.call('later', { id: 'a', inUs: 50 });
  const ask = (receivers: string[]) =>
    shop.world.command({ kind: 'advance', targetUs: 2000, maxEvents: 10, operationKey: 'go', delivering: { receivers } });
  assert.ok((await ask(['hook'])).paused);
  await shop.world.command({ kind: 'wait', actorId: 'clerk', untilUs: 1060 });
  await worlds.killHost(0);
  const first = await ask([]);
  assert.deepEqual([first.startedUs, first.reachedUs, first.scheduledEventsProcessed, first.paused], [1000, 2000, 1, undefined]);
  assert.deepEqual(await ask(['hook']), first);
});

test('an advance that stands still is not forgotten for one that is refused, and no reset brings it back', async () => {
  const shop = await createShop(worlds);
  await shop.call('later', { id: 'a', inUs: 50 });
  const ask = (receivers: string[]) =>
    shop.world.command({ kind: 'advance', targetUs: 2000, maxEvents: 10, operationKey: 'go', delivering: { receivers } });
  const standing = async () => (await shop.world.query({ kind: 'pending', limit: 1 })).advance?.requestedUs;
  assert.ok((await ask(['hook'])).paused);
  await assert.rejects(shop.world.command({ kind: 'advance', targetUs: 3000, maxEvents: -1 }), { code: 'control.INVALID_REQUEST' });
  assert.equal(await standing(), 2000);
  const { snapshotId } = await shop.world.command({ kind: 'snapshot' });
  assert.equal((await ask([])).reachedUs, 2000);
  await shop.world.command({ kind: 'reset', snapshotId });
  assert.equal(await standing(), undefined);
});

test('a wait stands still too, and its entry comes when it is over', async () => {
  const shop = await createShop(worlds);
  await shop.call('later', { id: 'a', inUs: 50 });
  const wait = { kind: 'wait', actorId: 'clerk', untilUs: 3000 } as const;
  const paused = await shop.world.command({ ...wait, delivering: { receivers: ['hook'] } });
  assert.deepEqual(paused.outcome, { kind: 'ok', value: { virtualTimeUs: 1050, reached: false } });
  await shop.settle(await started(shop), 200);
  const done = await shop.world.command({ ...wait, delivering: { receivers: ['hook'], resume: paused.paused! } });
  assert.deepEqual([done.outcome, done.paused], [{ kind: 'ok', value: { virtualTimeUs: 3000, reached: true } }, undefined]);
  const waits = (await shop.evidence()).filter((entry) => entry.kind === 'operation' && entry.invocation.packageId === 'world');
  assert.equal(waits.length, 1);
  assert.equal(waits[0]!.correlationId, paused.correlationId);
});

// CALLBACK-ATTEMPTS-1, OUTBOX-2
test('an attempt that nobody settles is recovered and goes out again under the same id, in another incarnation too', async () => {
  const shop = await createShop(worlds);
  await shop.order('a');
  const first = await started(shop);
  await worlds.killHost(0);
  assert.equal((await shop.pending()).deliveries[0]!.inFlight, true);
  const second = await started(shop);
  assert.deepEqual([second.deliveryId, second.attempt], [first.deliveryId, 2]);
  assert.deepEqual(await shop.phases(), ['queued', 'attempt_started', 'recovered', 'attempt_started']);
  await shop.settle(second, 200);
  assert.deepEqual((await shop.phases()).at(-1), 'delivered');
});

test('a codec that breaks, or writes headers that are not its own, fails the delivery without an attempt', async () => {
  const shop = await createShop(worlds);
  for (const id of ['broken', 'smuggled', 'split']) await shop.order(id);
  assert.equal(await shop.start(), undefined);
  const failed = (await shop.callbacks()).filter(({ phase }) => phase === 'failed');
  assert.deepEqual(
    failed.map(({ error, attempt }) => [error?.code, attempt]),
    [1, 2, 3].map(() => ['ENCODING_FAILED', undefined]),
  );
});

test('faults: a delivery is sent twice, forged, dropped, held back or overtaken, and each is evidence', async () => {
  const faultsOf = async (shop: Shop) => (await shop.evidence()).filter((entry): entry is FaultEntry => entry.kind === 'fault');
  const twice = await createShop(worlds, ['twice']);
  await twice.order('a');
  assert.equal((await started(twice)).fault, 'duplicate');
  const forged = await createShop(worlds, ['forged']);
  await forged.order('a');
  const request = await started(forged);
  assert.equal(request.fault, 'bad_signature');
  await forged.settle(request, 500);
  await forged.advance(1100, ['hook']);
  assert.equal((await started(forged)).fault, undefined);

  const lost = await createShop(worlds, ['lost']);
  await lost.order('a');
  assert.equal(await lost.start(), undefined);
  assert.deepEqual(await lost.phases(), ['queued', 'attempt_started', 'retry_scheduled']);
  const [drop] = await faultsOf(lost);
  const { deliveryId } = (await lost.callbacks())[0]!;
  assert.deepEqual(
    [drop!.timing, drop!.delivery, drop!.callbackId, drop!.deliveryId, drop!.operationId],
    ['delivery', 'drop', 'ordered', deliveryId, undefined],
  );

  const late = await createShop(worlds, ['late']);
  await late.order('a');
  assert.equal(await late.start(), undefined);
  assert.equal((await faultsOf(late))[0]!.dueUs, 1500);
  assert.equal((await late.advance(9000, ['hook'])).reachedUs, 1500);
  assert.equal((await started(late)).attempt, 1);

  const crossed = await createShop(worlds, ['crossed']);
  await crossed.order('a');
  await crossed.order('b');
  const order = [];
  for (let next = await crossed.start(); next !== undefined; next = await crossed.start()) {
    order.push(bodyOf(next).payload.id);
    await crossed.settle(next, 200);
  }
  assert.deepEqual(order, ['b', 'a']);
});

test('a delivery that is held back for another goes at its time when no other comes', async () => {
  const shop = await createShop(worlds, ['crossed']);
  await shop.order('a');
  assert.equal(await shop.start(), undefined);
  assert.equal((await shop.advance(9000, ['hook'])).reachedUs, 1500);
  assert.ok(await shop.start());
});

test('dropped for good, a delivery fails in virtual time alone', async () => {
  const shop = await createShop(worlds, ['gone']);
  await shop.order('a');
  for (let times = 0; times < 3; times++) {
    assert.equal(await shop.start(), undefined);
    await shop.advance(9000, ['hook']);
  }
  assert.equal((await shop.phases()).at(-1), 'failed');
});

test('a fork, now or at any entry, has the outbox of that moment; ids are its own', async () => {
  const shop = await createShop(worlds);
  await shop.order('a');
  const first = await started(shop);
  await shop.settle(first, 503);
  await shop.order('b');
  const inFlight = await started(shop);
  const entries = await shop.evidence();
  const whole = entries
    .filter(({ transactionIndex, transactionSize }) => transactionIndex === transactionSize - 1)
    .map(({ sequence }) => sequence);
  const pending = (deliveries: Awaited<ReturnType<Shop['pending']>>['deliveries']) =>
    deliveries.map(({ deliveryId: _, ...rest }) => ({ ...rest })).map((delivery) => JSON.stringify(delivery));
  const now = pending((await shop.pending()).deliveries);
  const forks: Shop[] = [];
  for (const [index, atSequence] of [undefined, whole.at(-1)].entries()) {
    const request = { worldId: `world_fork${String(index).padStart(12, '0')}`, ...(atSequence === undefined ? {} : { atSequence }) };
    forks.push(new Shop((await shop.world.fork(request)).world));
  }
  for (const fork of forks) assert.deepEqual(pending((await fork.pending()).deliveries), now);
  const early = new Shop((await shop.world.fork({ worldId: 'world_fork00000000early', atSequence: first.attempt + 6 })).world);
  assert.deepEqual(
    (await early.pending()).deliveries.map(({ callbackId, attempts, inFlight: sent }) => [callbackId, attempts, sent]),
    [
      ['ordered', 1, true],
      ['audited', 0, false],
    ],
  );
  for (const fork of forks) {
    const recovered = await started(fork);
    assert.notEqual(recovered.deliveryId, inFlight.deliveryId);
    assert.deepEqual(bodyOf(recovered).payload, { id: 'b' });
    assert.deepEqual(await fork.phases(), ['recovered', 'attempt_started']);
    await fork.settle(recovered, 200);
  }
  await shop.settle(inFlight, 200);
  assert.equal((await shop.phases()).at(-1), 'delivered', 'the parent knows nothing of it');
});

// OUTBOX-1
test('whatever was done, a fork at any transaction has the outbox that was there', async () => {
  const step = fc.oneof(
    fc.constant({ kind: 'order' as const }),
    fc.record({ kind: fc.constant('later' as const), inUs: fc.integer({ min: 1, max: 500 }) }),
    fc.record({ kind: fc.constant('attempt' as const), status: fc.constantFrom(200, 404, 503) }),
    fc.record({ kind: fc.constant('advance' as const), byUs: fc.integer({ min: 0, max: 400 }) }),
    fc.constant({ kind: 'snapshot' as const }),
  );
  let forks = 0;
  const pendingOf = async (shop: Shop) =>
    (await shop.pending()).deliveries.map(({ deliveryId, ...rest }) => ({ ...rest, ordinal: deliveryId.slice(-10) }));
  const law = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
    const shop = await createShop(worlds, ['crossed', 'lost']);
    const seen: { sequence: number; deliveries: unknown }[] = [];
    for (const [index, one] of steps.entries()) {
      if (one.kind === 'order') await shop.order(`o${index}`);
      if (one.kind === 'later') await shop.call('later', { id: `l${index}`, inUs: one.inUs });
      if (one.kind === 'advance') await shop.advance((await shop.world.query({ kind: 'position' })).virtualTimeUs + one.byUs, ['hook']);
      if (one.kind === 'snapshot') await shop.world.command({ kind: 'snapshot' });
      if (one.kind === 'attempt') {
        const request = await shop.start();
        if (request !== undefined) await shop.settle(request, one.status);
      }
      seen.push({ sequence: (await shop.world.query({ kind: 'position' })).evidenceSequence, deliveries: await pendingOf(shop) });
    }
    for (const { sequence, deliveries } of seen) {
      const { world } = await shop.world.fork({ worldId: `world_law${String(forks++).padStart(12, '0')}`, atSequence: sequence });
      assert.deepEqual(await pendingOf(new Shop(world)), deliveries);
    }
  });
  await fc.assert(law, { numRuns: 12, seed: 5 });
});

test('a reset goes back to the start, or gives up what a package sends; in flight, it is refused', async () => {
  const shop = await createShop(worlds);
  await shop.order('a');
  const { snapshotId } = await shop.world.command({ kind: 'snapshot' });
  const request = await started(shop);
  for (const reset of [{}, { packages: ['shop'] }, { snapshotId }]) {
    await assert.rejects(shop.world.command({ kind: 'reset', ...reset }), (error: ServiceError) => error.code === 'control.STATE_CONFLICT');
  }
  await shop.settle(request, 500);
  await shop.world.command({ kind: 'reset', packages: ['shop'] });
  assert.deepEqual(
    (await shop.callbacks()).filter(({ phase }) => phase === 'failed').map(({ error }) => error?.code),
    ['PACKAGE_RESET', 'PACKAGE_RESET'],
  );
  assert.equal((await shop.pending()).deliveriesTotal, 0);
  await shop.world.command({ kind: 'reset', snapshotId });
  assert.equal((await shop.pending()).deliveriesTotal, 2);
  assert.equal((await started(shop)).deliveryId, request.deliveryId);
  await shop.settle(await started(shop), 200);
  await shop.world.command({ kind: 'reset' });
  assert.equal((await shop.pending()).deliveriesTotal, 0);
});

// OUTBOX-3
test('the outbox is there after the world has left the memory, and after a merge of layers', async () => {
  const shop = await createShop(worlds);
  await shop.order('a');
  for (let times = 0; times < 10; times++) {
    await shop.order(`b${times}`);
    await shop.world.command({ kind: 'snapshot' });
    await shop.settle(await started(shop), 200);
  }
  const before = (await shop.pending()).deliveries;
  await shop.world.passivate();
  assert.deepEqual((await shop.pending()).deliveries, before);
  assert.equal(before.length, 12);
});

test('an outbox holds so many; one more is given up at once, in evidence', async () => {
  const shop = await createShop(worlds);
  for (let times = 0; times < 5; times++) await shop.call('burst', { count: 10_000 });
  assert.equal((await shop.pending()).deliveriesTotal, 100_000);
  const { sequence } = await shop.order('late');
  const { entries } = await shop.world.query({ kind: 'evidence', fromSequence: sequence, limit: 100 });
  assert.deepEqual(
    entries.flatMap((entry) => (entry.kind === 'callback' ? [[entry.phase, entry.error?.code]] : [])),
    [
      ['queued', undefined],
      ['failed', 'OUTBOX_FULL'],
      ['queued', undefined],
      ['failed', 'OUTBOX_FULL'],
    ],
  );
});
