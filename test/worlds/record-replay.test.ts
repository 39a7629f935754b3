// Random histories of worlds whose file has a log: a copy that replays the records equals the file, at each record.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isServiceError } from '../../src/contract/errors.js';
import { InvalidRecord } from '../../src/worlds/kv/group-record.js';
import type { StreamRecord } from '../../src/worlds/kv/stream-log.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import fc from '../fast-check.js';
import { digestOfStore, LoggedHost, MemoryLog, temporaryCopy } from './stream-kit.js';

type Step =
  | { do: 'create'; world: number }
  | { do: 'destroy' | 'passivate' | 'snapshot' | 'reset'; world: number }
  | { do: 'group'; worlds: number[]; amount: number; key: number | undefined }
  | { do: 'later'; world: number; inUs: number }
  | { do: 'advance'; world: number; byUs: number }
  | SnapshotStep
  | { do: 'fork'; world: number; at: number | undefined }
  | { do: 'meanwhile'; world: number };

interface SnapshotStep {
  do: 'resetTo' | 'deleteSnapshot';
  world: number;
  snapshot: number;
}

const world = fc.nat(7);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('create' as const, 'destroy' as const, 'passivate' as const), world }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('snapshot' as const, 'reset' as const), world }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('group' as const),
      worlds: fc.uniqueArray(world, { minLength: 1, maxLength: 5 }),
      amount: fc.nat(1100),
      key: fc.option(fc.nat(3), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('later' as const), world, inUs: fc.nat(900) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('advance' as const), world, byUs: fc.nat(900) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('resetTo' as const, 'deleteSnapshot' as const), world, snapshot: fc.nat(5) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fork' as const), world, at: fc.option(fc.nat(30), { nil: undefined }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('meanwhile' as const), world }) },
);

let scratch = '';
before(() => {
  scratch = mkdtempSync(join(tmpdir(), 'drillyard-replay-'));
});
after(() => rmSync(scratch, { recursive: true, force: true }));
let folders = 0;
const folder = (): string => join(scratch, String(folders++));

/** Worlds by the places that steps name; what a step cannot do is passed over. */
class LoggedHistory {
  /** The state of the file at each record, by its number. */
  readonly digests: string[] = [];
  readonly host: LoggedHost;
  readonly #worlds: string[] = [];
  readonly #snapshots = new Map<string, string[]>();
  readonly #clocks = new Map<string, number>();
  #made = 0;

  constructor() {
    const log = new MemoryLog();
    this.host = new LoggedHost(folder(), log);
    log.onMint = () => this.digests.push(this.host.digest());
  }

  async take(one: Step): Promise<void> {
    if (one.do === 'create' || this.#worlds.length === 0) return await this.#create();
    if (one.do === 'group') return await this.#group(one);
    const worldId = this.#worldAt(one.world);
    const { host } = this;
    switch (one.do) {
      case 'destroy':
        this.#worlds.splice(this.#worlds.indexOf(worldId), 1);
        return void (await host.destroy(worldId));
      case 'passivate':
        return host.passivate(worldId);
      case 'snapshot': {
        const [answer] = await host.run([{ worldId, command: { kind: 'snapshot' } }]);
        return void this.#snapshots.get(worldId)?.push(answer?.snapshotId as string);
      }
      case 'reset':
        return void (await host.run([{ worldId, command: { kind: 'reset' } }]));
      case 'later':
        return void (await host.run([{ worldId, command: call('later', { inUs: one.inUs, account: 'main', amount: 1 }) }]));
      case 'advance': {
        const targetUs = (this.#clocks.get(worldId) ?? 500) + one.byUs;
        this.#clocks.set(worldId, targetUs);
        return void (await this.#unlessRefused(host.run([{ worldId, command: { kind: 'advance', targetUs, maxEvents: 50 } }])));
      }
      case 'fork':
        return await this.#fork(worldId, one.at);
      case 'meanwhile':
        return await this.#meanwhile(worldId);
      case 'resetTo':
      case 'deleteSnapshot':
        return await this.#atSnapshot(one, worldId);
    }
  }

  /** The file as it is at last. */
  end(): void {
    this.digests.push(this.host.digest());
  }

  #worldAt(place: number): string {
    return this.#worlds[place % this.#worlds.length] as string;
  }
  async #create(): Promise<void> {
    const worldId = this.#newId();
    await this.host.create(worldId);
    this.#admit(worldId);
  }
  #newId(): string {
    return `world_${String(this.#made++).padStart(12, '0')}`;
  }
  #admit(worldId: string): void {
    this.#worlds.push(worldId);
    this.#snapshots.set(worldId, []);
  }

  async #group({ worlds, amount, key }: Extract<Step, { do: 'group' }>): Promise<void> {
    const ids = new Set(worlds.map((place) => this.#worldAt(place)));
    const command = { ...call('add', { account: 'main', amount }), ...(key === undefined ? {} : { idempotencyKey: `key-${key}` }) };
    await this.#unlessRefused(this.host.run([...ids].map((worldId) => ({ worldId, command }))));
  }
  async #fork(worldId: string, atSequence: number | undefined): Promise<void> {
    const child = this.#newId();
    const command = { kind: 'fork' as const, worldId: child, ...(atSequence === undefined ? {} : { atSequence: atSequence + 1 }) };
    if (await this.#unlessRefused(this.host.run([{ worldId, command }]))) this.#admit(child);
  }
  async #atSnapshot(one: SnapshotStep, worldId: string): Promise<void> {
    const known = this.#snapshots.get(worldId) ?? [];
    const snapshotId = known[one.snapshot];
    if (snapshotId === undefined) return;
    if (one.do === 'deleteSnapshot') known.splice(one.snapshot, 1);
    const command = one.do === 'resetTo' ? { kind: 'reset' as const, snapshotId } : { kind: 'deleteSnapshot' as const, snapshotId };
    await this.#unlessRefused(this.host.run<typeof command>([{ worldId, command }]));
  }
  /** A world is made and another one is forked while an append is in flight: their transactions come in between. */
  async #meanwhile(worldId: string): Promise<void> {
    const first = this.host.run([{ worldId, command: call('add', { account: 'main', amount: 1 }) }]);
    const [made, child] = [this.#newId(), this.#newId()];
    const creating = this.host.create(made);
    const forking = this.host.run([{ worldId, command: { kind: 'fork' as const, worldId: child } }]);
    await Promise.all([first, creating, forking]);
    this.#admit(made);
    this.#admit(child);
  }
  /** A refused request changes nothing and is part of a history like any other. */
  async #unlessRefused(work: Promise<unknown>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      if (isServiceError(error, 'control.NOT_FOUND', 'control.INVALID_REQUEST', 'control.STATE_CONFLICT')) return false;
      throw error;
    }
  }
}

