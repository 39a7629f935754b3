// A cluster on this machine: how calls scale with its nodes, what the log in PostgreSQL and a forward cost, how long a takeover and a join
// take. For the first two, nodes have a share of a processor each, by control groups; clients and the database are outside. Ratios count.
//   npm run bench -- cluster [--only scale,log,append,forward,takeover,join] [--nodes 1,2,3] [--cpu 30] [--seconds 10] [--warm 20]
//     [--sessions 64] [--turns 3] [--requests 2000] [--kills 5] [--size-mb 32] [--json]
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type ClusterNode } from '../test/e2e/cluster-kit.js';
import { until } from '../test/until.js';
import { append } from './cluster-append.js';
import { clusterSessions, planEvents, sessionOf } from './cluster-sessions.js';
import { cpuShare } from './cpu-share.js';
import { compare } from './forward.js';
import { bump } from './http.js';
import { type LoadFigures, type LoadRequest, measureLoad } from './load.js';
import { accessToNewSession, openFlags, processFigures, publishRows, startService } from './service.js';

type Options = { [flag: string]: string | boolean };
const rows = 1000;
const parts = { scale, log, append, forward, takeover, join: joined };

export async function run(options: Options): Promise<object> {
  const names = (options.only === undefined ? Object.keys(parts) : String(options.only).split(',')) as (keyof typeof parts)[];
  const figures: { [name: string]: object } = {};
  for (const name of names) {
    figures[name] = await parts[name](options);
    console.error(`${name}: ${JSON.stringify(figures[name])}`);
  }
  return figures;
}

/** All nodes own homes, and none moves any more. */
async function startCluster(nodes: number): Promise<{ cluster: Cluster; buildHash: string }> {
  const cluster = await Cluster.start({ nodes, homes: 24, flags: openFlags });
  const owners = async (): Promise<string> => JSON.stringify([...(await cluster.shares())].sort());
  await until(async () => {
    const before = await owners();
    await pause(1500);
    return (await cluster.shares()).size === nodes && (await owners()) === before;
  });
  const client = cluster.patientClientOf(await cluster.leader());
  return { cluster, buildHash: await publishRows(client, { projectId: cluster.ids.projectId, rows }) };
}

const requestsOf = (tokens: readonly string[]): LoadRequest[] => tokens.map((token, index) => bump(token, (index * 7) % rows));
const sum = (loads: readonly LoadFigures[], of: 'requestsPerSecond' | 'errors'): number => loads.reduce((all, load) => all + load[of], 0);

/** Calls that reach the owner at once, and those that another node forwards. */
async function scale(options: Options): Promise<object> {
  const { nodes = '1,2,3', cpu = 30, seconds = 10, warm = 20, sessions = 64 } = options;
  const figures: { [name: string]: { own: number; forwarded?: number; errors: number } } = {};
  let note: string | undefined;
  for (const count of String(nodes).split(',').map(Number)) {
    const { cluster, buildHash } = await startCluster(count);
    const tokens = await clusterSessions(cluster, { buildHash, perNode: Number(sessions) });
    const shares = cluster.nodes.map((node) => ({ node, share: cpuShare(node.name, Number(cpu)) }));
    for (const { node, share } of shares) {
      if (typeof share === 'string') note = `${share}; nodes have all processors`;
      else share.add(node.pid);
    }
    const measure = (step: number, of: number): Promise<LoadFigures[]> =>
      Promise.all(
        cluster.nodes.map((node, index) => {
          const owner = cluster.nodes[(index + step) % count] as ClusterNode;
          const requests = requestsOf(tokens.get(owner.name) as string[]);
          return measureLoad({ origin: node.url, requests, connections: Number(sessions), seconds: of });
        }),
      );
    await measure(0, Number(warm));
    const own = await measure(0, Number(seconds));
    const other = count === 1 ? [] : await measure(1, Number(seconds));
    figures[`nodes${count}`] = {
      own: sum(own, 'requestsPerSecond'),
      ...(count === 1 ? {} : { forwarded: sum(other, 'requestsPerSecond') }),
      errors: sum([...own, ...other], 'errors'),
    };
    await cluster.close();
    for (const { share } of shares) if (typeof share !== 'string') share.remove();
  }
  const one = figures.nodes1?.own;
  const linear = Object.entries(figures).map(([name, { own }]) => [
    name,
    Number((own / ((one ?? own) * Number(name.slice(5)))).toFixed(2)),
  ]);
  return { cpuPercent: Number(cpu), ...(note === undefined ? {} : { note }), ...figures, linear: Object.fromEntries(linear) };
}

