// Nodes that keep real data files of one home and the catalog's, on one log in memory: each with real hosts for the worlds of two projects.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Appender } from '../../src/cluster/appender.js';
import { steadyClock } from '../../src/cluster/clock.js';
import { Follower } from '../../src/cluster/follower.js';
import { type ClusterLog, type HomeState, LogUnavailable } from '../../src/cluster/log.js';
import { folderOfStream } from '../../src/control/stream-files.js';
import type { CatalogCopyFile } from '../../src/nodes/cluster-copies.js';
import { ClusterKeeper } from '../../src/nodes/cluster-keeper.js';
import { ClusterSnapshots } from '../../src/nodes/cluster-snapshots.js';
import type { HomedWorlds, Worlds } from '../../src/worlds/api.js';
import { BoxPool } from '../../src/worlds/boxes.js';
import { newIdInHome } from '../../src/worlds/homes.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { type Bank, createBank } from '../worlds/bank-kit.js';
import { temporaryFolder } from '../worlds/storage-kit.js';
import { digestOfStore } from '../worlds/stream-kit.js';
import { stateOf } from './log-kit.js';
import { type LogFaults, MemoryLog } from './memory-log.js';

export const homes = 4;
export const streams = ['a', 'b'].map((letter) => `p-${letter.repeat(32)}`) as [string, string];
export const idIn = (home: number): string => newIdInHome('world', { home, homes });

const boxed = {
  bounds: { memoryBytesMax: 768 * 1024 * 1024, cpuPercentMax: 100, cpuWeight: 50, processesMax: 64 },
  resourceLimits: { maxOldGenerationSizeMb: 512 },
  ready: 1,
};

/** As the catalog's copy is: control has its own. */
function catalogCopy(directory: string): CatalogCopyFile {
  const file = KvWriter.open({ directory, durability: 'committed' });
  return {
    get position() {
      return file.position;
    },
    follow: async (records) => file.replay(records),
    copyTo: (into) => file.copyTo(into),
    close: () => file.close(),
  };
}

export class KeeperCluster {
  readonly log = new MemoryLog({ homes });
  /** Default: of the log in memory. */
  readonly door: (node: string, faults?: LogFaults) => ClusterLog;
  readonly #t: TestContext;
  readonly #door: ClusterLog;

  readonly #nodes: KeeperNode[] = [];

