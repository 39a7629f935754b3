// The lines that diagnostics are about, read when the source is compiled: what the page shows under each, with a caret.
import { basename, dirname, resolve } from 'node:path';
import { readFileBelow } from '../compiler/source-files.js';
import { limits } from '../contract/limits.js';
import type { Diagnostic } from '../contract/run/build.js';
import { tuning } from './tuning.js';

/** One a diagnostic; '' where there is no line, and beyond the first hundreds. */
export function excerptsOf(root: string, diagnostics: readonly Diagnostic[]): string[] {
  const files = new Map<string, string[]>();
  return diagnostics.map(({ file, line }, index) => {
    if (index >= tuning.excerptsMax) return '';
    const lines = files.get(file) ?? linesOf(resolve(root, file));
    files.set(file, lines);
    const text = lines[line - 1] ?? '';
    return text.length > tuning.excerptCharsMax ? '' : text;
  });
}

function linesOf(path: string): string[] {
  const read = readFileBelow(dirname(path), basename(path), limits.projectFileBytesMax);
  return read.kind === 'text' ? read.text.split(/\r\n|\n|\r/) : [];
}
