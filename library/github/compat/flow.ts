// Every route, driven by @octokit/rest as it is.
import assert from 'node:assert/strict';
import { Octokit } from '@octokit/rest';
import type { CompatContext } from 'drillyard/compat';
import { issues } from './flow-issues.js';
import { pulls } from './flow-pulls.js';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const at = { owner: 'acme', repo: 'web' } as const;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const refused = (status: number) => (error: unknown) => (error as { status?: unknown }).status === status;

export async function flow({ url, token, advance }: CompatContext): Promise<void> {
  const octokit = new Octokit({ baseUrl: url, auth: token, log: quiet });
  await accounts(octokit);
  await files(octokit, { url, token });
  await refs(octokit);
  await protection(octokit);
  await issues(octokit);
  await pulls(octokit, advance);
  await searches(octokit);
  const stranger = new Octokit({ baseUrl: url, auth: 'ghp_nobody', log: quiet });
  await assert.rejects(stranger.rest.users.getAuthenticated(), refused(401));
  await assert.rejects(octokit.rest.repos.get({ ...at, repo: 'nowhere' }), refused(404));
  await assert.rejects(octokit.rest.repos.listReleases(at), refused(404));
}

async function accounts({ rest, paginate }: Octokit): Promise<void> {
  const { data: me } = await rest.users.getAuthenticated();
  assert.equal((await rest.users.getByUsername({ username: me.login })).data.id, me.id);
  const { data: made } = await rest.repos.createForAuthenticatedUser({ name: 'tools', description: 'Small things', auto_init: true });
  assert.equal(made.full_name, `${me.login}/tools`);
  const all = await paginate(rest.repos.listForAuthenticatedUser, { per_page: 1 });
  assert.ok(all.length > 1 && all.some(({ id }) => id === made.id));
  assert.equal((await rest.repos.get(at)).data.permissions?.admin, true);
  const { data: people } = await rest.repos.listCollaborators(at);
  assert.ok(people.some(({ role_name }) => role_name === 'write'));
  assert.equal((await rest.repos.checkCollaborator({ ...at, username: 'bo' })).status, 204);
  await assert.rejects(rest.repos.checkCollaborator({ ...at, username: 'stranger' }), refused(404));
  assert.equal((await rest.repos.getCollaboratorPermissionLevel({ ...at, username: 'bo' })).data.permission, 'write');
}

async function files({ rest, request, paginate }: Octokit, { url, token }: Pick<CompatContext, 'url' | 'token'>): Promise<void> {
  const { data: root } = await rest.repos.getContent({ ...at, path: '' });
  const { data: same } = await request('GET /repos/{owner}/{repo}/contents', at);
  assert.deepEqual(root, same);
  // This client takes a slash from the end of a path; others of the vendor's leave it there.
  const slash = await fetch(`${url}/repos/acme/web/contents/`, { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual(await slash.json(), same);
  const { data: folder } = await rest.repos.getContent({ ...at, path: '', mediaType: { format: 'object' } });
  assert.equal((folder as { entries?: unknown[] }).entries?.length, (root as unknown[]).length);
  const deep = await rest.repos.getContent({ ...at, path: 'a/b/c/d/e/f.txt' });
  assert.ok(!Array.isArray(deep.data) && deep.data.type === 'file' && Buffer.from(deep.data.content, 'base64').toString() === 'deep\n');
  const place = { ...at, path: 'docs/how to.md' };
  const made = await rest.repos.createOrUpdateFileContents({ ...place, message: 'One', content: base64('one\n') });
  assert.equal(made.status, 201);
  const sha = made.data.content?.sha ?? assert.fail('no sha');
  const changed = await rest.repos.createOrUpdateFileContents({ ...place, message: 'Two', content: base64('two\n'), sha });
  assert.equal(changed.status as number, 200);
  await assert.rejects(rest.repos.deleteFile({ ...place, message: 'Three', sha }), refused(409));
  const gone = await rest.repos.deleteFile({ ...place, message: 'Three', sha: changed.data.content?.sha ?? '' });
  assert.equal(gone.data.content, null);
  const commits = await paginate(rest.repos.listCommits, { ...at, per_page: 2 });
  assert.deepEqual(
    commits.slice(0, 3).map(({ commit }) => commit.message),
    ['Three', 'Two', 'One'],
  );
  const { data: commit } = await rest.repos.getCommit({ ...at, ref: changed.data.commit.sha ?? '' });
  assert.equal(commit.files?.[0]?.patch, '@@ -1 +1 @@\n-one\n+two');
}

async function refs({ rest, paginate }: Octokit): Promise<void> {
  const branches = await paginate(rest.repos.listBranches, { ...at, per_page: 3 });
  assert.ok(branches.length > 3);
  const { data: branch } = await rest.repos.getBranch({ ...at, branch: 'feature/login' });
  const { data: ref } = await rest.git.getRef({ ...at, ref: 'heads/feature/login' });
  assert.equal(ref.object.sha, branch.commit.sha);
  await rest.git.createRef({ ...at, ref: 'refs/heads/try/one', sha: ref.object.sha });
  assert.equal((await rest.git.listMatchingRefs({ ...at, ref: 'heads/try' })).data.length, 1);
  const { data: main } = await rest.repos.getBranch({ ...at, branch: 'main' });
  const move = { ...at, ref: 'heads/try/one', sha: main.commit.sha };
  await assert.rejects(rest.git.updateRef(move), refused(422));
  assert.equal((await rest.git.updateRef({ ...move, force: true })).data.object.sha, main.commit.sha);
  await rest.git.deleteRef({ ...at, ref: 'heads/try/one' });
}

async function protection({ rest }: Octokit): Promise<void> {
  assert.deepEqual((await rest.repos.getBranchProtection({ ...at, branch: 'release' })).data.required_status_checks?.contexts, ['build']);
  const rules = { enforce_admins: true, required_pull_request_reviews: { required_approving_review_count: 2 }, restrictions: null };
  const branch = { ...at, branch: 'small' };
  await rest.repos.updateBranchProtection({ ...branch, ...rules, required_status_checks: { strict: true, contexts: ['build'] } });
  assert.equal((await rest.repos.getBranch(branch)).data.protected, true);
  assert.deepEqual((await rest.repos.getStatusChecksProtection(branch)).data.contexts, ['build']);
  assert.equal((await rest.repos.getPullRequestReviewProtection(branch)).data.required_approving_review_count, 2);
  assert.equal((await rest.repos.getAdminBranchProtection(branch)).data.enabled, true);
  await rest.repos.deleteBranchProtection(branch);
  await assert.rejects(rest.repos.getBranchProtection(branch), refused(404));
}

async function searches({ rest }: Octokit): Promise<void> {
  const { data: found } = await rest.search.issuesAndPullRequests({ q: 'repo:acme/web is:pr is:merged' });
  assert.ok(found.total_count > 0);
  assert.equal((await rest.search.code({ q: 'deep repo:acme/web' })).data.items[0]?.path, 'a/b/c/d/e/f.txt');
  assert.equal((await rest.search.users({ q: 'bo in:login' })).data.items[0]?.login, 'bo');
  assert.equal((await rest.search.repos({ q: 'web user:acme' })).data.items[0]?.full_name, 'acme/web');
}
