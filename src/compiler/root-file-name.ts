// Which root file a repository has, where none is named, and whose one is that lies elsewhere.
import { posix } from 'node:path';
import { rootFileNames } from '../compat/dialects.js';
import { entryKind } from './source-files.js';

/** The first that is there, else the name that ours has. */
export function rootFileIn(root: string | undefined): string {
  const there = rootFileNames.find((name) => root !== undefined && entryKind(root, name) === 'file');
  return there ?? (rootFileNames[0] as string);
}

/** Of what a root file in another folder names and the repository lacks: it is most often that folder's own. */
export function whoseRoot(rootFile: string): string | undefined {
  if (!rootFile.includes('/')) return undefined;
  return `Its paths begin at the repository. If the repository is '${posix.dirname(rootFile)}', name that with --root.`;
}
