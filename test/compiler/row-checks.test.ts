import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowIssues } from '../../src/compiler/row-checks.js';
import { limits } from '../../src/contract/limits.js';

const state = [{ namespace: 'notes', schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } }];

test('issues lie where the row does, and their number is bounded', () => {
  assert.deepEqual(rowIssues(state, [{ namespace: 'notes', records: [{ rowId: 'a', value: { text: '' } }] }], '/at'), []);
  const [wrong] = rowIssues(state, [{ namespace: 'notes', records: [{ rowId: 'a', value: { text: 1 } }] }], '/at');
  assert.equal(wrong?.path, '/at/0/records/0/value/text');
  const [near] = rowIssues(state, [{ namespace: 'note', records: [] }], '/at');
  assert.deepEqual([near?.path, near?.message], ['/at/0/namespace', "the tool has no namespace 'note'; did you mean 'notes'?"]);
  const rowOf = (bytes: number) => ({
    namespace: 'notes',
    records: [{ rowId: 'a', value: { text: 'x'.repeat(bytes - '{"text":""}'.length) } }],
  });
  assert.deepEqual(rowIssues(state, [rowOf(limits.rowBytesMax)], ''), []);
  const [large] = rowIssues(state, [rowOf(limits.rowBytesMax + 1)], '');
  assert.deepEqual([large?.path, large?.code], ['/0/records/0/value', 'too_large']);
  const many = Array.from({ length: 1000 }, (_, index) => ({ rowId: `r${index}`, value: {} }));
  assert.equal(rowIssues(state, [{ namespace: 'notes', records: many }], '').length, limits.issuesMax);
});