function call(operationId: string, args: { [name: string]: string | number }) {
  return { kind: 'call' as const, actorId: 'clerk', packageId: 'bank', operationId, arguments: args };
}

// WRITER-3, GROUP-STREAM-2
test('a copy equals its owner key by key at every record, however the records are gathered', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 }),
      async (steps, sizes) => {
        const history = new LoggedHistory();
        for (const one of steps) await history.take(one);
        history.end();
        const { records } = history.host.log;
        await history.host.close();
        assert.deepEqual(
          records.map(({ number }) => number),
          records.map((_, index) => index + 1),
        );
        await compareCopies(history.digests, records, [1]);
        await compareCopies(history.digests, records, sizes);
      },
    ),
    { numRuns: Number(process.env.DRILLYARD_REPLAY_RUNS ?? 10), includeErrorInReport: true },
  );
});

/** `sizes`: how many records are replayed at once, one after another. */
async function compareCopies(digests: readonly string[], records: readonly StreamRecord[], sizes: readonly number[]): Promise<void> {
  const copy = KvWriter.open({ directory: folder(), durability: 'committed' });
  for (let from = 0, turn = 0; from < records.length; turn++) {
    const next = records.slice(from, from + (sizes[turn % sizes.length] as number));
    from += next.length;
    copy.replay(next);
    assert.deepEqual(copy.position.number, from);
    assert.deepEqual(copy.position.nonce, records[from - 1]?.nonce);
    assert.equal(digestOfStore(copy), digests[from], `record ${from} of ${records.length}`);
  }
  await copy.close();
}

// RECORD-REPLAY-1, RECORD-REPLAY-2
test('a record that is missing, repeated, damaged or of another history is refused, and what was before it stands', async (context) => {
  const host = new LoggedHost(folder(), new MemoryLog());
  context.after(() => host.close());
  const worldId = 'world_000000000000';
  await host.create(worldId);
  for (let amount = 1; amount < 6; amount++) await host.run([{ worldId, command: call('add', { account: 'main', amount }) }]);
  const { records } = host.log;
  const [first, second, third] = records as [StreamRecord, StreamRecord, StreamRecord];
  const copy = temporaryCopy(context);
  copy.replay([first]);
  const before = digestOfStore(copy);
  const half = { ...second, body: second.body.subarray(0, -1) };
  for (const wrong of [[third], [first], [half], [{ ...second, nonce: Buffer.alloc(3) }]]) {
    assert.throws(() => copy.replay(wrong), InvalidRecord);
    assert.equal(digestOfStore(copy), before);
    assert.equal(copy.position.number, 1);
  }
  assert.throws(() => copy.replay([second, { ...third, body: Buffer.from('no record') }]), InvalidRecord);
  assert.deepEqual(copy.position, { number: 2, nonce: second.nonce });
  const other = temporaryCopy(context);
  other.replay([{ ...first, nonce: Buffer.alloc(16, 7) }]);
  assert.throws(() => other.replay([second]), /follows another record 1/);
  copy.replay(records.slice(2));
  assert.equal(digestOfStore(copy), host.digest());
  assert.throws(() => copy.put([]), /by records only/);
});

// GROUP-STREAM-3
test('creations, calls and destructions are answered when the log has them, and refused where it is lost', async (context) => {
  const host = new LoggedHost(folder(), new MemoryLog());
  context.after(() => host.close());
  const worldId = 'world_000000000000';
  const add = () => host.run([{ worldId, command: call('add', { account: 'main', amount: 1 }) }]);
  await host.create(worldId);
  assert.equal(host.log.records.length, 1);
  await add();
  assert.equal(host.log.records.length, 2);
  host.log.onAppend = async () => 'lost';
  const works = [add(), host.create('world_000000000001'), host.destroy(worldId)];
  for (const work of works) await assert.rejects(work, { code: 'world.ACTOR_RESTARTED' });
  await assert.rejects(host.create('world_000000000002'), { code: 'world.ACTOR_RESTARTED' });
  assert.equal(host.log.records.length, 2);
});
