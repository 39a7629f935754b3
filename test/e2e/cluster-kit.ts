// A cluster as an operator runs it: PostgreSQL, and nodes that are processes with data folders of their own and one server key. Each node
// can be killed, stopped for a while, asked to end, started again and robbed of its data; the database, too.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, createClient } from '../../src/client/client.js';
import { OperationError } from '../../src/client/control-error.js';
import { homeOf } from '../../src/worlds/homes.js';
import { nodeArguments } from '../cli/cli.js';
import { type PostgresServer, startPostgres } from '../cluster/postgres-server.js';
import { freePort } from '../free-port.js';
import { stopProcess } from '../stop-process.js';
import { clientAt, type Door, seededNumbers } from './cluster-load.js';

/** What every node's first line says alike. */
export interface ClusterIds {
  organizationId: string;
  projectId: string;
  environmentId: string;
  buildHash: string;
}
export interface NodeReady extends ClusterIds {
  event: 'ready';
  baseUrl: string;
  node: string;
  credential?: string;
}
/** How a node is placed where it is not simply on loopback: in a network namespace, on a small disk. */
export interface NodePlace {
  /** Words before the command, as `ip netns exec n1`. */
  before?: readonly string[];
  host?: string;
  dataDirectory?: string;
  /** As it is reached from the nodes; default the same. */
  databaseUrl?: string;
}
export interface ClusterOptions {
  nodes?: number;
  homes?: number;
  place?: (index: number) => NodePlace;
  postgres?: PostgresServer;
  flags?: readonly string[];
  /** Their wall clocks can jump. */
  haveClocks?: boolean;
}

/** Nodes may call receivers of this machine. */
export const allowCallbacks: readonly string[] = ['--allow-loopback-receivers', 'true'];

/** Of this process, whose end none of them outlives: a test or a bench that fails closes no cluster. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Characters that are shown of what a node said before its end. */
const lastWords = 4000;
/** Until a node that starts has to say that it is ready. */
const readyMs = 60_000;

export class ClusterNode implements Door {
  readonly name: string;
  readonly url: string;
  readonly dataDirectory: string;
  readonly #command: readonly string[];
  #child: ChildProcess | undefined;
  #ended: Promise<number | null> | undefined;
  /** The last that its incarnations have said. */
  said = '';
  ready: NodeReady | undefined;
  isPaused = false;
  /** How it ended by itself, if it did. */
  fault: string | undefined;
  #isAsked = false;
  /** No client reaches it. */
  isCut = false;

  constructor(name: string, url: string, dataDirectory: string, command: readonly string[]) {
    this.name = name;
    this.url = url;
    this.dataDirectory = dataDirectory;
    this.#command = command;
  }

