// Diagnostics the way a good compiler prints them: where, what, the line itself, and what to do about it.
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import pc from 'picocolors';
import { readFileBelow } from '../compiler/source-files.js';
import { limits } from '../contract/limits.js';
import type { Diagnostic } from '../contract/run/build.js';
import { counted } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { fromHere } from './from-here.js';
import { tuning } from './tuning.js';

type Colors = ReturnType<typeof pc.createColors>;

export function diagnosticsText(diagnostics: readonly Diagnostic[], { root, color }: { root: string; color: boolean }): string {
  const colors = pc.createColors(color);
  const sources = new Map<string, string[]>();
  const linesOf = ({ file }: Diagnostic): string[] => {
    let lines = sources.get(file);
    if (lines === undefined) {
      lines = readLines(resolve(root, file));
      sources.set(file, lines);
    }
    return lines;
  };
  const blocks = diagnostics.map((diagnostic) => {
    const lines = linesOf(diagnostic);
    const file = lines.length === 0 ? diagnostic.file : fromHere(resolve(root, diagnostic.file));
    return block({ ...diagnostic, file }, lines[diagnostic.line - 1], colors);
  });
  const missing = diagnostics.find(({ code, file }) => code === 'DY1001' && !existsSync(resolve(root, file)));
  return [...blocks, ...(missing === undefined ? [] : [whereLooked(root, missing.file, colors)]), totals(diagnostics, colors)].join('\n\n');
}

function block(diagnostic: Diagnostic, source: string | undefined, colors: Colors): string {
  const { line, column, severity, code } = diagnostic;
  const [file, message, suggestion] = [diagnostic.file, diagnostic.message, diagnostic.suggestion ?? ''].map(visibleLine);
  const paint = severity === 'error' ? colors.red : colors.yellow;
  const lines = [`${colors.cyan(`${file}:${line}:${column}`)} ${paint(`${severity} ${code}`)} ${message}`];
  if (source !== undefined && source.trim() !== '') lines.push(...excerpt(source, diagnostic, colors, paint));
  if (suggestion !== '') lines.push(`  ${colors.green('help')} ${suggestion}`);
  return lines.join('\n');
}

/** A long line is shown around the column. */
function excerpt(source: string, { line, column }: Diagnostic, colors: Colors, paint: (text: string) => string): string[] {
  const from = column > tuning.excerptWholeColumns ? column - tuning.excerptBeforeColumns : 0;
  // One character each, or the caret would point elsewhere.
  const shown = source
    .slice(from, from + tuning.excerptColumns)
    .replace(/\t/g, ' ')
    .replace(/./gu, (char) => (visibleLine(char) === char ? char : '\u{fffd}'));
  const gutter = String(line).padStart(5);
  const caret = ' '.repeat(Math.max(0, column - 1 - from));
  return [`${colors.dim(`${gutter} |`)} ${shown}`, `${colors.dim(`${' '.repeat(gutter.length)} |`)} ${caret}${paint('^')}`];
}

/** A stranger may stand in the wrong folder. */
function whereLooked(root: string, file: string, colors: Colors): string {
  const looked = `${colors.green('help')} looked in ${visibleLine(root)}`;
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    if (existsSync(join(folder, file))) return `${looked}; there is one in ${visibleLine(folder)}: go there, or name it with --root`;
    if (folder === dirname(folder)) break;
  }
  const below = projectsBelow(root, file).slice(0, tuning.shownProjectsMax).map(visibleLine);
  return below.length === 0 ? looked : `${looked}; there is one in ${below.join(', ')}: go there, or name it with --root`;
}

/** Of a repository of several projects, such as `apps/shop`. */
function projectsBelow(root: string, file: string): string[] {
  const children = foldersIn(root);
  return [...children, ...children.flatMap(foldersIn)].filter((folder) => existsSync(join(folder, file)));
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, tuning.siblingFoldersMax);
    const named = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules');
    return named.map(({ name }) => join(folder, name)).sort();
  } catch {
    return [];
  }
}

function totals(diagnostics: readonly Diagnostic[], colors: Colors): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const parts = [errors > 0 ? colors.red(counted(errors, 'error')) : '', warnings > 0 ? colors.yellow(counted(warnings, 'warning')) : ''];
  return parts.filter((part) => part !== '').join(', ');
}

/** Of a package of the library, and of what cannot be read as text, none: the diagnostic then stands without an excerpt. */
function readLines(path: string): string[] {
  const read = readFileBelow(dirname(path), basename(path), limits.projectFileBytesMax);
  return read.kind === 'text' ? read.text.split(/\r\n|\n|\r/) : [];
}
