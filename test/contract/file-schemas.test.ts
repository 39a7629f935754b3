// docs/schemas/ refuse what the compiler refuses for the shape of a file alone, so that an editor says it first.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { compileProject } from '../../src/compiler/compile.js';
import { refinements } from '../../src/contract/validate/refinements.js';
import { shapeRules } from '../../src/contract/validate/shape-rules.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
for (const name of readdirSync(join(root, 'docs/schemas')))
  ajv.addSchema(JSON.parse(readFileSync(join(root, 'docs/schemas', name), 'utf8')) as object, name);

/** Of a file of docs/files, by the JSON Pointers of what is changed. */
type Change = [file: string, what: string, changes: { [pointer: string]: unknown }];
const many = (length: number, make: (index: number) => unknown) => Array.from({ length }, (_, index) => make(index));
const drill = (what: string, changes: Change[2]): Change => ['drillyard/not-yet.drill.yaml', what, changes];
const asserted = (what: string, assertion: object): Change => drill(what, { '/assertions': [{ id: 'a', ...assertion }] });
const notes = { packageId: 'notes', namespace: 'notes' };
const tool = (what: string, changes: Change[2]): Change => ['notes/notes.tool.yaml', what, changes];
const fault = (what: string, members: object): Change =>
  tool(what, { '/manifest/faults': [{ id: 'x', appliesTo: ['note.add'], ...members }] });
const error = { code: 'DOWN', message: 'Down.', retryable: true };
const time = (index: number) => ({ id: `a${index}`, kind: 'time.reached', virtualTimeUs: 1 });

const refused: Change[] = [
  asserted('a count without a bound', { kind: 'state.count', ...notes, count: {} }),
  asserted('a count with two bounds', { kind: 'state.count', ...notes, count: { equals: 1, atLeast: 1 } }),
  asserted('a row without its namespace', { kind: 'state.unchanged', scope: [{ packageId: 'notes', rowId: 'x' }] }),
  asserted('no time', { kind: 'time.reached' }),
  asserted('two times', { kind: 'time.reached', virtualTimeUs: 1, afterStartUs: 1 }),
  asserted('one of a number', { kind: 'state.value', ...notes, rowId: 'x', path: [], comparison: 'one_of', expected: 1 }),
  asserted('a row before an insert', { kind: 'state.diff', changes: [{ change: 'insert', ...notes, before: {} }] }),
  asserted('a row after a delete', { kind: 'state.diff', changes: [{ change: 'delete', ...notes, after: {} }] }),
  asserted('what can never fail', { kind: 'state.diff', changes: [], exact: false }),
  asserted('a name of no expression', { kind: 'expr', expression: 'true', state: { 'a b': { ...notes, rowId: 'x' } } }),
  drill('101 tags', { '/tags': many(101, (index) => `t${index}`) }),
  drill('201 assertions', { '/assertions': many(201, time) }),
  drill('257 cases', { '/cases': many(257, (index) => ({ id: `c${index}` })) }),
  ['drillyard/write-it-down.drill.yaml', 'two scenarios', { '/scenarioId': 'busy' }],
  ['drillyard/errands.drill.yaml', 'a file of cases of another suffix', { '/cases/file': 'cases/errands.csv' }],
  ['drillyard/module.target.yaml', 'a binding twice', { '/target/bindings': ['http', 'http'] }],
  ['drillyard/busy.scenario.yaml', 'a time that is none', { '/virtualTimeUs': 1e21 }],
  ['drillyard/busy.scenario.yaml', '1001 actors', { '/actors': many(1001, (index) => ({ id: `a${index}` })) }],
  fault('a fault without its error', { timing: 'before' }),
  fault('a latency with an error', { timing: 'latency', latencyUs: 1, error }),
  fault('a latency without a length', { timing: 'latency' }),
  fault('a stream of another timing', { timing: 'before', error, stream: { afterEvents: 1 } }),
  fault('a drop with a delay', { appliesTo: [], timing: 'delivery', delivery: { kind: 'drop', delayUs: 1 } }),
  fault('a delay without a length', { appliesTo: [], timing: 'delivery', delivery: { kind: 'delay' } }),
  tool('a body in one way twice', { '/manifest/http/0/requestBody': ['json', 'json'] }),
  tool('any JSON beside forms', { '/manifest/http/0/requestBody': ['form', 'any_json'] }),
  tool('a credential at one place twice', { '/manifest/http/0/auth': [{ kind: 'bearer' }, { kind: 'bearer' }] }),
  tool('no credential beside one', { '/manifest/http/0/auth': [{ kind: 'bearer' }, { kind: 'none' }] }),

  tool('a resource of two kinds', { '/manifest/operations/2/mcp/content/4/resource/blob': 'aa==' }),
];
const taken: Change[] = [
  asserted('two bounds', { kind: 'state.count', ...notes, count: { atLeast: 0, atMost: 9 } }),
  asserted('one of two', { kind: 'state.value', ...notes, rowId: 'x', path: [], comparison: 'one_of', expected: [1, 2] }),
  drill('the placeholder of a case', {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: placeholders of a case
    '/cases': [{ id: 'a', values: { list: [1], count: 1 } }],
    '/assertions': [
      { id: 'a', kind: 'state.value', ...notes, rowId: 'x', path: [], comparison: 'one_of', expected: '${case.list}' },
      { id: 'b', kind: 'state.count', ...notes, count: { equals: '${case.count}' } },
    ],
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
  }),
  drill('200 assertions', { '/assertions': many(200, time) }),
];

