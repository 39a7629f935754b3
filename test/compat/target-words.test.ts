import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherTargetDialect } from '../../src/compat/target-words.js';

test('an agent that says that it was cancelled has failed: only the runner cancels a run', () => {
  const { answer } = otherTargetDialect;
  const failed = (message: string, details = {}) => ({ status: 'failed', error: { code: 'target.AGENT_FAILED', message, details } });
  assert.deepEqual(answer({ schemaVersion: 1, status: 'cancelled' }), failed('The agent says that it was cancelled.'));
  const error = { code: 'STOPPED', message: 'Enough.' };
  assert.deepEqual(answer({ schemaVersion: 1, status: 'cancelled', error }), failed('Enough.', { code: 'STOPPED' }));
});
