// Three nodes as processes of this machine. Each has a data directory and a port of its own; all have the same server key.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from './database.mjs';

const command = fileURLToPath(new URL('bin/drillyard.js', import.meta.resolve('drillyard/package.json')));

/** The first makes what is made once, and its ready line has the credential; the others join it. */
export async function startNodes(databaseUrl) {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-nodes-'));
  const keyFile = join(folder, 'server.key');
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
  const nodes = [];
  for (const name of ['n1', 'n2', 'n3']) nodes.push(await placedNode(name, { folder, keyFile, databaseUrl }));
  const [first, ...others] = nodes;
  const { credential } = await first.start();
  await Promise.all(others.map((node) => node.start()));
  const stop = async () => {
    for (const node of nodes) await node.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  return { nodes, credential, stop };
}

async function placedNode(name, { folder, keyFile, databaseUrl }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const place = ['--port', String(port), '--server', 'node', '--data-dir', join(folder, name), '--log-level', 'warn', '--json'];
  const shared = ['--node', name, '--node-address', url, '--homes', '8', '--key-file', keyFile];
  let child;
  let ended;
  return {
    name,
    url,
    /** Resolves with the ready line. */
    async start() {
      // The URL may hold a password, which the arguments of a process would show.
      const env = { ...process.env, DRILLYARD_CLUSTER: databaseUrl };
      child = spawn(process.execPath, [command, 'serve', ...place, ...shared], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      ended = new Promise((resolve) => child.once('exit', resolve));
      const line = await Promise.race([new Promise((resolve) => createInterface(child.stdout).once('line', resolve)), ended]);
      const said = typeof line === 'string' ? JSON.parse(line) : {};
      if (said.event !== 'ready') throw new Error(`${name} did not start`);
      return said;
    },
    async end(signal) {
      child?.kill(signal);
      await ended;
    },
  };
}
