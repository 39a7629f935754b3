// Why an operation of GitHub's is not there, by the beginning of its id; the first that fits counts.
const reasons: readonly (readonly [begin: string, reason: string])[] = [
  ['actions/', 'workflows are what runs on a push, as check runs'],
  ['agent', 'agents of the vendor'],
  ['copilot', 'agents of the vendor'],
  ['apps/', 'tokens are those of the world'],
  ['oidc/', 'tokens are those of the world'],
  ['credentials/', 'tokens are those of the world'],
  ['billing/', 'administration of accounts and enterprises'],
  ['orgs/', 'administration of accounts and enterprises'],
  ['teams/', 'administration of accounts and enterprises'],
  ['enterprise-team', 'administration of accounts and enterprises'],
  ['api-insights/', 'administration of accounts and enterprises'],
  ['migrations/', 'administration of accounts and enterprises'],
  ['interactions/', 'administration of accounts and enterprises'],
  ['private-registries/', 'administration of accounts and enterprises'],
  ['hosted-compute/', 'machines of the vendor'],
  ['codespaces/', 'machines of the vendor'],
  ['code-', 'security scanning'],
  ['secret-scanning/', 'security scanning'],
  ['security-advisories/', 'security scanning'],
  ['campaigns/', 'security scanning'],
  ['dependabot/', 'dependencies are files of a repository'],
  ['dependency-graph/', 'dependencies are files of a repository'],
  ['activity/', 'notifications, stars and feeds'],
  ['reactions/', 'reactions'],
  ['git/', 'objects of git are made by writing files and merging'],
  ['repos/get-release', 'releases'],
  ['repos/list-release', 'releases'],
  ['repos/create-release', 'releases'],
  ['repos/delete-release', 'releases'],
  ['repos/update-release', 'releases'],
  ['repos/upload-release', 'releases'],
  ['repos/generate-release', 'releases'],
  ['repos/get-latest-release', 'releases'],
  ['issues/', 'milestones that change, sub-issues, dependencies and timelines'],
  ['pulls/', 'comments of reviews are made with the review or one by one'],
  ['checks/', 'suites and annotations; a check run belongs to its commit'],
  ['users/', 'keys, addresses and followers of accounts'],
  ['rate-limit/', 'what is left stands in the headers of every answer'],
  ['search/', 'search of commits, labels and topics'],
];

const webhooks = /^repos\/[a-z-]*(?:webhook|ping)/;
const protection = /^repos\/[a-z-]*(?:protection|restrictions|protected-branch|status-check|ruleset|rule)/;
const pages = /^repos\/[a-z-]*(?:pages|deploy|environment)/;

/** A sentence for people; it stands in COMPAT.md. */
export function reasonFor(id: string): string {
  if (webhooks.test(id)) return 'webhooks go to the receiver of the world';
  if (pages.test(id)) return 'deployments and pages';
  if (protection.test(id)) return 'protection is set as a whole';
  return reasons.find(([begin]) => id.startsWith(begin))?.[1] ?? 'not modelled';
}
