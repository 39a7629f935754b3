// Copies of journals that grow, are dropped and begin again.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ArchivePort } from '../../src/inspector/journal/archive-port.js';
import { JournalMirrors } from '../../src/inspector/journal-mirrors.js';
import { tuning } from '../../src/inspector/tuning.js';
import type { Readable } from '../../src/inspector/world-pages.js';

const pad = 'x'.repeat(4_000);
const line = (sequence: number): string =>
  `{"kind":"lifecycle","phase":"${pad}","schemaVersion":1,"sequence":${sequence},"virtualTimeUs":${sequence}}\n`;

test('a world that is reset while it is copied for the first time is copied again, for who asks meanwhile too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-mirrors-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const archive = new ArchivePort();
  t.after(() => archive.close());
  const mirrors = new JournalMirrors(folder, archive);
  let length = 6_000;
  let pages = 0;
  let secondPage = (): void => {};
  const begun = new Promise<void>((resolve) => {
    secondPage = resolve;
  });
  const world = {
    query: async ({ fromSequence, limit }: { fromSequence: number; limit: number }) => {
      if (++pages === 2) secondPage();
      await new Promise(setImmediate);
      const count = Math.max(0, Math.min(limit, length - fromSequence + 1));
      const lines = Array.from({ length: count }, (_, index) => line(fromSequence + index)).join('');
      return { lines, count, ...(fromSequence + count <= length ? { nextSequence: fromSequence + count } : {}) };
    },
  } as unknown as Readable;
  const lengthOf = async (): Promise<number> => {
    const place = await mirrors.of('world_a', world);
    return (await archive.ask('facts', { place, query: undefined })).toSequence;
  };
  const before = lengthOf().catch(() => undefined);
  await begun;
  length = 3;
  const dropped = mirrors.drop('world_a');
  const during = lengthOf();
  await dropped;
  assert.equal(await during, 3);
  await before;
  length = 6;
  assert.equal(await lengthOf(), 6);
});

test('an inspector that closes while an old copy is dropped closes without an error', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-mirrors-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const archive = new ArchivePort();
  const mirrors = new JournalMirrors(folder, archive);
  const world = { query: async () => ({ lines: line(1), count: 1 }) } as unknown as Readable;
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  for (let index = 0; index < tuning.mirrorsMax; index++) await mirrors.of(`world_${index}`, world);
  const next = mirrors.of('world_next', world).catch(() => undefined);
  await archive.close();
  await next;
  await new Promise(setImmediate);
  assert.deepEqual(unhandled, []);
});
