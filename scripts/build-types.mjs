// Types: checked by the native compiler, which takes a third of the processor's time of the other; typia needs that one, which has an API.
// The projects (tsconfig.json) keep what they know in .dev-types, with their declarations, so that the next check reads what has changed.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { turnImports } from './vendor.mjs';

const folder = '.dev-types';
const compiler = join('node_modules', 'typescript-native', 'bin', 'tsc');

/** Ends the build where the compiler finds something. */
export function checkTypes() {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [compiler, '-b', '.', 'tsconfig.app.json'], { stdio: 'inherit' });
    child.on('close', (code) => (code === 0 ? resolve() : process.exit(1)));
  });
}

/** Puts the declarations of src beside its code. */
export function copyDeclarations(out) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const [from, to] = [join(folder, name), join(out, name)];
    if (!existsSync(name.replace(/\.d\.ts$/, '.ts'))) rmSync(from);
    else if (name.startsWith(join('src', '/'))) writeChanged(to, turnImports(to, readFileSync(from, 'utf8'), join(out, 'src')).text);
  }
}

function writeChanged(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
