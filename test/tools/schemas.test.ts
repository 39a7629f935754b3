import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { JsonSchema } from '../../src/contract/world/tool-manifest.js';
import { lazyValidator, schemaFault } from '../../src/tools/schemas.js';
import fc from '../fast-check.js';

test('a schema that does not compile says where', () => {
  assert.equal(schemaFault({ type: 'object', properties: { a: { type: 'string', pattern: '^a' } } }), null);
  assert.equal(schemaFault(true), null);
  assert.deepEqual(schemaFault({ properties: { a: { type: 'text' } } })?.path, '/properties/a/type');
  assert.match(schemaFault({ $ref: '#/$defs/none' })?.message ?? '', /can't resolve reference #\/\$defs\/none/);
  assert.match(schemaFault({ pattern: '(' })?.message ?? '', /pattern|regular expression/i);
});

test('schemas of one id do not get into each other', () => {
  const one = lazyValidator({ $id: 'urn:test:same', type: 'string' });
  const other = lazyValidator({ $id: 'urn:test:same', type: 'number' });
  assert.equal(one('a'), null);
  assert.equal(other(1), null);
  assert.notEqual(other('a'), null);
});

test('a schema with an id of the standard takes nothing from those after it', () => {
  const schemaOfSchemas = 'https://json-schema.org/draft/2020-12/schema';
  for (const $id of [schemaOfSchemas, 'https://json-schema.org/draft/2020-12/meta/core']) {
    assert.equal(lazyValidator({ $id, not: { type: 'string' } })(1), null);
    schemaFault({ $id, not: { type: 'number' } });
    schemaFault({ properties: { a: { $id, type: 'number' } } });
  }
  assert.equal(schemaFault({ not: { type: 'null', title: 'after' } }), null);
  assert.match(schemaFault({ not: { type: 'text' } })?.message ?? '', /must be one of /);
  const refers = lazyValidator({ $ref: schemaOfSchemas });
  assert.equal(refers({ type: 'string' }), null);
  assert.notEqual(refers({ type: 'text' }), null);
});

test('an asynchronous schema is refused where it would be obeyed, and one of an earlier build is met by no value', () => {
  const places: JsonSchema[] = [
    { $async: true, type: 'object' },
    { not: { $async: true, type: 'object' } },
    { $ref: '#/$defs/a', $defs: { a: { $async: true, type: 'object' } } },
    { $async: true, $dynamicAnchor: 'node', properties: { child: { $dynamicRef: '#node' } } },
  ];
  for (const schema of places) {
    assert.match(schemaFault(schema)?.message ?? '', /async/, JSON.stringify(schema));
  }
  assert.deepEqual(lazyValidator({ $async: true, type: 'object', required: ['a'] })({}), [
    { path: '', code: '$async', message: "cannot be checked: its schema asks for asynchronous checks with '$async'" },
  ]);
  const named = lazyValidator({ properties: { $async: { not: { const: 2 } } }, not: { const: { $async: true } } });
  assert.equal(schemaFault({ properties: { $async: { not: { const: 2 } } }, not: { const: { $async: true } } }), null);
  assert.equal(named({ $async: 1 }), null);
  assert.notEqual(named({ $async: 2 }), null);
});

test('a schema is compiled once for all references to it, where it is not small', () => {
  const made: string[] = [];
  const { Function: make } = globalThis;
  // Ajv makes each validator of its text.
  globalThis.Function = new Proxy(make, {
    construct: (target, parts) => {
      made.push(String(parts.at(-1)));
      return Reflect.construct(target, parts);
    },
  });
  try {
    const members = (count: number, of: (index: number) => JsonSchema) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, of(index)]));
    const $defs = { large: { properties: members(100, () => ({ type: 'string' })) } };
    const schema = { properties: members(100, () => ({ $ref: '#/$defs/large' })), $defs };
    assert.equal(schemaFault(schema), null);
    assert.deepEqual(
      lazyValidator(schema)({ p7: { p8: 9 } })?.map(({ path }) => path),
      ['/p7/p8'],
    );
  } finally {
    globalThis.Function = make;
  }
  assert.ok(made.length > 0);
  const characters = made.join('').length;
  assert.ok(characters < 200_000, `${characters} characters of code`);
});

