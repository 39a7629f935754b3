// Slices, commits, crashes and passivations may fall anywhere: the bytes a world leaves are the same.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { WorldCommand } from '../../src/contract/world/world-protocol.js';
import { tuning } from '../../src/worlds/tuning.js';
import fc from '../fast-check.js';
import { gaveUp, type Slicing, SlicingHost, unsliced } from './slicing-host.js';

let scratch = '';
before(() => {
  scratch = mkdtempSync(join(tmpdir(), 'drillyard-slices-'));
});
after(() => rmSync(scratch, { recursive: true, force: true }));
let made = 0;
const create = (): Promise<SlicingHost> => SlicingHost.create(scratch, `run_${String(made++).padStart(12, '0')}`, { recordRandom: true });

const events = Array.from({ length: 300 }, (_, index) => ({
  event: { packageId: 'bank', eventId: 'due' },
  payload: { account: index % 3 === 0 ? 'main' : 'other', amount: index % 7 === 0 ? 1 : 0 },
  atUs: 600 + Math.floor(index / 4) * 10,
  actorId: 'clerk',
}));
const eventsAt = (atUs: number, count: number): WorldCommand => ({
  kind: 'schedule',
  events: Array.from({ length: count }, () => ({ ...events[1]!, atUs })),
});
const history: WorldCommand[] = [
  { kind: 'schedule', events },
  { kind: 'call', actorId: 'clerk', packageId: 'bank', operationId: 'later', arguments: { inUs: 5000, account: 'main', amount: 1 } },
  { kind: 'advance', targetUs: 900, maxEvents: 1000, operationKey: 'a' },
  { kind: 'call', actorId: 'clerk', packageId: 'bank', operationId: 'roll', arguments: { most: 6 } },
  { kind: 'snapshot' },
  { kind: 'advance', targetUs: 1200, maxEvents: 50, operationKey: 'b' },
  { kind: 'wait', actorId: 'clerk', untilUs: 1300 },
  { kind: 'advance', targetUs: 9000, maxEvents: 1000, operationKey: 'c' },
];

async function bytesOf(host: SlicingHost): Promise<unknown> {
  const { lines } = { lines: [] as string[] };
  for (let from: number | undefined = 1; from !== undefined; ) {
    const page: { lines: string; nextSequence?: number } = host.query({ kind: 'evidenceLines', fromSequence: from, limit: 500 });
    lines.push(page.lines);
    from = page.nextSequence;
  }
  return { lines: lines.join(''), position: host.query({ kind: 'position' }) };
}

// WORLD-STATE-1, FIRE-EVENTS-1
test('whatever the slices, the commits and the incarnations', { timeout: 120_000 }, async () => {
  const reference = await create();
  const results: unknown[] = [];
  for (const command of history) results.push(await reference.command(command));
  const expected = await bytesOf(reference);
  await reference.close();
  const chance = (percent: number) => fc.infiniteStream(fc.nat(99)).map((stream) => () => (stream.next().value as number) < percent);
  const plan = fc.record({ ends: chance(70), commits: chance(50), crashes: chance(3), passivates: chance(30) });
  await fc.assert(
    fc.asyncProperty(plan, async ({ ends, commits, crashes, passivates }) => {
      const host = await create();
      const slicing: Slicing = { sliceOver: ends, commits, crashes };
      for (const [index, command] of history.entries()) {
        const isSliced = command.kind === 'advance';
        let result = await host.command(command, isSliced ? slicing : { ...slicing, crashes: () => false });
        // Who was not answered asks again, with the same key.
        while (result === gaveUp) result = await host.command(command, slicing);
        assert.deepEqual(result, results[index]);
        if (passivates()) host.passivate();
      }
      assert.deepEqual(await bytesOf(host), expected);
      await host.close();
    }),
    { numRuns: 25 },
  );
});

test('a slice has a bound of events where others wait for theirs, and alone its time', async () => {
  const host = await create();
  const { eventsPerSharedSlice } = tuning;
  for (const atUs of [600, 700]) await host.command(eventsAt(atUs, 2 * eventsPerSharedSlice + 1));
  const slicesUntil = async (targetUs: number, isShared: boolean): Promise<number> => {
    let slices = 0;
    const commits = (): boolean => ++slices > 0;
    const command = { kind: 'advance' as const, targetUs, maxEvents: 10_000, operationKey: String(targetUs) };
    const result = await host.command(command, { ...unsliced, isShared, commits });
    assert.ok(result !== gaveUp && result.scheduledEventsProcessed === 2 * eventsPerSharedSlice + 1);
    return slices;
  };
  assert.deepEqual([await slicesUntil(650, true), await slicesUntil(750, false)], [2, 0]);
  await host.close();
});

test('an advance that a crash interrupts continues where it was committed', async () => {
  const host = await create();
  await host.command(history[0] as WorldCommand);
  const command = { kind: 'advance' as const, targetUs: 2000, maxEvents: 1000, operationKey: 'k' };
  let slices = 0;
  assert.equal(await host.command(command, { sliceOver: () => true, commits: () => slices < 5, crashes: () => ++slices > 8 }), gaveUp);
  const { advance } = host.query({ kind: 'pending', limit: 1 });
  assert.ok(advance !== undefined && advance.scheduledEventsProcessed > 0);
  assert.ok(advance.scheduledEventsProcessed < 300);
  const result = await host.command(command);
  assert.ok(result !== gaveUp && result.scheduledEventsProcessed === 300 && result.startedUs === 500);
  assert.deepEqual(await host.command(command), result);
  await assert.rejects(host.command({ ...command, maxEvents: 5 }, unsliced));
  await host.close();
});
