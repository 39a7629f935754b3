// What GitHub is reported: commands that nothing in them can end, and a summary of bounded size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { githubAnnotations, githubRefusal, githubSummary } from '../../src/reports/github.js';
import { RunRecords } from '../../src/reports/run-records.js';
import fc from '../fast-check.js';
import { failingRun } from './fixtures.js';

function recordsOf(count: number, change: (report: RunReport) => void = () => {}): RunRecords {
  const records = new RunRecords();
  for (let trial = 1; trial <= count; trial++) {
    const { report } = failingRun();
    Object.assign(report.result.identity, { trial, trialCount: count });
    change(report);
    const { runId, result } = report;
    const { stateHash, evidenceHash, trajectoryHash, status, verdict } = result;
    records.take({
      event: 'attempt',
      runId,
      drillId: report.drill.id,
      trial,
      attempt: 1,
      status,
      verdict,
      stateHash,
      evidenceHash,
      trajectoryHash,
      report: `.service/reports/${runId}`,
      detail: { report, cited: [] },
    });
  }
  records.take({ event: 'summary', verdict: 'failed', passed: 0, failed: 1, inconclusive: 0 });
  return records;
}
const place = { file: 'drills/a,b:c.yaml', line: 7, column: 3 };

/** As actions/toolkit reads one back. */
function read(line: string): { level: string; properties: { [name: string]: string }; message: string } {
  const [, level = '', written = '', data = ''] = /^::(\w+)(?: ([^:]*))?::(.*)$/.exec(line) ?? [];
  const unescapeData = (text: string): string => text.replace(/%0D/g, '\r').replace(/%0A/g, '\n').replace(/%25/g, '%');
  const properties = written.split(',').map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return [name, unescapeData(value.replace(/%3A/g, ':').replace(/%2C/g, ','))];
  });
  return { level, properties: Object.fromEntries(properties), message: unescapeData(data) };
}

test('a gate that failed is an error at its place', () => {
  const lines = githubAnnotations(recordsOf(1), () => place);
  const first = read(lines[0] ?? '');
  assert.equal(first.level, 'error');
  assert.deepEqual([first.properties.file, first.properties.line, first.properties.col], ['drills/a,b:c.yaml', '7', '3']);
  assert.match(first.properties.title ?? '', /^refund-duplicate-charge failed: /);
  assert.match(first.message, /\nrun run_\w+; again: drillyard run refund-duplicate-charge --seed 42$/);
});

// GITHUB-1
test('whatever a message holds, it is one line and comes back as it was shown', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('%', '\n', ':', '::', ',', '=', '0A', '25', 'a', ']', '\r') }), (text) => {
      const lines = githubAnnotations(
        recordsOf(1, ({ result }) => {
          for (const assertion of result.assertionResults) assertion.message = `<${text}>`;
        }),
        () => place,
      );
      for (const line of lines) assert.doesNotMatch(line, /[\r\n]/);
      const shown = text.replace(/\r/g, '\\r');
      assert.ok(
        lines.some((line) => read(line).message.includes(`<${text}>`) || read(line).message.includes(`<${shown}>`)) || text.includes('\r'),
      );
    }),
    { numRuns: 60 },
  );
});

// GITHUB-2
test('no more annotations than GitHub shows, and the last says how many there are', () => {
  const lines = githubAnnotations(recordsOf(30), () => undefined);
  assert.equal(lines.length, 10);
  assert.match(lines[9] ?? '', /^::error::\d+ more like these/);
});

test('a diagnostic is an annotation with its advice', () => {
  const diagnostic = {
    code: 'DY3002',
    severity: 'error' as const,
    file: 'a.yaml',
    line: 2,
    column: 5,
    path: '/id',
    message: 'no',
    suggestion: 'yes',
  };
  const refused = { code: 'control.SOURCE_INVALID', message: 'The repository has 1 error.' };
  assert.deepEqual(githubRefusal({ ...refused, diagnostics: [diagnostic, { ...diagnostic, severity: 'warning' }] }), [
    '::error file=a.yaml,line=2,col=5,title=DY3002::no%0Ayes',
    '::warning file=a.yaml,line=2,col=5,title=DY3002::no%0Ayes',
  ]);
});

// GITHUB-3
test('the summary holds no markup of others, and stays within its bound', () => {
  const summary = githubSummary(
    recordsOf(2, ({ drill, result }) => {
      drill.id = 'a|b`c<script>';
      result.identity.drillId = drill.id;
      for (const assertion of result.assertionResults) assertion.message = '</pre><img src=x>';
    }),
  );
  assert.match(summary, /^## ❌ Drillyard: 0 passed, 1 failed\n/);
  assert.doesNotMatch(summary, /<script|<img|<\/pre><img/);
  for (const line of summary.split('\n').filter((text) => text.startsWith('| ❌'))) assert.equal(line.match(/\|/g)?.length, 6, line);
  const large = githubSummary(
    recordsOf(400, ({ result }) => {
      for (const assertion of result.assertionResults) assertion.message = 'x'.repeat(5_000);
    }),
  );
  assert.ok(Buffer.byteLength(large) <= 512 * 1024);
  assert.match(large, /400 trials in all; the others are in the reports\.\n$/);
});
