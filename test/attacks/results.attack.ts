// Results, details and events of hundreds of megabytes: refused before they reach the server or the disk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesBelow } from './disk-use.js';
import { assertHeld, besideVictim, endWell, modes, quietAnswers, refusalOf, startAttacker, startGround, startVictim } from './kit.js';

const attackMs = 3000;
const diskBytesMax = 50 * 1024 * 1024;
const makes = [
  ['result', 500],
  ['details', 300],
  ['events', 400],
  ['rows', 400],
  ['wide', 250],
] as const;

for (const mode of modes) {
  test(`${mode}: no call makes the server hold or store hundreds of megabytes`, { timeout: 240_000 }, async (t) => {
    const flags = ['--handler-timeout-ms', '20000', '--quarantine-host-ends', '1000', '--quarantine-timeouts', '1000'];
    const ground = await startGround(mode, { flags });
    const victim = await startVictim(ground);
    const { agent } = await startAttacker(ground);
    const quiet = await quietAnswers(victim);
    for (const [how, size] of makes) {
      const before = bytesBelow(ground.dataDirectory);
      const { result, answers } = await besideVictim(victim, async () => {
        const until = performance.now() + attackMs;
        for (;;) {
          const reply = await agent.call('eat', { how, size });
          if (performance.now() >= until || refusalOf(reply) === undefined) return reply;
        }
      });
      const stored = bytesBelow(ground.dataDirectory) - before;
      t.diagnostic(
        `${how}: ${result.status} ${refusalOf(result)}, ${stored} bytes; victim ${JSON.stringify(answers)}, quiet ${JSON.stringify(quiet)}`,
      );
      assert.notEqual(refusalOf(result), undefined, `${how} of ${size} MB was answered: ${JSON.stringify(result).slice(0, 200)}`);
      if (mode !== 'thread') assertHeld(quiet, answers);
      assert.ok(stored < diskBytesMax, `${how}: ${stored} bytes were stored`);
    }
    assert.equal(await victim.total(), victim.acknowledged);
    await endWell(ground, t);
  });
}
