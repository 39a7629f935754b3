// Pull requests, reviews and comments of reviews.
import { changesBetween, commitsBetween, mergeBase } from '../git/merge.js';
import { compareTexts } from '../git/patch.js';
import { blobText, filesOf, getCommit } from '../git/store.js';
import { mergeStateOf } from './merge-state.js';
import type { Context, Issue, Pull, Repo, Review, RowOf } from './model.js';
import { rowsOf } from './rows.js';
import { associationOf, nodeId, repoApi, repoWeb, shownReactions, shownUser, shownUserOrNull } from './shape-base.js';
import { commentsOf, isoOrNull, labelsOf, milestoneOf } from './shape-issue.js';
import { shownRepo } from './shape-repo.js';
import { isoOf } from './time.js';

const links = (repo: Repo, pull: Pull) => {
  const [issue, url] = [`${repoApi(repo)}/issues/${pull.number}`, `${repoApi(repo)}/pulls/${pull.number}`];
  return {
    self: url,
    html: `${repoWeb(repo)}/pull/${pull.number}`,
    issue,
    comments: `${issue}/comments`,
    review_comments: `${url}/comments`,
    review_comment: `${repoApi(repo)}/pulls/comments{/number}`,
    commits: `${url}/commits`,
    statuses: `${repoApi(repo)}/statuses/${pull.headSha}`,
  };
};

export function shownPull(context: Context, repo: Repo, issue: Issue, pull: Pull) {
  const at = links(repo, pull);
  const [assignee = null, ...rest] = issue.assignees.map((login) => shownUser(context, login));
  const whole = shownRepo(context, repo);
  const side = (ref: string, sha: string) => ({ label: `${repo.owner}:${ref}`, ref, sha, user: whole.owner, repo: whole });
  return {
    url: at.self,
    id: pull.id,
    node_id: nodeId('PullRequest', pull.id),
    html_url: at.html,
    diff_url: `${at.html}.diff`,
    patch_url: `${at.html}.patch`,
    issue_url: at.issue,
    number: pull.number,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    user: shownUser(context, issue.user),
    body: issue.body,
    created_at: isoOf(issue.createdAtUs),
    updated_at: isoOf(issue.updatedAtUs),
    closed_at: isoOrNull(issue.closedAtUs),
    merged_at: isoOrNull(pull.mergedAtUs),
    merge_commit_sha: pull.mergeCommitSha,
    assignee,
    assignees: assignee === null ? [] : [assignee, ...rest],
    requested_reviewers: pull.requestedReviewers.map((login) => shownUser(context, login)),
    requested_teams: [],
    labels: labelsOf(context, repo, issue),
    milestone: milestoneOf(context, repo, issue),
    draft: pull.draft,
    commits_url: at.commits,
    review_comments_url: at.review_comments,
    review_comment_url: at.review_comment,
    comments_url: at.comments,
    statuses_url: at.statuses,
    head: side(pull.head, pull.headSha),
    base: side(pull.base, pull.baseSha),
    _links: Object.fromEntries(Object.entries(at).map(([name, href]) => [name, { href }])),
    author_association: associationOf(repo, issue.user),
    auto_merge: null,
    active_lock_reason: issue.lockReason,
  };
}

/** By itself it says whether it can be merged, and counts what is in it. */
export function shownFullPull(context: Context, repo: Repo, issue: Issue, pull: Pull) {
  const changes = changesOfPull(context, pull);
  const merged = pull.mergedAtUs !== null;
  return {
    ...shownPull(context, repo, issue, pull),
    merged,
    mergeable: merged ? null : pull.mergeable,
    rebaseable: merged ? null : pull.mergeable,
    mergeable_state: mergeStateOf(context, repo, issue, pull),
    merged_by: shownUserOrNull(context, pull.mergedBy),
    comments: commentsOf(context, repo, pull.number).length,
    review_comments: rowsOf(context, 'review-comments', `${repo.key}:`).filter(({ number }) => number === pull.number).length,
    maintainer_can_modify: false,
    commits: commitsBetween(context, repo.key, pull.baseSha, pull.headSha).length,
    additions: changes.reduce((sum, change) => sum + change.additions, 0),
    deletions: changes.reduce((sum, change) => sum + change.deletions, 0),
    changed_files: changes.length,
  };
}

/** Against the commit that both branches come from. */
export function changesOfPull(context: Context, pull: Pull) {
  const from = mergeBase(context, pull.repo, pull.baseSha, pull.headSha);
  return changesBetween(context, filesOf(context, from), filesOf(context, getCommit(context, pull.repo, pull.headSha)));
}

export function shownReview(context: Context, repo: Repo, review: Review) {
  const html = `${repoWeb(repo)}/pull/${review.number}#pullrequestreview-${review.id}`;
  const pull = `${repoApi(repo)}/pulls/${review.number}`;
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: shownUser(context, review.user),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: associationOf(repo, review.user),
    _links: { html: { href: html }, pull_request: { href: pull } },
    ...(review.submittedAtUs === null ? {} : { submitted_at: isoOf(review.submittedAtUs) }),
    commit_id: review.commitId,
  };
}

export function shownReviewComment(context: Context, repo: Repo, comment: RowOf<'review-comments'>) {
  const url = `${repoApi(repo)}/pulls/comments/${comment.id}`;
  const html = `${repoWeb(repo)}/pull/${comment.number}#discussion_r${comment.id}`;
  const pull = `${repoApi(repo)}/pulls/${comment.number}`;
  return {
    url,
    id: comment.id,
    node_id: nodeId('PullRequestReviewComment', comment.id),
    pull_request_review_id: comment.reviewId,
    diff_hunk: hunkOf(context, repo, comment),
    path: comment.path,
    commit_id: comment.commitId,
    original_commit_id: comment.commitId,
    user: shownUser(context, comment.user),
    body: comment.body,
    created_at: isoOf(comment.createdAtUs),
    updated_at: isoOf(comment.updatedAtUs),
    html_url: html,
    pull_request_url: pull,
    author_association: associationOf(repo, comment.user),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pull } },
    ...(comment.line === null ? {} : { line: comment.line, original_line: comment.line, side: comment.side }),
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
    subject_type: comment.line === null ? 'file' : 'line',
    reactions: shownReactions(url),
  };
}

function hunkOf(context: Context, repo: Repo, { number, path, commitId }: RowOf<'review-comments'>): string {
  const pull = rowsOf(context, 'pulls', `${repo.key}:`).find((one) => one.number === number);
  const from = pull === undefined ? undefined : mergeBase(context, repo.key, pull.baseSha, commitId);
  const [before, after] = [filesOf(context, from), filesOf(context, getCommit(context, repo.key, commitId))];
  return compareTexts(blobText(context, before[path]), blobText(context, after[path])).patch ?? '';
}
