// The catalog against a plain model: what changes see, what views see, what a failed flush and a reopening leave.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { type Change, defineTable, type ListRequest, type View } from '../../src/control/catalog/tables.js';
import fc from '../fast-check.js';
import { entriesOf } from './catalog-kit.js';

interface Thing {
  id: string;
  group: string;
  rank: number;
  hidden: boolean;
  note?: unknown;
}
const things = defineTable<Thing>({
  name: 'thing',
  idOf: ({ id }) => id,
  indexes: {
    byGroup: ({ group }) => [group],
    byRank: ({ group, rank, hidden }) => (hidden ? undefined : [group, rank]),
    all: () => [],
  },
});

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-catalog-'));
  folders.push(folder);
  return folder;
}
const openOn = (directory: string, disk = { full: false }): Catalog =>
  new Catalog({
    directory,
    onCommit: () => {
      if (disk.full) throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' });
    },
  });

/** What `list` must give: by place, then by id, as text orders them. */
function expected(model: Map<string, Thing>, { index, prefix, reverse }: ListRequest): Thing[] {
  const placed = [...model.values()]
    .map((thing) => ({ thing, place: things.indexes[index]!(thing) }))
    .filter(({ place }) => place !== undefined && prefix.every((part, at) => place[at] === part))
    .sort((left, right) => compare([...left.place!, left.thing.id], [...right.place!, right.thing.id]))
    .map(({ thing }) => thing);
  return reverse ? placed.reverse() : placed;
}
function compare(left: (string | number)[], right: (string | number)[]): number {
  for (let at = 0; at < left.length; at++) {
    const [a, b] = [keyText(left[at]!), keyText(right[at]!)];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
/** Parts are ordered as their escaped text. */
const keyText = (part: string | number): string =>
  typeof part === 'number' ? part.toString(16).padStart(14, '0') : encodeURIComponent(part).replaceAll('!', '%21');

function listAll(view: View, request: ListRequest): Thing[] {
  const found: Thing[] = [];
  let next: string | undefined;
  do {
    const page = view.list(things, { ...request, ...(next === undefined ? {} : { after: next }) });
    assert.ok(page.records.length <= request.limit);
    found.push(...page.records);
    next = page.next;
  } while (next !== undefined);
  for (const limit of [1, 3, 100]) assert.equal(view.count(things, { ...request, limit }), Math.min(found.length, limit));
  return found;
}

// Few ids and groups, so that records meet; awkward ones among them.
const ids = fc.constantFrom('a', 'a b', 'a!', 'a%20b', 'A', 'zoë', '__proto__', 'b');
const thing: fc.Arbitrary<Thing> = fc
  .record({
    id: ids,
    group: fc.constantFrom('g', 'g g', 'g!', 'h', ''),
    rank: fc.integer({ min: 0, max: 3 }).map((rank) => rank * 2 ** 30),
    hidden: fc.boolean(),
    note: fc.jsonValue(),
  })
  // As JSON has it: no -0, no null prototypes, and members called __proto__.
  .map((made) => JSON.parse(JSON.stringify(made)) as Thing);
const requests: fc.Arbitrary<ListRequest> = fc
  .record({
    index: fc.constantFrom('byGroup', 'byRank', 'all'),
    group: fc.constantFrom('g', 'g g', 'g!', 'h', ''),
    rank: fc.option(fc.constantFrom(0, 2 ** 30), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 4 }),
    reverse: fc.boolean(),
  })
  .map(({ index, group, rank, limit, reverse }) => {
    const prefix = index === 'all' ? [] : index === 'byRank' && rank !== undefined ? [group, rank] : [group];
    return { index, prefix, limit, reverse };
  });
type Edit = { put: Thing } | { remove: string };
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 3, arbitrary: thing.map((put) => ({ put })) },
  { weight: 1, arbitrary: ids.map((remove) => ({ remove })) },
);
type Step =
  | { kind: 'change'; edits: Edit[]; throws: boolean }
  | { kind: 'settle' }
  | { kind: 'lose' }
  | { kind: 'reopen' }
  | { kind: 'list'; request: ListRequest };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('change' as const), edits: fc.array(edit, { maxLength: 5 }), throws: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('list' as const), request: requests }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'settle' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'lose' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
);

