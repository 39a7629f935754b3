// Reviews of pull requests, pending until they are submitted.
import { getCommit } from '../git/store.js';
import { isBlank, notFound, readRepo, requirePull, unprocessable, viewerOf, writeRepo } from './access.js';
import { announceReview } from './announce.js';
import type { Context, Issue, PageInput, Pull, Repo, Review, ReviewRow, ReviewState } from './model.js';
import { sameLogin, userOf } from './people.js';
import type { PullInput } from './pulls.js';
import { addComment, commentsOfPull, type LineComment, placeOf } from './review-comments.js';
import { nextId, pageOf, rowId, rowsOf } from './rows.js';
import { shownReview } from './shape-pull.js';

const stateOf = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;
type ReviewEvent = keyof typeof stateOf;

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
  const { comments = [], body = '' } = input;
  checkVerdict(context, issue, { user, event: input.event, saysNothing: isBlank(body) && comments.length === 0 });
  const commitId = input.commit_id ?? pull.headSha;
  if (getCommit(context, repo.key, commitId) === undefined) return unprocessable(context, 'commit_id is not part of the pull request');
  const mine = reviewsOf(context, pull).find((review) => review.state === 'PENDING' && sameLogin(review.user, user));
  if (mine !== undefined && input.event === undefined)
    return unprocessable(context, 'User can only have one pending review per pull request');
  const state = input.event === undefined ? 'PENDING' : stateOf[input.event];
  const at = { ...pull, headSha: commitId };
  const placed = comments.map((comment) => {
    if (isBlank(comment.body)) return unprocessable(context, 'Body cannot be blank');
    const place = placeOf(context, at, comment);
    if (typeof place === 'string')
      return unprocessable(context, place === 'path' ? 'Path could not be resolved' : 'Line could not be resolved');
    return { ...place, body: comment.body };
  });
  const review = putReview(context, { repo, issue, pull }, { user, state, body, commitId });
  for (const comment of placed) addComment(context, at, { ...comment, reviewId: review.id, inReplyTo: null });
  return shownReview(context, repo, review);
}

interface Verdict {
  user: string;
  event: ReviewEvent | undefined;
  /** It says nothing, neither by itself nor on a line. */
  saysNothing: boolean;
}

function checkVerdict(context: Context, issue: Issue, { user, event, saysNothing }: Verdict): void {
  if (sameLogin(issue.user, user)) {
    if (event === 'APPROVE') unprocessable(context, 'Can not approve your own pull request');
    if (event === 'REQUEST_CHANGES') unprocessable(context, 'Can not request changes on your own pull request');
  }
  if ((event === 'REQUEST_CHANGES' || event === 'COMMENT') && saysNothing) unprocessable(context, 'Body cannot be blank');
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
  announceReview(context, repo, { issue, pull: reviewed }, review, { action: 'submitted', sender: review.user });
}

function reviewsOf(context: Context, pull: Pull): Review[] {
  return rowsOf(context, 'reviews', `${rowId(pull.repo, pull.number)}:`);
}

/** A pending review is seen by its author alone. */
const isSeen = (context: Context, review: Review): boolean => review.state !== 'PENDING' || sameLogin(review.user, viewerOf(context));

export function listReviews(input: PullInput & PageInput, context: Context) {
  const repo = readRepo(context, input);
  const { pull } = requirePull(context, repo, input.pull_number);
  const seen = reviewsOf(context, pull).filter((review) => isSeen(context, review));
  return pageOf(seen, input, (review) => shownReview(context, repo, review));
}

interface ReviewInput extends PullInput {
  readonly review_id: number;
}

function requireReview(context: Context, repo: Repo, input: ReviewInput): Review {
  const review = context.state.get('reviews', rowId(repo.key, input.pull_number, input.review_id));
  return review !== undefined && isSeen(context, review) ? review : notFound(context);
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
  if (review.state !== 'PENDING') return unprocessable(context, 'Can not submit a review that is not pending');
  const body = input.body ?? review.body;
  const saysNothing = isBlank(body) && !commentsOfPull(context, pull).some(({ reviewId }) => reviewId === review.id);
  checkVerdict(context, issue, { user: review.user, event: input.event, saysNothing });
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
  if (!verdicts.includes(review.state))
    return unprocessable(context, 'Can not dismiss a commented, pending or dismissed pull request review');
  const dismissed: Review = { ...review, state: 'DISMISSED' };
  context.state.put('reviews', rowId(repo.key, review.number, review.id), dismissed);
  announceReview(context, repo, { issue, pull }, dismissed, { action: 'dismissed', sender: viewerOf(context) });
  return shownReview(context, repo, dismissed);
}
