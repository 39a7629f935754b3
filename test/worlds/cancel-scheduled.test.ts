// A tool takes back what it has scheduled.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { JsonValue } from '../../src/contract/json.js';
import { type MockedTool, mockTool } from '../../src/testing.js';
import { createRepository, notesBehavior, notesTool } from '../drills/repository.js';

const text = { type: 'object' };
const manifest = {
  ...notesTool.manifest,
  faults: [],
  operations: ['remind', 'cancel', 'cancel-and-fail', 'never'].map((id) => {
    return { id, inputSchema: text, outputSchema: true, idempotency: 'none', fidelity: 'test' };
  }),
};
const operations = `
    remind: ({ id, afterUs }: any, context: any) => context.events.scheduleAt('note.due', { id }, context.clock.nowUs() + afterUs),
    cancel: ({ id }: any, context: any) => context.events.cancel(id),
    'cancel-and-fail': ({ id }: any, context: any) => { context.events.cancel(id); throw new Error('on purpose'); },
    never: ({ id }: any, context: any) => context.events.cancel(context.events.scheduleAt('note.due', { id }, context.clock.nowUs())),
`;
const behavior = notesBehavior.replace(/operations: \{[\s\S]*?\n {2}\},/, `operations: {${operations}  },`);
const repository = createRepository({ 'notes/notes.tool.json': { ...notesTool, manifest }, 'notes/behavior.ts': behavior });
after(() => repository.remove());

describe('an event that a tool has scheduled', () => {
  let notes: MockedTool;
  before(async () => {
    notes = await mockTool({ package: './notes', from: repository.root });
  });
  after(() => notes.close());
  beforeEach(() => notes.reset());
  const remind = (id: string, afterUs: number) => notes.call('remind', { id, afterUs });
  const phases = async () => (await notes.evidence()).flatMap((entry) => (entry.kind === 'event' ? [entry.phase] : []));

  test('does not fire once it is taken back, and is taken back once', async () => {
    const id = await remind('a', 10);
    await remind('b', 10);
    assert.deepEqual([await notes.call('cancel', { id }), await notes.call('cancel', { id })], [true, false]);
    await notes.advance({ byUs: 10 });
    assert.deepEqual(Object.keys(await notes.state('notes')), ['due-b']);
    assert.deepEqual(await phases(), ['scheduled', 'scheduled', 'cancelled', 'handled']);
    const call = (await notes.calls('cancel'))[0]?.sequence;
    const cancelled = (await notes.evidence()).find((entry) => entry.kind === 'event' && entry.phase === 'cancelled');
    assert.deepEqual([cancelled?.causeSequence, cancelled?.kind === 'event' && cancelled.scheduledEventId], [call, id]);
  });

  test('stays where the handler fails, and is gone where it was made in the same turn', async () => {
    const id = await remind('a', 10);
    assert.equal((await notes.outcome('cancel-and-fail', { id })).kind, 'tool_error');
    assert.equal(await notes.call('never', { id: 'b' }), true);
    await notes.advance({ byUs: 10 });
    assert.deepEqual(Object.keys(await notes.state('notes')), ['due-a']);
    assert.deepEqual(await phases(), ['scheduled', 'scheduled', 'cancelled', 'handled']);
  });

  test('is not known any more when it has fired, and nothing else is an event', async () => {
    const id = String(await remind('a', 10));
    await notes.advance({ byUs: 10 });
    const others = [id, 'pending_', id.replace('pending', 'call'), `${id}0`];
    for (const other of others) assert.equal(await notes.call('cancel', { id: other }), false, other);
    assert.equal((await notes.outcome('cancel', { id: 1 as unknown as string })).kind, 'tool_error');
  });

  test('is known in a fork, before and after its time, by the id that it was given', async () => {
    const id: JsonValue = await remind('a', 10);
    const { evidenceSequence } = await notes.local.position();
    await notes.call('cancel', { id });
    const [scheduled, cancelled] = await Promise.all(
      [evidenceSequence, undefined].map(async (atSequence, index) => {
        const worldId = `world_00000000000${index}`;
        return (await notes.local.world.fork({ worldId, ...(atSequence === undefined ? {} : { atSequence }) })).world;
      }),
    );
    const ask = async (world: typeof notes.local.world | undefined) => {
      const { outcome } =
        (await world?.command({ kind: 'call', actorId: 'tester', packageId: 'notes', operationId: 'cancel', arguments: { id } })) ?? {};
      return outcome;
    };
    assert.deepEqual(
      [await ask(scheduled), await ask(cancelled)],
      [
        { kind: 'ok', value: true },
        { kind: 'ok', value: false },
      ],
    );
    const { events } = (await scheduled?.query({ kind: 'pending', limit: 10 })) ?? {};
    assert.deepEqual(events, []);
  });
});
