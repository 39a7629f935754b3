// The long test of a cluster, as `npm run test:cluster` runs it: faults of each kind that this machine can make, in an order that follows
// from the seed, and a table of what became of the load.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { postgresMissing, startPostgres } from '../cluster/postgres-server.js';
import { type SmallDisk, smallDisk } from '../small-disk.js';
import { type FaultGround, type FaultKind, faultKinds, faultMissing, makeFault } from './cluster-faults.js';
import { shownFindings } from './cluster-history.js';
import { allowCallbacks, Cluster } from './cluster-kit.js';
import { exampleBuild, nowMs, seededNumbers, shownRefusals } from './cluster-load.js';
import { NodeNetwork } from './cluster-network.js';
import { ClusterLoad } from './cluster-rounds.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '28' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '3' },
    kinds: { type: 'string', default: faultKinds.join(',') },
    events: { type: 'string', default: '100000' },
    'within-ms': { type: 'string', default: '30000' },
  },
});
const seed = Number(values.seed);
const withinMs = Number(values['within-ms']);
/** Sessions with long advances have their place on it too. */
const diskMegabytes = 1024;
/** What agents were answered meanwhile is shown of a silence that is longer. */
const longMs = 5000;
const asked = values.kinds.split(',') as FaultKind[];
const unknown = asked.filter((kind) => !faultKinds.includes(kind));
if (unknown.length > 0) throw new Error(`no such faults: ${unknown.join(', ')}; there are ${faultKinds.join(', ')}`);
if (postgresMissing !== false) throw new Error(postgresMissing);

interface Round {
  kind: FaultKind;
  /** Until the catalog's home had another owner; undefined: it had none, or before the time that counts. */
  takenMs: number | undefined;
  /** Of `/v1` and of each world: until it had answered what was asked after the fault. */
  silencesMs: number[];
}
const ended: (() => void | Promise<void>)[] = [];
try {
  process.exitCode = await run();
} finally {
  for (const end of ended.reverse()) await end();
}

async function run(): Promise<number> {
  const network = asked.some((kind) => ['link_cut', 'no_database', 'no_nodes'].includes(kind)) ? NodeNetwork.make(3) : 'not asked for';
  if (typeof network !== 'string') ended.push(() => network.remove());
  const disk = asked.includes('disk_full') || asked.includes('disk_full_owner') ? mountedDisk() : 'not asked for';
  const postgres = await startPostgres({ settings: typeof network === 'string' ? [] : network.databaseSettings() });
  const place = (index: number) => ({
    ...(typeof network === 'string'
      ? {}
      : { before: network.before(index), host: network.addressOf(index), databaseUrl: network.databaseUrl(postgres.url) }),
    ...(typeof disk === 'string' || index > 0 ? {} : { dataDirectory: join(disk.path, 'node') }),
  });
  const cluster = await Cluster.start({ postgres, place, flags: allowCallbacks, haveClocks: true });
  ended.push(() => cluster.close());
  const ground: FaultGround = { cluster, network, disk };
  const missing = asked.flatMap((kind) => {
    const reason = faultMissing(kind, ground);
    return reason === undefined ? [] : [{ kind, reason }];
  });
  for (const { kind, reason } of missing) console.log(`not made on this machine: ${kind} (${reason})`);
  const kinds = asked.filter((kind) => missing.every((one) => one.kind !== kind));
  if (kinds.length === 0) throw new Error('no fault can be made here');
  const plan = planOf(kinds);
  const [worlds, events] = [Number(values.worlds), Number(values.events)];
  const bringPort = (port: number) => (typeof network === 'string' ? Promise.resolve() : network.bringPort(port));
  const load = await ClusterLoad.prepare(cluster, { seed, worlds, events, bringPort });
  ended.push(() => load.stop());
  load.begin();
  const rounds: Round[] = [];
  for (const [index, kind] of plan.entries()) {
    await load.answersAgain({ withinMs });
    const epoch = watchEpoch(cluster);
    const beganMs = nowMs();
    // With the time, as the nodes' logs have it.
    console.log(`${index + 1}/${plan.length} ${kind}, led by ${(await cluster.leader()).name}, at ${Date.now()}`);
    const mend = await makeFault(kind, ground);
    // What was answered until the leader was really dead, or the disk full, says nothing.
    const fromMs = kind === 'kill_leader' || kind === 'disk_full' || kind === 'disk_full_owner' ? nowMs() : beganMs;
    const silencesMs = await load.answersAgain({ fromMs, withinMs });
    const answeredMs = Math.max(...silencesMs);
    rounds.push({ kind, takenMs: await epoch.takenMs(fromMs), silencesMs });
    const ended = endedThemselves(cluster, kind);
    if (ended.length > 0) throw new Error(ended.join('\n'));
    if (answeredMs > longMs) for (const { refusals } of load.agents) console.log(shownRefusals(refusals, fromMs));
    await mend();
    const { takenMs } = rounds.at(-1) as Round;
    console.log(
      `${index + 1}/${plan.length} ${kind}: answered after ${shown(answeredMs)}${takenMs === undefined ? '' : `, taken ${shown(takenMs)}`}`,
    );
  }
  await load.answersAgain({ withinMs });
  const { findings, faults, ...counts } = await load.end({ build: await exampleBuild() });
  for (const line of [...cluster.errors(), ...tableOf(rounds)]) console.log(line);
  for (const line of [shownFindings({ findings }), ...faults]) if (line !== '') console.log(line);
  const of = (kind: string): number => findings.filter((one) => one.kind === kind).length;
  const lost = of('lost') + of('different');
  const result = {
    ...counts,
    lost,
    doubled: of('doubled'),
    disordered: of('disordered'),
    stale: of('stale'),
    faults: faults.length,
    seed,
    missing,
  };
  console.log(JSON.stringify({ rounds: rounds.length, ...result }));
  return findings.length + faults.length === 0 ? 0 : 1;
}

