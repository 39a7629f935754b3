// Whether a pull request may be merged: what protects its base, what was reviewed, what ran on its head.
import { branchHead, isAncestor } from '../git/store.js';
import { may, viewerOf } from './access.js';
import type { Check, Context, Issue, Protection, Pull, Repo, Review, RowOf } from './model.js';
import { rowId, rowsOf } from './rows.js';

export function protectionOf(context: Context, repo: Repo, branch: string): Protection | undefined {
  return context.state.get('protections', rowId(repo.key, branch));
}

/** The newest run of each name on the commit. */
export function checksOn(context: Context, repo: Repo, sha: string): Check[] {
  const newest = new Map<string, Check>();
  for (const check of rowsOf(context, 'check-runs', `${repo.key}:`)) if (check.headSha === sha) newest.set(check.name, check);
  return [...newest.values()];
}

/** The newest status of each context on the commit. */
export function statusesOn(context: Context, repo: Repo, sha: string): RowOf<'statuses'>[] {
  const newest = new Map<string, RowOf<'statuses'>>();
  for (const status of rowsOf(context, 'statuses', `${repo.key}:`)) if (status.sha === sha) newest.set(status.context, status);
  return [...newest.values()];
}

/** The last word of each reviewer; a comment takes no word back. */
export function verdictsOf(context: Context, pull: Pull): Review[] {
  const last = new Map<string, Review>();
  for (const review of rowsOf(context, 'reviews', `${rowId(pull.repo, pull.number)}:`))
    if (review.state !== 'COMMENTED' && review.state !== 'PENDING') last.set(review.user.toLowerCase(), review);
  return [...last.values()];
}

const passing: readonly (string | null)[] = ['success', 'neutral', 'skipped'];

function stateOfContext(context: Context, repo: Repo, sha: string, name: string): 'expected' | 'pending' | 'failing' | 'passed' {
  const check = checksOn(context, repo, sha).find((one) => one.name === name);
  if (check !== undefined) return check.status !== 'completed' ? 'pending' : passing.includes(check.conclusion) ? 'passed' : 'failing';
  const status = statusesOn(context, repo, sha).find((one) => one.context === name);
  if (status === undefined) return 'expected';
  return status.state === 'success' ? 'passed' : status.state === 'pending' ? 'pending' : 'failing';
}

/** Why who asks may not push to the branch directly, in GitHub's words. `sha`: what is pushed, where it is a commit already. */
export function pushRule(context: Context, repo: Repo, { branch, sha }: { branch: string; sha?: string }): string | undefined {
  const protection = protectionOf(context, repo, branch);
  if (protection === undefined || (!protection.enforceAdmins && may(repo, viewerOf(context), 'admin'))) return undefined;
  if (protection.reviews !== null) return 'Changes must be made through a pull request.';
  const states = (protection.checks?.contexts ?? []).map((name) => ({
    name,
    state: sha === undefined ? 'expected' : stateOfContext(context, repo, sha, name),
  }));
  const missing = states.find(({ state }) => state !== 'passed');
  return missing === undefined ? undefined : `Required status check "${missing.name}" is ${missing.state}.`;
}

export interface Blocker {
  readonly kind: 'review' | 'check' | 'behind';
  readonly message: string;
}

/** What the protection of the base still wants, in GitHub's words. */
export function blockersOf(context: Context, repo: Repo, pull: Pull): Blocker[] {
  const protection = protectionOf(context, repo, pull.base);
  if (protection === undefined) return [];
  return [...reviewBlockers(context, repo, pull, protection), ...checkBlockers(context, repo, pull, protection)];
}

function reviewBlockers(context: Context, repo: Repo, pull: Pull, { reviews }: Protection): Blocker[] {
  if (reviews === null) return [];
  const verdicts = verdictsOf(context, pull).filter(({ user }) => may(repo, user, 'write'));
  if (verdicts.some(({ state }) => state === 'CHANGES_REQUESTED')) return [{ kind: 'review', message: 'Changes have been requested.' }];
  const approved = verdicts.filter(({ state }) => state === 'APPROVED').length;
  if (approved >= reviews.count) return [];
  const wanted = reviews.count === 1 ? 'review is' : 'reviews are';
  const message = `At least ${reviews.count} approving ${wanted} required by reviewers with write access.`;
  return [{ kind: 'review', message }];
}

function checkBlockers(context: Context, repo: Repo, pull: Pull, { checks }: Protection): Blocker[] {
  if (checks === null) return [];
  const blockers = checks.contexts.flatMap((name): Blocker[] => {
    const state = stateOfContext(context, repo, pull.headSha, name);
    return state === 'passed' ? [] : [{ kind: 'check', message: `Required status check "${name}" is ${state}.` }];
  });
  const base = branchHead(context, repo.key, pull.base);
  const behind = checks.strict && base !== undefined && !isAncestor(context, repo.key, base, pull.headSha);
  return behind ? [...blockers, { kind: 'behind', message: 'Head branch is out of date.' }] : blockers;
}

export function mergeStateOf(context: Context, repo: Repo, issue: Issue, pull: Pull): string {
  if (issue.state === 'closed' || pull.mergeable === null) return 'unknown';
  if (!pull.mergeable) return 'dirty';
  if (pull.draft) return 'draft';
  const blockers = blockersOf(context, repo, pull);
  if (blockers.some(({ kind }) => kind !== 'behind')) return 'blocked';
  if (blockers.length > 0) return 'behind';
  const checks = checksOn(context, repo, pull.headSha).every(({ conclusion }) => passing.includes(conclusion));
  const statuses = statusesOn(context, repo, pull.headSha).every(({ state }) => state === 'success');
  return checks && statuses ? 'clean' : 'unstable';
}
