// Titles and texts that say nothing, as GitHub's own client sees them refused.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RequestError } from '@octokit/request-error';
import { Octokit } from '@octokit/rest';
import { openApiChecker } from '../../src/compat-kit/openapi-checker.js';
import { library } from './package-world.js';
import { serveWorld } from './served-world.js';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const at = { owner: 'acme', repo: 'web' };
const clientOf = async (context: TestContext, actorId = 'operator'): Promise<Octokit> => {
  const { url, token } = await serveWorld(context, { packageId: 'github', actorId });
  return new Octokit({ baseUrl: url, auth: token, log: quiet });
};

test('a title and a comment say something', async (context) => {
  const { rest } = await clientOf(context);
  const head_sha = (await rest.pulls.get({ ...at, pull_number: 3 })).data.head.sha;
  const [{ filename: path } = assert.fail('no file')] = (await rest.pulls.listFiles({ ...at, pull_number: 3 })).data;
  const comment_id = (await rest.issues.createComment({ ...at, issue_number: 1, body: 'Yes' })).data.id;
  const onLine = { ...at, pull_number: 3, commit_id: head_sha, path, subject_type: 'file' } as const;
  const untitled = (resource: string) => ({ resource, field: 'title', code: 'missing_field' });
  const unsaid = (resource: string) => ({ resource, field: 'data', code: 'unprocessable', message: 'Body cannot be blank' });
  for (const blank of ['', ' \n\t']) {
    const refusals: [() => Promise<unknown>, object][] = [
      [() => rest.issues.create({ ...at, title: blank }), untitled('Issue')],
      [() => rest.issues.update({ ...at, issue_number: 1, title: blank }), untitled('Issue')],
      [() => rest.pulls.create({ ...at, title: blank, head: 'hotfix', base: 'main' }), untitled('PullRequest')],
      [() => rest.pulls.update({ ...at, pull_number: 3, title: blank }), untitled('PullRequest')],
      [() => rest.issues.createMilestone({ ...at, title: blank }), untitled('Milestone')],
      [() => rest.issues.createComment({ ...at, issue_number: 1, body: blank }), unsaid('IssueComment')],
      [() => rest.issues.updateComment({ ...at, comment_id, body: blank }), unsaid('IssueComment')],
      [() => rest.pulls.createReviewComment({ ...onLine, body: blank }), unsaid('PullRequestReviewComment')],
    ];
    for (const [refusal, error] of refusals)
      await assert.rejects(refusal(), (thrown: RequestError) => {
        assert.ok(thrown instanceof RequestError, String(thrown));
        const { message, errors } = thrown.response?.data as { message: string; errors: object[] };
        assert.deepEqual([thrown.status, message, errors], [422, 'Validation Failed', [error]]);
        return true;
      });
  }
});

test("a blank body is refused in the shape that GitHub's own document has for each route", async (context) => {
  const { rest } = await clientOf(context, 'reader');
  const check = openApiChecker({ document: JSON.parse(readFileSync(join(library, 'github', 'compat', 'openapi.json'), 'utf8')) });
  const pull = { ...at, pull_number: 3 };
  const [{ filename: path } = assert.fail('no file')] = (await rest.pulls.listFiles(pull)).data;
  const commit_id = (await rest.pulls.get(pull)).data.head.sha;
  const sentence = 'Body cannot be blank';
  const named = (resource: string) => ({ resource, field: 'data', code: 'unprocessable', message: sentence });
  const body = ' \n';
  const pending = (await rest.pulls.createReview(pull)).data.id;
  const refusals: [() => Promise<unknown>, unknown][] = [
    [() => rest.issues.createComment({ ...at, issue_number: 1, body }), named('IssueComment')],
    [() => rest.pulls.createReviewComment({ ...pull, commit_id, path, subject_type: 'file', body }), named('PullRequestReviewComment')],
    [() => rest.pulls.submitReview({ ...pull, review_id: pending, event: 'COMMENT', body }), sentence],
    [() => rest.pulls.createReview({ ...pull, event: 'COMMENT', body }), sentence],
    [() => rest.pulls.createReview({ ...pull, event: 'COMMENT', body: 'See below', comments: [{ path, body }] }), sentence],
  ];
  for (const [refusal, error] of refusals)
    await assert.rejects(refusal(), (thrown: RequestError) => {
      assert.ok(thrown instanceof RequestError && thrown.response !== undefined, String(thrown));
      const { data, headers } = thrown.response;
      assert.deepEqual([thrown.status, (data as { errors?: unknown[] }).errors], [422, [error]]);
      const { method, url } = thrown.request;
      const exchange = { method, path: url.slice(url.indexOf('/repos/')), query: '', requestBody: '', status: 422 };
      const sent = { 'content-type': String(headers['content-type']) };
      assert.deepEqual(check({ ...exchange, headers: sent, body: JSON.stringify(data) }), []);
      return true;
    });
});
