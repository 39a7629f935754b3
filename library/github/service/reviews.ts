// Reviews of pull requests, pending until they are submitted, and comments on lines.
import { shaAt } from '../git/merge.js';
import { filesOf, getCommit } from '../git/store.js';
import { forbidden, invalid, may, notFound, readRepo, requirePull, viewerOf, writeRepo } from './access.js';
import { announceReview } from './announce.js';
import type { Context, Issue, PageInput, Pull, Repo, Review, ReviewRow, ReviewState } from './model.js';
import { sameLogin, userOf } from './people.js';
import type { PullInput } from './pulls.js';
import { nextId, pageOf, rowId, rowsOf } from './rows.js';
import { changesOfPull, shownReview, shownReviewComment } from './shape-pull.js';

const stateOf = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;
type ReviewEvent = keyof typeof stateOf;

interface LineComment {
  readonly path: string;
  readonly body: string;
  readonly line?: number;
  readonly position?: number;
  readonly side?: 'LEFT' | 'RIGHT';
}
interface NewReview extends PullInput {
  readonly event?: ReviewEvent;
  readonly body?: string;
  readonly commit_id?: string;
  readonly comments?: readonly LineComment[];
}

export function createReview(input: NewReview, context: Context) {
  const repo = readRepo(context, input);
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  const user = userOf(context, viewerOf(context)).login;
  checkVerdict(context, issue, user, input.event, input.body ?? '');
  const commitId = input.commit_id ?? pull.headSha;
  if (getCommit(context, repo.key, commitId) === undefined)
    return invalid(context, 'Unprocessable Entity: commit_id is not part of the pull request');
  const mine = reviewsOf(context, pull).find((review) => review.state === 'PENDING' && sameLogin(review.user, user));
  if (mine !== undefined && input.event === undefined) return invalid(context, 'User can only have one pending review per pull request');
  const state = input.event === undefined ? 'PENDING' : stateOf[input.event];
  const review = putReview(context, { repo, issue, pull }, { user, state, body: input.body ?? '', commitId });
  for (const comment of input.comments ?? []) putComment(context, repo, pull, { ...comment, reviewId: review.id, inReplyTo: null });
  return shownReview(context, repo, review);
}

function checkVerdict(context: Context, issue: Issue, user: string, event: ReviewEvent | undefined, body: string): void {
  if (sameLogin(issue.user, user)) {
    if (event === 'APPROVE') invalid(context, 'Can not approve your own pull request');
    if (event === 'REQUEST_CHANGES') invalid(context, 'Can not request changes on your own pull request');
  }
  if ((event === 'REQUEST_CHANGES' || event === 'COMMENT') && body === '') invalid(context, 'Review cannot be blank: a body is required');
}

interface Reviewed {
  repo: Repo;
  issue: Issue;
  pull: Pull;
}

/** Keeps a review. Once it is submitted, its author is no longer asked for one. */
export function putReview(context: Context, about: Reviewed, given: Pick<ReviewRow, 'user' | 'state' | 'body' | 'commitId'>): Review {
  const id = nextId(context);
  const { repo, pull } = about;
  const submittedAtUs = given.state === 'PENDING' ? null : context.clock.nowUs();
  const review: Review = { ...given, id, repo: repo.key, number: pull.number, submittedAtUs };
  context.state.put('reviews', rowId(repo.key, pull.number, id), review);
  if (given.state !== 'PENDING') concludeReview(context, about, review);
  return review;
}

function concludeReview(context: Context, { repo, issue, pull }: Reviewed, review: Review): void {
  const requestedReviewers = pull.requestedReviewers.filter((login) => !sameLogin(login, review.user));
  const reviewed = { ...pull, requestedReviewers };
  context.state.put('pulls', rowId(repo.key, pull.number), reviewed);
  announceReview(context, repo, { issue, pull: reviewed }, review, 'submitted');
}

function reviewsOf(context: Context, pull: Pull): Review[] {
  return rowsOf(context, 'reviews', `${rowId(pull.repo, pull.number)}:`);
}

/** A pending review is seen by its author alone. */
export function listReviews(input: PullInput & PageInput, context: Context) {
  const repo = readRepo(context, input);
  const { pull } = requirePull(context, repo, input.pull_number);
  const seen = reviewsOf(context, pull).filter((review) => review.state !== 'PENDING' || sameLogin(review.user, viewerOf(context)));
  return pageOf(seen, input, (review) => shownReview(context, repo, review));
}

