// Ways out of the tool realm, published over the API by a builder of one project and called by its agent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endWell, modes, startAttacker, startGround } from './kit.js';
import { realmWays } from './sources.js';

for (const mode of modes) {
  test(`${mode}: no way out of the realm reaches the process`, { timeout: 120_000 }, async (t) => {
    const ground = await startGround(mode, {});
    const { agent } = await startAttacker(ground);
    for (const way of Object.keys(realmWays)) {
      const { status, body } = await agent.call('leave', { way });
      assert.deepEqual([status, body.outcome?.value?.reached], [200, 'nothing'], `${way}: ${JSON.stringify(body)}`);
    }
    await endWell(ground, t);
  });
}
