import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { laterSyntax } from '../../src/tools/globals/later-patterns.js';
import { evaluate, resultOf } from './tool-fixture.js';

const later: { readonly [pattern: string]: string } = {
  '(?i:a)': 'Invalid group',
  '(?-s:a)': 'Invalid group',
  'a|(?im-s:b)': 'Invalid group',
  '(?<a>x)|(?<a>y)': 'Duplicate capture group name',
  '(?<a>x)|(?<\\u0061>y)': 'Duplicate capture group name',
  '(?<a>x)|(?<\\u{61}>y)': 'Duplicate capture group name',
};
const known = ['(?:a)', '(?=a)(?!b)(?<=c)(?<!d)', '(?<a>x)|(?<b>y)', '[(?i:a)]', '\\(?i:a', '[\\](?i:]', '(?<a>x)[(?<a>y)]'];

// KNOWN-RESULTS-1
test('a pattern that only later versions of Node take is known', () => {
  for (const [pattern, fault] of Object.entries(later)) assert.equal(laterSyntax(pattern), fault, pattern);
  for (const pattern of known) {
    assert.equal(laterSyntax(pattern), undefined, pattern);
    assert.equal(resultOf(evaluate(`new RegExp(${JSON.stringify(pattern)}).source`)), pattern);
  }
  for (const call of ['new RegExp', 'RegExp', '/a/.compile', '"".match', '"".matchAll', '"".search'])
    for (const pattern of Object.keys(later))
      assert.equal((evaluate(`${call}(${JSON.stringify(pattern)})`) as { message?: string }).message, 'SyntaxError', `${call} ${pattern}`);
});

test('regular expressions are what they always were', () => {
  const same = [
    '[RegExp.name, RegExp.length, /a/ instanceof RegExp, /a/.constructor === RegExp, RegExp[Symbol.species] === RegExp]',
    '(() => { const a = /a/g; return [RegExp(a) === a, new RegExp(a) === a, RegExp(a, "i").flags, new RegExp(a).flags, RegExp("b").source] })()',
    '(() => { class Mine extends RegExp { get mine() { return 1 } } return [new Mine("a", "g").mine, new Mine("a").test("a")] })()',
    '["a1b2".match("[0-9]"), "a1b2".match(/[0-9]/g), [..."a1b2".matchAll("[0-9]")].length, [..."a1".matchAll(/./g)].length]',
    '["a1b2".search("[0-9]"), "a1b2".search(/2/), "null".search(null), "a".match().length, "1a".match([1]).index]',
    '["a1b2".split(/[0-9]/), "a1b2".replace(/[0-9]/g, "-"), /a/.compile("b", "g").test("b"), new RegExp().source]',
    'Object.keys(Array.prototype[Symbol.unscopables]).sort()',
    '[JSON.parse("[1,{\\"a\\":2}]", (key, value) => (key === "a" ? value + 1 : value)), JSON.parse.length, JSON.parse.name, JSON.parse("1", 2)]',
    'JSON.parse("[1]", function (key, value) { return key === "" ? value : Array.isArray(this) })',
  ];
  for (const expression of same)
    assert.deepEqual(resultOf(evaluate(expression)), JSON.parse(JSON.stringify(new Function(`return ${expression}`)())), expression);
});

// KNOWN-RESULTS-1
test('a reviver gets two arguments where V8 gives three', () => {
  const fixture = JSON.stringify(new URL('./tool-fixture.js', import.meta.url).href);
  const code = `const { evaluate } = await import(${fixture});
    const asked = 'JSON.parse("[1]", function () { return arguments.length })';
    console.log(JSON.stringify([evaluate(asked).value, new Function('return ' + asked)()]));`;
  const flags = process.version.startsWith('v20.') ? ['--harmony-json-parse-with-source'] : [];
  const said = execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', code], { encoding: 'utf8' });
  assert.equal((JSON.parse(said) as unknown[])[0], 2);
});
