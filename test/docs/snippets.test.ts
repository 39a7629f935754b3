// Every fenced block of the pages is what it looks like: files are valid, assertions and behaviors compile, commands are taken by the
// command line, TypeScript and JavaScript have no type error, and what can run by itself runs. A block that no test takes says why.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Command, CommanderError } from 'commander';
import { transformSync } from 'esbuild';
import { parse } from 'yaml';
import { createWorldProgram } from '../../src/cli/program/world.js';
import { createProgram } from '../../src/cli/program.js';
import { compileProject } from '../../src/compiler/compile.js';
import { runDrills } from '../../src/index.js';
import { engineFlags } from '../cli/cli.js';
import { warmDrillyard } from '../cli/warm-cli.js';
import { checkTypes, outsideOfSource, typesOf } from '../native-compiler.js';
import { type Fence, fencesOf, listPages, projectRoot } from './fences.js';

const fences = listPages().flatMap(fencesOf);
const of = (...languages: string[]): Fence[] => fences.filter(({ language }) => languages.includes(language));
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function folder(parent: string, prefix: string): string {
  const path = mkdtempSync(join(parent, prefix));
  folders.push(path);
  return path;
}
/** A copy of the first example, in which the pages' own examples hold. */
function copyExample(parent: string): string {
  const path = join(parent, 'examples/01-support-desk');
  cpSync(join(projectRoot, 'examples/01-support-desk'), path, { recursive: true, filter: (from) => !from.includes('.service') });
  return path;
}

test('every block names its language, and one that no test takes says why', () => {
  const known = ['sh', 'js', 'ts', 'python', 'json', 'yaml', 'text', 'mermaid'];
  const broken = fences.flatMap(({ at, language, notRun }) => {
    if (!known.includes(language)) return [`${at}: "${language}" is none of ${known.join(', ')}`];
    return notRun !== undefined && notRun.length < 10 ? [`${at}: why is it not run?`] : [];
  });
  assert.deepEqual(broken, []);
  // What looks like a command or a program is not hidden as text.
  const hidden = of('text').filter(
    ({ frame, text }) => frame !== 'synopsis' && /^(?:\$ |(?:npx|npm|node|drillyard|curl) |import .* from )/m.test(text),
  );
  assert.deepEqual(
    hidden.map(({ at }) => at),
    [],
  );
});

type Value = { [member: string]: unknown };
/** What makes a whole file of a block, by the frame that its info string names. */
const frames: { [frame: string]: (value: Value) => { schema: string; document: unknown } } = {
  assertions: (value) => ({ schema: 'drill', document: { ...drillHead, assertions: value } }),
  drill: (value) => ({
    schema: 'drill',
    document: { ...drillHead, assertions: [anAssertion], ...(value.timeline ? noTask : {}), ...value },
  }),
  target: (value) => ({ schema: 'target', document: value }),
  tool: (value) => ({ schema: 'tool', document: value }),
  manifest: (value) => ({ schema: 'tool', document: toolOf(value) }),
  operations: (value) => ({ schema: 'tool', document: toolOf({ operations: value }) }),
  world: (value) => ({ schema: 'world', document: { schemaVersion: 1, id: 'w', ...value } }),
  state: (value) => ({ schema: 'world', document: { schemaVersion: 1, id: 'w', state: value } }),
  package: ({ drillyard }) => ({ schema: 'package', document: drillyard }),
};
const anAssertion = { id: 'a', kind: 'operation.count', operation: { packageId: 'p', operationId: 'o' }, count: { equals: 1 } };
const drillHead = { schemaVersion: 1, id: 'd', targetId: 't', actorId: 'a', task: { instruction: 'x' } };
const noTask = { actorId: undefined, task: undefined };
function toolOf(manifest: Value): Value {
  return { schemaVersion: 1, manifest: { schemaVersion: 1, id: 'notes', version: '1.0.0', engine: '*', ...manifest } };
}

test('files and parts of files fit the JSON Schema of their kind', () => {
  const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
  const schemas = readdirSync(join(projectRoot, 'docs/schemas'));
  for (const name of schemas) ajv.addSchema(JSON.parse(readFileSync(join(projectRoot, 'docs/schemas', name), 'utf8')) as object, name);
  let framed = 0;
  for (const { at, language, frame, text, notRun } of of('yaml', 'json')) {
    const value = (language === 'json' ? JSON.parse(text) : parse(text)) as Value | null;
    if (notRun !== undefined || value === null) continue;
    assert.ok(frame !== '' || language === 'json', `${at}: of which file is it a part?`);
    if (frame === '') continue;
    const { schema, document } = frames[frame]?.(value) ?? { schema: frame, document: value };
    const whole = JSON.parse(JSON.stringify(document)) as unknown;
    assert.ok(ajv.validate(`${schema}.schema.json`, whole), `${at}: ${JSON.stringify(ajv.errors?.slice(0, 3))}`);
    framed++;
  }
  assert.ok(framed > 40, `${framed} files and parts`);
});

