import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import { sha256Digest } from '../../src/contract/digest.js';
import type { ServiceError } from '../../src/contract/errors.js';
import { CompileWorkers } from '../../src/control/tasks/compile-port.js';
import { type Files, folder, sound } from '../compiler/repository.js';

const workers = new CompileWorkers({ workers: 1 });
after(() => workers.close());

async function compile(t: TestContext, changes: Files = {}) {
  const { compiled, diagnostics } = await workers.compile({ root: folder(t, { ...sound, ...changes }) });
  return {
    compiled,
    diagnostics,
    text: JSON.stringify(diagnostics),
    everything: Buffer.concat([compiled?.build ?? Buffer.alloc(0), compiled?.view ?? Buffer.alloc(0)]).toString(),
  };
}

test('sound source compiles to a build that can be verified, and nothing else can', async (t) => {
  const { compiled } = await compile(t);
  const { summary, build } = compiled!;
  assert.deepEqual([summary.worldId, summary.drillIds, summary.scenarioIds], ['shop', ['add'], ['busy']]);
  assert.equal(await workers.verify(summary, build), true);
  const changed = Buffer.from(Buffer.from(build).toString().replace('"first"', '"other"'));
  assert.equal(await workers.verify(summary, changed), false);
});

/** One of each thing that a build has, and another to take its place. */
const everything: Files = {
  'drillyard/tags.tool.yaml': `schemaVersion: 1
manifest:
  schemaVersion: 1
  id: tags
  version: 1.0.0
  engine: ">=0.1.0"
  capabilities: [state.read, state.write]
  state: [{ namespace: tags, schema: { type: object, properties: { name: { type: string } } } }]
  operations: []
`,
  'drillyard/calm.scenario.yaml': 'schemaVersion: 1\nid: calm\ntoolOverrides: []\n',
  'drillyard/inline.drill.yaml': `schemaVersion: 1
id: inline
targetId: agent
inlineScenario:
  title: Alone
  actors: [{ id: ann, grants: [{ packageId: notes, operationId: notes.add }] }]
  state: [{ action: upsert, packageId: notes, namespace: notes, rowId: n9, value: { text: ninth } }]
toolOverrides:
  - { id: no, operation: { packageId: notes, operationId: notes.add }, outcome: { kind: return, value: { id: n1 } } }
actorId: ann
task: { instruction: Add a note. }
assertions:
  - { id: added, kind: operation.count, operation: { packageId: notes, operationId: notes.add }, count: { equals: 1 } }
`,
};

// BUILD-SOUNDNESS-1
test('no part of a build can be replaced under its hash', { timeout: 60_000 }, async (t) => {
  const { compiled, text } = await compile(t, everything);
  assert.ok(compiled, text);
  const { summary, build } = compiled;
  assert.equal(await workers.verify(summary, build), true);
  type Packed = ReturnType<typeof JSON.parse>;
  const tool = ({ tools }: Packed, id: string) => tools.find(({ packageId }: { packageId: string }) => packageId === id);
  const replaced: { [what: string]: (packed: Packed) => void } = {
    'its own hash': (packed) => {
      packed.buildHash = packed.packageLockHash;
    },
    'the hash of its packages': (packed) => {
      packed.packageLockHash = packed.buildHash;
    },
    code: (packed) => {
      tool(packed, 'notes').behavior.code += ' ';
    },
    'code and its hash': (packed) => {
      const code = '() => ({ operations: {} })';
      tool(packed, 'notes').behavior = { code, codeHash: sha256Digest(code) };
    },
    'code, by none': (packed) => {
      tool(packed, 'notes').behavior = null;
    },
    'no code, by its manifest': (packed) => {
      const code = canonicalJson(tool(packed, 'tags').manifest);
      tool(packed, 'tags').behavior = { code, codeHash: sha256Digest(code) };
    },
    'an input schema': (packed) => {
      tool(packed, 'notes').manifest.operations[0].inputSchema = {};
    },
    capabilities: (packed) => {
      tool(packed, 'notes').manifest.capabilities = ['state.read'];
    },
    'the fidelity of a declarative tool': (packed) => {
      tool(packed, 'tags').manifest.operations[0].fidelity = 'Exact.';
    },
    'the id of a tool': (packed) => {
      tool(packed, 'tags').packageId = 'labels';
    },
    'the version of a tool': (packed) => {
      tool(packed, 'tags').version = '2.0.0';
    },
    'the digest of state schemas': (packed) => {
      tool(packed, 'notes').stateSchemaDigest = packed.buildHash;
    },
    'the order of tools': (packed) => void packed.tools.reverse(),
    'the order of scenarios': (packed) => void packed.scenarios.reverse(),
    'rows of the world': (packed) => {
      packed.world.state = [];
    },
    'rows of a scenario': (packed) => {
      packed.scenarios[0].scenario.state = [];
    },
    'actors of a scenario': (packed) => {
      packed.scenarios[0].scenario.actors = [{ id: 'eve', attributes: {}, grants: [] }];
    },
    'the title of a scenario': (packed) => {
      packed.scenarios[0].scenario.title = 'Other';
    },
    'an inline scenario': (packed) => {
      packed.drills[1].drill.inlineScenario.state = [];
    },
    'overrides of a drill': (packed) => {
      packed.drills[1].drill.toolOverrides = [];
    },
    'the scenario of a drill': (packed) => {
      packed.drills[0].drill.scenarioId = 'calm';
    },
    'a scenario that a drill names, by none': (packed) => {
      packed.drills[0].drill.scenarioId = 'nothing';
    },
    'an assertion': (packed) => {
      packed.drills[0].drill.assertions[0].count = { equals: 0 };
    },
    'a target': (packed) => {
      packed.targets[0].timeoutMs += 1;
    },
    'a suite': (packed) => {
      packed.suites[0].tags = [];
    },
    'how agents are spoken to': (packed) => {
      packed.compat.dialect = 'other';
    },
    'rows of all setups': (packed) => {
      packed.patches[0].value = { text: 'other' };
    },
    'the setup of the baseline': (packed) => {
      packed.baseline.setupHash = packed.drills[1].setupHash;
    },
    'the setup of a scenario': (packed) => {
      packed.scenarios[0].setupHash = packed.baseline.setupHash;
    },
    'the setup of a drill': (packed) => {
      packed.drills[0].setupHash = packed.drills[1].setupHash;
    },
    'the content of a setup': (packed) => {
      packed.setups[packed.baseline.setupHash].actors = [];
    },
    'the hash of a setup': (packed) => {
      packed.setups[packed.buildHash] = packed.setups[packed.baseline.setupHash];
      packed.baseline.setupHash = packed.buildHash;
    },
    'a member that nobody knows': (packed) => {
      packed.world.other = true;
    },
  };
  const passed: string[] = [];
  for (const [what, replace] of Object.entries(replaced)) {
    const packed: Packed = JSON.parse(Buffer.from(build).toString());
    replace(packed);
    if (await workers.verify(summary, Buffer.from(JSON.stringify(packed)))) passed.push(what);
  }
  assert.deepEqual(passed, []);
  const summaries: (typeof summary)[] = [
    { ...summary, worldId: 'other' },
    { ...summary, packageLockHash: summary.buildHash },
    { ...summary, drillIds: [] },
    { ...summary, tools: summary.tools.slice(1) },
  ];
  for (const other of summaries) assert.equal(await workers.verify(other, build), false);
});

