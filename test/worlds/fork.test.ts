import assert from 'node:assert/strict';
import test from 'node:test';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { OperationEntry } from '../../src/contract/world/evidence.js';
import { forkWorld, stateAt } from '../../src/worlds/commands/fork.js';
import type { WriteSet } from '../../src/worlds/kv/write-set.js';
import type { WorldRepository } from '../../src/worlds/state/world-repository.js';
import type { FoldRules, WorldState } from '../../src/worlds/state/world-state.js';
import fc from '../fast-check.js';
import { allRows, commitNow, finish, never, newWorld, programWith, putRow, tag, temporaryStore, turn, upsert } from './storage-kit.js';

/** What the reference knows of a position: plain maps, copied. */
interface Position {
  rows: { [space: string]: { [rowId: string]: JsonObject } };
  events: [atUs: number, ordinal: number, payload: string, actor: string | undefined][];
  receipts: { [key: string]: number };
  side: { [key: string]: JsonValue };
  sequence: number;
}
type Action =
  | { kind: 'put'; row: number; value: number }
  | { kind: 'delete'; row: number }
  | { kind: 'schedule'; afterUs: number }
  | { kind: 'cancel'; which: number }
  | { kind: 'receipt'; key: number }
  | { kind: 'side'; key: number; value: number };
type Step =
  | { kind: 'turn'; actions: Action[]; undone: Action[]; fire: boolean }
  | { kind: 'commit' }
  | { kind: 'crash' }
  | { kind: 'snapshot' }
  | { kind: 'reset'; which: number }
  | { kind: 'fork'; how: 'now' | 'snapshot' | 'sequence'; which: number; away: boolean; follow: boolean };

const small = fc.nat({ max: 5 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), row: small, value: fc.nat({ max: 99 }) }),
  fc.record({ kind: fc.constant('put' as const), row: small, value: fc.nat({ max: 99 }) }),
  fc.record({ kind: fc.constant('delete' as const), row: small }),
  fc.record({ kind: fc.constant('schedule' as const), afterUs: small }),
  fc.record({ kind: fc.constant('cancel' as const), which: small }),
  fc.record({ kind: fc.constant('receipt' as const), key: small }),
  fc.record({ kind: fc.constant('side' as const), key: small, value: small }),
);
const actions = fc.array(action, { maxLength: 5 });
const aTurn = fc.record({
  kind: fc.constant('turn' as const),
  actions,
  undone: fc.oneof(fc.constant<Action[]>([]), actions),
  fire: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: aTurn },
  { weight: 2, arbitrary: fc.constant({ kind: 'commit' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'crash' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const), which: small }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fork' as const),
      how: fc.constantFrom('now' as const, 'snapshot' as const, 'sequence' as const),
      which: fc.nat({ max: 40 }),
      away: fc.boolean(),
      follow: fc.boolean(),
    }),
  },
);

const rules: FoldRules = {
  receiptOf: ({ invocation, sequence }: OperationEntry) => ({
    packageId: invocation.packageId,
    key: invocation.idempotencyKey as string,
    receipt: receiptWith(sequence),
  }),
};
const receiptWith = (sequence: number) => ({ argumentsHash: 'sha256:0', sequence, result: null });

/** A world beside a reference that keeps a copy of every position it was at. */
class Twin {
  world: WorldState;
  store: WorldRepository;
  nowUs = 0;
  positions: Position[];
  committed: { nowUs: number; positions: Position[]; snapshots: Map<string, { positions: Position[]; nowUs: number }> };
  snapshots = new Map<string, { positions: Position[]; nowUs: number }>();
  incarnation = 1;

  constructor(world: WorldState, store: WorldRepository, first: Position, nowUs: number) {
    this.world = world;
    this.store = store;
    this.positions = [first];
    this.nowUs = nowUs;
    this.snapshots.set('', { positions: [first], nowUs });
    this.committed = this.copy();
  }
  copy() {
    return { nowUs: this.nowUs, positions: [...this.positions], snapshots: new Map(this.snapshots) };
  }
  get now(): Position {
    return this.positions[this.positions.length - 1] as Position;
  }
  get meta() {
    return { nowUs: this.nowUs, side: this.now.side };
  }
  commit(): void {
    commitNow(this.world, this.meta);
    this.committed = this.copy();
  }
  crash(): void {
    ({ nowUs: this.nowUs } = this.committed);
    this.positions = [...this.committed.positions];
    this.snapshots = new Map(this.committed.snapshots);
    this.world = this.store.loadWorld(this.world.worldId, ++this.incarnation) as WorldState;
    assert.deepEqual(this.world.meta, this.meta);
  }
  check(): void {
    assert.deepEqual(viewOf(this.world, this.now), this.now);
  }
}

