// A catalog over a log, and its copies: what each has at each moment, and what a lost append or a bad record leaves.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isServiceError } from '../../src/contract/errors.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { CatalogCopy } from '../../src/control/catalog/catalog-copy.js';
import { everyRecord } from '../../src/control/catalog/tables.js';
import { isOfThisBoot } from '../../src/files/boot-mark.js';
import { encodeChanges, encodeRecordNow, InvalidRecord } from '../../src/worlds/kv/group-record.js';
import type { StreamRecord } from '../../src/worlds/kv/stream-log.js';
import fc from '../fast-check.js';
import { CatalogLog, catalogFolderOf, entriesOf, type Note, notes } from './catalog-kit.js';

const isUnavailable = (error: unknown): boolean => isServiceError(error, 'control.UNAVAILABLE') && error.extra.retryAfterMs !== undefined;
const note = (id: string, text = id): Note => ({ id, group: text.length % 3, text });
const textsOf = ({ view }: Pick<Catalog, 'view'>): string[] => [...everyRecord(view, notes)].map(({ id, text }) => `${id}=${text}`);

/** Turns of the event loop, so that a flush that can begin has begun. */
async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

type Edit = { id: string; text: string | undefined };
const edit: fc.Arbitrary<Edit> = fc.record({
  id: fc.constantFrom('a', 'b', 'a b', 'zoë'),
  text: fc.option(fc.string({ maxLength: 600 }), { nil: undefined }),
});

// CATALOG-5, CATALOG-STREAM-1, CATALOG-COPY-1
test('a copy equals the file of its owner at every record, whatever the batches', async (context) => {
  const root = catalogFolderOf(context);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(3), { minLength: 1 }),
      async (groups, batches) => {
        const folder = join(root, String(runs++));
        const log = new CatalogLog();
        const owner = new Catalog({ directory: join(folder, 'owner'), log });
        const states = [await entriesOf(join(folder, 'owner'))];
        for (const group of groups) {
          const before = log.records.length;
          await Promise.all(
            group.map(({ id, text }) => owner.change((tx) => (text === undefined ? tx.remove(notes, id) : tx.put(notes, note(id, text))))),
          );
          if (log.records.length > before) states.push(await entriesOf(join(folder, 'owner')));
        }
        assert.equal(states.length, log.records.length + 1);
        const copy = new CatalogCopy(join(folder, 'copy'));
        for (let next = 0, batch = 0; next < log.records.length; batch++) {
          const records = log.records.slice(next, next + (batches[batch % batches.length] as number) + 1);
          await copy.follow(records);
          next += records.length;
          assert.equal(copy.position.number, next);
          assert.equal(await entriesOf(join(folder, 'copy')), states[next]);
        }
        assert.deepEqual(textsOf(copy), textsOf(owner));
        assert.deepEqual(copy.position, owner.position?.number === 0 ? copy.position : owner.position);
        await Promise.all([owner.close(), copy.close()]);
      },
    ),
    { numRuns: 25 },
  );
});

// CATALOG-STREAM-2
test('a lost or failed append leaves file and view as they were, and refuses all that waits and all that comes', async (context) => {
  for (const fate of ['lost', 'rejected'] as const) {
    const directory = catalogFolderOf(context);
    const log = new CatalogLog();
    let losses = 0;
    const catalog = new Catalog({ directory, log, onLost: () => (losses += 1) });
    await catalog.change((tx) => tx.put(notes, note('kept')));
    const before = await entriesOf(directory);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    log.onAppend = async () => {
      await held;
      if (fate === 'rejected') throw new Error('a bug');
      return 'lost' as const;
    };
    const inFlight = catalog.change((tx) => tx.put(notes, note('in flight')));
    await turns();
    const behind = catalog.change((tx) => tx.put(notes, note('behind')));
    const reading = catalog.change((tx) => tx.get(notes, 'in flight')?.text);
    let followed = false;
    const following = catalog.change((tx) => tx.afterCommit(() => (followed = true)));
    release();
    for (const made of [inFlight, behind, reading, following]) await assert.rejects(made, isUnavailable);
    await assert.rejects(
      catalog.change((tx) => tx.put(notes, note('later'))),
      isUnavailable,
    );
    assert.equal(losses, 1);
    assert.equal(followed, false);
    assert.deepEqual(textsOf(catalog), ['kept=kept']);
    await catalog.close();
    assert.equal(await entriesOf(directory), before);
    assert.equal(log.records.length, 1);
  }
});

test('changes see each other in order while an append is under way, and none is seen by views', async (context) => {
  const log = new CatalogLog();
  const catalog = new Catalog({ directory: catalogFolderOf(context), log });
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  log.onAppend = async () => {
    await held;
    return 'appended' as const;
  };
  const count = async (): Promise<number> =>
    await catalog.change((tx) => {
      const next = Number(tx.get(notes, 'count')?.text ?? '0') + 1;
      tx.put(notes, note('count', String(next)));
      return next;
    });
  const made = [count()];
  await turns();
  for (let change = 0; change < 5; change++) made.push(count());
  await turns();
  assert.deepEqual(textsOf(catalog), []);
  assert.equal(log.records.length, 0);
  release();
  assert.deepEqual(await Promise.all(made), [1, 2, 3, 4, 5, 6]);
  assert.equal(log.records.length, 2);
  assert.deepEqual(textsOf(catalog), ['count=6']);
  await catalog.close();
});

