// `drillyard tool add`: from a folder, from a tarball that npm made, through npm from a registry, from a repository of git; pinned, and the
// pin held against the files; what is refused changes nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { compileProject } from '../../src/compiler/compile.js';
import { createRepository, notesTool, type Repository } from '../drills/repository.js';
import { jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

interface Entry {
  name: string;
  type?: 'symlink' | 'link';
  linkname?: string;
}
const behavior = `export default { operations: { 'stamp.put': (input, context) => { context.state.put('stamps', input.id, {}); return {}; } } };`;
const id = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const toolFile = {
  schemaVersion: 1,
  module: './behavior.js',
  manifest: {
    schemaVersion: 1,
    id: 'stamps',
    version: '2.1.0',
    engine: '*',
    capabilities: ['state.write'],
    state: [{ namespace: 'stamps', schema: { type: 'object' } }],
    operations: [{ id: 'stamp.put', inputSchema: id, outputSchema: {}, idempotency: 'none', fidelity: 'test' }],
  },
};
const packageJson = {
  name: '@acme/stamps',
  version: '2.1.0',
  type: 'module',
  scripts: { prepack: 'touch ran-prepack', install: 'touch ran-install', prepare: 'touch ran-prepare' },
  drillyard: { layer: 'tool-pack', tool: 'stamps.tool.json', lifecycle: 'active' },
};

/** A folder of its own with the package, below the folder that is given. */
function packageIn(folder: string, changes: { [path: string]: string } = {}): string {
  mkdirSync(folder, { recursive: true });
  const files = {
    'package.json': JSON.stringify(packageJson),
    'stamps.tool.json': JSON.stringify(toolFile),
    'behavior.js': behavior,
    'README.md': '# Stamps\n',
    ...changes,
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content);
  return folder;
}

function place(t: TestContext): { repository: Repository; elsewhere: string } {
  const repository = createRepository();
  const elsewhere = mkdtempSync(join(tmpdir(), 'drillyard-elsewhere-'));
  t.after(() => {
    repository.remove();
    rmSync(elsewhere, { recursive: true, force: true });
  });
  return { repository, elsewhere };
}

const add = ({ root }: Repository, source: string, ...more: string[]) =>
  warmDrillyard(['tool', 'add', source, '--root', root, '--json', ...more]);
const rootFile = ({ root }: Repository) => JSON.parse(readFileSync(join(root, 'drillyard.json'), 'utf8'));
const validates = async ({ root }: Repository) => (await warmDrillyard(['validate', '--root', root])).code === 0;
const npm = (args: string[], cwd: string) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const git = (args: string[], cwd: string) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim();

/** Every file of the repository, so that nothing that changed escapes. */
function everything(root: string): { [path: string]: string } {
  const files: { [path: string]: string } = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files[path] = readFileSync(path, 'utf8');
  }
  return files;
}

