// Runs where a compile worker would, for task-process.test.ts: instead of compiling it tells what code there can see and do, as a
// diagnostic, or lies.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { CompileTask } from '../../src/control/tasks/compile-tasks.js';
import { openParentChannel } from '../../src/processes/parent-channel.js';

const codeOf = (work: () => unknown): unknown => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).name;
  }
};
const lies: { [name: string]: unknown } = {
  nothing: {},
  'another kind': { result: true },
  'two answers': { result: { diagnostics: [] }, bug: 'x' },
  'no diagnostic': { result: { diagnostics: [{ code: 'DY1000' }] } },
  'no summary': { result: { diagnostics: [], compiled: { summary: {}, build: { base64: '' }, view: { base64: '' } } } },
  'no refusal': { refusal: { code: 'control.NOT_A_CODE', message: '', extra: {} } },
  'no text for a code': { refusal: { code: { toString: 1 }, message: '', extra: {} } },
  'no list of issues': { refusal: { code: 'control.INTERNAL', message: '', extra: { issues: 5 } } },
  'begun again': { begun: true },
};

const channel = openParentChannel(async (message) => {
  const task = message as CompileTask & { kind: 'compile' };
  channel.send({ begun: true });
  const { config = '' } = task;
  if (config in lies) {
    channel.send(lies[config]);
    return;
  }
  const connected = await new Promise((resolve) => {
    const socket = connect({ host: '192.0.2.1', port: 9 });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on('connect', () => resolve('connected'));
  });
  const seen = {
    environment: Object.keys(process.env).filter((name) => name !== 'PWD'),
    root: readdirSync('/').sort(),
    sources: readdirSync('/source'),
    source: readdirSync(task.root),
    sourceWritten: codeOf(() => writeFileSync(join(task.root, 'written'), '')),
    data: codeOf(() => readdirSync(config)),
    key: codeOf(() => readFileSync(join(config, 'server.key'))),
    passwords: codeOf(() => readFileSync('/etc/passwd')),
    temporary: codeOf(() => writeFileSync('/tmp/written', '')),
    interfaces: Object.keys(networkInterfaces()),
    isConnected: connected === 'connected',
    memory: codeOf(() => Array.from({ length: 64 }, () => new Uint8Array(64 * 1024 * 1024))),
  };
  const diagnostic = { code: 'DY1000', severity: 'warning', file: 'a', line: 1, column: 1, path: '', message: JSON.stringify(seen) };
  channel.send({ result: { diagnostics: [diagnostic] } });
});
