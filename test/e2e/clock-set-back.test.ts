// A service whose clock is set back between two incarnations, as it is for a catalog that moves to a machine whose clock is behind: what is
// recorded later sorts later all the same, so that operations are taken up in the order in which they were asked for.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { clientOf, startedDirectory, startService } from './service.js';

const aheadMs = 600_000;

// ID-FLOOR-1
test('operations and the trail of a service are in their order, though its clock was set back before it was started again', {
  timeout: 60_000,
}, async () => {
  const dataDirectory = await startedDirectory();
  const clock = `${dataDirectory}.clock`;
  const env = {
    DRILLYARD_TEST_CLOCK: clock,
    NODE_OPTIONS: `--import ${new URL('jumping-clock.js', import.meta.url).href}`,
  };
  const made: { operationId: string; createdAtMs: number }[] = [];
  const wanted: string[] = [];
  let credential: string | undefined;
  for (const offsetMs of [aheadMs, 0]) {
    writeFileSync(clock, String(offsetMs));
    const service = await startService({ dataDirectory, env });
    credential ??= service.ready.credential;
    const client = clientOf(service, credential ?? assert.fail());
    const { projectId, environmentId } = service.ready;
    for (const seed of ['1', '2']) {
      const { operation, session } = await client.createSession({ path: { projectId, environmentId }, body: { seed } });
      made.push(operation);
      wanted.push(session.sessionId);
      await client.waitForOperation({ projectId, operationId: operation.operationId });
    }
    if (offsetMs === 0) {
      const { items } = await client.listAuditEvents({ query: { limit: 20 } });
      const sessions = items.flatMap(({ resourceId }) => (resourceId !== undefined && wanted.includes(resourceId) ? [resourceId] : []));
      assert.deepEqual([...new Set(sessions)].reverse(), wanted, 'the trail, the newest first');
    }
    await service.stop('SIGKILL');
  }
  const ids = made.map(({ operationId }) => operationId);
  assert.deepEqual(ids.toSorted(), ids);
  const [, beforeMs = 0, afterMs = 0] = made.map(({ createdAtMs }) => createdAtMs);
  assert.ok(afterMs < beforeMs, 'the clock was set back');
});
