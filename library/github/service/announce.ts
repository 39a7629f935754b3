// The events that webhooks carry. Payloads are GitHub's: what happened, to what, where, and who did it.
import { changedPaths, shaAt } from '../git/merge.js';
import type { Person } from '../git/objects.js';
import { filesOf, getCommit } from '../git/store.js';
import { viewerOf } from './access.js';
import type { Check, Commit, Context, Issue, Json, Pull, Repo, Review, RowOf } from './model.js';
import { authorOf } from './people.js';
import { repoWeb, shownUser } from './shape-base.js';
import { shownCheck } from './shape-check.js';
import { shownComment, shownIssue } from './shape-issue.js';
import { shownFullPull, shownPull, shownReview } from './shape-pull.js';
import { shownRepo } from './shape-repo.js';
import { isoOf } from './time.js';

type More = { readonly [name: string]: Json | object };

const around = (context: Context, repo: Repo, sender: string) => ({
  repository: shownRepo(context, repo),
  sender: shownUser(context, sender),
});

export function announceIssue(context: Context, repo: Repo, issue: Issue, action: string, sender: string, more: More = {}): void {
  context.events.emit('issues', { action, issue: shownIssue(context, repo, issue), ...more, ...around(context, repo, sender) });
}

export function announceComment(
  context: Context,
  repo: Repo,
  issue: Issue,
  comment: RowOf<'comments'>,
  { action, ...more }: { action: 'created' | 'deleted' } | { action: 'edited'; changes: { body: { from: string } } },
): void {
  const [shown, about] = [shownComment(context, repo, comment), shownIssue(context, repo, issue)];
  context.events.emit('issue_comment', { action, ...more, issue: about, comment: shown, ...around(context, repo, viewerOf(context)) });
}

interface PullChange {
  issue: Issue;
  pull: Pull;
}

export function announcePull(
  context: Context,
  repo: Repo,
  { issue, pull }: PullChange,
  action: string,
  sender: string,
  more: More = {},
): void {
  const shown = shownFullPull(context, repo, issue, pull);
  context.events.emit('pull_request', { action, number: pull.number, pull_request: shown, ...more, ...around(context, repo, sender) });
}

export function announceReview(
  context: Context,
  repo: Repo,
  { issue, pull }: PullChange,
  review: Review,
  { action, sender }: { action: 'submitted' | 'dismissed'; sender: string },
): void {
  context.events.emit('pull_request_review', {
    action,
    // Webhooks have the state of a review in lower case, unlike the API.
    review: { ...shownReview(context, repo, review), state: review.state.toLowerCase() },
    pull_request: shownPull(context, repo, issue, pull),
    ...around(context, repo, sender),
  });
}

export function announceCheck(context: Context, repo: Repo, check: Check, action: string): void {
  context.events.emit('check_run', { action, check_run: shownCheck(context, repo, check), ...around(context, repo, repo.owner) });
}

const noCommit = '0'.repeat(40);

interface RefMove {
  ref: string;
  before: string | undefined;
  after: string | undefined;
  commits: readonly Commit[];
  forced: boolean;
}

export function announcePush(context: Context, repo: Repo, { ref, before, after, commits, forced }: RefMove, sender: string): void {
  const shown = commits.map((commit) => shownPushed(context, repo, commit));
  context.events.emit('push', {
    ref,
    before: before ?? noCommit,
    after: after ?? noCommit,
    created: before === undefined,
    deleted: after === undefined,
    forced,
    base_ref: null,
    compare: `${repoWeb(repo)}/compare/${before ?? noCommit}...${after ?? noCommit}`,
    commits: shown,
    head_commit: shown.at(-1) ?? null,
    pusher: { name: sender, email: authorOf(context, sender).email },
    ...around(context, repo, sender),
  });
}

/** A commit in a push, with the paths that it touches. */
function shownPushed(context: Context, repo: Repo, commit: Commit) {
  const parent = getCommit(context, repo.key, commit.parents[0]);
  const [before, after] = [filesOf(context, parent), filesOf(context, commit)];
  const paths = changedPaths(before, after);
  const person = ({ name, email, login }: Person) => ({ name, email, ...(login === null ? {} : { username: login }) });
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: isoOf(commit.committedAtUs ?? commit.atUs),
    url: `${repoWeb(repo)}/commit/${commit.sha}`,
    author: person(commit.author),
    committer: person(commit.committer ?? commit.author),
    added: paths.filter((path) => shaAt(before, path) === undefined),
    removed: paths.filter((path) => shaAt(after, path) === undefined),
    modified: paths.filter((path) => shaAt(before, path) !== undefined && shaAt(after, path) !== undefined),
  };
}
