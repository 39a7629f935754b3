// Starts of nodes that come to nothing: one that is refused, and ones that are asked to stop while they still wait.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { clusterFormats } from '../../src/contract/cluster-format.js';
import { Keyring } from '../../src/control/catalog/keyring.js';
import { startControlServer } from '../../src/control-server.js';
import { jsonLines } from '../cli/cli.js';
import { stateOf } from '../cluster/log-kit.js';
import { type PostgresServer, postgresMissing, startPostgres } from '../cluster/postgres-server.js';
import { freePort } from '../free-port.js';
import { untilSettled } from '../until.js';
import { serve, temporaryFolder } from './service.js';

const skip = postgresMissing;
const homes = 2;
let server: PostgresServer;
let keyFile = '';
let keyFingerprint = '';

before(async () => {
  if (skip !== false) return;
  server = await startPostgres();
  const dataDirectory = temporaryFolder();
  keyFingerprint = Keyring.open({ dataDirectory, nowMs: Date.now }).fingerprint;
  keyFile = join(dataDirectory, 'server.key');
});
after(async () => {
  await server?.stop();
});

interface NodeParts {
  url?: string;
  address?: string;
  dataDirectory?: string;
}
function serveNode(node: string, parts: NodeParts = {}): ReturnType<typeof serve> {
  const { url = server.url, address = 'http://127.0.0.1:9', dataDirectory = temporaryFolder() } = parts;
  const flags = ['--cluster', url, '--node', node, '--node-address', address, '--homes', `${homes}`, '--key-file', keyFile];
  return serve({ dataDirectory, flags: ['--json', ...flags] });
}

test('a node without the key that nodes share, or with another one, is refused before anything is asked', async () => {
  const cluster = { url: 'postgres://nobody@127.0.0.1:9/none', node: 'keyless', address: 'http://127.0.0.1:9' };
  const dataDirectory = temporaryFolder();
  const shared = { dataDirectory, port: 0, cluster, log: { level: 'silent' as const } };
  await assert.rejects(startControlServer(shared), { code: 'control.INVALID_REQUEST', message: /--key-file/ });
  const rotated = startControlServer({ ...shared, keyFile: join(dataDirectory, 'key'), rotateKey: { graceMs: 0 } });
  await assert.rejects(rotated, { code: 'control.INVALID_REQUEST', message: /--rotate-key/ });
  assert.equal(readdirSync(dataDirectory).includes('server.key'), false);
});

test('a node that is refused says so and ends', { skip, timeout: 60_000 }, async () => {
  const dataDirectory = temporaryFolder();
  mkdirSync(join(dataDirectory, 'cluster'));
  writeFileSync(join(dataDirectory, 'cluster', 'cluster-id'), 'another');
  const { code, stdout } = await serveNode('foreign', { dataDirectory }).ended;
  assert.deepEqual([jsonLines(stdout).at(-1)?.code, code], ['cluster.FOREIGN_CLUSTER', 1]);
});

test('a node whose address leads to another node says so and ends', { skip, timeout: 60_000 }, async () => {
  const other = createServer((_, response) => response.end('{"answer":{"node":"other"}}\n'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { code, stdout } = await serveNode('astray', { address }).ended;
  other.close();
  assert.deepEqual([jsonLines(stdout).at(-1)?.code, code], ['cluster.NODE_ADDRESS_IN_USE', 1]);
});

// MEMBERS-6
test('a node whose name another process has says so and ends, and the other one stays', { skip, timeout: 60_000 }, async () => {
  const named = await openPostgresLog(server.url, { node: 'named', homes, keyFingerprint, formats: clusterFormats });
  const beat = () => named.beat(stateOf('named', { format: clusterFormats.newest }));
  const beats = setInterval(() => void beat().catch(() => {}), 100);
  try {
    await beat();
    const { code, stdout } = await serveNode('named').ended;
    assert.deepEqual([jsonLines(stdout).at(-1)?.code, code], ['cluster.NODE_NAME_IN_USE', 1]);
    assert.equal((await beat()).nodes.find(({ node }) => node === 'named')?.incarnation, 'named now');
  } finally {
    clearInterval(beats);
    await named.leave('named now');
    await named.close();
  }
});

test('a node that waits for a leader ends when it is asked to, and has left', { skip, timeout: 60_000 }, async () => {
  // It has the catalog's home, and makes nothing of it.
  const leader = await openPostgresLog(server.url, { node: 'leader', homes, keyFingerprint, formats: clusterFormats });
  const beat = () => leader.beat(stateOf('leader', { format: clusterFormats.newest }));
  await leader.claim(0, 0, 'leader');
  const beats = setInterval(() => void beat().catch(() => {}), 100);
  try {
    const waiting = serveNode('waiting');
    await untilSettled(async () => (await beat()).nodes.some(({ node }) => node === 'waiting'));
    const { code, stdout } = await waiting.stop();
    assert.deepEqual([code, stdout], [0, '']);
    assert.deepEqual(
      (await beat()).nodes.map(({ node }) => node),
      ['leader'],
    );
  } finally {
    clearInterval(beats);
    await leader.close();
  }
});

test('a node that waits for its database ends when it is asked to', { skip, timeout: 60_000 }, async () => {
  const waiting = serveNode('early', { url: `postgres://postgres@127.0.0.1:${await freePort()}/postgres` });
  await untilSettled(() => waiting.said().stderr.includes('it is asked for up to'));
  const { code, stdout } = await waiting.stop();
  assert.deepEqual([code, stdout], [0, '']);
});
