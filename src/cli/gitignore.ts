// A .gitignore that names what it should: what somebody wrote there stays as it is, and lines that lack are appended.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const gitignore = '.gitignore';

export interface IgnoreResult {
  /** The whole file, in bytes: the rest keeps its encoding. */
  content: Buffer;
  added: string[];
  /** There was a file before. */
  isAddition: boolean;
}

/** Undefined when nothing lacks. */
export function gitignoreWith(folder: string, paths: readonly string[]): IgnoreResult | undefined {
  const file = join(folder, gitignore);
  const isAddition = existsSync(file);
  const bytes = isAddition ? readFileSync(file) : Buffer.alloc(0);
  const before = bytes.toString('latin1');
  const known = new Set(before.split(/\r?\n/).map(bare));
  const added = paths.filter((path) => !known.has(bare(path)));
  if (added.length === 0) return undefined;
  const lineEnd = before.includes('\r\n') ? '\r\n' : '\n';
  const separator = before === '' || before.endsWith('\n') ? '' : lineEnd;
  const lines = separator + added.map((path) => path + lineEnd).join('');
  return { content: Buffer.concat([bytes, Buffer.from(lines)]), added, isAddition };
}

/** `/x`, `x` and `x/` ignore the same folder at the root. */
function bare(line: string): string {
  return line.trim().replace(/^\/|\/$/g, '');
}
