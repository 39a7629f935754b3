import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { parse, stringify } from 'yaml';
import { compileProject } from '../../src/compiler/compile.js';
import { Diagnostics } from '../../src/compiler/diagnostics.js';
import { checkLists } from '../../src/compiler/list-bounds.js';
import { setupDigest } from '../../src/compiler/setups.js';
import { libraryFolder } from '../../src/compiler/shipped.js';
import { jsonDigest, sha256Digest } from '../../src/contract/digest.js';
import type { JsonValue } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import { validateProjectView } from '../../src/contract/validate/validators.js';
import { loadTool } from '../../src/tools/load.js';
import fc from '../fast-check.js';
import { buildWith, compileWith, edited, type Files, folder, lines, sound } from './repository.js';

test('a repository becomes a build and a view of it, and nothing of it was run', async (t) => {
  const { build, view, sources, diagnostics } = await compileWith(t);
  assert.deepEqual(diagnostics, []);
  assert.ok(build);
  assert.deepEqual(
    build.tools.map(({ packageId, version }) => [packageId, version]),
    [['notes', '1.0.0']],
  );
  assert.equal(view.buildHash, build.buildHash);
  assert.deepEqual(validateProjectView(JSON.parse(JSON.stringify(view))).ok, true);
  assert.deepEqual(
    view.drills.map(({ id, provenance }) => [id, provenance]),
    [['add', { file: 'drillyard/add.drill.yaml', line: 1, column: 1 }]],
  );
  assert.equal(view.drills[0]?.setupHash, build.drills[0]?.setupHash);
  const files = view.tools[0]?.implementation.files ?? [];
  assert.deepEqual(
    files.map(({ role, displayPath }) => [role, displayPath]),
    [
      ['entry', 'drillyard/notes.ts'],
      ['helper', 'drillyard/clean.ts'],
    ],
  );
  for (const { fileId, displayPath, bytes } of files) {
    const source = sources.get(fileId);
    assert.ok(source && /^src_[0-9a-f]{24}$/.test(fileId));
    assert.equal(source.content, sound[displayPath as keyof typeof sound]);
    assert.equal(source.contentHash, sha256Digest(source.content));
    assert.equal(Buffer.byteLength(source.content), bytes);
    assert.deepEqual([source.buildHash, source.artifactHash], [build.buildHash, build.tools[0]?.artifactHash]);
  }
  assert.ok(loadTool(build.tools[0] as NonNullable<(typeof build.tools)[0]>).operations.has('notes.add'));
});

