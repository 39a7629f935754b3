// docs/files.md, docs/files/ and docs/schemas/: what the contract says, with a line and an example for every field; and the schemas take
// what the compiler takes.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { readServeFile } from '../../src/cli/serve-file.js';
import { settingFields } from '../../src/cli/serve-settings.js';
import { compileProject } from '../../src/compiler/compile.js';
import { limits } from '../../src/contract/limits.js';
import { inOneOrder, type Shapes } from '../../src/contract/shape.js';
import { layShapes } from '../../src/contract/shape-refine.js';
import { shapeRules } from '../../src/contract/validate/shape-rules.js';
import { shapes } from '../../src/contract/validate/validators.js';
import { runDrills } from '../../src/index.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { makeReference } = (await import(new URL('../../../scripts/reference.mjs', import.meta.url).href)) as {
  makeReference(from: { shapes: Shapes; settings: ReturnType<typeof settingFields>; limits: object; rules: typeof shapeRules }): {
    [path: string]: string;
  };
};
const settings = settingFields();
const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
const schemaNames = readdirSync(join(root, 'docs/schemas')).map((name) => name.replace('.schema.json', ''));
const schemas = new Map(
  schemaNames.map((name) => [name, JSON.parse(readFileSync(join(root, `docs/schemas/${name}.schema.json`), 'utf8')) as object]),
);
const checks = new Map<string, ValidateFunction>([...schemas].map(([name, schema]) => [name, ajv.compile(schema)]));
const check = (kind: string, value: unknown): boolean => checks.get(kind)?.(value) ?? assert.fail(`no schema of ${kind}`);
/** The schema that a file of a repository is held against. */
function kindOf(file: string): string | undefined {
  const name = basename(file);
  if (name === 'drillyard.json') return 'drillyard';
  return /^(world|starter|serve)\.yaml$/.exec(name)?.[1] ?? /\.(drill|scenario|suite|target|tool)\.yaml$/.exec(name)?.[1];
}
/** Every authored file below a folder, with its kind. */
function filesBelow(folder: string): { file: string; kind: string; value: unknown }[] {
  const names = (readdirSync(join(root, folder), { recursive: true }) as string[]).filter(
    (file) => !/(^|\/)(node_modules|\.service)\//.test(file),
  );
  return names.sort().flatMap((file) => {
    const text = () => readFileSync(join(root, folder, file), 'utf8');
    if (basename(file) === 'package.json') {
      const { drillyard } = JSON.parse(text()) as { drillyard?: unknown };
      return drillyard === undefined ? [] : [{ file, kind: 'package', value: drillyard }];
    }
    const kind = kindOf(file);
    return kind === undefined ? [] : [{ file, kind, value: parse(text(), { maxAliasCount: -1 }) as unknown }];
  });
}

test('the reference is what the contract makes it, and a field that nobody explains is refused', () => {
  for (const [path, text] of Object.entries(makeReference({ shapes: inOneOrder(shapes), settings, limits, rules: shapeRules })))
    assert.equal(readFileSync(join(root, path), 'utf8'), text, `${path}: npm run reference`);
  const { SuiteInput } = shapes;
  const more = {
    ...shapes,
    SuiteInput: { ...SuiteInput, properties: { ...SuiteInput?.properties, patience: { type: 'integer' as const } } },
  };
  assert.throws(() => makeReference({ shapes: inOneOrder(more), settings, limits, rules: shapeRules }), /SuiteInput\.patience/);
});

test('the JSON Schemas take every file of the examples, the library and the reference, and both forms of a time; they refuse what is misspelled', () => {
  const all = ['examples', 'library', 'docs/files'].flatMap(filesBelow);
  for (const { file, kind, value } of all) assert.ok(check(kind, value), `${file}: ${JSON.stringify(checks.get(kind)?.errors)}`);
  assert.deepEqual([...new Set(all.map(({ kind }) => kind))].sort(), [...schemaNames].sort());
  const world = (more: object): boolean => check('world', { $schema: 'x', schemaVersion: 1, id: 'w', ...more });
  const taken = [{ seed: 1 }, { seed: '1' }, { virtualTimeUs: '2026-01-05T09:00:00Z' }, { virtualTimeUs: 5 }, { virtualTimeUs: '2d' }];
  for (const more of taken) assert.ok(world(more), JSON.stringify(more));
  const refused = [{ sed: 1 }, { virtualTimeUs: 'soon' }, { seed: -1 }, { actors: [{ id: 'A b' }] }];
  for (const more of refused) assert.ok(!world(more), JSON.stringify(more));
});

