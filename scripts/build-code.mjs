// The code of each source file in the output, made again where its source has changed.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { makeContract } from './build-contract.mjs';
import { hashOf } from './build-sources.mjs';

const isContract = (name) => name.startsWith('src/contract/');
const codeOf = (name) => name.replace(/\.ts$/, '.js');

/**
 * `sources`: hash by source. `before`: what this gave at the last build into `out`; undefined where there was none. Gives the version of
 * each source's code, and the sources whose code is another now.
 */
export async function emitCode(out, sources, before) {
  const names = [...sources.keys()];
  const contract = await makeContract(names.filter(isContract));
  // A type of one file is in the validators of others: of the contract the code counts, not the source.
  const versionOf = (name) => (isContract(name) ? hashOf(join(contract, codeOf(name))) : sources.get(name));
  const versions = Object.fromEntries(names.map((name) => [name, versionOf(name)]));
  const changed = names.filter((name) => before?.[name] !== versions[name] || !existsSync(join(out, codeOf(name))));
  for (const name of changed.filter(isContract))
    for (const file of [codeOf(name), `${codeOf(name)}.map`]) cpSync(join(contract, file), join(out, file));
  await compile(
    out,
    changed.filter((name) => !isContract(name)),
  );
  dropOrphans(out, versions);
  return { versions, changed };
}

/** Also of the entries, which the bundler has turned into one line each. */
export async function compile(out, entryPoints) {
  if (entryPoints.length === 0) return;
  await build({
    entryPoints,
    outdir: out,
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });
}

/** What has no source must leave the output, wherever it came from: a test of it would keep running, and it would be published. */
function dropOrphans(out, versions) {
  for (const folder of ['src', 'test', 'bench']) {
    if (!existsSync(join(out, folder))) continue;
    for (const name of readdirSync(join(out, folder), { recursive: true })) {
      const path = join(folder, name);
      const source = path.replace(/\.(?:js|js\.map|d\.ts)$/, '.ts');
      if (source === path || source in versions || isMadeOtherwise(path)) continue;
      rmSync(join(out, path), { force: true });
    }
  }
}

/** By vendor.mjs, by build.mjs, and by a run of the tests. */
const isMadeOtherwise = (path) =>
  path.startsWith(join('src', 'vendor', '/')) ||
  path.split('/').some((part) => part.startsWith('.')) ||
  ['src/tools/behavior-globals.d.ts', 'src/inspector/app/app.js', 'src/viewer/report/report-page.js'].includes(path);

/** Files that are read at run time as they are. */
export function copyAssets(out, assets, before) {
  for (const [name, hash] of assets) if (before?.[name] !== hash || !existsSync(join(out, name))) cpSync(name, join(out, name));
  for (const name of Object.keys(before ?? {})) if (!assets.has(name)) rmSync(join(out, name), { force: true });
  return Object.fromEntries(assets);
}
