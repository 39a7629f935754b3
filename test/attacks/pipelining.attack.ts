// Without a credential: requests written one behind the other, whose replies nobody reads.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertHeld, besideVictim, endWell, engines, quietAnswers, residentMiB, startGround, startVictim } from './kit.js';

const client = fileURLToPath(new URL('pipelining-client.js', import.meta.url));
const grownMiBMax = 256;
/** So that the hundredth is not one call or two. */
const calls = 1000;

for (const engine of engines) {
  test(`${engine}: 160,000 requests whose replies nobody reads cost little memory`, { timeout: 120_000 }, async (t) => {
    const ground = await startGround('thread', { engine });
    const victim = await startVictim(ground);
    const quiet = await quietAnswers(victim, calls);
    const before = residentMiB(ground);
    const { answers } = await besideVictim(victim, async () => {
      const attack = spawn(process.execPath, [client, new URL(ground.baseUrl).port], { stdio: ['ignore', 'inherit', 'inherit'] });
      const [code] = await once(attack, 'close');
      assert.equal(code, 0);
    });
    assertHeld(quiet, answers);
    assert.equal(await victim.total(), victim.acknowledged);
    const peak = residentMiB(ground, 'VmHWM');
    t.diagnostic(`victim quiet ${JSON.stringify(quiet)}, under attack ${JSON.stringify(answers)}`);
    t.diagnostic(`${before} MiB before, at most ${peak} MiB`);
    assert.ok(peak - before < grownMiBMax, `${before} MiB before, at most ${peak} MiB`);
    await endWell(ground, t);
  });
}