test('assertions of the pages compile against the tools that they name', async () => {
  const root = copyExample(folder(tmpdir(), 'drillyard-assertions-'));
  const blocks = fences.filter(({ frame }) => frame === 'assertions');
  assert.ok(blocks.length > 10);
  const task = 'task: { instruction: x }\nassertions:\n';
  for (const [index, { text }] of blocks.entries())
    writeFileSync(
      join(root, `drillyard/drills/page-${index}.drill.yaml`),
      `schemaVersion: 1\nid: page-${index}\ntargetId: refund-agent\nactorId: support-agent\n${task}${text}`,
    );
  const judges = fences.filter(({ frame }) => frame === 'judge');
  mkdirSync(join(root, 'judges'));
  for (const { text } of judges) writeFileSync(join(root, 'judges/reply.ts'), text);
  const { diagnostics } = await compileProject({ root });
  assert.deepEqual(
    diagnostics.map(({ file, message }) => `${blocks[Number(/page-(\d+)/.exec(file)?.[1])]?.at ?? file}: ${message}`),
    [],
  );
});

test('a drill with cases on a page passes in the first example, and what it skips is skipped', async () => {
  const drills = fences.filter(
    ({ frame, text }) => frame === 'drill' && text.includes('\ncases:') && text.includes('targetId: refund-agent'),
  );
  assert.ok(drills.length > 0);
  for (const { at, text } of drills) {
    const root = copyExample(folder(tmpdir(), 'drillyard-cases-'));
    writeFileSync(join(root, 'drillyard/drills/page.drill.yaml'), text);
    const { verdict, passed, skipped } = await runDrills({ root, drills: [String((parse(text) as Value).id)], reportDirectory: false });
    assert.deepEqual({ verdict, passed, skipped: skipped.length }, { verdict: 'passed', passed: 2, skipped: 1 }, at);
  }
});

test('a behavior of a page compiles with the manifest of the same page', async () => {
  const behaviors = fences.filter(({ frame }) => frame === 'behavior');
  assert.ok(behaviors.length >= 3);
  for (const { page, text, at } of behaviors) {
    const root = folder(tmpdir(), 'drillyard-behavior-');
    const parts = fences.filter((fence) => fence.page === page && ['tool', 'manifest'].includes(fence.frame));
    const whole = parts.find(({ frame }) => frame === 'tool');
    const manifest = Object.assign({}, ...parts.map((part) => parse(part.text) as Value)) as Value;
    mkdirSync(join(root, 'drillyard'));
    writeFileSync(join(root, 'drillyard.json'), '{ "schemaVersion": 1 }');
    writeFileSync(join(root, 'drillyard/world.yaml'), 'schemaVersion: 1\nid: w\n');
    writeFileSync(
      join(root, 'drillyard/notes.tool.json'),
      JSON.stringify(whole === undefined ? { ...toolOf(manifest), module: './behavior.ts' } : parse(whole.text)),
    );
    writeFileSync(join(root, 'drillyard/behavior.ts'), text);
    const { diagnostics } = await compileProject({ root });
    assert.deepEqual(
      diagnostics.map(({ line, message }) => `${at}: ${line} ${message}`),
      [],
    );
  }
});

test('every command of ours is one that the command line takes', async () => {
  const commands = of('sh').flatMap(({ at, text }) => commandsIn(text).map((words) => ({ at, words })));
  assert.ok(commands.length > 25, `${commands.length} commands`);
  for (const { at, words } of commands) {
    try {
      await parserOf(words).parseAsync(words, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (!/help|version/i.test(error.code)) assert.fail(`${at}: drillyard ${words.join(' ')}: ${error.message}`);
    }
  }
});

/** The command line, whose commands do nothing. */
function parserOf(words: readonly string[]): Command {
  const options = { version: '0', finish: () => {} };
  const program = words[0] === 'world' ? createWorldProgram(options) : createProgram(options);
  const still = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
    if (command.commands.length === 0) command.action(() => {});
    for (const sub of command.commands) still(sub);
  };
  still(program);
  return program;
}

