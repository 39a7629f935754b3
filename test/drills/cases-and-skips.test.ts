// Drills of cases and skipped drills as runs see them, through the public door.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../src/contract/run/run-events.js';
import { validateRunEvent, validateRunReport } from '../../src/contract/validate/validators.js';
import { planDrills, type RunDrillsOptions, readHistory, runDrills } from '../../src/index.js';
import { drill, moduleAgent, temporaryRepositories } from './repository.js';

const repository = temporaryRepositories();
const cases = [
  { id: 'one', values: { text: 'first', count: 1 } },
  { id: 'two', title: 'the second', values: { text: 'second', count: 1 } },
  { id: 'three', skip: 'Three is one too many.', values: { text: 'third', count: 3 } },
];
const noteHasText = {
  id: 'written',
  kind: 'state.count',
  packageId: 'notes',
  namespace: 'notes',
  where: { text: `\${case.text}` },
  count: { equals: `\${case.count}` },
};
const more = { title: 'It writes', tags: ['writing'], task: { instruction: `Write \${case.text}.`, input: `\${case.text}` }, cases };
const agent = moduleAgent('agent', `await context.world.call('notes', 'note.write', { id: 'a', text: invocation.task.input });`);
const files = {
  ...agent,
  ...drill('write', 'agent', [noteHasText], more),
  ...drill('later', 'agent', [{ ...noteHasText, where: {}, count: { equals: 9 } }], { skip: 'There is no time.' }),
  'drillyard/all.suite.json': { schemaVersion: 1, id: 'all', drills: ['write'] },
  'drillyard/tagged.suite.json': { schemaVersion: 1, id: 'tagged', tags: ['writing'] },
  'drillyard/one.suite.json': { schemaVersion: 1, id: 'one', drills: ['write-two', 'later'] },
};
const shown = async (root: string, options: Partial<RunDrillsOptions> = {}) => {
  const { drills, skipped } = await planDrills({ root, ...options });
  return [...drills.map((planned) => planned.drill.id), ...skipped.map(({ id }) => `${id}: skipped`)];
};

test('each case is a drill with a seed of its own; the id of the file and its tags mean all of them', async () => {
  const { root } = repository(files);
  const all = ['write-one', 'write-two', 'write-three: skipped'];
  assert.deepEqual(await shown(root, { drills: ['write'] }), all);
  assert.deepEqual(await shown(root, { suite: 'all' }), all);
  assert.deepEqual(await shown(root, { suite: 'tagged' }), all);
  assert.deepEqual(await shown(root, { tags: ['writing'] }), all);
  assert.deepEqual(await shown(root, { suite: 'one' }), ['write-two', 'later: skipped']);
  assert.deepEqual(await shown(root, { drills: ['write-two'] }), ['write-two']);
  assert.deepEqual(await shown(root, { drills: ['write'], suite: 'one' }), ['write-two']);
  assert.deepEqual(await shown(root, { filter: 'second' }), ['write-two']);
  await assert.rejects(planDrills({ root, drills: ['write-tow'] }), /Did you mean "write-two"\?/);
  const { drills } = await planDrills({ root, drills: ['write'] });
  assert.equal(new Set(drills.map(({ trials }) => trials[0]?.seed)).size, 2);
  const shards = await Promise.all([1, 2].map((index) => shown(root, { drills: ['write'], shard: { index, count: 2 } })));
  assert.deepEqual(shards.flat().sort(), all.toSorted());
});

test('a run plays each case, tells what it skips, and its history is asked for by case or by file', async () => {
  const { root } = repository(files);
  const events: RunEvent[] = [];
  const result = await runDrills({ root, onEvent: (event) => events.push(event) });
  assert.equal(result.verdict, 'passed', JSON.stringify(result.drills));
  assert.deepEqual(
    result.drills.map(({ drillId, title, verdict }) => ({ drillId, title, verdict })),
    [
      { drillId: 'write-one', title: 'It writes', verdict: 'passed' },
      { drillId: 'write-two', title: 'It writes: the second', verdict: 'passed' },
    ],
  );
  assert.deepEqual(
    result.skipped.map(({ drillId, reason }) => [drillId, reason]),
    [
      ['later', 'There is no time.'],
      ['write-three', 'Three is one too many.'],
    ],
  );
  assert.deepEqual([result.passed, result.failed, result.inconclusive], [2, 0, 0]);
  assert.deepEqual(
    events.slice(0, 3).map(({ event }) => event),
    ['plan', 'skipped', 'skipped'],
  );
  const [plan] = events;
  assert.deepEqual(plan?.event === 'plan' && [plan.drills, plan.skipped], [2, 2]);
  for (const event of events) assert.ok(validateRunEvent(event).ok, JSON.stringify(event));
  const reports = events.flatMap((event) => (event.event === 'attempt' ? [event.detail?.report] : []));
  for (const report of reports) assert.ok(validateRunReport(report).ok);
  assert.deepEqual(
    reports.map((report) => report?.drill.caseOf),
    ['write', 'write'],
  );
  const ids = async (drills: string[]) => (await readHistory({ root, drills })).drills.map(({ drillId }) => drillId);
  assert.deepEqual(await ids(['write']), ['write-one', 'write-two']);
  assert.deepEqual(await ids(['write-two']), ['write-two']);
});

test('a case is played as the drill that a file of its own would be', async () => {
  const own = (id: string, text: string) =>
    drill(id, 'agent', [{ ...noteHasText, where: { text }, count: { equals: 1 } }], {
      tags: ['writing'],
      task: { instruction: `Write ${text}.`, input: text },
    });
  const hashesOf = async (root: string) => {
    const { drills } = await runDrills({ root, drills: ['write-one', 'write-two'], reportDirectory: false });
    return drills.map(({ drillId, trials }) => {
      const { stateHash, trajectoryHash } = trials[0]!.attempts[0]!.result;
      return { drillId, stateHash, trajectoryHash };
    });
  };
  const apart = repository(agent, own('write-one', 'first'), own('write-two', 'second'));
  assert.deepEqual(await hashesOf(repository(files).root), await hashesOf(apart.root));
});
test('a run in which everything is skipped has passed, with nothing in it', async () => {
  const { root } = repository(files);
  const result = await runDrills({ root, drills: ['later'], reportDirectory: false });
  assert.equal(result.verdict, 'passed');
  assert.deepEqual([result.drills, result.skipped.length], [[], 1]);
});
