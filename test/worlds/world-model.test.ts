// Random histories of a world beside a reference model: for all commands, and whenever its host ends, both say the same and hold the
// same.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonValue } from '../../src/contract/json.js';
import { dataFileOf } from '../../src/files/database.js';
import { verifyWorlds } from '../../src/worlds/verify-worlds.js';
import fc from '../fast-check.js';
import { dueEvent } from './bank-build.js';
import { Bank, bankWorlds } from './bank-kit.js';
import { type CrashEnd, crashInAdvance, crashInCall, eventLoopTurns, type Scene, viewOf } from './crash-steps.js';
import { type ModelCall, type ModelRule, type Outcome, ReferenceModel } from './reference-model.js';

type Step =
  | { do: 'call'; call: ModelCall }
  | { do: 'advance'; byUs: number; maxEvents: number }
  | { do: 'wait'; byUs: number | undefined }
  | { do: 'fault'; instance: 'bank' | 'bank-two'; id: string; active: boolean }
  | { do: 'rules'; rules: ModelRule[] }
  | { do: 'cancel'; index: number }
  | { do: 'snapshot' | 'passivate' | 'reset' }
  | CrashStep
  | { do: 'resetTo'; snapshot: number }
  | { do: 'resetPackages'; packages: ('bank' | 'audit')[] }
  | { do: 'fork'; at: number | undefined };
type CrashStep =
  | { do: 'crash' }
  | { do: 'crashInCall'; call: ModelCall; turns: number }
  | { do: 'crashInAdvance'; byUs: number; maxEvents: number; turns: number };

const amount = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 1, arbitrary: fc.constantFrom(-200, 566, 666, 1001) },
);
const instance = fc.constantFrom('bank' as const, 'bank' as const, 'bank-two' as const);
const call: fc.Arbitrary<ModelCall> = fc.record(
  {
    operation: fc.constantFrom('add' as const, 'add' as const, 'pay' as const, 'later' as const, 'misbehave' as const),
    account: fc.constantFrom('main', 'other', 'new'),
    amount,
    inUs: fc.integer({ min: -50, max: 900 }),
    actor: fc.constantFrom('clerk' as const, 'clerk' as const, 'clerk' as const, 'reader' as const),
    instance,
    key: fc.constantFrom('k1', 'k2'),
    badArguments: fc.constantFrom(false, false, false, true),
  },
  { requiredKeys: ['operation', 'account', 'amount', 'inUs', 'actor', 'instance'] },
);
const rule: fc.Arbitrary<ModelRule> = fc.record(
  { id: fc.constant(''), balance: fc.nat(5), amount: fc.nat(9), times: fc.integer({ min: 1, max: 2 }) },
  { requiredKeys: ['id', 'balance'] },
);
/** From before the message has left to after its answer is on the way. */
const turns = fc.nat(18);
const crash: fc.Arbitrary<CrashStep> = fc.oneof(
  fc.record({ do: fc.constant('crash' as const) }),
  fc.record({ do: fc.constant('crashInCall' as const), call, turns }),
  fc.record({ do: fc.constant('crashInAdvance' as const), byUs: fc.nat(800), maxEvents: fc.nat(4), turns }),
);
const command: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('call' as const), call }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('advance' as const), byUs: fc.nat(800), maxEvents: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), byUs: fc.option(fc.nat(400), { nil: undefined }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      instance,
      id: fc.constantFrom('busy', 'busy-once', 'busy-third', 'busy-window', 'slow', 'lost'),
      active: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('rules' as const),
      rules: fc.array(rule, { maxLength: 3 }).map((rules) => rules.map((one, index) => ({ ...one, id: `rule-${index}` }))),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), index: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('snapshot' as const, 'passivate' as const, 'reset' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resetTo' as const), snapshot: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('resetPackages' as const),
      packages: fc.subarray(['bank' as const, 'audit' as const], { minLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fork' as const), at: fc.option(fc.nat(1000), { nil: undefined }) }) },
);
/** A new host takes 0.1 to 0.3 s: a crash in every third round or so. */
const step = fc.oneof({ weight: 90, arbitrary: command }, { weight: 1, arbitrary: crash });

const maxToolCalls = 25;
const initial = [
  { atUs: 700, amount: 1 },
  { atUs: 1500, amount: 2 },
  { atUs: 700, amount: 3 },
];

const door = bankWorlds();
let forks = 0;
const historiesKeptMax = 40;
let historiesKept = 0;
/** How often a command in flight ended how. */
type CrashEnds = Map<string, number>;

test('a world does what the reference model does, even when its hosts end', { timeout: 240_000 }, async (context) => {
  const ends: CrashEnds = new Map();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
      const bank = await door.create({
        budgets: { maxToolCalls, maxEvents: null },
        setup: {
          initialEvents: initial.map(({ atUs, amount: sum }) => dueEvent(atUs, sum)),
          faults: [{ packageId: 'bank', faultId: 'busy-third' }],
        },
      });
      const history = new History(bank, new ReferenceModel({ maxToolCalls, initial, faults: ['busy-third'] }), ends);
      for (const one of steps) await history.take(one);
      await history.end();
    }),
    { numRuns: Number(process.env.DRILLYARD_MODEL_RUNS ?? 30), includeErrorInReport: true },
  );
  context.diagnostic(JSON.stringify(Object.fromEntries(ends)));
});

