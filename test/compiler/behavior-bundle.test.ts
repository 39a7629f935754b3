import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { bundleBehavior } from '../../src/compiler/behavior-bundle.js';
import { loadTool } from '../../src/tools/load.js';
import { compiledOf, FakeWorld, manifestOf, plain } from '../tools/tool-fixture.js';
import { type Files, folder } from './repository.js';

function bundle(t: TestContext, files: Files, module = './b.ts') {
  const root = realpathSync(folder(t, files));
  return bundleBehavior({ root, toolFile: 'x.tool.yaml', module, isSdk: (name) => name === '@other/sdk' });
}
const behavior = (expression: string, before = '') =>
  `import { defineToolBehavior } from 'drillyard/tool-sdk';\n${before}\nexport default defineToolBehavior({ operations: { x: () => (${expression}) } });\n`;

async function run(t: TestContext, files: Files, module?: string): Promise<unknown> {
  const { behavior: made, findings } = await bundle(t, files, module);
  assert.deepEqual(findings, []);
  assert.ok(made);
  const compiled = { ...compiledOf(null, manifestOf(['x'])), behavior: made, artifactHash: made.codeHash };
  const result = loadTool(compiled).instantiate(new FakeWorld()).call('x', null);
  return result.kind === 'value' ? plain(result.value) : result;
}

test('TypeScript, JavaScript, JSON and helpers in folders become one function that runs', async (t) => {
  const files = {
    'b.ts': behavior(
      '[one(), two, three.n, four, E.B, new Counter().up()]',
      "import { one } from './lib/one';\nimport { two } from './lib/two.js';\nimport three from './three.json';\nimport { four } from './four';\nenum E { A, B }\nclass Counter { #n = 1; static s = 2; up(): number { return this.#n + Counter.s; } }",
    ),
    'lib/one.ts': "import { two } from '../lib/two.js'; export const one = (): number => two - 1;",
    'lib/two.ts': 'export const two: number = 2;',
    'three.json': '{"n": 3}',
    'four/index.ts': 'export const four = 4 satisfies number;',
  };
  assert.deepEqual(await run(t, files), [1, 2, 3, 4, 1, 3]);
  assert.deepEqual(
    (await bundle(t, files)).files.map(({ path, role }) => `${role} ${path}`),
    ['entry b.ts', 'helper four/index.ts', 'helper lib/one.ts', 'helper lib/two.ts', 'helper three.json'],
  );
});

test('powers are those of the realm: of numbers, of BigInts, and with an assignment', async (t) => {
  const files = {
    'b.ts': behavior(
      '[2 ** base, String(3n ** 50n), grown()]',
      'const base = -0.5; const grown = () => { let n = 3; n **= 4; return n; };',
    ),
  };
  assert.deepEqual(await run(t, files), [Math.SQRT1_2, String(3n ** 50n), 81]);
});

test('names of the language may be names of the module', async (t) => {
  assert.deepEqual(
    await run(t, {
      'b.ts': behavior('[new Map(3).n, name]', 'class Map { n: number; constructor(n: number) { this.n = n; } }\nvar name = "x";'),
    }),
    [3, 'x'],
  );
});

test('the SDK of another runner is ours, and its failures are failures', async (t) => {
  const failed = await run(
    t,
    {
      'b.js':
        "import { ToolFailure } from '@other/sdk';\nexport default { operations: { x() { throw new ToolFailure({ code: 'NO', message: 'm' }); } } };",
    },
    'b.js',
  );
  assert.equal((failed as { code: string }).code, 'NO');
});

test('a definition made with defineTool, and CommonJS, are behaviors too', async (t) => {
  assert.equal(
    await run(t, {
      'b.ts':
        "import { defineTool } from 'drillyard/tool-sdk';\nexport default defineTool({ manifest: {}, behavior: { operations: { x: () => 7 } } });",
    }),
    7,
  );
  assert.equal(await run(t, { 'b.cjs': 'module.exports = { operations: { x: () => 8 } };' }, './b.cjs'), 8);
});

