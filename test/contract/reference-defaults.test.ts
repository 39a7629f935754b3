// The default column of docs/files.md: what a field that is left out becomes in the code that reads the file.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { McpToolCatalog } from '../../src/bindings/mcp-tools.js';
import { credentialsIn } from '../../src/bindings/wire-credential.js';
import { inlineSetup } from '../../src/compiler/setups.js';
import type { AssertionInput } from '../../src/contract/run/assertion.js';
import type { DrillInput } from '../../src/contract/run/drill.js';
import type { TargetInput } from '../../src/contract/run/target.js';
import * as defaults from '../../src/contract/validate/defaults.js';
import { shapes } from '../../src/contract/validate/validators.js';
import type { ToolManifestInput } from '../../src/contract/world/tool-manifest.js';
import type { ServerRequest } from '../../src/http/server.js';
import { buildWith } from '../compiler/repository.js';

interface Row {
  section: string;
  /** `trials.count` */
  field: string;
  fallback: string;
}
const page = readFileSync(new URL('../../../docs/files.md', import.meta.url), 'utf8');
const rows: Row[] = page.split(/^#{2,3} /m).flatMap((text) => {
  const section = text.slice(0, text.indexOf('\n'));
  return [...text.matchAll(/^\| `([\w.[\]]+)` \| .+? \| (.*?) \| .* \|$/gm)].map(([, field = '', fallback = '']) => ({
    section,
    field,
    fallback,
  }));
});

/** Of these nothing is filled in: the code that reads the field knows what its absence means. */
const absent = new Set([
  'the one that has the id of the package',
  'the only one',
  'any',
  'of any',
  'anybody',
  'every row',
  'every one',
  'always',
  'from the start',
  'for ever',
  'all',
  'at least once',
  "the world's",
  "the world's own start",
  "each drill's own",
  'the repository',
  "the operation's",
  'what the declaration says, else false',
  'none, and the tool is declarative',
  'as a plain tool',
  'one text, the value',
  '`packageId.operationId`',
  'the id of the world',
  'the first active environment of the project',
  'the only project of the credential',
]);
/** Words for a value that has nothing in it. */
const empty = new Set(['none', 'nothing']);
const phrases: { [words: string]: unknown } = {
  'the whole value': [],
  'one trial, which must pass': { count: 1, classification: 'contract' },
  'main, the one of the short form': 'main',
};

const drill = { schemaVersion: 1, id: 'd', targetId: 't', assertions: [] };
const longDrill = (more: object, timeline: object = {}) =>
  defaults.materializeDrill({ ...drill, ...more, timeline } as unknown as DrillInput);
const target = (kind: string) => defaults.materializeTarget({ kind } as TargetInput);
const manifest = { schemaVersion: 1, id: 'm', version: '1.0.0', engine: '*' } as ToolManifestInput;
/** Each section of the page, made of the least that may be written. */
const made: { [section: string]: object | undefined } = {
  'drillyard.json': defaults.materializeRootFile({ schemaVersion: 1 }),
  'world.yaml': defaults.materializeWorld({ schemaVersion: 1, id: 'w' }),
  '*.scenario.yaml': defaults.materializeScenario({ schemaVersion: 1, id: 's' }),
  InlineScenario: inlineSetup(longDrill({ inlineScenario: {} }).inlineScenario ?? assert.fail()),
  ScenarioActor: defaults.materializeWorld({ schemaVersion: 1, id: 'w', actors: [{ id: 'a' }] }).actors[0],
  ModuleTarget: target('module'),
  CommandTarget: target('command'),
  HttpTarget: target('http'),
  LongDrill: longDrill({}),
  ShortDrill: defaults.materializeDrill({ ...drill, actorId: 'a', task: { instruction: 'x' } } as unknown as DrillInput),
  Timeline: longDrill({}).timeline,
  Trials: longDrill({}).trials,
  CapturePolicies: longDrill({}).capture,
  Interaction: longDrill({}, { interactions: [{ id: 'i', actorId: 'a', task: { instruction: 'x' } }] }).timeline.interactions[0],
  Workload: longDrill({}, { workloads: [{ id: 'w', actorIds: ['a'], everyUs: 1, occurrences: 1, task: { instruction: 'x' } }] }).timeline
    .workloads[0],
  '*.suite.yaml': defaults.materializeSuite({ schemaVersion: 1, id: 's' }),
  ToolManifest: defaults.materializeManifest(manifest),
  ...Object.fromEntries(
    Object.entries(shapes).flatMap(([name, { properties }]) => {
      const kind = properties?.kind?.const;
      if (!name.endsWith('AssertionInput') || typeof kind !== 'string') return [];
      return [[name.replace(/Input$/, ''), defaults.materializeAssertion({ kind } as AssertionInput)]];
    }),
  ),
};