function viewOf(world: WorldState, like: Position): Position {
  const receipts: { [key: string]: number } = {};
  for (let key = 0; key <= 5; key++) {
    const receipt = world.receipts.get('desk', `key-${key}`);
    if (receipt !== undefined) receipts[`key-${key}`] = receipt.sequence;
  }
  const events = world.queue
    .pending(1000)
    .map(({ atUs, ordinal, payloadText, ref }) => [atUs, ordinal, payloadText, ref.actorId] as Position['events'][number]);
  assert.equal(events.length, world.queue.size);
  for (const space of world.records.spaces())
    assert.equal(world.records.count(space), Object.keys(world.records.scan(space, { limit: 1000 })).length);
  return { rows: allRows(world.records), events, receipts, side: like.side, sequence: world.journal.sequence };
}

function act(world: WorldState, list: readonly Action[], nowUs: number, at: Position): { side: { [key: string]: JsonValue } } {
  const { journal, queue, receipts, records } = world;
  const side: { [key: string]: JsonValue } = {};
  for (const each of list) {
    if (each.kind === 'put' || each.kind === 'delete') {
      const space = records.space('desk', each.row < 3 ? 'desk' : 'desk-2', 'tickets');
      const rowId = `row-${each.row}`;
      at.rows[`desk/${space.instanceId}/tickets`] ??= {};
      const rows = at.rows[`desk/${space.instanceId}/tickets`] as { [rowId: string]: JsonObject };
      if (each.kind === 'put') {
        putRow(world, space, rowId, { value: each.value });
        rows[rowId] = { value: each.value };
      } else {
        assert.equal(records.delete(space, rowId), rows[rowId] !== undefined);
        delete rows[rowId];
      }
      if (Object.keys(rows).length === 0) delete at.rows[`desk/${space.instanceId}/tickets`];
    } else if (each.kind === 'schedule') {
      const actor = each.afterUs % 2 === 0 ? { actorId: 'ann' } : undefined;
      const event = { packageId: 'desk', instanceId: 'desk', eventId: 'tick' };
      const payloadText = canonicalJson({ after: each.afterUs });
      const ordinal = queue.nextOrdinal;
      const atUs = nowUs + each.afterUs;
      const sequence = journal.draftEvent(journal.eventShape({ event, phase: 'scheduled', actor }), {
        payloadText,
        scheduledOrdinal: ordinal,
        scheduledForUs: atUs,
      });
      assert.equal(queue.schedule({ atUs, ref: queue.ref({ ...event, ...actor }), payloadText, causeSequence: sequence }), ordinal);
      at.events.push([atUs, ordinal, payloadText, actor?.actorId]);
      at.events.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    } else if (each.kind === 'cancel') {
      const event = at.events[each.which];
      assert.equal(queue.cancel(event?.[1] ?? 9999), event !== undefined);
      if (event === undefined) continue;
      const shape = journal.eventShape({ event: { packageId: 'desk', instanceId: 'desk', eventId: 'tick' }, phase: 'cancelled' });
      journal.draftEvent(shape, { payloadText: event[2], scheduledOrdinal: event[1], scheduledForUs: event[0] });
      at.events.splice(each.which, 1);
    } else if (each.kind === 'receipt') {
      const key = `key-${each.key}`;
      if (at.receipts[key] !== undefined) continue;
      const invocation = { callId: 'c', packageId: 'desk', instanceId: 'desk', operationId: 'o', arguments: {}, idempotencyKey: key };
      const sequence = journal.draft({
        kind: 'operation',
        invocation,
        actorId: 'ann',
        outcome: { kind: 'ok', value: null },
        idempotency: 'recorded',
      });
      receipts.put('desk', key, receiptWith(sequence));
      at.receipts[key] = sequence;
    } else side[`side-${each.key}`] = each.value;
  }
  return { side };
}

function runTurn(twin: Twin, { actions: kept, undone, fire }: Extract<Step, { kind: 'turn' }>): void {
  const { world } = twin;
  const next = structuredClone(twin.now);
  world.beginTurn();
  if (fire && next.events.length > 0) {
    const [atUs, ordinal, payload] = next.events.shift() as Position['events'][number];
    const event = world.queue.pop();
    assert.deepEqual([event?.atUs, event?.ordinal, event?.payloadText], [atUs, ordinal, payload]);
    twin.nowUs = atUs;
    act(world, undone, twin.nowUs, structuredClone(next));
    world.rollbackEffects();
    const shape = world.journal.eventShape({ event: { packageId: 'desk', instanceId: 'desk', eventId: 'tick' }, phase: 'handled' });
    world.journal.draftQueued(shape, payload, ordinal, atUs, event?.causeSequence ?? 0);
  } else {
    act(world, undone, twin.nowUs, structuredClone(next));
    world.rollbackEffects();
  }
  const { side } = act(world, kept, twin.nowUs, next);
  const hasSide = Object.keys(side).length > 0;
  world.endTurn({ virtualTimeUs: twin.nowUs, correlationOrdinal: 1 }, hasSide ? side : undefined);
  next.side = { ...next.side, ...side };
  next.sequence = world.journal.sequence;
  twin.positions.push(next);
}

