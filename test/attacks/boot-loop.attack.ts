// An advance to an event whose handler eats memory: the operation is started again each time its host, or the process, has ended, but five
// times at most, over all incarnations of the service; the start after that is clean.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { clientOf } from '../e2e/service.js';
import { ended, modes, type ServedGround, startAttacker, startGround, startVictim } from './kit.js';

const flags = ['--handler-timeout-ms', '60000', '--quarantine-host-ends', '1000', '--durability', 'committed'];

for (const mode of modes) {
  test(`${mode}: an operation that eats all memory is started five times, and no more`, { timeout: 300_000 }, async (t) => {
    // In threads the heap of tool code is the server's own: a small one ends sooner.
    const start = (dataDirectory?: string): Promise<ServedGround> =>
      startGround(mode, {
        flags,
        ...(mode === 'thread' ? { heapMb: 512 } : {}),
        ...(dataDirectory === undefined ? {} : { dataDirectory }),
      });
    let ground = await start();
    const secret = ground.service.ready.credential!;
    const { dataDirectory } = ground;
    const victim = await startVictim(ground);
    const { place, agent, party } = await startAttacker(ground);
    const { projectId, environmentId, buildHash } = place;
    assert.equal((await agent.call('eat', { how: 'later', next: 'arrays', size: 1 })).status, 200);
    const path = { projectId, sessionId: agent.sessionId };
    const fence = { environmentId, buildHash, expectedLeaseGeneration: 1 };
    await victim.add();
    const { operationId } = (await party.client.advanceTime({ path, body: { ...fence, targetUs: 10_000_000, maxEvents: 10 } })).operation;
    let deaths = 0;
    for (;;) {
      const over = await Promise.race([
        ground.service.ended.then(() => undefined),
        ended(clientOf(ground.service, secret), { projectId, operationId }).catch(() => undefined),
      ]);
      if (over !== undefined) {
        assert.deepEqual([over.state, over.error?.code], ['failed', 'control.ATTEMPTS_EXHAUSTED'], JSON.stringify(over.error));
        break;
      }
      await ground.service.ended;
      deaths += 1;
      assert.equal(mode, 'thread', 'the server died of what a host did');
      assert.ok(deaths <= limits.operationStartsMax, `the server died ${deaths} times`);
      ground = await start(dataDirectory);
    }
    t.diagnostic(`the server died ${deaths} times`);
    assert.equal((await ground.service.stop()).code, 0);

    ground = await start(dataDirectory);
    const manager = clientOf(ground.service, secret);
    assert.equal((await manager.getOperation({ path: { projectId, operationId } })).operation.state, 'failed');
    const { projectId: good, environmentId: goodEnvironment } = ground.service.ready;
    const made = await manager.createSession({ path: { projectId: good, environmentId: goodEnvironment }, body: { seed: '1' } });
    assert.equal((await ended(manager, { projectId: good, operationId: made.operation.operationId })).state, 'succeeded');
    assert.equal((await ground.service.stop()).code, 0);
  });
}
