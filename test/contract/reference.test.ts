// docs/reference.md and docs/schemas/: what the contract says, with a line for every field; and the schemas take what the compiler takes.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { settingFields } from '../../src/cli/serve-settings.js';
import { inOneOrder, type Shapes } from '../../src/contract/shape.js';
import { shapes } from '../../src/contract/validators.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { makeReference } = (await import(new URL('../../../scripts/reference.mjs', import.meta.url).href)) as {
  makeReference(shapes: Shapes, settings: ReturnType<typeof settingFields>): { [path: string]: string };
};

test('the reference is what the contract makes it, and a field that nobody explains is refused', () => {
  for (const [path, text] of Object.entries(makeReference(inOneOrder(shapes), settingFields())))
    assert.equal(readFileSync(join(root, path), 'utf8'), text, `${path}: npm run reference`);
  const { SuiteInput } = shapes;
  const more = {
    ...shapes,
    SuiteInput: { ...SuiteInput, properties: { ...SuiteInput?.properties, patience: { type: 'integer' as const } } },
  };
  assert.throws(() => makeReference(inOneOrder(more), settingFields()), /SuiteInput\.patience/);
});

test('the JSON Schemas take every file of the examples and the library, and both forms of a time; they refuse what is misspelled', () => {
  const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
  const checks = new Map<string, ValidateFunction>();
  for (const name of readdirSync(join(root, 'docs/schemas'))) {
    const schema = JSON.parse(readFileSync(join(root, 'docs/schemas', name), 'utf8')) as object;
    checks.set(name.replace('.schema.json', ''), ajv.compile(schema));
  }
  const check = (kind: string, value: unknown): boolean => checks.get(kind)?.(value) ?? assert.fail(`no schema of ${kind}`);
  const kindOf = (file: string): string | undefined => {
    const name = basename(file);
    if (name === 'drillyard.json') return 'drillyard';
    return /^(world|starter)\.yaml$/.exec(name)?.[1] ?? /\.(drill|scenario|suite|target|tool)\.yaml$/.exec(name)?.[1];
  };
  const seen = new Set<string>();
  for (const folder of ['examples', 'library'])
    for (const file of readdirSync(join(root, folder), { recursive: true }) as string[]) {
      const kind = /(^|\/)(node_modules|\.service)\//.test(file) ? undefined : kindOf(file);
      if (kind === undefined) continue;
      seen.add(kind);
      assert.ok(
        check(kind, parse(readFileSync(join(root, folder, file), 'utf8'), { maxAliasCount: -1 })),
        `${file}: ${JSON.stringify(checks.get(kind)?.errors)}`,
      );
    }
  assert.deepEqual([...seen].sort(), ['drill', 'drillyard', 'scenario', 'starter', 'suite', 'target', 'tool', 'world']);
  const world = (more: object): boolean => check('world', { $schema: 'x', schemaVersion: 1, id: 'w', ...more });
  const taken = [{ seed: 1 }, { seed: '1' }, { virtualTimeUs: '2026-01-05T09:00:00Z' }, { virtualTimeUs: 5 }, { virtualTimeUs: '2d' }];
  for (const more of taken) assert.ok(world(more), JSON.stringify(more));
  const refused = [{ sed: 1 }, { virtualTimeUs: 'soon' }, { seed: -1 }, { actors: [{ id: 'A b' }] }];
  for (const more of refused) assert.ok(!world(more), JSON.stringify(more));
});
