import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchesOf } from '../../src/async/batches.js';
import { walkPages, walkPagesSync } from '../../src/async/pages.js';

interface Page {
  items: number[];
  after?: number;
}
/** Three numbers a page, up to seven; `asked` has every cursor it was asked with. */
function list(): { asked: (number | undefined)[]; page(after?: number): Page } {
  const asked: (number | undefined)[] = [];
  return {
    asked,
    page: (after) => {
      asked.push(after);
      const items = [1, 2, 3, 4, 5, 6, 7].filter((item) => item > (after ?? 0)).slice(0, 3);
      const last = items.at(-1) ?? 7;
      return last < 7 ? { items, after: last } : { items };
    },
  };
}
const next = ({ after }: Page): number | undefined => after;

test('pages are walked to the last one, at once or awaited', async () => {
  const { asked, page } = list();
  assert.deepEqual(
    [...walkPagesSync({ next }, page)].flatMap(({ items }) => items),
    [1, 2, 3, 4, 5, 6, 7],
  );
  assert.deepEqual(asked, [undefined, 3, 6]);
  const found: number[] = [];
  for await (const { items } of walkPages({ next }, async (after?: number) => page(after))) found.push(...items);
  assert.deepEqual(found, [1, 2, 3, 4, 5, 6, 7]);
});

test('a walk begins at its first cursor, and asks for no page that nobody takes', async () => {
  const { asked, page } = list();
  for await (const { items } of walkPages({ first: 2, next }, async (after?: number) => page(after))) {
    assert.deepEqual(items, [3, 4, 5]);
    break;
  }
  assert.deepEqual(asked, [2]);
});

test('batches have all items in order, and the last one has the rest', () => {
  assert.deepEqual([...batchesOf([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]]);
  assert.deepEqual([...batchesOf([1, 2], 2)], [[1, 2]]);
  assert.deepEqual([...batchesOf([], 2)], []);
});