// SETUPS-1
test('layers: patches append, actors replace by id and instance, faults and events add, overrides rank higher, the clock replaces', async (t) => {
  const override = (id: string) =>
    `toolOverrides: [{ id: ${id}, operation: { packageId: notes, operationId: notes.add }, outcome: { kind: original } }]\n`;
  const build = await buildWith(t, {
    'drillyard/world.yaml': `${sound['drillyard/world.yaml'].replace('state:', '  - { id: bob, attributes: { from: world } }\n  - { id: bob, instanceId: two }\nstate:')}faults: [{ packageId: notes, faultId: down }]\n${override('w')}`,
    'drillyard/busy.scenario.yaml': `${sound['drillyard/busy.scenario.yaml']}actors: [{ id: bob, attributes: { from: scenario } }, { id: eve }]\n${override('s')}initialEvents: [{ event: { packageId: notes, eventId: due }, payload: { id: n2 }, atUs: 9, actorId: eve }]\n`,
    'drillyard/add.drill.yaml': sound['drillyard/add.drill.yaml'] + override('d'),
    'drillyard/inline.drill.yaml': `${sound['drillyard/add.drill.yaml'].replace('id: add', 'id: inline').replace('scenarioId: busy', 'inlineScenario: { actors: [{ id: ann }] }')}${override('d')}`,
    'drillyard/bare.drill.yaml': sound['drillyard/add.drill.yaml'].replace('id: add', 'id: bare').replace('scenarioId: busy\n', ''),
  });
  const [add, bare, inline] = build.drills;
  const { setup } = add as NonNullable<typeof add>;
  assert.equal(setup.virtualTimeUs, 3);
  assert.deepEqual(
    setup.actors.map(({ id, instanceId, attributes }) => [id, instanceId, attributes]),
    [
      ['ann', undefined, {}],
      ['bob', undefined, { from: 'scenario' }],
      ['bob', 'two', {}],
      ['eve', undefined, {}],
    ],
  );
  assert.deepEqual(
    setup.state.map(({ action, rowId, instanceId }) => [action, rowId, instanceId]),
    [
      ['upsert', 'n1', 'notes'],
      ['delete', 'n1', 'notes'],
    ],
  );
  assert.deepEqual(setup.faults, [{ packageId: 'notes', instanceId: 'notes', faultId: 'down' }]);
  assert.deepEqual(
    setup.initialEvents.map(({ atUs, event }) => [atUs, event.instanceId]),
    [
      [5, 'notes'],
      [9, 'notes'],
    ],
  );
  assert.deepEqual(
    setup.toolOverrides.map(({ scope, rules }) => [scope, rules[0]?.id]),
    [
      ['drill', 'd'],
      ['scenario', 's'],
      ['world', 'w'],
    ],
  );
  assert.deepEqual(bare?.setup, build.baseline.setup, 'without a scenario a drill runs in the world itself');
  assert.equal(bare?.setupHash, build.baseline.setupHash);
  assert.deepEqual(
    [inline?.setup.state, inline?.setup.faults, inline?.setup.virtualTimeUs],
    [[], [], 0],
    'an inline scenario is complete by itself',
  );
  assert.deepEqual(
    inline?.setup.toolOverrides.map(({ scope }) => scope),
    ['drill'],
  );
  for (const { setup: each, setupHash } of [...build.drills, ...build.scenarios, build.baseline]) {
    assert.equal(setupHash, jsonDigest(each as unknown as JsonValue));
    assert.equal(setupHash, setupDigest(each));
  }
});

/** The same project written in another way. */
const rewrites: { [how: string]: Files } = {
  'comments and blank lines': {
    'drillyard/world.yaml': `# the shop\n\n${sound['drillyard/world.yaml'].replace('actors:', 'actors: # people')}`,
  },
  'defaults written': {
    ...edited('drillyard/world.yaml', 'id: shop', 'id: shop\nseed: "1"\nvirtualTimeUs: 0\nfaults: []'),
    ...edited(
      'drillyard/add.drill.yaml',
      'tags: [smoke]',
      'tags: [smoke]\ntrials: { count: 1, classification: contract }\ncapture: { logs: "off" }',
    ),
  },
  'the long form of a drill': {
    'drillyard/add.drill.yaml': sound['drillyard/add.drill.yaml'].replace(
      'actorId: ann\ntask: { instruction: Add a note. }',
      'timeline: { horizonUs: 0, interactions: [{ id: main, actorId: ann, task: { instruction: Add a note. } }] }',
    ),
  },
  'the default instance named': {
    ...edited('drillyard/world.yaml', 'packageId: notes, namespace', 'packageId: notes, instanceId: notes, namespace'),
    ...edited('drillyard/busy.scenario.yaml', 'packageId: notes, faultId', 'packageId: notes, instanceId: notes, faultId'),
  },
  'files moved': {
    'drillyard/add.drill.yaml': null,
    'drillyard/deep/er/anything.drill.yml': sound['drillyard/add.drill.yaml'],
    'drillyard/notes.tool.yaml': null,
    'drillyard/tools/n.tool.yaml': sound['drillyard/notes.tool.yaml'].replace('./notes.ts', '../notes.ts'),
  },
  'another source root': Object.fromEntries([
    ...Object.entries(sound)
      .filter(([path]) => path.startsWith('drillyard/'))
      .flatMap(([path, text]) => [
        [path, null],
        [path.replace('drillyard/', 'src/sim/'), text],
      ]),
    ['drillyard.json', '{"sourceRoot": "src/sim", "schemaVersion": 1, "toolPackages": [], "world": "world.yaml"}'],
  ]),
  'comments in code': edited('drillyard/notes.ts', 'export default', '// a comment\n/* another */ export default'),
};
for (const [how, changes] of Object.entries(rewrites)) {
  // SETUPS-2
  test(`equal meaning, equal build: ${how}`, async (t) => {
    assert.equal((await buildWith(t, changes)).buildHash, (await buildWith(t)).buildHash);
  });
}