function applyTo(tx: Change, model: Map<string, Thing>, edits: Edit[]): void {
  for (const one of edits) {
    if ('put' in one) {
      tx.put(things, one.put);
      model.set(one.put.id, one.put);
    } else {
      tx.remove(things, one.remove);
      model.delete(one.remove);
    }
  }
}

// CATALOG-1, CATALOG-2, CATALOG-3
test('changes see each other at once, views what is on the disk; what was lost or thrown away never was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const directory = newFolder();
      const disk = { full: false };
      let catalog = openOn(directory, disk);
      let pending = new Map<string, Thing>();
      let durable = new Map<string, Thing>();
      let waiting: Promise<unknown>[] = [];
      for (const one of steps) {
        if (one.kind === 'change') {
          const trial = new Map(pending);
          const made = catalog.change((tx) => {
            applyTo(tx, trial, one.edits);
            // The draft reads itself.
            assert.deepEqual(listAll(tx, { index: 'all', prefix: [], limit: 3 }), expected(trial, { index: 'all', prefix: [], limit: 3 }));
            if (one.throws) throw new Error('thrown away');
          });
          if (one.throws) await assert.rejects(made, /thrown away/);
          else pending = trial;
          waiting.push(made.catch((error) => error));
        } else if (one.kind === 'list') {
          // Nothing has reached the disk since `waiting` began: this loop has not given way.
          if (waiting.length === 0) assert.deepEqual(listAll(catalog.view, one.request), expected(durable, one.request));
          let seen: Thing[] = [];
          waiting.push(catalog.change((tx) => (seen = listAll(tx, one.request))).catch((error) => error));
          assert.deepEqual(seen, expected(pending, one.request));
        } else {
          disk.full = one.kind === 'lose';
          await Promise.all(waiting);
          waiting = [];
          disk.full = false;
          if (one.kind === 'reopen') {
            await catalog.close();
            catalog = openOn(directory, disk);
          }
          // What was lost was never there; everything else is, also for the next incarnation.
          if (one.kind === 'lose') pending = durable;
          durable = new Map(pending);
          assert.deepEqual(
            listAll(catalog.view, { index: 'all', prefix: [], limit: 3 }),
            expected(durable, { index: 'all', prefix: [], limit: 3 }),
          );
        }
      }
      await Promise.all(waiting);
      await catalog.close();
    }),
    { numRuns: 60 },
  );
});

// CATALOG-4
test('a flush that fails refuses everything that is not on the disk, and what comes after stands on the disk', async () => {
  const disk = { full: false };
  const catalog = openOn(newFolder(), disk);
  const one = (id: string): Thing => ({ id, group: 'g', rank: 0, hidden: false });
  await catalog.change((tx) => tx.put(things, one('kept')));
  disk.full = true;
  const first = catalog.change((tx) => tx.put(things, one('lost')));
  const second = catalog.change((tx) => tx.get(things, 'lost')?.id);
  let followed = false;
  const third = catalog.change((tx) => tx.afterCommit(() => (followed = true)));
  for (const made of [first, second, third]) {
    await assert.rejects(
      made,
      (error) => error instanceof ServiceError && error.code === 'control.STORAGE_FULL' && error.extra.retryAfterMs === 1000,
    );
  }
  assert.equal(followed, false);
  disk.full = false;
  assert.equal(await catalog.change((tx) => tx.get(things, 'lost')), undefined);
  assert.deepEqual(
    listAll(catalog.view, { index: 'byRank', prefix: ['g'], limit: 10 }).map(({ id }) => id),
    ['kept'],
  );
  await catalog.close();
});

// CATALOG-3
test('changes of one turn travel in one flush', async () => {
  const catalog = openOn(newFolder());
  const before = catalog.commits;
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => catalog.change((tx) => tx.put(things, { id: `t${n}`, group: 'g', rank: n, hidden: false }))),
  );
  assert.equal(catalog.commits - before, 1);
  assert.equal(listAll(catalog.view, { index: 'byRank', prefix: ['g'], limit: 7 }).length, 100);
  await catalog.close();
});

