// Comparing and merging trees. A merge is by file: a file that both sides have changed, each in its way, is a conflict.
import type { Commit, Context } from '../service/model.js';
import { compareLines, type LineChange } from './lines.js';
import type { Files } from './objects.js';
import { blobText, filesOf, getCommit, historyOf } from './store.js';

export interface FileChange extends LineChange {
  readonly path: string;
  readonly status: 'added' | 'removed' | 'modified';
  /** Of the file as it is afterwards, or was before it was removed. */
  readonly sha: string;
}

export function changedPaths(before: Files, after: Files): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => shaAt(before, path) !== shaAt(after, path)).sort();
}

export function changesBetween(context: Context, before: Files, after: Files): FileChange[] {
  return changedPaths(before, after).map((path) => {
    const [old, fresh] = [shaAt(before, path), shaAt(after, path)];
    const status = old === undefined ? 'added' : fresh === undefined ? 'removed' : 'modified';
    return { path, status, sha: fresh ?? old ?? '', ...compareLines(blobText(context, old), blobText(context, fresh)) };
  });
}

/** What a commit changed against its first parent. */
export function changesOf(context: Context, commit: Commit): FileChange[] {
  const parent = getCommit(context, commit.repo, commit.parents[0]);
  return changesBetween(context, filesOf(context, parent), filesOf(context, commit));
}

/** The newest commit that both follow. */
export function mergeBase(context: Context, repo: string, a: string, b: string): Commit | undefined {
  const ours = new Set(historyOf(context, repo, a).map(({ sha }) => sha));
  return historyOf(context, repo, b).find(({ sha }) => ours.has(sha));
}

/** The commits of `head` that `base` does not have, oldest first. */
export function commitsBetween(context: Context, repo: string, base: string, head: string): Commit[] {
  const known = new Set(historyOf(context, repo, base).map(({ sha }) => sha));
  return historyOf(context, repo, head)
    .filter(({ sha }) => !known.has(sha))
    .reverse();
}

/** Undefined where both sides have changed a file, or one has a directory where the other has a file. */
export function mergeFiles(base: Files, ours: Files, theirs: Files): Files | undefined {
  const merged = new Map(Object.entries(ours));
  for (const path of changedPaths(base, theirs)) {
    const [was, mine, other] = [shaAt(base, path), shaAt(ours, path), shaAt(theirs, path)];
    if (mine === other) continue;
    if (mine !== was) return undefined;
    if (other === undefined) merged.delete(path);
    else merged.set(path, other);
  }
  const paths = [...merged.keys()];
  return paths.some((path) => isBelowFile(merged, path)) ? undefined : Object.fromEntries(merged);
}

/** A path that goes through a file. */
export function isBelowFile(files: ReadonlyMap<string, string>, path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, index) => index > 0 && files.has(parts.slice(0, index).join('/')));
}

export function shaAt(files: Files, path: string): string | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}