// TOOL-ADD-COMMAND-2
test('a folder from elsewhere is copied and pinned; a change of it does not compile until it is pinned again', async (t) => {
  const { repository, elsewhere } = place(t);
  const folder = packageIn(join(elsewhere, 'stamps'));
  const { code, stdout, stderr } = await add(repository, folder);
  assert.equal(code, 0, stderr);
  const [line] = jsonLines(stdout);
  const { toolPackages, toolPins } = rootFile(repository);
  const entry = './tool-packages/stamps';
  assert.deepEqual([line?.package, line?.version, line?.entry, line?.isListed, line?.files], ['stamps', '2.1.0', entry, false, 4]);
  assert.deepEqual(toolPackages, ['./notes', entry]);
  assert.deepEqual(toolPins, { [entry]: { digest: line?.digest } });
  assert.ok(await validates(repository));
  // What a push sends of it is what is pinned.
  const { files } = await compileProject({ root: repository.root });
  for (const path of ['drillyard.json', ...files.files]) cpSync(join(repository.root, path), join(elsewhere, 'pushed', path));
  const pushed = await compileProject({ root: join(elsewhere, 'pushed'), contained: true });
  assert.deepEqual(
    [pushed.build?.buildHash, pushed.diagnostics.filter(({ code }) => code === 'DY5034')],
    [(await compileProject({ root: repository.root })).build?.buildHash, []],
  );

  repository.write('tool-packages/stamps/README.md', '# Other words\n');
  assert.ok(await validates(repository), 'documentation is not pinned');
  repository.write('tool-packages/stamps/behavior.js', `${behavior}\n// changed`);
  const changed = await warmDrillyard(['validate', '--root', repository.root, '--json']);
  assert.equal(changed.code, 2);
  assert.match(changed.stdout, /"DY5034"/);

  const refused = await add(repository, folder);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /was changed since it was added; --force replaces it/);
  const again = await add(repository, entry);
  assert.equal(again.code, 0, again.stderr);
  assert.notEqual(jsonLines(again.stdout)[0]?.digest, line?.digest);
  assert.ok(await validates(repository));
  assert.equal((await add(repository, folder, '--force')).code, 0);
  assert.equal(rootFile(repository).toolPins[entry].digest, line?.digest);
});

test('a repository that init made takes a package, and its root file keeps the address of its schema', async (t) => {
  const { elsewhere } = place(t);
  const root = join(elsewhere, 'made');
  assert.equal((await warmDrillyard(['init', root])).code, 0);
  const { $schema } = JSON.parse(readFileSync(join(root, 'drillyard.json'), 'utf8'));
  assert.match($schema, /drillyard\.schema\.json$/);
  const { code, stderr } = await warmDrillyard(['tool', 'add', packageIn(join(elsewhere, 'stamps')), '--root', root]);
  assert.equal(code, 0, stderr);
  const settings = JSON.parse(readFileSync(join(root, 'drillyard.json'), 'utf8'));
  assert.deepEqual([settings.$schema, settings.toolPackages.at(-1)], [$schema, './tool-packages/stamps']);
  assert.deepEqual((await compileProject({ root })).diagnostics, []);
});

test('a folder of the repository stays where it is; a package of the library has no pin', async (t) => {
  const { repository } = place(t);
  packageIn(join(repository.root, 'vendor/stamps'));
  const { code, stderr } = await add(repository, './vendor/stamps');
  assert.equal(code, 0, stderr);
  assert.equal((await add(repository, 'library:slack')).code, 0);
  const { toolPackages, toolPins } = rootFile(repository);
  assert.deepEqual(toolPackages, ['./notes', './vendor/stamps', 'library:slack']);
  assert.deepEqual(Object.keys(toolPins), ['./vendor/stamps']);
  assert.ok(!existsSync(join(repository.root, 'tool-packages')));
});

test('a tarball that npm has packed', async (t) => {
  const { repository, elsewhere } = place(t);
  const folder = packageIn(join(elsewhere, 'stamps'));
  npm(['pack', '--ignore-scripts', '--pack-destination', elsewhere], folder);
  const { code, stderr, stdout } = await add(repository, join(elsewhere, 'acme-stamps-2.1.0.tgz'));
  assert.equal(code, 0, stderr);
  const fromFolder = await warmDrillyard(['tool', 'inspect', folder, '--json']);
  // npm writes the package.json as it is.
  assert.equal(jsonLines(stdout)[0]?.digest, jsonLines(fromFolder.stdout)[0]?.pin);
  assert.ok(await validates(repository));
});

