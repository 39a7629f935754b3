// Pull requests: listing, opening and changing them, what is in them, and who is asked for a review.
import { commitsBetween } from '../git/merge.js';
import { branchHead } from '../git/store.js';
import { unifiedDiff } from '../git/unified.js';
import { forbidden, invalid, invalidField, may, readRepo, requirePull, requireTitle, viewerOf, writeRepo } from './access.js';
import { announcePull } from './announce.js';
import { changeState } from './closing.js';
import { storeEdit } from './edits.js';
import { newIssue } from './issues.js';
import type { Context, DiffInput, Issue, PageInput, Pull, Repo, RepoInput } from './model.js';
import { sameLogin, userOf } from './people.js';
import { awaitMergeability } from './pushes.js';
import { byTime, nextId, pageOf, rowId, rowsOf } from './rows.js';
import { shownUser } from './shape-base.js';
import { shownChange, shownCommit } from './shape-commit.js';
import { changesOfPull, shownFullPull, shownPull } from './shape-pull.js';

export interface PullInput extends RepoInput {
  readonly pull_number: number;
}
interface ListInput extends RepoInput, PageInput {
  readonly state?: 'open' | 'closed' | 'all';
  readonly head?: string;
  readonly base?: string;
  readonly sort?: 'created' | 'updated' | 'popularity' | 'long-running';
  readonly direction?: 'asc' | 'desc';
}
interface PullRequest {
  issue: Issue;
  pull: Pull;
}

function pullsOf(context: Context, repo: Repo): PullRequest[] {
  return rowsOf(context, 'pulls', `${repo.key}:`).flatMap((pull) => {
    const issue = context.state.get('issues', rowId(repo.key, pull.number));
    return issue === undefined ? [] : [{ issue, pull }];
  });
}

export function listPulls(input: ListInput, context: Context) {
  const repo = readRepo(context, input);
  const { state = 'open', head, base, sort = 'created' } = input;
  const found = pullsOf(context, repo).filter(
    ({ issue, pull }) =>
      (state === 'all' || issue.state === state) &&
      (head === undefined || `${repo.owner}:${pull.head}`.toLowerCase() === head.toLowerCase()) &&
      (base === undefined || pull.base === base),
  );
  const ascending = (input.direction ?? (sort === 'created' ? 'desc' : 'asc')) === 'asc';
  const order = byTime<Issue>((issue) => (sort === 'updated' ? issue.updatedAtUs : issue.createdAtUs), ascending);
  return pageOf(
    found.sort((a, b) => order(a.issue, b.issue)),
    input,
    ({ issue, pull }) => shownPull(context, repo, issue, pull),
  );
}

interface NewPull extends RepoInput {
  readonly title?: string;
  readonly head: string;
  readonly base: string;
  readonly body?: string | null;
  readonly draft?: boolean;
}

export function createPull(input: NewPull, context: Context) {
  const repo = writeRepo(context, input);
  const prefix = `${repo.owner}:`.toLowerCase();
  const head = input.head.toLowerCase().startsWith(prefix) ? input.head.slice(prefix.length) : input.head;
  const headSha = branchHead(context, repo.key, head) ?? invalidField(context, 'PullRequest', 'head', 'invalid');
  const baseSha = branchHead(context, repo.key, input.base) ?? invalidField(context, 'PullRequest', 'base', 'invalid');
  const title = requireTitle(context, 'PullRequest', input.title ?? '');
  if (commitsBetween(context, repo.key, baseSha, headSha).length === 0)
    return invalidField(context, 'PullRequest', 'head', 'custom', `No commits between ${input.base} and ${head}`);
  const open = pullsOf(context, repo).some(({ issue, pull }) => issue.state === 'open' && pull.head === head && pull.base === input.base);
  if (open) return invalidField(context, 'PullRequest', 'base', 'custom', `A pull request already exists for ${repo.owner}:${head}.`);
  const issue = newIssue(context, repo, { title, body: input.body ?? null, isPull: true });
  context.state.put('issues', rowId(repo.key, issue.number), issue);
  const pull = awaitMergeability(context, {
    id: nextId(context),
    repo: repo.key,
    number: issue.number,
    head,
    base: input.base,
    headSha,
    baseSha,
    draft: input.draft ?? false,
    mergeable: null,
    requestedReviewers: [],
    mergedAtUs: null,
    mergedBy: null,
    mergeCommitSha: null,
  });
  announcePull(context, repo, { issue, pull }, 'opened', viewerOf(context));
  return shownFullPull(context, repo, issue, pull);
}

