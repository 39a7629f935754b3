import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonSchema } from '../../src/contract/world/tool-manifest.js';
import { isPlainSchema } from '../../src/tools/plain-schema.js';
import fc from '../fast-check.js';

/** Sound and unsound values of every keyword, those that isPlainSchema knows and some that it does not. */
const { schema: anySchema } = fc.letrec<{ schema: unknown }>((tie) => {
  const schema = tie('schema');
  const name = fc.constantFrom('a', 'b', '', 'constructor', 'toString');
  const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string', 'text', 'Object');
  const count = fc.oneof(fc.nat(3), fc.constantFrom(-1, 1.5, 2.0, '1', null));
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom('1', null, true));
  const text = fc.constantFrom('', 'x', 'date-time', 'house-number', 1, null, ['x']);
  const pattern = fc.constantFrom('^a$', '(', '\\p{L}', '\\u{61}', '\\-', '[', 'a\\Z', '\\\\Z', '(?<a>x)\\k<a>', '(?<n>', '', 3);
  const schemas = fc.oneof(fc.dictionary(name, schema, { maxKeys: 3 }), fc.constantFrom([], null, 'x'));
  const list = fc.oneof(fc.array(schema, { maxLength: 3 }), fc.constantFrom({}, null));
  const anything = fc.jsonValue({ maxDepth: 1 });
  const keywords: { [keyword: string]: fc.Arbitrary<unknown> } = {
    type: fc.oneof(type, fc.array(type, { maxLength: 3 }), fc.constant(null)),
    ...Object.fromEntries(['title', 'description', 'format', '$comment', '$schema'].map((keyword) => [keyword, text])),
    ...Object.fromEntries(['default', 'const', 'x-own'].map((keyword) => [keyword, anything])),
    ...Object.fromEntries(['enum', 'examples'].map((keyword) => [keyword, fc.oneof(fc.array(anything, { maxLength: 3 }), anything)])),
    pattern,
    ...Object.fromEntries(
      ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((keyword) => [keyword, count]),
    ),
    ...Object.fromEntries(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((keyword) => [keyword, number])),
    ...Object.fromEntries(['uniqueItems', 'nullable', 'deprecated'].map((keyword) => [keyword, fc.constantFrom(true, false, 'yes', null)])),
    required: fc.oneof(fc.array(fc.oneof(name, fc.constant(1)), { maxLength: 3 }), fc.constantFrom(true, 'a', null)),
    ...Object.fromEntries(['items', 'additionalProperties', 'propertyNames', 'not', 'if'].map((keyword) => [keyword, schema])),
    ...Object.fromEntries(['properties', 'patternProperties', '$defs'].map((keyword) => [keyword, schemas])),
    ...Object.fromEntries(['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => [keyword, list])),
    $ref: fc.constantFrom('#', '#/$defs/a', '#/nowhere'),
    $id: fc.constantFrom('urn:x', '#x', 1),
  };
  const some = fc.uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 4 });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(true, false, {}, null, 'x', []),
      some.chain((chosen) => fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword] as fc.Arbitrary<unknown>])))),
    ),
  };
});

/** As tools/schemas.ts asks it; one for all, as a new one compiles the schema of schemas again. */
const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, unicodeRegExp: true, validateFormats: true });
(formats as unknown as (ajv: Ajv2020) => void)(ajv);
function isSoundForAjv(schema: unknown): boolean {
  try {
    return typeof ajv.compile(schema as object) === 'function';
  } catch {
    return false;
  } finally {
    // A schema without an id is known by its object alone.
    if (typeof schema === 'object' && schema !== null) ajv.removeSchema(schema);
  }
}

// PLAIN-SCHEMA-1
test('what is plain is sound: Ajv finds no fault in it', () => {
  let plain = 0;
  fc.assert(
    fc.property(anySchema, (schema) => {
      if (!isPlainSchema(schema as JsonSchema)) return;
      plain++;
      assert.ok(isSoundForAjv(schema), JSON.stringify(schema));
    }),
    { numRuns: 1500 },
  );
  assert.ok(plain > 100, `only ${plain} schemas were plain`);
});

test('a schema as tools have them is plain', () => {
  const id = { type: 'string', pattern: '^[a-z][a-z0-9-]*$', maxLength: 64 };
  const order = {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'lines'],
    properties: {
      id,
      lines: { type: 'array', minItems: 1, items: { type: 'object', properties: { sku: id, count: { type: 'integer', minimum: 1 } } } },
      state: { enum: ['open', 'paid'], default: 'open', description: 'Where it is.' },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
  };
  assert.ok(isPlainSchema(order));
  assert.ok(isPlainSchema(true));
});

test('of what may be unsound, or needs to be looked up, it says no', () => {
  const others = [
    { type: 'text' },
    { type: [] },
    { type: ['string', 'string'] },
    { pattern: '(' },
    { pattern: '\\-' },
    { pattern: 'a\\Z' },
    { minLength: -1 },
    { required: ['a', 'a'] },
    { properties: { a: { type: 'text' } } },
    { items: [{ type: 'string' }] },
    { anyOf: [] },
    { $ref: '#/$defs/none' },
    { $defs: { a: true } },
    { nullable: true },
    { typ: 'string' },
    [],
    'string',
  ];
  for (const schema of others) assert.equal(isPlainSchema(schema as JsonSchema), false, JSON.stringify(schema));
});
