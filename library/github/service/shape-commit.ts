// Commits, their files, and contents of a directory or file.
import { changesOf, type FileChange } from '../git/merge.js';
import type { Commit, Context, Repo } from './model.js';
import { nodeId, repoApi, repoWeb, shownUserOrNull } from './shape-base.js';
import { isoOf } from './time.js';

/** The commit itself, as git has it. */
function gitPart(repo: Repo, commit: Commit) {
  const { author, atUs, committer = author, committedAtUs = atUs } = commit;
  return {
    author: { name: author.name, email: author.email, date: isoOf(atUs) },
    committer: { name: committer.name, email: committer.email, date: isoOf(committedAtUs) },
    message: commit.message,
    tree: { sha: commit.tree, url: `${repoApi(repo)}/git/trees/${commit.tree}` },
    url: `${repoApi(repo)}/git/commits/${commit.sha}`,
    comment_count: 0,
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  };
}

const parentsOf = (repo: Repo, commit: Commit, path: 'commits' | 'git/commits') =>
  commit.parents.map((sha) => ({ sha, url: `${repoApi(repo)}/${path}/${sha}`, html_url: `${repoWeb(repo)}/commit/${sha}` }));

export function shownCommit(context: Context, repo: Repo, commit: Commit) {
  const url = `${repoApi(repo)}/commits/${commit.sha}`;
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    commit: gitPart(repo, commit),
    url,
    html_url: `${repoWeb(repo)}/commit/${commit.sha}`,
    comments_url: `${url}/comments`,
    author: shownUserOrNull(context, commit.author.login),
    committer: shownUserOrNull(context, (commit.committer ?? commit.author).login),
    parents: parentsOf(repo, commit, 'commits'),
  };
}

export function shownFullCommit(context: Context, repo: Repo, commit: Commit) {
  const changes = changesOf(context, commit);
  const sum = (count: (change: FileChange) => number): number => changes.reduce((total, change) => total + count(change), 0);
  const [additions, deletions] = [sum((change) => change.additions), sum((change) => change.deletions)];
  return {
    ...shownCommit(context, repo, commit),
    stats: { total: additions + deletions, additions, deletions },
    files: changes.map((change) => shownChange(repo, commit.sha, change)),
  };
}

/** What writing a file answers beside the file. */
export function shownGitCommit(repo: Repo, commit: Commit) {
  const { comment_count: _, ...git } = gitPart(repo, commit);
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    ...git,
    html_url: `${repoWeb(repo)}/commit/${commit.sha}`,
    parents: parentsOf(repo, commit, 'git/commits'),
  };
}

export function shownChange(repo: Repo, ref: string, { path, status, sha, additions, deletions, patch }: FileChange) {
  const encoded = encodedPath(path);
  return {
    sha,
    filename: path,
    status,
    additions,
    deletions,
    changes: additions + deletions,
    blob_url: `${repoWeb(repo)}/blob/${ref}/${encoded}`,
    raw_url: `${repoWeb(repo)}/raw/${ref}/${encoded}`,
    contents_url: `${repoApi(repo)}/contents/${encoded}?ref=${ref}`,
    ...(patch === undefined ? {} : { patch }),
  };
}

export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

interface Entry {
  type: 'file' | 'dir';
  path: string;
  sha: string;
  size: number;
}

export function shownEntry(repo: Repo, ref: string, { type, path, sha, size }: Entry) {
  const at = encodedPath(path);
  const url = `${repoApi(repo)}/contents/${at}?ref=${encodeURIComponent(ref)}`;
  const gitUrl = `${repoApi(repo)}/git/${type === 'file' ? 'blobs' : 'trees'}/${sha}`;
  const htmlUrl = `${repoWeb(repo)}/${type === 'file' ? 'blob' : 'tree'}/${ref}/${at}`;
  const raw = `https://raw.githubusercontent.com/${repo.owner}/${repo.name}/${ref}/${at}`;
  return {
    name: path.split('/').at(-1) ?? path,
    path,
    sha,
    size,
    url,
    html_url: htmlUrl,
    git_url: gitUrl,
    download_url: type === 'file' ? raw : null,
    type,
    _links: { self: url, git: gitUrl, html: htmlUrl },
  };
}
