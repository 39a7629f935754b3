// Runs in a box, for boxes.test.ts: tells what code there can see and do.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { openParentChannel } from '../../src/processes/parent-channel.js';

const codeOf = (work: () => unknown): unknown => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).name;
  }
};

/** Of the root, /dev, the folders in them and those around this file: where a file can be made. What lies in /tmp is of it. */
function writableFolders(): string[] {
  const around: string[] = [];
  for (let folder = import.meta.dirname; folder !== '/'; folder = dirname(folder)) if (!folder.startsWith('/tmp/')) around.push(folder);
  const below = ['/', '/dev'].flatMap((root) => readdirSync(root, { withFileTypes: true }).map((entry) => join(root, entry.name)));
  return [...new Set(['/', ...below, ...around])].sort().filter((folder) => {
    const file = join(folder, 'tried');
    if (codeOf(() => writeFileSync(file, '')) !== 'ok') return false;
    rmSync(file);
    return true;
  });
}

/** MiB that fit into a folder. */
function roomIn(folder: string, mostMib: number): number {
  const file = join(folder, 'filled');
  let mib = 0;
  while (mib < mostMib && codeOf(() => writeFileSync(file, new Uint8Array(1024 * 1024), { flag: 'a' })) === 'ok') mib++;
  rmSync(file, { force: true });
  return mib;
}

/** Processes that a shell starts until it cannot. They live as long as the box. */
function processesStarted(most: number): number {
  const script = `n=0; while [ $n -lt ${most} ]; do sleep 600 </dev/null >/dev/null 2>&1 & n=$((n+1)); echo $n; done`;
  const { stdout } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  return stdout.trim().split('\n').length;
}

const channel = openParentChannel(async (message) => {
  const { folder, parent, processesMax } = message as { folder: string; parent: number; processesMax: number };
  const connected = await new Promise((resolve) => {
    const socket = connect({ host: '192.0.2.1', port: 9 });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on('connect', () => resolve('connected'));
  });
  channel.send({
    environment: Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'PWD')),
    root: readdirSync('/').sort(),
    outside: codeOf(() => readdirSync(folder)),
    key: codeOf(() => readFileSync(join(folder, 'server.key'))),
    passwords: codeOf(() => readFileSync('/etc/passwd')),
    written: codeOf(() => writeFileSync('/data/written', '')),
    runtimeWritten: codeOf(() => writeFileSync('/usr/written', '')),
    userId: process.getuid?.(),
    otherProcesses: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length > 3,
    signalled: codeOf(() => process.kill(parent === process.pid ? 999_999 : parent, 0)),
    interfaces: Object.keys(networkInterfaces()),
    connected,
    capabilities: /^CapEff:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1],
    writable: writableFolders(),
    temporaryMib: ['/dev/shm', '/tmp'].map((place) => roomIn(place, 64)),
    // In a namespace of its own a process has every capability.
    namespace: spawnSync('/usr/bin/unshare', ['--user', '--map-root-user', '/bin/true']).status === 0,
    memory: codeOf(() => Array.from({ length: 64 }, () => new Uint8Array(64 * 1024 * 1024).fill(1))),
    processes: processesStarted(2 * processesMax) < processesMax,
  });
});
