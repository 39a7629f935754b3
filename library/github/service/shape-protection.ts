// Branch protection.
import type { Protection, Repo } from './model.js';
import { repoApi } from './shape-base.js';

export function shownProtection(repo: Repo, protection: Protection) {
  const url = `${repoApi(repo)}/branches/${encodeURIComponent(protection.branch)}/protection`;
  const { checks, reviews } = protection;
  return {
    url,
    ...(checks === null ? {} : { required_status_checks: shownChecks(url, checks) }),
    ...(reviews === null
      ? {}
      : {
          required_pull_request_reviews: {
            url: `${url}/required_pull_request_reviews`,
            dismiss_stale_reviews: reviews.dismissStale,
            require_code_owner_reviews: reviews.codeOwners,
            required_approving_review_count: reviews.count,
            require_last_push_approval: false,
          },
        }),
    enforce_admins: { url: `${url}/enforce_admins`, enabled: protection.enforceAdmins },
    required_linear_history: { enabled: protection.linearHistory },
    allow_force_pushes: { enabled: protection.allowForcePushes },
    allow_deletions: { enabled: protection.allowDeletions },
    block_creations: { enabled: false },
    required_conversation_resolution: { enabled: false },
    lock_branch: { enabled: false },
    allow_fork_syncing: { enabled: false },
  };
}

function shownChecks(url: string, { strict, contexts }: NonNullable<Protection['checks']>) {
  return {
    url: `${url}/required_status_checks`,
    strict,
    contexts,
    contexts_url: `${url}/required_status_checks/contexts`,
    checks: contexts.map((context) => ({ context, app_id: null })),
  };
}
