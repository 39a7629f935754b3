import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { DeliveringWorld } from '../../src/callbacks/delivering-world.js';
import { Receivers } from '../../src/callbacks/receivers.js';
import type { ServiceError } from '../../src/contract/errors.js';
import type { Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { createShop, Shop } from '../worlds/callback-kit.js';
import { startReceiver, type TestReceiver } from './receiver-kit.js';

let worlds: Worlds;
let directory: string;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'drillyard-delivering-'));
  worlds = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread' });
});
after(async () => {
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Called {
  shop: Shop;
  hook: TestReceiver;
  receivers: Receivers;
  world: DeliveringWorld;
  /** Ends every receiver. */
  end: AbortController;
}
async function toldShop(
  t: TestContext,
  { answer, faults = [] }: { answer?: TestReceiver['answer']; faults?: string[] } = {},
): Promise<Called> {
  const hook = await startReceiver(answer);
  t.after(() => hook.close());
  const end = new AbortController();
  const receivers = new Receivers({ known: ['hook', 'auditor'], fixed: { hook }, signal: end.signal });
  const world = new DeliveringWorld((await createShop(worlds, faults)).world, receivers);
  return { shop: new Shop(world), hook, receivers, world, end };
}
const payloads = ({ arrivals }: TestReceiver): unknown[] => arrivals.map(({ body }) => JSON.parse(body).payload.id);

// DELIVERING-WORLD-2
test('what a call makes due is delivered before the call is answered; what nobody receives waits', async (t) => {
  const { shop, hook } = await toldShop(t);
  const result = await shop.order('a');
  assert.equal('deliveriesDue' in result, false);
  assert.deepEqual(payloads(hook), ['a']);
  assert.deepEqual(await shop.phases(), ['queued', 'attempt_started', 'delivered']);
  assert.deepEqual(await shop.phases('auditor'), ['queued']);
  const { deliveries } = await shop.pending();
  assert.deepEqual(
    deliveries.map(({ receiverId, attempts, inFlight }) => [receiverId, attempts, inFlight]),
    [['auditor', 0, false]],
  );
});

// CALLBACK-ATTEMPTS-2, DELIVERING-WORLD-3
test('an advance delivers at the time of each event and of each retry, and answers as if it had not stopped', async (t) => {
  const times: number[] = [];
  const called = await toldShop(t, {
    answer: async () => {
      times.push((await called.shop.world.query({ kind: 'position' })).virtualTimeUs);
      return times.length === 1 ? 503 : 200;
    },
  });
  const { shop } = called;
  await shop.call('later', { id: 'a', inUs: 50 });
  await shop.call('later', { id: 'b', inUs: 300 });
  const result = await shop.world.command({ kind: 'advance', targetUs: 9000, maxEvents: 10 });
  assert.deepEqual(times, [1050, 1150, 1300]);
  assert.deepEqual([result.startedUs, result.reachedUs, result.scheduledEventsProcessed, result.paused], [1000, 9000, 2, undefined]);
  const clocks = (await shop.evidence()).filter((entry) => entry.kind === 'clock');
  assert.deepEqual(
    clocks.map((entry) => entry.kind === 'clock' && [entry.fromUs, entry.toUs, entry.reason]),
    [
      [1050, 1150, 'scheduled_work'],
      [1300, 9000, 'explicit'],
    ],
  );
});

test('two runs of the same leave the same evidence', async (t) => {
  const lines: string[] = [];
  for (let run = 0; run < 2; run++) {
    const called: Called = await toldShop(t, {
      answer: async ({ body }) => {
        const { payload } = JSON.parse(body);
        if (payload.inUs !== undefined) await called.shop.order(`for ${payload.id}`);
        return called.hook.arrivals.length % 3 === 0 ? 500 : 204;
      },
      faults: ['twice', 'lost'],
    });
    for (const inUs of [70, 10, 10, 200]) await called.shop.call('later', { id: `in ${inUs}`, inUs });
    await called.shop.world.command({ kind: 'wait', actorId: 'clerk', untilUs: 1100 });
    await called.shop.world.command({ kind: 'advance', targetUs: 9000, maxEvents: 100 });
    lines.push((await called.shop.world.query({ kind: 'evidenceLines', fromSequence: 1, limit: 500 })).lines);
  }
  assert.ok(lines[0]!.length > 10_000);
  assert.equal(lines[0], lines[1]);
});

// DELIVERING-WORLD-1, DELIVERING-WORLD-2
test('a receiver that calls the world, or waits in it, is served while it is called', async (t) => {
  const called = await toldShop(t, {
    answer: async ({ body }) => {
      const { payload } = JSON.parse(body);
      if (payload.id === 'a') {
        await called.shop.order('from the receiver');
        await called.shop.world.command({ kind: 'wait', actorId: 'clerk', untilUs: 1500 });
      }
      return 204;
    },
  });
  const { shop, hook } = called;
  await shop.call('later', { id: 'meanwhile', inUs: 100 });
  await shop.order('a');
  assert.deepEqual(payloads(hook), ['a', 'from the receiver', 'meanwhile']);
  const phases = (await shop.callbacks())
    .filter(({ receiverId }) => receiverId === 'hook')
    .map(({ phase, deliveryId }) => `${deliveryId.slice(-1)} ${phase}`);
  assert.equal(phases.filter((phase) => phase.endsWith('delivered')).length, 3);
  assert.ok(phases.indexOf('1 delivered') < phases.indexOf('3 attempt_started'), 'one at a time');
});

// DELIVERING-WORLD-2
test('what a call makes due in the moment in which the deliveries of another end is delivered too', async (t) => {
  const hook = await startReceiver();
  t.after(() => hook.close());
  const receivers = new Receivers({ known: ['hook'], fixed: { hook }, signal: new AbortController().signal });
  const { world } = await createShop(worlds);
  let asked = 0;
  let second: Promise<unknown> | undefined;
  /** Calls as another agent when the deliveries are asked for the last time. */
  const watched = new Proxy(world, {
    get: (of, name) => {
      const value = Reflect.get(of, name);
      if (name !== 'command') return typeof value === 'function' ? value.bind(of) : value;
      return (command: { kind: string }, options: object) => {
        const answer = value.call(of, command, options);
        if (command.kind === 'startDelivery' && ++asked === 2) second = other.order('b');
        return answer;
      };
    },
  });
  const other = new Shop(new DeliveringWorld(watched, receivers));
  await other.order('a');
  await second;
  assert.deepEqual(payloads(hook), ['a', 'b']);
});

// CALLBACK-ATTEMPTS-2
test('a receiver may come and go; what is due then is delivered with the next call', async (t) => {
  const { shop, receivers } = await toldShop(t);
  const auditor = await startReceiver();
  t.after(() => auditor.close());
  await shop.order('a');
  const end = receivers.bind('auditor', auditor);
  assert.throws(
    () => receivers.bind('auditor', auditor),
    (error: ServiceError) => error.code === 'control.STATE_CONFLICT',
  );
  assert.throws(
    () => receivers.bind('nobody', auditor),
    (error: ServiceError) => error.code === 'control.NOT_FOUND',
  );
  await shop.order('b');
  assert.deepEqual(
    auditor.arrivals.map(({ method, body }) => [method, body]),
    [
      ['PUT', 'a'],
      ['PUT', 'b'],
    ],
  );
  end();
  await shop.order('c');
  assert.equal(auditor.arrivals.length, 2);
});

test('a receiver that goes while it is called is tried again later, and the call is answered', async (t) => {
  const called = await toldShop(t, { answer: () => called.end.abort() });
  const result = await called.shop.order('a');
  assert.equal(result.outcome.kind, 'ok');
  assert.deepEqual(await called.shop.phases(), ['queued', 'attempt_started', 'retry_scheduled']);
});

test('a cancel ends an advance where it stands', async (t) => {
  const cancel = new AbortController();
  const { shop } = await toldShop(t, { answer: () => cancel.abort() });
  await shop.call('later', { id: 'a', inUs: 50 });
  await shop.call('later', { id: 'b', inUs: 60 });
  const result = await shop.world.command({ kind: 'advance', targetUs: 9000, maxEvents: 10 }, { signal: cancel.signal });
  assert.deepEqual([result.status, result.reachedUs, result.scheduledEventsProcessed], ['cancelled', 1050, 1]);
});

// DELIVERING-WORLD-4
test('what a cancel broke off says nothing of the receiver: it goes out again before time moves on', async (t) => {
  const cancel = new AbortController();
  const called = await toldShop(t, { answer: () => (called.hook.arrivals.length === 1 ? cancel.abort() : 204) });
  const { shop } = called;
  await shop.call('later', { id: 'a', inUs: 50 });
  await shop.call('later', { id: 'b', inUs: 60 });
  await shop.world.command({ kind: 'advance', targetUs: 9000, maxEvents: 10 }, { signal: cancel.signal });
  assert.deepEqual(await shop.phases(), ['queued', 'attempt_started']);
  await shop.world.command({ kind: 'advance', targetUs: 9000, maxEvents: 10 });
  assert.deepEqual(await shop.phases(), [
    ...['queued', 'attempt_started', 'recovered', 'attempt_started', 'delivered'],
    ...['queued', 'attempt_started', 'delivered'],
  ]);
  assert.deepEqual(
    (await shop.callbacks()).filter(({ phase }) => phase === 'delivered').map(({ virtualTimeUs }) => virtualTimeUs),
    [1050, 1060],
  );
});

// DELIVERING-WORLD-3, DELIVERING-WORLD-4
test('what an earlier incarnation left, or the end of this one broke off, is delivered before time moves on', async (t) => {
  for (const how of ['died', 'left'] as const) {
    const leaving = new AbortController();
    const hook = await startReceiver(() => (how === 'left' && hook.arrivals.length === 1 ? leaving.abort() : 204));
    t.after(() => hook.close());
    const { world } = await createShop(worlds, []);
    const receivers = (): Receivers => new Receivers({ known: ['hook', 'auditor'], fixed: { hook }, signal: new AbortController().signal });
    await new Shop(world).call('later', { id: 'a', inUs: 50 });
    await new Shop(world).call('later', { id: 'b', inUs: 60 });
    await world.command({ kind: 'advance', targetUs: 1050, maxEvents: 10 });
    if (how === 'died') await world.command({ kind: 'startDelivery', receivers: ['hook'] });
    else {
      const current = receivers().current();
      const first = { ...current.get('hook')!, leaving: leaving.signal };
      await new DeliveringWorld(world, { current: () => new Map([['hook', first]]) }).deliver();
    }
    const next = new Shop(new DeliveringWorld(world, receivers()));
    assert.deepEqual(await next.phases(), ['queued', 'attempt_started'], how);
    await next.world.command({ kind: 'advance', targetUs: 9000, maxEvents: 10 });
    const delivered = (await next.callbacks()).filter(({ phase, receiverId }) => phase === 'delivered' && receiverId === 'hook');
    assert.deepEqual(
      delivered.map(({ virtualTimeUs }) => virtualTimeUs),
      [1050, 1060],
      how,
    );
  }
});

// DELIVERING-WORLD-4
test('where the sender ends, an advance or a wait ends with it: time moves past nothing that it broke off', async (t) => {
  const untilUs = 9000;
  const commands = [
    { kind: 'advance', targetUs: untilUs, maxEvents: 10, operationKey: 'op_1' },
    { kind: 'wait', actorId: 'clerk', untilUs },
  ] as const;
  for (const command of commands)
    for (const asked of ['before', 'meanwhile'] as const) {
      const about = `${command.kind} ${asked}`;
      const leaving = new AbortController();
      const hook = await startReceiver(() => (hook.arrivals.length === 1 ? begun() : 204));
      t.after(() => hook.close());
      const { world } = await createShop(worlds);
      const bound = new Receivers({ known: ['hook', 'auditor'], fixed: { hook }, signal: new AbortController().signal });
      const first = new Map([['hook', { ...bound.current().get('hook')!, leaving: leaving.signal }]]);
      const ending = new DeliveringWorld(world, {
        current: () => (leaving.signal.aborted ? new Map() : first),
        get isLeaving() {
          return leaving.signal.aborted;
        },
      });
      await new Shop(world).call('later', { id: 'a', inUs: 50 });
      await new Shop(world).call('later', { id: 'b', inUs: 60 });
      let asking: Promise<unknown> | undefined;
      const begun = (): void => {
        // A wait of a receiver is served while it is called.
        if (asked === 'meanwhile' && command.kind === 'advance') asking = ending.command(command);
        leaving.abort();
      };
      if (asked === 'before') asking = ending.command(command);
      else {
        await world.command({ kind: 'advance', targetUs: 1050, maxEvents: 10 });
        await ending.deliver();
        asking ??= ending.command(command);
      }
      await assert.rejects(asking!, (error: ServiceError) => error.code === 'control.UNAVAILABLE', about);
      const next = new Shop(new DeliveringWorld(world, bound));
      assert.equal((await next.world.query({ kind: 'position' })).virtualTimeUs, 1050, about);
      await next.world.command(command);
      const delivered = (await next.callbacks()).filter(({ phase }) => phase === 'delivered');
      assert.deepEqual(
        delivered.map(({ virtualTimeUs }) => virtualTimeUs),
        [1050, 1060],
        about,
      );
      assert.equal((await next.world.query({ kind: 'position' })).virtualTimeUs, untilUs, about);
    }
});

// DELIVERING-WORLD-3
test('an attempt that a snapshot has goes out again before time moves, once the world was reset to it', async (t) => {
  let snapshotId = '';
  const called = await toldShop(t, {
    answer: async () => {
      if (called.hook.arrivals.length === 1) snapshotId = (await called.world.command({ kind: 'snapshot' })).snapshotId;
      return 204;
    },
  });
  const { shop, world, hook } = called;
  await shop.order('a');
  const { virtualTimeUs } = await world.query({ kind: 'position' });
  await world.command({ kind: 'reset', snapshotId });
  await world.command({ kind: 'advance', targetUs: virtualTimeUs + 500, maxEvents: 10 });
  assert.deepEqual(payloads(hook), ['a', 'a']);
  const delivered = (await shop.callbacks()).filter(({ phase }) => phase === 'delivered');
  assert.deepEqual(
    delivered.map((entry) => entry.virtualTimeUs),
    [virtualTimeUs],
  );
});

test('an advance that a closed world has made is answered again, also by the next incarnation', async (t) => {
  const { receivers } = await toldShop(t);
  const { world } = await createShop(worlds);
  const command = { kind: 'advance', targetUs: 2000, maxEvents: 10, operationKey: 'op_1' } as const;
  const answer = await new DeliveringWorld(world, receivers).command(command);
  await world.command({ kind: 'close' });
  const next = new DeliveringWorld(world, receivers);
  assert.deepEqual(await next.command(command), answer);
  await assert.rejects(next.command({ ...command, operationKey: 'op_2' }), { code: 'control.STATE_CONFLICT' });
});

test('the end of its host in the midst of a delivery loses nothing: it is settled, or goes out again', async (t) => {
  const called = await toldShop(t, {
    answer: async () => {
      if (called.hook.arrivals.length === 1) await worlds.killHost(0);
      return 204;
    },
  });
  await called.shop.order('a');
  await called.shop.order('b');
  const ids = new Set(called.hook.arrivals.map(({ headers }) => headers['delivery-id']));
  assert.equal(ids.size, 2);
  assert.equal((await called.shop.phases()).filter((phase) => phase === 'delivered').length, 2);
});

test('a reset is refused while a receiver is called, and not afterwards; the end of a world tells what is due first', async (t) => {
  const refusals: string[] = [];
  const called = await toldShop(t, {
    answer: async () => {
      await called.shop.world.command({ kind: 'reset' }).catch((error: ServiceError) => refusals.push(error.code));
      return 204;
    },
  });
  const { shop, hook, world } = called;
  await shop.order('a');
  assert.deepEqual(refusals, ['control.STATE_CONFLICT']);
  await world.command({ kind: 'reset' });
  assert.deepEqual(await shop.callbacks(), []);
  await shop.call('later', { id: 'b', inUs: 1 });
  await world.command({ kind: 'close' });
  assert.equal(hook.arrivals.length, 1);
});
