// `init`: every template runs as it is written, in a folder that was empty.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { agentKinds, ciSystems, templateNames } from '../../src/cli/init-command.js';
import { createProgram } from '../../src/cli/program.js';
import { compileProject } from '../../src/compiler/compile.js';
import { drillyard, jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const cleanUp: (() => void)[] = [];
after(() => {
  for (const clean of cleanUp) clean();
});
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'drillyard-init-'));
  cleanUp.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
/** The source is without any finding, and what it says passes. */
async function passes(cwd: string): Promise<void> {
  assert.deepEqual((await compileProject({ root: cwd })).diagnostics, []);
  const { code, stdout, stderr } = await warmDrillyard(['run', '--json'], { cwd });
  assert.equal(code, 0, stdout + stderr);
  assert.equal(jsonLines(stdout).at(-1)?.passed, 1);
}

const variants = [...templateNames.map((name) => ['--template', name]), ...agentKinds.map((kind) => ['--agent', kind])];
for (const flags of variants) {
  test(`${flags.join(' ')}: passes at once`, async () => {
    const cwd = folder();
    const { code, stdout } = await warmDrillyard(['init', 'mine', ...flags, '--yes'], { cwd });
    assert.equal(code, 0);
    const agent = /place of (\S+)\.$/m.exec(stdout)?.[1] ?? 'none';
    assert.ok(existsSync(join(cwd, 'mine', agent)), stdout);
    await passes(join(cwd, 'mine'));
  });
}

test('the choices of the flags are those there are', () => {
  const init = createProgram({ version: '0', finish: () => {} }).commands.find((command) => command.name() === 'init');
  const choices = Object.fromEntries((init?.options ?? []).map((option) => [option.long, option.argChoices]));
  assert.deepEqual([choices['--template'], choices['--agent'], choices['--ci']], [[...templateNames], [...agentKinds], [...ciSystems]]);
});

test('nothing is written over but with --force', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'drillyard.json'), 'mine');
  const refused = await drillyard(['init', '--yes'], { cwd });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /already has drillyard\.json; nothing was written\. Name another folder, or write over with --force\./);
  assert.equal(existsSync(join(cwd, 'agents')), false);
  assert.equal(readFileSync(join(cwd, 'drillyard.json'), 'utf8'), 'mine');
  const forced = await warmDrillyard(['init', '--yes', '--force'], { cwd });
  assert.equal(forced.code, 0);
  assert.match(forced.stdout, /^drillyard\.json is written over\.$/m);
  await passes(cwd);
});

test('a .gitignore that is there is no conflict and loses nothing, with --force or without', async () => {
  const cwd = folder();
  // Latin-1, and no end of the last line.
  const mine = Buffer.from('my secrets \xe9\r\n/node_modules', 'latin1');
  writeFileSync(join(cwd, '.gitignore'), mine);
  const { code, stdout } = await warmDrillyard(['init', '--yes'], { cwd });
  assert.equal(code, 0);
  assert.match(stdout, /^\.service\/, __pycache__\/ added to \.gitignore\.$/m);
  const expected = Buffer.concat([mine, Buffer.from('\r\n.service/\r\n__pycache__/\r\n')]);
  assert.deepEqual(readFileSync(join(cwd, '.gitignore')), expected);
  assert.equal((await warmDrillyard(['init', '--yes', '--force'], { cwd })).code, 0);
  assert.deepEqual(readFileSync(join(cwd, '.gitignore')), expected);
});

test('where Drillyard is a dependency, the next step is one that works there', async () => {
  const cwd = folder();
  mkdirSync(join(cwd, 'node_modules/drillyard'), { recursive: true });
  writeFileSync(join(cwd, 'node_modules/drillyard/package.json'), '{}');
  assert.match((await warmDrillyard(['init', 'drills', '--yes'], { cwd })).stdout, /^ {2}cd drills\n {2}npx drillyard run$/m);
  assert.match((await warmDrillyard(['init', '--yes'], { cwd: folder() })).stdout, /^ {2}drillyard run$/m);
});