test('what was compiled is forgotten: the heap does not grow with the number of schemas', () => {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const code = `const { schemaFault } = await import(${url('../../src/tools/schemas.js')});
    const kept = () => { for (let round = 0; round < 4; round++) gc(); return process.memoryUsage().heapUsed; };
    const compile = (round) => {
      for (let n = 0; n < 1500; n++) schemaFault({ title: round + ' ' + n, not: { enum: ['x'.repeat(20_000) + round + n] } });
      return kept();
    };
    const sizes = [0, 1, 2].map(compile);
    console.log(JSON.stringify(sizes));`;
  const options = { encoding: 'utf8', timeout: 120_000 } as const;
  const sizes = JSON.parse(execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', code], options)) as number[];
  const [first = 0, , last = 0] = sizes;
  // The texts alone are 30 MB a round.
  assert.ok(last - first < 8_000_000, `the heap after each round: ${sizes.join(', ')}`);
});

test('names that objects inherit are names like others', () => {
  const validate = lazyValidator({ type: 'object', required: ['constructor'], properties: { toString: { type: 'string' } } });
  assert.notEqual(validate({}), null);
  assert.equal(validate({ constructor: 1 }), null);
  assert.equal(validate(JSON.parse('{"constructor":1,"toString":"x"}')), null);
  assert.notEqual(validate(JSON.parse('{"constructor":1,"toString":1}')), null);
});

test('formats of the standard are checked, unknown ones are annotations', () => {
  assert.notEqual(lazyValidator({ format: 'date-time' })('yesterday'), null);
  assert.equal(lazyValidator({ format: 'date-time' })('2026-01-01T00:00:00Z'), null);
  assert.equal(lazyValidator({ format: 'house-number' })('x'), null);
});

test('const and enum compare values, not identities', () => {
  const validate = lazyValidator({ enum: [null, 1, 'a', { b: [1, { c: true }] }] });
  for (const value of [null, 1, 'a', { b: [1, { c: true }] }]) assert.equal(validate(value), null);
  for (const value of [0, 'b', {}, { b: [1, { c: false }] }, [1]]) assert.notEqual(validate(value), null);
  assert.equal(lazyValidator({ const: { constructor: 1 } })({ constructor: 1 }), null);
});

test('patterns that would run for ever end, and mean what they mean', () => {
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '(x+x+)+y', 'a+$']) {
    const validate = lazyValidator({ type: 'string', pattern });
    assert.notEqual(validate(`${'a'.repeat(50_000)}!`), null, pattern);
    assert.equal(validate('x'.repeat(9) + (pattern.startsWith('(x') ? 'y' : '')) === null, pattern.startsWith('(x'), pattern);
  }
  assert.equal(lazyValidator({ pattern: '^(a+)+$' })('a'.repeat(50_000)), null);
  // Names of members, too.
  const named = lazyValidator({ patternProperties: { '^(?:a+)+$': { type: 'number' } }, additionalProperties: false });
  assert.equal(named({ aa: 1 }), null);
  assert.deepEqual(
    named({ aa: '1', [`${'a'.repeat(5_000)}!`]: 1 })?.map(({ code }) => code),
    ['additionalProperties', 'type'],
  );
});

test('a pattern that cannot be linear is reported with its place, and a build that has one already checks nothing with it', () => {
  const schema = { type: 'object', properties: { text: { type: 'string', pattern: '^(?=.*a).+$' } } };
  assert.deepEqual(schemaFault(schema), { path: '/properties/text/pattern', message: 'the pattern has a lookahead', refused: true });
  const keys = { type: 'object', patternProperties: { '^(a)\\1': true } };
  assert.deepEqual(schemaFault(keys)?.path, '/patternProperties/^(a)\\1');
  // A value called `pattern` is none.
  assert.equal(schemaFault({ type: 'object', properties: { pattern: { const: '(?=a)' } }, default: { pattern: '(?=a)' } }), null);
  assert.deepEqual(lazyValidator(schema)({ text: 'a' })?.[0]?.code, 'pattern');
});

test('references that multiply are followed a number of times, and those that lead round to an end', () => {
  const levels = Array.from({ length: 40 }, (_, level) => [
    `l${level}`,
    { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
  ]);
  const many = { $ref: '#/$defs/l0', $defs: { ...Object.fromEntries(levels), l40: { type: 'string' } } };
  assert.equal(schemaFault(many), null);
  assert.deepEqual(lazyValidator(many)('a')?.[0]?.code, 'too_much');
  assert.deepEqual(lazyValidator({ $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } })('a')?.[0]?.code, 'too_much');
  const node = {
    type: 'object',
    properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } },
    additionalProperties: false,
  };
  const tree = { $ref: '#/$defs/node', $defs: { node } };
  let value: object = {};
  for (let depth = 0; depth < 60; depth++) value = { left: value, right: {} };
  assert.equal(lazyValidator(tree)(value), null);
  assert.notEqual(lazyValidator(tree)({ left: { right: { up: 1 } } }), null);
});

test('items are asked to be unique as Ajv reports it, however many there are', () => {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const scalar = fc.constantFrom<unknown>('a', 'b', '1', 1, 2, 1.5, true, null);
  const item = fc.oneof({ weight: 3, arbitrary: scalar }, fc.constantFrom<unknown>([1], [2], { a: 1, b: [2] }, { b: [2], a: 1 }, {}, []));
  const schemas = [
    {},
    { items: { type: 'string' } },
    { items: { type: ['integer', 'string', 'null'] } },
    { items: { type: 'object' } },
  ].map((items) => {
    const schema = { uniqueItems: true, ...items };
    return { ours: lazyValidator(schema), theirs: new Ajv2020({ allErrors: true, strict: false }).compile(schema) };
  });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 8 }), fc.constantFrom(...schemas), (value, { ours, theirs }) => {
      const wanted = theirs(value)
        ? null
        : theirs.errors!.map(({ instancePath, keyword, message }) => ({ path: instancePath, code: keyword, message }));
      assert.deepEqual(ours(value), wanted);
    }),
    { numRuns: 1_000 },
  );
  const large = Array.from({ length: 100_000 }, (_, index) => ({ index }));
  assert.equal(lazyValidator({ uniqueItems: true })(large), null);
  assert.match(lazyValidator({ uniqueItems: true })([...large, { index: 7 }])?.[0]?.message ?? '', /items ## 7 and 100000 are identical/);
});

// CUT-TEXT-1
test('what is said of a value that a schema lists is well-formed, wherever it is cut', () => {
  for (let length = 80; length < 110; length++) {
    const long = `${'a'.repeat(length)}${'\u{1f600}'.repeat(10)}`;
    for (const schema of [{ const: long }, { enum: [long, 'b'] }, { enum: Array.from({ length: 100 }, (_, index) => `${long}${index}`) }]) {
      const [issue] = lazyValidator(schema)('c') ?? [];
      assert.ok(issue?.message.isWellFormed(), JSON.stringify(issue));
    }
  }
});
