// What TypeScript can say something of: the behaviors of a repository's own packages, its agents and judges, as far as they are TypeScript.
// What is installed or ships with the product is its author's.
import { join } from 'node:path';
import { compareTexts } from '../text/compare-texts.js';
import { entryKind } from './source-files.js';

export interface TypeScriptSources {
  /** Real, absolute: the repository. */
  root: string;
  /** Folders of tools; paths below them are shown as `shownAs` + path. */
  packages: readonly { root: string; shownAs: string }[];
  /** Absolute, ordered by path. */
  files: readonly TypeScriptFile[];
  /** Further names of `drillyard/tool-sdk`. */
  sdkNames: readonly string[];
}
export interface TypeScriptFile {
  path: string;
  role: 'behavior' | 'agent';
}
export const noTypeScript: TypeScriptSources = { root: '', packages: [], files: [], sdkNames: [] };

interface OwnTool {
  folder: { root: string; shownAs: string };
  outside: boolean;
  hasOwnTypes: boolean;
  files: readonly { path: string }[];
}

export function typeScriptSources(
  root: string,
  { tools, modules, sdkNames }: { tools: readonly OwnTool[]; modules: readonly string[]; sdkNames: readonly string[] },
): TypeScriptSources {
  const own = tools.filter(({ folder, outside, hasOwnTypes }) => !outside && hasOwnTypes && !folder.shownAs.startsWith('library:'));
  const behaviors = own.flatMap(({ folder, files }) => files.map(({ path }) => join(folder.root, path)));
  const agents = modules.filter((module) => entryKind(root, module) === 'file').map((module) => join(root, module));
  const roles = new Map<string, TypeScriptFile['role']>();
  for (const path of agents) roles.set(path, 'agent');
  for (const path of behaviors) roles.set(path, 'behavior');
  const files = [...roles].filter(([path]) => isTypeScript(path)).map(([path, role]) => ({ path, role }));
  return { root, packages: own.map(({ folder }) => folder), files: files.sort((a, b) => compareTexts(a.path, b.path)), sdkNames };
}

function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
}
