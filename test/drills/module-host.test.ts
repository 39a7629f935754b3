import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModuleHost } from '../../src/drills/targets/module-host.js';

for (const isolation of ['thread', 'process'] as const)
  test(`a message of a module's ${isolation} that its reader throws on is the end of that host, and of nothing else`, {
    timeout: 60_000,
  }, async (t) => {
    const host = startModuleHost(isolation);
    t.after(() => host.kill());
    const reason = await new Promise<string>((ended) => {
      host.listen({
        message: () => {
          throw new RangeError('one too many');
        },
        ended,
      });
      host.post({ kind: 'endIncarnation' });
    });
    assert.equal(reason, 'its message could not be read: RangeError: one too many');
  });