test('every authored file names its JSON Schema, where Drillyard is or will be installed', async () => {
  const root = folder();
  const named = (name: string): { [file: string]: string | undefined } =>
    Object.fromEntries(
      (readdirSync(join(root, name), { recursive: true }) as string[])
        .filter((file) => /\.(yaml|json)$/.test(file))
        .sort()
        .map((file) => [
          file,
          /(?:^# yaml-language-server: \$schema=|^\{\n {2}"\$schema": ")([^"\n]+)/.exec(readFileSync(join(root, name, file), 'utf8'))?.[1],
        ]),
    );
  assert.equal((await warmDrillyard(['init', 'alone', '--template', 'payments', '--yes'], { cwd: root })).code, 0);
  mkdirSync(join(root, 'node_modules/drillyard/docs'), { recursive: true });
  symlinkSync(fileURLToPath(new URL('../../../docs/schemas', import.meta.url)), join(root, 'node_modules/drillyard/docs/schemas'));
  assert.equal((await warmDrillyard(['init', 'within', '--template', 'payments', '--yes'], { cwd: root })).code, 0);
  const below = (up: string, kind: string): string => `${up}node_modules/drillyard/docs/schemas/${kind}.schema.json`;
  const files = [
    ['drillyard.json', 'drillyard', './'],
    ['drillyard/drills/refund-once.drill.yaml', 'drill', '../../'],
    ['drillyard/scenarios/answer-lost.scenario.yaml', 'scenario', '../../'],
    ['drillyard/suites/default.suite.yaml', 'suite', '../../'],
    ['drillyard/targets/support-agent.target.yaml', 'target', '../../'],
    ['drillyard/world.yaml', 'world', '../'],
  ] as const;
  assert.deepEqual(named('alone'), Object.fromEntries(files.map(([file, kind, up]) => [file, below(up, kind)])));
  const within = named('within');
  assert.deepEqual(within, Object.fromEntries(files.map(([file, kind, up]) => [file, below(`../${up === './' ? '' : up}`, kind)])));
  for (const [file, schema] of Object.entries(within)) assert.ok(existsSync(join(root, 'within', dirname(file), schema ?? '')), file);
});

test("under Plug'n'Play no file names a schema, wherever yarn keeps the package that runs", async () => {
  const root = folder();
  writeFileSync(join(root, '.pnp.cjs'), '');
  const unplugged = join(root, '.yarn/unplugged/drillyard-npm-0.1.0-1/node_modules');
  mkdirSync(unplugged, { recursive: true });
  symlinkSync(fileURLToPath(new URL('../../..', import.meta.url)), join(unplugged, 'drillyard'), 'junction');
  const words = [join(unplugged, 'drillyard/bin/drillyard.js'), 'init', '--template', 'payments', '--yes'];
  const links = ['--preserve-symlinks', '--preserve-symlinks-main'];
  const { status, stderr } = spawnSync(process.execPath, [...links, ...words], { cwd: root, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  for (const file of ['drillyard.json', 'drillyard/world.yaml'])
    assert.ok(!readFileSync(join(root, file), 'utf8').includes('$schema'), file);
  await passes(root);
});

test('--agent is of one template', async () => {
  const { code, stderr } = await drillyard(['init', '--template', 'mcp', '--agent', 'command', '--yes'], { cwd: folder() });
  assert.equal(code, 2);
  assert.match(stderr, /leave --agent out/);
});

// The files of a repository, what its workflow then installs, and how it starts Drillyard.
const npx = 'DRILLYARD=npx --no-install drillyard';
const installs: [files: string[], commands: string[]][] = [
  [[], ['npx --no-install drillyard --version', npx]],
  [['package.json'], ['npm install', 'npx --no-install drillyard --version', npx]],
  [
    ['package.json', 'package-lock.json'],
    ['npm ci', 'npx --no-install drillyard --version', npx],
  ],
  [
    ['package.json', 'pnpm-lock.yaml'],
    ['corepack enable', 'pnpm install --frozen-lockfile', 'npx --no-install drillyard --version', npx],
  ],
  [
    ['package.json', 'yarn.lock'],
    ['corepack enable', 'yarn install --frozen-lockfile', 'npx --no-install drillyard --version', npx],
  ],
  [
    ['package.json', 'yarn.lock', '.pnp.cjs'],
    ['corepack enable', 'yarn install --frozen-lockfile', 'yarn drillyard --version', 'DRILLYARD=yarn drillyard'],
  ],
  [
    ['package.json', 'bun.lock'],
    ['npm install --global bun', 'bun install --frozen-lockfile', 'npx --no-install drillyard --version', npx],
  ],
];
/** Each package manager says how it is called, and installs nothing. */
function installCommands(script: string, files: string[]): string[] {
  const cwd = folder();
  for (const file of files) writeFileSync(join(cwd, file), '');
  const stubs = ['npm', 'npx', 'pnpm', 'yarn', 'bun', 'corepack'].map((name) => `${name}() { echo "${name} $*"; }`).join('\n');
  const environment = join(cwd, 'environment');
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', `${stubs}\n${script}`], {
    cwd,
    env: { ...process.env, GITHUB_ENV: environment },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return [...stdout.trimEnd().split('\n'), readFileSync(environment, 'utf8').trimEnd()];
}

test('--ci github: a workflow whose drill step passes, also for a repository that is there', async () => {
  const cwd = folder();
  assert.equal((await warmDrillyard(['init', '--yes'], { cwd })).code, 0);
  const { code, stdout } = await warmDrillyard(['init', '--ci', 'github', '--yes'], { cwd });
  assert.equal(code, 0);
  assert.match(stdout, /^1 file written\. Next:\nCommit \.github\/workflows\/drills\.yaml/);
  const workflow = parse(readFileSync(join(cwd, '.github/workflows/drills.yaml'), 'utf8'));
  const { steps } = workflow.jobs.drills as { steps: { name?: string; run?: string; uses?: string; with?: { [name: string]: unknown } }[] };
  const install = steps.find(({ name }) => name === 'Install')?.run ?? '';
  assert.match(install, /npm install \$missing drillyard@\d+\.\d+\.\d+\n/);
  const words = /^\$DRILLYARD (.*)$/.exec(steps.find(({ name }) => name === 'Run the drills')?.run ?? '')?.[1]?.split(' ') ?? [];
  for (const [files, commands] of installs) assert.deepEqual(installCommands(install, files), commands, files.join(', '));
  const summary = join(cwd, 'summary.md');
  const run = await warmDrillyard(words, { cwd, env: { GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: cwd } });
  assert.equal(run.code, 0, run.stderr);
  assert.match(readFileSync(summary, 'utf8'), /^## ✅ Drillyard: 1 passed/);
  const upload = steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'))?.with;
  assert.ok(existsSync(join(cwd, String(upload?.path), 'junit.xml')));
  assert.equal(upload?.['include-hidden-files'], true);
  assert.equal((await warmDrillyard(['init', '--ci', 'github', '--yes'], { cwd })).code, 2);
  // With the repository at once.
  const both = folder();
  await warmDrillyard(['init', '--template', 'payments', '--ci', 'github', '--yes'], { cwd: both });
  assert.ok(existsSync(join(both, '.github/workflows/drills.yaml')));
  await passes(both);
});

test('--ci github in a folder of a checkout says that GitHub looks for workflows at the root of it alone', async () => {
  const checkout = folder();
  const cwd = join(checkout, 'packages/bot');
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(checkout, '.git'));
  const { stdout } = await warmDrillyard(['init', '--ci', 'github', '--yes'], { cwd });
  assert.match(stdout, /Move \.github\/workflows\/drills\.yaml to \.\.\/\.\.\/\.github\/workflows, the only folder/);
  assert.match(stdout, /what is in packages\/bot: its 'working-directory'/);
  assert.doesNotMatch(stdout, /Commit /);
  mkdirSync(join(cwd, '.git'));
  const own = await warmDrillyard(['init', '--ci', 'github', '--yes', '--force'], { cwd });
  assert.match(own.stdout, /Commit \.github\/workflows\/drills\.yaml: GitHub then runs/);
});

test('what cannot be written is said in a sentence; a folder that looks like an option is gone to', async () => {
  const cwd = folder();
  mkdirSync(join(cwd, 'taken/drillyard.json'), { recursive: true });
  const refused = await warmDrillyard(['init', 'taken', '--yes', '--force'], { cwd });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /The file \S+drillyard\.json cannot be written: a folder is in its place\./);
  const made = await warmDrillyard(['init', '--yes', '--', '-dash'], { cwd });
  assert.match(made.stdout, /^ {2}cd \.\/-dash$/m);
});