/** The words after `drillyard` of each command in a shell script. */
function commandsIn(script: string): string[][] {
  const lines = script
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => !/^docker /.test(line));
  return lines.flatMap((line) =>
    [
      ...line
        .replace(/(^|\s)#.*$/, '')
        .matchAll(/(?:^|[\s(;&|"]|^node bin\/)drillyard(?:\.js)?(?=\s|$)((?:\s+(?:'[^']*'|"[^"]*"|[^\s'"|;&)<>]+))*)/g),
    ].map(([, rest = '']) =>
      [...rest.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? ''),
    ),
  );
}

test('scripts are scripts: bash and Python take them', () => {
  for (const { at, text } of of('sh')) {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    assert.equal(status, 0, `${at}: ${stderr}`);
    const ours = text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => !/^\s*(#|$)/.test(line));
    const foreign = ours.filter((line) => !/\bdrillyard\b|^(?:export|cd|split|mv) |^(?:while|do|done)\b|^\s+\S+.*# work/.test(line));
    if (at.startsWith('docs/hosted-api.md')) continue; // hosted-api-page.test.ts runs its walk-through.
    if (fenceAt(at).notRun === undefined) assert.deepEqual(foreign, [], `${at}: a test cannot take this; say why it is not run`);
  }
  for (const { at, text } of of('python')) {
    const { status, stderr } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: text,
      encoding: 'utf8',
    });
    assert.equal(status, 0, `${at}: ${stderr}`);
  }
});
function fenceAt(at: string): Fence {
  return fences.find((fence) => fence.at === at) ?? assert.fail(at);
}

test('TypeScript and JavaScript have no type error', async () => {
  const root = folder(projectRoot, '.dev-snippets-');
  const blocks = of('js', 'ts').filter(({ notRun, text }) => notRun === undefined || /^import /.test(text));
  assert.ok(blocks.length >= 12, `${blocks.length} blocks`);
  const placed = new Map(blocks.map((fence, index) => [join(root, `${index}.${fence.language === 'ts' ? 'ts' : 'js'}`), fence]));
  for (const [file, { text }] of placed) writeFileSync(file, text);
  // Packages of others that a page is about, and that nothing here installs: all but their types is checked.
  const foreign = blocks.filter(({ notRun }) => /^it needs the packages? of /.test(notRun ?? ''));
  const modules = foreign.flatMap(({ text }) =>
    [...text.matchAll(/^import .* from '([^']+)'/gm)].map(([, name]) => `declare module '${name}';\n`),
  );
  const declared = join(root, 'foreign.d.ts');
  writeFileSync(declared, modules.join(''));
  const paths = {
    drillyard: [typesOf('index')],
    'drillyard/testing': [typesOf('testing')],
    'drillyard/client': [typesOf('client/client')],
    'drillyard/compat': [typesOf('compat')],
    'drillyard/tool-sdk': [typesOf('tools/sdk')],
  };
  const compilerOptions = {
    ...{ strict: true, noEmit: true, allowJs: true, checkJs: true, noImplicitAny: false, skipLibCheck: true, types: ['node'] },
    ...{ target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', moduleDetection: 'force', lib: ['es2023'], jsx: 'react-jsx' },
    ...{ typeRoots: [join(projectRoot, 'node_modules/@types')], paths },
  };
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [...placed.keys(), declared] }));
  const { files, errors } = await checkTypes(root);
  for (const [file, { at }] of placed) assert.ok(files.includes(file), `${at} was not read`);
  const named = outsideOfSource(errors).map(
    (line) => `${[...placed].find(([file]) => line.startsWith(relative(projectRoot, file)))?.[1].at ?? ''} ${line}`,
  );
  assert.deepEqual(named, []);
});

test('programs run, beside an example', () => {
  const clone = folder(tmpdir(), 'drillyard-snippets-');
  const example = copyExample(clone);
  // One drill says as much as all of them.
  const drills = join(example, 'drillyard/drills');
  for (const name of readdirSync(drills)) if (!/refund-too-late|careless-refund/.test(name)) rmSync(join(drills, name));
  const build = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const installed = join(clone, 'node_modules/drillyard');
  mkdirSync(installed, { recursive: true });
  const exports = { '.': './index.js', './testing': './testing.js', './client': './client.js', './tool-sdk': './tool-sdk.js' };
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'drillyard', type: 'module', exports }));
  writeFileSync(join(installed, 'index.js'), `export * from ${build('index.js')};`);
  writeFileSync(join(installed, 'testing.js'), `export * from ${build('testing.js')};`);
  writeFileSync(join(installed, 'tool-sdk.js'), `export * from ${build('tools/sdk.js')};`);
  writeFileSync(join(installed, 'client.js'), `export * from ${build('client/client.js')};`);
  const programs = of('js', 'ts').filter(({ notRun, frame, text }) => notRun === undefined && frame === '' && /^import /m.test(text));
  assert.ok(programs.length >= 8, `${programs.length} programs`);
  const written = programs.map(({ page, language, text, at }, index) => {
    const file = join(clone, `${index}.mjs`);
    writeFileSync(file, language === 'ts' ? transformSync(text, { loader: 'ts', format: 'esm', target: 'es2022' }).code : text);
    return { at, file, cwd: page === 'README.md' ? clone : example, isTest: text.includes("from 'node:test'") };
  });
  const steps = written
    .filter(({ isTest }) => !isTest)
    .map(
      ({ at, file, cwd }) =>
        `console.error(${JSON.stringify(at)}); process.chdir(${JSON.stringify(cwd)}); await import(${JSON.stringify(file)});`,
    );
  const main = join(clone, 'main.mjs');
  writeFileSync(main, `${steps.join('\n')}\nprocess.exit(0);\n`);
  // A process that a test runner starts would take itself for a part of this run.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const runs = [[main], ...written.filter(({ isTest }) => isTest).map(({ file }) => ['--test', file])];
  for (const words of runs) {
    const { status, stderr, stdout } = spawnSync(process.execPath, [...engineFlags, ...words], {
      cwd: example,
      env,
      encoding: 'utf8',
      timeout: 200_000,
    });
    assert.equal(status, 0, stderr + stdout.slice(-2000));
  }
});

test('the drill and the agent of README fail as it says', async () => {
  const root = folder(tmpdir(), 'drillyard-readme-');
  const [install, drill, agent, printed] = fences.filter(({ page }) => page === 'README.md');
  assert.deepEqual([drill?.frame, agent?.frame, printed?.language], ['drill', 'agent', 'text']);
  const words = /npx drillyard (init .*)$/m.exec(install?.text ?? '')?.[1]?.split(' ') ?? [];
  // The page installs it, and commands that are printed there begin as that wants it.
  mkdirSync(join(root, 'node_modules/drillyard'), { recursive: true });
  writeFileSync(join(root, 'node_modules/drillyard/package.json'), '{}');
  assert.equal((await warmDrillyard([...words, '--yes'], { cwd: root })).code, 0);
  writeFileSync(join(root, 'drillyard/drills/refund-once.drill.yaml'), drill?.text ?? '');
  writeFileSync(join(root, 'agents/support-agent.mjs'), agent?.text ?? '');
  const { code, stdout } = await warmDrillyard(['run'], { cwd: root });
  assert.equal(code, 1, stdout);
  // Only how long it took and the run's own id differ; the page may show the seed of another world.
  const plain = (text: string): string =>
    text
      .replace(/run_\w+/g, 'run_')
      .replace(/ seed \d+ /g, ' seed ')
      .replace(/ {2}[\d.]+ m?s$/gm, '');
  assert.ok(plain(stdout).includes(plain(printed?.text ?? '-')), stdout);
  // A drill, an agent and a failure that fit on one screen.
  const lines = [drill, agent].map((fence) => (fence?.text.split('\n').length ?? 99) - 1);
  assert.deepEqual(lines, [11, 7]);
});

test('the command that recomputes the hash of evidence gives the hash of the report', async () => {
  const commands = [
    ...new Set(
      of('sh')
        .filter(({ text }) => text.startsWith('split '))
        .map(({ text }) => text),
    ),
  ];
  assert.equal(commands.length, 1);
  const root = copyExample(folder(tmpdir(), 'drillyard-evidence-'));
  const { runDrills } = await import('../../src/index.js');
  await runDrills({ root, drills: ['refund-too-late'] });
  const reports = join(root, '.service/reports');
  const [report = ''] = readdirSync(reports).filter((name) => name.startsWith('run_'));
  const printed = execFileSync('bash', ['-c', commands[0] ?? ''], { cwd: join(reports, report), encoding: 'utf8' });
  const { result } = JSON.parse(readFileSync(join(reports, report, 'run.json'), 'utf8')) as { result?: unknown };
  assert.ok(/^[0-9a-f]{64}/.test(printed));
  assert.ok(JSON.stringify(result ?? readFileSync(join(reports, report, 'run.json'), 'utf8')).includes(printed.slice(0, 64)), printed);
});
