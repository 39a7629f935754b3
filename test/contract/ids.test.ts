import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdSource, type IdPrefix, newId } from '../../src/contract/ids.js';
import fc from '../fast-check.js';

test('an id is its prefix and 26 lower-case base32 digits, or 32 hex digits of a UUIDv7', () => {
  for (const prefix of ['prj', 'hrun', 'setup', 'draft', 'authsess', 'corr', 'run'] satisfies IdPrefix[]) {
    assert.match(newId(prefix), new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));
  }
  assert.match(newId('dataset'), /^dataset_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
});

test('later ids sort later: across milliseconds, within one, and while the clock stands behind itself', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 2 ** 48 - 1000 }), { minLength: 1, maxLength: 50 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      (times, chance) => {
        let now = 0;
        const { newId: next } = createIdSource({ nowMs: () => now, random: (bytes) => bytes.set(chance.subarray(0, bytes.length)) });
        let last = '';
        for (const time of times.flatMap((time) => [time, time])) {
          now = time;
          const id = next('op');
          assert.ok(id > last, `${id} > ${last}`);
          last = id;
        }
      },
    ),
  );
});

test('ids sort after one that another source has made, however far its clock is ahead', () => {
  const millisecond = fc.integer({ min: 0, max: 2 ** 48 - 1000 });
  const chance = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(millisecond, millisecond, chance, chance, (ownMs, otherMs, own, others) => {
      const source = (ms: number, chance: Uint8Array) =>
        createIdSource({ nowMs: () => ms, random: (bytes) => bytes.set(chance.subarray(0, bytes.length)) });
      const here = source(ownMs, own);
      const before = here.newId('op');
      const other = source(otherMs, others).newId('op');
      here.keepIdsAfter(other);
      here.keepIdsAfter('dataset_0123456789abcdef0123456789abcdef');
      const after = here.newId('op');
      assert.ok(after > other && after > before, [before, other, after].join(' '));
    }),
  );
});

test('the known time and the largest chance: digits are those of the ULID specification, and a run-over moves on by a millisecond', () => {
  const { newId: next } = createIdSource({ nowMs: () => 1469918176385, random: (bytes) => bytes.fill(0xff) });
  assert.equal(next('op'), 'op_01aryz6s41zzzzzzzzzzzzzzzz');
  assert.equal(next('op'), 'op_01aryz6s420000000000000000');
});

test('a hundred thousand ids are different', () => {
  const ids = new Set(Array.from({ length: 100_000 }, () => newId('op')));
  assert.equal(ids.size, 100_000);
});
