// Pages: every item once whatever the page size, and cursors that nobody makes or carries elsewhere.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { listPage, type PageRequest } from '../../src/control/catalog/cursors.js';
import { Keyring } from '../../src/control/catalog/keyring.js';
import { defineTable } from '../../src/control/catalog/tables.js';
import fc from '../fast-check.js';

interface Item {
  id: string;
  owner: string;
  even: boolean;
}
const items = defineTable<Item>({
  name: 'item',
  idOf: ({ id }) => id,
  indexes: { byOwner: ({ owner }) => [owner], byId: ({ owner, id }) => [owner, id] },
});
const directory = mkdtempSync(join(tmpdir(), 'drillyard-cursors-'));
const catalog = new Catalog({ directory });
const keyringIn = (name: string): Keyring => {
  mkdirSync(join(directory, name));
  return Keyring.open({ dataDirectory: join(directory, name), nowMs: () => 1 });
};
const keyring = keyringIn('ours');
after(async () => {
  await catalog.close();
  rmSync(directory, { recursive: true, force: true });
});
const count = 57;
await catalog.change((tx) => {
  for (const owner of ['a', 'b', 'a b']) {
    for (let n = 0; n < count; n++) tx.put(items, { id: `${owner}-${String(n).padStart(3, '0')}`, owner, even: n % 2 === 0 });
  }
});
const page = (request: Partial<PageRequest<Item>>, key = keyring) =>
  listPage({ keyring: key }, catalog.view, { table: items, index: 'byOwner', prefix: ['a'], query: {}, ...request });

test('every item once and in order, whatever the page size, the direction and the filter', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.boolean(), fc.constantFrom('all', 'even', 'none'), (limit, reverse, which) => {
      const where = ({ even }: Item): boolean => which === 'all' || (which === 'even' && even);
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const { items: some, nextCursor } = page({
          query: { limit, ...(cursor === undefined ? {} : { cursor }) },
          reverse,
          where,
          filters: { which },
        });
        assert.ok(some.length <= limit);
        found.push(...some.map(({ id }) => id));
        cursor = nextCursor;
      } while (cursor !== undefined);
      const expected = Array.from({ length: count }, (_, n) => `a-${String(n).padStart(3, '0')}`).filter((_, n) =>
        where({ id: '', owner: '', even: n % 2 === 0 }),
      );
      assert.deepEqual(found, reverse ? expected.reverse() : expected);
    }),
  );
});

test('fifty a page unless said otherwise, and no cursor on the last', () => {
  const first = page({});
  assert.equal(first.items.length, limits.pageItemsDefault);
  const second = page({ query: { cursor: first.nextCursor! } });
  assert.deepEqual([second.items.length, second.nextCursor], [count - limits.pageItemsDefault, undefined]);
  assert.equal(page({ query: { limit: count } }).nextCursor, undefined, 'a page that is just full is the last');
});

test('no page of a narrowed list has a cursor that leads to nothing', () => {
  const even = (limit: number, cursor?: string) =>
    page({ query: { limit, ...(cursor === undefined ? {} : { cursor }) }, where: ({ even }) => even });
  const all = Math.ceil(count / 2);
  assert.deepEqual([even(all).items.length, even(all).nextCursor], [all, undefined], 'only what does not match is left');
  const first = even(all - 1);
  assert.deepEqual([first.items.length, even(all - 1, first.nextCursor).items.length], [all - 1, 1]);
  const only = page({ query: { limit: 1 }, where: ({ id }) => id === 'a-003' });
  assert.deepEqual([only.items.length, only.nextCursor], [1, undefined]);
});

// LIST-CURSOR-1
test('a cursor of another list, owner, direction, filter or server is refused', () => {
  const cursor = page({ query: { limit: 5 }, filters: { state: 'all' } }).nextCursor!;
  const again = { query: { cursor }, filters: { state: 'all' } };
  assert.equal(page(again).items[0]!.id, 'a-005');
  assert.equal(page({ ...again, filters: { state: 'all', kind: undefined } }).items.length, 50, 'a filter that is not used is none');
  const others: Partial<PageRequest<Item>>[] = [
    { prefix: ['b'] },
    { prefix: ['a b'] },
    { prefix: [] },
    { index: 'byId' },
    { reverse: true },
    { filters: {} },
    { filters: { state: 'other' } },
    { filters: { kind: 'all' } },
  ];
  for (const other of others) refuses(() => page({ ...again, ...other }));
  refuses(() => page(again, keyringIn('theirs')));
});

test('what was not given out is refused, however like it looks', () => {
  const cursor = page({ query: { limit: 5 } }).nextCursor!;
  const [place, seal] = cursor.split('.');
  const forged = [
    '',
    '.',
    'x',
    `${place}.`,
    `.${seal}`,
    `${place}.${seal}x`,
    `${place}=.${seal}`,
    `${place}.${seal}=`,
    `${place} .${seal}`,
    `${Buffer.from('a-009').toString('base64url')}.${seal}`,
  ];
  for (const text of forged) refuses(() => page({ query: { cursor: text } }));
  fc.assert(
    fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'aZ09-_.~ é'), (at, other) => {
      const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
      if (changed !== cursor) refuses(() => page({ query: { cursor: changed } }));
    }),
  );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => refuses(() => page({ query: { cursor: text } }))));
});

test('a cursor stays good when the item it stands on goes', async () => {
  const cursor = page({ prefix: ['b'], query: { limit: 3 } }).nextCursor!;
  await catalog.change((tx) => {
    tx.remove(items, 'b-002');
    tx.remove(items, 'b-003');
  });
  assert.equal(page({ prefix: ['b'], query: { cursor, limit: 1 } }).items[0]!.id, 'b-004');
});

test('a rare match does not make one page read everything', async () => {
  const many = limits.pageRecordsReadMax + 10;
  await catalog.change((tx) => {
    for (let n = 0; n < many; n++) tx.put(items, { id: `m-${String(n).padStart(5, '0')}`, owner: 'many', even: n === many - 1 });
  });
  const where = ({ even }: Item): boolean => even;
  const first = page({ prefix: ['many'], where, query: { limit: 10 } });
  assert.equal(first.items.length, 0);
  const second = page({ prefix: ['many'], where, query: { limit: 10, cursor: first.nextCursor! } });
  assert.deepEqual([second.items.length, second.nextCursor], [1, undefined]);
});

function refuses(work: () => unknown): void {
  assert.throws(work, (error) => error instanceof ServiceError && error.code === 'control.CURSOR_INVALID');
}
