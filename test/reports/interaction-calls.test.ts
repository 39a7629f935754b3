import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { EvidenceSelection } from '../../src/reports/evidence-view.js';
import { callsByInteraction } from '../../src/reports/interaction-calls.js';
import { failingRun } from './fixtures.js';

const { report, lines } = failingRun();
const selection = new EvidenceSelection(report.result);
for (const line of lines) selection.append(JSON.parse(line) as EvidenceEntry, line.length);
const { shown } = selection.view();

test('the calls of an interaction are those of its actor up to its checkpoint', () => {
  assert.deepEqual(Object.fromEntries(callsByInteraction(report.result, shown)), { refund: [2, 3, 4, 9], reply: [14, 17, 18] });
});

test('without checkpoints the virtual time of the interactions decides', () => {
  const result = { ...report.result, checkpoints: [] };
  assert.deepEqual(Object.fromEntries(callsByInteraction(result, shown)), { refund: [2, 3, 4, 9], reply: [14, 17, 18] });
});

test('a call of another actor belongs to nobody', () => {
  const interactions = report.result.interactions.map((interaction) => ({ ...interaction, actorId: 'someone-else' }));
  assert.deepEqual(Object.fromEntries(callsByInteraction({ ...report.result, interactions }, shown)), { refund: [], reply: [] });
});
