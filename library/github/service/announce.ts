// The events that webhooks carry. Payloads are GitHub's: what happened, to what, where, and who did it.

import type { Check, Commit, Context, Issue, Json, Pull, Repo, Review, RowOf } from './model.js';
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
  action: string,
  sender: string,
): void {
  const [shown, about] = [shownComment(context, repo, comment), shownIssue(context, repo, issue)];
  context.events.emit('issue_comment', { action, issue: about, comment: shown, ...around(context, repo, sender) });
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

export function announceReview(context: Context, repo: Repo, { issue, pull }: PullChange, review: Review, action: string): void {
  context.events.emit('pull_request_review', {
    action,
    // Webhooks have the state of a review in lower case, unlike the API.
    review: { ...shownReview(context, repo, review), state: review.state.toLowerCase() },
    pull_request: shownPull(context, repo, issue, pull),
    ...around(context, repo, review.user),
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
  const shown = commits.map((commit) => ({
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: isoOf(commit.atUs),
    url: `${repoWeb(repo)}/commit/${commit.sha}`,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.author.name, email: commit.author.email },
  }));
  context.events.emit('push', {
    ref,
    before: before ?? noCommit,
    after: after ?? noCommit,
    created: before === undefined,
    deleted: after === undefined,
    forced,
    compare: `${repoWeb(repo)}/compare/${before ?? noCommit}...${after ?? noCommit}`,
    commits: shown,
    head_commit: shown.at(-1) ?? null,
    pusher: { name: sender },
    ...around(context, repo, sender),
  });
}
