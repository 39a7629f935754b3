import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonSyntaxFault } from '../../src/compiler/json-syntax.js';
import { parseSourceDocument } from '../../src/compiler/source-document.js';
import fc from '../fast-check.js';

function faults(text: string, file = 'x.yaml'): string[] {
  return parseSourceDocument(file, text).faults.map(
    ({ code, place, message }) => `${code} ${place.line}:${place.column} ${place.path} ${message}`,
  );
}

test('what JSON writes is read back, whatever the white space', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t', '  '), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      for (const file of ['x.json', 'x.yaml']) {
        const { document, faults: found } = parseSourceDocument(file, text);
        // A number like 1e300 is exact; an integer written out beyond 2^53 is refused.
        if (found.some(({ code }) => code === 'DY1005')) return;
        assert.deepEqual(found, []);
        assert.deepEqual(document?.value, JSON.parse(text.replace(/-0(?=[,\s}\]]|$)/g, '0')));
      }
    }),
    { numRuns: 150 },
  );
});

test('places are those of values, of names, and of the nearest parent of what is missing', () => {
  const { document } = parseSourceDocument('x.yaml', 'a:\n  - b: 1\n    "c/d": {e~f: [true]}\n');
  const at = (pointer: string, part?: 'key') => {
    const { line, column } = document?.place(pointer, part) ?? { line: 0, column: 0 };
    return `${line}:${column}`;
  };
  assert.equal(at(''), '1:1');
  assert.equal(at('/a'), '2:3');
  assert.equal(at('/a', 'key'), '1:1');
  assert.equal(at('/a/0/b'), '2:8');
  assert.equal(at('/a/0/b', 'key'), '2:5');
  assert.equal(at('/a/0/c~1d/e~0f/0'), '3:19');
  assert.equal(at('/a/0/missing/deeper'), '2:5');
});

test('YAML 1.2: words are words, merging is no feature, names are text', () => {
  const { document, faults: found } = parseSourceDocument('x.yaml', 'yes: no\n1: on\nd: 2024-01-01\n<<: {a: 1}\n__proto__: x\n');
  assert.deepEqual(found, []);
  assert.deepEqual(Object.entries(document?.value as object), [
    ['1', 'on'],
    ['yes', 'no'],
    ['d', '2024-01-01'],
    ['<<', { a: 1 }],
    ['__proto__', 'x'],
  ]);
});

test('anchors are expanded, each as a copy, within a budget', () => {
  const { document } = parseSourceDocument('x.yaml', 'a: &x {n: [1]}\nb: *x\nc: [*x, *x]\n');
  assert.deepEqual(document?.value, { a: { n: [1] }, b: { n: [1] }, c: [{ n: [1] }, { n: [1] }] });
  const bomb = ['a0: &a0 [x]', ...Array.from({ length: 40 }, (_, k) => `a${k + 1}: &a${k + 1} [*a${k}, *a${k}]`)].join('\n');
  const started = performance.now();
  assert.match(faults(bomb)[0] ?? '', /^DY1006 .* more than 500000 values/);
  assert.ok(performance.now() - started < 5_000);
  assert.match(faults('a: &a [*a]')[0] ?? '', /^DY1006 .* nested deeper/);
  assert.match(faults('b: *x\n')[0] ?? '', /^DY1003 1:4 \/b|Unresolved alias/);
});

test('mistakes have a code and a place', () => {
  assert.deepEqual(faults('{"a": 1, "a": 2}', 'x.json'), ["DY1004 1:10  'a' is given twice"]);
  assert.deepEqual(faults('a: .nan'), ['DY1005 1:4 /a .nan is not a JSON number']);
  assert.deepEqual(faults('a: 9007199254740993'), ['DY1005 1:4 /a 9007199254740993 is too large to be exact']);
  assert.deepEqual(faults('? [1]\n: x'), ['DY1005 1:3  a key is a plain text']);
  assert.deepEqual(faults('{"a": tru}', 'x.json'), ['DY1003 1:7 /a tru is not JSON']);
  assert.deepEqual(faults("{'a': 1}", 'x.json').length, 1);
  const json: [text: string, fault: string][] = [
    ['{\n  "a": ["b",\n  ]\n}', "DY1003 2:12  there is nothing between this comma and ']'"],
    ['{"a": 1,}', "DY1003 1:8  there is nothing between this comma and '}'"],
    ['{"a": 1', "DY1003 1:8  '}' is missing at the end"],
    ['{"a": 1 "b": 2}', `DY1003 1:9  ',' or '}' is missing before '"'`],
    ['{"a" 1}', `DY1003 1:6  ':' is missing after "a"`],
    ['{a: 1,}', "DY1003 1:2  a name in double quotes is missing before 'a'"],
    ['{"a": 1}\n{}', 'DY1003 2:1  the document has ended here; nothing may follow'],
    ['{"a": 1} // x', 'DY1003 1:10  JSON has no comments'],
    ['', 'DY1003 1:1  the file has no value'],
  ];
  for (const [text, fault] of json) assert.deepEqual(faults(text, 'x.json'), [fault]);
  for (const text of ['a:\n\tb: 1\n\tc: 2\n', 'a:\n  - b: 1\n\t  c: 2\n    d: 4\n'])
    assert.deepEqual(
      faults(text).map((fault) => fault.replace(/\d+:\d+/, '')),
      ['DY1003   a tab indents this line; YAML takes spaces only'],
    );
  assert.match(faults('a: 1\n---\nb: 2')[0] ?? '', /^DY1003/);
  assert.match(faults('a: !thing x')[0] ?? '', /^DY1005.*thing/);
  assert.match(faults('['.repeat(100_000))[0] ?? '', /^DY100[36]/);
  assert.match(faults('{"a":'.repeat(50_000), 'x.json')[0] ?? '', /^DY100[36]/);
  assert.deepEqual(faults(''), []);
});

test('any text gives faults or a document, and never throws', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'{}[]:,-&*!|>\'"#? \n\tab1~<'), maxLength: 60 }),
      fc.constantFrom('x.yaml', 'x.json'),
      (text, file) => {
        const { document, faults: found } = parseSourceDocument(file, text);
        assert.ok(document !== undefined || found.length > 0);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('nesting that exhausts the parser, and a second document, are reported in words of ours', () => {
  assert.match(faults(`${'['.repeat(3000)}${']'.repeat(3000)}`).join(), /^DY1006 .* the document is nested too deeply to be read$/);
  assert.deepEqual(faults('a: b\n---\nc: d\n'), ['DY1003 2:1  a second document begins here; a file holds one']);
});

test('the scan for a fault of JSON finds one exactly where JSON.parse refuses', () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]:,-."\\ \n\tabefu0139ntrlsE+/'), maxLength: 30 }), (text) => {
      assert.equal(jsonSyntaxFault(text) === undefined, isJson(text), text);
    }),
    { numRuns: 3_000 },
  );
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.equal(jsonSyntaxFault(JSON.stringify(value, null, 1)), undefined)));
});
