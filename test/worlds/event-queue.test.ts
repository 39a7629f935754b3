import assert from 'node:assert/strict';
import test from 'node:test';
import { keyKinds, rangeOfKind } from '../../src/worlds/kv/keys.js';
import type { WorldRepository } from '../../src/worlds/state/world-repository.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import fc from '../fast-check.js';
import { commitNow, newWorld, temporaryStore } from './storage-kit.js';

const refParts = (actor: number) => ({
  packageId: 'desk',
  instanceId: 'desk',
  eventId: 'tick',
  ...(actor > 0 && { actorId: `actor-${actor}` }),
});
const stamp = { virtualTimeUs: 0, correlationOrdinal: 1 };
const storedKeys = (store: WorldRepository) =>
  [keyKinds.queuePage, keyKinds.cancelled].flatMap((kind) => [...store.store.keys(rangeOfKind(kind))]).length;

const action = fc.oneof(
  fc.record({ kind: fc.constant('schedule' as const), afterUs: fc.nat({ max: 4 }), actor: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('schedule' as const), afterUs: fc.nat({ max: 4 }), actor: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('cancel' as const), which: fc.nat({ max: 8 }) }),
);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      pops: fc.nat({ max: 2 }),
      actions: fc.array(action, { maxLength: 4 }),
      undone: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'commit' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reload' as const }) },
);
interface Event {
  atUs: number;
  ordinal: number;
  payloadText: string;
  actorId: string | undefined;
}

// EVENT-QUEUE-1, EVENT-QUEUE-2
test('the queue is a list sorted by (atUs, ordinal), through rollbacks, commits and incarnations, and leaves no page behind', (context) => {
  const store = temporaryStore(context);
  let before = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (script) => {
      before = storedKeys(store);
      let world = newWorld(store);
      let nowUs = 0;
      let model: Event[] = [];
      let next = 1;
      const view = () =>
        world.queue.pending(100).map(({ atUs, ordinal, payloadText, ref }) => ({ atUs, ordinal, payloadText, actorId: ref.actorId }));
      for (const each of script) {
        if (each.kind === 'turn') {
          world.beginTurn();
          for (let pop = 0; pop < each.pops; pop++) {
            const event = world.queue.pop();
            const expected = model.shift();
            assert.deepEqual([event?.atUs, event?.ordinal], [expected?.atUs, expected?.ordinal]);
            nowUs = expected?.atUs ?? nowUs;
          }
          const kept = [...model];
          const keptNext = next;
          for (const each_ of each.actions) {
            if (each_.kind === 'cancel') {
              const event = model[each_.which];
              assert.equal(world.queue.cancel(event?.ordinal ?? 777), event !== undefined);
              if (event !== undefined) model.splice(each_.which, 1);
              continue;
            }
            const ref = world.queue.ref(refParts(each_.actor));
            const payloadText = `{"n":${next}}`;
            const atUs = nowUs + each_.afterUs;
            assert.equal(world.queue.nextOrdinal, next);
            assert.equal(world.queue.schedule({ atUs, ref, payloadText }), next);
            model.push({ atUs, ordinal: next++, payloadText, actorId: ref.actorId });
            model.sort((a, b) => a.atUs - b.atUs || a.ordinal - b.ordinal);
          }
          if (each.undone) {
            world.rollbackEffects();
            model = kept;
            next = keptNext;
          }
          world.endTurn(stamp);
        } else {
          commitNow(world, {});
          if (each.kind === 'reload') world = store.loadWorld(world.worldId, 1) as WorldState;
        }
        assert.deepEqual(view(), model);
        assert.equal(world.queue.size, model.length);
        assert.equal(world.queue.peekAtUs(), model[0]?.atUs);
      }
      while (world.queue.pop() !== undefined);
      world.beginTurn();
      world.endTurn(stamp);
      commitNow(world, {});
      assert.equal(storedKeys(store), before);
    }),
    { numRuns: Number(process.env.RUNS ?? 200), includeErrorInReport: true },
  );
});

test('a long queue is stored in pages and found again in order', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  world.beginTurn();
  const count = 10_000;
  for (let index = 0; index < count; index++) {
    world.queue.schedule({
      atUs: (index * 7919) % count,
      ref: world.queue.ref(refParts(index % 3)),
      payloadText: `{"index":${index}}`,
      causeSequence: index,
    });
  }
  world.endTurn(stamp);
  commitNow(world, {});
  assert.equal(storedKeys(store), 3);
  const again = store.loadWorld(world.worldId, 1) as WorldState;
  for (let at = 0; at < count; at++) {
    const event = again.queue.pop();
    assert.equal(event?.atUs, at);
    assert.equal(event.payloadText, `{"index":${event.causeSequence}}`);
  }
});

test('an event cannot be scheduled before one that has fired', (context) => {
  const { queue, ...world } = newWorld(temporaryStore(context));
  void world;
  const ref = queue.ref(refParts(0));
  queue.schedule({ atUs: 5, ref, payloadText: '{}' });
  queue.endTurn();
  queue.pop();
  assert.throws(() => queue.schedule({ atUs: 4, ref, payloadText: '{}' }), /invariant/);
});