// BEHAVIOR-BUNDLE-1
test('equal files give equal code, wherever they lie', async (t) => {
  const files = { 'b.ts': behavior('one', "import { one } from './one.js';"), 'one.ts': 'export const one = 1;' };
  const here = await bundle(t, files);
  const there = await bundle(t, { ...files, 'tsconfig.json': '{"compilerOptions":{"target":"ES3"}}', 'node_modules/x/index.js': '' });
  assert.deepEqual(there, here);
  assert.ok(!here.behavior?.code.includes('/tmp'));
});

// BEHAVIOR-BUNDLE-2, REALM-2
test('no async function and no way to load code gets through, however it is written', async (t) => {
  const refused: { [source: string]: string } = {
    'async () => 1': 'DY6005',
    '(async function named() { await 1; })': 'DY6005',
    '({ async method() {} })': 'DY6005',
    'class { static async m() {} }': 'DY6005',
    'async function* () { yield 1 }': 'DY6005',
    'function () { async () => {}; return async (value) => { for await (const one of value); } }': 'DY6005',
    'import(String(1))': 'DY6004',
    'im\\u0070ort("./one.js")': 'DY6003',
    'import /* hidden */ ("./one.js")': 'DY6004',
    'import(`./on${"e"}.js`)': 'DY6004',
    'import("./one.js", undefined)': 'DY6004',
    'import(String(1), {})': 'DY6004',
    'import(String(1), ((value) => value)({}))': 'DY6004',
    '((options) => import("./one.js", options))({})': 'DY6004',
    '(() => { try { import(String(1), undefined) } catch {} })()': 'DY6004',
    'require("./one.js")': 'DY6004',
    'require("fs")': 'DY6004',
    '((name) => require(name))("fs")': 'DY6004',
    'typeof require': 'DY6004',
    'import.meta.url': 'DY6004',
  };
  for (const [source, code] of Object.entries(refused)) {
    const { findings } = await bundle(t, { 'b.ts': behavior(source), 'one.ts': 'export const one = 1;' });
    assert.ok(
      findings.some((finding) => finding.code === code),
      `${source}: ${JSON.stringify(findings)}`,
    );
  }
  const { findings } = await bundle(t, { 'b.ts': behavior('["async", "import(x)", "require(\'fs\')", "__async", "__require"].length') });
  assert.deepEqual(findings, [], 'words in a text are words');
  const named = await bundle(t, {
    'b.ts': behavior('x.import(1) + it.import(2)', 'const x: any = 1, it = { import(a: number) { return a; } };'),
  });
  assert.deepEqual(named.findings, [], 'a method may be named like the word');
  const { findings: awaiting } = await bundle(t, { 'b.ts': `await 1;\n${behavior('1')}` });
  assert.deepEqual(
    awaiting.map(({ code }) => code),
    ['DY6005'],
  );
});

/**
 * esbuild expands a template or a sum in `require` and `import()` as a glob over the real file system, from the working directory. The
 * secret lies in a neighbor's folder there, and no form of the expression may read it, name it or tell a token of it.
 */
