import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareTexts } from '../../src/text/compare-texts.js';

test('texts are ordered by UTF-16 code units, by no locale and by no code point', () => {
  // U+10000 begins with the code unit D800.
  const ordered = ['', 'Z', 'a', 'aa', 'ä', '\u{10000}', '\uffff'];
  assert.deepEqual([...ordered].reverse().sort(compareTexts), ordered);
  assert.equal(compareTexts('a', 'a'), 0);
});
