// A session whose host failed under it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { WorldRef, Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { openSessionKit } from './session-kit.js';

/** Worlds of which the next advance ends as tool code that never returns ends it. */
function failing(worlds: Worlds): { worlds: Worlds; failNext(): void } {
  let fails = false;
  const wrapped = (world: WorldRef): WorldRef =>
    new Proxy(world, {
      get: (target, member) => {
        if (member !== 'command') return bound(target, member);
        return (command: { kind: string }, options: object) => {
          if (!fails || command.kind !== 'advance') return target.command(command as never, options);
          fails = false;
          return Promise.reject(new ServiceError('world.HANDLER_TIMEOUT'));
        };
      },
    });
  const door = new Proxy(worlds, {
    get: (target, member) => {
      if (member === 'create') return async (request: never) => wrapped(await target.create(request));
      if (member === 'open') return async (worldId: string) => wrapped(await target.open(worldId));
      return bound(target, member);
    },
  });
  return {
    worlds: door,
    failNext: () => {
      fails = true;
    },
  };
}
function bound(target: object, member: string | symbol): unknown {
  const value: unknown = Reflect.get(target, member, target);
  return typeof value === 'function' ? value.bind(target) : value;
}

test('a host that fails at an operation leaves the session degraded: it is read and used all the same, and the next success heals it', async () => {
  const { mkdtempSync, rmSync } = await import('node:fs');
  const directory = mkdtempSync('/tmp/drillyard-degraded-');
  const real = await openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread' });
  const { worlds: failingWorlds, failNext } = failing(real);
  const worlds = Object.assign(failingWorlds, { removeProject: async () => {}, copyProject: async () => {} });
  const kit = await openSessionKit({ worlds: false, services: { worlds } });
  const session = await kit.session();
  const { sessionId } = session;
  const advance = async () => {
    const body = { ...kit.fence(session), targetUs: 1000, maxEvents: 1 };
    return await kit.ended((await kit.call('advanceTime', { path: { sessionId }, body })).operation);
  };
  failNext();
  const failed = await advance();
  assert.deepEqual([failed.state, failed.error?.code], ['failed', 'world.HANDLER_TIMEOUT']);
  const degraded = await kit.get(sessionId);
  assert.deepEqual([degraded.state, degraded.version], ['degraded', session.version + 1]);
  assert.equal((await kit.call('getSessionRuntime', { path: { sessionId } })).position.virtualTimeUs, 500);
  assert.equal((await kit.add((await kit.access(sessionId)).credential, 1)).status, 200);
  assert.equal((await advance()).state, 'succeeded');
  assert.equal((await kit.get(sessionId)).state, 'ready');
  await kit.close();
  await real.close();
  rmSync(directory, { recursive: true, force: true });
});
