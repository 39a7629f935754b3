// A control plane whose worlds lie on two machines, in one process: its own, and another one that it asks over HTTP. Both read the one
// catalog that there is.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHostedBindings, type HostedBindings } from '../../src/bindings/hosted-bindings.js';
import { clusterFormats } from '../../src/contract/cluster-format.js';
import { Keyring } from '../../src/control/catalog/keyring.js';
import { FileBlobs } from '../../src/control/core/blobs.js';
import { ClusterBlobs } from '../../src/control/core/cluster-blobs.js';
import { AskedRuns, AskedSessions } from '../../src/control/memory/asked-worlds.js';
import { silentMeter } from '../../src/control/memory/control-meter.js';
import type { AskOptions, WorldAsk } from '../../src/control/memory/world-asks.js';
import { OwnedHomes } from '../../src/control/owned-homes.js';
import type { OwnerReport } from '../../src/control/owner-report.js';
import { SpreadWorlds } from '../../src/control/sessions/spread-worlds.js';
import { behindNodes } from '../../src/http/behind-nodes.js';
import { NodeAsks } from '../../src/http/node-asks.js';
import { behindDoor, type NodeDoor, NotOwner } from '../../src/http/node-door.js';
import { startNodeServer } from '../../src/http/node-server.js';
import { OwnerChanges } from '../../src/http/owner-changes.js';
import { OwnerConnections } from '../../src/http/owner-connections.js';
import { OwnerReach } from '../../src/http/owner-reach.js';
import { homeOf } from '../../src/worlds/homes.js';
import { MemoryLog } from '../cluster/memory-log.js';
import { token } from '../http/forward-kit.js';
import { quietSettings } from './control-kit.js';
import { openSessionKit, type SessionKit } from './session-kit.js';

export const homeCount = 4;

/** A machine, and what it was asked. */
export class TestMachine implements NodeDoor {
  readonly node = 'machine';
  readonly owned: OwnedHomes;
  readonly bindings: HostedBindings;
  readonly open = new Set<number>();
  readonly asked: WorldAsk[] = [];
  readonly reports: OwnerReport[] = [];

  constructor(ground: { directory: string; keyFile: string; store: ReturnType<MemoryLog['door']>['blobs']; nowMs: () => number }) {
    const { directory, keyFile, store, nowMs } = ground;
    mkdirSync(directory, { recursive: true });
    this.bindings = createHostedBindings({
      publicUrl: quietSettings.publicUrl,
      nowMs,
      onFailure: ({ error }) => {
        throw error;
      },
    });
    this.owned = new OwnedHomes({
      settings: { ...quietSettings, dataDirectory: directory, keyFile },
      bindings: this.bindings,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      meter: silentMeter,
      tracing: undefined,
      homes: { count: homeCount, owned: () => [...this.open] },
      blobs: store,
      report: async (report) => void this.reports.push(report),
      nowMs,
    });
  }

  async ask(sessionId: string, ask: WorldAsk, { catalog: _, ...options }: AskOptions & { catalog: number }): Promise<unknown> {
    if (!this.open.has(homeOf(sessionId, homeCount))) throw new NotOwner();
    this.asked.push(ask);
    return await this.owned.answer(sessionId, ask, options);
  }
  async catalogAt(): Promise<void> {}
  removeProject(projectId: string): Promise<number[]> {
    return this.owned.removeProject(projectId);
  }
  async report(report: OwnerReport): Promise<void> {
    this.reports.push(report);
  }

  async take(home: number): Promise<void> {
    this.open.add(home);
    await this.owned.openHome(home);
  }
  async give(home: number): Promise<void> {
    this.open.delete(home);
    await this.owned.closeHome(home, { lost: false });
  }
}

export interface SpreadKit extends Omit<SessionKit, 'add'> {
  /** The control plane's own machine, and the other one. */
  readonly machines: readonly [TestMachine, TestMachine];
  machineOf(sessionId: string): TestMachine;
  /** Somebody has another home than before. */
  changed(): void;
  add(credential: string, amount: number, machine?: TestMachine): Promise<{ status: number }>;
}

export async function openSpreadKit(): Promise<SpreadKit> {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-spread-'));
  const [directory, keyFile] = [join(root, 'control'), join(root, 'shared.key')];
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
  const clock = { nowMs: 1_750_000_000_000 };
  const nowMs = (): number => clock.nowMs;
  const store = new MemoryLog({ homes: homeCount }).door('any').blobs;
  const machine = (name: string): TestMachine => new TestMachine({ directory: join(root, name), keyFile, store, nowMs });
  const machines = [machine('one'), machine('other')] as const;
  const server = await startNodeServer({
    host: '127.0.0.1',
    port: 0,
    closeGraceMs: 50,
    handler: behindNodes(
      token,
      behindDoor(
        machines[1],
        (error) => console.error(error),
        () => ({ status: 404, body: '' }),
      ),
      clusterFormats,
    ),
  });
  let tell = (): void => {};
  const changes = new OwnerChanges({ changed: () => new Promise((resolve) => (tell = resolve)) });
  const connections = new OwnerConnections();
  const address = `http://127.0.0.1:${server.port}`;
  const homes = new NodeAsks({
    ...{ homes: homeCount, changes, connections, reach: new OwnerReach(async () => true), token, own: machines[0] },
    homeOf: (sessionId) => homeOf(sessionId, homeCount),
    ownerOf: (home) => (machines[0].open.has(home) ? 'self' : machines[1].open.has(home) ? { address } : undefined),
    catalog: () => 0,
    format: () => clusterFormats.newest,
  });
  const worlds = new SpreadWorlds(homes, machines[0].owned.worlds);
  const leaving = new AbortController();
  mkdirSync(directory, { recursive: true });
  const services = {
    worlds,
    bindings: machines[0].bindings.announced,
    keyring: Keyring.open({ dataDirectory: directory, nowMs, keyFile }),
    blobs: new ClusterBlobs({ here: new FileBlobs(directory), store }),
    homes: { count: homeCount, owned: () => [...machines[0].open], use: () => {} },
    sessionMemory: new AskedSessions({ homes, worlds, acceptsKey: () => true }),
    runMemory: new AskedRuns({ homes, sessionOf: () => undefined, leaving: leaving.signal }),
  };
  const kit = await openSessionKit({ directory, clock, worlds: false, services });
  for (const { owned } of machines) owned.catalog.follow(kit.services.catalog);
  for (const home of [1, 2]) await machines[0].take(home);
  for (const home of [3, 4]) await machines[1].take(home);
  const machineOf = (sessionId: string): TestMachine => machines.find(({ open }) => open.has(homeOf(sessionId, homeCount))) ?? machines[0];
  return {
    ...kit,
    machines,
    machineOf,
    changed: () => tell(),
    add: async (credential, amount, { bindings } = machines[0]) => await kit.agentAt(bindings, credential, amount),
    close: async () => {
      leaving.abort();
      await kit.end();
      for (const { owned } of machines) await owned.close();
      changes.close();
      connections.close();
      await server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