test('source of strangers reaches nothing outside of its root', async (t) => {
  const behavior = (specifier: string): Files => ({
    'drillyard/notes.ts': `import secret from ${JSON.stringify(specifier)};\nexport default { operations: { 'notes.add': () => ({ secret }) } };\n`,
  });
  const here = `file://${process.cwd()}/package.json`;
  const imports = [
    '../../../../../../etc/passwd',
    '/etc/passwd',
    'file:///etc/passwd',
    here,
    'node:fs',
    'fs',
    'yaml',
    'data:text/javascript,export default 1',
    'https://example.com/x.js',
    '../../package.json',
  ];
  for (const specifier of imports) {
    const { compiled, text } = await compile(t, behavior(specifier));
    assert.equal(compiled, undefined, specifier);
    assert.match(text, /DY600[128]/, specifier);
    assert.doesNotMatch(text, /root:x|"lockfileVersion"/, specifier);
  }
  const paths: Files[] = [
    { 'drillyard.json': '{ "schemaVersion": 1, "sourceRoot": "../../../../etc" }' },
    { 'drillyard.json': '{ "schemaVersion": 1, "sourceRoot": "/etc" }' },
    { 'drillyard.json': '{ "schemaVersion": 1, "world": "../../../../../etc/passwd" }' },
    { 'drillyard/notes.tool.yaml': sound['drillyard/notes.tool.yaml'].replace('./notes.ts', '../../../../../../etc/passwd') },
    { 'drillyard/notes.tool.yaml': sound['drillyard/notes.tool.yaml'].replace('./notes.ts', '/etc/passwd') },
    {
      'drillyard/agent.target.yaml':
        'schemaVersion: 1\ntarget: { id: agent, kind: module, module: ../../../etc/passwd, bindings: [direct], timeoutMs: 1000 }\n',
    },
  ];
  for (const changes of paths) assert.match((await compile(t, changes)).text, /DY(1008|1010|1009|6001|6008)/, JSON.stringify(changes));
});

