import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitText, padText, textWidth, wrapText } from '../../src/reports/terminal-text.js';
import fc from '../fast-check.js';

const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;

test('columns count what is seen: colors and marks take none, ideographs and emoji two', () => {
  assert.equal(textWidth(red('abc')), 3);
  assert.equal(textWidth('e\u0301'), 1);
  assert.equal(textWidth('漢字'), 4);
  assert.equal(textWidth('✅'), 2);
  assert.equal(textWidth('✓ ok'), 4);
});

test('text is cut to columns with an ellipsis, its colors ended', () => {
  assert.equal(fitText('abcdef', 4), 'abc…');
  assert.equal(fitText('abcd', 4), 'abcd');
  assert.equal(fitText(red('abcdef'), 4), '\u001b[31mabc…\u001b[0m');
  assert.equal(fitText('漢字漢字', 4), '漢…');
});

test('what was cut fits, and what fits is not cut', () => {
  const text = fc
    .array(fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('漢', '✅', 'e\u0301', red('x'), red('long'))), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (original, columns) => {
      const fitted = fitText(original, columns);
      assert.ok(textWidth(fitted) <= columns);
      if (textWidth(original) <= columns) assert.equal(fitted, original);
      assert.ok(textWidth(padText(fitted, columns)) === columns);
    }),
  );
});

test('a line is cut between words, and what follows hangs under its value', () => {
  assert.deepEqual(wrapText('    where     payments/charges/ch_000002 amountRefunded', 40), [
    '    where     payments/charges/ch_000002',
    '              amountRefunded',
  ]);
  assert.deepEqual(wrapText('  Expected one row, and found two of them.', 24), ['  Expected one row, and', '    found two of them.']);
  assert.deepEqual(wrapText('a-word-that-is-longer than it', 10), ['a-word-that-is-longer', '  than it']);
});

test('wrapped lines fit but for a word that is longer, and hold every word in order', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-z]{1,12}$/),
    fc.constantFrom('漢字', red('red'), '\u001b]8;;file:///a\u001b\\link\u001b]8;;\u001b\\'),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.integer({ min: 20, max: 80 }), (words, columns) => {
      const lines = wrapText(`  ${words.join(' ')}`, columns);
      assert.deepEqual(
        lines.flatMap((line) => line.trim().split(' ')),
        words,
      );
      for (const line of lines) assert.ok(textWidth(line) <= columns, line);
    }),
  );
});
