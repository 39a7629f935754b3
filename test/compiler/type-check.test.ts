// Types of behaviors and agents, checked by `validate` with the TypeScript that is installed: what is reported, by whose options, and when
// nothing is.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findTypeScript } from '../../src/compiler/typescript.js';
import { validateRepository } from '../../src/index.js';
import { drillyard, jsonLines } from '../cli/cli.js';
import { warmDrillyard } from '../cli/warm-cli.js';
import { compileWith, edited, type Files, folder, lines, sound } from './repository.js';

const behavior = 'drillyard/notes.ts';
const clean = 'drillyard/clean.ts';
/** An agent in TypeScript, with a file of its own beside it. */
const agent = (text: string, more: Files = {}): Files => ({
  ...edited('drillyard/agent.target.yaml', 'agent.mjs', 'agents/agent.ts'),
  'agents/agent.ts': text,
  ...more,
});
const wrong: Files = {
  [behavior]: sound[behavior].replace(
    'return { id: input.id };',
    "const text: string = context.state.scan('notes').length;\n      return { id: text };",
  ),
  [clean]: 'export const clean = (text: string): string => text.trimm();\n',
  ...agent("import { two } from './two.js';\nexport default (): number => two;\n", {
    'agents/two.ts': "export const two: number = 'two';\n",
  }),
};

// TYPE-CHECK-1
test('type errors of behaviors, agents and what they import are errors of validate, and of nothing else', async (t) => {
  const root = folder(t, { ...sound, ...wrong });
  const { valid, diagnostics, types } = await validateRepository({ root });
  assert.deepEqual([valid, types], [false, { state: 'checked' }]);
  assert.deepEqual(
    diagnostics.map(
      ({ code, severity, file, line, column, path, message }) => `${code} ${severity} ${file}:${line}:${column} ${path}${message}`,
    ),
    [
      "DY6011 error agents/two.ts:1:14 Type 'string' is not assignable to type 'number'. (TS2322)",
      "DY6011 error drillyard/clean.ts:1:53 Property 'trimm' does not exist on type 'string'. Did you mean 'trim'? (TS2551)",
      "DY6011 error drillyard/notes.ts:8:13 Type 'number' is not assignable to type 'string'. (TS2322)",
    ],
  );
  assert.deepEqual(await validateRepository({ root }), { valid, diagnostics, types });
  const off = await validateRepository({ root, types: false });
  assert.deepEqual([off.valid, off.types, off.diagnostics], [true, { state: 'off' }, []]);
  const compiled = await compileWith(t, wrong);
  assert.deepEqual([compiled.diagnostics, compiled.build?.buildHash], [[], off.valid && off.build.buildHash]);

  const reported = await drillyard(['validate'], { cwd: root });
  assert.equal(reported.code, 2);
  assert.match(
    reported.stderr,
    /agents\/two\.ts:1:14 error DY6011 Type 'string'[^\n]*\n\s+1 \| export const two: number = 'two';\n\s+\| {14}\^\n/,
  );
  assert.match(reported.stderr, /3 errors/);
  const silent = await warmDrillyard(['validate', '--no-types', '--json'], { cwd: root });
  assert.equal(silent.code, 0, silent.stderr);
  const { event, valid: isValid, types: state } = jsonLines(silent.stdout).at(-1) as { event: string; valid: boolean; types: string };
  assert.deepEqual([event, isValid, state, silent.stderr], ['summary', true, 'off', '']);
  assert.equal((await warmDrillyard(['plan'], { cwd: root })).code, 0);
});

// TYPE-OPTIONS-1
test('without a tsconfig a behavior has ECMAScript, an agent has Node; both find the types of drillyard', async (t) => {
  const root = folder(t, {
    ...sound,
    [clean]:
      'export const clean = (text: string): string => String(console) + text + document.title;\n' +
      'export const at = (text: string): number => new URL(text).searchParams.size + new TextEncoder().encode(atob(text)).length + structuredClone(5);\n',
    ...agent(
      `import { readFileSync } from 'node:fs';
import path from 'path';
import type { TargetContext, TargetInvocation } from 'drillyard';
import untyped from 'untyped';
export default async function play({ task }: TargetInvocation, context: TargetContext): Promise<string> {
  const text: string = readFileSync(path.join(process.cwd(), import.meta.dirname, untyped), 'utf8');
  const { status } = await fetch('http://127.0.0.1/');
  const wrong: string = status;
  await context.world?.coll('notes', 'notes.add', { id: task.instruction });
  return text + wrong;
}
`,
      {
        'node_modules/untyped/package.json': '{ "name": "untyped", "main": "main.js" }',
        'node_modules/untyped/main.js': "module.exports = 'x';",
      },
    ),
  });
  const { diagnostics } = await validateRepository({ root });
  assert.deepEqual(
    diagnostics.map(({ code, file, line, message }) => `${code} ${file}:${line} ${message.slice(0, 50)}`),
    [
      "DY6011 agents/agent.ts:8 Type 'number' is not assignable to type 'string'. ",
      "DY6011 agents/agent.ts:9 Property 'coll' does not exist on type 'TargetWorl",
      'DY6006 drillyard/clean.ts:1 console is not available to tool behavior and will',
      "DY6011 drillyard/clean.ts:1 Cannot find name 'document'. Do you need to change",
    ],
  );
});

