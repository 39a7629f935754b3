// Where what is wrong with a mocked tool was written: in the options of the call, or in files of the package. The repository that is made
// for it is not to be looked into.
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Diagnostic } from '../contract/run/build.js';

export interface CallPlace {
  file: string;
  line: number;
  column: number;
}

/** Of the caller of the function that made `stack`; undefined where the stack does not say. */
export function callerOf(stack: string | undefined): CallPlace | undefined {
  const frame = stack?.split('\n    at ')[2];
  const [, path = '', line, column] = /\(?([^()\s][^()]*):(\d+):(\d+)\)?$/.exec(frame?.trim().replace(/^async /, '') ?? '') ?? [];
  if (line === undefined || column === undefined) return undefined;
  const file = path.replace(/^.*(?=file:\/\/)/, '');
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, line: Number(line), column: Number(column) };
}

export interface MockedSource {
  /** The folder of the made repository. */
  root: string;
  caller: CallPlace | undefined;
  /** How many rows the starter gave, before those of the options. */
  starterRows: number;
  /** Of the options, in the order of the made world. */
  rows: readonly { namespace: string; rowId: string }[];
}

/** The diagnostic at the option, or at the file of the package, that it is about. */
export function placedForAuthor(found: Diagnostic, source: MockedSource): Diagnostic {
  const option = optionOf(found, source);
  const file = (path: string): string => relative(process.cwd(), path) || path;
  if (option === undefined) return found.file.startsWith('..') ? { ...found, file: file(resolve(source.root, found.file)) } : found;
  const { caller } = source;
  const place = caller === undefined ? { file: 'mockTool', line: 1, column: 1 } : { ...caller, file: file(caller.file) };
  return { ...found, ...place, path: option, message: `option ${option.slice(1).replaceAll('/', '.')}: ${found.message}` };
}

/** JSON Pointer into the options of `mockTool`; undefined for a diagnostic about a file that somebody wrote. */
function optionOf({ file, path }: Diagnostic, { starterRows, rows }: MockedSource): string | undefined {
  if (file === 'drillyard.json') return '/package';
  if (file !== 'drillyard/world.json') return undefined;
  const [, index, rest = ''] = /^\/state\/(\d+)(.*)$/.exec(path) ?? [];
  if (index === undefined) return path === '' ? '/state' : path;
  const row = rows[Number(index) - starterRows];
  if (row === undefined) return '/starter';
  const inside = rest.startsWith('/value') ? rest.slice('/value'.length) : '';
  return rest === '/namespace' ? `/state/${row.namespace}` : `/state/${row.namespace}/${row.rowId}${inside}`;
}
