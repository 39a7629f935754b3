// Nodes of a cluster on one log in memory and one virtual clock, with keepers that hold what was applied as a list.
import assert from 'node:assert/strict';
import { waitOn } from '../../src/cluster/clock.js';
import type { HomeKeeper } from '../../src/cluster/home-keeper.js';
import type { HomesProblem } from '../../src/cluster/homes-options.js';
import type { ClusterMeter, TakeKind, TakeParts } from '../../src/cluster/meter.js';
import { Homes } from '../../src/cluster/node-homes.js';
import { Placement } from '../../src/cluster/placement.js';
import type { ClusterPort } from '../../src/control/core/services.js';
import { diskFull } from '../../src/files/disk-full.js';
import { clusterOperator } from '../../src/nodes/cluster-operator.js';
import { nonceOf, stateOf } from './log-kit.js';
import { MemoryLog } from './memory-log.js';
import { VirtualClock } from './virtual-clock.js';

export const homeCount = 5;
const placement = new Placement();
const homesOfAll = Array.from({ length: homeCount + 1 }, (_, home) => home);

/** What survives the process of a node: its copies. */
class Disk {
  readonly copies = new Map<number, { position: number; records: string[] }>();

  copyOf(home: number) {
    const found = this.copies.get(home) ?? { position: 0, records: [] };
    this.copies.set(home, found);
    return found;
  }
}

export class TestNode {
  readonly open = new Set<number>();
  readonly problems: HomesProblem[] = [];
  readonly homes: Homes;
  readonly operator: ClusterPort;
  readonly takes: { kind: TakeKind; parts: TakeParts }[] = [];
  readonly appends: { seconds: number; records: number; bytes: number }[] = [];
  readonly meter: ClusterMeter = {
    taken: (kind, parts) => void this.takes.push({ kind, parts }),
    appended: (append) => void this.appends.push(append),
  };
  /** Cut from the log: no request arrives. */
  isCut = false;
  /** Whether its disk takes what is new. */
  hasSpace = true;
  /** The home of which it cannot write what it copies. */
  brokenHome: number | undefined;
  /** Nodes that it cannot reach, by their names. */
  unreached: string[] = [];
  /** How long a claim of its is under way. */
  claimMs = 0;
  /** How long it takes to leave the files of a home. */
  closeMs = 0;
  /** What a close of a home that was lost fails with. */
  closeFault: Error | undefined;
  /** Ended as by kill -9: what it does still, nobody sees. */
  isDead = false;

  constructor(
    readonly name: string,
    readonly cluster: TestCluster,
    readonly disk: Disk,
  ) {
    const isAway = (): boolean => this.isCut || this.isDead;
    const log = cluster.log.door(name, {
      fate: () => (isAway() ? 'unavailable' : 'fine'),
      delay: (verb, phase) =>
        verb === 'claim' && phase === 'request' && this.claimMs > 0 ? waitOn(cluster.clock.face(), this.claimMs) : undefined,
    });
    const { disk: copies, open } = this;
    /** By home, how many closes are under way. */
    const closing = new Map<number, number>();
    const keeper: HomeKeeper = {
      position: (home) => copies.copyOf(home).position,
      seen: (home) => copies.copyOf(home).position,
      logBytes: (home) => copies.copyOf(home).records.reduce((sum, { length }) => sum + length, 0),
      apply: async (home, records, { upTo }) => {
        if (!this.hasSpace && records.length > 0) throw diskFull();
        if (this.brokenHome === home) throw new Error('EIO');
        assert.ok(!closing.get(home), 'its files are being left');
        const copy = copies.copyOf(home);
        for (const record of records) {
          assert.ok(record.sequence > copy.position && record.sequence <= upTo);
          copy.records.push(record.body.toString());
        }
        copy.position = upTo;
      },
      restore: async () => assert.fail('nothing was trimmed'),
      open: async (home) => void open.add(home),
      close: async (home, why) => {
        open.delete(home);
        if (why === 'lost' && this.closeFault !== undefined) throw this.closeFault;
        const ms = this.closeMs;
        if (ms === 0) return;
        closing.set(home, (closing.get(home) ?? 0) + 1);
        await waitOn(cluster.clock.face(), ms);
        closing.set(home, (closing.get(home) ?? 0) - 1);
      },
    };
    const space = {
      hasSpace: () => this.hasSpace,
      isShortage: (error: unknown) => (error as { code?: string }).code === 'control.STORAGE_FULL',
    };
    const onProblem = (problem: HomesProblem): void => void this.problems.push(problem);
    const { areTogether, format } = cluster;
    const own = { node: name, address: `http://${name}`, format, areTogether, meter: this.meter };
    const cutAmong = (addresses: readonly string[]): string[] =>
      addresses.filter((address) => this.unreached.some((cut) => address === `http://${cut}`));
    this.homes = new Homes({ log, clock: cluster.clock.face(), keeper, ...own, space, cutAmong, onProblem });
    this.operator = clusterOperator({ log, homes: this.homes, node: name });
    this.homes.start();
  }

