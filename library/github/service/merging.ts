// Merging a pull request, in each of the three ways.
import { commitsBetween, mergeBase, mergeFiles } from '../git/merge.js';
import { branchHead, filesOf, getCommit, heads, putCommit } from '../git/store.js';
import { conflict, may, readRepo, requirePull, viewerOf, writeRepo } from './access.js';
import { announcePull } from './announce.js';
import { closeMentioned } from './closing.js';
import { blockersOf, protectionOf } from './merge-state.js';
import type { Commit, Context, Files, Issue, Pull, Repo } from './model.js';
import { authorOf } from './people.js';
import type { PullInput } from './pulls.js';
import { moveRef } from './pushes.js';
import { rowId } from './rows.js';

type Method = 'merge' | 'squash' | 'rebase';
interface MergeInput extends PullInput {
  readonly commit_title?: string;
  readonly commit_message?: string;
  readonly sha?: string;
  readonly merge_method?: Method;
}

export function mergePull(input: MergeInput, context: Context) {
  const repo = writeRepo(context, input);
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  if (input.sha !== undefined && input.sha !== pull.headSha)
    return conflict(context, 'Head branch was modified. Review and try the merge again.');
  requireMergeable(context, repo, issue, pull, input.merge_method ?? 'merge');
  const sha = writeMerge(context, repo, issue, pull, input);
  const nowUs = context.clock.nowUs();
  const viewer = viewerOf(context);
  const merged = { ...pull, mergedAtUs: nowUs, mergedBy: viewer, mergeCommitSha: sha };
  const closed: Issue = { ...issue, state: 'closed', closedAtUs: nowUs, closedBy: viewer, updatedAtUs: nowUs };
  // Closed first: a push to the base asks every open pull request again.
  context.state.put('pulls', rowId(repo.key, pull.number), merged);
  context.state.put('issues', rowId(repo.key, pull.number), closed);
  const before = branchHead(context, repo.key, pull.base);
  moveRef(context, repo, { ref: `${heads}${pull.base}`, before, after: sha, sender: viewer });
  announcePull(context, repo, { issue: closed, pull: merged }, 'closed', viewer);
  if (pull.base === repo.defaultBranch) closeMentioned(context, repo, issue.body ?? '');
  return { sha, merged: true, message: 'Pull Request successfully merged' };
}

function requireMergeable(context: Context, repo: Repo, issue: Issue, pull: Pull, method: Method): void {
  if (issue.state === 'closed' || pull.mergeable === false) refuse(context, 'Pull Request is not mergeable');
  if (pull.draft) refuse(context, 'Pull Request is still a draft');
  const protection = protectionOf(context, repo, pull.base);
  if (protection?.linearHistory === true && method === 'merge') refuse(context, 'Merge commits are not allowed on this repository.');
  // An administrator merges past the protection, unless it holds for administrators too.
  const [blocker] = blockersOf(context, repo, pull);
  if (blocker !== undefined && (protection?.enforceAdmins === true || !may(repo, viewerOf(context), 'admin')))
    refuse(context, blocker.message);
}

function refuse(context: Context, message: string): never {
  return context.fail({ code: 'NOT_MERGEABLE', message });
}

/** The commit that the base is at afterwards. */
function writeMerge(context: Context, repo: Repo, issue: Issue, pull: Pull, input: MergeInput): string {
  const base = getCommit(context, repo.key, branchHead(context, repo.key, pull.base));
  const head = getCommit(context, repo.key, pull.headSha);
  if (base === undefined || head === undefined) return refuse(context, 'Pull Request is not mergeable');
  const files = mergedFiles(context, repo, base, head) ?? refuse(context, 'Pull Request is not mergeable');
  const method = input.merge_method ?? 'merge';
  const atUs = context.clock.nowUs();
  const commit = { repo: repo.key, author: authorOf(context, viewerOf(context)), atUs };
  if (method === 'rebase') return replay(context, repo, base, head);
  const squashed = method === 'squash';
  const title = squashed ? `${issue.title} (#${pull.number})` : `Merge pull request #${pull.number} from ${repo.owner}/${pull.head}`;
  const message = [input.commit_title ?? title, input.commit_message ?? (squashed ? '' : issue.title)]
    .filter((part) => part !== '')
    .join('\n\n');
  return putCommit(context, { ...commit, files, message, parents: squashed ? [base.sha] : [base.sha, head.sha] }).sha;
}

export function mergedFiles(context: Context, repo: Repo, base: Commit, head: Commit): Files | undefined {
  const from = mergeBase(context, repo.key, base.sha, head.sha);
  return mergeFiles(context, filesOf(context, from), filesOf(context, base), filesOf(context, head));
}

/** Each commit of the head once more, on top of the base; authors, their dates and messages stay. */
function replay(context: Context, repo: Repo, base: Commit, head: Commit): string {
  let top = base;
  for (const commit of commitsBetween(context, repo.key, base.sha, head.sha)) {
    const [parent, ...others] = commit.parents;
    if (others.length > 0) continue;
    const before = filesOf(context, getCommit(context, repo.key, parent));
    const files =
      mergeFiles(context, before, filesOf(context, top), filesOf(context, commit)) ?? refuse(context, 'Pull Request is not mergeable');
    const { message, author, atUs } = commit;
    const written = { committer: authorOf(context, viewerOf(context)), committedAtUs: context.clock.nowUs() };
    top = putCommit(context, { repo: repo.key, files, parents: [top.sha], message, author, atUs, ...written });
  }
  return top.sha;
}

/** 204 where it is merged. */
export function checkIfMerged(input: PullInput, context: Context): null {
  const repo = readRepo(context, input);
  const { pull } = requirePull(context, repo, input.pull_number);
  return pull.mergedAtUs === null ? context.fail({ code: 'NOT_FOUND', message: 'Not Found' }) : null;
}

/** Brings the base into the head of a pull request. */
export function updateBranch(input: PullInput & { readonly expected_head_sha?: string }, context: Context) {
  const repo = writeRepo(context, input);
  const { pull } = requirePull(context, repo, input.pull_number);
  const invalid = (message: string): never => context.fail({ code: 'VALIDATION_FAILED', message });
  if (input.expected_head_sha !== undefined && input.expected_head_sha !== pull.headSha)
    return invalid(`expected head sha didn’t match current head ref.`);
  const base = getCommit(context, repo.key, branchHead(context, repo.key, pull.base));
  const before = branchHead(context, repo.key, pull.head);
  const head = getCommit(context, repo.key, before);
  if (base === undefined || head === undefined) return invalid('There is no such branch any more.');
  if (commitsBetween(context, repo.key, head.sha, base.sha).length === 0) return invalid('There are no new commits on the base branch.');
  const files = mergedFiles(context, repo, base, head) ?? invalid('merge conflict between base and head');
  const viewer = viewerOf(context);
  const message = `Merge branch '${pull.base}' into ${pull.head}`;
  const author = authorOf(context, viewer);
  const commit = { repo: repo.key, files, parents: [head.sha, base.sha], message, author, atUs: context.clock.nowUs() };
  const { sha } = putCommit(context, commit);
  moveRef(context, repo, { ref: `${heads}${pull.head}`, before, after: sha, sender: viewer });
  return { message: 'Updating pull request branch.', url: `https://github.com/${repo.owner}/${repo.name}/pull/${pull.number}` };
}