test('an advance of many slices whose host ends in the middle continues where it was', { timeout: 60_000 }, async (context) => {
  const ends: CrashEnds = new Map();
  for (let answers = 0; answers < 4; answers++) {
    const many = Array.from({ length: 2000 }, (_, index) => ({ atUs: 600 + index, amount: index % 7 }));
    const bank = await door.create({ setup: { initialEvents: many.map(({ atUs, amount: sum }) => dueEvent(atUs, sum)) } });
    const history = new History(bank, new ReferenceModel({ maxToolCalls, initial: many, faults: [] }), ends);
    // A query between two slices is answered when they are committed: what it has seen is there for good.
    await history.crashInAdvance(600 + many.length, many.length, async () => {
      let seen = 0;
      for (let answer = 0; answer < answers; answer++) {
        const { advance } = await bank.world.query({ kind: 'pending', limit: 1 });
        assert.ok(advance === undefined || advance.scheduledEventsProcessed >= seen);
        seen = advance?.scheduledEventsProcessed ?? seen;
      }
    });
    await history.end();
  }
  context.diagnostic(JSON.stringify(Object.fromEntries(ends)));
});

// VERIFY-ROWS-1
test('the files of these worlds are whole, with each row as its journal says', async () => {
  await door.worlds.close();
  const found: string[] = [];
  let stored = 0;
  for (const name of readdirSync(door.directory())) {
    stored += (await verifyWorlds(dataFileOf(join(door.directory(), name)), (fault) => found.push(fault))).length;
  }
  assert.deepEqual(found, []);
  assert.ok(stored > 0);
});

class History {
  #bank: Bank;
  #model: ReferenceModel;
  #snapshotIds: string[] = [];
  readonly #made: Bank[];
  readonly #ends: CrashEnds;

  constructor(bank: Bank, model: ReferenceModel, ends: CrashEnds) {
    this.#ends = ends;
    this.#bank = bank;
    this.#model = model;
    this.#made = [bank];
    model.journalEnds(1);
  }

