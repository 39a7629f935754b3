// Six sessions of one project in endless loops, and a victim in another project: none of its calls fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertHeld,
  besideVictim,
  endWell,
  modes,
  openAgent,
  pause,
  quietAnswers,
  refusalOf,
  startAttacker,
  startGround,
  startVictim,
} from './kit.js';

const attackMs = 15_000;
const closing = ['--quarantine-timeouts', '1000', '--host-seconds-per-minute', '60000'];

for (const mode of modes) {
  // With the budgets of hosts and the quarantine of builds, and without them: then the order of a host, or a host of its own, is all that
  // helps.
  for (const [how, flags] of Object.entries({ 'with all defaults': [], 'without quarantine and budget': closing })) {
    test(`${mode}, ${how}: beside six endless loops a victim is answered always`, { timeout: 180_000 }, async (t) => {
      const ground = await startGround(mode, { flags });
      const victim = await startVictim(ground);
      const { party, place, agent } = await startAttacker(ground);
      const others = await Promise.all([2, 3, 4, 5, 6].map((seed) => openAgent(party.client, place, 'attacker', String(seed))));
      const quiet = await quietAnswers(victim);
      const codes = new Map<string, number>();
      const { answers } = await besideVictim(victim, async () => {
        const until = performance.now() + attackMs;
        const spin = async (spinner: typeof agent): Promise<void> => {
          while (performance.now() < until) {
            const code = String(refusalOf(await spinner.call('eat', { how: 'spin' })));
            codes.set(code, (codes.get(code) ?? 0) + 1);
            if (code !== 'world.HANDLER_TIMEOUT') await pause(50);
          }
        };
        await Promise.all([agent, ...others].map(spin));
      });
      t.diagnostic(`attackers were reported ${JSON.stringify(Object.fromEntries(codes))}`);
      t.diagnostic(
        `victim quiet ${JSON.stringify(quiet)}, under attack ${JSON.stringify(answers)}, ratio ${ratio(answers.p99Ms, quiet.p99Ms)}`,
      );
      assert.ok((codes.get('world.HANDLER_TIMEOUT') ?? 0) >= 3, 'nothing looped');
      // A host of its own: nobody else's loop ends it. In threads a call may share a host with a loop that is ended, and is asked again.
      if (mode !== 'thread') {
        assert.equal(answers.retries, 0);
        assertHeld(quiet, answers);
      }
      assert.equal(await victim.total(), victim.acknowledged);
      await endWell(ground, t);
    });
  }
}
const ratio = (value: number, of: number): string => (value / of).toFixed(2);