/**
 * One node whose log is in PostgreSQL, and a service alone that flushes its own disk, in turns. First both have all processors, which the
 * database and the client take as well; then each has a share of one, as the nodes of `scale`.
 */
async function log(options: Options): Promise<object> {
  const { seconds = 10, warm = 20, sessions = 64, turns = 3, cpu = 30 } = options;
  const { cluster, buildHash } = await startCluster(1);
  const service = await startService({ rows, flags: ['--server', 'node', '--workers', '1', '--durability', 'flushed'] });
  const tokens = await clusterSessions(cluster, { buildHash, perNode: Number(sessions) });
  const alone = await Promise.all(Array.from({ length: Number(sessions) }, () => accessToNewSession(service)));
  const node = cluster.nodes[0] as ClusterNode;
  const subjects = {
    postgres: { pid: node.pid, origin: node.url, requests: requestsOf(tokens.get(node.name) as string[]) },
    flushed: { pid: service.pid, origin: service.origin, requests: requestsOf(alone) },
  };
  const measure = (name: keyof typeof subjects, of: number): Promise<LoadFigures> =>
    measureLoad({ ...subjects[name], connections: Number(sessions), seconds: of });
  const inTurns = async (): Promise<object> => {
    const found: { [name in keyof typeof subjects]: (LoadFigures & { cpuUsPerCall: number })[] } = { postgres: [], flushed: [] };
    for (let turn = 0; turn < Number(turns); turn++)
      for (const name of ['postgres', 'flushed'] as const) {
        const { cpuUs } = processFigures(subjects[name].pid);
        const load = await measure(name, Number(seconds));
        const calls = load.requestsPerSecond * Number(seconds);
        found[name].push({ ...load, cpuUsPerCall: Math.round((processFigures(subjects[name].pid).cpuUs - cpuUs) / calls) });
      }
    return { ...found, ratio: Number((sum(found.postgres, 'requestsPerSecond') / sum(found.flushed, 'requestsPerSecond')).toFixed(2)) };
  };
  for (const name of ['postgres', 'flushed'] as const) await measure(name, Number(warm));
  const free = await inTurns();
  const shares = [cpuShare('postgres', Number(cpu)), cpuShare('flushed', Number(cpu))];
  [node.pid, service.pid].forEach((pid, at) => {
    const share = shares[at] as ReturnType<typeof cpuShare>;
    if (typeof share !== 'string') share.add(pid);
  });
  const note = shares.find((share) => typeof share === 'string');
  const bounded = note === undefined ? await inTurns() : { note };
  await cluster.close();
  await service.stop();
  for (const share of shares) if (typeof share !== 'string') share.remove();
  return { free, [`percent${cpu}`]: bounded };
}

async function forward(options: Options): Promise<object> {
  const { requests = 2000 } = options;
  const { cluster, buildHash } = await startCluster(2);
  const [one, other] = cluster.nodes as [ClusterNode, ClusterNode];
  const tokens = await clusterSessions(cluster, { buildHash, perNode: 16 });
  const asked = { direct: one.url, forwarded: other.url, load: requestsOf(tokens.get(one.name) as string[]) };
  await compare({ ...asked, requests: Number(requests) / 4, callers: 1 });
  const figures = { callers1: await compare({ ...asked, requests: Number(requests), callers: 1 }) };
  await cluster.close();
  return figures;
}

/** What is left of the answer is the silence before the others know, and the way of the request. */
const partNames = ['claim', 'reading', 'opening'] as const;

