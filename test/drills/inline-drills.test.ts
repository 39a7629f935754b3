// Drills that a program hands in, through the public door.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DrillInput, planDrills, runDrills, SourceInvalidError, validateRepository } from '../../src/index.js';
import { drill, moduleAgent, temporaryRepositories } from './repository.js';

const repository = temporaryRepositories();
const agent = moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: invocation.task.input });`);
const wrote = (text: string) => ({
  id: 'written',
  kind: 'state.count' as const,
  packageId: 'notes',
  namespace: 'notes',
  where: { text },
  count: { equals: 1 },
});
const inline = (id: string, text: string, expected = text): DrillInput => ({
  schemaVersion: 1,
  id,
  tags: ['inline'],
  targetId: 'agent',
  actorId: 'writer',
  task: { instruction: 'Write.', input: text },
  assertions: [wrote(expected)],
});
const files = { ...agent, ...drill('filed', 'agent', [wrote('filed')], { task: { instruction: 'Write.', input: 'filed' } }) };

test('a drill that is handed in is one of the repository, with the hashes that its file would have', async () => {
  const { root } = repository(files);
  const inlineDrills = [inline('first', 'one'), inline('second', 'two', 'three')];
  const { drills, verdict } = await runDrills({ root, inlineDrills });
  assert.deepEqual(drills.map(({ drillId, verdict: own }) => [drillId, own]).sort(), [
    ['filed', 'passed'],
    ['first', 'passed'],
    ['second', 'failed'],
  ]);
  assert.equal(verdict, 'failed');
  const filed = repository({ ...files, ...Object.fromEntries(inlineDrills.map((one) => [`drillyard/${one.id}.drill.json`, one])) });
  const [left, right] = await Promise.all([planDrills({ root, inlineDrills }), planDrills({ root: filed.root })]);
  assert.equal(left.buildHash, right.buildHash);
  const chosen = await planDrills({ root, inlineDrills, tags: ['inline'] });
  assert.deepEqual(
    chosen.drills.map((planned) => planned.drill.id),
    ['first', 'second'],
  );
});

test('what is wrong with one is shown at its place, and one that is no JSON is refused', async () => {
  const { root } = repository(files);
  const unknownMember = { ...inline('first', 'one'), assertion: [] } as unknown as DrillInput;
  const { valid, diagnostics } = await validateRepository({ root, inlineDrills: [inline('good', 'x'), unknownMember], types: false });
  assert.equal(valid, false);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  assert.deepEqual(
    errors.map(({ file, path }) => [file, path]),
    [['inlineDrills[1].json', '/assertion']],
  );
  const cycle = inline('round', 'x') as unknown as { [member: string]: unknown };
  cycle.capture = cycle;
  await assert.rejects(runDrills({ root, inlineDrills: [cycle as unknown as DrillInput] }), SourceInvalidError);
  const twice = await validateRepository({ root, inlineDrills: [inline('filed', 'x')], types: false });
  assert.equal(twice.valid, false, 'an id that a file has already');
});
