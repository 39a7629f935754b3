// Records of a data file with a log: what they cost the owner, how large they are, and how fast a copy replays them. 64 worlds of one host
// make a call each and commit together, round after round; `--calls` in all. The floor of a replay: the same puts and removes, decoded
// before, in transactions of the same size, through LMDB alone.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Actor, ActorKind, HostFacts } from '../src/actors/definition.js';
import type { CompiledBuild } from '../src/contract/run/build.js';
import { openDatabase } from '../src/files/database.js';
import { createActorKind, createLoggedKind } from '../src/worlds/host.js';
import type { CreateRequest, HostOptions } from '../src/worlds/host-requests.js';
import { decodeRecord, type RecordedChange } from '../src/worlds/kv/group-record.js';
import type { StreamLog, StreamRecord } from '../src/worlds/kv/stream-log.js';
import { KvWriter } from '../src/worlds/kv/writer.js';
import { tuning } from '../src/worlds/tuning.js';
import { bumpCall, compileRows, rowsWorld } from './rows.js';

const worlds = 64;

class CountingLog implements StreamLog {
  readonly records: StreamRecord[] = [];
  mintNonce(): Buffer {
    return randomBytes(16);
  }
  async append(record: StreamRecord): Promise<'appended'> {
    this.records.push(record);
    return 'appended';
  }
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const rounds = Math.ceil(Number(options.calls ?? 60_000) / worlds);
  const build = await compileRows();
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-bench-'));
  try {
    return await measure(build, folder, rounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(build: CompiledBuild, folder: string, rounds: number): Promise<object> {
  const calls = rounds * worlds;
  const host: HostFacts = { index: 0, isolation: 'thread', wantsIdle: () => {}, ask: async () => undefined, dismiss: async () => {} };
  const settings = (name: string): HostOptions => ({
    directory: join(folder, name),
    layout: 'shared',
    durability: 'committed',
    hosts: 1,
    freshModulePerTurn: false,
    printThrows: false,
  });
  const log = new CountingLog();
  // In turns, the first to warm both up.
  await play(await createActorKind(settings('warm'), host), build, Math.ceil(rounds / 4));
  await play(
    createLoggedKind(settings('warmLogged'), host, () => new CountingLog()),
    build,
    Math.ceil(rounds / 4),
  );
  const plain = await play(await createActorKind(settings('plain'), host), build, rounds);
  const logged = await play(
    createLoggedKind(settings('logged'), host, () => log),
    build,
    rounds,
  );
  // The first records hold the worlds as they were made.
  const ofCalls = log.records.slice(-rounds);
  const stored = ofCalls.reduce((sum, { body }) => sum + body.length, 0);
  const changes = log.records.map(({ body }) => decodeRecord(body).changes);
  const unpacked = changes
    .slice(-rounds)
    .flat()
    .reduce((sum, change) => sum + 6 + change.key.length + (change.value?.length ?? 0), 0);
  const replay = await replaySeconds(join(folder, 'copy'), log.records);
  const floor = await floorSeconds(join(folder, 'floor'), changes);
  const rate = (seconds: number): number => Math.round(calls / seconds);
  const figure = (value: number): number => Number(value.toFixed(2));
  return {
    calls,
    bytesPerCall: figure(unpacked / calls),
    recordBytesPerCall: figure(stored / calls),
    ownerCallsPerSecond: { plain: rate(plain), logged: rate(logged) },
    ownerTimesPlain: figure(logged / plain),
    replayTurnsPerSecond: rate(replay),
    floorTurnsPerSecond: rate(floor),
    replayTimesFloor: figure(replay / floor),
  };
}

/** Seconds of the calls alone. */
async function play(kind: ActorKind, build: CompiledBuild, rounds: number): Promise<number> {
  const { setup, setupHash, seed } = rowsWorld(build, 1000);
  const { buildHash, tools } = build;
  const actors: Actor[] = [];
  for (let index = 0; index < worlds; index++) {
    const worldId = `world_${String(index).padStart(12, '0')}`;
    const program = { schemaVersion: 1 as const, buildHash, tools, setup, setupHash };
    const budgets = { maxToolCalls: null, maxEvents: null };
    const request: CreateRequest = { kind: 'create', worldId, buildHash, setupHash, seed, budgets, recordRandom: false, program };
    await kind.control(request);
    actors.push(kind.activate(worldId, 1));
  }
  const command = { cancelRequested: false, isShared: false, progress: () => {}, sliceOver: () => false };
  const from = performance.now();
  for (let round = 0; round < rounds; round++) {
    for (const actor of actors) actor.command(bumpCall((round * 7) % 1000), command).next();
    for (const refusal of await kind.commit(actors.map((actor) => actor.takeWriteSet()))) if (refusal !== undefined) throw refusal;
  }
  const seconds = (performance.now() - from) / 1000;
  await kind.close();
  return seconds;
}

async function replaySeconds(directory: string, records: readonly StreamRecord[]): Promise<number> {
  const copy = KvWriter.open({ directory, durability: 'committed' });
  const from = performance.now();
  copy.replay(records);
  const seconds = (performance.now() - from) / 1000;
  await copy.close();
  return seconds;
}

async function floorSeconds(directory: string, records: readonly RecordedChange[][]): Promise<number> {
  const database = openDatabase({ directory, flushed: false });
  const from = performance.now();
  for (let next = 0; next < records.length; ) {
    database.transactionSync(() => {
      for (let bytes = 0; next < records.length && bytes < tuning.replayedBytesAtOnce; next++) {
        for (const { key, value } of records[next] as RecordedChange[]) {
          bytes += key.length + (value?.length ?? 0);
          if (value === null) database.removeSync(key);
          else database.putSync(key, value);
        }
      }
    });
  }
  const seconds = (performance.now() - from) / 1000;
  await database.close();
  return seconds;
}
