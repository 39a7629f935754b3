// GitHub's own client and its check of webhooks against a served world, as a program at GitHub would use them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { RequestError } from '@octokit/request-error';
import { Octokit } from '@octokit/rest';
import { Webhooks } from '@octokit/webhooks';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { openApiChecker } from '../../src/compat-kit/openapi-checker.js';
import { createLocalWorld, type LocalWorld, type LocalWorldOptions } from '../../src/index.js';
import { library } from './package-world.js';

type Ending = { after(end: () => Promise<void>): void };

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const at = { owner: 'acme', repo: 'web' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const dayUs = 86_400_000_000;

/** A world of the conformance project, or of another, and the vendor's client at the mount of each instance. */
async function serve(context: Ending, { actorId = 'operator', ...options }: Partial<LocalWorldOptions> & { actorId?: string } = {}) {
  const local: LocalWorld = await createLocalWorld({ root: `${library}/github/conformance`, ...options });
  const bindings = createBindings({});
  context.after(async () => {
    await bindings.close();
    await local.close();
  });
  const { endpoints } = await bindings.open({ world: local.world, actorId, bindings: ['http'] });
  const { token, mounts } = endpoints.http ?? assert.fail('no http endpoint');
  const urlOf = (mount: string): string => mounts?.[mount]?.url ?? assert.fail(mount);
  const clientOf = (mount = 'github', auth = token): Octokit => new Octokit({ baseUrl: urlOf(mount), auth, log: quiet });
  const advance = async (byUs: number): Promise<void> => {
    await local.advance((await local.position()).virtualTimeUs + byUs);
  };
  return { local, bindings, token, urlOf, clientOf, advance };
}

const refused = (status: number, message: string | RegExp) => (thrown: unknown) => {
  assert.ok(thrown instanceof RequestError, String(thrown));
  assert.equal(thrown.status, status);
  assert.match((thrown.response?.data as { message: string }).message, typeof message === 'string' ? new RegExp(`^${message}$`) : message);
  return true;
};

test('the client follows Link over three pages, and reads a file six folders deep', async (context) => {
  const { clientOf, urlOf } = await serve(context);
  const octokit = clientOf();
  const pages: number[][] = [];
  const links: (string | undefined)[] = [];
  for await (const { data, headers } of octokit.paginate.iterator(octokit.rest.issues.listForRepo, { ...at, per_page: 2 })) {
    pages.push(data.map(({ number }) => number));
    links.push(headers.link);
  }
  assert.deepEqual(pages, [[5, 4], [3, 2], [1]]);
  const page = (number: number, rel: string): string =>
    `<${urlOf('github')}/repos/acme/web/issues?per_page=2&page=${number}>; rel="${rel}"`;
  assert.equal(links[0], [page(2, 'next'), page(3, 'last')].join(', '));
  assert.match(links[2] ?? '', /[?&]page=2&per_page=2>; rel="prev", <[^>]*[?&]page=1&per_page=2>; rel="first"$/);
  const { data } = await octokit.rest.repos.getContent({ ...at, path: 'a/b/c/d/e/f.txt' });
  assert.ok(!Array.isArray(data) && data.type === 'file');
  assert.equal(Buffer.from(data.content, 'base64').toString(), 'deep\n');
});

test('a list that names a next page has no more than was asked for, and a client that follows Link sees each item once', async (context) => {
  const { clientOf } = await serve(context);
  const octokit = clientOf();
  for (const name of ['one', 'two', 'three']) {
    const { data } = await octokit.rest.git.getRef({ ...at, ref: 'heads/main' });
    await octokit.rest.git.createRef({ ...at, ref: `refs/heads/${name}`, sha: data.object.sha });
  }
  const ofRepo = [
    'branches',
    'commits',
    'collaborators',
    'issues',
    'issues/comments',
    'issues/5/comments',
    'labels',
    'milestones',
    'pulls',
  ];
  const ofPull = ['files', 'commits', 'reviews', 'comments'].map((list) => `pulls/3/${list}`);
  const ofRef = ['commits/main/check-runs', 'commits/main/status', 'git/matching-refs/heads'];
  const searches = ['search/issues?q=repo:acme/web', 'search/code?q=web', 'search/users?q=a', 'search/repositories?q=acme'];
  const lists = [...['user/repos', 'issues'], ...searches, ...[...ofRepo, ...ofPull, ...ofRef].map((list) => `repos/acme/web/${list}`)];
  let followed = 0;
  for (const list of lists) {
    const { data, headers } = await octokit.request(`GET /${list}${list.includes('?') ? '&' : '?'}per_page=1`);
    const items = Array.isArray(data) ? data : (Object.values(data as object).find(Array.isArray) ?? assert.fail(list));
    if (!headers.link?.includes('rel="next"')) continue;
    followed += 1;
    assert.equal(items.length, 1, list);
  }
  assert.ok(followed > 5, `${followed} lists of more than one page`);
  const refs = await octokit.paginate(octokit.rest.git.listMatchingRefs, { ...at, ref: 'heads', per_page: 2 });
  assert.ok(refs.length > 3);
  assert.equal(new Set(refs.map(({ ref }) => ref)).size, refs.length);
});

test('the client throws what it throws at GitHub', async (context) => {
  const { clientOf } = await serve(context);
  const { rest } = clientOf();
  await assert.rejects(clientOf('github', 'ghp_wrong').rest.users.getAuthenticated(), refused(401, 'Bad credentials'));
  await assert.rejects(rest.repos.get({ ...at, repo: 'secret' }), refused(404, 'Not Found'));
  const file = { ...at, path: 'README.md', message: 'Say more', content: base64('# Web\n') };
  await assert.rejects(rest.repos.createOrUpdateFileContents(file), refused(422, /"sha" wasn't supplied/));
  const sha = '0123456789012345678901234567890123456789';
  await assert.rejects(rest.repos.createOrUpdateFileContents({ ...file, sha }), refused(409, `README.md does not match ${sha}`));
  await assert.rejects(rest.issues.create({ ...at, title: 'x', assignees: ['nobody'] }), (thrown: RequestError) => {
    const { errors } = thrown.response?.data as { errors: { field: string; code: string }[] };
    return refused(422, 'Validation Failed')(thrown) && errors[0]?.field === 'assignees' && errors[0].code === 'invalid';
  });
  await assert.rejects(rest.pulls.merge({ ...at, pull_number: 5 }), refused(405, /^At least 1 approving review is required/));
  const { clientOf: ofReader } = await serve(context, { actorId: 'reader' });
  await assert.rejects(ofReader().rest.issues.createMilestone({ ...at, title: 'Mine' }), refused(403, /^Resource not accessible/));
});

test('a member of the protection of a branch that is null is one that is not given', async (context) => {
  const { clientOf } = await serve(context);
  const none = { required_status_checks: null, enforce_admins: null, required_pull_request_reviews: null, restrictions: null };
  const { data } = await clientOf().request('PUT /repos/{owner}/{repo}/branches/{branch}/protection', {
    ...{ ...at, branch: 'main', ...none, allow_force_pushes: null },
    // The client's types have no null here; PyGithub sends it.
    ...({ allow_deletions: null, required_linear_history: null } as object),
  });
  assert.deepEqual([data.allow_deletions?.enabled, data.required_linear_history?.enabled], [false, false]);
});

test('whether a pull request can be merged is not known at first, and then it is', async (context) => {
  const { clientOf, advance } = await serve(context);
  const { rest } = clientOf();
  const mergeables = async () =>
    Promise.all([3, 4].map(async (pull_number) => (await rest.pulls.get({ ...at, pull_number })).data.mergeable));
  assert.deepEqual(await mergeables(), [null, null]);
  await advance(5_000_000);
  assert.deepEqual(await mergeables(), [true, false]);
});

test('a directory is one object, and a commit its sha, for who asks so; a form that is not there is marked', async (context) => {
  const { clientOf } = await serve(context);
  const { rest } = clientOf();
  const { data: folder, headers } = await rest.repos.getContent({ ...at, path: 'a', mediaType: { format: 'object' } });
  assert.ok(!Array.isArray(folder) && 'entries' in folder);
  assert.deepEqual([folder.type, (folder.entries as { path: string }[]).map(({ path }) => path)], ['dir', ['a/b']]);
  assert.equal(headers['x-github-media-type'], 'github.v3; param=object');
  const commit = { ...at, ref: 'main' };
  const { data: sha } = await rest.repos.getCommit({ ...commit, mediaType: { format: 'sha' } });
  const plain = await rest.repos.getCommit(commit);
  assert.deepEqual([sha, plain.headers['x-drillyard-unsupported']], [plain.data.sha, undefined]);
  const patch = await rest.repos.getCommit({ ...commit, mediaType: { format: 'patch' } });
  assert.deepEqual([patch.headers['x-drillyard-unsupported'], patch.headers['x-github-media-type']], ['1', 'github.v3; format=json']);
});

test('arguments that do not fit are refused in words of GitHub, which say nothing of a simulation', async (context) => {
  const { clientOf } = await serve(context);
  const { rest } = clientOf();
  const without = rest.issues.create(at as never);
  await assert.rejects(without, refused(422, 'Invalid request.\n\n"title" wasn\'t supplied.'));
  const wrong = rest.issues.create({ ...at, title: { a: 1 } as never, labels: 'bug' as never });
  const lines = ['For \'properties/title\', {"a":1} is not a string.', 'For \'properties/labels\', "bug" is not an array.'];
  await assert.rejects(wrong, refused(422, new RegExp(lines.join('|'))));
  const state = rest.issues.update({ ...at, issue_number: 1, state: 'done' as never });
  await assert.rejects(state, refused(422, /"done" is not a possible value\. Must be one of the following: open, closed\.$/));
});

test('a diff, and the bytes of a file, come as such to a client that asks for them', async (context) => {
  const { clientOf, urlOf, token } = await serve(context);
  const { rest } = clientOf();
  const file = { ...at, path: 'image.bin', message: 'An image' };
  await rest.repos.createOrUpdateFileContents({ ...file, content: Buffer.from([0, 255, 128]).toString('base64') });
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github.raw+json' };
  const raw = await fetch(`${urlOf('github')}/repos/acme/web/contents/image.bin`, { headers });
  assert.deepEqual([...new Uint8Array(await raw.arrayBuffer())], [0, 255, 128]);
  const { data: text } = await rest.repos.getContent({ ...at, path: 'README.md', ref: 'clash', mediaType: { format: 'raw' } });
  assert.equal(text as unknown as string, '# Shop\n');
  const { data: diff } = await rest.pulls.get({ ...at, pull_number: 4, mediaType: { format: 'diff' } });
  const head = ['diff --git a/README.md b/README.md', 'index 76912a2..a00621b 100644', '--- a/README.md', '+++ b/README.md'];
  assert.equal(diff as unknown as string, [...head, '@@ -1 +1 @@', '-# Web', '+# Shop', ''].join('\n'));
});

test("an agent over MCP works with the tools that GitHub's reference server has, and their arguments", async (context) => {
  const { local, bindings } = await serve(context);
  const { endpoints } = await bindings.open({ world: local.world, actorId: 'operator', bindings: ['mcp'] });
  const { url, token } = endpoints.mcp ?? assert.fail('no mcp endpoint');
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as Transport);
  context.after(() => client.close());
  const call = async (name: string, args: object): Promise<{ [member: string]: unknown }> => {
    const { content, isError } = (await client.callTool({ name, arguments: { ...at, ...args } })) as ToolAnswer;
    const text = content[0]?.text ?? '';
    return isError === true ? assert.fail(`${name}: ${text}`) : JSON.parse(text);
  };
  await call('create_branch', { branch: 'greet', from_branch: 'main' });
  await call('create_or_update_file', { path: 'src/app.ts', content: 'Grüße\n', message: 'Greet', branch: 'greet' });
  await call('push_files', {
    branch: 'greet',
    message: 'Two',
    files: [
      { path: 'one.md', content: '1' },
      { path: 'two.md', content: '2' },
    ],
  });
  assert.equal((await call('get_file_contents', { path: 'src/app.ts', branch: 'greet' })).content, 'Grüße\n');
  const pull = await call('create_pull_request', { title: 'Greet', head: 'greet', base: 'main' });
  const { items } = await call('get_pull_request_files', { pull_number: pull.number });
  assert.deepEqual(
    (items as { filename: string }[]).map(({ filename }) => filename),
    ['one.md', 'src/app.ts', 'two.md'],
  );
  assert.equal((await call('get_pull_request_status', { pull_number: pull.number })).state, 'pending');
  assert.equal((await call('merge_pull_request', { pull_number: pull.number, merge_method: 'squash' })).merged, true);
});

interface ToolAnswer {
  content: { text: string }[];
  isError?: boolean;
}
interface Delivery {
  event: string;
  id: string;
  isSigned: boolean;
  body: string;
  from: string;
  target: string;
}

/** A receiver that keeps what comes, and checks it with @octokit/webhooks. */
async function receive(
  context: Ending,
): Promise<{ deliveries: Delivery[]; callbackReceivers: { webhook: { url: string; secret: string } } }> {
  const secret = "It's a secret to everybody";
  const webhooks = new Webhooks({ secret });
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const { headers } = request;
    const signature = String(headers['x-hub-signature-256']);
    const [event, id] = [String(headers['x-github-event']), String(headers['x-github-delivery'])];
    const [from, target] = [String(headers['user-agent']), String(headers['x-github-hook-installation-target-id'])];
    deliveries.push({ event, id, body, from, target, isSigned: await webhooks.verify(body, signature) });
    response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => new Promise((resolve) => server.close(() => resolve())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { deliveries, callbackReceivers: { webhook: { url, secret } } };
}

test('webhooks of a world months away pass the check of @octokit/webhooks, and a forged one does not', async (context) => {
  const { deliveries, callbackReceivers } = await receive(context);
  const { clientOf, advance } = await serve(context, { callbackReceivers });
  await advance(90 * dayUs);
  deliveries.length = 0;
  await clientOf().rest.issues.create({ ...at, title: 'Später ☃' });
  const [delivery] = deliveries;
  assert.ok(delivery?.isSigned && delivery.event === 'issues');
  assert.match(delivery.id, /^[0-9a-z_-]{8,}$/);
  const body = JSON.parse(delivery.body) as { issue: { created_at: string; title: string }; repository: { id: number } };
  assert.deepEqual([body.issue.created_at, body.issue.title], ['2026-05-31T09:00:00Z', 'Später ☃']);
  // Receivers tell GitHub by its name, and the repository of the hook by its id.
  assert.match(delivery.from, /^GitHub-Hookshot\//);
  assert.equal(delivery.target, String(body.repository.id));
  const forged = await receive(context);
  const other = await serve(context, { scenarioId: 'webhook-forged', callbackReceivers: forged.callbackReceivers });
  await other.clientOf().rest.issues.create({ ...at, title: 'Forged' });
  await other.clientOf().rest.issues.create({ ...at, title: 'True' });
  assert.deepEqual(
    forged.deliveries.map(({ isSigned }) => isSigned),
    [false, true],
  );
});

/** Makes every webhook come that the vendor's document describes here. */
async function makeEvents({ rest }: Octokit, advance: (byUs: number) => Promise<void>): Promise<void> {
  const { data: issue } = await rest.issues.create({ ...at, title: 'One', body: null as unknown as string });
  const one = { ...at, issue_number: issue.number };
  await rest.issues.addLabels({ ...one, labels: ['bug'] });
  const { data: comment } = await rest.issues.createComment({ ...one, body: 'Two' });
  await rest.issues.updateComment({ ...at, comment_id: comment.id, body: 'Three' });
  await rest.issues.deleteComment({ ...at, comment_id: comment.id });
  await rest.issues.update({ ...one, state: 'closed' });
  const { data: main } = await rest.repos.getBranch({ ...at, branch: 'main' });
  await rest.git.createRef({ ...at, ref: 'refs/heads/more', sha: main.commit.sha });
  const write = (path: string) =>
    rest.repos.createOrUpdateFileContents({ ...at, path, message: path, content: base64('x\n'), branch: 'more' });
  await write('MORE.md');
  const { data: pull } = await rest.pulls.create({ ...at, title: 'More', head: 'more', base: 'main' });
  await write('MOST.md');
  const other = { ...at, pull_number: 3 };
  const { data: review } = await rest.pulls.createReview({ ...other, event: 'APPROVE' });
  await rest.pulls.dismissReview({ ...other, review_id: review.id, message: 'Too early' });
  await advance(600_000_000);
  await rest.pulls.merge({ ...at, pull_number: pull.number });
}

test("each webhook is what GitHub's own document says of it", async (context) => {
  const document = JSON.parse(readFileSync(join(library, 'github', 'compat', 'openapi.json'), 'utf8')) as {
    'x-webhooks': { [name: string]: object };
  };
  const described = Object.entries(document['x-webhooks']);
  const paths = Object.fromEntries(
    described.map(([name, schema]) => [
      `/${name}`,
      { post: { operationId: name, responses: { 200: { content: { 'application/json': { schema } } } } } },
    ]),
  );
  const check = openApiChecker({ document: { ...document, paths } });
  const { deliveries, callbackReceivers } = await receive(context);
  const { clientOf, advance } = await serve(context, { callbackReceivers });
  await makeEvents(clientOf(), advance);
  const found = deliveries.map(({ event, body }) => {
    const { action } = JSON.parse(body) as { action?: string };
    return { name: [event.replaceAll('_', '-'), ...(action === undefined ? [] : [action])].join('-'), body };
  });
  const exchange = { method: 'POST', query: '', requestBody: '', status: 200, headers: { 'content-type': 'application/json' } };
  const faults = found.map(({ name, body }) => ({ name, faults: check({ ...exchange, path: `/${name}`, body }) }));
  assert.deepEqual(
    faults.filter((one) => one.faults.length > 0),
    [],
  );
  const names = new Set(found.map(({ name }) => name));
  assert.deepEqual(
    described.map(([name]) => name).filter((name) => !names.has(name)),
    [],
  );
});

test('two accounts of GitHub in one world know nothing of each other', async (context) => {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-two-githubs-'));
  context.after(async () => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'drillyard'));
  writeFileSync(join(root, 'drillyard.json'), JSON.stringify({ schemaVersion: 1, toolPackages: ['library:github'] }));
  const operations = ['repos.create-for-authenticated-user', 'repos.list-for-authenticated-user', 'issues.create'];
  const grants = ['github', 'github-old'].flatMap((instanceId) =>
    operations.map((operationId) => ({ packageId: 'github', instanceId, operationId })),
  );
  const world = { schemaVersion: 1, id: 'two', actors: [{ id: 'ada', grants }], virtualTimeUs: 1_772_442_000_000_000 };
  writeFileSync(join(root, 'drillyard', 'world.yaml'), JSON.stringify(world));
  const { clientOf } = await serve(context, { root, actorId: 'ada' });
  const [now, old] = [clientOf('github'), clientOf('github__github-old')];
  await now.rest.repos.createForAuthenticatedUser({ name: 'web', auto_init: true });
  assert.deepEqual((await old.rest.repos.listForAuthenticatedUser()).data, []);
  await assert.rejects(old.rest.issues.create({ owner: 'ada', repo: 'web', title: 'x' }), refused(404, 'Not Found'));
  const { data: issue } = await now.rest.issues.create({ owner: 'ada', repo: 'web', title: 'x' });
  assert.equal(issue.number, 1);
});
