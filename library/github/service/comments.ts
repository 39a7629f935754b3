// Comments of issues and pull requests.
import { forbidden, may, notFound, readRepo, requireBody, requireIssue, viewerOf } from './access.js';
import { announceComment } from './announce.js';
import type { Context, Issue, PageInput, Repo, RepoInput, RowOf } from './model.js';
import { sameLogin, userOf } from './people.js';
import { nextId, pageOf, rowId, rowsOf } from './rows.js';
import { commentsOf, shownComment } from './shape-issue.js';
import { usOf } from './time.js';

interface IssueInput extends RepoInput {
  readonly issue_number: number;
}
interface SinceInput extends PageInput {
  readonly since?: string;
}

const isSince = (since: string | undefined): ((comment: RowOf<'comments'>) => boolean) => {
  const fromUs = usOf(since ?? '') ?? 0;
  return (comment) => comment.updatedAtUs >= fromUs;
};

export function listComments(input: IssueInput & SinceInput, context: Context) {
  const repo = readRepo(context, input);
  const issue = requireIssue(context, repo, input.issue_number);
  return pageOf(commentsOf(context, repo, issue.number).filter(isSince(input.since)), input, (comment) =>
    shownComment(context, repo, comment),
  );
}

export function listCommentsForRepo(input: RepoInput & SinceInput, context: Context) {
  const repo = readRepo(context, input);
  const comments = rowsOf(context, 'comments', `${repo.key}:`).filter(isSince(input.since));
  return pageOf(comments, input, (comment) => shownComment(context, repo, comment));
}

export function createComment(input: IssueInput & { readonly body: string }, context: Context) {
  const repo = readRepo(context, input);
  const issue = requireIssue(context, repo, input.issue_number);
  if (issue.locked && !may(repo, viewerOf(context), 'triage'))
    return forbidden(context, 'Unable to create comment because issue is locked.');
  const body = requireBody(context, 'IssueComment', input.body);
  const nowUs = context.clock.nowUs();
  const user = userOf(context, viewerOf(context)).login;
  const id = nextId(context);
  const comment = { id, repo: repo.key, number: issue.number, user, body, createdAtUs: nowUs, updatedAtUs: nowUs };
  context.state.put('comments', rowId(repo.key, id), comment);
  const touched = { ...issue, updatedAtUs: nowUs };
  context.state.put('issues', rowId(repo.key, issue.number), touched);
  announceComment(context, repo, touched, comment, { action: 'created' });
  return shownComment(context, repo, comment);
}

interface CommentInput extends RepoInput {
  readonly comment_id: number;
}

export function getComment(input: CommentInput, context: Context) {
  const repo = readRepo(context, input);
  return shownComment(context, repo, requireComment(context, repo, input.comment_id));
}

function requireComment(context: Context, repo: Repo, id: number): RowOf<'comments'> {
  return context.state.get('comments', rowId(repo.key, id)) ?? notFound(context);
}

/** Of one's own, or with the right to write. */
function requireOwn(context: Context, repo: Repo, id: number): { comment: RowOf<'comments'>; issue: Issue } {
  const comment = requireComment(context, repo, id);
  if (!sameLogin(comment.user, viewerOf(context)) && !may(repo, viewerOf(context), 'write')) return forbidden(context);
  return { comment, issue: requireIssue(context, repo, comment.number) };
}

export function updateComment(input: CommentInput & { readonly body: string }, context: Context) {
  const repo = readRepo(context, input);
  const { comment, issue } = requireOwn(context, repo, input.comment_id);
  const changed = { ...comment, body: requireBody(context, 'IssueComment', input.body), updatedAtUs: context.clock.nowUs() };
  context.state.put('comments', rowId(repo.key, comment.id), changed);
  announceComment(context, repo, issue, changed, { action: 'edited', changes: { body: { from: comment.body } } });
  return shownComment(context, repo, changed);
}

export function deleteComment(input: CommentInput, context: Context): null {
  const repo = readRepo(context, input);
  const { comment, issue } = requireOwn(context, repo, input.comment_id);
  context.state.delete('comments', rowId(repo.key, comment.id));
  announceComment(context, repo, issue, comment, { action: 'deleted' });
  return null;
}
