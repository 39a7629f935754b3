// Searching issues and pull requests.
import { invalidField } from './access.js';
import { issuesOf } from './issues.js';
import { protectionOf, verdictsOf } from './merge-state.js';
import type { Context, Issue, PageInput, Pull, Repo } from './model.js';
import { sameLogin } from './people.js';
import { includesText, inRange, type Term, termsOf } from './query.js';
import { byTime, pageOf, rowId } from './rows.js';
import { searchable } from './searchable.js';
import { commentsOf, shownIssue } from './shape-issue.js';
import { secondUs, usOf } from './time.js';

const qualifiers: ReadonlySet<string> = new Set([
  ...['is', 'type', 'state', 'repo', 'org', 'user', 'author', 'assignee', 'label', 'milestone', 'no', 'in', 'created', 'updated', 'closed'],
  ...[
    'merged',
    'comments',
    'mentions',
    'commenter',
    'involves',
    'head',
    'base',
    'draft',
    'review',
    'reason',
    'review-requested',
    'reviewed-by',
  ],
]);

interface SearchInput extends PageInput {
  readonly q: string;
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
}
interface Candidate {
  context: Context;
  repo: Repo;
  issue: Issue;
  pull: Pull | undefined;
}

export function searchIssues(input: SearchInput, context: Context) {
  if (input.q.trim() === '') return invalidField(context, 'Search', 'q', 'missing');
  const terms = termsOf(input.q, qualifiers);
  const places = terms.filter(({ qualifier }) => qualifier === 'in').flatMap(({ value }) => value.split(','));
  const found = searchable(context, terms).flatMap((repo) =>
    issuesOf(context, repo)
      .map((issue) => ({ context, repo, issue, pull: context.state.get('pulls', rowId(repo.key, issue.number)) }))
      .filter((candidate) => terms.every((term) => fits(candidate, term, places) !== term.negated)),
  );
  const weigh = ({ repo, issue }: Candidate): number =>
    input.sort === 'updated'
      ? issue.updatedAtUs
      : input.sort === 'comments'
        ? commentsOf(context, repo, issue.number).length
        : issue.createdAtUs;
  const order = byTime<Candidate & { id: number }>(weigh, input.order === 'asc');
  const sorted = found.map((one) => ({ ...one, id: one.issue.id })).sort(order);
  const { items, total_count } = pageOf(sorted, input, ({ repo, issue }) => ({ ...shownIssue(context, repo, issue), score: 1 }));
  return { total_count, incomplete_results: false, items, search_type: 'lexical' };
}

function fits(candidate: Candidate, { qualifier, value }: Term, places: readonly string[]): boolean {
  if (qualifier === undefined) return hasText(candidate, value, places);
  const { issue, pull, context, repo } = candidate;
  const time = (us: number | null | undefined): boolean => us !== null && us !== undefined && inRange(us, value, usOf, spanOf(value));
  switch (qualifier) {
    case 'is':
    case 'type':
    case 'state':
      return isSo(candidate, value.toLowerCase());
    case 'author':
      return sameLogin(issue.user, value);
    case 'assignee':
      return issue.assignees.some((login) => sameLogin(login, value));
    case 'label':
      return value.split(',').some((name) => issue.labels.some((label) => sameLogin(label, name.replace(/^"|"$/g, ''))));
    case 'no':
      return lacks(issue, value);
    case 'created':
      return time(issue.createdAtUs);
    case 'updated':
      return time(issue.updatedAtUs);
    case 'closed':
      return time(issue.closedAtUs);
    case 'merged':
      return time(pull?.mergedAtUs);
    case 'comments':
      return inRange(commentsOf(context, repo, issue.number).length, value, numberOf);
    case 'draft':
      return pull !== undefined && String(pull.draft) === value;
    case 'head':
      return pull?.head === value;
    case 'base':
      return pull?.base === value;
    case 'reason':
      return issue.stateReason === value.replace(' ', '_');
    case 'review-requested':
      return pull?.requestedReviewers.some((login) => sameLogin(login, value)) ?? false;
    default:
      return fitsPeople(candidate, qualifier, value);
  }
}

function fitsPeople({ context, repo, issue, pull }: Candidate, qualifier: string, value: string): boolean {
  const mentions = includesText(issue.body, `@${value}`);
  const commented = commentsOf(context, repo, issue.number).some(({ user }) => sameLogin(user, value));
  if (qualifier === 'mentions') return mentions;
  if (qualifier === 'commenter') return commented;
  if (qualifier === 'involves')
    return mentions || commented || sameLogin(issue.user, value) || issue.assignees.some((login) => sameLogin(login, value));
  if (qualifier === 'milestone') {
    const row = issue.milestone === null ? undefined : context.state.get('milestones', rowId(repo.key, issue.milestone));
    return row !== undefined && sameLogin(row.title, value);
  }
  if (qualifier === 'reviewed-by') return pull !== undefined && verdictsOf(context, pull).some(({ user }) => sameLogin(user, value));
  if (qualifier === 'review') return pull !== undefined && reviewState(context, repo, pull) === value;
  // Where to look (repo, org, user, in) has been decided before.
  return true;
}

function reviewState(context: Context, repo: Repo, pull: Pull): string {
  const verdicts = verdictsOf(context, pull).map(({ state }) => state);
  if (verdicts.includes('CHANGES_REQUESTED')) return 'changes_requested';
  if (verdicts.includes('APPROVED')) return 'approved';
  return (protectionOf(context, repo, pull.base)?.reviews ?? null) === null ? 'none' : 'required';
}

function isSo({ repo, issue, pull }: Candidate, word: string): boolean {
  const states: { readonly [word: string]: boolean } = {
    issue: !issue.isPull,
    pr: issue.isPull,
    'pull-request': issue.isPull,
    open: issue.state === 'open',
    closed: issue.state === 'closed',
    merged: pull !== undefined && pull.mergedAtUs !== null,
    unmerged: pull !== undefined && pull.mergedAtUs === null,
    draft: pull?.draft ?? false,
    locked: issue.locked,
    unlocked: !issue.locked,
    public: !repo.private,
    private: repo.private,
  };
  return Object.hasOwn(states, word) && states[word] === true;
}

function lacks(issue: Issue, what: string): boolean {
  if (what === 'label') return issue.labels.length === 0;
  if (what === 'assignee') return issue.assignees.length === 0;
  return what === 'milestone' && issue.milestone === null;
}

function hasText({ context, repo, issue }: Candidate, words: string, places: readonly string[]): boolean {
  const looksIn = (place: string): boolean => places.length === 0 || places.includes(place);
  return (
    (looksIn('title') && includesText(issue.title, words)) ||
    (looksIn('body') && includesText(issue.body, words)) ||
    (looksIn('comments') && commentsOf(context, repo, issue.number).some(({ body }) => includesText(body, words)))
  );
}

/** A date without a time means the whole day. */
const spanOf = (range: string): number => (/T/.test(range) ? 0 : 86_400 * secondUs - 1);

const numberOf = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);
