// Issues and what hangs on them: labels, milestones, comments.
import type { Context, Issue, Repo, RowOf } from './model.js';
import { rowId, rowsOf } from './rows.js';
import { associationOf, nodeId, repoApi, repoWeb, shownReactions, shownUser, shownUserOrNull } from './shape-base.js';
import { isoOf } from './time.js';

export const isoOrNull = (us: number | null): string | null => (us === null ? null : isoOf(us));

export function shownLabel(repo: Repo, { id, name, color, description }: RowOf<'labels'>) {
  const url = `${repoApi(repo)}/labels/${encodeURIComponent(name)}`;
  return { id, node_id: nodeId('Label', id), url, name, color, default: false, description };
}

export function labelsOf(context: Context, repo: Repo, { labels }: Issue) {
  const rows = labels.map((name) => context.state.get('labels', rowId(repo.key, name.toLowerCase())));
  return rows.flatMap((row) => (row === undefined ? [] : [shownLabel(repo, row)]));
}

export function shownMilestone(context: Context, repo: Repo, milestone: RowOf<'milestones'>) {
  const url = `${repoApi(repo)}/milestones/${milestone.number}`;
  const issues = rowsOf(context, 'issues', `${repo.key}:`).filter((issue) => issue.milestone === milestone.number);
  const open = issues.filter(({ state }) => state === 'open').length;
  return {
    url,
    html_url: `${repoWeb(repo)}/milestone/${milestone.number}`,
    labels_url: `${url}/labels`,
    id: milestone.id,
    node_id: nodeId('Milestone', milestone.id),
    number: milestone.number,
    title: milestone.title,
    description: milestone.description,
    creator: shownUser(context, milestone.creator),
    open_issues: open,
    closed_issues: issues.length - open,
    state: milestone.state,
    created_at: isoOf(milestone.createdAtUs),
    updated_at: isoOf(milestone.updatedAtUs),
    due_on: isoOrNull(milestone.dueOnUs),
    closed_at: milestone.state === 'closed' ? isoOf(milestone.updatedAtUs) : null,
  };
}

export function milestoneOf(context: Context, repo: Repo, { milestone }: Issue) {
  const row = milestone === null ? undefined : context.state.get('milestones', rowId(repo.key, milestone));
  return row === undefined ? null : shownMilestone(context, repo, row);
}

export function commentsOf(context: Context, repo: Repo, number: number): RowOf<'comments'>[] {
  return rowsOf(context, 'comments', `${repo.key}:`).filter((comment) => comment.number === number);
}

export function shownIssue(context: Context, repo: Repo, issue: Issue) {
  const url = `${repoApi(repo)}/issues/${issue.number}`;
  const [assignee = null, ...rest] = issue.assignees.map((login) => shownUser(context, login));
  return {
    url,
    repository_url: repoApi(repo),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `${repoWeb(repo)}/${issue.isPull ? 'pull' : 'issues'}/${issue.number}`,
    id: issue.id,
    node_id: nodeId('Issue', issue.id),
    number: issue.number,
    title: issue.title,
    user: shownUser(context, issue.user),
    labels: labelsOf(context, repo, issue),
    state: issue.state,
    locked: issue.locked,
    assignee,
    assignees: assignee === null ? [] : [assignee, ...rest],
    milestone: milestoneOf(context, repo, issue),
    comments: commentsOf(context, repo, issue.number).length,
    created_at: isoOf(issue.createdAtUs),
    updated_at: isoOf(issue.updatedAtUs),
    closed_at: isoOrNull(issue.closedAtUs),
    author_association: associationOf(repo, issue.user),
    active_lock_reason: issue.lockReason,
    body: issue.body,
    closed_by: shownUserOrNull(context, issue.closedBy),
    timeline_url: `${url}/timeline`,
    reactions: shownReactions(url),
    performed_via_github_app: null,
    state_reason: issue.stateReason,
    ...(issue.isPull ? { draft: isDraft(context, repo, issue.number), pull_request: pullLinks(context, repo, issue.number) } : {}),
  };
}

function isDraft(context: Context, repo: Repo, number: number): boolean {
  return context.state.get('pulls', rowId(repo.key, number))?.draft ?? false;
}

function pullLinks(context: Context, repo: Repo, number: number) {
  const html = `${repoWeb(repo)}/pull/${number}`;
  const mergedAtUs = context.state.get('pulls', rowId(repo.key, number))?.mergedAtUs ?? null;
  return {
    url: `${repoApi(repo)}/pulls/${number}`,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    merged_at: isoOrNull(mergedAtUs),
  };
}

export function shownComment(context: Context, repo: Repo, comment: RowOf<'comments'>) {
  const isPull = context.state.get('issues', rowId(repo.key, comment.number))?.isPull ?? false;
  return {
    url: `${repoApi(repo)}/issues/comments/${comment.id}`,
    html_url: `${repoWeb(repo)}/${isPull ? 'pull' : 'issues'}/${comment.number}#issuecomment-${comment.id}`,
    issue_url: `${repoApi(repo)}/issues/${comment.number}`,
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    user: shownUser(context, comment.user),
    created_at: isoOf(comment.createdAtUs),
    updated_at: isoOf(comment.updatedAtUs),
    author_association: associationOf(repo, comment.user),
    body: comment.body,
    reactions: shownReactions(`${repoApi(repo)}/issues/comments/${comment.id}`),
    performed_via_github_app: null,
  };
}