// BEHAVIOR-BUNDLE-3
test('no module of a behavior makes the bundler read files outside of the package', async (t) => {
  const secret = 'sesame-of-the-neighbor';
  const neighbor = folder(t, {
    'victim/module.ts': `export const value = '${secret}';`,
    'victim/data.json': `{"value": "${secret}"}`,
    'victim/words.txt': secret,
    'victim/server.key': secret,
    'victim/broken.js': `${secret} is : no [ code`,
  });
  const before = process.cwd();
  process.chdir(neighbor);
  t.after(() => process.chdir(before));
  const up = '../'.repeat(20);
  // «x» stands for a placeholder of a template.
  const expressions = [
    'require(`./victim/«"module"».ts`)',
    'requ\\u0069re(`./victim/«"module"».ts`)',
    'require("./victim/" + name + ".ts")',
    'require(`./victim/«name»`)',
    'require(`./victim/«name».json`)',
    'require(`./victim/«name».txt`)',
    'require(`./victim/«name».key`)',
    'require(`./victim/«name».js`)',
    'import(`./victim/«name».ts`)',
    'import(`./victim/«name».json`, { with: { type: "json" } })',
    'import("./victim/" + name)',
    `require(\`${up}etc/passwd«name»\`)`,
    `require(\`${up}proc/self/environ«name»\`)`,
    `require(\`.${neighbor}/victim/«name».ts\`)`,
    'require.resolve(`./victim/«name».ts`)',
    'new Worker(new URL(`./victim/«name».ts`, import.meta.url))',
  ].map((expression) => expression.replace(/«(.*)»/, '$${$1}'));
  for (const expression of expressions) {
    for (const file of ['b.ts', 'b.mjs', 'b.cjs']) {
      const text =
        file === 'b.cjs'
          ? `const name = "module";\nmodule.exports = { operations: { x: () => (${expression}) } };\n`
          : behavior(expression, 'const name = "module";');
      const { behavior: made, findings, refused, files } = await bundle(t, { [file]: text }, `./${file}`);
      const shown = JSON.stringify({ made, findings, refused });
      assert.ok(
        !shown.includes(secret) && !/victim\/(?:module|data|words|server|broken)/.test(JSON.stringify([findings, refused])),
        `${file} ${expression}: ${shown}`,
      );
      assert.ok(!/root:|passwd:|PATH=|Unexpected|Expected/.test(JSON.stringify(findings)), `${file} ${expression}: ${shown}`);
      assert.deepEqual(
        files.map(({ path }) => path),
        [file],
      );
      const codes = findings.map(({ code }) => code);
      assert.ok(codes.includes('DY6004') || codes.includes('DY6003'), `${file} ${expression}: ${shown}`);
    }
  }
});

test('a module that the parser refuses is refused with its place, and a module loaded by a helper is asked too', async (t) => {
  const { findings } = await bundle(t, { 'b.ts': behavior('one', "import { one } from './one.js';"), 'one.ts': 'export const one = ;' });
  assert.deepEqual(
    findings.map(({ code, file, line, column }) => [code, file, line, column]),
    [['DY6003', 'one.ts', 1, 20]],
  );
  const helper = await bundle(t, {
    'b.ts': behavior('one', "import { one } from './one.js';"),
    'one.ts': '\nexport const one = (x) => require("../" + x);',
  });
  assert.deepEqual(
    helper.findings.map(({ code, file, line, column }) => [code, file, line, column]),
    [['DY6004', 'one.ts', 2, 27]],
  );
});