  get #clockFile(): string {
    return `${this.dataDirectory}.clock`;
  }
  get isRunning(): boolean {
    return this.#child !== undefined;
  }
  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error(`${this.name} does not run`);
    return pid;
  }

  /** The last lines of its log that are more than warnings. */
  get errors(): string[] {
    const lines = this.said.split('\n').filter((line) => /"level":(50|60)/.test(line));
    return lines.slice(-20);
  }

  /** Resolves when it has printed that it is ready. */
  async start(): Promise<NodeReady> {
    const [program, ...words] = this.#command;
    const env = { ...process.env, NO_COLOR: '1', DRILLYARD_TEST_CLOCK: this.#clockFile };
    const child = spawn(program as string, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    running.add(child);
    let stdout = '';
    let hasEnded = false;
    this.#isAsked = false;
    this.#ended = once(child, 'close').then(([code, signal]) => {
      hasEnded = true;
      if (!this.#isAsked) this.fault = `${this.name} ended by itself, with ${code ?? signal}: ${this.said.slice(-lastWords)}`;
      running.delete(child);
      if (this.#child === child) this.#child = undefined;
      return code as number | null;
    });
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      // Of what is said in a long test the end is enough.
      this.said = (this.said + chunk).slice(-256 * 1024);
    });
    for (const until = Date.now() + readyMs; !stdout.includes('\n'); await pause(10)) {
      if (hasEnded) throw new Error(`${this.name} ended before it was ready: ${this.said}`);
      if (Date.now() > until) throw new Error(`${this.name} was not ready after ${readyMs} ms: ${this.said}`);
    }
    const ready = JSON.parse(stdout.split('\n')[0] as string) as NodeReady;
    if (ready.event !== 'ready') throw new Error(`${this.name} did not start: ${stdout}${this.said}`);
    this.ready = ready;
    return ready;
  }

  /** As `kill -9`. */
  async kill(): Promise<void> {
    this.#isAsked = true;
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }
  /** Its exit code, after SIGTERM. */
  async stop(): Promise<number | null> {
    this.#isAsked = true;
    this.#child?.kill('SIGTERM');
    return (await this.#ended) ?? null;
  }
  /** As `kill -STOP`: it holds its connections, and does nothing. */
  async pause(): Promise<void> {
    this.isPaused = true;
    await stopProcess(this.pid);
  }
  resume(): void {
    this.isPaused = false;
    process.kill(this.pid, 'SIGCONT');
  }
  /** From now on its wall clock is so wrong. Only where the cluster has clocks that jump. */
  setClock(offsetMs: number): void {
    writeFileSync(this.#clockFile, String(offsetMs));
  }
  /** Its disk is gone. Only of a node that does not run. */
  removeData(): void {
    if (this.isRunning) throw new Error(`${this.name} still runs`);
    rmSync(this.dataDirectory, { recursive: true, force: true });
  }
}

export class Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly postgres: PostgresServer;
  readonly #folder: string;
  readonly #homes: number;
  #credential = '';
  #ids: ClusterIds | undefined;

  private constructor(nodes: readonly ClusterNode[], postgres: PostgresServer, folder: string, homes: number) {
    this.#homes = homes;
    this.nodes = nodes;
    this.postgres = postgres;
    this.#folder = folder;
  }

  /** The first node alone makes what is made once; then the others start together. */
  static async start({
    nodes: count = 3,
    homes = 8,
    place = () => ({}),
    postgres: given,
    flags = [],
    haveClocks = false,
  }: ClusterOptions = {}): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'drillyard-cluster-'));
    const postgres = given ?? (await startPostgres());
    const keyFile = join(folder, 'server.key');
    writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
    const nodes: ClusterNode[] = [];
    for (let index = 0; index < count; index++) {
      const { before = [], host = '127.0.0.1', dataDirectory = join(folder, `n${index + 1}`), databaseUrl = postgres.url } = place(index);
      const [name, port] = [`n${index + 1}`, await freePort()];
      const url = `http://${host}:${port}`;
      mkdirSync(dataDirectory, { recursive: true });
      const clock = haveClocks ? ['--import', new URL('jumping-clock.js', import.meta.url).href] : [];
      const serve = [...clock, ...nodeArguments, 'serve', '--json', '--log-level', 'warn', '--server', 'node', '--workers', '1'];
      const where = [
        '--isolate',
        'thread',
        '--trust-tool-code',
        'true',
        '--host',
        host,
        '--port',
        String(port),
        '--data-dir',
        dataDirectory,
      ];
      const shared = ['--cluster', databaseUrl, '--node', name, '--node-address', url, '--homes', String(homes), '--key-file', keyFile];
      nodes.push(new ClusterNode(name, url, dataDirectory, [...before, process.execPath, ...serve, ...where, ...shared, ...flags]));
    }
    const cluster = new Cluster(nodes, postgres, folder, homes);
    try {
      await cluster.#startAll();
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  async #startAll(): Promise<void> {
    const [first, ...others] = this.nodes;
    const { credential, organizationId, projectId, environmentId, buildHash } = await (first as ClusterNode).start();
    if (credential === undefined) throw new Error('the first node made the first start and showed no credential');
    this.#credential = credential;
    this.#ids = { organizationId, projectId, environmentId, buildHash };
    await Promise.all(others.map((node) => node.start()));
  }

  get credential(): string {
    return this.#credential;
  }
  get ids(): ClusterIds {
    if (this.#ids === undefined) throw new Error('the cluster has not started');
    return this.#ids;
  }
  /** A client that asks one node, once. */
  clientOf(node: Door): Client {
    return clientAt(node.url, this.credential);
  }

  /** One that asks again, with the key of the first try, as clients do: homes of a cluster that has begun lately are still on their way. */
  patientClientOf(node: Door): Client {
    return createClient({ baseUrl: node.url, credential: this.credential });
  }

  /** As the log has it: who owns home 0. */
  async leader(): Promise<ClusterNode> {
    return await this.#ownerOfHome(0);
  }
  /** As the log has it: who owns the home of a session. */
  async ownerOf(sessionId: string): Promise<ClusterNode> {
    return await this.#ownerOfHome(homeOf(sessionId, this.#homes));
  }
  async #ownerOfHome(home: number): Promise<ClusterNode> {
    const [row] = await this.postgres.ask(`select owner from drillyard_home where home = ${home}`);
    const found = this.nodes.find(({ name }) => name === row?.owner);
    if (found === undefined) throw new Error(`home ${home} belongs to ${String(row?.owner)}`);
    return found;
  }
  /** By name of a node, how many homes of worlds it owns. */
  async shares(): Promise<Map<string, number>> {
    const rows = await this.postgres.ask('select owner, count(*)::int as homes from drillyard_home where home > 0 group by owner');
    return new Map(rows.map(({ owner, homes }) => [String(owner), Number(homes)]));
  }
  followers(leader: ClusterNode): ClusterNode[] {
    return this.nodes.filter((node) => node !== leader);
  }
  /** Sessions of the nodes at the database; their connections break. */
  async endSessions(): Promise<void> {
    await this.postgres.ask(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'drillyard/%'`);
  }

  /** How it stands, in lines: who owns what, who is there, and what the nodes have said at last. */
  async describe(): Promise<string[]> {
    const homes = await this.postgres.ask('select home, owner, epoch from drillyard_home order by home');
    const nodes = await this.postgres.ask(
      'select node, state, beat, followed, held, now() - seen_at as silent from drillyard_node order by node',
    );
    const said = this.nodes.map(({ name, isRunning, isPaused, said }) => [{ name, isRunning, isPaused }, said.slice(-2000)]);
    return [...homes, ...nodes, ...said.flat(), ...this.errors()].map((row) => (typeof row === 'string' ? row : JSON.stringify(row)));
  }

  /** What nodes have written of bugs and of hosts that ended. */
  errors(): string[] {
    return this.nodes.flatMap(({ name, errors }) => errors.map((line) => `${name}: ${line}`));
  }

  /**
   * Asks until there is an answer: a change with one key throughout, so it is made once. The time is for several faults one after
   * another: on two busy processors some took 23 s.
   */
  async settle<T>(ask: (client: Client, node: ClusterNode) => Promise<T>, { withinMs = 60_000, seed = 1 } = {}): Promise<T> {
    const choose = seededNumbers(seed);
    for (const until = Date.now() + withinMs; ; await pause(100)) {
      const running = this.nodes.filter(({ isRunning, isCut }) => isRunning && !isCut);
      const node = running[choose(running.length)] as ClusterNode;
      try {
        return await ask(this.clientOf(node), node);
      } catch (error) {
        const { status, code } = error as { status?: number; code?: string };
        // One of a node that stands still may be at work with the first request still.
        const mayPass = status === undefined || status === 503 || code === 'control.IDEMPOTENCY_IN_PROGRESS';
        if (!mayPass || Date.now() > until) throw new Error(`${node.name}: ${String(error)}`, { cause: error });
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await this.postgres.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** An operation that was accepted and then failed, because the disk of its node was full: it has changed nothing, and says so. */
export function endedForSpace(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: unknown };
  if (error instanceof OperationError) return error.operation.error?.code === 'control.STORAGE_FULL';
  return cause !== undefined && endedForSpace(cause);
}
