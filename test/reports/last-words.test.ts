// What is kept of an agent's log where only a few lines fit: the cause first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { causesOf } from '../../src/reports/causes.js';
import { lastWords, ownFrame } from '../../src/reports/last-words.js';
import { failingRun } from './fixtures.js';

const log = Array.from({ length: 20 }, (_, index) => `step ${index}`);

test('of a process that Node ended for an event without a listener the error is kept, not where it came out', () => {
  const said = [
    ...log,
    'node:events:497',
    "      throw er; // Unhandled 'error' event",
    '      ^',
    '',
    'Error: spawn nowhere ENOENT',
    '    at ChildProcess._handle.onexit (node:internal/child_process:285:19)',
    '    at onErrorNT (node:internal/child_process:483:16)',
    "Emitted 'error' event on ChildProcess instance at:",
    '    at ChildProcess._handle.onexit (node:internal/child_process:291:12)',
    '    at onErrorNT (node:internal/child_process:483:16) {',
    '  errno: -2,',
    "  code: 'ENOENT',",
    '}',
    '',
    'Node.js v20.20.2',
  ];
  const kept = lastWords(said.join('\n'));
  assert.equal(kept[0], 'Error: spawn nowhere ENOENT');
  assert.deepEqual(kept.slice(-2), ['  errno: -2,', "  code: 'ENOENT',"]);
  assert.equal(kept.length, 5);
});

test('a message of several lines keeps its first', () => {
  const said = [...log, 'ValidationError: two things are wrong', '  - name', '  - size', '    at check (/app/agent.mjs:3:7)'];
  assert.deepEqual(lastWords(said.join('\n')), ['ValidationError: two things are wrong', '  - size', '    at check (/app/agent.mjs:3:7)']);
});

test('of a log without a stack the end is kept', () => {
  assert.deepEqual(lastWords(log.join('\n')), log.slice(-5));
});

test('a frame names its file, with and without a function, as a path and as an address', () => {
  const place = (file: string) => ({ file, line: 6, column: 12 });
  for (const [line, file] of [
    ['    at refund (/work/agents/refund.mjs:6:12)', '/work/agents/refund.mjs'],
    ['    at /work/agents/refund.mjs:6:12', '/work/agents/refund.mjs'],
    ['    at async file:///work/agents/refund.mjs:6:12', '/work/agents/refund.mjs'],
    ['    at Agent.run [as ask] (file:///work/agents/refund.mjs:6:12)', '/work/agents/refund.mjs'],
    ['    at refund (/work/my agents/refund.mjs:6:12)', '/work/my agents/refund.mjs'],
    ['    at refund (C:\\my agents\\refund.mjs:6:12)', 'C:\\my agents\\refund.mjs'],
  ] as const) {
    assert.deepEqual(ownFrame(line), place(file), line);
  }
  for (const line of ['    at refund (https://host/refund.mjs:6:12)', '    at refund (/work/refund.mjs)', 'at (/work/refund.mjs:6:12)'])
    assert.equal(ownFrame(line), undefined, line);
});

// LAST-WORDS-1
test('a log of one line of a megabyte costs no more than its length, and little of it is kept', { timeout: 60_000 }, () => {
  const many = 1024 * 1024;
  const logs = ['/', ':1', '/:', ':', '1', '(/', '(', 'C:\\', 'file://', ' ', 'at ', "Emitted '", 'AError', '}', '😀'].flatMap((piece) => {
    const long = piece.repeat(many / piece.length);
    return [`Error: x\n    at ${long} `, `Error: x\n${long}\n    at ${long}`, `${long}\n    at x (/x:1:1)\n${long}x`, `    at ${long}x`];
  });
  for (const log of logs) {
    const { report } = failingRun();
    const error = { schemaVersion: 1, code: 'target.X', source: 'target', message: 'x', retryable: false, issues: [], correlationId: 'c' };
    const last = report.result.interactions.at(-1)!;
    last.targetResult = { ...last.targetResult, status: 'failed', error: { ...error, details: { log } } as never };
    const agent = causesOf(report).find((cause) => cause.kind === 'agent');
    assert.ok(agent?.kind === 'agent');
    assert.ok(agent.log.length > 0 && agent.log.length <= limits.reportLastWordsLinesMax);
    for (const line of agent.log) assert.ok(line.length <= limits.reportLastWordsCharsMax && line.isWellFormed());
    for (const line of log.split('\n')) ownFrame(line);
  }
});
