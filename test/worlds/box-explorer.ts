// Runs in a box, for boxes.test.ts: tells what code there can see and do.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { openParentChannel } from '../../src/processes/parent-channel.js';

const codeOf = (work: () => unknown): unknown => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).name;
  }
};

const mebibytes32 = 32 * 1024 * 1024;

/** Of so many more that are started, how many run at one time. A shell ends at the first that it cannot start. */
async function processesAtOnce(more: number): Promise<number> {
  const script = 'exec 3<&0; i=0; while [ $i -lt "$0" ]; do (read line <&3) & i=$((i+1)); echo $i; done';
  const shell = spawn('/bin/sh', ['-c', script, String(more)], { stdio: ['pipe', 'pipe', 'ignore'] });
  let said = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(shell, 'exit');
  const over = once(shell, 'close');
  shell.stdin.end();
  await over;
  return Number(said.trim().split('\n').at(-1));
}

const channel = openParentChannel(async (message) => {
  const { folder, parent, more } = message as { folder: string; parent: number; more: number };
  const connected = await new Promise((resolve) => {
    const socket = connect({ host: '192.0.2.1', port: 9 });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on('connect', () => resolve('connected'));
  });
  const processes = await processesAtOnce(more);
  channel.send({
    environment: Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'PWD')),
    root: readdirSync('/').sort(),
    outside: codeOf(() => readdirSync(folder)),
    key: codeOf(() => readFileSync(join(folder, 'server.key'))),
    passwords: codeOf(() => readFileSync('/etc/passwd')),
    written: codeOf(() => writeFileSync('/data/written', '')),
    runtimeWritten: codeOf(() => writeFileSync('/usr/written', '')),
    rootWritten: codeOf(() => writeFileSync('/written', '')),
    devicesWritten: codeOf(() => writeFileSync('/dev/written', '')),
    memoryFilled: ['/tmp', '/dev/shm'].map((place) => codeOf(() => writeFileSync(join(place, 'filled'), Buffer.alloc(mebibytes32)))),
    userNamespace: spawnSync('/usr/bin/unshare', ['--user', '--map-root-user', '/usr/bin/true']).status,
    processes,
    userId: process.getuid?.(),
    otherProcesses: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length > 3,
    signalled: codeOf(() => process.kill(parent === process.pid ? 999_999 : parent, 0)),
    interfaces: Object.keys(networkInterfaces()),
    connected,
    capabilities: /^CapEff:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1],
    memory: codeOf(() => Array.from({ length: 64 }, () => new Uint8Array(64 * 1024 * 1024).fill(1))),
  });
});
