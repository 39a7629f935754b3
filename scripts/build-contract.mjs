// The code of src/contract, where typia generates validators from types: by tspc, as a whole, and kept in .dev-contract by what it is made
// of.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from './build-sources.mjs';

const tspc = join('node_modules', '.bin', 'tspc');

/** The folder that holds it, with the paths of the root; `names`: the sources of src/contract. */
export async function makeContract(names) {
  const key = hashOf(...names, 'package-lock.json', 'tsconfig.base.json', 'tsconfig.contract.json', 'scripts/build-contract.mjs');
  const cache = join('.dev-contract', key);
  if (existsSync(join(cache, 'src'))) return cache;
  const staging = `${cache}-${process.pid}`;
  mkdirSync(staging, { recursive: true });
  try {
    execFileSync(tspc, ['-p', 'tsconfig.contract.json', '--outDir', staging], { stdio: 'inherit' });
  } catch {
    console.error('src/contract has type errors; emitted all the same');
  }
  await dropDeadImports(staging);
  rmSync(cache, { recursive: true, force: true });
  cpSync(staging, cache, { recursive: true });
  rmSync(staging, { recursive: true, force: true });
  return cache;
}

/** typia leaves `import typia` behind when every use of it has become code, and loading that costs each start 25 ms. */
async function dropDeadImports(folder) {
  const contract = join(folder, 'src', 'contract');
  const { default: ts } = await import('typescript');
  for (const name of readdirSync(contract, { recursive: true }).filter((name) => name.endsWith('.js'))) {
    const file = join(contract, name);
    const text = readFileSync(file, 'utf8');
    if (/^import typia\b/m.test(text)) dropDeadImport(ts, file, text);
  }
}

/** The line goes when no name in the file refers to it; otherwise it stays. Nothing else is touched, so the source map holds. */
function dropDeadImport(ts, file, text) {
  const syntax = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
  const dead = syntax.statements.find((statement) => ts.isImportDeclaration(statement) && statement.moduleSpecifier.text === 'typia');
  if (dead === undefined) return;
  const refers = (node) => node !== dead && ((ts.isIdentifier(node) && node.text === 'typia') || ts.forEachChild(node, refers) === true);
  if (!refers(syntax)) writeFileSync(file, text.slice(0, dead.getStart(syntax)) + text.slice(dead.end));
}
