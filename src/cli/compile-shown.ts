// A repository compiled by a command: with a bar, as one of thousands of files takes seconds.
import { resolve } from 'node:path';
import { type CompileResult, compileProject } from '../compiler/compile.js';
import { defined } from '../contract/defined.js';
import { withProgressBar } from './progress-bar.js';

export interface ShownPlace {
  root: string;
  config?: string;
}

export function compileShown({ root, config }: ShownPlace): Promise<CompileResult> {
  return withProgressBar('Compiling', ({ update }) => compileProject({ root: resolve(root), ...defined({ config }), onProgress: update }));
}
