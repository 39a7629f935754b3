// A signal that is made late says what one would that was there from the beginning.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LateAbort } from '../../src/async/late-abort.js';

test('who asks for the signal before the abort hears of it', () => {
  const end = new LateAbort();
  let heard = 0;
  end.signal.addEventListener('abort', () => {
    heard += 1;
  });
  assert.equal(end.signal, end.signal);
  assert.equal(end.isAborted || end.signal.aborted, false);
  end.abort();
  end.abort();
  assert.deepEqual([heard, end.isAborted, end.signal.aborted], [1, true, true]);
});

test('who asks for the signal after the abort finds it aborted', () => {
  const end = new LateAbort();
  end.abort();
  assert.equal(end.isAborted, true);
  assert.equal(end.signal.aborted, true);
});