interface ReviewInput extends PullInput {
  readonly review_id: number;
}

function requireReview(context: Context, repo: Repo, input: ReviewInput): Review {
  return context.state.get('reviews', rowId(repo.key, input.pull_number, input.review_id)) ?? notFound(context);
}

export function getReview(input: ReviewInput, context: Context) {
  const repo = readRepo(context, input);
  return shownReview(context, repo, requireReview(context, repo, input));
}

export function submitReview(input: ReviewInput & { readonly event: ReviewEvent; readonly body?: string }, context: Context) {
  const repo = readRepo(context, input);
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  const review = requireReview(context, repo, input);
  if (!sameLogin(review.user, viewerOf(context))) return notFound(context);
  if (review.state !== 'PENDING') return invalid(context, 'Can not submit a review that is not pending');
  const body = input.body ?? review.body;
  checkVerdict(context, issue, review.user, input.event, body);
  const submitted: Review = { ...review, state: stateOf[input.event], body, submittedAtUs: context.clock.nowUs() };
  context.state.put('reviews', rowId(repo.key, review.number, review.id), submitted);
  concludeReview(context, { repo, issue, pull }, submitted);
  return shownReview(context, repo, submitted);
}

export function dismissReview(input: ReviewInput & { readonly message: string }, context: Context) {
  const repo = writeRepo(context, input);
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  const review = requireReview(context, repo, input);
  const verdicts: readonly ReviewState[] = ['APPROVED', 'CHANGES_REQUESTED'];
  if (!verdicts.includes(review.state)) return invalid(context, 'Can not dismiss a commented, pending or dismissed pull request review');
  const dismissed: Review = { ...review, state: 'DISMISSED' };
  context.state.put('reviews', rowId(repo.key, review.number, review.id), dismissed);
  announceReview(context, repo, { issue, pull }, dismissed, 'dismissed');
  return shownReview(context, repo, dismissed);
}

export function listReviewComments(input: PullInput & PageInput, context: Context) {
  const repo = readRepo(context, input);
  const { pull } = requirePull(context, repo, input.pull_number);
  const comments = rowsOf(context, 'review-comments', `${rowId(repo.key, pull.number)}:`);
  return pageOf(
    comments.filter((comment) => !isHidden(context, repo, pull, comment.reviewId)),
    input,
    (one) => shownReviewComment(context, repo, one),
  );
}

function isHidden(context: Context, repo: Repo, pull: Pull, reviewId: number | null): boolean {
  const review = reviewId === null ? undefined : context.state.get('reviews', rowId(repo.key, pull.number, reviewId));
  return review?.state === 'PENDING' && !sameLogin(review.user, viewerOf(context));
}

export function createReviewComment(
  input: PullInput & LineComment & { readonly commit_id: string; readonly in_reply_to?: number },
  context: Context,
) {
  const repo = readRepo(context, input);
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  if (issue.locked && !may(repo, viewerOf(context), 'triage'))
    return forbidden(context, 'Unable to create comment because issue is locked.');
  return shownReviewComment(
    context,
    repo,
    putComment(context, repo, pull, { ...input, reviewId: null, inReplyTo: input.in_reply_to ?? null }),
  );
}

type PlacedComment = LineComment & { readonly reviewId: number | null; readonly inReplyTo: number | null; readonly commit_id?: string };

function putComment(context: Context, repo: Repo, pull: Pull, given: PlacedComment) {
  const commitId = given.commit_id ?? pull.headSha;
  const commit = getCommit(context, repo.key, commitId);
  const changed = changesOfPull(context, { ...pull, headSha: commitId }).some(({ path }) => path === given.path);
  if (commit === undefined || (!changed && shaAt(filesOf(context, commit), given.path) === undefined))
    return invalid(context, 'Validation Failed', { resource: 'PullRequestReviewComment', field: 'path', code: 'invalid' });
  const nowUs = context.clock.nowUs();
  const id = nextId(context);
  const comment = {
    id,
    repo: repo.key,
    number: pull.number,
    reviewId: given.reviewId,
    inReplyTo: given.inReplyTo,
    user: userOf(context, viewerOf(context)).login,
    body: given.body,
    path: given.path,
    line: given.line ?? given.position ?? null,
    side: given.side ?? 'RIGHT',
    commitId,
    createdAtUs: nowUs,
    updatedAtUs: nowUs,
  };
  context.state.put('review-comments', rowId(repo.key, pull.number, id), comment);
  return comment;
}
