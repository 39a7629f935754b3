import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { JournalPages } from '../../src/viewer/journal-pages.js';
import { tuning } from '../../src/viewer/tuning.js';

function journalOf(length: { now: number }) {
  const asked: number[] = [];
  const load = async (from: number, limit: number): Promise<EvidenceEntry[]> => {
    asked.push(from);
    const count = Math.max(Math.min(limit, length.now - from + 1), 0);
    return Array.from({ length: count }, (_, index) => ({ sequence: from + index }) as EvidenceEntry);
  };
  let changes = 0;
  const pages = new JournalPages(load);
  pages.onArrival(() => {
    changes++;
  });
  return { pages, asked, changes: () => changes };
}

// JOURNAL-PAGES-1
test('a page is asked for once, and what was asked for is here', async () => {
  const { pages, asked, changes } = journalOf({ now: 1000 });
  pages.want(1, 30);
  pages.want(10, 40);
  assert.equal((await pages.entry(5))?.sequence, 5);
  pages.want(1, tuning.journalPageEntries);
  assert.deepEqual([asked, changes()], [[1], 1]);
  assert.equal(pages.peek(tuning.journalPageEntries)?.sequence, tuning.journalPageEntries);
  assert.equal(pages.peek(tuning.journalPageEntries + 1), undefined);
});

test('a range reaches over pages and ends with the journal', async () => {
  const { pages } = journalOf({ now: tuning.journalPageEntries + 10 });
  const sequences = (await pages.range(tuning.journalPageEntries - 1, tuning.journalPageEntries + 50)).map((entry) => entry.sequence);
  assert.deepEqual(
    sequences,
    [...Array(12).keys()].map((index) => tuning.journalPageEntries - 1 + index),
  );
});

// JOURNAL-PAGES-1
test('a page that was not full is asked for again once more is wanted', async () => {
  const length = { now: 5 };
  const { pages, asked } = journalOf(length);
  await pages.entry(5);
  pages.want(1, 5);
  assert.deepEqual(asked, [1]);
  length.now = 9;
  assert.equal((await pages.entry(9))?.sequence, 9);
  assert.deepEqual(asked, [1, 1]);
});

// JOURNAL-PAGES-1
test('an entry that came while its page was on its way is found, and so is a range that ends with it', async () => {
  const length = { now: 2 };
  const { pages, asked } = journalOf(length);
  pages.want(1, 2);
  length.now = 3;
  const both = [pages.entry(3).then((entry) => entry?.sequence), pages.range(1, 3).then((entries) => entries.length)];
  assert.deepEqual(await Promise.all(both), [3, 3]);
  assert.deepEqual(asked, [1, 1]);
});

// JOURNAL-PAGES-1
test('an entry that is wanted while its page is on its way comes, too', async () => {
  const length = { now: 2 };
  const { pages, asked } = journalOf(length);
  pages.want(1, 2);
  length.now = 3;
  pages.want(1, 3);
  const shown = new Promise<void>((resolve) => {
    pages.onArrival(() => pages.peek(3) !== undefined && resolve());
  });
  await shown;
  assert.deepEqual(asked, [1, 1]);
});

// JOURNAL-PAGES-2
test('the pages used least recently are dropped', async () => {
  const { pages } = journalOf({ now: 1_000_000 });
  for (let page = 0; page < 100; page++) await pages.entry(page * tuning.journalPageEntries + 1);
  assert.equal(pages.peek(1), undefined);
  assert.equal(pages.peek(99 * tuning.journalPageEntries + 1)?.sequence, 99 * tuning.journalPageEntries + 1);
});
