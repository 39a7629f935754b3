// A world to play with in process.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ServiceError } from '../src/contract/errors.js';
import { createLocalWorld } from '../src/index.js';
import { createRepository, drill, moduleAgent, written } from './drills/repository.js';

const repository = createRepository({
  ...moduleAgent('agent', ''),
  ...drill('d', 'agent', [written({ equals: 0 })], { inlineScenario: { virtualTimeUs: 5, actors: [{ id: 'writer', grants: [] }] } }),
  'drillyard/quiet.scenario.json': { schemaVersion: 1, id: 'quiet', virtualTimeUs: 77 },
});
after(() => repository.remove());
const { root } = repository;
const notes = { packageId: 'notes', namespace: 'notes' };
const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

test('calls, time, state now and then, evidence and position', async () => {
  const local = await createLocalWorld({ root });
  try {
    const write = (id: string) =>
      local.call({ actorId: 'writer', packageId: 'notes', operationId: 'note.write', arguments: { id, text: id } });
    assert.equal((await write('a')).outcome.kind, 'ok');
    await local.call({ actorId: 'writer', packageId: 'notes', operationId: 'note.remind', arguments: { id: 'x', afterUs: 10 } });
    const { sequence } = await write('b');
    const { reachedUs, scheduledEventsProcessed } = await local.advance(2000);
    assert.deepEqual([reachedUs, scheduledEventsProcessed], [2000, 1]);
    assert.deepEqual(await local.row(notes, 'due-x'), { id: 'due-x', text: 'at 1010' });
    assert.deepEqual(
      (await collect(local.state(notes))).map(({ rowId }) => rowId),
      ['a', 'b', 'due-x', 'first'],
    );
    assert.deepEqual(
      (await collect(local.state(notes, { atSequence: sequence - 1 }))).map(({ rowId }) => rowId),
      ['a', 'first'],
    );
    const entries = await collect(local.evidence());
    assert.equal(entries.length, (await local.position()).evidenceSequence);
    assert.deepEqual((await collect(local.evidence(sequence)))[0]?.sequence, sequence);
    assert.equal((await local.tools('writer')).length, 4);
  } finally {
    await local.close();
  }
});

test('starts from a scenario, from a drill, or from where it is reported, and the same seed gives the same evidence', async () => {
  const clockOf = async (options: object): Promise<number> => {
    const local = await createLocalWorld({ root, ...options });
    const { virtualTimeUs } = await local.position();
    await local.close();
    return virtualTimeUs;
  };
  assert.deepEqual([await clockOf({}), await clockOf({ scenarioId: 'quiet' }), await clockOf({ drillId: 'd' })], [1000, 77, 5]);
  const hashOf = async (seed: string): Promise<string> => {
    const local = await createLocalWorld({ root, seed, directory: join(root, 'kept') });
    const { evidenceHash } = await local.position();
    await local.close();
    return evidenceHash;
  };
  assert.equal(await hashOf('3'), await hashOf('3'));
  assert.notEqual(await hashOf('3'), await hashOf('4'));
  assert.ok(existsSync(join(root, 'kept')));
});

test('what does not exist or does not compile is refused', async () => {
  const unfit = (path: string, code: string) => (error: unknown) =>
    error instanceof ServiceError &&
    error.code === 'control.INVALID_REQUEST' &&
    error.extra.issues?.[0]?.path === path &&
    error.extra.issues[0].code === code;
  await assert.rejects(createLocalWorld({ root, scenarioId: 'none' }), unfit('/scenarioId', 'not_one_of'));
  await assert.rejects(createLocalWorld({ root, drillId: 'none' }), unfit('/drillId', 'not_one_of'));
  await assert.rejects(createLocalWorld({ root, drillId: 'd', scenarioId: 'quiet' }), unfit('/scenarioId', 'conflict'));
  await assert.rejects(createLocalWorld({ root: join(root, 'nowhere') }), { code: 'control.SOURCE_INVALID' });
});
