// What is kept of an agent's log where only a few lines fit: the cause first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastWords } from '../../src/reports/last-words.js';

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
