// What an agent's module may import: by paths of its tsconfig.json, from packages of its workspace, TypeScript included; installed packages
// stay what they are.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runDrills } from '../../src/index.js';
import { createRepository, drill, moduleAgent, noteIs } from './repository.js';

test('paths of tsconfig.json and packages of the workspace are bundled, installed packages are not', async (t) => {
  const { root, remove } = createRepository({
    ...moduleAgent('agent', ''),
    'drillyard/agent.target.json': {
      schemaVersion: 1,
      target: { id: 'agent', kind: 'module', module: 'agents/agent.ts', bindings: ['direct'], timeoutMs: 20_000 },
    },
    'agents/agent.ts': `
      import { fromPaths } from '@/words';
      import { fromWorkspace, ownPlace } from '@acme/shared';
      import installed from 'installed';
      import { ServiceError } from 'drillyard';
      export default async (_: unknown, { world }: { world: { call(tool: string, operation: string, input: object): Promise<unknown> } }) => {
        const text: string = [fromPaths, fromWorkspace, ownPlace.endsWith('/packages/shared/src/index.ts'), installed.place, typeof ServiceError].join(' ');
        await world.call('notes', 'note.write', { id: 'a', text });
      };`,
    'tsconfig.json': { compilerOptions: { paths: { '@/*': ['./lib/*'] } } },
    'lib/words.ts': `export const fromPaths: string = 'paths';`,
    'packages/shared/package.json': { name: '@acme/shared', type: 'module', exports: './src/index.ts' },
    'packages/shared/src/index.ts': `enum Kind { Workspace = 'workspace' }\nexport const fromWorkspace: string = Kind.Workspace;\nexport const ownPlace: string = import.meta.url;`,
    'node_modules/installed/package.json': { name: 'installed', main: 'index.js' },
    'node_modules/installed/index.js': `module.exports = { place: __filename.endsWith('node_modules/installed/index.js') };`,
    ...drill('d', 'agent', [noteIs('a', 'paths workspace true true function')]),
  });
  t.after(remove);
  mkdirSync(join(root, 'node_modules/@acme'));
  symlinkSync('../../packages/shared', join(root, 'node_modules/@acme/shared'));
  symlinkSync(fileURLToPath(new URL('../../..', import.meta.url)), join(root, 'node_modules/drillyard'));
  const { verdict, drills } = await runDrills({ root });
  assert.equal(verdict, 'passed', JSON.stringify(drills[0]?.trials[0]?.attempts[0]?.result, null, 2));
});

/**
 * As it does where a module is nested so deeply that its stack, of 1 GB, is full. Both modules are read from pipes: their bundles are being
 * made when the bundler ends for the first time, and it ends again whenever the one that is to blame is read.
 */
test('a bundler that ends at an agent is that agent not loaded, in words, and no other agent', {
  skip: process.platform === 'win32',
  timeout: 120_000,
}, (t) => {
  const importing = (file: string) =>
    `import { text } from './${file}'; export default (_, { world }) => world.call('notes', 'note.write', { id: 'a', text });`;
  const { root, remove } = createRepository({
    ...moduleAgent('deep', ''),
    ...moduleAgent('good', ''),
    'agents/deep.mjs': importing('deep-pipe.mjs'),
    'agents/good.mjs': importing('good-pipe.mjs'),
    ...drill('deep', 'deep', [noteIs('a', 'x')]),
    ...drill('good', 'good', [noteIs('a', 'x')]),
  });
  t.after(remove);
  const pipes = ['deep-pipe.mjs', 'good-pipe.mjs'].map((name) => join(root, 'agents', name));
  for (const pipe of pipes) execFileSync('mkfifo', [pipe]);
  const module = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import childProcess, { execFileSync } from 'node:child_process';
    import { rmSync } from 'node:fs';
    import { open } from 'node:fs/promises';
    const { spawn } = childProcess;
    let bundler;
    childProcess.spawn = (file, ...rest) => {
      const child = spawn(file, ...rest);
      if (file.includes('esbuild')) bundler = child;
      return child;
    };
    const { runDrills } = await import(${module('../../src/index.js')});
    const [deep, good] = ${JSON.stringify(pipes)};
    const readOf = async (pipe) => {
      const writer = await open(pipe, 'w');
      rmSync(pipe);
      execFileSync('mkfifo', [pipe]);
      return async () => { await writer.writeFile("export const text = 'x';"); await writer.close(); };
    };
    const feed = async () => {
      const [deepRead, goodRead] = await Promise.all([readOf(deep), readOf(good)]);
      bundler.kill('SIGKILL');
      void deepRead();
      void goodRead();
      void readOf(good).then((read) => read());
      const again = await readOf(deep);
      bundler.kill('SIGKILL');
      void again();
    };
    void feed();
    const { drills } = await runDrills({ root: ${JSON.stringify(root)}, concurrency: 2 });
    const ends = drills.map(({ drillId, trials: [{ attempts: [{ result }] }] }) => [drillId, result.verdict, result.interactions[0].targetResult.error]);
    process.stdout.write(JSON.stringify(ends), () => process.kill(process.pid, 'SIGKILL'));
  `;
  // A thread of the pool waits in each pipe.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '16' };
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8', env });
  const [ofDeep, ofGood] = JSON.parse(stdout || JSON.stringify(stderr)) as [string, string, { code: string; message: string } | null][];
  assert.deepEqual(ofGood?.slice(0, 2), ['good', 'passed'], stdout);
  assert.deepEqual(ofDeep?.slice(0, 2), ['deep', 'inconclusive'], stdout);
  assert.equal(ofDeep?.[2]?.code, 'target.LOAD_FAILED');
  assert.match(ofDeep[2].message, /^The module "agents\/deep\.mjs" cannot be loaded: esbuild ended while it read the module/);
});
