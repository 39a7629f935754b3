// Moving a ref, and all that follows from it: the push is announced, pull requests of the branch see their new head, what was computed of
// them is computed again, approvals of another head are dismissed, and workflows begin.
import { commitsBetween, isBelowFile } from '../git/merge.js';
import type { CommitContent } from '../git/objects.js';
import { blobText, branchHead, filesOf, getCommit, heads, putCommit, putRef, putText } from '../git/store.js';
import { announceCheck, announcePull, announcePush, announceReview } from './announce.js';
import { beginCheck } from './check-runs.js';
import { closeMentioned } from './closing.js';
import { protectionOf } from './merge-state.js';
import type { Commit, Context, Files, Issue, Pull, Repo, Review } from './model.js';
import { authorOf } from './people.js';
import { rowId, rowsOf } from './rows.js';
import { mergeabilityUs, queuedUs } from './time.js';

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
  if (branch === repo.defaultBranch) for (const { message } of commits) closeMentioned(context, pushed, message);
  // A branch that begins where another stands brings nothing new to run on.
  if (before !== undefined || commits.length > 0) startWorkflows(context, pushed, after);
}

function followPush(context: Context, repo: Repo, branch: string, after: string, sender: string): void {
  for (const pull of openPulls(context, repo)) {
    if (pull.head !== branch && pull.base !== branch) continue;
    const moved = pull.head === branch ? { ...pull, headSha: after } : { ...pull, baseSha: after };
    awaitMergeability(context, moved);
    const issue = context.state.get('issues', rowId(repo.key, pull.number));
    if (pull.head !== branch || issue === undefined) continue;
    dismissStale(context, repo, { issue, pull: moved }, sender);
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

function dismissStale(context: Context, repo: Repo, { issue, pull }: { issue: Issue; pull: Pull }, sender: string): void {
  if (protectionOf(context, repo, pull.base)?.reviews?.dismissStale !== true) return;
  for (const review of rowsOf(context, 'reviews', `${rowId(repo.key, pull.number)}:`)) {
    if (review.state !== 'APPROVED') continue;
    const dismissed: Review = { ...review, state: 'DISMISSED' };
    context.state.put('reviews', rowId(repo.key, pull.number, review.id), dismissed);
    announceReview(context, repo, { issue, pull }, dismissed, { action: 'dismissed', sender });
  }
}

function startWorkflows(context: Context, repo: Repo, sha: string): void {
  const texts = repo.workflows.some(({ failsOn }) => failsOn !== null) ? textsOf(context, repo, sha) : [];
  for (const { name, app, durationUs, conclusion, failsOn } of repo.workflows) {
    const check = beginCheck(context, repo, { headSha: sha, name, app, status: 'queued' });
    announceCheck(context, repo, check, 'created');
    const run = { repo: repo.key, id: check.id };
    const fails = failsOn !== null && texts.some((text) => text.includes(failsOn));
    const nowUs = context.clock.nowUs();
    if (durationUs > queuedUs)
      context.events.scheduleAt('check.due', { ...run, status: 'in_progress', conclusion: null }, nowUs + queuedUs);
    const end = { ...run, status: 'completed', conclusion: fails ? 'failure' : conclusion } as const;
    context.events.scheduleAt('check.due', end, nowUs + durationUs);
  }
}

function textsOf(context: Context, repo: Repo, sha: string): string[] {
  return Object.values(filesOf(context, getCommit(context, repo.key, sha))).map((blob) => blobText(context, blob) ?? '');
}

interface FilesWrite extends Omit<CommitContent, 'tree' | 'parents'> {
  branch: string;
  /** By path the id of its blob; undefined deletes the file. */
  blobs: ReadonlyMap<string, string | undefined>;
  /** Who pushes. */
  user: string;
}

/** Commits files on a branch, which begins with them where there is none. */
export function commitFiles(context: Context, repo: Repo, { branch, blobs, user, ...content }: FilesWrite): Commit {
  const before = branchHead(context, repo.key, branch);
  const parent = getCommit(context, repo.key, before);
  const files = withFiles(filesOf(context, parent), blobs);
  const commit = putCommit(context, { ...content, repo: repo.key, files, parents: parent === undefined ? [] : [parent.sha] });
  moveRef(context, repo, { ref: `${heads}${branch}`, before, after: commit.sha, sender: user });
  return commit;
}

function withFiles(files: Files, blobs: ReadonlyMap<string, string | undefined>): Files {
  const written = new Map(Object.entries(files));
  for (const [path, blob] of blobs) {
    if (blob === undefined) written.delete(path);
    else written.set(path, blob);
  }
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
  const { branch, path, content, message, user } = push;
  const signed = { message, user, author: authorOf(context, user), atUs: context.clock.nowUs() };
  commitFiles(context, repo, { branch, blobs: new Map([[path, putText(context, content)]]), ...signed });
}
