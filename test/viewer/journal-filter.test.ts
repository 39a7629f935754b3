import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterOfQuery, queryOfFilter, searchOfFilter } from '../../src/viewer/journal-filter.js';
import { snippetOf } from '../../src/viewer/kit/marked-text.js';
import { hashOfPlace, placeOfHash } from '../../src/viewer/report/report-address.js';

test('a filter is its address: what an address says comes back, and what it does not know is left out', () => {
  const query = {
    q: 'lost',
    kind: 'operation,fault',
    actor: 'support-agent',
    op: 'payments.refund.create',
    outcome: 'denied',
    problems: 'only',
    range: '22-30',
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
    fromSequence: 22,
    toSequence: 30,
  });
  assert.equal(searchOfFilter(filterOfQuery({ kind: 'nothing', outcome: 'sometimes', range: '9-3', seq: '1' })), undefined);
});

test('a snippet shows what stands around the words, whatever their case', () => {
  assert.equal(snippetOf('{"reason":"Requested by Customer"}', 'requested BY'), '{"reason":"Requested by Customer"}…');
  assert.equal(snippetOf('nothing', 'else'), '');
});

test('the address of a report: an entry, a filter, both; what is neither is left to others', () => {
  const filter = filterOfQuery({ range: '2-5', q: 'a&b' });
  assert.equal(hashOfPlace({ sequence: 14, filter }), '#entry-14&q=a%26b&range=2-5');
  assert.deepEqual(placeOfHash('#entry-14&q=a%26b&range=2-5'), { sequence: 14, filter });
  assert.deepEqual(placeOfHash('#range=2-5&q=a%26b'), { sequence: undefined, filter });
  assert.deepEqual(placeOfHash('#entry-14'), { sequence: 14 });
  assert.equal(hashOfPlace({ sequence: undefined, filter: filterOfQuery({}) }), '');
  for (const other of ['', '#assertion-one', '#entry-', '#entry-14x']) assert.equal(placeOfHash(other), undefined);
});