test('what was appended before a crash and is not in the file is caught up from the log', async (context) => {
  const directory = catalogFolderOf(context);
  const log = new CatalogLog();
  let isDead = false;
  let lost: unknown;
  const dying = new Catalog({
    directory,
    log,
    onCommit: () => {
      if (isDead) throw new Error('the process ends here');
    },
    onLost: (cause) => {
      lost = cause;
    },
  });
  await dying.change((tx) => tx.put(notes, note('a')));
  isDead = true;
  await assert.rejects(
    dying.change((tx) => tx.put(notes, note('b'))),
    isUnavailable,
  );
  assert.match((lost as Error).message, /ends here/);
  assert.equal(dying.position?.number, 1);
  await dying.close();
  assert.equal(log.records.length, 2);
  assert.ok(isOfThisBoot(directory));
  const copy = new CatalogCopy(directory);
  assert.equal(copy.position.number, 1);
  await copy.follow(log.records.slice(1));
  assert.deepEqual(textsOf(copy), ['a=a', 'b=b']);
  await copy.close();
  // It is the owner again, and writes behind what it has read.
  const next = new Catalog({ directory, log });
  await next.change((tx) => tx.put(notes, note('c')));
  await next.close();
  const late = new CatalogCopy(join(directory, 'other'));
  await late.follow(log.records);
  assert.deepEqual(textsOf(late), ['a=a', 'b=b', 'c=c']);
  await late.close();
});

// CATALOG-COPY-2
test('a record that is cut, foreign or out of its place applies nothing; those before it are applied', async (context) => {
  const root = catalogFolderOf(context);
  const log = new CatalogLog();
  const owner = new Catalog({ directory: join(root, 'owner'), log });
  for (const id of ['a', 'b', 'c']) await owner.change((tx) => tx.put(notes, note(id, id.repeat(500))));
  await owner.close();
  const [first, second, third] = log.records as [StreamRecord, StreamRecord, StreamRecord];
  const naming = (key: Buffer): StreamRecord => ({
    ...second,
    body: encodeRecordNow(first.nonce, [encodeChanges([{ key, value: Buffer.from('{}') }])]),
  });
  const bad: StreamRecord[] = [
    third,
    first,
    { ...second, number: 3 },
    { ...second, body: third.body },
    { ...second, body: encodeRecordNow(first.nonce, []) },
    ...[0, 1, 21, 30, second.body.length - 1].map((length) => ({ ...second, body: second.body.subarray(0, length) })),
    // The position of the file, a row of a world, nothing.
    ...[Buffer.from([9]), Buffer.from([16, 1]), Buffer.alloc(0)].map(naming),
  ];
  const copy = new CatalogCopy(join(root, 'copy'));
  await copy.follow([first]);
  const before = await entriesOf(join(root, 'copy'));
  for (const record of bad) {
    await assert.rejects(copy.follow([record]), InvalidRecord);
    assert.equal(await entriesOf(join(root, 'copy')), before);
    assert.equal(copy.position.number, 1);
  }
  await assert.rejects(copy.follow([second, { ...third, nonce: Buffer.alloc(3) }]), InvalidRecord);
  assert.equal(copy.position.number, 2);
  await copy.follow([third]);
  assert.equal(textsOf(copy).length, 3);
  await copy.close();
});

// CATALOG-OWNER-1
test('a catalog with a log and one without are not taken for each other', async (context) => {
  const root = catalogFolderOf(context);
  const [plain, logged] = ['plain', 'logged'].map((name) => join(root, name)) as [string, string];
  const without = new Catalog({ directory: plain });
  await without.change((tx) => tx.put(notes, note('a')));
  assert.equal(without.position, undefined);
  await without.close();
  const isOther = (error: unknown): boolean => isServiceError(error, 'control.STATE_CONFLICT');
  assert.throws(() => new Catalog({ directory: plain, log: new CatalogLog() }), isOther);
  assert.throws(() => new CatalogCopy(plain), isOther);
  const owner = new Catalog({ directory: logged, log: new CatalogLog() });
  assert.ok(owner.isEmpty);
  await owner.change((tx) => tx.put(notes, note('b')));
  await owner.change((tx) => tx.remove(notes, 'b'));
  assert.ok(owner.isEmpty, 'the position is no record');
  await owner.change((tx) => tx.put(notes, note('b')));
  await owner.close();
  assert.throws(() => new Catalog({ directory: logged }), isOther);
});

test('what waits for a log that is behind is bounded, and what was taken is kept', async (context) => {
  const log = new CatalogLog();
  const catalog = new Catalog({ directory: catalogFolderOf(context), log });
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  log.onAppend = async () => {
    await held;
    return 'appended' as const;
  };
  const megabyte = 'm'.repeat(1024 * 1024);
  const put = (id: string): Promise<void> => catalog.change((tx) => tx.put(notes, note(id, megabyte)));
  const first = put('first');
  await turns();
  const waiting = Array.from({ length: 16 }, (_, at) => put(`w${at}`));
  await assert.rejects(put('beyond'), isUnavailable);
  release();
  await Promise.all([first, ...waiting]);
  await put('after');
  assert.equal([...everyRecord(catalog.view, notes)].length, 18);
  await catalog.close();
});
