// Sources whose expressions a bundler would expand over its file system: each build is refused, and tells nothing of what lies there.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../e2e/service.js';
import { attempt, endWell, modes, newParty, peakOfFamily, serverMiBMax, startGround } from './kit.js';
import { globExpressions, globFiles, victimFiles, victimSecret } from './sources.js';

for (const mode of modes) {
  test(`${mode}: no source makes the compiler read, name or tell a file beside it`, { timeout: 240_000 }, async (t) => {
    const neighbor = temporaryFolder();
    mkdirSync(join(neighbor, 'victim'));
    for (const [path, content] of Object.entries(victimFiles)) writeFileSync(join(neighbor, path), content);
    // The service is started there, and a bundler looks from there.
    process.chdir(neighbor);
    const ground = await startGround(mode, {});
    const attacker = await newParty(ground, 'attacker');
    const expressions = globExpressions(ground.dataDirectory);
    assert.equal(expressions.length, 17);
    const { peakMiB } = await peakOfFamily(ground, async () => {
      for (const expression of expressions) {
        const { operation } = await attempt(attacker, globFiles(expression));
        const reported = JSON.stringify(operation);
        assert.deepEqual([operation.state, operation.error?.code], ['failed', 'control.SOURCE_INVALID'], `${expression}: ${reported}`);
        const codes = operation.error?.issues?.map(({ code }) => code) ?? [];
        assert.ok(codes.includes('DY6003') || codes.includes('DY6004'), `${expression}: ${reported}`);
        for (const secret of [victimSecret, neighbor, ground.dataDirectory])
          assert.ok(!reported.includes(secret), `${expression} tells ${secret}: ${reported}`);
        assert.ok(
          !/victim\/(?:module|data|words|server|broken)|root:|passwd:|PATH=|\.mdb|Unexpected|Expected/.test(reported),
          `${expression}: ${reported}`,
        );
      }
    });
    t.diagnostic(`the service and all that it started: at most ${peakMiB} MiB`);
    assert.ok(peakMiB < serverMiBMax, `${peakMiB} MiB`);
    await endWell(ground, t);
  });
}
