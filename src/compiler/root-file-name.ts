// Which root file a repository has, where none is named.
import { rootFileNames } from '../compat/dialects.js';
import { entryKind } from './source-files.js';

/** The first that is there, else the name that ours has. */
export function rootFileIn(root: string | undefined): string {
  const there = rootFileNames.find((name) => root !== undefined && entryKind(root, name) === 'file');
  return there ?? (rootFileNames[0] as string);
}
