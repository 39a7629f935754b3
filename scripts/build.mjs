// Builds the project into dist/ (or, with `--out DIR`, into another folder directly below the root).
//   node scripts/build.mjs          everything type-checked and emitted by tspc: what is published and what CI tests
//   node scripts/build.mjs --fast   transpiled by esbuild without checking types, for the inner loop. Only src/contract, where
//                                   validators are generated from types, goes through tspc, and only when it has changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const outFlag = process.argv.indexOf('--out');
const out = outFlag > 0 ? process.argv[outFlag + 1] : 'dist';
const tspc = join(root, 'node_modules', '.bin', 'tspc');

const sources = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map((name) => join(folder, name))
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !/^(test|bench)\/fixtures\//.test(name))
        .sort()
    : [];

if (process.argv.includes('--fast')) await fast();
else full();
copyAssets();

function full() {
  // A file that left the source must leave the output too, or a test of it would go on running.
  for (const room of ['src', 'test', 'bench']) rmSync(join(out, room), { recursive: true, force: true });
  rmSync(join(out, '.tsbuildinfo'), { force: true });
  execFileSync(tspc, ['-p', 'tsconfig.json', '--outDir', out], { stdio: 'inherit' });
}

async function fast() {
  for (const room of ['src', 'test', 'bench']) rmSync(join(out, room), { recursive: true, force: true });
  const contract = sources('src/contract');
  const key = createHash('sha256');
  for (const name of [...contract, 'tsconfig.json']) key.update(name).update(readFileSync(name));
  const cache = join('.dev-contract', key.digest('hex').slice(0, 16));
  if (!existsSync(join(cache, 'src'))) {
    const staging = `${cache}-${process.pid}`;
    mkdirSync(staging, { recursive: true });
    try {
      execFileSync(tspc, ['-p', 'tsconfig.contract.json', '--outDir', staging], { stdio: 'inherit' });
    } catch {
      console.error('src/contract has type errors; emitted all the same');
    }
    rmSync(cache, { recursive: true, force: true });
    cpSync(staging, cache, { recursive: true });
    rmSync(staging, { recursive: true, force: true });
  }
  const rest = [...sources('src'), ...sources('test'), ...sources('bench')].filter((name) => !name.startsWith('src/contract/'));
  await build({
    entryPoints: rest,
    outdir: out,
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });
  cpSync(join(cache, 'src'), join(out, 'src'), { recursive: true });
}

/** Files that are read at run time and are not TypeScript. */
function copyAssets() {
  for (const folder of ['src', 'test', 'bench']) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder, { recursive: true })) {
      if (!/\.(css|html|svg|json|yaml|xsd|mjs|txt)$/.test(name)) continue;
      cpSync(join(folder, name), join(out, folder, name));
    }
  }
}