/** An owner is killed; how long each part took the others by their own figures, and when a client had its first answer. */
async function takeover(options: Options): Promise<object> {
  const { kills = 5 } = options;
  const { cluster, buildHash } = await startCluster(3);
  const tokens = await clusterSessions(cluster, { buildHash, perNode: 1 });
  const taken: { [part: string]: number[] } = { answer: [] };
  for (let kill = 0; kill < Number(kills); kill++) {
    const victim = cluster.nodes[kill % cluster.nodes.length] as ClusterNode;
    const others = cluster.nodes.filter((node) => node !== victim);
    const before = await Promise.all(others.map(partsOf));
    const [token] = tokens.get(victim.name) as [string];
    await victim.kill();
    const killedMs = performance.now();
    await until(() => isAnswered(others[kill % others.length] as ClusterNode, token));
    taken.answer?.push(Math.round(performance.now() - killedMs));
    await until(async () => !(await cluster.shares()).has(victim.name));
    const after = await Promise.all(others.map(partsOf));
    for (const name of partNames) {
      const [ms, count] = [0, 1].map((at) =>
        after.reduce((all, of, index) => all + (of[name]?.[at] ?? 0) - (before[index]?.[name]?.[at] ?? 0), 0),
      ) as [number, number];
      taken[name] = [...(taken[name] ?? []), count === 0 ? 0 : Math.round((ms * 1000) / count)];
    }
    await victim.start();
    // What a node had it gets back once it was there for long enough.
    await until(async () => (await fetch(`${victim.url}/readyz`)).ok);
    await until(async () => (await cluster.shares()).size === cluster.nodes.length);
  }
  await cluster.close();
  return { kills: Number(kills), ms: taken };
}

/** By part, the sum in seconds and how many there were. */
async function partsOf({ url }: ClusterNode): Promise<{ [part: string]: [number, number] }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const of = (kind: string, part: string): number =>
    Number(new RegExp(`^drillyard_cluster_takeover_duration_seconds_${kind}\\{part="${part}"\\} (.+)$`, 'm').exec(text)?.[1] ?? 0);
  return Object.fromEntries(partNames.map((part) => [part, [of('sum', part), of('count', part)]]));
}

async function isAnswered({ url }: ClusterNode, token: string): Promise<boolean> {
  const { method, path, headers, body } = bump(token, 1);
  const reply = await fetch(url + path, { method, headers, body }).catch(() => undefined);
  await reply?.text();
  return reply?.ok === true;
}

/** A node with an empty disk comes to a cluster that holds so much: from its start until it is ready. */
async function joined(options: Options): Promise<object> {
  const sizeMb = Number(options['size-mb'] ?? 32);
  const { cluster, buildHash } = await startCluster(3);
  const newcomer = cluster.nodes[2] as ClusterNode;
  const empty = await joinMs(cluster, newcomer);
  const of = cluster.nodes[0] as ClusterNode;
  while (megabytesOf(of.dataDirectory) < sizeMb) await planEvents(cluster, { buildHash, ...(await sessionOf(cluster, buildHash)) });
  const full = await joinMs(cluster, newcomer);
  const copiedMb = megabytesOf(newcomer.dataDirectory);
  await cluster.close();
  const ms = full - empty;
  return {
    sizeMb,
    copiedMb,
    emptyJoinMs: empty,
    joinMs: full,
    ...(ms > 0 ? { catchUpMbPerSecond: Math.round((copiedMb * 1000) / ms) } : {}),
  };
}

async function joinMs({ postgres }: Cluster, node: ClusterNode): Promise<number> {
  await node.stop();
  node.removeData();
  // As one that was never there.
  await postgres.ask(`delete from drillyard_node where node = '${node.name}'`);
  const fromMs = performance.now();
  await node.start();
  await until(async () => (await fetch(`${node.url}/readyz`)).ok);
  return Math.round(performance.now() - fromMs);
}

function megabytesOf(folder: string): number {
  const bytes = (path: string): number =>
    readdirSync(path, { withFileTypes: true }).reduce((all, entry) => {
      const file = join(path, entry.name);
      return all + (entry.isDirectory() ? bytes(file) : statSync(file).blocks * 512);
    }, 0);
  return Math.round(bytes(folder) / (1024 * 1024));
}
