// Without a credential: requests written one behind the other, whose replies nobody reads.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertHeld, besideVictim, endWell, engines, quietAnswers, residentMiB, startGround, startVictim } from './kit.js';

const sockets = 8;
const requestsEach = 2000;
const grownMiBMax = 256;

for (const engine of engines) {
  test(`${engine}: 16,000 requests whose replies nobody reads cost little memory`, { timeout: 120_000 }, async (t) => {
    const ground = await startGround('thread', { engine });
    const { baseUrl } = ground.service.ready;
    const ask = async (): Promise<void> => {
      for (let asked = 0; asked < 100; asked++) {
        const reply = await fetch(`${baseUrl}/healthz`);
        assert.equal(reply.status, 200);
        await reply.arrayBuffer();
      }
    };
    await ask();
    const before = residentMiB(ground);
    const bytes = 'GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requestsEach);
    const victim = await startVictim(ground);
    const quiet = await quietAnswers(victim);
    const { answers } = await besideVictim(victim, async () => {
      for (let round = 0; round < 3; round++) {
        const flood = Array.from({ length: sockets }, () => {
          const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1').on('error', () => {});
          socket.write(bytes);
          return socket;
        });
        for (let asked = 0; asked < 10; asked++) await ask();
        const closed = flood.map((socket) => new Promise((resolve) => (socket.closed ? resolve(0) : socket.once('close', resolve))));
        for (const socket of flood) socket.destroy();
        await Promise.all(closed);
        await ask();
      }
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
