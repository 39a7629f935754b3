// Issues: listing, opening, changing, locking, and who is assigned.
import { forbidden, invalidField, isOneOf, may, readRepo, requireIssue, requireTitle, viewerOf, writeRepo } from './access.js';
import { announceIssue } from './announce.js';
import { changeState } from './closing.js';
import { storeEdit } from './edits.js';
import { requireLabels } from './labels.js';
import type { Context, Issue, IssueRow, PageInput, Repo, RepoInput } from './model.js';
import { sameLogin, userOf } from './people.js';
import { byTime, nextId, pageOf, rowId, rowsOf } from './rows.js';
import { makeSeeds } from './seeds.js';
import { commentsOf, shownIssue } from './shape-issue.js';
import { shownRepo } from './shape-repo.js';
import { usOf } from './time.js';

export interface IssueInput extends RepoInput {
  readonly issue_number: number;
}
interface ListInput extends PageInput {
  readonly state?: 'open' | 'closed' | 'all';
  /** Names, as a list or with commas between them. */
  readonly labels?: string | readonly string[];
  readonly assignee?: string;
  readonly creator?: string;
  readonly mentioned?: string;
  readonly milestone?: string | number;
  readonly since?: string;
  readonly sort?: 'created' | 'updated' | 'comments';
  readonly direction?: 'asc' | 'desc';
}

export function issuesOf(context: Context, repo: Repo): Issue[] {
  return rowsOf(context, 'issues', `${repo.key}:`);
}

function matches(issue: Issue, input: ListInput): boolean {
  const { state = 'open', assignee = '*any', creator, mentioned, milestone, since } = input;
  const { labels = [] } = input;
  const wanted = (typeof labels === 'string' ? labels.split(',') : labels).filter((name) => name.trim() !== '');
  const names = issue.labels.map((name) => name.toLowerCase());
  const assigned = assignee === 'none' ? issue.assignees.length === 0 : issue.assignees.some((login) => sameLogin(login, assignee));
  const due = milestone === 'none' ? issue.milestone === null : issue.milestone === Number(milestone);
  return (
    (state === 'all' || issue.state === state) &&
    wanted.every((name) => names.includes(name.trim().toLowerCase())) &&
    (assignee === '*any' || (assignee === '*' ? issue.assignees.length > 0 : assigned)) &&
    (creator === undefined || sameLogin(issue.user, creator)) &&
    (mentioned === undefined || (issue.body ?? '').includes(`@${mentioned}`)) &&
    (milestone === undefined || (milestone === '*' ? issue.milestone !== null : due)) &&
    (since === undefined || issue.updatedAtUs >= (usOf(since) ?? 0))
  );
}

function sorted(
  context: Context,
  repos: ReadonlyMap<string, Repo>,
  issues: Issue[],
  { sort = 'created', direction = 'desc' }: ListInput,
): Issue[] {
  const weigh = (issue: Issue): number => {
    const repo = repos.get(issue.repo);
    if (sort === 'comments' && repo !== undefined) return commentsOf(context, repo, issue.number).length;
    return sort === 'updated' ? issue.updatedAtUs : issue.createdAtUs;
  };
  return issues.sort(byTime(weigh, direction === 'asc'));
}

/** Across repositories, those assigned to who asks unless `filter` says otherwise. */
export function listIssues(input: ListInput & { readonly filter?: string }, context: Context) {
  const viewer = viewerOf(context);
  const own = rowsOf(context, 'repos').filter((repo) => may(repo, viewer, 'triage'));
  const repos = new Map(own.map((repo) => [repo.key, makeSeeds(context, repo)]));
  const concerns = (issue: Issue): boolean => {
    const mine = { assigned: issue.assignees.some((login) => sameLogin(login, viewer)), created: sameLogin(issue.user, viewer) };
    const mentioned = (issue.body ?? '').includes(`@${viewer}`);
    const filter = input.filter ?? 'assigned';
    return filter === 'assigned' ? mine.assigned : filter === 'created' ? mine.created : filter === 'mentioned' ? mentioned : true;
  };
  const found = [...repos.values()].flatMap((repo) => issuesOf(context, repo)).filter((issue) => concerns(issue) && matches(issue, input));
  return pageOf(sorted(context, repos, found, input), input, (issue) => {
    const repo = repos.get(issue.repo);
    return repo === undefined ? {} : { ...shownIssue(context, repo, issue), repository: shownRepo(context, repo) };
  });
}

export function listForRepo(input: RepoInput & ListInput, context: Context) {
  const repo = readRepo(context, input);
  const found = issuesOf(context, repo).filter((issue) => matches(issue, input));
  return pageOf(sorted(context, new Map([[repo.key, repo]]), found, input), input, (issue) => shownIssue(context, repo, issue));
}

export function getIssue(input: IssueInput, context: Context) {
  const repo = readRepo(context, input);
  return shownIssue(context, repo, requireIssue(context, repo, input.issue_number));
}

type LabelInput = string | { readonly name?: string };
interface IssueMembers {
  readonly title?: string | number;
  readonly body?: string | null;
  readonly labels?: readonly LabelInput[];
  readonly assignee?: string | null;
  readonly assignees?: readonly string[];
  readonly milestone?: number | string | null;
}

