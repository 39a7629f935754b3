// TypeScript's native compiler, for what a test type-checks: a fifth of the processor's time of the one that has an API.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(root, 'node_modules/typescript-native/bin/tsc');

/** The files that it read of a project (absolute), and what is wrong, with names from the root of this repository. */
export async function checkTypes(project: string): Promise<{ files: string[]; errors: string[] }> {
  const words = [compiler, '-p', project, '--noEmit', '--listFiles', '--pretty', 'false'];
  const lines = await new Promise<string[]>((resolve) => {
    execFile(process.execPath, words, { cwd: root, maxBuffer: 1 << 24 }, (_error, stdout) => resolve(stdout.trim().split(/\n(?! )/)));
  });
  const isFile = (line: string): boolean => /^\/[^:]+\.(?:json|[cm]?[jt]sx?)$/.test(line);
  return { files: lines.filter(isFile), errors: lines.filter((line) => !isFile(line)) };
}

/** The published types of a module of src. A fast build makes none, and the source stands in for them, of which the compiler reads all. */
export function typesOf(module: string): string {
  const published = join(root, 'dist/src', `${module}.d.ts`);
  return existsSync(published) ? published : join(root, 'src', `${module}.ts`);
}

/** Without those of the source, where that stands in for the types: the build has checked it, by stricter rules. */
export const outsideOfSource = (errors: readonly string[]): string[] => errors.filter((line) => !line.startsWith('src/'));
