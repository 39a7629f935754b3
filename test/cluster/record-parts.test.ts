import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PartJoiner, partsOf } from '../../src/cluster/record-parts.js';
import { tuning } from '../../src/cluster/tuning.js';
import { entryOf } from './log-kit.js';

// RECORD-PARTS-1
test('a record is joined to the same bytes, whatever its size and wherever its reader began again', () => {
  for (const bytes of [0, 1, tuning.entryBytesMax, tuning.entryBytesMax + 1, 3 * tuning.entryBytesMax]) {
    const body = Buffer.alloc(bytes, 'body');
    const parts = partsOf(body);
    assert.ok(parts.every(({ length }) => length <= tuning.entryBytesMax));
    const entries = parts.map((part, index) => ({
      ...entryOf(1, index + 5, 2),
      number: 9,
      body: part,
      isLast: index === parts.length - 1,
    }));
    for (let stop = 0; stop < entries.length; stop++) {
      const joiner = new PartJoiner();
      for (const entry of entries.slice(0, stop)) assert.equal(joiner.join(entry), undefined);
      assert.equal(joiner.isWhole, stop === 0);
      joiner.reset();
      const joined = entries.map((entry) => joiner.join(entry)).at(-1);
      assert.ok(joined?.body.equals(body));
      assert.equal(joined?.sequence, 4 + entries.length);
      assert.equal(joined?.number, 9);
      assert.equal(joiner.isWhole, true);
    }
  }
  assert.equal(new PartJoiner().join({ ...entryOf(1, 1, 1), number: 0, stream: '' }), undefined, 'a fence is no record');
});