test('followers run after the commit and before the caller continues', async () => {
  const catalog = openOn(newFolder());
  const seen: string[] = [];
  await catalog.change((tx) => {
    tx.put(things, { id: 'a', group: 'g', rank: 0, hidden: false });
    tx.afterCommit(() => seen.push(`follower sees ${catalog.view.get(things, 'a')?.id}`));
  });
  seen.push('caller');
  assert.deepEqual(seen, ['follower sees a', 'caller']);
  await catalog.close();
});

test('a closed catalog refuses', async () => {
  const catalog = openOn(newFolder());
  await catalog.close();
  await catalog.close();
  const isUnavailable = (error: unknown): boolean => error instanceof ServiceError && error.code === 'control.UNAVAILABLE';
  assert.throws(() => catalog.view.get(things, 'a'), isUnavailable);
  assert.throws(() => catalog.view.list(things, { index: 'all', prefix: [], limit: 1 }), isUnavailable);
  await assert.rejects(
    catalog.change(() => 1),
    isUnavailable,
  );
});

test('a scan of what an id begins with finds that and nothing else, page after page, with what is pending', async () => {
  const catalog = openOn(newFolder());
  const ids = ['a b', 'a b c', 'a b ~', 'a b!', 'a bc', 'a', 'a~', 'b a b', 'ä b', 'a b ä', 'a b sha256:0'];
  await catalog.change((tx) => {
    for (const id of ids) tx.put(things, { id, group: 'g', rank: 0, hidden: false });
  });
  await catalog.change((tx) => {
    tx.remove(things, 'a b c');
    tx.put(things, { id: 'a b new', group: 'g', rank: 0, hidden: false });
    for (const idPrefix of ['a b ', 'a b', 'a', 'ä', 'none', '']) {
      const found: string[] = [];
      for (let after: string | undefined; ; ) {
        const { records, next } = tx.scan(things, { idPrefix, limit: 2, ...(after === undefined ? {} : { after }) });
        found.push(...records.map(({ id }) => id));
        if (next === undefined) break;
        after = next;
      }
      const there = [...ids.filter((id) => id !== 'a b c'), 'a b new'].filter((id) => id.startsWith(idPrefix));
      assert.deepEqual(found.sort(), there.sort(), idPrefix);
    }
  });
  await catalog.close();
});

// KEPT-RECORDS-1
test('what was read cannot be changed, and what is written is read after that', async () => {
  const catalog = openOn(newFolder());
  const first = { id: 'a', group: 'g', rank: 1, hidden: false, note: { deep: [1] } };
  await catalog.change((tx) => tx.put(things, first));
  const read = catalog.view.get(things, 'a')!;
  assert.throws(() => (read.note as { deep: number[] }).deep.push(2), TypeError);
  assert.deepEqual(catalog.view.get(things, 'a'), first);
  await catalog.change((tx) => {
    tx.put(things, { ...read, rank: 2 });
    assert.equal(tx.get(things, 'a')?.rank, 2);
    assert.equal(catalog.view.get(things, 'a')?.rank, 1);
  });
  assert.equal(catalog.view.get(things, 'a')?.rank, 2);
  await catalog.change((tx) => tx.remove(things, 'a'));
  assert.equal(catalog.view.get(things, 'a'), undefined);
  await catalog.close();
});

// DATABASE-EXIT-1
test('a process that is to end while its catalog writes ends, and begins no further write', { timeout: 60_000 }, async () => {
  const directory = newFolder();
  const load = (path: string): string => `await import(${JSON.stringify(new URL(path, import.meta.url).href)})`;
  const script = `
    const { Catalog } = ${load('../../src/control/catalog/catalog.js')};
    const { exitProcess } = ${load('../../src/files/database-exit.js')};
    const { notes } = ${load('./catalog-kit.js')};
    const catalog = new Catalog({ directory: ${JSON.stringify(directory)}, onCommit: () => queueMicrotask(() => exitProcess(7)) });
    const put = (id) => catalog.change((tx) => tx.put(notes, { id, group: 1, text: id }));
    put('under-way').then(() => put('later'));
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'ignore', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  assert.equal(code, 7);
  const text = await entriesOf(directory);
  assert.match(text, /under-way/);
  assert.doesNotMatch(text, /later/);
});
