import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { attachmentViews } from '../../src/reports/attachments.js';
import { EvidenceSelection } from '../../src/reports/evidence-view.js';
import { jsonDocument, projectionRevision, projections } from '../../src/reports/projections.js';
import fc from '../fast-check.js';
import { failingRun } from './fixtures.js';

/** By revision: what the writer of that revision makes of the failing fixture. */
const recorded: { [revision: number]: string } = {
  1: 'ca5c012ee9c51445b825333cc110ef1359b2c9a6218e68ef1d76a6b296180a37',
};

// PROJECTIONS-2
test('another output is another revision', () => {
  const { report, lines } = failingRun();
  const selection = new EvidenceSelection(report.result);
  for (const line of lines) selection.append(JSON.parse(line), line.length - 1);
  const kept = new Map([['attachments/att-agent-log.log', { text: 'the log', whole: true }]]);
  const sources = { report, evidence: selection.view(), attachments: attachmentViews(report.result, kept) };
  const hash = createHash('sha256');
  for (const [file, project] of Object.entries(projections)) hash.update(file).update(project(sources));
  const message = 'The projections changed. If this revision was released, raise `projectionRevision`; then record the digest here.';
  assert.equal(hash.digest('hex'), recorded[projectionRevision], message);
});

test('a JSON file reads back as it was, but for halves of surrogate pairs', () => {
  const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
  fc.assert(fc.property(json, (value) => assert.deepEqual(JSON.parse(jsonDocument(value)), JSON.parse(JSON.stringify(value)))));
  assert.deepEqual(JSON.parse(jsonDocument({ a: 'x\ud800y', b: '\\ud800', c: '\\\udfff', d: '😀' })), {
    a: 'x\ufffdy',
    b: '\\ud800',
    c: '\\\ufffd',
    d: '😀',
  });
});
