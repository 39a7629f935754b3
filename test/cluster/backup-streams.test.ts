// A cluster's backup whose manifest and files do not say the same of where each stream stands: a finding, and no cluster is made from it.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type BackupManifest, type ClusterPosition, manifestName, writeManifest } from '../../src/control/backup-manifest.js';
import { dataFormat } from '../../src/control/data-format.js';
import { verifyDataDirectory } from '../../src/data-verification.js';
import { openDatabase } from '../../src/files/database.js';
import { restoreCluster } from '../../src/nodes/cluster-restore.js';
import { positionKey } from '../../src/worlds/kv/keys.js';
import { encodePosition } from '../../src/worlds/kv/stream-position.js';
import { temporaryFolder } from '../worlds/storage-kit.js';
import { nonceOf } from './log-kit.js';

const stream = `p-${'a'.repeat(32)}`;
const streamsOf = [
  { home: 0, stream: '', number: 9, folder: 'catalog' },
  { home: 2, stream, number: 5, folder: `worlds/${stream}/home-2` },
];

async function backupIn(folder: string): Promise<void> {
  const position: ClusterPosition['position'] = [];
  for (const { home, stream, number, folder: place } of streamsOf) {
    const directory = join(folder, place);
    mkdirSync(directory, { recursive: true });
    const database = openDatabase({ directory, flushed: true });
    database.putSync(positionKey, encodePosition({ number, nonce: nonceOf(stream) }));
    await database.close();
    rmSync(join(directory, 'lock.mdb'));
    position.push({ home, sequence: 20, streams: [{ stream, number, nonce: nonceOf(stream).toString('hex') }] });
  }
  const cluster = { clusterId: 'one', homes: 4, keyFingerprint: 'key', format: 1, position };
  await writeManifest(folder, { kind: 'cluster', dataFormat, madeAtMs: 0, cluster });
}

type Position = ClusterPosition['position'];
const streamIn = (position: Position, at: number) => position[at]?.streams[0] as Position[number]['streams'][number];
const cases: [name: string, change: (position: Position) => void, finding: RegExp][] = [
  ['another number of the catalog', (all) => (streamIn(all, 0).number += 8), /catalog.data.mdb: it is at record 9, and not at 17/],
  ['another number of worlds', (all) => (streamIn(all, 1).number -= 1), /home-2.data.mdb: it is at record 5, and not at 4/],
  ['another nonce', (all) => (streamIn(all, 1).nonce = nonceOf('b').toString('hex')), /home-2.data.mdb: its record 5 is another/],
  ['a file that no home names', (all) => all.pop(), /home-2.data.mdb: backup.json does not say at which record it is/],
  ['a file that is named twice', (all) => all[1]?.streams.push(streamIn(all, 1)), /home-2.data.mdb: backup.json names it wrongly/],
  ['another home', (all) => ((all[1] as Position[number]).home = 3), /home-3.data.mdb: backup.json names it wrongly/],
  ['a stream of no home', (all) => (streamIn(all, 1).stream = '../..'), /backup.json names it wrongly/],
  ['a home without streams', (all) => Object.assign(all[1] as object, { streams: 5 }), /backup.json is none of a backup/],
  ['no home', (all) => all.push(null as unknown as Position[number]), /backup.json is none of a backup/],
];

// STREAM-FILES-1
test('where a stream stands is compared with its file before it is believed', async (t) => {
  const folder = temporaryFolder(t);
  await backupIn(folder);
  const file = join(folder, manifestName);
  const manifest = readFileSync(file, 'utf8');
  // Of so small a backup other things are missing.
  const found = async (): Promise<string[]> =>
    (await verifyDataDirectory({ dataDirectory: folder })).findings
      .map(({ file, problem }) => `${file}: ${problem}`)
      .filter((finding) => finding.includes('backup.json'));
  const restored = () => restoreCluster({ from: folder, url: 'postgres://nobody@127.0.0.1:1/none' });
  assert.deepEqual(await found(), []);
  await assert.rejects(restored(), { code: 'control.UNAVAILABLE' });
  for (const [name, change, finding] of cases)
    await t.test(name, async () => {
      const changed = JSON.parse(manifest) as BackupManifest;
      change((changed.cluster as ClusterPosition).position);
      // An early manifest has no digest of its own, by which each change of it is found.
      delete changed.digest;
      writeFileSync(file, JSON.stringify(changed));
      assert.match((await found()).join('\n'), finding);
      await assert.rejects(restored(), { code: 'control.DATA_DAMAGED' });
    });
});