/** As it does where a module is nested so deeply that its stack, of 1 GB, is full. */
test('a bundler that ends is one finding, says nothing by itself, and is followed by another', (t) => {
  const root = realpathSync(folder(t, { 'b.ts': behavior('7') }));
  const [bundler, esbuild] = ['behavior-bundle.js', 'esbuild.js'].map((file) =>
    JSON.stringify(new URL(`../../src/compiler/${file}`, import.meta.url).href),
  );
  const code = `import childProcess from 'node:child_process';
    const { spawn } = childProcess;
    let child, options;
    childProcess.spawn = (file, args, given) => { options = given; return (child = spawn(file, args, given)); };
    const { loadEsbuild } = await import(${esbuild});
    const { bundleBehavior } = await import(${bundler});
    const request = { root: ${JSON.stringify(root)}, toolFile: 'x.tool.yaml', module: './b.ts', isSdk: () => false };
    await loadEsbuild();
    const ended = bundleBehavior(request);
    child.kill('SIGKILL');
    const { findings, behavior } = await ended;
    const next = await bundleBehavior(request);
    console.log(JSON.stringify([findings, behavior === undefined, next.findings, next.behavior !== undefined, options.stdio]));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  const [findings, isNone, next, isBundled, stdio] = JSON.parse(said) as [{ code: string; message: string }[], ...unknown[]];
  assert.deepEqual(
    findings.map(({ code, message }) => `${code} ${message.split(':')[0]}`),
    ['DY6003 esbuild ended while it read the module or one that it imports'],
  );
  assert.deepEqual([isNone, next, isBundled], [true, [], true]);
  if (process.platform !== 'win32') assert.deepEqual(stdio, ['pipe', 'pipe', 'ignore']);
});

test('undeclared imports are findings with their place', async (t) => {
  for (const name of [
    'lodash',
    'fs',
    'node:fs/promises',
    '/etc/passwd',
    'https://example.com/x.js',
    '#internal',
    'data:text/javascript,1',
  ]) {
    const { findings } = await bundle(t, { 'b.ts': behavior('x', `import x from '${name}';`) });
    assert.deepEqual(
      findings.map(({ code, file, line, column }) => [code, file, line, column]),
      [['DY6002', 'b.ts', 2, 15]],
      name,
    );
  }
});

test('types of a module may come from anywhere, since they are gone', async (t) => {
  assert.equal(await run(t, { 'b.ts': behavior('1', "import type { X } from 'somewhere';\nexport type Y = X;") }), 1);
});

test('a denied name that is shadowed is allowed', async (t) => {
  const { findings } = await bundle(t, {
    'b.ts': behavior('fetch(5) + Math.max(1, 2) + Date.now', 'const fetch = (n: number) => n; const Date = { now: 1 };'),
  });
  assert.deepEqual(findings, []);
});

test('the present asked of Date, and each global of a host, is a finding at its place; a date of a time is none', async (t) => {
  const findings = async (expression: string, before = '') =>
    (await bundle(t, { 'b.ts': behavior(expression, before) })).findings.map(
      ({ code, line, column, message, suggestion }) => `${code} ${line}:${column} ${message.split(' is not')[0]}: ${suggestion}`,
    );
  const present = 'Virtual time is context.clock.nowUs(), in microseconds: new Date(context.clock.nowUs() / 1000).';
  assert.deepEqual(await findings('String(at)', 'export const at = () => new Date ( );'), [`DY6006 2:25 new Date(): ${present}`]);
  assert.deepEqual(await findings('String(at)', 'export const at = () => [new Date];'), [`DY6006 2:26 new Date(): ${present}`]);
  assert.deepEqual(await findings('String(at)', 'export const at = () => Date();'), [`DY6006 2:25 Date(): ${present}`]);
  assert.deepEqual(await findings('String(at)', 'export const at = () => Date.now();'), [
    'DY6006 2:25 Date.now: Virtual time is context.clock.nowUs(), in microseconds.',
  ]);
  assert.deepEqual(await findings('String(f)', 'export const f = () => Buffer.from(new Blob([]));'), [
    'DY6006 2:24 Buffer: Bytes are a Uint8Array, and those of the world are in context.blobs.',
    'DY6006 2:40 Blob: Bytes are a Uint8Array, and those of the world are in context.blobs.',
  ]);
  const dates = 'new Date(5).getTime() + Date.UTC(2024, 1) + Date.parse("2024") + (new Date("x") instanceof Date ? 1 : 0)';
  assert.deepEqual(await findings(dates, 'class Day extends Date {} void Day; const d = { Date() {} }; d.Date();'), []);
});

test('what is added to ECMAScript works in a bundle, and does not change the code of one without it', async (t) => {
  const files = {
    'b.ts': behavior('[new URL("../a?b=" + btoa("c"), "https://h/x/y").href, globalThis.structuredClone([new Date(5).getTime()])]'),
  };
  assert.deepEqual(await run(t, files), ['https://h/a?b=Yw==', [5]]);
  const { behavior: made } = await bundle(t, { 'b.ts': behavior('1') });
  assert.doesNotMatch(made?.code ?? '', /URL|Date/);
});

test('a regular expression that only later versions of Node take is a finding at its place', async (t) => {
  for (const literal of ['/(?i:a)/', '/(?<a>x)|(?<a>y)/u']) {
    const { findings } = await bundle(t, { 'b.ts': behavior('odd.test("A")', `const odd = ${literal};`) });
    assert.deepEqual(
      findings.map(({ code, file, line, column }) => [code, file, line, column]),
      [['DY6003', 'b.ts', 2, 13]],
      literal,
    );
  }
  assert.deepEqual(await run(t, { 'b.ts': behavior('[/(?<a>x)|[(?<a>]/.test("x"), "(?i:a)"]') }), [true, '(?i:a)']);
});
