// The code of each source file in the output, made again where its source has changed.
import { cpSync, existsSync, rmSync } from 'node:fs';
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
  dropOrphans(out, before, versions);
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

/** A file that left the source must leave the output too, or a test of it would keep running. */
function dropOrphans(out, before, versions) {
  for (const name of Object.keys(before ?? {})) {
    if (name in versions) continue;
    for (const ending of ['.js', '.js.map', '.d.ts']) rmSync(join(out, name.replace(/\.ts$/, ending)), { force: true });
  }
}

/** Files that are read at run time as they are. */
export function copyAssets(out, assets, before) {
  for (const [name, hash] of assets) if (before?.[name] !== hash || !existsSync(join(out, name))) cpSync(name, join(out, name));
  for (const name of Object.keys(before ?? {})) if (!assets.has(name)) rmSync(join(out, name), { force: true });
  return Object.fromEntries(assets);
}
