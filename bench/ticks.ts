// A repository whose one drill leaves a journal as long as one likes: a clockwork that ticks, and each tick changes a row.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a tick leaves: it was handled, changed a row, scheduled the next. */
const entriesOfTick = 3;

export function writeTicks(root: string, { entries, rows }: { entries: number; rows: number }): void {
  const ticks = Math.ceil(entries / entriesOfTick);
  const files: { [path: string]: string | object } = {
    'drillyard.json': { schemaVersion: 1, world: 'world.json', toolPackages: ['./ticks'] },
    'ticks/ticks.tool.json': tool,
    'ticks/behavior.ts': behavior(rows),
    'agents/winder.mjs': `export default async (_, { world }) => void (await world.call('ticks', 'start', { ticks: ${ticks} }));\n`,
    'drillyard/world.json': {
      schemaVersion: 1,
      id: 'clockwork',
      actors: [{ id: 'winder', grants: [{ packageId: 'ticks', operationId: 'start' }] }],
      state: Array.from({ length: rows }, (_, index) => ({
        action: 'upsert',
        packageId: 'ticks',
        namespace: 'rows',
        rowId: `r${String(index).padStart(4, '0')}`,
        value: { id: `r${String(index).padStart(4, '0')}`, count: 0, note: 'as it was at the start' },
      })),
    },
    'drillyard/winder.target.json': {
      schemaVersion: 1,
      target: { id: 'winder', kind: 'module', module: 'agents/winder.mjs', bindings: ['direct'], timeoutMs: 60_000 },
    },
    'drillyard/ticking.drill.json': {
      schemaVersion: 1,
      id: 'ticking',
      targetId: 'winder',
      timeline: {
        horizonUs: ticks + 1,
        maxEvents: 1_000_000,
        interactions: [{ id: 'wind', afterStartUs: 0, actorId: 'winder', task: { instruction: 'Wind it up.' } }],
      },
      assertions: [{ id: 'rows', kind: 'state.count', packageId: 'ticks', namespace: 'rows', count: { equals: rows } }],
    },
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const count = { type: 'object', additionalProperties: false, required: ['ticks'], properties: { ticks: { type: 'integer' } } };
const tool = {
  schemaVersion: 1,
  module: 'behavior.ts',
  manifest: {
    schemaVersion: 1,
    id: 'ticks',
    version: '1.0.0',
    engine: '>=0.1.0',
    capabilities: ['state.read', 'state.write', 'clock.read', 'clock.schedule'],
    state: [
      {
        namespace: 'rows',
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['id', 'count', 'note'],
          properties: { id: { type: 'string' }, count: { type: 'integer' }, note: { type: 'string' } },
        },
      },
    ],
    operations: [{ id: 'start', inputSchema: count, outputSchema: true, idempotency: 'none', fidelity: 'bench' }],
    events: [{ id: 'tick', payloadSchema: count }],
    subscriptions: [{ id: 'on-tick', event: { packageId: 'ticks', eventId: 'tick' } }],
  },
};

const behavior = (rows: number): string => `
import { defineToolBehavior } from 'drillyard/tool-sdk';
const next = (ticks: number, context: any) => context.events.scheduleAt('tick', { ticks: ticks - 1 }, context.clock.nowUs() + 1);
export default defineToolBehavior({
  operations: {
    start: ({ ticks }: any, context: any) => { next(ticks, context); return null; },
  },
  subscriptions: {
    'on-tick': ({ ticks }: any, context: any) => {
      const id = 'r' + String((ticks * 7919) % ${rows}).padStart(4, '0');
      const row = context.state.get('rows', id);
      context.state.put('rows', id, { ...row, count: row.count + 1, note: 'changed when ' + ticks + ' ticks were left' });
      if (ticks > 0) next(ticks, context);
    },
  },
});
`;