test('the nearest tsconfig.json says how; what is wrong with it is said, too', async (t) => {
  const loose: Files = { [clean]: 'export const clean = (text): string => text;\nexport const hidden: string = null;\n' };
  const codes = async (files: Files): Promise<string[]> => {
    const { diagnostics } = await validateRepository({ root: folder(t, { ...sound, ...files }) });
    return diagnostics.map(({ file, line, message }) => `${file}:${line} ${/\(TS\d+\)$/.exec(message)?.[0]}`);
  };
  assert.deepEqual(await codes(loose), [`${clean}:1 (TS7006)`, `${clean}:2 (TS2322)`]);
  const options = {
    strict: false,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    composite: true,
    paths: { '@/*': ['./drillyard/*'] },
  };
  const base = { 'base/tsconfig.base.json': JSON.stringify({ compilerOptions: options }) };
  assert.deepEqual(
    await codes({ ...loose, ...base, 'tsconfig.json': '// mine\n{ "extends": "./base/tsconfig.base.json", "include": ["src"] }' }),
    [],
  );
  // One that only lists other projects says nothing of its own.
  assert.deepEqual((await codes({ ...loose, 'tsconfig.json': '{ "files": [], "references": [{ "path": "./base" }] }' })).length, 2);
  assert.deepEqual(await codes({ 'tsconfig.json': '{\n  "compilerOptions": { "strikt": true }\n}' }), ['tsconfig.json:2 (TS5025)']);
});

// TYPE-CHECK-1, TYPE-CHECK-2
test('what the compiler has said already is not said again, and installed packages are believed', async (t) => {
  const { diagnostics } = await validateRepository({
    root: folder(t, {
      ...sound,
      ...edited(behavior, './clean.js', 'node:fs'),
      ...agent("import { bad } from 'installed';\nexport default (): string => bad;\n", {
        'node_modules/installed/package.json': '{ "name": "installed", "exports": "./main.ts" }',
        'node_modules/installed/main.ts': 'export const bad: string = 1;\n',
      }),
    }),
  });
  assert.deepEqual(
    lines(diagnostics).map((line) => /DY\d{4}/.exec(line)?.[0]),
    ['DY6002'],
    lines(diagnostics).join('\n'),
  );
  const unparsed = await validateRepository({ root: folder(t, { ...sound, ...edited(behavior, 'operations: {', 'operations: {{') }) });
  assert.deepEqual(new Set(unparsed.diagnostics.map(({ code }) => code)), new Set(['DY6003']));
});

test('TypeScript is the one of the repository; a version without an API is as none, and nothing is loaded where nothing is TypeScript', async (t) => {
  const installed = (name: string, version: string, main: string): Files => ({
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, version }),
    [`node_modules/${name}/index.js`]: main,
  });
  const api = 'exports.createProgram = () => {}; exports.ModuleResolutionKind = { Bundler: 100 };';
  const broken = "throw new Error('TypeScript was loaded');";
  const own = folder(t, installed('typescript', '5.4.0', `${api} exports.version = '5.4.0';`));
  const native = folder(t, installed('typescript', '7.0.2', "exports.version = '7.0.2';"));
  const both = folder(t, {
    ...installed('typescript', '7.0.2', broken),
    ...installed('typescript6', '6.0.3', `${api} exports.version = '6.0.3';`),
  });
  const versionIn = (...folders: string[]): string | undefined => {
    const found = findTypeScript(folders);
    return 'typescript' in found ? found.typescript.version : found.without && `none but ${found.without}`;
  };
  assert.deepEqual(
    [versionIn(join(own, 'below')), versionIn(native), versionIn(native, own), versionIn(both)],
    ['5.4.0', 'none but 7.0.2', '5.4.0', '6.0.3'],
  );
  assert.equal(versionIn(folder(t, {})), undefined);
  const script = { ...edited('drillyard/notes.tool.yaml', './notes.ts', './notes.js'), ...installed('typescript', '5.4.0', broken) };
  const text = 'export default { operations: { "notes.add": () => ({}) }, subscriptions: { "on-due": () => {} } };\n';
  const { types, valid } = await validateRepository({ root: folder(t, { ...sound, ...script, 'drillyard/notes.js': text }) });
  assert.deepEqual([types, valid], [{ state: 'none' }, true]);
});

test('the types of what a behavior has beside ECMAScript are there for an editor, and validate takes the same tsconfig', async (t) => {
  const lines = [
    'const url = new URL("https://example.com/a?b=c");',
    'const names: string[] = [...url.searchParams.keys(), new URLSearchParams({ a: "b" }).toString()];',
    'const bytes: Uint8Array = new TextEncoder().encode(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([65])));',
    'const copy: { at: number } = structuredClone({ at: new Date(0).getTime() + Date.UTC(2024, 0) });',
    'export const all = [names, bytes, copy, atob(btoa("x")), URL.canParse("x")];',
  ];
  const tsconfig = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023'],
      types: ['drillyard/behavior-globals'],
    },
    include: ['drillyard'],
  };
  const files = {
    ...sound,
    'tsconfig.json': JSON.stringify(tsconfig),
    [clean]: `${lines.join('\n')}\nexport const clean = (text: string): string => text;\n`,
  };
  const root = folder(t, files);
  const { valid, diagnostics, types } = await validateRepository({ root });
  assert.deepEqual([valid, types, diagnostics], [true, { state: 'checked' }, []]);
  // As an editor does: with the package installed, and TypeScript's own compiler.
  const here = fileURLToPath(new URL('../../../', import.meta.url));
  mkdirSync(join(root, 'node_modules/drillyard/dist/src/tools'), { recursive: true });
  for (const file of ['package.json', 'dist/src/tools/behavior-globals.d.ts'])
    cpSync(join(here, file), join(root, 'node_modules/drillyard', file));
  const tsc = (text: string) => {
    writeFileSync(join(root, clean), text);
    const compiler = join(here, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [compiler, '-p', root], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((line) => line.includes(clean));
  };
  assert.deepEqual(tsc(files[clean]), []);
  assert.match(tsc('export const clean = (text: string): string => (setTimeout(() => {}, 5), text);').join(), /TS2304.*'setTimeout'/);
});
