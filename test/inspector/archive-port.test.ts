import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArchivePort } from '../../src/inspector/journal/archive-port.js';

test('what still waits for an answer when the inspector closes is refused as that, and so is what comes later', async () => {
  const archive = new ArchivePort();
  const place = { folder: '/nowhere', runId: 'run_1' };
  // One of each thread, neither of which has started yet.
  const waiting = Promise.allSettled([archive.ask('document', place), archive.ask('verify', place)]);
  await archive.close();
  const late = await Promise.allSettled([archive.ask('document', place)]);
  for (const settled of [...(await waiting), ...late]) {
    assert.equal(settled.status, 'rejected');
    assert.equal((settled.reason as { code?: string }).code, 'control.UNAVAILABLE');
  }
});