export function createIssue(input: RepoInput & IssueMembers & { readonly title: string | number }, context: Context) {
  const repo = readRepo(context, input);
  const viewer = viewerOf(context);
  const title = requireTitle(context, 'Issue', String(input.title));
  const issue = newIssue(context, repo, { title, body: input.body ?? null, isPull: false });
  // Who may only read opens an issue as well, and its labels, assignees and milestone are left out.
  const given = may(repo, viewer, 'triage') ? placed(context, repo, input) : {};
  const opened = { ...issue, ...given };
  context.state.put('issues', rowId(repo.key, issue.number), opened);
  announceIssue(context, repo, opened, 'opened', viewer);
  return shownIssue(context, repo, opened);
}

/** Issues and pull requests share their numbers. */
export function newIssue(context: Context, repo: Repo, { title, body, isPull }: Pick<IssueRow, 'title' | 'body' | 'isPull'>): Issue {
  const nowUs = context.clock.nowUs();
  const number = (issuesOf(context, repo).at(-1)?.number ?? 0) + 1;
  return {
    id: nextId(context),
    repo: repo.key,
    number,
    title,
    body,
    user: userOf(context, viewerOf(context)).login,
    state: 'open',
    stateReason: null,
    labels: [],
    assignees: [],
    milestone: null,
    locked: false,
    lockReason: null,
    isPull,
    createdAtUs: nowUs,
    updatedAtUs: nowUs,
    closedAtUs: null,
    closedBy: null,
  };
}

/** Labels, assignees and milestone of a request, checked; what is not in it is not in the result. */
function placed(context: Context, repo: Repo, input: IssueMembers): Partial<IssueRow> {
  const { labels, milestone } = input;
  const assignees = input.assignees ?? (input.assignee === undefined ? undefined : input.assignee === null ? [] : [input.assignee]);
  if (milestone !== undefined && milestone !== null && context.state.get('milestones', rowId(repo.key, Number(milestone))) === undefined)
    return invalidField(context, 'Issue', 'milestone', 'invalid');
  return {
    ...(labels === undefined ? {} : { labels: requireLabels(context, repo, labels) }),
    ...(assignees === undefined ? {} : { assignees: requireAssignable(context, repo, assignees) }),
    ...(milestone === undefined ? {} : { milestone: milestone === null ? null : Number(milestone) }),
  };
}

function requireAssignable(context: Context, repo: Repo, logins: readonly string[]): string[] {
  const found = logins.map((login) => {
    return isOneOf(context, repo, login)
      ? userOf(context, login).login
      : invalidField(context, 'Issue', 'assignees', 'invalid', `${login} cannot be assigned`);
  });
  return [...new Set(found)].slice(0, 10);
}

interface UpdateInput extends IssueInput, IssueMembers {
  readonly state?: 'open' | 'closed';
  readonly state_reason?: IssueRow['stateReason'];
}

export function updateIssue(input: UpdateInput, context: Context) {
  const repo = readRepo(context, input);
  const issue = requireIssue(context, repo, input.issue_number);
  const viewer = viewerOf(context);
  // Authors change what their own issues say; labels, assignees and milestone take the right to triage, and are left out without it.
  const mayPlace = may(repo, viewer, 'triage');
  if (!sameLogin(issue.user, viewer) && !mayPlace) return forbidden(context);
  const edited = { ...issue, ...textOf(context, input), ...(mayPlace ? placed(context, repo, input) : {}) };
  let changed = storeEdit(context, repo, issue, edited);
  const reason = input.state_reason ?? (input.state === 'open' ? 'reopened' : 'completed');
  if (input.state !== undefined && input.state !== issue.state) changed = changeState(context, repo, changed, input.state, reason);
  return shownIssue(context, repo, changed);
}

function textOf(context: Context, { title, body }: IssueMembers): Partial<IssueRow> {
  return {
    ...(title === undefined ? {} : { title: requireTitle(context, 'Issue', String(title)) }),
    ...(body === undefined ? {} : { body }),
  };
}

export function addAssignees(input: IssueInput & { readonly assignees?: readonly string[] }, context: Context) {
  const repo = writeRepo(context, input, 'triage');
  const issue = requireIssue(context, repo, input.issue_number);
  // Who cannot be assigned is left out without a word.
  const fit = (input.assignees ?? []).filter((login) => isOneOf(context, repo, login));
  const assignees = [...new Set([...issue.assignees, ...fit.map((login) => userOf(context, login).login)])].slice(0, 10);
  return shownIssue(context, repo, storeEdit(context, repo, issue, { ...issue, assignees }));
}

export function removeAssignees(input: IssueInput & { readonly assignees?: readonly string[] }, context: Context) {
  const repo = writeRepo(context, input, 'triage');
  const issue = requireIssue(context, repo, input.issue_number);
  const assignees = issue.assignees.filter((login) => !(input.assignees ?? []).some((one) => sameLogin(one, login)));
  return shownIssue(context, repo, storeEdit(context, repo, issue, { ...issue, assignees }));
}

export function lockIssue(input: IssueInput & { readonly lock_reason?: string }, context: Context): null {
  return setLock(context, input, true, input.lock_reason ?? null);
}

export function unlockIssue(input: IssueInput, context: Context): null {
  return setLock(context, input, false, null);
}

function setLock(context: Context, input: IssueInput, locked: boolean, lockReason: string | null): null {
  const repo = writeRepo(context, input, 'triage');
  const issue = requireIssue(context, repo, input.issue_number);
  const changed = { ...issue, locked, lockReason, updatedAtUs: context.clock.nowUs() };
  context.state.put('issues', rowId(repo.key, issue.number), changed);
  return null;
}
