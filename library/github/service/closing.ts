// Closing and opening again, of issues and pull requests alike.
import { viewerOf } from './access.js';
import { announceIssue, announcePull } from './announce.js';
import type { Context, Issue, IssueRow, Repo } from './model.js';
import { rowId, rowsOf } from './rows.js';

export function changeState(context: Context, repo: Repo, issue: Issue, state: IssueRow['state'], reason: IssueRow['stateReason']): Issue {
  const nowUs = context.clock.nowUs();
  const viewer = viewerOf(context);
  const closing = state === 'closed';
  const changed: Issue = {
    ...issue,
    state,
    stateReason: issue.isPull ? null : reason,
    closedAtUs: closing ? nowUs : null,
    closedBy: closing ? viewer : null,
    updatedAtUs: nowUs,
  };
  context.state.put('issues', rowId(repo.key, issue.number), changed);
  const action = closing ? 'closed' : 'reopened';
  const pull = context.state.get('pulls', rowId(repo.key, issue.number));
  if (pull === undefined) announceIssue(context, repo, changed, action, viewer);
  else announcePull(context, repo, { issue: changed, pull }, action, viewer);
  return changed;
}

/** A pull request whose branch is deleted is closed. */
export function closePullsOf(context: Context, repo: Repo, branch: string): void {
  for (const pull of rowsOf(context, 'pulls', `${repo.key}:`)) {
    const issue = context.state.get('issues', rowId(repo.key, pull.number));
    if (issue?.state === 'open' && (pull.head === branch || pull.base === branch)) changeState(context, repo, issue, 'closed', null);
  }
}

const closingWords = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)/gi;

/** What a merged pull request says that it fixes. */
export function closeMentioned(context: Context, repo: Repo, text: string): void {
  for (const [, number] of text.matchAll(closingWords)) {
    const issue = context.state.get('issues', rowId(repo.key, Number(number)));
    if (issue?.state === 'open' && !issue.isPull) changeState(context, repo, issue, 'closed', 'completed');
  }
}
