import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunMemory } from '../../src/control/memory/run-memory.js';
import type { Access } from '../../src/drills/ports/bindings-port.js';

// RUN-MEMORY-1, RUN-ATTEMPT-STORE-2
test('closing revokes every access of a run at once, and waits until all calls have been answered', async () => {
  const memory = new RunMemory();
  const revoked: string[] = [];
  const answered: (() => void)[] = [];
  const accessOf = (name: string): Access =>
    ({
      revoke: () => {
        revoked.push(name);
        return new Promise<void>((resolve) => answered.push(resolve));
      },
      unanswered: () => undefined,
      observed: () => false,
    }) as unknown as Access;
  for (const name of ['one', 'two']) memory.issued('hrun_1', accessOf(name));
  memory.issued('hrun_2', accessOf('other'));
  let closed = false;
  const closing = memory.close('hrun_1').then(() => {
    closed = true;
  });
  assert.deepEqual(revoked, ['one', 'two']);
  answered[0]!();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(closed, false);
  answered[1]!();
  await closing;
  assert.deepEqual(revoked, ['one', 'two']);
});
