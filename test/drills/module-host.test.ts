import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModuleHost } from '../../src/drills/targets/module-host.js';
import { isFromHost } from '../../src/drills/targets/module-protocol.js';

test('a list is no message of a module, and no part of one, whatever members it has', () => {
  const file = { name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array() };
  const sound = { kind: 'attach', turn: 1, file };
  assert.equal(isFromHost(sound), true);
  assert.equal(isFromHost(Object.assign([], sound)), false);
  assert.equal(isFromHost({ ...sound, file: Object.assign([], file) }), false);
  const call = { kind: 'call', turn: 1, id: 1, request: { method: 'tools' } };
  assert.equal(isFromHost(call), true);
  assert.equal(isFromHost({ ...call, request: Object.assign([], call.request) }), false);
});

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