  /** One command of a home: applied to the copy when it was appended, as a store does before it answers. */
  async write(home: number, text: string): Promise<boolean> {
    if (this.isDead || !this.homes.owns(home)) return false;
    const number = ++this.cluster.written;
    const outcome = await this.homes.append({ home, stream: 's', number, nonce: nonceOf(text), body: Buffer.from(text) });
    if (outcome.outcome !== 'appended' || this.isDead) return false;
    const copy = this.disk.copyOf(home);
    // A copy that follows again has it by then.
    if (copy.position === outcome.sequence - 1) {
      copy.records.push(text);
      copy.position = outcome.sequence;
    }
    return true;
  }
}

export class TestCluster {
  /** Of nodes that start from now on. */
  format = 1;
  /** What operators want: by home, a node. */
  readonly wanted = new Map<number, string>();
  readonly drained = new Set<string>();
  readonly clock = new VirtualClock();
  readonly log = new MemoryLog({ homes: homeCount });
  readonly nodes = new Map<string, TestNode>();
  readonly acknowledged = new Map<number, string[]>();
  written = 0;
  readonly areTogether: boolean;
  readonly #disks = new Map<string, Disk>();

  constructor({ areTogether = false }: { areTogether?: boolean } = {}) {
    this.areTogether = areTogether;
  }

  /** Asked while time passes: a beat is waited for. */
  async ask<T>(name: string, ask: (operator: ClusterPort) => Promise<T>): Promise<T> {
    const node = this.nodes.get(name);
    assert.ok(node, name);
    const answer = ask(node.operator);
    answer.catch(() => {});
    await this.run(1000);
    return await answer;
  }

  start(name: string): void {
    this.drained.delete(name);
    const disk = this.#disks.get(name) ?? new Disk();
    this.#disks.set(name, disk);
    this.nodes.set(name, new TestNode(name, this, disk));
  }

  kill(name: string): void {
    const node = this.nodes.get(name);
    if (node === undefined) return;
    node.isDead = true;
    void node.homes.stop();
    this.nodes.delete(name);
  }

  /** Lets time pass, with a write to each home now and then, and looks at every moment at who may answer. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      for (const node of this.nodes.values())
        for (const home of homesOfAll) {
          const text = `${node.name} ${home} ${this.clock.nowMs}`;
          void node.write(home, text).then((isDone) => {
            if (isDone) this.acknowledged.set(home, [...(this.acknowledged.get(home) ?? []), text]);
          });
        }
      await this.clock.advance(Math.min(500, ms - passed), () => this.#look());
    }
  }

  #look(): void {
    for (const home of homesOfAll) {
      const readers = [...this.nodes.values()].filter(({ homes }) => homes.mayRead(home)).map(({ name }) => name);
      assert.ok(readers.length <= 1, `${readers} may answer for home ${home} at ${this.clock.nowMs}`);
    }
  }

  /** Where the catalog's home is open. */
  get leader(): string | undefined {
    return [...this.nodes.values()].find(({ open }) => open.has(0))?.name;
  }

  /** The home is another's from now on, without its owner's will. */
  async claimFor(node: string, home: number): Promise<void> {
    const door = this.log.door(node);
    const { homes } = await door.beat(stateOf('looker', { state: 'leaving' }));
    assert.ok(await door.claim(home, homes[home]?.epoch ?? 0, node));
  }

  /** Each home is its first node's, or all are of one, is open there alone, and its copy has everything that was acknowledged. */
  async check(names: readonly string[]): Promise<void> {
    const { leader } = this;
    const free = names.filter((name) => !this.drained.has(name));
    const staying = free.length > 0 ? free : names;
    const wanted = this.wanted.get(0) ?? '';
    if (this.areTogether)
      assert.ok(staying.includes(wanted) ? leader === wanted : staying.includes(leader ?? ''), `the leader is ${leader}`);
    for (const home of homesOfAll) {
      const owner = this.areTogether ? (leader ?? 'nobody') : (placement.rank(staying, home, this.wanted.get(home))[0] as string);
      assert.deepEqual(
        [...this.nodes.values()].filter(({ open }) => open.has(home)).map(({ name }) => name),
        [owner],
        `home ${home} of ${names}`,
      );
      const { records } = this.nodes.get(owner)?.disk.copyOf(home) ?? { records: [] };
      const read = (await this.log.door('check').read([{ home, sequence: 1 }], Number.MAX_SAFE_INTEGER)).filter(({ number }) => number > 0);
      assert.deepEqual(
        records,
        read.map(({ body }) => body.toString()),
      );
      for (const text of this.acknowledged.get(home) ?? []) assert.equal(records.filter((record) => record === text).length, 1, text);
    }
    for (const node of this.nodes.values()) assert.deepEqual(node.problems, []);
  }

  async stop(): Promise<void> {
    const stopped = Promise.all([...this.nodes.values()].map(({ homes }) => homes.stop()));
    await this.clock.advance(5000);
    await stopped;
  }
}

/** Each as its kind and the code of its error. */
export const problemsOf = ({ problems }: TestNode): [kind: string, code: string | undefined][] =>
  problems.map(({ kind, error }) => [kind, (error as { code?: string }).code]);