function memberOf(value: unknown, field: string): unknown {
  return field.split('.').reduce<unknown>((inner, name) => (inner as { [name: string]: unknown } | undefined)?.[name], value);
}
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === 'off') return true;
  return typeof value === 'object' && value !== null && Object.values(value).every(isEmpty);
}
/** What the words of the page stand for. */
function meantBy(words: string): unknown {
  if (Object.hasOwn(phrases, words)) return phrases[words];
  try {
    return JSON.parse(words);
  } catch {
    return words;
  }
}

test('a field that is left out becomes what the reference says', async (t) => {
  // The settings of a service come from a table of their own, which cli/serve-settings.test.ts holds the docs against.
  const reported = rows.filter(({ section, fallback }) => section !== 'serve.yaml' && fallback !== '' && fallback !== '*required*');
  assert.ok(reported.length > 100, `the page has ${reported.length} defaults`);
  const elsewhere: string[] = [];
  for (const { section, field, fallback } of reported) {
    const value = memberOf(made[section], field);
    const at = `${section} ${field}: ${fallback}`;
    if (absent.has(fallback)) assert.equal(value, undefined, at);
    else if (empty.has(fallback)) assert.ok(isEmpty(value), `${at}, not ${JSON.stringify(value)}`);
    else if (made[section] === undefined) elsewhere.push(at);
    else assert.deepEqual(value, meantBy(fallback), at);
  }
  assert.deepEqual(elsewhere, [
    'RouteCors credentials: false',
    'RouteCors headers: each that is asked for',
    'DeclaredError retryable: false',
    'ToolMcp structured: true',
    'BearerAuth schemes: Bearer',
    'the `starter` of a package virtualTimeUs: 0',
  ]);
  const [tool] = (await buildWith(t)).tools;
  assert.deepEqual(tool?.manifest.operations[0]?.declaredErrors, [{ code: 'TAKEN', retryable: false }]);
  const item = {
    packageId: 'p',
    instanceId: 'p',
    operationId: 'o',
    inputSchema: {},
    outputSchema: {},
    declaredErrors: [],
    idempotency: 'none' as const,
  };
  const [plain, text] = [{}, { structured: false }].map((mcp) =>
    new McpToolCatalog([{ ...item, mcp }], { mayWait: false }).page(undefined),
  );
  assert.ok(JSON.stringify(plain).includes('outputSchema') && !JSON.stringify(text).includes('outputSchema'));
  const asking = (scheme: string) =>
    ({ headers: new Map([['authorization', `${scheme} secret`]]), repeatedHeaders: new Map() }) as unknown as ServerRequest;
  assert.deepEqual(
    [credentialsIn({ kind: 'bearer' }, asking('bearer'), { query: {} }), credentialsIn({ kind: 'bearer' }, asking('token'), { query: {} })],
    [['secret'], []],
  );
});

test('a value that is filled in is in the reference', () => {
  const silent = rows.flatMap(({ section, field, fallback }) => {
    const value = memberOf(made[section], field);
    return fallback === '' && value !== undefined && field !== 'kind' ? [`${section} ${field}: ${JSON.stringify(value)}`] : [];
  });
  assert.deepEqual(silent, []);
});