export function getPull(input: PullInput & DiffInput, context: Context) {
  const repo = readRepo(context, input);
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  const diff = input.mediaType === undefined ? {} : { diff: unifiedDiff(changesOfPull(context, pull)) };
  return { ...shownFullPull(context, repo, issue, pull), ...diff };
}

interface UpdateInput extends PullInput {
  readonly title?: string;
  readonly body?: string | null;
  readonly state?: 'open' | 'closed';
  readonly base?: string;
}

export function updatePull(input: UpdateInput, context: Context) {
  const repo = readRepo(context, input);
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  const viewer = viewerOf(context);
  if (!sameLogin(issue.user, viewer) && !may(repo, viewer, 'write')) return forbidden(context);
  const based = input.base === undefined || input.base === pull.base ? pull : moveBase(context, repo, pull, input.base);
  const title = input.title === undefined ? issue.title : requireTitle(context, 'PullRequest', input.title);
  const body = input.body === undefined ? issue.body : input.body;
  let changed = storeEdit(context, repo, issue, { ...issue, title, body });
  if (input.state !== undefined && input.state !== issue.state) {
    const stays = pull.mergedAtUs !== null || branchHead(context, repo.key, pull.head) === undefined;
    const why = 'state cannot be changed. The pull request cannot be reopened.';
    if (input.state === 'open' && stays) return invalidField(context, 'PullRequest', 'state', 'invalid', why);
    changed = changeState(context, repo, changed, input.state, null);
  }
  return shownFullPull(context, repo, changed, based);
}

function moveBase(context: Context, repo: Repo, pull: Pull, base: string): Pull {
  const baseSha = branchHead(context, repo.key, base) ?? invalidField(context, 'PullRequest', 'base', 'invalid');
  return awaitMergeability(context, { ...pull, base, baseSha });
}

export function listFiles(input: PullInput & PageInput, context: Context) {
  const repo = readRepo(context, input);
  const { pull } = requirePull(context, repo, input.pull_number);
  return pageOf(changesOfPull(context, pull), input, (change) => shownChange(repo, pull.headSha, change));
}

export function listCommitsOfPull(input: PullInput & PageInput, context: Context) {
  const repo = readRepo(context, input);
  const { pull } = requirePull(context, repo, input.pull_number);
  return pageOf(commitsBetween(context, repo.key, pull.baseSha, pull.headSha), input, (commit) => shownCommit(context, repo, commit));
}

interface ReviewersInput extends PullInput {
  readonly reviewers?: readonly string[];
}

export function requestReviewers(input: ReviewersInput, context: Context) {
  const repo = writeRepo(context, input, 'triage');
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  const asked = (input.reviewers ?? []).map((login) => userOf(context, login).login);
  if (asked.some((login) => sameLogin(login, issue.user))) return invalid(context, 'Review cannot be requested from pull request author.');
  const stranger = asked.find((login) => !sameLogin(login, repo.owner) && !repo.collaborators.some((one) => sameLogin(one.login, login)));
  if (stranger !== undefined)
    return invalid(
      context,
      'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator.',
    );
  const changed = { ...pull, requestedReviewers: [...new Set([...pull.requestedReviewers, ...asked])] };
  context.state.put('pulls', rowId(repo.key, pull.number), changed);
  for (const login of asked) {
    announcePull(context, repo, { issue, pull: changed }, 'review_requested', viewerOf(context), {
      requested_reviewer: shownUser(context, login),
    });
    const habit = userOf(context, login).reviewHabit;
    if (habit === null) continue;
    const { afterUs, state, body } = habit;
    context.events.scheduleAt(
      'review.due',
      { repo: repo.key, number: pull.number, user: login, state, body },
      context.clock.nowUs() + afterUs,
    );
  }
  return shownPull(context, repo, issue, changed);
}

export function removeReviewers(input: ReviewersInput, context: Context) {
  const repo = writeRepo(context, input, 'triage');
  const { issue, pull } = requirePull(context, repo, input.pull_number);
  const gone = input.reviewers ?? [];
  const requestedReviewers = pull.requestedReviewers.filter((login) => !gone.some((one) => sameLogin(one, login)));
  const changed = { ...pull, requestedReviewers };
  context.state.put('pulls', rowId(repo.key, pull.number), changed);
  return shownPull(context, repo, issue, changed);
}