  async take(one: Step): Promise<void> {
    await this.#step(one);
    await this.#compare(this.#model);
    this.#model.journalEnds((await this.#bank.position()).evidenceSequence);
  }
  async end(): Promise<void> {
    await this.#bank.world.passivate();
    await this.#compare(this.#model);
    // Some stay, for a look at the file that they are in.
    if (historiesKept++ < historiesKeptMax) return;
    for (const bank of this.#made) await bank.world.destroy();
  }

  async #step(one: Step): Promise<void> {
    const [bank, model] = [this.#bank, this.#model];
    switch (one.do) {
      case 'call':
        return assert.deepEqual(await callWorld(bank, one.call), model.call(one.call));
      case 'advance': {
        const targetUs = model.state.nowUs + one.byUs;
        return assert.deepEqual(viewOf(await bank.advance(targetUs, one.maxEvents)), model.advance(targetUs, one.maxEvents));
      }
      case 'wait': {
        const untilUs = one.byUs === undefined ? undefined : model.state.nowUs + one.byUs;
        const { advance } = await bank.run({ kind: 'wait', actorId: 'clerk', ...(untilUs === undefined ? {} : { untilUs }) });
        return assert.deepEqual(advance && viewOf(advance), model.advance(untilUs ?? model.nextEventUs(), 1_000_000));
      }
      case 'fault': {
        const { changed } = await bank.run({
          kind: 'setFault',
          packageId: 'bank',
          instanceId: one.instance,
          faultId: one.id,
          active: one.active,
        });
        return assert.equal(changed, model.setFault(one.instance, one.id, one.active));
      }
      case 'rules':
        await bank.run({ kind: 'setOverrides', scope: 'run', rules: one.rules.map(overrideOf) });
        return model.setRules(one.rules);
      case 'cancel': {
        const { events } = await bank.world.query({ kind: 'pending', limit: 50 });
        const { cancelled } = await bank.run({ kind: 'cancelEvent', scheduledEventId: events[one.index]?.scheduledEventId ?? 'none' });
        return assert.equal(cancelled, model.cancel(one.index) !== undefined);
      }
      case 'crash':
      case 'crashInCall':
      case 'crashInAdvance':
        return await this.#crashStep(one);
      default:
        return await this.#lifecycleStep(one);
    }
  }

  async #crashStep(one: CrashStep): Promise<void> {
    if (one.do === 'crash') return await door.worlds.killHost(door.worlds.hostOf(this.#bank.world.worldId));
    if (one.do === 'crashInCall') return this.#tell(one.do, await crashInCall(this.#scene, { ...one, send: callWorld }));
    const { byUs, maxEvents, turns: count } = one;
    await this.crashInAdvance(this.#model.state.nowUs + byUs, maxEvents, () => eventLoopTurns(count));
  }
  async crashInAdvance(targetUs: number, maxEvents: number, whenToCrash: () => Promise<unknown>): Promise<void> {
    this.#tell('crashInAdvance', await crashInAdvance(this.#scene, { targetUs, maxEvents, whenToCrash }));
  }
  get #scene(): Scene {
    return { worlds: door.worlds, bank: this.#bank, model: this.#model, compare: (model) => this.#compare(model) };
  }
  #tell(step: string, end: CrashEnd): void {
    const name = `${step} ${end}`;
    this.#ends.set(name, (this.#ends.get(name) ?? 0) + 1);
  }

  async #lifecycleStep(
    one: Extract<Step, { do: 'snapshot' | 'passivate' | 'reset' | 'resetTo' | 'resetPackages' | 'fork' }>,
  ): Promise<void> {
    const [bank, model] = [this.#bank, this.#model];
    switch (one.do) {
      case 'snapshot':
        this.#snapshotIds.push((await bank.run({ kind: 'snapshot' })).snapshotId);
        return model.snapshot();
      case 'passivate':
        return await bank.world.passivate();
      case 'reset':
        await bank.run({ kind: 'reset' });
        return model.reset();
      case 'resetTo': {
        const snapshotId = this.#snapshotIds[one.snapshot];
        if (snapshotId === undefined) return;
        await bank.run({ kind: 'reset', snapshotId });
        return model.reset(one.snapshot);
      }
      case 'resetPackages':
        await bank.run({ kind: 'reset', packages: one.packages });
        for (const packageId of ['bank', 'audit'] as const) if (one.packages.includes(packageId)) model.resetPackage(packageId);
        return;
      case 'fork': {
        const { sequences } = model;
        const atSequence = one.at === undefined ? undefined : sequences[one.at % sequences.length];
        const { world } = await bank.world.fork({
          worldId: `run_m${String(forks++).padStart(11, '0')}`,
          ...(atSequence === undefined ? {} : { atSequence }),
        });
        this.#bank = new Bank(world);
        this.#made.push(this.#bank);
        this.#model = model.fork(atSequence);
        this.#snapshotIds = [];
      }
    }
  }

  async #compare({ state }: ReferenceModel): Promise<void> {
    const { world } = this.#bank;
    const rows = async (packageId: string, namespace: string) =>
      Object.fromEntries(
        await Promise.all(
          [packageId, `${packageId}-two`].map(async (instanceId) => {
            const page = await world.query({ kind: 'state', packageId, instanceId, namespace, limit: 200 });
            return [instanceId, Object.fromEntries(page.rows.map(({ rowId, value }) => [rowId, value]))];
          }),
        ),
      );
    const balances = Object.fromEntries(
      Object.entries(state.accounts).map(([name, accounts]) => [
        name,
        Object.fromEntries(Object.entries(accounts).map(([id, balance]) => [id, { balance }])),
      ]),
    );
    assert.deepEqual(await rows('bank', 'accounts'), balances);
    assert.deepEqual(await rows('audit', 'seen'), state.seen);
    const pending = await world.query({ kind: 'pending', limit: 100 });
    assert.equal(pending.total, state.queue.length);
    const queued = state.queue
      .slice(0, 100)
      .map(({ atUs, account, amount: sum, instance: instanceId, ordinal }) => [atUs, instanceId, ordinal, { account, amount: sum }]);
    assert.deepEqual(
      pending.events.map(({ atUs, event, schedulingSequence, payload }) => [atUs, event.instanceId, schedulingSequence, payload]),
      queued,
    );
    const faults = (await world.query({ kind: 'faults' }))
      .filter(({ active, triggered }) => active || triggered > 0)
      .map(({ instanceId, faultId, active, triggered }) => [`${instanceId} ${faultId}`, active, triggered]);
    const wanted = Object.entries(state.faults)
      .filter(([, { active, fired }]) => active || fired > 0)
      .map(([name, { active, fired }]) => [name, active, fired]);
    assert.deepEqual(faults.sort(), wanted.sort());
    const { toolCalls, scheduledEvents } = await world.query({ kind: 'budgets' });
    assert.deepEqual(
      [toolCalls.attempted, toolCalls.rejected, scheduledEvents.processed],
      [state.attempted, state.rejected, state.processed],
    );
    assert.equal((await world.query({ kind: 'position' })).virtualTimeUs, state.nowUs);
  }
}

async function callWorld(
  bank: Bank,
  { operation, account, amount: sum, inUs, actor, instance: instanceId, key, badArguments }: ModelCall,
): Promise<Outcome> {
  const good: JsonValue =
    operation === 'misbehave' ? { how: 'throw' } : operation === 'later' ? { account, amount: sum, inUs } : { account, amount: sum };
  const { outcome } = await bank.call(operation, badArguments ? { wrong: true } : good, {
    actorId: actor,
    instanceId,
    ...(key === undefined ? {} : { idempotencyKey: key }),
  });
  if (outcome.kind !== 'ok') return { kind: outcome.kind, code: outcome.error.code };
  const { balance } = outcome.value as { balance?: number };
  return balance === undefined ? { kind: 'ok' } : { kind: 'ok', balance };
}

function overrideOf({ id, balance, amount: sum, times }: ModelRule) {
  return {
    id,
    operation: { packageId: 'bank', instanceId: 'bank', operationId: 'add' },
    outcome: { kind: 'return' as const, value: { balance } },
    ...(sum === undefined ? {} : { when: { arguments: { amount: sum } } }),
    ...(times === undefined ? {} : { times }),
  };
}
