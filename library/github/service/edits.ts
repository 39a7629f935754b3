// Changing an issue or a pull request.
import { viewerOf } from './access.js';
import { announceIssue, announcePull } from './announce.js';
import type { Context, Issue, Repo } from './model.js';
import { rowId } from './rows.js';

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
  for (const name of added(issue.labels, edited.labels)) announce('labeled', { label: { name } });
  for (const name of added(edited.labels, issue.labels)) announce('unlabeled', { label: { name } });
  for (const login of added(issue.assignees, edited.assignees)) announce('assigned', { assignee: { login } });
  for (const login of added(edited.assignees, issue.assignees)) announce('unassigned', { assignee: { login } });
  if (edited.milestone !== issue.milestone) announce(edited.milestone === null ? 'demilestoned' : 'milestoned');
  return changed;
}