  constructor(t: TestContext, door?: (node: string) => ClusterLog) {
    this.#t = t;
    this.door = door ?? ((node, faults) => this.log.door(node, faults));
    this.#door = this.door('look');
    // Before the folders go: what is registered first is done first.
    t.after(() => Promise.all(this.#nodes.map((node) => node.stop())));
  }

  async stateOf(home: number): Promise<HomeState> {
    const { homes: all } = await this.#door.beat(stateOf('look', { state: 'joining' }));
    return all[home] as HomeState;
  }
  async endOf(home: number): Promise<number> {
    return (await this.#door.ends([home])).get(home) as number;
  }
  /** A node on a new folder, or on one that another has left. */
  node(name: string, data = temporaryFolder(this.#t)): KeeperNode {
    const node = new KeeperNode(this, name, data);
    this.#nodes.push(node);
    return node;
  }
}

export class KeeperNode {
  readonly keeper: ClusterKeeper;
  readonly snapshots: ClusterSnapshots;
  readonly appender: Appender;
  readonly faults: LogFaults = {};
  /** By stream. */
  readonly worlds = new Map<string, Promise<Worlds & HomedWorlds>>();
  readonly states = new Map<number, HomeState>();
  /** Of each home, when the hosts have it. */
  openingFails: Error | undefined;
  isolation: 'thread' | 'process' | 'box' = 'thread';
  #boxes: BoxPool | undefined;
  readonly #follower: Follower;
  readonly #log;
  #stopped = false;

  constructor(
    readonly cluster: KeeperCluster,
    readonly name: string,
    readonly data: string,
  ) {
    const log = cluster.door(name, this.faults);
    this.#log = log;
    const clock = steadyClock;
    this.snapshots = new ClusterSnapshots({
      data,
      log,
      openCatalog: catalogCopy,
      stateOf: (home) => this.states.get(home),
      logBytesMin: 2000,
    });
    this.keeper = new ClusterKeeper({
      data,
      clusterId: log.clusterId,
      openCatalog: catalogCopy,
      appender: () => this.appender,
      opened: async (home) => {
        if (home > 0) for (const worlds of this.worlds.values()) await (await worlds).openHome(home);
        if (this.openingFails !== undefined) throw this.openingFails;
      },
      closing: async (home, why) => {
        if (home > 0) for (const worlds of this.worlds.values()) await (await worlds).closeHome(home, { lost: why === 'lost' });
      },
      restore: (files, state) => this.snapshots.restore(files, state),
    });
    this.appender = new Appender({ log, clock, onLost: () => {} });
    this.#follower = new Follower({
      log,
      clock,
      keeper: this.keeper,
      stateOf: (home) => this.states.get(home),
      onFailed: () => {},
    });
  }

  /** The hosts of a project, with all homes that the node has. */
  project(stream: string): Promise<Worlds & HomedWorlds> {
    const found = this.worlds.get(stream);
    if (found !== undefined) return found;
    const directory = join(this.data, 'worlds', stream);
    mkdirSync(directory, { recursive: true });
    if (this.isolation === 'box') this.#boxes ??= new BoxPool({ directory: join(this.data, 'worlds'), ...boxed });
    const opened = openWorlds({
      directory,
      layout: 'homes',
      homes: {
        count: homes,
        open: [1, 2, 3, 4].filter((home) => this.keeper.owns(home)),
        log: {
          append: (home, record) => this.keeper.append(home, stream, record),
          endOf: (home) => this.keeper.endOf(home, stream),
          unwritten: (home) => this.keeper.unwritten(home, stream),
          written: (home, number) => this.keeper.written(home, stream, number),
        },
      },
      durability: 'flushed',
      hosts: 1,
      hostsAtStart: 0,
      isolation: this.isolation === 'thread' ? 'thread' : 'process',
      ...(this.#boxes && { children: this.#boxes.childrenOf(directory, 'homes') }),
    });
    this.worlds.set(stream, opened);
    return opened;
  }

  /** Reads everything, as a follower and as a taker do; what is to be tried again is. */
  async follow(home: number): Promise<void> {
    for (let tries = 0; ; tries++) {
      this.states.set(home, await this.cluster.stateOf(home));
      try {
        return await this.#follower.reach(home, await this.cluster.endOf(home));
      } catch (error) {
        if (!(error instanceof LogUnavailable) || tries > 3) throw error;
      }
    }
  }

  async take(home: number): Promise<void> {
    const { epoch } = await this.cluster.stateOf(home);
    const claimed = await this.#log.claim(home, epoch, this.name);
    assert.ok(claimed !== undefined);
    await this.follow(home);
    this.appender.own(home, claimed, await this.cluster.endOf(home));
    const fence = await this.appender.fence(home);
    assert.ok(fence.outcome === 'appended');
    await this.keeper.apply(home, [], { after: fence.sequence - 1, upTo: fence.sequence });
    await this.keeper.open(home);
  }

  async give(home: number): Promise<void> {
    await this.keeper.close(home, 'given');
    this.appender.disown(home);
  }
  async lose(home: number): Promise<void> {
    this.appender.disown(home);
    await this.keeper.close(home, 'lost');
  }

  digest(home: number, stream: string): string {
    const file = KvWriter.open({ directory: folderOfStream(this.data, { home, stream }), durability: 'committed', readOnly: true });
    const digest = digestOfStore(file);
    void file.close();
    return digest;
  }

  /** As kill -9 would: the hosts end, and nothing is closed or written. */
  async crash(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const worlds of this.worlds.values()) {
      const open = await worlds;
      // What is under way is never appended.
      for (const home of [1, 2, 3, 4]) await open.closeHome(home, { lost: true });
      await open.close();
    }
    await this.#boxes?.close();
    await this.appender.close();
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const worlds of this.worlds.values()) await (await worlds).close();
    await this.#boxes?.close();
    await this.appender.close();
    await this.keeper.stop();
  }
}

interface OwnedBank {
  cluster: KeeperCluster;
  owner: KeeperNode;
  copy: KeeperNode;
  bank: Bank;
}
/** Two nodes, of which the first has home 1, and a bank there. */
export async function ownedBank(t: TestContext): Promise<OwnedBank> {
  const cluster = new KeeperCluster(t);
  const [owner, copy] = [cluster.node('owner'), cluster.node('copy')];
  await owner.take(1);
  const bank = await createBank(await owner.project(streams[0]), idIn(1));
  return { cluster, owner, copy, bank };
}