const differences: { [how: string]: Files } = {
  'another row': edited('drillyard/world.yaml', 'text: first', 'text: second'),
  'another seed': edited('drillyard/world.yaml', 'id: shop', 'id: shop\nseed: "2"'),
  'another schema': edited('drillyard/notes.tool.yaml', 'required: [text]', 'required: []'),
  'other code': edited('drillyard/clean.ts', 'text.trim()', 'text'),
  'another assertion': edited('drillyard/add.drill.yaml', 'equals: 1', 'equals: 2'),
  'another target': edited('drillyard/agent.target.yaml', 'timeoutMs: 1000', 'timeoutMs: 1001'),
  'another prefix': { 'drillyard.json': '{"schemaVersion": 1, "compat": {"environmentPrefixes": ["X"]}}' },
};
for (const [how, changes] of Object.entries(differences)) {
  test(`other meaning, other build: ${how}`, async (t) => {
    assert.notEqual((await buildWith(t, changes)).buildHash, (await buildWith(t)).buildHash);
  });
}

test('equal meaning, equal build: any order of keys, YAML or JSON', async (t) => {
  const paths = (Object.keys(sound) as (keyof typeof sound)[]).filter(
    (path) => path.startsWith('drillyard/') && path.endsWith('.yaml') && path !== 'drillyard/world.yaml',
  );
  const expected = (await buildWith(t)).buildHash;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), fc.subarray(paths), async (stream, asJson) => {
      const next = () => Number(stream.next().value);
      const shuffled = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(shuffled);
        if (typeof value !== 'object' || value === null) return value;
        const entries = Object.entries(value).map(([key, member]) => ({ key, member, place: next() }));
        return Object.fromEntries(entries.sort((a, b) => a.place - b.place).map(({ key, member }) => [key, shuffled(member)]));
      };
      const changes: Files = { 'drillyard/world.yaml': stringify(shuffled(parse(sound['drillyard/world.yaml']))) };
      for (const path of paths) {
        const value = shuffled(parse(sound[path]));
        changes[path] = asJson.includes(path) ? null : stringify(value);
        if (asJson.includes(path)) changes[path.replace('.yaml', '.json')] = JSON.stringify(value);
      }
      assert.equal((await buildWith(t, changes)).buildHash, expected);
    }),
    { numRuns: 15 },
  );
});

test('a build depends on no folder and on no working directory', async (t) => {
  const root = folder(t, sound);
  const here = await compileProject({ root });
  const before = process.cwd();
  process.chdir(folder(t, {}));
  const there = await compileProject({
    root: folder(t, {
      ...sound,
      'tsconfig.json': '{"compilerOptions": {"target": "es5", "useDefineForClassFields": false}}',
      'package.json': '{"sideEffects": false}',
    }),
  });
  process.chdir(before);
  assert.deepEqual(there.build, here.build);
  assert.ok(!JSON.stringify(here.build).includes(root));
});

test('the root file may be another one, with compat for packages of another runner', async (t) => {
  const { build, diagnostics } = await compileWith(
    t,
    {
      ...edited('drillyard/agent.target.yaml', 'direct', 'http'),
      'drillyard.json': null,
      'other.json':
        '{"schemaVersion": 1, "toolPackages": ["@other/tool"], "compat": {"toolSdk": ["@other/tool-sdk"], "packageField": "other", "environmentPrefixes": ["OTHER"]}}',
      'node_modules/@other/tool/package.json':
        '{"name": "@other/tool", "other": {"layer": "tool-pack", "tool": "t.tool.json", "lifecycle": "active", "maintainer": "them"}}',
      'node_modules/@other/tool/t.tool.json': JSON.stringify({
        schemaVersion: 1,
        module: 'b.js',
        manifest: {
          schemaVersion: 1,
          id: 'theirs',
          version: '2.0.0',
          engine: '*',
          operations: [{ id: 'x', inputSchema: true, outputSchema: true, idempotency: 'none', fidelity: 'f' }],
        },
      }),
      'node_modules/@other/tool/b.js':
        "import { defineToolBehavior, ToolFailure } from '@other/tool-sdk';\nexport default defineToolBehavior({ operations: { x() { throw new ToolFailure({ code: 'X', message: 'x' }); } } });\n",
    },
    'other.json',
  );
  assert.deepEqual(lines(diagnostics), ["DY5033 node_modules/@other/tool/package.json:1:103 /other/maintainer 'maintainer' is not read"]);
  assert.deepEqual(build?.compat, { environmentPrefixes: ['OTHER'], dialect: 'other' });
  assert.deepEqual(
    build?.tools.map(({ packageId }) => packageId),
    ['notes', 'theirs'],
  );
});

