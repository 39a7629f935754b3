// Moving a ref, and all that follows from it: the push is announced, pull requests of the branch see their new head, what was computed of
// them is computed again, approvals of another head are dismissed, and workflows begin.
import { commitsBetween, isBelowFile } from '../git/merge.js';
import { blobText, branchHead, filesOf, getCommit, heads, putCommit, putRef, putText } from '../git/store.js';
import { announceCheck, announcePull, announcePush } from './announce.js';
import { beginCheck } from './check-runs.js';
import { protectionOf } from './merge-state.js';
import type { Commit, Context, Files, Pull, Repo } from './model.js';
import { authorOf } from './people.js';
import { rowId, rowsOf } from './rows.js';
import { mergeabilityUs } from './time.js';

interface Move {
  ref: string;
  before: string | undefined;
  after: string;
  sender: string;
  forced?: boolean;
}

export function moveRef(context: Context, repo: Repo, { ref, before, after, sender, forced = false }: Move): void {
  putRef(context, repo.key, ref, after);
  const nowUs = context.clock.nowUs();
  const pushed = { ...repo, pushedAtUs: nowUs, updatedAtUs: nowUs };
  context.state.put('repos', repo.key, pushed);
  const from = before ?? branchHead(context, repo.key, repo.defaultBranch);
  const commits = from === undefined ? [] : commitsBetween(context, repo.key, from, after).slice(-20);
  announcePush(context, pushed, { ref, before, after, commits, forced }, sender);
  if (!ref.startsWith(heads) || before === after) return;
  const branch = ref.slice(heads.length);
  followPush(context, pushed, branch, after, sender);
  // A branch that begins where another stands brings nothing new to run on.
  if (before !== undefined || commits.length > 0) startWorkflows(context, pushed, after);
}

function followPush(context: Context, repo: Repo, branch: string, after: string, sender: string): void {
  for (const pull of openPulls(context, repo)) {
    if (pull.head !== branch && pull.base !== branch) continue;
    const moved = pull.head === branch ? { ...pull, headSha: after } : { ...pull, baseSha: after };
    awaitMergeability(context, moved);
    if (pull.head !== branch) continue;
    dismissStale(context, repo, moved);
    const issue = context.state.get('issues', rowId(repo.key, pull.number));
    if (issue === undefined) continue;
    const touched = { ...issue, updatedAtUs: context.clock.nowUs() };
    context.state.put('issues', rowId(repo.key, pull.number), touched);
    const more = { before: pull.headSha, after };
    announcePull(context, repo, { issue: touched, pull: { ...moved, mergeable: null } }, 'synchronize', sender, more);
  }
}

function openPulls(context: Context, repo: Repo): Pull[] {
  return rowsOf(context, 'pulls', `${repo.key}:`).filter(
    ({ number }) => context.state.get('issues', rowId(repo.key, number))?.state === 'open',
  );
}

/** Whether it can be merged is not known until some seconds later. */
export function awaitMergeability(context: Context, pull: Pull): Pull {
  const waiting = { ...pull, mergeable: null };
  context.state.put('pulls', rowId(pull.repo, pull.number), waiting);
  context.events.scheduleAt('mergeability.due', { repo: pull.repo, number: pull.number }, context.clock.nowUs() + mergeabilityUs);
  return waiting;
}

function dismissStale(context: Context, repo: Repo, pull: Pull): void {
  if (protectionOf(context, repo, pull.base)?.reviews?.dismissStale !== true) return;
  for (const review of rowsOf(context, 'reviews', `${rowId(repo.key, pull.number)}:`))
    if (review.state === 'APPROVED')
      context.state.put('reviews', rowId(repo.key, pull.number, review.id), { ...review, state: 'DISMISSED' });
}

function startWorkflows(context: Context, repo: Repo, sha: string): void {
  const texts = repo.workflows.some(({ failsOn }) => failsOn !== null) ? textsOf(context, repo, sha) : [];
  for (const { name, app, durationUs, conclusion, failsOn } of repo.workflows) {
    const check = beginCheck(context, repo, { headSha: sha, name, app, status: 'in_progress' });
    announceCheck(context, repo, check, 'created');
    const fails = failsOn !== null && texts.some((text) => text.includes(failsOn));
    const due = { repo: repo.key, id: check.id, status: 'completed', conclusion: fails ? 'failure' : conclusion } as const;
    context.events.scheduleAt('check.due', due, context.clock.nowUs() + durationUs);
  }
}

function textsOf(context: Context, repo: Repo, sha: string): string[] {
  return Object.values(filesOf(context, getCommit(context, repo.key, sha))).map((blob) => blobText(context, blob) ?? '');
}

interface FileWrite {
  branch: string;
  path: string;
  /** Of the blob; undefined deletes the file. */
  blob: string | undefined;
  message: string;
  user: string;
  atUs?: number;
}

/** Commits one file on a branch, which begins with it where there is none. */
export function commitFile(context: Context, repo: Repo, { branch, path, blob, message, user, atUs }: FileWrite): Commit {
  const before = branchHead(context, repo.key, branch);
  const parent = getCommit(context, repo.key, before);
  const files: Files = withFile(filesOf(context, parent), path, blob);
  const commit = putCommit(context, {
    repo: repo.key,
    files,
    parents: parent === undefined ? [] : [parent.sha],
    message,
    author: authorOf(context, user),
    atUs: atUs ?? context.clock.nowUs(),
  });
  moveRef(context, repo, { ref: `${heads}${branch}`, before, after: commit.sha, sender: user });
  return commit;
}

function withFile(files: Files, path: string, blob: string | undefined): Files {
  const written = new Map(Object.entries(files));
  if (blob === undefined) written.delete(path);
  else written.set(path, blob);
  return Object.fromEntries(written);
}

/** A path that is a directory already, or that goes through a file. */
export function isBlockedPath(files: Files, path: string): boolean {
  return isBelowFile(new Map(Object.entries(files)), path) || Object.keys(files).some((other) => other.startsWith(`${path}/`));
}

/** Somebody else pushes a file. Where a directory is in the way, or the branch is gone, there was nothing to push to. */
export function pushAsOther(
  context: Context,
  repo: Repo,
  push: { branch: string; path: string; content: string; message: string; user: string },
): void {
  const head = getCommit(context, repo.key, branchHead(context, repo.key, push.branch));
  if (head === undefined || isBlockedPath(filesOf(context, head), push.path)) return;
  commitFile(context, repo, { ...push, blob: putText(context, push.content) });
}
