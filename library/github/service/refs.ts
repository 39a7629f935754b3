// Branches, refs and commits.
import { changedPaths, changesOf } from '../git/merge.js';
import { branchesOf, branchHead, filesOf, getCommit, getRef, heads, historyOf, isAncestor, resolve } from '../git/store.js';
import { unifiedDiff } from '../git/unified.js';
import { conflict, invalid, invalidField, notFound, readRepo, viewerOf, writeRepo } from './access.js';
import { announcePush } from './announce.js';
import { closePullsOf } from './closing.js';
import { protectionOf, pushRule } from './merge-state.js';
import type { Commit, Context, DiffInput, PageInput, Repo, RepoInput, RowOf } from './model.js';
import { moveRef } from './pushes.js';
import { requireBranch } from './repos.js';
import { pageOf, rowId, rowsOf } from './rows.js';
import { nodeId, repoApi, repoWeb } from './shape-base.js';
import { shownCommit, shownFullCommit } from './shape-commit.js';
import { shownProtection } from './shape-protection.js';
import { usOf } from './time.js';

interface BranchInput extends RepoInput {
  readonly branch: string;
}

export function listBranches(input: RepoInput & PageInput & { readonly protected?: boolean }, context: Context) {
  const repo = readRepo(context, input);
  const named = branchesOf(context, repo.key).map(({ ref, sha }) => ({ name: ref.slice(heads.length), sha }));
  const shown = named.filter(({ name }) => input.protected === undefined || isProtected(context, repo, name) === input.protected);
  return pageOf(shown, input, ({ name, sha }) => ({
    name,
    commit: { sha, url: `${repoApi(repo)}/commits/${sha}` },
    protected: isProtected(context, repo, name),
  }));
}

const isProtected = (context: Context, repo: Repo, branch: string): boolean => protectionOf(context, repo, branch) !== undefined;

export function getBranch(input: BranchInput, context: Context) {
  const repo = readRepo(context, input);
  const commit = getCommit(context, repo.key, requireBranch(context, repo, input.branch));
  if (commit === undefined) return notFound(context, 'Branch not found');
  const url = `${repoApi(repo)}/branches/${encodeURIComponent(input.branch)}`;
  const protection = protectionOf(context, repo, input.branch);
  return {
    name: input.branch,
    commit: shownCommit(context, repo, commit),
    _links: { self: url, html: `${repoWeb(repo)}/tree/${input.branch}` },
    protected: protection !== undefined,
    protection: protection === undefined ? { enabled: false } : { ...shownProtection(repo, protection), enabled: true },
    protection_url: `${url}/protection`,
  };
}

function requireCommits(context: Context, repo: Repo): Repo {
  return branchesOf(context, repo.key).length === 0 ? conflict(context, 'Git Repository is empty.') : repo;
}

interface CommitsInput extends RepoInput, PageInput {
  readonly sha?: string;
  readonly path?: string;
  readonly author?: string;
  readonly since?: string;
  readonly until?: string;
}

export function listCommits(input: CommitsInput, context: Context) {
  const repo = requireCommits(context, readRepo(context, input));
  const start = resolve(context, repo, input.sha ?? repo.defaultBranch);
  if (start === undefined) return notFound(context);
  const [since, until] = [usOf(input.since ?? ''), usOf(input.until ?? '')];
  const listed = historyOf(context, repo.key, start.sha).filter(
    (commit) =>
      (input.author === undefined || [commit.author.login, commit.author.email].includes(input.author)) &&
      (since === undefined || (commit.committedAtUs ?? commit.atUs) >= since) &&
      (until === undefined || (commit.committedAtUs ?? commit.atUs) <= until) &&
      (input.path === undefined || touches(context, commit, input.path)),
  );
  return pageOf(listed, input, (commit) => shownCommit(context, repo, commit));
}

function touches(context: Context, commit: Commit, path: string): boolean {
  const parent = getCommit(context, commit.repo, commit.parents[0]);
  return changedPaths(filesOf(context, parent), filesOf(context, commit)).some((one) => one === path || one.startsWith(`${path}/`));
}

export function getCommitOf(input: RepoInput & DiffInput & { readonly ref: string }, context: Context) {
  const repo = requireCommits(context, readRepo(context, input));
  const commit = resolve(context, repo, input.ref);
  if (commit === undefined) return invalid(context, `No commit found for SHA: ${input.ref}`);
  const diff = input.mediaType?.format !== 'diff' ? {} : { diff: unifiedDiff(changesOf(context, commit)) };
  return { ...shownFullCommit(context, repo, commit), ...diff };
}

interface RefInput extends RepoInput {
  readonly ref: string;
}

