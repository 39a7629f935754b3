// How the control plane stands: hosts that come and go, commits that never fall, and what lies in the data directory.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ServiceWorlds } from '../../src/control/core/services.js';
import { DiskUse } from '../../src/control/disk-use.js';
import { Figures } from '../../src/control/figures.js';
import { folderBytes } from '../../src/files/folder-bytes.js';
import type { WorldHostStats } from '../../src/worlds/api.js';
import { openControlKit } from './control-kit.js';

const directory = mkdtempSync(join(tmpdir(), 'drillyard-figures-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('a host keeps its slot while it stands, and the sum of commits never falls', async (t) => {
  let hosts: WorldHostStats[] = [];
  const kit = await openControlKit({
    services: { worlds: { stats: async () => ({ hosts }), close: async () => {} } as unknown as ServiceWorlds },
  });
  t.after(() => kit.close());
  const figures = new Figures(kit.services);
  t.after(() => figures.close());
  const seen = async (...standing: [index: number, commits: number][]) => {
    hosts = standing.map(([index, commits]) => ({ index, commits, worldsLive: index, mailboxDepth: 0, residentBytes: 1, restarts: 0 }));
    const { hosts: shown, worldCommits } = await figures.read();
    return { slots: shown.map(({ slot, worldsLive }) => [worldsLive, slot]), worldCommits };
  };
  assert.deepEqual(await seen([0, 5], [256, 10]), {
    slots: [
      [0, 0],
      [256, 1],
    ],
    worldCommits: 15,
  });
  // The first has ended, another has come: the numbers of hosts rise, slots do not.
  assert.deepEqual(await seen([256, 11], [512, 1]), {
    slots: [
      [256, 1],
      [512, 0],
    ],
    worldCommits: 17,
  });
  // One was replaced, and counts from none again.
  assert.deepEqual(await seen([256, 2], [512, 1], [0, 3]), {
    slots: [
      [256, 1],
      [512, 0],
      [0, 2],
    ],
    worldCommits: 22,
  });
});

// DISK-USE-2
test('the bytes of a folder are those of its files, links aside, as far as it is counted', async () => {
  const folder = join(directory, 'some');
  mkdirSync(join(folder, 'below/further'), { recursive: true });
  writeFileSync(join(folder, 'a'), 'x'.repeat(10));
  writeFileSync(join(folder, 'below/further/b'), 'x'.repeat(7));
  symlinkSync(directory, join(folder, 'below/link'));
  symlinkSync(join(folder, 'a'), join(folder, 'other'));
  assert.equal(await folderBytes(folder), 17);
  assert.equal(await folderBytes(folder, { signal: AbortSignal.abort() }), 0);
  assert.ok((await folderBytes(folder, { entriesMax: 2 })) < 17);
  await assert.rejects(folderBytes(join(directory, 'nowhere')), { code: 'ENOENT' });
});

// DISK-USE-1
test('parts of the data directory are counted once for all who ask within a minute', async () => {
  const data = join(directory, 'data');
  for (const folder of ['catalog', 'worlds', 'blobs']) mkdirSync(join(data, folder), { recursive: true });
  writeFileSync(join(data, 'blobs/one'), 'x'.repeat(100));
  const use = new DiskUse(data);
  const counted = async () => {
    for (;;) {
      const sizes = await use.sizes();
      if (sizes !== undefined) return sizes;
    }
  };
  const sizes = { catalog: 0, worlds: 0, blobs: 100, evidence: 0 };
  assert.deepEqual(await Promise.all([counted(), counted()]), [sizes, sizes]);
  writeFileSync(join(data, 'blobs/two'), 'x');
  assert.deepEqual(await counted(), sizes);
  await use.close();
});