test("npm gives a version through its own client, with the repository's configuration, and no script is run", async (t) => {
  const { repository, elsewhere } = place(t);
  const folder = packageIn(join(elsewhere, 'stamps'));
  npm(['pack', '--ignore-scripts', '--pack-destination', elsewhere], folder);
  const tarball = readFileSync(join(elsewhere, 'acme-stamps-2.1.0.tgz'));
  const credentials: (string | undefined)[] = [];
  const registry = createServer((request, response) => {
    credentials.push(request.headers.authorization);
    if (request.url === '/@acme%2fstamps') {
      const dist = {
        tarball: `${origin()}/stamps.tgz`,
        integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
        shasum: createHash('sha1').update(tarball).digest('hex'),
      };
      response.setHeader('content-type', 'application/json');
      return response.end(
        JSON.stringify({ name: '@acme/stamps', 'dist-tags': { latest: '2.1.0' }, versions: { '2.1.0': { ...packageJson, dist } } }),
      );
    }
    if (request.url === '/stamps.tgz') return response.end(tarball);
    response.statusCode = 404;
    return response.end('{}');
  });
  const origin = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
  t.after(() => registry.close());
  const host = origin().slice('http:'.length);
  repository.write('.npmrc', `@acme:registry=${origin()}/\n${host}/:_authToken=open-sesame\ncache=${join(elsewhere, 'cache')}\n`);
  repository.write('package.json', { name: 'mine', private: true });

  const { code, stdout, stderr } = await add(repository, '@acme/stamps@^2.0.0');
  assert.equal(code, 0, stderr);
  const [line] = jsonLines(stdout);
  assert.deepEqual([line?.from, line?.version], ['npm:@acme/stamps@2.1.0', '2.1.0']);
  assert.deepEqual(rootFile(repository).toolPins['./tool-packages/stamps'], { digest: line?.digest, from: 'npm:@acme/stamps@2.1.0' });
  assert.ok(credentials.length > 0 && credentials.every((credential) => credential === 'Bearer open-sesame'), String(credentials));
  const ran = Object.keys(everything(repository.root)).filter((path) => path.includes('ran-'));
  assert.deepEqual(ran, []);
  assert.ok(await validates(repository));

  const before = everything(repository.root);
  const absent = await add(repository, '@acme/stamps@9.9.9');
  assert.equal(absent.code, 2);
  assert.match(absent.stderr, /npm has not given @acme\/stamps@9\.9\.9: .*No matching version/);
  assert.deepEqual(everything(repository.root), before);
});

test('git gives a branch, a tag or a commit, and a folder in it; the pin names the commit', async (t) => {
  const { repository, elsewhere } = place(t);
  const origin = join(elsewhere, 'origin.git');
  packageIn(join(origin, 'packages/stamps'));
  symlinkSync('/etc', join(origin, 'elsewhere'));
  git(['init', '--quiet'], origin);
  git(['add', '.'], origin);
  git(['commit', '--quiet', '-m', 'one'], origin);
  git(['tag', 'v2'], origin);
  const first = git(['rev-parse', 'HEAD'], origin);
  writeFileSync(join(origin, 'packages/stamps/behavior.js'), `${behavior}\n// two`);
  git(['commit', '--quiet', '-am', 'two'], origin);
  const second = git(['rev-parse', 'HEAD'], origin);
  const url = `file://${origin}`;

  const tagged = await add(repository, `${url}#v2`, '--folder', 'packages/stamps');
  assert.equal(tagged.code, 0, tagged.stderr);
  const branch = await add(repository, `git+${url}#main`, '--folder', 'packages/stamps');
  assert.equal(branch.code, 0, branch.stderr);
  // What a server gives by its hash alone is asked for with all of its branches.
  const commit = await add(repository, `git+${url}#${first}`, '--folder', './packages/stamps/');
  assert.equal(commit.code, 0, commit.stderr);
  const [one] = jsonLines(tagged.stdout);
  const [two] = jsonLines(branch.stdout);
  const [three] = jsonLines(commit.stdout);
  assert.deepEqual([one?.from, two?.from, three?.from], [`git+${url}#${first}`, `git+${url}#${second}`, `git+${url}#${first}`]);
  assert.notEqual(one?.digest, two?.digest);
  assert.equal(one?.digest, three?.digest);
  assert.deepEqual([one?.isListed, two?.isListed], [false, true]);
  assert.deepEqual(rootFile(repository).toolPackages, ['./notes', './tool-packages/stamps']);
  assert.ok(await validates(repository));
  const missing = await add(repository, `${url}#no-such-branch`);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /git has not given file:\/\/.*no-such-branch: .*couldn't find remote ref/);
});