/** Nodes that ended by themselves. One may, for a full disk. */
function endedThemselves({ nodes }: Cluster, kind: FaultKind): string[] {
  const ended = nodes.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  for (const node of nodes) node.fault = undefined;
  return kind === 'disk_full' || kind === 'disk_full_owner' ? [] : ended;
}

/** Each kind as often as any other, in an order by the seed; then kills of leaders alone. */
function planOf(kinds: readonly FaultKind[]): FaultKind[] {
  const choose = seededNumbers(seed);
  const plan: FaultKind[] = [];
  for (let left: FaultKind[] = []; plan.length < Number(values.rounds); ) {
    if (left.length === 0) left = [...kinds];
    plan.push(...left.splice(choose(left.length), 1));
  }
  return [...plan, ...Array.from({ length: Number(values.kills) }, (): FaultKind => 'kill_leader')];
}

/** Looks at the owner of the catalog's home, as the log has it; the database may be away meanwhile. */
function watchEpoch({ postgres }: Cluster): { takenMs(fromMs: number): Promise<number | undefined> } {
  const read = async (): Promise<unknown> => {
    const rows = await postgres.ask('select epoch from drillyard_home where home = 0').catch(() => []);
    return rows[0]?.epoch;
  };
  let isOver = false;
  let takenAtMs: number | undefined;
  const watching = (async () => {
    const before = await read();
    for (; !isOver; await pause(50)) {
      const epoch = await read();
      if (epoch !== undefined && before !== undefined && epoch !== before) takenAtMs ??= nowMs();
    }
  })();
  return {
    takenMs: async (fromMs) => {
      isOver = true;
      await watching;
      return takenAtMs === undefined || takenAtMs < fromMs ? undefined : takenAtMs - fromMs;
    },
  };
}

function mountedDisk(): SmallDisk | string {
  let reason = 'it could not be mounted';
  const context = { after: (end: () => void) => ended.push(end), skip: (message: string) => (reason = message) };
  const disk = smallDisk(context as unknown as TestContext, { kind: 'ext4', megabytes: diskMegabytes });
  if (disk === undefined) return reason;
  mkdirSync(join(disk.path, 'node'));
  return disk;
}

/**
 * `each`: of all worlds and `/v1` in all rounds, those whose owner was not hit and that were never silent among them; `last`: of the one of
 * a round that was silent longest.
 */
function tableOf(rounds: readonly Round[]): string[] {
  const quantile = (times: readonly number[], part: number): string => {
    const sorted = [...times].sort((one, other) => one - other);
    const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
    return found === undefined ? '-' : shown(found);
  };
  const row = (cells: readonly string[]): string => `| ${cells.map((cell, index) => cell.padEnd(index === 0 ? 18 : 12)).join('| ')}|`;
  const head = ['fault', 'rounds', 'taken p50', 'taken p99', 'each p50', 'each p99', 'last p50', 'last p99', 'longest'];
  return [
    row(head),
    row(head.map(() => '---')),
    ...faultKinds.flatMap((kind) => {
      const of = rounds.filter((round) => round.kind === kind);
      if (of.length === 0) return [];
      const taken = of.flatMap(({ takenMs }) => (takenMs === undefined ? [] : [takenMs]));
      const each = of.flatMap(({ silencesMs }) => silencesMs);
      const last = of.map(({ silencesMs }) => Math.max(...silencesMs));
      const quantiles = [taken, each, last].flatMap((times) => [quantile(times, 0.5), quantile(times, 0.99)]);
      return [row([kind, String(of.length), ...quantiles, shown(Math.max(...last))])];
    }),
  ];
}

function shown(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
