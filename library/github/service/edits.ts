// Changing an issue or a pull request.
import { viewerOf } from './access.js';
import { announceIssue, announcePull } from './announce.js';
import type { Context, Issue, Repo } from './model.js';
import { rowId } from './rows.js';
import { shownUser } from './shape-base.js';
import { labelsOf, milestoneOf } from './shape-issue.js';

/** Keeps the change and announces each part of it by itself, as GitHub does. */
export function storeEdit(context: Context, repo: Repo, issue: Issue, edited: Issue): Issue {
  const changed = { ...edited, updatedAtUs: context.clock.nowUs() };
  context.state.put('issues', rowId(repo.key, issue.number), changed);
  const pull = context.state.get('pulls', rowId(repo.key, issue.number));
  const announce = (action: string, more = {}): void => {
    if (pull === undefined) announceIssue(context, repo, changed, action, viewerOf(context), more);
    else announcePull(context, repo, { issue: changed, pull }, action, viewerOf(context), more);
  };
  const added = (before: readonly string[], after: readonly string[]): string[] => after.filter((one) => !before.includes(one));
  if (edited.title !== issue.title || edited.body !== issue.body)
    announce('edited', { changes: edited.title === issue.title ? { body: { from: issue.body ?? '' } } : { title: { from: issue.title } } });
  const labels = (names: readonly string[]): object[] => labelsOf(context, repo, { ...issue, labels: [...names] });
  for (const label of labels(added(issue.labels, edited.labels))) announce('labeled', { label });
  for (const label of labels(added(edited.labels, issue.labels))) announce('unlabeled', { label });
  const people = (logins: readonly string[]): object[] => logins.map((login) => shownUser(context, login));
  for (const assignee of people(added(issue.assignees, edited.assignees))) announce('assigned', { assignee });
  for (const assignee of people(added(edited.assignees, issue.assignees))) announce('unassigned', { assignee });
  if (edited.milestone === issue.milestone) return changed;
  if (issue.milestone !== null) announce('demilestoned', { milestone: milestoneOf(context, repo, issue) });
  if (edited.milestone !== null) announce('milestoned', { milestone: milestoneOf(context, repo, edited) });
  return changed;
}
