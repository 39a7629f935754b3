// Comments on lines of a pull request. A line has to be one that the diff shows.
import { linesShown } from '../git/patch.js';
import { getCommit } from '../git/store.js';
import { forbidden, invalid, may, notFound, readRepo, requireBody, requirePull, viewerOf } from './access.js';
import type { Context, PageInput, Pull, Repo, ReviewCommentRow, RowOf } from './model.js';
import { sameLogin, userOf } from './people.js';
import type { PullInput } from './pulls.js';
import { nextId, pageOf, rowId, rowsOf } from './rows.js';
import { changesOfPull, shownReviewComment } from './shape-pull.js';

export interface LineComment {
  readonly path: string;
  readonly body: string;
  readonly line?: number;
  /** Of the line in the patch: 1 is the line below its first header. */
  readonly position?: number;
  readonly side?: 'LEFT' | 'RIGHT';
  readonly subject_type?: 'line' | 'file';
}
type Comment = RowOf<'review-comments'>;
type Place = Pick<ReviewCommentRow, 'path' | 'line' | 'side'>;

export function commentsOfPull(context: Context, pull: Pull): Comment[] {
  return rowsOf(context, 'review-comments', `${rowId(pull.repo, pull.number)}:`);
}

export function listReviewComments(input: PullInput & PageInput, context: Context) {
  const repo = readRepo(context, input);
  const { pull } = requirePull(context, repo, input.pull_number);
  const seen = commentsOfPull(context, pull).filter((comment) => !isHidden(context, repo, pull, comment.reviewId));
  return pageOf(seen, input, (comment) => shownReviewComment(context, repo, comment));
}

/** Comments of a pending review are seen by its author alone. */
function isHidden(context: Context, repo: Repo, pull: Pull, reviewId: number | null): boolean {
  const review = reviewId === null ? undefined : context.state.get('reviews', rowId(repo.key, pull.number, reviewId));
  return review?.state === 'PENDING' && !sameLogin(review.user, viewerOf(context));
}

type NewComment = PullInput & LineComment & { readonly commit_id: string; readonly in_reply_to?: number };

export function createReviewComment(input: NewComment, context: Context) {
  const repo = readRepo(context, input);
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  if (issue.locked && !may(repo, viewerOf(context), 'triage'))
    return forbidden(context, 'Unable to create comment because issue is locked.');
  if (getCommit(context, repo.key, input.commit_id) === undefined)
    return refuseField(context, 'commit_id', 'is not part of the pull request');
  const at = { ...pull, headSha: input.commit_id };
  const parent = input.in_reply_to === undefined ? undefined : requireComment(context, pull, input.in_reply_to);
  const place = parent ?? placeOf(context, at, input);
  if (place === 'path') return refuseField(context, 'path', 'is invalid');
  if (place === 'line') return refuseField(context, 'line', 'must be part of the diff');
  const { path, line, side } = place;
  const given = {
    path,
    line,
    side,
    body: requireBody(context, 'PullRequestReviewComment', input.body),
    reviewId: null,
    inReplyTo: input.in_reply_to ?? null,
  };
  return shownReviewComment(context, repo, addComment(context, at, given));
}

function requireComment(context: Context, pull: Pull, id: number): Comment {
  return context.state.get('review-comments', rowId(pull.repo, pull.number, id)) ?? notFound(context);
}

function refuseField(context: Context, name: string, what: string): never {
  const field = `pull_request_review_thread.${name}`;
  return invalid(context, 'Validation Failed', {
    resource: 'PullRequestReviewComment',
    field,
    code: 'custom',
    message: `${field} ${what}`,
  });
}

/** Where the comment stands, or which of its members leads nowhere. */
export function placeOf(context: Context, pull: Pull, comment: LineComment): Place | 'path' | 'line' {
  const change = changesOfPull(context, pull).find(({ path }) => path === comment.path);
  if (change === undefined) return 'path';
  const { path, side = 'RIGHT' } = comment;
  if (comment.subject_type === 'file') return { path, line: null, side };
  const lines = linesShown(change.patch ?? '');
  if (comment.line === undefined) {
    const shown = lines[(comment.position ?? 0) - 1];
    if (shown === undefined) return 'line';
    return shown.right === null ? { path, line: shown.left, side: 'LEFT' } : { path, line: shown.right, side: 'RIGHT' };
  }
  const isShown = lines.some((shown) => (side === 'LEFT' ? shown.left : shown.right) === comment.line);
  return isShown ? { path, line: comment.line, side } : 'line';
}

export function addComment(
  context: Context,
  pull: Pull,
  given: Place & Pick<ReviewCommentRow, 'body' | 'reviewId' | 'inReplyTo'>,
): Comment {
  const nowUs = context.clock.nowUs();
  const id = nextId(context);
  const user = userOf(context, viewerOf(context)).login;
  const at = { repo: pull.repo, number: pull.number, commitId: pull.headSha };
  const comment = { ...given, ...at, id, user, createdAtUs: nowUs, updatedAtUs: nowUs };
  context.state.put('review-comments', rowId(pull.repo, pull.number, id), comment);
  return comment;
}
