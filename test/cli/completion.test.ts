// Completion in the shells themselves, each asked what it would offer; a shell that is not on the machine is skipped.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createRepository, drill, moduleAgent, noteIs } from '../drills/repository.js';
import { nodeArguments } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const { root, remove } = createRepository({
  ...moduleAgent('agent', ''),
  ...drill('refund-once', 'agent', [noteIs('a', 'x')], { tags: ['money'] }),
  ...drill('refund-twice', 'agent', [noteIs('a', 'x')], { cases: [{ id: 'card' }] }),
  'drillyard/nightly.suite.yaml': 'schemaVersion: 1\nid: nightly\n',
  'other.json': { schemaVersion: 1, sourceRoot: 'other' },
  'other/weekly.suite.yaml': 'schemaVersion: 1\nid: weekly\n',
  'drillyard/odd.suite.yaml': 'schemaVersion: 1\nid: "$(touch pwned) x"\n',
});
const folder = mkdtempSync(join(tmpdir(), 'drillyard-completion-'));
const scripts: { [shell: string]: string } = {};
const elsewhere = join(folder, 'elsewhere');
before(async () => {
  for (const id of [1, 2]) mkdirSync(join(root, `.service/reports/run_00000000000${id}`), { recursive: true });
  mkdirSync(join(elsewhere, 'drillyard'), { recursive: true });
  writeFileSync(join(elsewhere, 'drillyard.json'), '{"schemaVersion": 1}');
  writeFileSync(join(elsewhere, 'drillyard/solo.suite.yaml'), 'schemaVersion: 1\nid: solo\n');
  // A program of that name, for the shells to call.
  const program = join(folder, 'drillyard');
  const words = [process.execPath, ...nodeArguments].map((word) => `'${word}'`).join(' ');
  writeFileSync(program, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await warmDrillyard(['completion', shell]);
    assert.equal(code, 0);
    scripts[shell] = join(folder, `script.${shell}`);
    writeFileSync(scripts[shell], stdout);
  }
});
after(() => {
  remove();
  rmSync(folder, { recursive: true, force: true });
});
/** Of the repository, but for hidden ones. */
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  .map(({ name }) => name)
  .sort();
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, HOME: folder, ZDOTDIR: folder };

