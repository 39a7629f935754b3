// Official clients, unchanged, pointed at wire routes in real drills: what they do is the evidence of the same generic calls.
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { runDrills } from '../../src/index.js';
import { createRepository, drill, moduleAgent, type Repository } from '../drills/repository.js';

const repositories: Repository[] = [];
after(() => {
  for (const repository of repositories) repository.remove();
});

const tracker = fileURLToPath(new URL('../../../test/fixtures/other-project/tools/tracker', import.meta.url));
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const grantsOf = (packageId: string, ids: readonly string[]) => ids.map((operationId) => ({ packageId, operationId }));

/**
 * One drill, whose agent goes the one way or the other as a module of its own says, which is no part of the build: so world and seed are
 * the same.
 */
function eitherWay(ways: { vendor: string; generic: string }, assertion: object): { [path: string]: string | object } {
  const body = `
if (way === 'vendor') {${ways.vendor}
}${ways.generic}`;
  const agent = moduleAgent('agent', body, { bindings: ['http', 'direct'] });
  const file = 'agents/agent.mjs';
  return { ...agent, [file]: `import { way } from './way.mjs';\n${agent[file]}`, ...drill('buys', 'agent', [assertion]) };
}

async function played(
  repository: Repository,
  way: 'vendor' | 'generic',
): Promise<{ output: unknown; evidence: EvidenceEntry[]; evidenceHash: string }> {
  repository.write('agents/way.mjs', `export const way = '${way}';\n`);
  const { verdict, drills } = await runDrills({ root: repository.root });
  const attempt = drills[0]?.trials[0]?.attempts[0] ?? assert.fail();
  const { targetResult } = attempt.result.interactions[0] ?? assert.fail();
  assert.equal(verdict, 'passed', JSON.stringify([targetResult, attempt.result.assertionResults]));
  const text = readFileSync(join(repository.root, attempt.report, 'evidence.jsonl'), 'utf8');
  const evidence = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EvidenceEntry);
  return { output: targetResult.output, evidence, evidenceHash: attempt.result.evidenceHash };
}

async function bothWays(repository: Repository, vendorOutput: unknown): Promise<void> {
  repositories.push(repository);
  const vendor = await played(repository, 'vendor');
  assert.deepEqual(vendor.output, vendorOutput);
  const generic = await played(repository, 'generic');
  assert.notDeepEqual(generic.output, vendorOutput, 'it went the other way');
  assert.deepEqual(vendor.evidence, generic.evidence);
  assert.equal(vendor.evidenceHash, generic.evidenceHash);
}

