// Objects and refs as rows: blobs and trees by their id, commits and refs below their repository.
import type { Commit, Context, Repo, RowOf } from '../service/model.js';
import { rowId, rowsOf } from '../service/rows.js';
import { base64Of, bytesOf, bytesOfBase64, textOf } from './bytes.js';
import { blobSha, commitSha, type Files, type Person, treeShas } from './objects.js';

export const heads = 'refs/heads/';

/** The id of the blob with these bytes, which is kept. */
export function putBlob(context: Context, bytes: readonly number[]): string {
  const sha = blobSha(bytes);
  if (context.state.get('blobs', sha) === undefined) context.state.put('blobs', sha, { content: base64Of(bytes), size: bytes.length });
  return sha;
}

export const putText = (context: Context, text: string): string => putBlob(context, bytesOf(text));

export function blobText(context: Context, sha: string | undefined): string | undefined {
  if (sha === undefined) return '';
  return textOf(bytesOfBase64(context.state.get('blobs', sha)?.content ?? '') ?? []);
}

export function filesOf(context: Context, commit: Commit | undefined): Files {
  return commit === undefined ? {} : (context.state.get('trees', commit.tree)?.files ?? {});
}

interface NewCommit {
  repo: string;
  files: Files;
  parents: readonly string[];
  message: string;
  author: Person;
  atUs: number;
  committer?: Person;
  committedAtUs?: number;
}

export function putCommit(context: Context, { repo, files, ...rest }: NewCommit): Commit {
  const tree = treeShas(files).get('') ?? '';
  if (context.state.get('trees', tree) === undefined) context.state.put('trees', tree, { files });
  const content = { ...rest, tree };
  const commit = { ...content, repo, sha: commitSha(content) };
  context.state.put('commits', rowId(repo, commit.sha), commit);
  return commit;
}

export function getCommit(context: Context, repo: string, sha: string | undefined): Commit | undefined {
  return sha === undefined ? undefined : context.state.get('commits', rowId(repo, sha));
}

export function getRef(context: Context, repo: string, ref: string): RowOf<'refs'> | undefined {
  return context.state.get('refs', rowId(repo, ref));
}

export function putRef(context: Context, repo: string, ref: string, sha: string): void {
  context.state.put('refs', rowId(repo, ref), { repo, ref, sha });
}

export function branchHead(context: Context, repo: string, branch: string): string | undefined {
  return getRef(context, repo, `${heads}${branch}`)?.sha;
}

export const branchesOf = (context: Context, repo: string): RowOf<'refs'>[] => rowsOf(context, 'refs', rowId(repo, heads));

/** A branch, a tag, a full ref, a commit id or the beginning of one. */
export function resolve(context: Context, repo: Repo, name: string): Commit | undefined {
  for (const ref of [`${heads}${name}`, `refs/tags/${name}`, `refs/${name}`, name]) {
    const found = getRef(context, repo.key, ref);
    if (found !== undefined) return getCommit(context, repo.key, found.sha);
  }
  if (!/^[0-9a-f]{7,40}$/.test(name)) return undefined;
  // The beginning of an id means a commit only where no other begins so.
  const [commit, other] = rowsOf(context, 'commits', rowId(repo.key, name));
  return other === undefined ? commit : undefined;
}

/** The commit and all that it follows, newest first; a parent never stands before its child. */
export function historyOf(context: Context, repo: string, sha: string): Commit[] {
  const waiting = new Map<string, number>();
  const known = new Map<string, Commit>();
  const pending = [sha];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const commit = getCommit(context, repo, next);
    if (commit === undefined || known.has(next)) continue;
    known.set(next, commit);
    for (const parent of commit.parents) {
      waiting.set(parent, (waiting.get(parent) ?? 0) + 1);
      pending.push(parent);
    }
  }
  const ready = [...known.values()].filter((commit) => !waiting.has(commit.sha));
  const sorted: Commit[] = [];
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    sorted.push(next);
    for (const parent of next.parents) {
      const left = (waiting.get(parent) ?? 0) - 1;
      waiting.set(parent, left);
      const commit = known.get(parent);
      if (left === 0 && commit !== undefined) ready.push(commit);
    }
    ready.sort((a, b) => a.atUs - b.atUs || (a.sha < b.sha ? -1 : 1));
  }
  return sorted;
}

export function isAncestor(context: Context, repo: string, ancestor: string, sha: string): boolean {
  return historyOf(context, repo, sha).some((commit) => commit.sha === ancestor);
}
