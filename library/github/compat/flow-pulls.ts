// Pull requests, reviews, checks and merges, driven by @octokit/rest.
import assert from 'node:assert/strict';
import type { Octokit } from '@octokit/rest';
import type { CompatContext } from 'drillyard/compat';

const at = { owner: 'acme', repo: 'web' } as const;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

export async function pulls(octokit: Octokit, advance: CompatContext['advance']): Promise<void> {
  const { rest } = octokit;
  const { data: main } = await rest.repos.getBranch({ ...at, branch: 'main' });
  await rest.git.createRef({ ...at, ref: 'refs/heads/price/tax', sha: main.commit.sha });
  await rest.repos.createOrUpdateFileContents({
    ...at,
    path: 'src/tax.ts',
    message: 'Add tax',
    content: base64('export const tax = 0.2;\n'),
    branch: 'price/tax',
  });
  const { data: pull } = await rest.pulls.create({ ...at, title: 'Add tax', head: 'price/tax', base: 'main', body: 'Fixes #1' });
  const one = { ...at, pull_number: pull.number };
  assert.equal(pull.mergeable, null);
  await advance(5_000_000);
  assert.equal((await rest.pulls.get(one)).data.mergeable, true);
  assert.ok((await rest.pulls.list({ ...at, head: 'acme:price/tax' })).data.length === 1);
  assert.equal((await rest.pulls.listFiles(one)).data[0]?.filename, 'src/tax.ts');
  assert.equal((await rest.pulls.listCommits(one)).data.length, 1);
  const { data: diff } = await rest.pulls.get({ ...one, mediaType: { format: 'diff' } });
  assert.match(String(diff), /^diff --git a\/src\/tax\.ts b\/src\/tax\.ts\nnew file mode 100644\n/);
  await rest.pulls.update({ ...one, title: 'Add the tax' });
  await reviews(octokit, pull.number);
  await checks(octokit, pull.head.sha);
  await rest.repos.createOrUpdateFileContents({ ...at, path: 'CHANGES.md', message: 'Say so', content: base64('Tax.\n') });
  assert.equal((await rest.pulls.updateBranch(one)).status, 202);
  await advance(120_000_000);
  const { data: merged } = await rest.pulls.merge({ ...one, merge_method: 'squash' });
  assert.equal(merged.merged, true);
  assert.equal((await rest.pulls.checkIfMerged(one)).status as number, 204);
}

async function reviews({ rest }: Octokit, pull_number: number): Promise<void> {
  const one = { ...at, pull_number };
  await rest.pulls.requestReviewers({ ...one, reviewers: ['bo'] });
  await rest.pulls.removeRequestedReviewers({ ...one, reviewers: ['bo'] });
  const comments = [{ path: 'src/tax.ts', line: 1, body: 'From where?' }];
  const { data: pending } = await rest.pulls.createReview({ ...one, comments });
  assert.equal(pending.state, 'PENDING');
  const review = { ...one, review_id: pending.id };
  await rest.pulls.submitReview({ ...review, event: 'COMMENT', body: 'One question' });
  assert.equal((await rest.pulls.getReview(review)).data.state, 'COMMENTED');
  assert.equal((await rest.pulls.listReviews(one)).data.length, 1);
  const { data: pull } = await rest.pulls.get(one);
  const line = { ...one, commit_id: pull.head.sha, path: 'src/tax.ts', line: 1, side: 'RIGHT' as const };
  await rest.pulls.createReviewComment({ ...line, body: 'From the law.' });
  assert.equal((await rest.pulls.listReviewComments(one)).data.length, 2);
  // Nobody approves what is their own, so another pull request's approval is dismissed.
  const other = { ...at, pull_number: 3 };
  const { data: approved } = await rest.pulls.createReview({ ...other, event: 'APPROVE' });
  const dismissal = { ...other, review_id: approved.id, message: 'Too early' };
  assert.equal((await rest.pulls.dismissReview(dismissal)).data.state, 'DISMISSED');
}

async function checks({ rest }: Octokit, head_sha: string): Promise<void> {
  const { data: check } = await rest.checks.create({ ...at, name: 'lint', head_sha, status: 'in_progress' });
  const done = { ...at, check_run_id: check.id };
  await rest.checks.update({ ...done, conclusion: 'success', output: { title: 'Fine', summary: 'All fine' } });
  assert.equal((await rest.checks.get(done)).data.status, 'completed');
  assert.ok((await rest.checks.listForRef({ ...at, ref: head_sha, check_name: 'lint' })).data.total_count === 1);
  await rest.repos.createCommitStatus({ ...at, sha: head_sha, state: 'success', context: 'legal' });
  assert.equal((await rest.repos.getCombinedStatusForRef({ ...at, ref: head_sha })).data.state, 'success');
}
