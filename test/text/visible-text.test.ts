// Text of others, made safe to look at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visibleLine, visibleText } from '../../src/text/visible-text.js';

test('what nobody sees becomes an escape, beyond the first plane too', () => {
  const unseen = [
    ...[0x0000, 0x001b, 0x007f, 0x009b, 0x00ad, 0x061c, 0x180e, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202e],
    ...[0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2066, 0x206a, 0x206f, 0x3164, 0xd800, 0xdfff, 0xfeff, 0xffa0],
    ...[0xfff9, 0xfffa, 0xfffb, 0xfffe, 0xffff, 0xe0000, 0xe0001, 0xe0041, 0xe007f],
  ];
  for (const point of unseen) {
    const hex = point.toString(16);
    const shown = point > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
    assert.equal(visibleText(`a${String.fromCodePoint(point)}b`), `a${shown}b`);
  }
  assert.equal(visibleLine('a\n\tb\u200b'), 'a\\n\\tb\\u200b');
});

test('what scripts and emoji are made with stays as it is', () => {
  for (const text of [
    'a\n\tb',
    'mañana',
    '\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '👩\u200d💻',
    '❤\ufe0f',
    '日本語',
    '한국어',
    '𠮷',
  ])
    assert.equal(visibleText(text), text);
});
