// Comparing and merging trees: by file, and by line where both sides have changed one.
import type { Commit, Context } from '../service/model.js';
import { mergeTexts } from './merge-text.js';
import type { Files } from './objects.js';
import { compareTexts, type LineChange } from './patch.js';
import { blobText, filesOf, getCommit, historyOf, putText } from './store.js';

export interface FileChange extends LineChange {
  readonly path: string;
  readonly status: 'added' | 'removed' | 'modified';
  /** Of the file as it is afterwards, or was before it was removed. */
  readonly sha: string;
  /** Of the file before; undefined where there was none. */
  readonly before: string | undefined;
}

export function changedPaths(before: Files, after: Files): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => shaAt(before, path) !== shaAt(after, path)).sort();
}

export function changesBetween(context: Context, before: Files, after: Files): FileChange[] {
  return changedPaths(before, after).map((path) => {
    const [old, fresh] = [shaAt(before, path), shaAt(after, path)];
    const status = old === undefined ? 'added' : fresh === undefined ? 'removed' : 'modified';
    return { path, status, sha: fresh ?? old ?? '', before: old, ...compareTexts(blobText(context, old), blobText(context, fresh)) };
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

/** Undefined where they conflict: in the lines of a file, or a file against its removal, a directory or other bytes. */
export function mergeFiles(context: Context, base: Files, ours: Files, theirs: Files): Files | undefined {
  const merged = new Map(Object.entries(ours));
  for (const path of changedPaths(base, theirs)) {
    const [was, mine, other] = [shaAt(base, path), shaAt(ours, path), shaAt(theirs, path)];
    if (mine === other) continue;
    const taken = mine === was ? other : mergedBlob(context, [was, mine, other]);
    if (mine !== was && taken === undefined) return undefined;
    if (taken === undefined) merged.delete(path);
    else merged.set(path, taken);
  }
  const paths = [...merged.keys()];
  return paths.some((path) => isBelowFile(merged, path)) ? undefined : Object.fromEntries(merged);
}

/** Of base, ours and theirs. Files without a common beginning, of bytes, or removed on one side have no merge. */
function mergedBlob(context: Context, shas: readonly (string | undefined)[]): string | undefined {
  const [base, ours, theirs] = shas.map((sha) => (sha === undefined ? undefined : blobText(context, sha)));
  if (base === undefined || ours === undefined || theirs === undefined) return undefined;
  const text = mergeTexts(base, ours, theirs);
  return text === undefined ? undefined : putText(context, text);
}

/** A path that goes through a file. */
export function isBelowFile(files: ReadonlyMap<string, string>, path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, index) => index > 0 && files.has(parts.slice(0, index).join('/')));
}

export function shaAt(files: Files, path: string): string | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}
