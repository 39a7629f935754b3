import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssertionResult } from '../../src/contract/run/run.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { junitXml, MergedJunit } from '../../src/reports/junit.js';
import { failingRun, passingRun } from './fixtures.js';
import { checkJunit } from './junit-schema.js';
import { readXml, type XmlNode } from './xml-reader.js';

const suiteOf = (report: RunReport): XmlNode => {
  const document = readXml(junitXml([report]));
  checkJunit(document);
  return document.children[0] as XmlNode;
};
const casesOf = (suite: XmlNode): Map<string, XmlNode> =>
  new Map(suite.children.filter((child) => child.name === 'testcase').map((testCase) => [testCase.attributes.name ?? '', testCase]));

test('each assertion and each checkpoint is a case; a failed gate is a failure with expected and actual', () => {
  const suite = suiteOf(failingRun().report);
  assert.equal(suite.attributes.name, 'refund-duplicate-charge (trial 2 of 3)');
  assert.deepEqual(
    [suite.attributes.tests, suite.attributes.failures, suite.attributes.errors, suite.attributes.skipped],
    ['7', '4', '0', '1'],
  );
  const failure = casesOf(suite).get('refunded-once')?.children[0];
  assert.equal(failure?.name, 'failure');
  assert.match(failure?.attributes.message ?? '', /has 2 rows/);
  assert.match(failure?.text ?? '', /expected: \{"equals":1\}\nactual: 2/);
  assert.match(failure?.text ?? '', /evidence: 5, 10/);
});

test('what is no gate is skipped with its message, and decides nothing', () => {
  const skipped = casesOf(suiteOf(failingRun().report)).get('asked-first')?.children[0];
  assert.equal(skipped?.name, 'skipped');
  assert.match(skipped?.attributes.message ?? '', /^not a gate, failed: /);
});

test('a passing run has no failures, errors or output', () => {
  const suite = suiteOf(passingRun().report);
  assert.deepEqual([suite.attributes.failures, suite.attributes.errors, suite.attributes.skipped], ['0', '0', '0']);
  assert.ok(!suite.children.some((child) => child.name === 'system-out'));
});

test('over a run: a trial whose report could not be written is an error, and has one name whichever attempt it was', () => {
  const merged = new MergedJunit();
  const { report } = passingRun();
  const identity = { ...report.result.identity, trial: 1, trialCount: 1, attempt: 2, attemptLimit: 3 };
  merged.take({ ...report, result: { ...report.result, identity } }, 'inconclusive');
  const document = readXml(merged.text());
  checkJunit(document);
  const suite = document.children[0] as XmlNode;
  assert.deepEqual([suite.attributes.name, suite.attributes.errors], [report.drill.id, '1']);
  assert.equal(casesOf(suite).get('report')?.children[0]?.attributes.message, 'The report of this attempt could not be written.');
});

test('what could not be decided or run is an error, never green', () => {
  const { report } = passingRun();
  const undecided: AssertionResult = { ...(report.result.assertionResults[0] as AssertionResult), status: 'inconclusive' };
  const failure = {
    schemaVersion: 1,
    code: 'target.EXIT_CODE',
    source: 'target',
    message: 'exit 3',
    retryable: false,
    issues: [],
    correlationId: 'c',
    details: {},
  } as const;
  const result = {
    ...report.result,
    status: 'runner_failed',
    verdict: 'inconclusive',
    assertionResults: [undecided],
    checkpoints: [],
    failure,
  } as const;
  const suite = suiteOf({ ...report, result: result as never });
  assert.deepEqual([suite.attributes.tests, suite.attributes.errors], ['2', '2']);
  assert.equal(casesOf(suite).get('run')?.children[0]?.attributes.type, 'target.EXIT_CODE');
});

test('several runs are suites of one document, with their sums', () => {
  const document = readXml(junitXml([failingRun().report, passingRun().report]));
  checkJunit(document);
  assert.deepEqual(
    document.children.map((suite) => suite.attributes.failures),
    ['4', '0'],
  );
  assert.deepEqual([document.attributes.tests, document.attributes.failures], ['14', '4']);
});
