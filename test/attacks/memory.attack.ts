// Tool code that takes memory: its host ends, or its call does; the server lives, and answers others meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apartModes, assertHeld, besideVictim, endWell, quietAnswers, refusalOf, startAttacker, startGround, startVictim } from './kit.js';

for (const mode of apartModes) {
  for (const how of ['arrays', 'buffers', 'objects']) {
    test(`${mode}: a call that eats ${how} ends neither the server nor another's calls`, { timeout: 180_000 }, async (t) => {
      // Memory, and not time, is what ends it.
      const ground = await startGround(mode, { flags: ['--handler-timeout-ms', '30000'] });
      const victim = await startVictim(ground);
      const { agent } = await startAttacker(ground);
      const quiet = await quietAnswers(victim);
      const { result, answers } = await besideVictim(victim, async () => [
        await agent.call('eat', { how }),
        await agent.call('eat', { how }),
      ]);
      const codes = result.map((reply) => refusalOf(reply));
      t.diagnostic(`attacker: ${codes}; victim quiet ${JSON.stringify(quiet)}, under attack ${JSON.stringify(answers)}`);
      const known = ['world.ACTOR_RESTARTED', 'world.HANDLER_TIMEOUT', 'world.HANDLER_FAILED', 'world.BUILD_QUARANTINED', 'HANDLER_FAILED'];
      for (const code of codes) assert.ok(code !== undefined && known.includes(code), String(code));
      assertHeld(quiet, answers);
      const after = await quietAnswers(victim, 50);
      assert.equal(after.retries, 0);
      assert.equal(await victim.total(), victim.acknowledged);
      await endWell(ground, t);
    });
  }
}
