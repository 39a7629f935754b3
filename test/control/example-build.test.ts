import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loadBuild } from '../../src/control/builds/build-records.js';
import { publishExampleBuild } from '../../src/control/example-build.js';
import { compiler, openSourceKit } from './source-kit.js';

after(() => compiler.close());

test('the example becomes a build of the project, once however often it is published', async (t) => {
  const kit = await openSourceKit(t);
  const project = { organizationId: kit.organizationId, projectId: kit.projectId };
  const [one, other] = await Promise.all([publishExampleBuild(kit.services, project), publishExampleBuild(kit.services, project)]);
  kit.clock.nowMs += 1000;
  assert.deepEqual([other, await publishExampleBuild(kit.services, project)], [one, one]);
  const { items } = await kit.call('listBuilds');
  assert.deepEqual(
    items.map(({ buildHash, worldId, source }) => ({ buildHash, worldId, source })),
    [{ ...one, worldId: 'northwind-audio', source: undefined }],
  );
  assert.equal((await loadBuild(kit.services, { ...project, ...one })).drills.length, items[0]!.drillIds.length);
});
