// Space is used again: rounds of sessions that are made, used, destroyed and forgotten leave files that do not grow from the second round
// on.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { purge } from '../../src/control/purge.js';
import { sweepRetention } from '../../src/control/retention.js';
import { sweepSessions } from '../../src/control/sessions/expiry.js';
import { quietSettings } from './control-kit.js';
import { openSessionKit } from './session-kit.js';

const sessionsOfRound = Number(process.env.DRILLYARD_REUSE_SESSIONS ?? 100);
const rounds = Number(process.env.DRILLYARD_REUSE_ROUNDS ?? 4);

test('files do not grow from the second round on', { timeout: 600_000 }, async (t) => {
  const kit = await openSessionKit({ settings: { quotas: { ...quietSettings.quotas, sessionsLiveMax: sessionsOfRound } } });
  t.after(() => kit.close());
  const sizes: { catalog: number; worlds: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const sessions: string[] = [];
    await some(sessionsOfRound, async () => void sessions.push((await kit.session()).sessionId));
    await some(sessionsOfRound, async (place) => {
      const { credential } = await kit.access(sessions[place]!);
      for (let call = 1; call <= 3; call++) assert.equal((await kit.add(credential, call)).status, 200);
    });
    await some(sessionsOfRound, async (place) => {
      const sessionId = sessions[place]!;
      const body = { expectedLeaseGeneration: 1, confirm: sessionId };
      await kit.done((await kit.call('destroySession', { path: { sessionId }, body })).operation);
    });
    // All that is kept of them is kept no longer than this.
    kit.clock.nowMs += limits.auditEventKeptMs + 1;
    await sweepSessions(kit.services);
    await sweepRetention(kit.services);
    await purge(kit.services);
    await kit.plane.purge();
    sizes.push({ catalog: bytesOf(kit.directory, 'catalog'), worlds: bytesOf(kit.directory, 'worlds') });
  }
  t.diagnostic(JSON.stringify(sizes));
  const [, second, ...later] = sizes;
  for (const size of later) {
    // What is removed a little at a time is still there when the next round begins; a leak would double a file by the fourth round.
    assert.ok(size.catalog <= second!.catalog * 1.25, JSON.stringify(sizes));
    assert.ok(size.worlds <= second!.worlds * 1.25, JSON.stringify(sizes));
  }
});

/** Fifty at a time. */
async function some(count: number, work: (place: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 50 }, one));
}

function bytesOf(directory: string, folder: string): number {
  return (readdirSync(join(directory, folder), { recursive: true }) as string[])
    .filter((name) => name.endsWith('data.mdb'))
    .reduce((sum, name) => sum + statSync(join(directory, folder, name)).size, 0);
}
