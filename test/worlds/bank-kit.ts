// Worlds of the bank, through the public door: real threads, real LMDB in a folder that goes away with the test file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { jsonDigest } from '../../src/contract/digest.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { EvidenceEntry, OperationEntry } from '../../src/contract/world/evidence.js';
import type { WorldSetup } from '../../src/contract/world/scenario.js';
import type { CallResult, CallTool, WorldCommand, WorldPosition } from '../../src/contract/world/world-protocol.js';
import type { CreateWorld, WorldRef, Worlds, WorldsOptions } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { bankBuild, bankSetup } from './bank-build.js';

/** One Worlds for all tests of a file. */
export function bankWorlds(options: Partial<WorldsOptions> = {}): {
  readonly worlds: Worlds;
  create(changes?: BankChanges): Promise<Bank>;
  directory(): string;
} {
  let worlds: Worlds | undefined;
  let directory = '';
  let made = 0;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'drillyard-worlds-'));
    worlds = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread', ...options });
  });
  after(async () => {
    await worlds?.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    get worlds() {
      return worlds as Worlds;
    },
    directory: () => directory,
    create: (changes) => createBank(worlds as Worlds, `world_${String(made++).padStart(12, '0')}`, changes),
  };
}

export interface BankChanges extends Partial<Pick<CreateWorld, 'seed' | 'budgets' | 'recordRandom' | 'placement'>> {
  setup?: Partial<WorldSetup>;
}
export async function createBank(worlds: Worlds, worldId: string, { setup: changes = {}, ...rest }: BankChanges = {}): Promise<Bank> {
  const setup = { ...bankSetup, ...changes };
  const setupHash = jsonDigest(setup as unknown as JsonValue);
  return new Bank(await worlds.create({ worldId, build: bankBuild, setup, setupHash, seed: { seed: '7', trial: 1, attempt: 1 }, ...rest }));
}

export type BankCall = Partial<Omit<CallTool, 'kind' | 'operationId' | 'arguments'>>;

/** A world of the bank, with what the tests keep asking for. */
export class Bank {
  readonly world: WorldRef;

  constructor(world: WorldRef) {
    this.world = world;
  }

  call(operationId: string, args: JsonValue, rest: BankCall = {}): Promise<CallResult> {
    return this.world.command({ kind: 'call', actorId: 'clerk', packageId: 'bank', operationId, arguments: args, ...rest });
  }
  add(amount: number, rest: BankCall = {}): Promise<CallResult> {
    return this.call('add', { account: 'main', amount }, rest);
  }
  advance(targetUs: number, maxEvents = 1000) {
    return this.world.command({ kind: 'advance', targetUs, maxEvents });
  }
  run<C extends WorldCommand>(command: C) {
    return this.world.command(command);
  }
  async row(namespace: string, rowId: string, place: { packageId?: string; instanceId?: string } = {}): Promise<JsonObject | null> {
    return (await this.world.query({ kind: 'row', packageId: 'bank', ...place, namespace, rowId })).value;
  }
  async balance(account = 'main', instanceId = 'bank'): Promise<unknown> {
    return (await this.row('accounts', account, { instanceId }))?.balance;
  }
  position(): Promise<WorldPosition> {
    return this.world.query({ kind: 'position' });
  }
  async evidence(fromSequence = 1): Promise<EvidenceEntry[]> {
    const entries: EvidenceEntry[] = [];
    for (let from: number | undefined = fromSequence; from !== undefined; ) {
      const page: { entries: EvidenceEntry[]; nextSequence?: number } = await this.world.query({
        kind: 'evidence',
        fromSequence: from,
        limit: 500,
      });
      entries.push(...page.entries);
      from = page.nextSequence;
    }
    return entries;
  }
  async lines(): Promise<string[]> {
    const lines: string[] = [];
    for (let from: number | undefined = 1; from !== undefined; ) {
      const page: { lines: string; nextSequence?: number } = await this.world.query({
        kind: 'evidenceLines',
        fromSequence: from,
        limit: 500,
      });
      lines.push(...page.lines.split('\n').slice(0, -1));
      from = page.nextSequence;
    }
    return lines;
  }
  /** The entry of a call. */
  async operation(sequence: number): Promise<OperationEntry> {
    const { entries } = await this.world.query({ kind: 'evidence', fromSequence: sequence, limit: 1 });
    return entries[0] as OperationEntry;
  }
  /** What a transaction wrote, beginning with the entry `sequence`. */
  async transaction(sequence: number): Promise<EvidenceEntry[]> {
    const [first] = (await this.world.query({ kind: 'evidence', fromSequence: sequence, limit: 1 })).entries as [EvidenceEntry];
    return (await this.world.query({ kind: 'evidence', fromSequence: sequence, limit: first.transactionSize })).entries;
  }
}

/** The code of an outcome that is no success. */
export const codeOf = ({ outcome }: Pick<CallResult, 'outcome'>): string =>
  outcome.kind === 'ok' ? 'ok' : `${outcome.kind} ${outcome.error.code}`;
