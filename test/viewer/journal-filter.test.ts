import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterOfQuery, queryOfFilter, searchOfFilter } from '../../src/viewer/journal-filter.js';
import { snippetOf } from '../../src/viewer/kit/marked-text.js';

test('a filter is its address: what an address says comes back, and what it does not know is left out', () => {
  const query = {
    q: 'lost',
    kind: 'operation,fault',
    actor: 'support-agent',
    op: 'payments.refund.create',
    outcome: 'denied',
    problems: 'only',
  };
  const filter = filterOfQuery({ ...query, seq: '4' });
  assert.deepEqual(queryOfFilter(filter), query);
  assert.deepEqual(searchOfFilter(filter), {
    q: 'lost',
    kind: 'operation,fault',
    actorId: 'support-agent',
    packageId: 'payments',
    operationId: 'refund.create',
    outcome: 'denied',
    problems: 'only',
  });
  assert.equal(searchOfFilter(filterOfQuery({ kind: 'nothing', outcome: 'sometimes', seq: '1' })), undefined);
});

test('a snippet shows what stands around the words, whatever their case', () => {
  assert.equal(snippetOf('{"reason":"Requested by Customer"}', 'requested BY'), '{"reason":"Requested by Customer"}…');
  assert.equal(snippetOf('nothing', 'else'), '');
});