test('@octokit/rest opens, lists, closes and fails against a tracker as it would against its vendor', async () => {
  const vendor = `
const { Octokit } = await import('@octokit/rest');
const { owner, repo } = { owner: 'octo', repo: 'hello' };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const { mounts, token } = context.binding.http;
const url = context.environment.SERVICE_HTTP_URL_TRACKER;
if (url !== mounts.tracker.url || url !== invocation.bindings.http.mounts.tracker.url) throw new Error(url);
const { issues } = new Octokit({ auth: token, baseUrl: url, log: quiet });
const opened = await issues.create({ owner, repo, title: 'It breaks', body: 'Here.', labels: ['bug'] });
await issues.create({ owner, repo, title: 'Dark mode' });
const bugs = await issues.listForRepo({ owner, repo, labels: 'bug', state: 'open', per_page: 5 });
const closed = await issues.update({ owner, repo, issue_number: opened.data.number, state: 'closed' });
const statusOf = (promise) => promise.then(({ status }) => status, ({ status, response }) => [status, response.data.message]);
return {
  opened: [opened.status, opened.data.labels[0].name],
  bugs: bugs.data.map(({ title }) => title),
  closed: closed.data.state,
  missing: await statusOf(issues.get({ owner, repo, issue_number: 404 })),
  untitled: await statusOf(issues.create({ owner, repo, title: '' })),
  elsewhere: await statusOf(issues.listForRepo({ owner: 'nobody', repo })),
};`;
  const generic = `
const call = (operationId, args) => context.world.call('tracker', operationId, { owner: 'octo', repo: 'hello', ...args });
await call('issues.create', { title: 'It breaks', body: 'Here.', labels: ['bug'] });
await call('issues.create', { title: 'Dark mode' });
await call('issues.list', { labels: ['bug'], state: 'open', perPage: 5 });
await call('issues.update', { number: 1, state: 'closed' });
await call('issues.get', { number: 404 });
await call('issues.create', { title: '' });
return await call('issues.list', { owner: 'nobody' });`;
  const closed = {
    id: 'closed',
    kind: 'state.value',
    packageId: 'tracker',
    namespace: 'issues',
    rowId: 'octo/hello#000001',
    path: ['state'],
    expected: 'closed',
  };
  const repository = createRepository({
    'drillyard.json': { schemaVersion: 1, world: 'world.json', toolPackages: ['./tracker'] },
    'drillyard/world.json': {
      schemaVersion: 1,
      id: 'tracking',
      actors: [{ id: 'writer', grants: grantsOf('tracker', ['issues.list', 'issues.get', 'issues.create', 'issues.update']) }],
      state: [
        {
          action: 'upsert',
          packageId: 'tracker',
          namespace: 'repositories',
          rowId: 'octo/hello',
          value: { owner: 'octo', name: 'hello', lastNumber: 0 },
        },
      ],
    },
    ...eitherWay({ vendor, generic }, closed),
  });
  symlinkSync(tracker, join(repository.root, 'tracker'));
  symlinkSync(modules, join(repository.root, 'node_modules'));
  await bothWays(repository, {
    opened: [201, 'bug'],
    bugs: ['It breaks'],
    closed: 'closed',
    missing: [404, 'Not Found'],
    untitled: [422, "The arguments break the operation's schema: /title must NOT have fewer than 1 characters."],
    elsewhere: [404, 'Not Found'],
  });
});

test('a client that posts forms with basic authentication pays, and a lost answer is found again by its key', async () => {
  const vendor = `
const { url, token } = context.binding.http;
const post = async (path, form, key) => {
  const headers = { authorization: 'Basic ' + btoa(token + ':'), 'idempotency-key': key };
  const reply = await fetch(url + '/payments/v1' + path, { method: 'POST', headers, body: new URLSearchParams(form) });
  const body = await reply.json();
  return [reply.status, body.error?.code ?? body.id];
};
const order = { customer: 'cus_ada', amount: '2500', currency: 'eur', source: 'tok_visa', 'metadata[order]': '1' };
return [await post('/charges', order, 'order-1'), await post('/charges', order, 'order-1'), await post('/refunds', { charge: 'ch_000001', reason: 'duplicate' }, 'refund-1')];`;
  const generic = `
const order = { customerId: 'cus_ada', amount: 2500, currency: 'eur', token: 'tok_visa', metadata: { order: '1' } };
for (let times = 0; times < 2; times++) await context.world.call('payments', 'charge.create', order, { idempotencyKey: 'order-1' });
return await context.world.call('payments', 'refund.create', { chargeId: 'ch_000001', reason: 'duplicate' }, { idempotencyKey: 'refund-1' });`;
  const once = { id: 'once', kind: 'state.count', packageId: 'payments', namespace: 'charges', count: { equals: 1 } };
  const customer = { id: 'cus_ada', name: 'Ada', email: 'ada@mail.example', metadata: {}, createdAtUs: 0 };
  await bothWays(
    createRepository({
      'drillyard.json': { schemaVersion: 1, world: 'world.json', toolPackages: ['library:payments'] },
      'drillyard/world.json': {
        schemaVersion: 1,
        id: 'shop',
        actors: [{ id: 'writer', grants: grantsOf('payments', ['charge.create', 'refund.create']) }],
        state: [{ action: 'upsert', packageId: 'payments', namespace: 'customers', rowId: 'cus_ada', value: customer }],
        faults: [{ packageId: 'payments', faultId: 'charge-answer-lost' }],
      },
      ...eitherWay({ vendor, generic }, once),
    }),
    [
      [504, 'gateway_timeout'],
      [200, 'ch_000001'],
      [200, 're_000001'],
    ],
  );
});
