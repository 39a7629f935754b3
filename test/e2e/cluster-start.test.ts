// Starts of nodes that come to nothing: one that is refused, and ones that are asked to stop while they still wait.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { clusterFormats } from '../../src/contract/cluster-format.js';
import { Keyring } from '../../src/control/catalog/keyring.js';
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

function serveNode(node: string, { url = server.url, dataDirectory = temporaryFolder() } = {}): ReturnType<typeof serve> {
  const flags = ['--cluster', url, '--node', node, '--node-address', 'http://127.0.0.1:9', '--homes', `${homes}`, '--key-file', keyFile];
  return serve({ dataDirectory, flags: ['--json', ...flags] });
}

test('a node that is refused says so and ends', { skip, timeout: 60_000 }, async () => {
  const dataDirectory = temporaryFolder();
  mkdirSync(join(dataDirectory, 'cluster'));
  writeFileSync(join(dataDirectory, 'cluster', 'cluster-id'), 'another');
  const { code, stdout } = await serveNode('foreign', { dataDirectory }).ended;
  assert.deepEqual([jsonLines(stdout).at(-1)?.code, code], ['cluster.FOREIGN_CLUSTER', 1]);
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
