import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginningOf, endOf } from '../../src/text/cut-text.js';

// CUT-TEXT-1
test('a cut leaves out the pair that it would part, and keeps what fits', () => {
  const text = 'ab\u{1f600}cd';
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((unitsMax) => beginningOf(text, unitsMax)),
    ['', 'a', 'ab', 'ab', 'ab\u{1f600}', 'ab\u{1f600}c', text, text],
  );
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((unitsMax) => endOf(text, unitsMax)),
    ['', 'd', 'cd', 'cd', '\u{1f600}cd', 'b\u{1f600}cd', text, text],
  );
});

// CUT-TEXT-1
test('half of a pair that stood alone is U+FFFD', () => {
  assert.equal(beginningOf('a\ud800b', 3), 'a\ufffdb');
  assert.equal(beginningOf('a\ud800b', 2), 'a\ufffd');
  assert.equal(endOf('a\udc00b', 2), '\ufffdb');
  assert.equal(endOf('\udc00', 1), '\ufffd');
});