/** The files of docs/files in a folder of their own; the packages are not pinned. */
function copyOfFiles(): string {
  const copy = mkdtempSync(join(tmpdir(), 'drillyard-schemas-'));
  cpSync(join(root, 'docs/files'), copy, { recursive: true, filter: (path) => !path.includes('.service') });
  const rootFile = join(copy, 'drillyard.json');
  const { toolPins: _, ...rest } = JSON.parse(readFileSync(rootFile, 'utf8')) as { toolPins?: unknown };
  writeFileSync(rootFile, JSON.stringify(rest));
  return copy;
}

function changed(text: string, changes: Change[2]): object {
  const document = parse(text) as { [member: string]: unknown };
  for (const [pointer, value] of Object.entries(changes)) {
    const names = pointer.split('/').slice(1);
    const last = names.pop() as string;
    const holder = names.reduce((held, name) => held[name] as typeof document, document);
    holder[last] = value;
  }
  return document;
}

test('the JSON Schemas of the files refuse what the compiler refuses for its shape, and take what it takes', async () => {
  const copy = copyOfFiles();
  try {
    const written = [...refused, ...taken].map(([file, what, changes], index) => {
      const kind = /\.(\w+)\.yaml$/.exec(file)?.[1] ?? assert.fail(file);
      const document = changed(readFileSync(join(root, 'docs/files', file), 'utf8'), changes);
      const path = `drillyard/variant-${index}.${kind}.json`;
      writeFileSync(join(copy, path), JSON.stringify(document));
      return { what, path, takes: ajv.validate(`${kind}.schema.json`, document) };
    });
    // Their ids are those of other files; of what is found, only what is wrong with a shape matters.
    const { diagnostics } = await compileProject({ root: copy });
    const misshapen = new Set(diagnostics.filter(({ code }) => code.startsWith('DY2')).map(({ file }) => file));
    assert.deepEqual(
      written.map(({ what, path, takes }) => ({ what, schemaTakes: takes, compilerTakes: !misshapen.has(path) })),
      written.map(({ what }, index) => ({ what, schemaTakes: index >= refused.length, compilerTakes: index >= refused.length })),
    );
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test('each rule of a check is in the JSON Schemas, but for those that compare two numbers', () => {
  const apart = Object.keys(refinements).filter((shape) => shapeRules[shape] === undefined);
  assert.deepEqual(apart.sort(), ['Seed', 'ToolMcp', 'TrialsInput']);
});
