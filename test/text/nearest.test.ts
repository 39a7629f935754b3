import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from '../../src/text/nearest.js';

test('the name that was meant: a slip of the hand, or the same words in another order', () => {
  const known = ['id', 'actorId', 'afterStartUs', 'set-status'];
  assert.equal(nearest('actrId', known), 'actorId');
  assert.equal(nearest('startAfterUs', known), 'afterStartUs');
  assert.equal(nearest('status_set', known), 'set-status');
  assert.equal(nearest('colour', known), undefined);
  assert.equal(nearest('a'.repeat(10_000), ['A'.repeat(10_000)]), undefined);
});