test('source that does not compile still has a view, without a build, hashes or captured files', async (t) => {
  const { build, view, sources, diagnostics } = await compileWith(
    t,
    edited('drillyard/add.drill.yaml', 'targetId: agent', 'targetId: gone'),
  );
  assert.equal(build, undefined);
  assert.equal(view.buildHash, undefined);
  assert.equal(sources.size, 0);
  assert.deepEqual(view.tools[0]?.implementation.files, []);
  assert.deepEqual([view.world?.id, view.drills.length, view.scenarios.length], ['shop', 1, 1]);
  assert.deepEqual(view.diagnostics, diagnostics);
});

test('the capture says what it refused', async (t) => {
  const big = await compileWith(t, edited('drillyard/clean.ts', 'export', `// ${'x'.repeat(1024 * 1024)}\nexport`));
  assert.ok(big.build);
  assert.deepEqual(
    big.view.tools[0]?.implementation.unavailable.map(({ displayPath, reason }) => [displayPath, reason]),
    [['drillyard/clean.ts', 'file_too_large']],
  );
  const refusals: [Files, string][] = [
    [edited('drillyard/notes.ts', './clean.js', './none.js'), 'missing'],
    [{ ...edited('drillyard/notes.ts', './clean.js', './style.css'), 'drillyard/style.css': '' }, 'unsupported_type'],
    [{ ...edited('drillyard/notes.ts', './clean.js', './.secret.ts'), 'drillyard/.secret.ts': '' }, 'restricted_path'],
    [{ ...edited('drillyard/notes.ts', './clean.js', '../../outside.ts') }, 'restricted_path'],
    [{ ...edited('drillyard/notes.ts', './clean.js', './l.ts'), 'drillyard/l.ts': { link: 'clean.ts' } }, 'symlink'],
    [{ 'drillyard/clean.ts': new Uint8Array([0xc3, 0x28]) }, 'invalid_text'],
  ];
  for (const [changes, reason] of refusals) {
    const { view, build } = await compileWith(t, changes);
    assert.equal(build, undefined);
    assert.deepEqual(
      view.tools[0]?.implementation.unavailable.map((refused) => refused.reason),
      [reason],
    );
  }
});

test('the library compiles, quickly', async (t) => {
  if (!existsSync(libraryFolder())) return;
  const root = folder(t, {
    'drillyard.json': '{"schemaVersion": 1, "toolPackages": ["library:ticket-desk", "library:payments"]}',
    'drillyard/world.yaml': 'schemaVersion: 1\nid: w\n',
  });
  await compileProject({ root });
  const started = performance.now();
  const { build, diagnostics } = await compileProject({ root });
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(
    build?.tools.map(({ packageId }) => packageId),
    ['payments', 'ticket-desk'],
  );
  assert.ok(performance.now() - started < 5_000, 'warm, even on a machine that does other things');
});