interface Described {
  properties?: { [member: string]: Described };
  items?: Described;
}
/** `count`, `require.passRate`, `errors[].code`: the members that a shape declares, or that `value` has of them. */
function membersOf(schema: Described, value?: unknown): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const [inner, suffix] = member.items === undefined ? [member, ''] : [member.items, '[]'];
    if (value === undefined) return [name, ...membersOf(inner).map((deeper) => `${name}${suffix}.${deeper}`)];
    const met = (value as { [name: string]: unknown })[name];
    if (met === undefined) return [];
    const values = member.items === undefined ? [met] : (met as unknown[]);
    return [name, ...values.flatMap((one) => membersOf(inner, one)).map((deeper) => `${name}${suffix}.${deeper}`)];
  });
}
/** Of each kind of file, the shapes that it is made of; all are objects. */
const shapesOf = (kind: string): [string, Described][] => {
  const { $ref = '', $defs = {} } = schemas.get(kind) as { $ref?: string; $defs?: { [name: string]: Described } };
  assert.ok($ref.length > 0 || kind === 'serve', kind);
  return Object.keys($defs).flatMap((name) => {
    const shape = shapes[name] as Described | undefined;
    return shape?.properties === undefined ? [] : [[name, shape] as [string, Described]];
  });
};

test('every member of every file has its line on the page', () => {
  const page = readFileSync(join(root, 'docs/files.md'), 'utf8');
  const sections = new Map(page.split(/^#{2,3} /m).map((text) => [text.slice(0, text.indexOf('\n')), text]));
  const titles: { [root: string]: string } = {
    RootFile: 'drillyard.json',
    WorldInput: 'world.yaml',
    ScenarioInput: '*.scenario.yaml',
    TargetDocumentInput: '*.target.yaml',
    SuiteInput: '*.suite.yaml',
    ToolPackageFile: '*.tool.yaml',
    ToolStarter: 'the `starter` of a package',
    ToolPackField: '`drillyard` in a package.json',
  };
  let lines = 0;
  for (const kind of schemaNames)
    for (const [name, shape] of shapesOf(kind))
      for (const member of membersOf(shape)) {
        const section = sections.get(titles[name] ?? name.replace(/Input$/, '')) ?? assert.fail(`no section of ${name}`);
        assert.match(
          section,
          new RegExp(`^\\| \`${member.replace(/[[\].]/g, '\\$&')}\` \\| .+ \\|.*\\| .+ \\|$`, 'm'),
          `${name}.${member}`,
        );
        lines++;
      }
  for (const { name } of settings) assert.ok(sections.get('serve.yaml')?.includes(`\n| \`${name}\` |`), name);
  assert.ok(lines > 400, `${lines} members`);
});

test('every member is in an example of the page, which is a repository that compiles and whose drills pass', async () => {
  const examples = filesBelow('docs/files');
  const met = new Set<string>();
  for (const { kind, value } of examples) {
    const root = (schemas.get(kind) as { $ref?: string }).$ref?.replace('#/$defs/', '');
    const wanted = shapesOf(kind).map(([name]) => name);
    if (root === undefined) continue;
    const walk = layShapes(shapes, wanted)(root) ?? assert.fail(`${kind} has no shape`);
    walk(value, '', (name, found) => {
      for (const member of membersOf(shapes[name] as Described, found)) met.add(`${name}.${member}`);
    });
  }
  const declared = schemaNames.flatMap((kind) =>
    shapesOf(kind).flatMap(([name, shape]) => membersOf(shape).map((member) => `${name}.${member}`)),
  );
  assert.deepEqual([...new Set(declared)].filter((member) => !met.has(member)).sort(), []);
  const serve = join(root, 'docs/files/serve.yaml');
  assert.deepEqual(readServeFile(serve).problems, []);
  const set = Object.keys(parse(readFileSync(serve, 'utf8')) as object).filter((name) => name !== 'schemaVersion');
  assert.deepEqual(set.sort(), settings.map(({ name }) => name).sort());

  const copy = mkdtempSync(join(tmpdir(), 'drillyard-files-'));
  try {
    cpSync(join(root, 'docs/files'), copy, { recursive: true, filter: (path) => !path.includes('.service') });
    const { diagnostics } = await compileProject({ root: copy });
    assert.deepEqual(diagnostics, []);
    const { verdict, drills } = await runDrills({ root: copy });
    assert.equal(verdict, 'passed', JSON.stringify(drills));
    // And each of them may name its schema by a member; of a package that is pinned, that is another text.
    const rootFile = join(copy, 'drillyard.json');
    writeFileSync(rootFile, readFileSync(rootFile, 'utf8').replace(/"toolPins": \{.*?\n {2}\},/s, ''));
    for (const { file, kind } of examples) {
      const path = join(copy, file);
      const text = readFileSync(path, 'utf8');
      if (kind === 'package') writeFileSync(path, text.replace('"drillyard": {', '"drillyard": { "$schema": "x",'));
      else if (path.endsWith('.yaml')) writeFileSync(path, `$schema: x\n${text}`);
    }
    assert.deepEqual((await compileProject({ root: copy })).diagnostics, []);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
