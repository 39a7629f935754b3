// What was sound is not checked again, and whatever could have made it unsound is: rows, payloads, expressions, schemas, manifests.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compileWith, edited } from './repository.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-sound-'));
const given = process.env.DRILLYARD_CACHE_DIR;
before(() => {
  process.env.DRILLYARD_CACHE_DIR = join(scratch, 'cache');
});
after(() => {
  if (given === undefined) delete process.env.DRILLYARD_CACHE_DIR;
  else process.env.DRILLYARD_CACHE_DIR = given;
  rmSync(scratch, { recursive: true, force: true });
});

/** How many answers are kept of each kind of check. */
function answers(): { [kind: string]: number } {
  const [build] = readdirSync(join(scratch, 'cache', 'builds'));
  const names = readdirSync(join(scratch, 'cache', 'builds', build as string)).map((name) => name.split('-', 1)[0] as string);
  return Object.fromEntries(['expressions', 'manifest', 'start'].map((kind) => [kind, names.filter((name) => name === kind).length]));
}

const drill = 'drillyard/add.drill.yaml';
const count = 'kind: operation.count, operation: { packageId: notes, operationId: notes.add }, count: { equals: 1 }';
const rows = '{ notes: { packageId: notes, namespace: notes } }';
const expression = (text: string) => edited(drill, count, `kind: expr, expression: ${text}, state: ${rows}`);
const tool = 'drillyard/notes.tool.yaml';
const world = 'drillyard/world.yaml';

// SOUND-VALUES-1
test('what was not judged for the lack of a package is judged once nobody names it any more', async (t) => {
  const whole = expression(`'!operations.exists(call, call.operationId == "ledger.post")'`);
  const lacking = edited('drillyard.json', '{', '{ "toolPackages": ["ledger-of-nobody"],');
  const codesOf = async (files: typeof whole) => (await compileWith(t, files)).diagnostics.map(({ code }) => code);
  assert.deepEqual(await codesOf({ ...whole, ...lacking }), ['DY5001']);
  assert.ok((await codesOf(whole)).includes('DY4007'));
});

// SOUND-VALUES-1
test('each change is checked where all else was sound before, and again each time it is wrong', async (t) => {
  const whole = expression('size(state.notes) > 0');
  const first = await compileWith(t, whole);
  const kept = answers();
  assert.ok(
    Object.values(kept).every((number) => number > 0),
    JSON.stringify(kept),
  );
  const again = await compileWith(t, whole);
  assert.deepEqual([again.diagnostics, again.build?.buildHash], [first.diagnostics, first.build?.buildHash]);
  assert.deepEqual([first.diagnostics.filter(({ severity }) => severity === 'error'), answers()], [[], kept]);
  const changes: [what: string, files: ReturnType<typeof edited>, codes: string[]][] = [
    ['a row', edited(world, 'value: { text: first }', 'value: { text: 1 }'), ['DY4001']],
    ['a payload', edited(world, 'payload: { id: n1 }', 'payload: { id: 1 }'), ['DY4002']],
    ['the schema of rows', edited(tool, 'required: [text]', 'required: [text, by]'), ['DY4001']],
    ['the schema of payloads', edited(tool, 'required: [id]', 'required: [id, at]'), ['DY4002']],
    ['an expression', expression('size(state.note) > 0'), ['DY3016']],
    ['a schema that is none', edited(tool, 'outputSchema: { type: object }', 'outputSchema: { type: objekt }'), ['DY5008']],
  ];
  for (const [what, files, codes] of changes)
    for (const _ of ['first', 'again']) {
      const { diagnostics } = await compileWith(t, { ...whole, ...files });
      const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
      assert.deepEqual(errors, codes, what);
    }
  assert.deepEqual((await compileWith(t, whole)).build?.buildHash, first.build?.buildHash);
});
