import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { compileProject } from '../../src/compiler/compile.js';
import type { DataChoices } from '../../src/compiler/data-choices.js';
import { limits } from '../../src/contract/limits.js';
import type { StatePatch } from '../../src/contract/world/scenario.js';
import { type Files, folder, sound } from './repository.js';

const world = (rows: string): Files => ({
  'drillyard/world.yaml': sound['drillyard/world.yaml'].replace(/state:[\s\S]*?initialEvents/, `state:\n${rows}initialEvents`),
});
const row = (rowId: string, text: string, more = ''): string =>
  `  - { action: upsert, packageId: notes, namespace: notes, rowId: ${rowId}, value: { text: ${text} }${more} }\n`;
const upsert = (rowId: string, text: string, instanceId = 'notes'): StatePatch => ({
  action: 'upsert',
  packageId: 'notes',
  instanceId,
  namespace: 'notes',
  rowId,
  value: { text },
});
const chosen = (target: DataChoices['target'], ...state: StatePatch[]): DataChoices => ({
  target,
  rows: [{ packageId: 'notes', instanceId: state[0]?.instanceId ?? 'notes', state }],
});

const compile = (t: TestContext, changes: Files, choices?: DataChoices) =>
  compileProject({ root: folder(t, { ...sound, ...changes }), ...(choices === undefined ? {} : { choices }) });
const rowsOf = (patches: readonly StatePatch[]): { [row: string]: unknown } => {
  const rows: { [row: string]: unknown } = {};
  for (const patch of patches) {
    const key = `${patch.instanceId} ${patch.rowId}`;
    if (patch.action === 'upsert') rows[key] = patch.value.text;
    else delete rows[key];
  }
  return rows;
};

// DATA-CHOICES-1, DATA-CHOICES-2
test('chosen baseline rows are what the source would have said itself: same build, same hashes, same view', async (t) => {
  const choices = chosen({ kind: 'baseline' }, upsert('n1', 'chosen'), upsert('n2', 'too'));
  const one = await compile(t, world(row('n1', 'first') + row('old', 'gone') + row('x', 'stays', ', instanceId: other')), choices);
  const written = await compile(
    t,
    world(row('x', 'stays', ', instanceId: other') + row('n1', 'chosen', ', instanceId: notes') + row('n2', 'too', ', instanceId: notes')),
  );
  assert.ok(one.build, JSON.stringify(one.diagnostics));
  assert.equal(one.build.buildHash, written.build?.buildHash);
  assert.deepEqual(one.build.drills, written.build?.drills);
  assert.deepEqual(one.view.world?.state, written.view.world?.state);
  assert.equal(one.view.buildHash, one.build.buildHash);
  // The scenario above deletes n1.
  assert.deepEqual(rowsOf(one.build.scenarios[0]!.setup.state), { 'other x': 'stays', 'notes n2': 'too' });
});

// DATA-CHOICES-1, DATA-CHOICES-2
test('rows chosen for a scenario are all that its instance has, and no other start changes', async (t) => {
  const files = world(row('n1', 'first') + row('n2', 'second') + row('x', 'stays', ', instanceId: other'));
  const plain = await compile(t, files);
  const { build, view } = await compile(
    t,
    files,
    chosen({ kind: 'scenario', scenarioId: 'busy' }, upsert('n2', 'chosen'), upsert('n3', 'new')),
  );
  const scenario = build!.scenarios[0]!;
  assert.deepEqual(rowsOf(scenario.setup.state), { 'other x': 'stays', 'notes n2': 'chosen', 'notes n3': 'new' });
  assert.equal(build!.baseline.setupHash, plain.build!.baseline.setupHash);
  assert.notEqual(scenario.setupHash, plain.build!.scenarios[0]!.setupHash);
  assert.notEqual(build!.buildHash, plain.build!.buildHash);
  assert.equal(view.scenarios[0]!.setupHash, scenario.setupHash);
  assert.equal(build!.drills[0]!.setupHash, scenario.setupHash);
});

test('choosing nothing for an instance empties it', async (t) => {
  const choices: DataChoices = { target: { kind: 'baseline' }, rows: [{ packageId: 'notes', instanceId: 'notes', state: [] }] };
  const { build } = await compile(t, {}, choices);
  assert.deepEqual(build!.baseline.setup.state, []);
});

test('a choice that does not fit is reported at the root file', async (t) => {
  const codesOf = async (choices: DataChoices) => {
    const { build, diagnostics } = await compile(t, {}, choices);
    assert.equal(build, undefined);
    return diagnostics.filter(({ severity }) => severity === 'error').map(({ code, file }) => `${file} ${code}`);
  };
  const bad: StatePatch = { action: 'upsert', packageId: 'notes', instanceId: 'notes', namespace: 'notes', rowId: 'r', value: { text: 1 } };
  assert.deepEqual(await codesOf(chosen({ kind: 'scenario', scenarioId: 'none' }, upsert('a', 'b'))), ['drillyard.json DY3003']);
  assert.deepEqual(await codesOf(chosen({ kind: 'baseline' }, bad)), ['drillyard.json DY4001']);
  assert.deepEqual(await codesOf(chosen({ kind: 'baseline' }, { ...bad, namespace: 'none' })), ['drillyard.json DY3009']);
  assert.deepEqual(await codesOf(chosen({ kind: 'baseline' }, { ...bad, packageId: 'none' })), ['drillyard.json DY3005']);
  assert.deepEqual(await codesOf({ target: { kind: 'baseline' }, rows: [{ packageId: 'none', instanceId: 'none', state: [] }] }), [
    'drillyard.json DY3005',
  ]);
});

test('as many rows can be chosen, of all instances together, as a start may have', async (t) => {
  const one = upsert('n1', 'same');
  const choices = (count: number): DataChoices => ({
    target: { kind: 'baseline' },
    rows: ['notes', 'other'].map((instanceId, index) => ({
      ...{ packageId: 'notes', instanceId },
      state: Array.from({ length: Math.ceil((count - index) / 2) }, () => ({ ...one, instanceId })),
    })),
  });
  const codesOf = async (count: number) => (await compile(t, {}, choices(count))).diagnostics.map(({ code }) => code);
  assert.deepEqual(await codesOf(limits.startRowsMax), []);
  assert.deepEqual(await codesOf(limits.startRowsMax + 1), ['DY2006']);
});