// TOOL-ADD-COMMAND-1
test('what does not compile, alone or in the repository, changes nothing', async (t) => {
  const { repository, elsewhere } = place(t);
  const before = everything(repository.root);
  const broken = await add(repository, packageIn(join(elsewhere, 'broken'), { 'behavior.js': 'import "node:fs"; export default {};' }));
  assert.equal(broken.code, 2);
  assert.match(broken.stdout, /"DY6002"/);
  // An id that a tool of the repository has.
  const twice = join(elsewhere, 'twice');
  cpSync(join(repository.root, 'notes'), twice, { recursive: true });
  const second = await add(repository, twice);
  assert.equal(second.code, 2);
  assert.match(second.stdout, /"DY3001"/);
  assert.deepEqual(everything(repository.root), before);
  assert.equal(notesTool.manifest.id, 'notes');
});

// UNPACK-TAR-1
test('archives that lead out, hold links, are too many or no archives are refused, and change nothing', async (t) => {
  const { repository, elsewhere } = place(t);
  const before = everything(repository.root);
  const archive = async (entries: [Entry, string?][], bytes?: Buffer): Promise<string> => {
    const file = join(elsewhere, 'x.tgz');
    const packed = pack();
    for (const [header, content = ''] of entries) packed.entry(header, content);
    packed.finalize();
    const pieces: Buffer[] = [];
    for await (const piece of packed) pieces.push(piece as Buffer);
    writeFileSync(file, bytes ?? gzipSync(Buffer.concat(pieces)));
    return file;
  };
  const sound: [Entry, string?][] = [
    [{ name: 'package/package.json' }, JSON.stringify(packageJson)],
    [{ name: 'package/stamps.tool.json' }, JSON.stringify(toolFile)],
    [{ name: 'package/behavior.js' }, behavior],
  ];
  const refusals: [() => Promise<string>, RegExp][] = [
    [() => archive([...sound, [{ name: 'package/../../outside.js' }, 'x']]), /leads out of it/],
    [() => archive([...sound, [{ name: '/etc/outside.js' }, 'x']]), /leads out of it/],
    [() => archive([...sound, [{ name: 'package/x.js', type: 'symlink', linkname: '/etc/passwd' }]]), /links are not followed/],
    [() => archive([...sound, [{ name: 'package/x.js', type: 'link', linkname: 'package/behavior.js' }]]), /links are not followed/],
    [() => archive([], Buffer.from('no archive at all, whatever its name says')), /no tar archive/],
    [() => archive([], gzipSync(Buffer.alloc(200 * 1024 * 1024))), /too large/],
    [() => archive(Array.from({ length: 10_001 }, (_, index) => [{ name: `package/f${index}` }])), /more than 10000 files/],
  ];
  for (const [make, words] of refusals) {
    const { code, stderr } = await add(repository, await make());
    assert.equal(code, 2, String(words));
    assert.match(stderr, words);
  }
  assert.deepEqual(everything(repository.root), before);
  assert.ok(!existsSync(join(repository.root, '../outside.js')));
  assert.equal((await add(repository, await archive(sound))).code, 0);
});

test('what names no package is bad usage', async (t) => {
  const { repository } = place(t);
  for (const source of [
    './no-such-folder',
    'no-such.tgz',
    'two words',
    'https://example.com/x',
    'git+https://example.com/x.git#-b',
    'npm:--x',
  ])
    assert.equal((await add(repository, source)).code, 2, source);
});