function fork(
  twin: Twin,
  { how, which, away, follow }: Extract<Step, { kind: 'fork' }>,
  other: WorldRepository,
  names: { next: number },
): Twin {
  const target = away ? other : twin.store;
  const isShared = target === twin.store;
  const snapshotIds = [...twin.snapshots.keys()].filter((id) => id !== '');
  let at = twin.now;
  const where: { atSequence?: number; snapshotId?: string } = {};
  if (how === 'snapshot' && snapshotIds.length > 0) {
    where.snapshotId = snapshotIds[which % snapshotIds.length] as string;
    const { positions } = twin.snapshots.get(where.snapshotId) as { positions: Position[] };
    at = positions.at(-1) as Position;
  } else if (how === 'sequence') {
    const origin = (twin.positions[0] as Position).sequence;
    where.atSequence = origin + (which % (twin.now.sequence - origin + 1));
    // Turns without entries belong to no sequence: the first position at the last whole transaction is the one that evidence can name.
    const reached = Math.max(
      ...twin.positions.map(({ sequence }) => sequence).filter((sequence) => sequence <= (where.atSequence as number)),
    );
    at = twin.positions.find(({ sequence }) => sequence === reached) as Position;
  }
  const made = finish(
    forkWorld(
      twin.world,
      target,
      { worldId: `world_f${String(names.next++).padStart(11, '0')}`, incarnation: 1, tag, parentMeta: twin.meta, rules, ...where },
      never,
    ),
  );
  const { child, position } = made;
  const sideAt = { ...(position.meta as { side: { [key: string]: JsonValue } }).side, ...Object.fromEntries(position.side) };
  assert.equal(position.sequence, at.sequence);
  assert.deepEqual(sideAt, at.side);
  const nowUs = Math.max(child.queue.watermark[0] === Number.NEGATIVE_INFINITY ? 0 : child.queue.watermark[0], 0);
  turn(child, nowUs, () => child.journal.draft({ kind: 'lifecycle', phase: 'world_forked', details: {} }));
  const first = { ...structuredClone(at), sequence: 1 };
  assert.deepEqual(viewOf(child, first), first);
  const follower = new Twin(child, target, first, nowUs);
  // A child is written with its parent's next commit, or without it where it shares nothing that waits for it.
  const born = child.takeWriteSet(follower.meta) as WriteSet;
  const parents = twin.world.takeWriteSet(twin.meta);
  assert.deepEqual(
    target.commit(isShared && parents !== undefined ? [born, parents] : [born]),
    isShared && parents !== undefined ? [undefined, undefined] : [undefined],
  );
  if (!isShared && parents !== undefined) assert.deepEqual(twin.store.commit([parents]), [undefined]);
  twin.committed = twin.copy();
  follower.crash();
  follower.check();
  return follow ? follower : twin;
}

// WORLDS-HISTORY-1, WORLDS-HISTORY-2, COUNTERS-1
test('rows, queue, receipts and sides of every position come back: after commits, crashes, snapshots, resets and forks', (context) => {
  const store = temporaryStore(context);
  const other = temporaryStore(context);
  const state = [upsert('row-0', { value: -1 }), upsert('row-1', { value: -2 })];
  other.putProgram(programWith(state));
  const names = { next: 0 };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (script) => {
      const world = newWorld(store, state, { nowUs: 0, side: {} });
      const first: Position = {
        rows: { 'desk/desk/tickets': { 'row-0': { value: -1 }, 'row-1': { value: -2 } } },
        events: [],
        receipts: {},
        side: {},
        sequence: 1,
      };
      let twin = new Twin(world, store, first, 0);
      twin.commit();
      for (const each of script) {
        if (each.kind === 'turn') runTurn(twin, each);
        else if (each.kind === 'commit') twin.commit();
        else if (each.kind === 'crash') twin.crash();
        else if (each.kind === 'snapshot') {
          const snapshotId = `snap_${names.next++}`;
          runTurn(twin, { kind: 'turn', actions: [{ kind: 'put', row: 5, value: 7 }], undone: [], fire: false });
          twin.world.takeSnapshot(snapshotId, twin.meta);
          twin.snapshots.set(snapshotId, { positions: [...twin.positions], nowUs: twin.nowUs });
        } else if (each.kind === 'reset') {
          const ids = [...twin.snapshots.keys()];
          const snapshotId = ids[each.which % ids.length] as string;
          twin.world.reset(snapshotId);
          const { positions, nowUs } = twin.snapshots.get(snapshotId) as { positions: Position[]; nowUs: number };
          twin.positions = [...positions];
          twin.nowUs = nowUs;
          twin.check();
          runTurn(twin, { kind: 'turn', actions: [{ kind: 'put', row: 4, value: 1 }], undone: [], fire: false });
        } else twin = fork(twin, each, other, names);
        twin.check();
      }
      twin.commit();
      twin.crash();
      twin.check();
      for (const position of twin.positions) {
        const { rows, sequence } = position;
        const later = twin.positions.filter((each) => each.sequence === sequence);
        if (later[0] === position) assert.deepEqual(allRows(finish(stateAt(twin.world, sequence, never))), rows);
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 400), includeErrorInReport: true },
  );
});