function inBash(words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const script = `source ${scripts.bash}; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _drillyard; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env, cwd: root });
  assert.equal(stderr, '');
  return stdout
    .split('\n')
    .filter((word) => word !== '')
    .sort();
}

/** What the function would add is caught where zsh would be given it. */
function inZsh(words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const current = (words.at(-1) ?? '').replace(/^--.*=/, '');
  const script = `compdef() { }; compset() { }; compadd() { shift; print -l -- "$@"; }; _files() { print files; }; source ${scripts.zsh}; words=(${line}); CURRENT=${words.length}; _drillyard`;
  const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', script], { encoding: 'utf8', env, cwd: root });
  assert.equal(stderr, '');
  return stdout
    .split('\n')
    .filter((word) => word !== '' && word.startsWith(current))
    .sort();
}

function inFish(words: string[]): string[] {
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', `source ${scripts.fish}; complete -C '${words.join(' ')}'`], {
    encoding: 'utf8',
    env,
    cwd: root,
  });
  assert.equal(stderr, '');
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] as string)
    .sort();
}

for (const [shell, offers] of [
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
] as const) {
  test(`${shell} offers commands, options, choices and ids of the project`, { skip: !has(shell) }, () => {
    assert.deepEqual(offers(['drillyard', 'rep']), ['replay', 'report']);
    assert.deepEqual(offers(['drillyard', 'report', 'ver']), ['verify']);
    assert.deepEqual(
      offers(['drillyard', 'run', '--repo']).filter((word) => word.startsWith('--')),
      ['--report-dir', '--reporter'],
    );
    assert.deepEqual(offers(['drillyard', 'run', '--isolate', '']), ['box', 'process', 'thread']);
    assert.deepEqual(offers(['drillyard', 'run', '--suite', 'n']), ['nightly']);
    assert.deepEqual(offers(['drillyard', 'plan', '--tag', 'm']), ['money']);
    assert.deepEqual(offers(['drillyard', 'run', 'refund-o']), ['refund-once']);
    assert.deepEqual(offers(['drillyard', 'refund-t']), ['refund-twice', 'refund-twice-card']);
    assert.deepEqual(offers(['drillyard', 'init', '--template', 'p']), ['payments', 'python']);
    assert.deepEqual(offers(['drillyard', 'completion', 'f']), ['fish']);
    assert.ok(!existsSync(join(root, 'pwned')));
  });

  test(`${shell} offers hidden folders only where a dot is typed, and no files as folders`, {
    skip: !has(shell) || shell === 'zsh',
  }, () => {
    const bare = (word: string) => word.replace(/\/$/, '');
    assert.deepEqual(offers(['drillyard', 'run', '--root', '']).map(bare), folders);
    assert.deepEqual(
      offers(['drillyard', 'run', '--root', './']).map(bare),
      folders.map((name) => `./${name}`),
    );
    assert.ok(offers(['drillyard', 'run', '--root', '.s']).map(bare).includes('.service'));
    assert.deepEqual(
      offers(['drillyard', 'report', 'verify', '']).map(bare),
      [...folders, 'latest', 'run_000000000001', 'run_000000000002'].sort(),
    );
    if (shell === 'bash') assert.ok(!offers(['drillyard', 'run', '--config', '']).includes('.service'));
  });

  test(`${shell} offers reporters, runs, and what an option with = may hold`, { skip: !has(shell) }, () => {
    assert.deepEqual(offers(['drillyard', 'run', '--reporter', 'j']), ['json', 'junit']);
    assert.deepEqual(offers(['drillyard', 'report', 'compare', 'run_']), ['run_000000000001', 'run_000000000002']);
    const [own, joined] =
      shell === 'bash'
        ? [
            ['--suite', '=', 'n'],
            ['--root', '=', elsewhere],
          ]
        : [['--suite=n'], [`--root=${elsewhere}`]];
    assert.deepEqual(
      offers(['drillyard', 'run', ...own]).map((word) => word.replace('--suite=', '')),
      ['nightly'],
    );
    assert.deepEqual(offers(['drillyard', 'run', ...joined, '--suite', '']), ['solo']);
  });

  test(`${shell} asks the root file that --config names, and knows the folder ~`, { skip: !has(shell) }, () => {
    assert.deepEqual(offers(['drillyard', 'run', '--config', 'other.json', '--suite', '']), ['weekly']);
    assert.deepEqual(offers(['drillyard', 'run', '--root', '~/elsewhere', '--suite', '']), ['solo']);
  });

  test(`${shell} asks the repository that --root names`, { skip: !has(shell) }, () => {
    assert.deepEqual(offers(['drillyard', 'run', '--root', root, '--suite', 'n']), ['nightly']);
  });
}

test('complete lists ids, writes nothing, and says nothing of what is broken', async () => {
  const ids = async (kind: string, ...more: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await warmDrillyard(['complete', kind, ...more], { cwd: root });
    assert.deepEqual([code, stderr], [0, '']);
    return stdout.split('\n').filter((id) => id !== '');
  };
  assert.deepEqual(await ids('drills'), ['refund-once', 'refund-twice', 'refund-twice-card']);
  assert.deepEqual(await ids('targets'), ['agent']);
  assert.deepEqual(await ids('suites'), ['nightly']);
  assert.deepEqual(await ids('library'), [
    'library:github',
    'library:mailbox',
    'library:notion',
    'library:payments',
    'library:slack',
    'library:stripe',
    'library:ticket-desk',
  ]);
  assert.deepEqual(await ids('drills', '--root', '/nowhere'), []);
  assert.deepEqual(await ids('runs'), ['latest', 'run_000000000001', 'run_000000000002']);
  assert.deepEqual(readdirSync(join(root, '.service')), ['reports']);
});

test('the hidden command is in no help', async () => {
  const { stdout } = await warmDrillyard(['--help']);
  assert.match(stdout, /completion <shell>/);
  assert.doesNotMatch(stdout, /\bcomplete\b/);
});
