// Check runs and statuses of commits, and what they come to.
import { resolve } from '../git/store.js';
import { invalid, notFound, readRepo, requirePull, viewerOf, writeRepo } from './access.js';
import { announceCheck } from './announce.js';
import { beginCheck } from './check-runs.js';
import { checksOn, statusesOn } from './merge-state.js';
import type { Check, CheckRow, CheckStatus, Commit, Context, PageInput, Repo, RepoInput } from './model.js';
import type { PullInput } from './pulls.js';
import { nextId, pageOf, rowId, rowsOf } from './rows.js';
import { repoApi, shownUser } from './shape-base.js';
import { shownCheck, shownStatus } from './shape-check.js';
import { shownRepoHead } from './shape-repo.js';
import { usOf } from './time.js';

interface CheckMembers {
  readonly status?: CheckStatus;
  readonly conclusion?: string;
  readonly details_url?: string;
  readonly external_id?: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly output?: { readonly title?: string; readonly summary?: string };
}

export function createCheck(input: RepoInput & CheckMembers & { readonly name: string; readonly head_sha: string }, context: Context) {
  const repo = writeRepo(context, input);
  const commit = resolve(context, repo, input.head_sha);
  if (commit?.sha !== input.head_sha) return invalid(context, `No commit found for SHA: ${input.head_sha}`);
  const first = { headSha: commit.sha, name: input.name, app: viewerOf(context), status: 'queued' } as const;
  const check = beginCheck(context, repo, { ...first, ...membersOf(context, input) });
  announceCheck(context, repo, check, check.status === 'completed' ? 'completed' : 'created');
  return shownCheck(context, repo, check);
}

/** What the request says; a conclusion completes the run. */
function membersOf(context: Context, input: CheckMembers): Partial<CheckRow> {
  const { conclusion, output, details_url: detailsUrl, external_id: externalId } = input;
  const status = conclusion === undefined ? input.status : 'completed';
  if (status === 'completed' && conclusion === undefined) return invalid(context, 'A completed check run has a conclusion.');
  return {
    ...(status === undefined ? {} : { status }),
    ...(conclusion === undefined ? {} : { conclusion, completedAtUs: usOf(input.completed_at ?? '') ?? context.clock.nowUs() }),
    ...(status !== undefined && conclusion === undefined ? { conclusion: null, completedAtUs: null } : {}),
    ...(detailsUrl === undefined ? {} : { detailsUrl }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(output === undefined ? {} : { title: output.title ?? null, summary: output.summary ?? null }),
    ...(input.started_at === undefined ? {} : { startedAtUs: usOf(input.started_at) ?? context.clock.nowUs() }),
  };
}

interface CheckInput extends RepoInput {
  readonly check_run_id: number;
}

function requireCheck(context: Context, repo: Repo, id: number): Check {
  return context.state.get('check-runs', rowId(repo.key, id)) ?? notFound(context);
}

export function updateCheck(input: CheckInput & CheckMembers & { readonly name?: string }, context: Context) {
  const repo = writeRepo(context, input);
  const check = requireCheck(context, repo, input.check_run_id);
  return shownCheck(context, repo, storeCheck(context, repo, { ...check, ...membersOf(context, input), name: input.name ?? check.name }));
}

export function storeCheck(context: Context, repo: Repo, check: Check): Check {
  context.state.put('check-runs', rowId(repo.key, check.id), check);
  if (check.status === 'completed') announceCheck(context, repo, check, 'completed');
  return check;
}

export function getCheck(input: CheckInput, context: Context) {
  const repo = readRepo(context, input);
  return shownCheck(context, repo, requireCheck(context, repo, input.check_run_id));
}

interface RefInput extends RepoInput, PageInput {
  readonly ref: string;
}

function requireCommit(context: Context, repo: Repo, ref: string): Commit {
  return resolve(context, repo, ref) ?? invalid(context, `No commit found for SHA: ${ref}`);
}

interface ChecksInput extends RefInput {
  readonly check_name?: string;
  readonly status?: CheckStatus;
  readonly filter?: 'latest' | 'all';
}

export function listChecksForRef(input: ChecksInput, context: Context) {
  const repo = readRepo(context, input);
  const { sha } = requireCommit(context, repo, input.ref);
  const all = rowsOf(context, 'check-runs', `${repo.key}:`).filter((check) => check.headSha === sha);
  const checks = (input.filter === 'all' ? all : checksOn(context, repo, sha)).filter(
    (check) => (input.check_name ?? check.name) === check.name && (input.status ?? check.status) === check.status,
  );
  const { items, total_count } = pageOf(checks, input, (check) => shownCheck(context, repo, check));
  return { total_count, check_runs: items };
}

export function getCombinedStatus(input: RefInput, context: Context) {
  const repo = readRepo(context, input);
  return combinedStatus(context, repo, requireCommit(context, repo, input.ref).sha, input);
}

/** Of the head of a pull request. */
export function getPullStatus(input: PullInput, context: Context) {
  const repo = readRepo(context, input);
  return combinedStatus(context, repo, requirePull(context, repo, input.pull_number).pull.headSha, {});
}

function combinedStatus(context: Context, repo: Repo, sha: string, input: PageInput) {
  const statuses = statusesOn(context, repo, sha);
  const failed = statuses.some(({ state }) => state === 'failure' || state === 'error');
  const pending = statuses.length === 0 || statuses.some(({ state }) => state === 'pending');
  const url = `${repoApi(repo)}/commits/${sha}`;
  return {
    state: failed ? 'failure' : pending ? 'pending' : 'success',
    statuses: pageOf(statuses, input, (status) => shownStatus(context, repo, status)).items,
    sha,
    total_count: statuses.length,
    repository: shownRepoHead(context, repo),
    commit_url: url,
    url: `${url}/status`,
  };
}

interface NewStatus extends RepoInput {
  readonly sha: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly context?: string;
  readonly description?: string | null;
  readonly target_url?: string | null;
}

export function createStatus(input: NewStatus, context: Context) {
  const repo = writeRepo(context, input);
  const { sha } = requireCommit(context, repo, input.sha);
  const id = nextId(context);
  const status = {
    id,
    repo: repo.key,
    sha,
    state: input.state,
    context: input.context ?? 'default',
    description: input.description ?? null,
    targetUrl: input.target_url ?? null,
    creator: viewerOf(context),
    createdAtUs: context.clock.nowUs(),
  };
  context.state.put('statuses', rowId(repo.key, id), status);
  return { ...shownStatus(context, repo, status), creator: shownUser(context, status.creator) };
}
