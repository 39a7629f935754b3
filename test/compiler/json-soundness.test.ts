import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soundJson } from '../../src/compiler/json-soundness.js';
import fc from '../fast-check.js';

test('what is sound is what JSON.parse says', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('', '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const found = soundJson(text);
      if (found !== undefined) assert.deepEqual(found.value, JSON.parse(text));
      else assert.match(text, /\d{16}|e\+?\d{3}|-0/);
    }),
  );
});

test('whatever may be wrong is left to the parser that knows places', () => {
  const twice = ['{"a":1,"a":2}', '{"a":{"b":1,"b":2}}', '[{"a":1,"\\u0061":2}]', '{"__proto__":1,"__proto__":2}', '{"a":":","a":":"}'];
  const numbers = ['9007199254740993', '[1e999]', '[-0]'];
  const syntax = ['', '{', '{"a":1,}', "{'a':1}", '{"a":tru}', '// x\n1', '"\n"', '"unfinished'];
  for (const text of [...twice, ...numbers, ...syntax, `${'['.repeat(81)}${']'.repeat(81)}`, `[${'1,'.repeat(500_000)}1]`])
    assert.equal(soundJson(text), undefined, text.slice(0, 40));
});

test('a string that is too long to be looked through is left to it, too', () => {
  assert.equal(soundJson(`{"a":"${'x'.repeat(16_000_000)}"}`), undefined);
});

test('quotes, colons and escapes inside strings do not confuse it', () => {
  for (const value of [{ 'a:b': ':"\\' }, { '"': '\\"', '\\': ['"a":1'] }, { '': ':', '9007199254740993': 1 }]) {
    assert.deepEqual(soundJson(JSON.stringify(value))?.value, value);
  }
});