test('a row, a payload and a timeline as large as they may be are taken, and one more is not', async (t) => {
  const world = 'drillyard/world.yaml';
  const text = (bytes: number) => JSON.stringify('é'.repeat(bytes / 2));
  const found = async (changes: Files) => (await compileWith(t, changes)).diagnostics.map(({ code, path }) => `${code} ${path}`);
  const row = (bytes: number) => ({
    [world]: sound[world].replace('{ text: first }', `{ "text": ${text(bytes - '{"text":""}'.length - 1)} }`),
  });
  const event = (bytes: number) => ({ [world]: sound[world].replace('{ id: n1 }', `{ "id": ${text(bytes - '{"id":""}'.length - 1)} }`) });
  const timeline = (occurrences: number) => ({
    'drillyard/long.drill.yaml': `schemaVersion: 1
id: long
targetId: agent
assertions: [{ id: late, kind: time.reached, virtualTimeUs: 1 }]
timeline:
  interactions: ${JSON.stringify(Array.from({ length: occurrences }, (_, index) => ({ id: `i${index}`, actorId: 'ann', task: { instruction: 'x' } })))}
  workloads: ${JSON.stringify(Array.from({ length: 10 }, (_, index) => ({ id: `w${index}`, actorIds: ['ann'], everyUs: 1, occurrences: 9999, task: { instruction: 'x' } })))}
`,
  });
  assert.deepEqual(await found(row(limits.rowBytesMax)), []);
  assert.deepEqual(await found(row(limits.rowBytesMax + 2)), ['DY4009 /state/0/value']);
  assert.deepEqual(await found(event(limits.eventPayloadBytesMax)), []);
  assert.deepEqual(await found(event(limits.eventPayloadBytesMax + 2)), ['DY4009 /initialEvents/0/payload']);
  assert.deepEqual(await found(timeline(10)), []);
  assert.deepEqual(await found(timeline(11)), ['DY2006 /timeline/workloads']);
});

test('lists as long as they may be are taken, and one item more is not', async (t) => {
  const drill = 'drillyard/add.drill.yaml';
  const time = (index: number) => `{ id: t${index}, kind: time.reached, afterStartUs: 0 }`;
  const asserted = (assertions: number, invariants: number) => ({
    [drill]: `schemaVersion: 1
id: add
targetId: agent
tags: [smoke]
timeline: { interactions: [{ id: main, actorId: ann, task: { instruction: Add } }], invariants: [${Array.from({ length: invariants }, (_, index) => time(index + 1_000)).join(', ')}] }
assertions: [${Array.from({ length: assertions }, (_, index) => time(index)).join(', ')}]
`,
  });
  const { world, tool } = { world: 'drillyard/world.yaml', tool: 'drillyard/notes.tool.yaml' } as const;
  const faults = (count: number) => ({
    [world]: `${sound[world]}\nfaults: [${Array.from({ length: count }, () => '{ packageId: notes, faultId: down }').join(', ')}]\n`,
  });
  const events = (count: number) => ({
    [tool]: `${sound[tool]}  compatibility: [${Array.from({ length: count }, (_, index) => index).join(', ')}]\n`,
  });
  const found = async (changes: Files) =>
    (await compileWith(t, changes)).diagnostics.filter(({ code }) => code === 'DY2006').map(({ path }) => path);
  assert.deepEqual(await found(asserted(100, 100)), []);
  assert.deepEqual(await found(asserted(100, 101)), ['/timeline/invariants']);
  assert.deepEqual(await found(asserted(201, 1)), ['/assertions']);
  assert.deepEqual(await found(faults(1_000)), []);
  assert.deepEqual(await found(faults(1_001)), ['/faults']);
  assert.deepEqual(await found(events(1_000)), []);
  assert.deepEqual(await found(events(1_001)), ['/manifest/compatibility']);
});

test('all tools together have so many wire routes, and no more', () => {
  const found = (counts: readonly number[]) => {
    const diagnostics = new Diagnostics();
    const tools = counts.map((count, tool) => {
      const http = Array.from({ length: count }, () => ({}));
      const lists = { state: [], operations: [], events: [], subscriptions: [], faults: [], callbacks: [], connections: [] };
      const document = { place: (path: string) => ({ file: `t${tool}.tool.yaml`, line: 1, column: 1, path }) };
      return { compiled: { manifest: { ...lists, compatibility: [], http } }, document } as unknown as Parameters<typeof checkLists>[2][0];
    });
    checkLists(diagnostics, { scenarios: [], drills: [], suites: [] }, tools);
    return lines(diagnostics.sorted());
  };
  const all = Array.from({ length: limits.projectRoutesMax / limits.manifestListItemsMax }, () => limits.manifestListItemsMax);
  assert.deepEqual(found(all), []);
  const said = `with these the tools have ${limits.projectRoutesMax + 1} wire routes; at most ${limits.projectRoutesMax} are taken`;
  assert.deepEqual(found([...all, 1, 1]), [`DY2006 t${all.length}.tool.yaml:1:1 /manifest/http ${said}`]);
});