function shownRef(repo: Repo, { ref, sha }: RowOf<'refs'>) {
  const object = { sha, type: 'commit', url: `${repoApi(repo)}/git/commits/${sha}` };
  return { ref, node_id: nodeId('Ref', `${repo.id}:${ref}`), url: `${repoApi(repo)}/git/${ref}`, object };
}

export function getRefOf(input: RefInput, context: Context) {
  const repo = requireCommits(context, readRepo(context, input));
  return shownRef(repo, requireRef(context, repo, input.ref));
}

function requireRef(context: Context, repo: Repo, ref: string): RowOf<'refs'> {
  return getRef(context, repo.key, `refs/${ref.replace(/^refs\//, '')}`) ?? notFound(context);
}

export function listMatchingRefs(input: RefInput, context: Context) {
  const repo = requireCommits(context, readRepo(context, input));
  const refs = rowsOf(context, 'refs', rowId(repo.key, `refs/${input.ref}`));
  return { items: refs.map((ref) => shownRef(repo, ref)), total_count: refs.length };
}

interface NewRef extends RepoInput {
  readonly ref?: string;
  readonly sha?: string;
  /** As GitHub's MCP server takes them: a new branch, and the one that it begins at. */
  readonly branch?: string;
  readonly from_branch?: string;
}

export function createRef(input: NewRef, context: Context) {
  const repo = requireCommits(context, writeRepo(context, input));
  const ref = input.ref ?? `${heads}${input.branch ?? ''}`;
  const sha = input.sha ?? branchHead(context, repo.key, input.from_branch ?? repo.defaultBranch);
  if (!/^refs\/[^/]+\/./.test(ref) || !isRefName(ref)) return invalid(context, `Reference name '${ref}' is not a valid ref name.`);
  if (getRef(context, repo.key, ref) !== undefined) return invalid(context, 'Reference already exists');
  if (sha === undefined || getCommit(context, repo.key, sha) === undefined) return invalid(context, 'Object does not exist');
  // Git keeps refs as files, so one cannot be the directory of another.
  const others = rowsOf(context, 'refs', `${repo.key}:`).map((row) => row.ref);
  if (others.some((other) => other.startsWith(`${ref}/`) || ref.startsWith(`${other}/`)))
    return invalid(context, 'Reference update failed');
  moveRef(context, repo, { ref, before: undefined, after: sha, sender: viewerOf(context) });
  return shownRef(repo, { repo: repo.key, ref, sha });
}

/** git-check-ref-format, but for its rules about control characters in other encodings. */
function isRefName(ref: string): boolean {
  const parts = ref.split('/');
  return (
    [...ref].every((character) => character > ' ' && character !== '\u007f') &&
    !/[~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$/.test(ref) &&
    parts.every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
  );
}

export function updateRef(input: RefInput & { readonly sha: string; readonly force?: boolean }, context: Context) {
  const repo = writeRepo(context, input);
  const row = requireRef(context, repo, input.ref);
  if (getCommit(context, repo.key, input.sha) === undefined) return invalid(context, 'Object does not exist');
  const forward = isAncestor(context, repo.key, row.sha, input.sha);
  if (!forward && input.force !== true) return invalid(context, 'Update is not a fast forward');
  const protection = row.ref.startsWith(heads) ? protectionOf(context, repo, row.ref.slice(heads.length)) : undefined;
  if (protection !== undefined) {
    if (!forward && !protection.allowForcePushes) return invalid(context, 'Cannot force-push to this branch');
    const rule = pushRule(context, repo, { branch: protection.branch, sha: input.sha });
    if (rule !== undefined) return invalid(context, rule);
  }
  moveRef(context, repo, { ref: row.ref, before: row.sha, after: input.sha, sender: viewerOf(context), forced: !forward });
  return shownRef(repo, { ...row, sha: input.sha });
}

export function deleteRef(input: RefInput, context: Context): null {
  const repo = writeRepo(context, input);
  const ref = `refs/${input.ref.replace(/^refs\//, '')}`;
  const row = getRef(context, repo.key, ref);
  if (row === undefined) return invalid(context, 'Reference does not exist');
  const branch = ref.startsWith(heads) ? ref.slice(heads.length) : undefined;
  if (branch === repo.defaultBranch) return invalidField(context, 'Reference', 'ref', 'custom', 'Cannot delete the default branch');
  if (branch !== undefined && protectionOf(context, repo, branch)?.allowDeletions === false)
    return invalid(context, 'Cannot delete this protected branch');
  context.state.delete('refs', rowId(repo.key, ref));
  announcePush(context, repo, { ref, before: row.sha, after: undefined, commits: [], forced: false }, viewerOf(context));
  if (branch !== undefined) closePullsOf(context, repo, branch);
  return null;
}
