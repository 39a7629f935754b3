// Branch protection: reading, setting and lifting it takes an administrator.
import { notFound, writeRepo } from './access.js';
import { protectionOf } from './merge-state.js';
import type { Context, Protection, RepoInput } from './model.js';
import { requireBranch } from './repos.js';
import { rowId } from './rows.js';
import { shownProtection } from './shape-protection.js';

interface BranchInput extends RepoInput {
  readonly branch: string;
}

export function getProtection(input: BranchInput, context: Context) {
  const repo = writeRepo(context, input, 'admin');
  requireBranch(context, repo, input.branch);
  const protection = protectionOf(context, repo, input.branch);
  return protection === undefined ? notFound(context, 'Branch not protected') : shownProtection(repo, protection);
}

export function getChecksProtection(input: BranchInput, context: Context) {
  return getProtection(input, context).required_status_checks ?? notFound(context, 'Required status checks not enabled');
}

export function getReviewProtection(input: BranchInput, context: Context) {
  return getProtection(input, context).required_pull_request_reviews ?? notFound(context);
}

export function getAdminProtection(input: BranchInput, context: Context) {
  return getProtection(input, context).enforce_admins;
}

interface ProtectionInput extends BranchInput {
  readonly required_status_checks: {
    readonly strict: boolean;
    readonly contexts?: readonly string[];
    readonly checks?: readonly { readonly context: string }[];
  } | null;
  readonly enforce_admins: boolean | null;
  readonly required_pull_request_reviews: {
    readonly required_approving_review_count?: number;
    readonly dismiss_stale_reviews?: boolean;
    readonly require_code_owner_reviews?: boolean;
  } | null;
  readonly allow_force_pushes?: boolean | null;
  readonly allow_deletions?: boolean | null;
  readonly required_linear_history?: boolean | null;
}

export function updateProtection(input: ProtectionInput, context: Context) {
  const repo = writeRepo(context, input, 'admin');
  requireBranch(context, repo, input.branch);
  const { required_status_checks: checks, required_pull_request_reviews: reviews } = input;
  const protection: Protection = {
    repo: repo.key,
    branch: input.branch,
    checks: checks === null ? null : { strict: checks.strict, contexts: [...namesOf(checks)] },
    reviews:
      reviews === null
        ? null
        : {
            count: reviews.required_approving_review_count ?? 1,
            dismissStale: reviews.dismiss_stale_reviews ?? false,
            codeOwners: reviews.require_code_owner_reviews ?? false,
          },
    enforceAdmins: input.enforce_admins ?? false,
    allowForcePushes: input.allow_force_pushes ?? false,
    allowDeletions: input.allow_deletions ?? false,
    linearHistory: input.required_linear_history ?? false,
  };
  context.state.put('protections', rowId(repo.key, input.branch), protection);
  return shownProtection(repo, protection);
}

function namesOf({ contexts = [], checks = [] }: NonNullable<ProtectionInput['required_status_checks']>): Set<string> {
  return new Set([...contexts, ...checks.map(({ context }) => context)]);
}

export function deleteProtection(input: BranchInput, context: Context): null {
  const repo = writeRepo(context, input, 'admin');
  if (!context.state.delete('protections', rowId(repo.key, input.branch))) return notFound(context, 'Branch not protected');
  return null;
}
