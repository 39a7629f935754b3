// A page is bounded by its bytes as well as by what is on it: it has at least one thing, and the next one continues where it ended.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { EvidenceLinesPage, EvidencePage, StatePage } from '../../src/contract/world/world-protocol.js';
import type { Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { createMaker, type Maker } from './maker-kit.js';

const rowChars = limits.rowBytesMax - 8;
const directory = mkdtempSync(join(tmpdir(), 'drillyard-pages-'));
let worlds: Worlds;
let maker: Maker;
before(async () => {
  worlds = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread' });
  maker = await createMaker(worlds, 'world_000000000000');
  // Thirteen of a mebibyte, and many small ones behind them.
  for (let made = 0; made < 13; made++) {
    assert.equal((await maker.make('large', { id: `a${String(made).padStart(2, '0')}`, chars: rowChars })).kind, 'ok');
    await maker.call('schedule', { event: 'made', chars: rowChars });
  }
  assert.equal((await maker.make('rows', { count: 250, chars: 10 })).kind, 'ok');
});
after(async () => {
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
});

test('rows', async () => {
  const rowIds: string[] = [];
  const sizes: number[] = [];
  for (let after: { afterRowId?: string } | undefined = {}; after !== undefined; ) {
    const page: StatePage = await maker.world.query({ kind: 'state', packageId: 'maker', namespace: 'rows', limit: 200, ...after });
    const bytes = page.rows.reduce((sum, { value }) => sum + JSON.stringify(value).length, 0);
    assert.ok(
      page.rows.length >= 1 && (bytes <= limits.pageBytesMax || page.rows.length === 1),
      `${page.rows.length} rows of ${bytes} bytes`,
    );
    sizes.push(page.rows.length);
    rowIds.push(...page.rows.map(({ rowId }) => rowId));
    after = page.nextAfterRowId === undefined ? undefined : { afterRowId: page.nextAfterRowId };
  }
  assert.deepEqual(sizes, [4, 4, 4, 200, 51]);
  assert.equal(new Set(rowIds).size, 263);
  assert.deepEqual(rowIds, [...rowIds].sort());
});

test('entries, and their lines', async () => {
  const whole: EvidenceEntry[] = [];
  for (let from: number | undefined = 1; from !== undefined; ) {
    const page: EvidencePage = await maker.world.query({ kind: 'evidence', fromSequence: from, limit: 500 });
    const lines: EvidenceLinesPage = await maker.world.query({ kind: 'evidenceLines', fromSequence: from, limit: 500 });
    const bytes = Buffer.byteLength(lines.lines);
    assert.deepEqual([lines.count, lines.nextSequence], [page.entries.length, page.nextSequence]);
    assert.ok(lines.count >= 1 && (bytes <= limits.pageBytesMax || lines.count === 1), `${lines.count} lines of ${bytes} bytes`);
    assert.deepEqual(JSON.parse(`[${lines.lines.trimEnd().replaceAll('\n', ',')}]`), page.entries);
    whole.push(...page.entries);
    from = page.nextSequence;
  }
  const { evidenceSequence } = await maker.world.query({ kind: 'position' });
  assert.deepEqual(
    whole.map(({ sequence }) => sequence),
    Array.from({ length: evidenceSequence }, (_, index) => index + 1),
  );
});

test('pending events: the earliest that fit, and how many there are in all', async () => {
  const { total, events } = await maker.world.query({ kind: 'pending', limit: 100 });
  assert.deepEqual([total, events.length], [13, 4]);
});
