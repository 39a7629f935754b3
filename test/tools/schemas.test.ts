import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lazyValidator, schemaFault } from '../../src/tools/schemas.js';

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
