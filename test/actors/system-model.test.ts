// Random histories of a few actors on two hosts against the plainest model: a number an actor, to which acknowledged amounts are added.
import { ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from '../fast-check.js';
import { type CounterSystem, openSystem } from './open-system.js';

const actorIds = ['a', 'b', 'c'];
const actorId = fc.constantFrom(...actorIds);
const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('add' as const), actorId, amount: fc.integer({ min: 1, max: 9 }), waits: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), actorId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('throw' as const), actorId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('failNextCommit' as const), actorId, host: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('passivate' as const), actorId }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('place' as const), actorId, host: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('killHost' as const), host: fc.nat(1) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What an actor's value must be at least (acknowledged) and may be at most (unacknowledged amounts may have been committed). */
interface Bounds {
  least: number;
  most: number;
}

// SYSTEM-3, CELL-1, CELL-2
test('whatever happens, what was acknowledged is there, nothing is there twice, and incarnations are numbered upwards', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const directory = mkdtempSync(join(tmpdir(), 'counters-'));
      const counters = await openSystem({ isolation: 'thread', hosts: 2, directory });
      try {
        const bounds = new Map(actorIds.map((id): [string, Bounds] => [id, { least: 0, most: 0 }]));
        const pending: Promise<unknown>[] = [];
        for (const at of steps) {
          pending.push(take(counters, at, bounds));
          if (at.kind === 'add' && at.waits) await pending.at(-1);
        }
        await Promise.all(pending);
        for (const [id, { least, most }] of bounds) {
          const { value } = await counters.read(id);
          ok(value >= least && value <= most, `${id} is ${value}, not within ${least}..${most}`);
        }
      } finally {
        await counters.system.close();
      }
      incarnationsAreNumberedUpwards(counters);
      rmSync(directory, { recursive: true, force: true });
    }),
    { numRuns: 15 },
  );
});

function take(counters: CounterSystem, at: Step, bounds: Map<string, Bounds>): Promise<unknown> {
  switch (at.kind) {
    case 'add': {
      const bound = bounds.get(at.actorId)!;
      bound.most += at.amount;
      return counters.add(at.actorId, at.amount).then(({ value }) => {
        bound.least += at.amount;
        ok(value >= bound.least, 'a reply older than what was acknowledged');
      }, ignored);
    }
    case 'read':
      return counters.read(at.actorId).then(({ value, committedValue }) => ok(value === committedValue));
    case 'throw':
      return counters.command(at.actorId, { kind: 'throw' }).catch(ignored);
    case 'failNextCommit':
      return counters.control(at.host, at).catch(ignored);
    case 'passivate':
      return counters.system.passivate(at.actorId).catch(ignored);
    case 'place':
      return counters.system.place(at.actorId, { host: at.host }).catch(ignored);
    case 'killHost':
      return counters.system.killHost(at.host);
  }
}

function ignored(error: { code?: string }): void {
  ok(['control.INTERNAL', 'control.STORAGE_FULL', 'world.ACTOR_RESTARTED'].includes(error.code ?? ''), String(error));
}

function incarnationsAreNumberedUpwards(counters: CounterSystem): void {
  const last = new Map<string, number>();
  for (const { event, actorId: id, incarnation } of counters.notes()) {
    if (event !== 'activate') continue;
    ok(incarnation! > (last.get(id!) ?? 0), `${id} was given ${incarnation} after ${last.get(id!)}`);
    last.set(id!, incarnation!);
  }
}
