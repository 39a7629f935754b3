// Runs in a box, for boxes.test.ts: tells what code there can see and do.
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

const channel = openParentChannel(async (message) => {
  const { folder, parent } = message as { folder: string; parent: number };
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
    memory: codeOf(() => Array.from({ length: 64 }, () => new Uint8Array(64 * 1024 * 1024).fill(1))),
  });
});
