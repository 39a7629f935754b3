import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packBuild, unpackBuild } from '../../src/control/tasks/build-pack.js';
import { compileWith } from '../compiler/repository.js';

test('a build read back is the same build, names like __proto__ included, and a row is written down once for all setups', async (t) => {
  const rows = Array.from(
    { length: 50 },
    (_, index) => `  - { action: upsert, packageId: notes, namespace: notes, rowId: "r${index}", value: { text: "marked row" } }\n`,
  );
  const scenario = (id: string) => `schemaVersion: 1\nid: ${id}\nactors:\n  - { id: bob, attributes: { "__proto__": { deep: 1 } } }\n`;
  const { build } = await compileWith(t, {
    'drillyard/world.yaml': `schemaVersion: 1\nid: shop\nactors: [{ id: ann }]\nstate:\n  - { action: upsert, packageId: notes, namespace: notes, rowId: n1, value: { text: first } }\n${rows.join('')}`,
    'drillyard/one.scenario.yaml': scenario('one'),
    'drillyard/two.scenario.yaml': scenario('two'),
  });
  const packed = packBuild(build!);
  assert.deepEqual(unpackBuild(packed), build);
  assert.equal(JSON.stringify(unpackBuild(packed)).length, JSON.stringify(build).length);
  // Once as the world's file has it, and once for the baseline, three scenarios and a drill together.
  assert.equal(Buffer.from(packed).toString().split('marked row').length - 1, 100);
});
