import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleOf, schemaWord } from '../../../src/inspector/app/kit/schema-sample.js';

test('a sample has what is required, and the plainest values', () => {
  const schema = {
    type: 'object',
    required: ['id', 'amount', 'kind', 'lines', 'card', 'live'],
    properties: {
      id: { type: 'string' },
      amount: { type: 'integer', minimum: 1 },
      kind: { enum: ['full', 'partial'] },
      lines: { type: 'array', items: { type: 'string' } },
      card: { type: 'object', required: ['last4'], properties: { last4: { type: 'string' } } },
      live: { type: 'boolean' },
      note: { type: 'string' },
    },
  };
  assert.deepEqual(sampleOf(schema), { id: '', amount: 1, kind: 'full', lines: [], card: { last4: '' }, live: false });
  assert.deepEqual(
    [sampleOf(true), sampleOf({ const: 3 }), sampleOf({ oneOf: [{ type: 'null' }] }), sampleOf({ default: 'x' })],
    [{}, 3, null, 'x'],
  );
});

test('a schema in a word', () => {
  const words = [
    { type: 'string' },
    { type: ['string', 'null'] },
    { type: 'array', items: { type: 'integer' } },
    { enum: ['a', 1] },
    true,
  ].map(schemaWord);
  assert.deepEqual(words, ['string', 'string or null', 'list of integer', 'one of "a", 1', 'anything']);
});
