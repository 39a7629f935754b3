// Patterns of schemas: the meaning of JavaScript's, in time linear in the text.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { type CharSet, unionOf } from '../../src/tools/patterns/char-set.js';
import { isProvenLinear } from '../../src/tools/patterns/proof.js';
import { re2Pattern } from '../../src/tools/patterns/re2-pattern.js';
import { patternFault, schemaPattern } from '../../src/tools/patterns/schema-pattern.js';
import { type PatternNode, PatternRefused, parsePattern } from '../../src/tools/patterns/syntax.js';
import { email, references, shortFormats } from '../../src/tools/schema-formats.js';
import { beginSteps } from '../../src/tools/validation-steps.js';
import fc from '../fast-check.js';

const atom = fc.constantFrom(
  'a',
  'b',
  '-',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\S',
  '[ab]',
  '[^a]',
  '[^]',
  '[]',
  '[a-c\\d-]',
  '\\u{1f600}',
  'é',
  '\\p{Lu}',
  '\\.',
  '\\t',
);
const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{2,}', '*?', '+?', '{0}');
const { pattern: anyPattern } = fc.letrec<{ pattern: string; term: string; sequence: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((ways) => ways.join('|')),
  sequence: fc.array(tie('term'), { maxLength: 4 }).map((terms) => terms.join('')),
  term: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(atom, quantifier).map(([one, times]) => one + times),
    fc.constantFrom('^', '$', '\\b', '\\B'),
    fc.tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern'), quantifier).map(([open, inside, times]) => `${open}${inside})${times}`),
  ),
}));
/** Names of groups are given once. */
const somePattern = anyPattern.map((source) => source.replace(/\(\?<n>/g, (_, at: number) => `(?<n${at}>`));
const someText = fc
  .array(fc.constantFrom('a', 'b', 'c', 'A', '-', '.', '1', ' ', '\n', '\u2028', 'é', '\u{1f600}', '\ud83d', '\t', '_'), { maxLength: 10 })
  .map((parts) => parts.join(''));

test('a pattern means what it means in JavaScript, in every engine', () => {
  fc.assert(
    fc.property(somePattern, someText, (source, text) => {
      beginSteps();
      const wanted = new RegExp(source, 'u').test(text);
      assert.equal(schemaPattern(source).test(text), wanted, source);
      assert.equal(re2Pattern(parsePattern(source)).test(text), wanted, source);
    }),
    { numRuns: 150 },
  );
});

test('sets of characters are those of JavaScript, code point by code point', () => {
  for (const source of [
    '.',
    '\\d',
    '\\D',
    '\\s',
    '\\S',
    '\\w',
    '\\W',
    '[^\\s\\d]',
    '[\\b\\0\\cJ\\x41\\u0042-\\u{44}]',
    '\\p{Lu}',
    '\\P{L}',
    '\\ud83d',
  ]) {
    const { set } = parsePattern(source) as PatternNode & { kind: 'set' };
    assert.deepEqual(unionOf([set]), unionOf([nativeSet(source)]), source);
  }
});

/** What JavaScript finds in a text of every code point in order; in parts, so that no half of a pair meets its other. */
function nativeSet(source: string): CharSet {
  const found: number[] = [];
  for (const text of everyCodePoint)
    for (const { 0: run, index } of text.matchAll(new RegExp(`(?:${source})+`, 'gu'))) {
      const last = run.codePointAt(run.length - (/[\ud800-\udbff][\udc00-\udfff]$/.test(run) ? 2 : 1))!;
      found.push(text.codePointAt(index)!, last);
    }
  return found;
}
const everyCodePoint = (
  [
    [0, 0xdbff],
    [0xdc00, 0x10ffff],
  ] as const
).map(([first, last]) => {
  const parts: string[] = [];
  for (let point = first; point <= last; point++) parts.push(String.fromCodePoint(point));
  return parts.join('');
});

// PROOF-1, PROOF-2, PROOF-3, PROOF-4
test('what is proven to be linear takes a number of steps that is linear in the text', () => {
  let proven = 0;
  const hostile = fc.property(somePattern, fc.array(someText, { maxLength: 4 }), (source, parts) => {
    const pattern = parsePattern(source);
    if (!isProvenLinear(pattern)) return;
    proven += 1;
    // a long text is where a pattern that is not linear shows it.
    const text = [...parts, ...Array<string>(12).fill(parts[0] ?? 'a'), '!'].join('');
    const steps = stepsOf(pattern, text);
    const bound = 8 * (source.length + 1) * 64 * ([...text].length + 1);
    assert.ok(steps <= bound, `${source} takes ${steps} steps of ${bound}`);
  });
  fc.assert(hostile, { numRuns: 2_000 });
  assert.ok(proven > 100);
});

// PROOF-1, PROOF-2, PROOF-3, PROOF-4
test('ordinary patterns are proven, and those that go back and back are not', () => {
  for (const source of [
    '^TKT-[1-9][0-9]{0,11}$',
    '^[^@\\s]+@[^@\\s]+$',
    '^(?:inbox|sent|drafts|lbl_[0-9A-Za-z_]{1,60})$',
    '^[a-z0-9.+-]+/[a-z0-9.+-]+$',
    '^(?:[^<>@,\\s][^<>@,]*<[^@\\s<>,]+@[^@\\s<>,]+>|[^@\\s<>,]+@[^@\\s<>,]+)$',
    '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2})?$',
    '^.*$',
    '[A-Z]{3}',
    '\\S',
    '^[a-z]+(?:-[a-z]+)*$',
    '^\\S(?:.*\\S)?$',
    '^.*[.]txt$',
  ]) {
    assert.equal(isProvenLinear(parsePattern(source)), true, source);
  }
  for (const source of [
    '^(a+)+$',
    '^(a|a)*$',
    '^(?:a*)*b',
    '^a{1,50}a{1,500}a$',
    'a+$',
    '^(?:a|ab)*c',
    '^.*.*$',
    '\\s+$',
    '^(?:\\d+x?)+$',
    '^(?:(?:){9}){9}$',
  ]) {
    assert.equal(isProvenLinear(parsePattern(source)), false, source);
  }
});

test('what cannot be linear, or is too large, is not taken and says why', () => {
  const refused: [string, RegExp][] = [
    ['^(?=.*\\d).+$', /lookahead/],
    ['^(?!x)', /lookahead/],
    ['(?<=a)b', /lookbehind/],
    ['(?<!a)b', /lookbehind/],
    ['^(a)\\1$', /refers back/],
    ['(?<n>a)\\k<n>', /refers back/],
    ['(?:a|a){5000}', /repetitions written out/],
    [`${'('.repeat(40)}a${')'.repeat(40)}`, /groups in each other/],
    ['a'.repeat(5000), /more than 4096 characters/],
    ['(', /no regular expression/],
    ['\\-', /no regular expression/],
  ];
  for (const [source, why] of refused) assert.match(patternFault(source) ?? '', why, source);
  assert.throws(() => schemaPattern('(?=a)'), PatternRefused);
});

test('every format is proven, replaced by ours or asked of short texts only', () => {
  const formats = createRequire(import.meta.url)('ajv-formats/dist/formats.js') as {
    fullFormats: { [name: string]: RegExp | ((text: string) => boolean) };
  };
  const replaced: { [name: string]: RegExp } = { email, ...references };
  for (const [name, format] of Object.entries({ ...formats.fullFormats, ...replaced })) {
    if (!(format instanceof RegExp) || (shortFormats as readonly string[]).includes(name)) continue;
    assert.equal(isProvenLinear(inAnyCase(parsePattern(format.source))), true, name);
  }
  const part = fc.constantFrom(
    'a',
    'Z',
    '0',
    '-',
    '.',
    '@',
    '_',
    'a@',
    '.b',
    ' ',
    ':',
    '/',
    '//',
    '?',
    '#',
    '%20',
    '%',
    'http:',
    '1.2.3.4',
    '"',
    '\\',
  );
  for (const [name, ours] of Object.entries(replaced)) {
    const theirs = formats.fullFormats[name]!;
    const wanted = (text: string) => (typeof theirs === 'function' ? theirs(text) : theirs.test(text));
    const alike = fc.property(fc.array(part, { maxLength: 12 }), (parts) =>
      assert.equal(ours.test(parts.join('')), wanted(parts.join(''))),
    );
    fc.assert(alike, { numRuns: 5_000 });
  }
});

function inAnyCase(node: PatternNode): PatternNode {
  if (node.kind === 'set') return { kind: 'set', set: folded(node.set) };
  if (node.kind === 'repeat') return { ...node, item: inAnyCase(node.item) };
  return node.kind === 'assertion' ? node : { ...node, items: node.items.map(inAnyCase) };
}
function folded(set: CharSet): CharSet {
  const moved = (from: number, by: number): CharSet =>
    set.flatMap((_, at) => {
      const [first, last] = at % 2 === 0 ? [Math.max(set[at]!, from), Math.min(set[at + 1]!, from + 25)] : [1, 0];
      return first <= last ? [first + by, last + by] : [];
    });
  return unionOf([set, moved(0x41, 32), moved(0x61, -32)]);
}

/** What a backtracking matcher does, as ECMA-262 describes it, until it matches or has tried everything at every place. */
function stepsOf(pattern: PatternNode, text: string): number {
  const points = [...text].map((char) => char.codePointAt(0)!);
  const isWord = (at: number) => points[at] !== undefined && /\w/.test(String.fromCodePoint(points[at]));
  let steps = 0;
  const match = (node: PatternNode, at: number, then: (at: number) => boolean): boolean => {
    steps += 1;
    if (steps > 10_000_000) throw new Error('too many steps');
    switch (node.kind) {
      case 'set':
        return at < points.length && isIn(points[at]!, node.set) && then(at + 1);
      case 'assertion': {
        const isBoundary = isWord(at - 1) !== isWord(at);
        const holds = { '^': at === 0, $: at === points.length, '\\b': isBoundary, '\\B': !isBoundary }[node.what];
        return holds && then(at);
      }
      case 'sequence': {
        const from = (index: number, here: number): boolean =>
          index === node.items.length ? then(here) : match(node.items[index]!, here, (next) => from(index + 1, next));
        return from(0, at);
      }
      case 'choice':
        return node.items.some((item) => match(item, at, then));
      case 'repeat': {
        const again = (times: number, here: number): boolean => {
          const more = times < node.max && match(node.item, here, (next) => (next > here || times < node.min) && again(times + 1, next));
          return more || (times >= node.min && then(here));
        };
        return again(0, at);
      }
    }
  };
  for (let at = 0; at <= points.length; at++) if (match(pattern, at, () => true)) return steps;
  return steps;
}

function isIn(point: number, set: CharSet): boolean {
  for (let at = 0; at < set.length; at += 2) if (point >= set[at]! && point <= set[at + 1]!) return true;
  return false;
}