test('tool packages are folders of the source and packages of the library, whatever is installed beside', async (t) => {
  const installed = 'node_modules/yaml';
  for (const name of [
    'yaml',
    '@biomejs/biome',
    '../other',
    './../other',
    '..',
    '/etc',
    'library:../bin',
    'library:',
    'library:..',
    `./${'../'.repeat(9)}etc`,
  ]) {
    const { compiled, text } = await compile(t, {
      'drillyard.json': JSON.stringify({ schemaVersion: 1, toolPackages: [name] }),
      [`${installed}/package.json`]: '{}',
    });
    assert.equal(compiled, undefined, name);
    assert.match(text, /DY5001/, name);
  }
  const toolPackages = ['library:ticket-desk', './tools/extra'];
  const extra = sound['drillyard/notes.tool.yaml']
    .replaceAll('id: notes\n', 'id: extra\n')
    .replace('module: ./notes.ts\n', '')
    .replace(/ {2}(operations|events|subscriptions|faults):[\s\S]*/, '');
  const { compiled, text } = await compile(t, {
    'drillyard.json': JSON.stringify({ schemaVersion: 1, toolPackages }),
    'tools/extra/extra.tool.yaml': extra,
  });
  assert.deepEqual(
    compiled?.summary.tools.map(({ packageId }) => packageId),
    ['extra', 'notes', 'ticket-desk'],
    text,
  );
});

test('a tsconfig of the source is not read, and a link that somebody put into the folder is not followed', async (t) => {
  const { compiled } = await compile(t);
  const hostile = '{ "extends": "/etc/passwd", "compilerOptions": { "target": "es3", "paths": { "*": ["/etc/*"] } } }';
  const beside = await compile(t, { 'tsconfig.json': hostile, 'drillyard/tsconfig.json': hostile });
  assert.equal(beside.compiled?.summary.buildHash, compiled?.summary.buildHash);
  const root = folder(t, { ...sound, 'drillyard/clean.ts': null });
  symlinkSync('/etc/passwd', join(root, 'drillyard/clean.ts'));
  mkdirSync(join(root, 'pack'));
  writeFileSync(join(root, 'drillyard.json'), '{ "schemaVersion": 1, "toolPackages": ["./linked"] }');
  symlinkSync('/etc', join(root, 'linked'));
  const { diagnostics } = await workers.compile({ root });
  assert.deepEqual([...new Set(diagnostics.map(({ code }) => code))].sort(), ['DY1007', 'DY5001', 'DY6008']);
});

test('what takes too long or too much memory ends alone; the next one compiles', async (t) => {
  const large = `schemaVersion: 1\nid: shop\nstate:\n${'  - { action: upsert, packageId: notes, namespace: notes, rowId: n1, value: { text: first } }\n'.repeat(30_000)}`;
  const source = { ...sound, 'drillyard/world.yaml': large };
  // It takes many times as long. One that waits for a processor for five times its limit is refused as unavailable instead.
  const slow = new CompileWorkers({ workers: 1, timeoutMs: 40 });
  t.after(() => slow.close());
  await assert.rejects(
    slow.compile({ root: folder(t, source), projectId: 'prj_1' }),
    (error: ServiceError) =>
      error.code === 'control.SOURCE_INVALID' && /^Compiling the source took more than 0.04 s\.$/.test(error.message),
  );
  const small = new CompileWorkers({ workers: 1, heapMb: 24 });
  t.after(() => small.close());
  await assert.rejects(small.compile({ root: folder(t, source) }), (error: ServiceError) => {
    assert.equal(error.code, 'control.SOURCE_INVALID', error.stack);
    return /too much memory/.test(error.message);
  });
  await small.checkRows([{ namespace: 'a', schema: true }], []);
});

test('a source is written to the disk when its turn has come: one that waits, or is refused, was not', async (t) => {
  const one = new CompileWorkers({ workers: 1, waitingMax: 1 });
  t.after(() => one.close());
  const root = folder(t, sound);
  const laidOut: string[] = [];
  let go = () => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const compileFor = (name: string) =>
    one.compile({
      projectId: 'prj_1',
      root: async () => {
        laidOut.push(name);
        await gone;
        return root;
      },
    });
  const [first, second] = [compileFor('first'), compileFor('second')];
  await assert.rejects(compileFor('third'), { code: 'control.RATE_LIMITED' });
  assert.deepEqual(laidOut, ['first']);
  go();
  assert.ok((await Promise.all([first, second])).every(({ compiled }) => compiled !== undefined));
  assert.deepEqual(laidOut, ['first', 'second']);
  await assert.rejects(one.compile({ root: () => Promise.reject(new Error('no space')) }), /no space/);
  assert.ok((await one.compile({ root })).compiled);
});

test('an abort ends a compile, waiting or running, and closing ends all', async (t) => {
  const one = new CompileWorkers({ workers: 1 });
  const root = folder(t, sound);
  const [first, second] = [new AbortController(), new AbortController()];
  const running = one.compile({ root, signal: first.signal });
  const waiting = one.compile({ root, signal: second.signal });
  const third = one.compile({ root });
  const ended = Promise.allSettled([running, waiting]);
  second.abort();
  first.abort();
  assert.deepEqual(
    (await ended).map((result) => result.status === 'rejected' && (result.reason as Error).name),
    ['AbortError', 'AbortError'],
  );
  assert.ok((await third).compiled);
  await assert.rejects(one.compile({ root, signal: AbortSignal.abort() }), { name: 'AbortError' });
  const last = assert.rejects(one.compile({ root }), { code: 'control.UNAVAILABLE' });
  await one.close();
  await last;
  await assert.rejects(one.compile({ root }), { code: 'control.UNAVAILABLE' });
});
