// `--reporter junit,html=site/index.html`: which reporters a run has, and where each writes.
import { resolve } from 'node:path';
import { defined } from '../contract/defined.js';
import { nearest } from '../text/nearest.js';

export const reporterNames = ['terminal', 'json', 'junit', 'html', 'github', 'ctrf', 'none'] as const;
export type ReporterName = (typeof reporterNames)[number];
export interface ReporterChoice {
  name: ReporterName;
  /** Relative to the current folder. */
  path?: string;
}

const withFile: ReadonlySet<ReporterName> = new Set(['json', 'junit', 'html', 'ctrf']);

/** A list as written, separated by commas; or what is wrong with it. */
export function parseReporters(text: string): { reporters: ReporterChoice[] } | { problem: string } {
  const reporters: ReporterChoice[] = [];
  for (const part of text.split(',')) {
    const [, word = '', path] = /^([^=]*)(?:=(.*))?$/s.exec(part.trim()) ?? [];
    const name = reporterNames.find((known) => known === word);
    if (name === undefined) {
      const near = nearest(word, reporterNames);
      return {
        problem: `There is no reporter "${word}".${near === undefined ? '' : ` Did you mean "${near}"?`} There are: ${reporterNames.join(', ')}.`,
      };
    }
    if (path !== undefined && !withFile.has(name)) return { problem: `The reporter ${name} writes no file; it takes no path.` };
    if (path === '') return { problem: `After ${name}= comes the file to write, such as ${name}=reports/${name}.out.` };
    const other = reporters.find((before) => path !== undefined && before.path !== undefined && resolve(before.path) === resolve(path));
    if (other !== undefined) return { problem: `The reporters ${other.name} and ${name} both write ${path}: name another file for one.` };
    reporters.push({ name, ...defined({ path }) });
  }
  return { reporters };
}

export function holds(reporters: readonly ReporterChoice[], wanted: ReporterName): boolean {
  return reporters.some(({ name }) => name === wanted);
}
/** Whether stdout carries JSON lines and nothing else. */
export function wantsJsonOnStdout(reporters: readonly ReporterChoice[]): boolean {
  return reporters.some(({ name, path }) => name === 'json' && path === undefined);
}
