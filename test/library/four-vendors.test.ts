// Stripe, Slack, Notion and two accounts of GitHub in one world: each official client reaches its own, and what they did is the same bytes
// on any port and on both servers.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client as Notion } from '@notionhq/client';
import { Octokit } from '@octokit/rest';
import { ErrorCode, type WebAPIPlatformError, WebClient } from '@slack/web-api';
import Stripe from 'stripe';
import { parse, stringify } from 'yaml';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { compileProject } from '../../src/compiler/compile.js';
import { newId } from '../../src/contract/ids.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { StatePatch } from '../../src/contract/world/scenario.js';
import { loadUws } from '../../src/http/uws-binary.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';

const root = mkdtempSync(join(tmpdir(), 'drillyard-four-vendors-'));
const engines = loadUws() === undefined ? (['node:http'] as const) : (['node:http', 'uWebSockets.js'] as const);
const fork = 'github-acme';
/** One id in each run: it is in the evidence. */
const worldId = newId('world');
let build: CompiledBuild;

interface WorldFile {
  actors: { grants: { packageId: string; instanceId?: string; operationId: string }[] }[];
  state: (StatePatch & { packageId: string; instanceId?: string })[];
}

/** The world of the example, with a second account of GitHub: the same people, and a repository without issues. */
function worldFile(): string {
  const example = fileURLToPath(new URL('../../../examples/08-real-services/drillyard/world.yaml', import.meta.url));
  const world = parse(readFileSync(example, 'utf8')) as WorldFile;
  const [desk] = world.actors;
  for (const operationId of ['issues.get', 'issues.create', 'issues.list-for-repo'])
    desk?.grants.push({ packageId: 'github', instanceId: fork, operationId });
  const rows = world.state.filter((patch) => patch.packageId === 'github' && ['users', 'repos'].includes(patch.namespace));
  world.state.push(...rows.map((row) => ({ ...row, instanceId: fork })));
  return stringify(world);
}

before(async () => {
  mkdirSync(join(root, 'drillyard'));
  const toolPackages = ['github', 'slack', 'stripe', 'notion'].map((id) => `library:${id}`);
  writeFileSync(join(root, 'drillyard.json'), JSON.stringify({ schemaVersion: 1, toolPackages }));
  writeFileSync(join(root, 'drillyard', 'world.yaml'), worldFile());
  const compiled = await compileProject({ root });
  build = compiled.build ?? assert.fail(JSON.stringify(compiled.diagnostics));
});
after(() => rmSync(root, { recursive: true, force: true }));

/** What each client did, and the journal of it. */
async function drive(engine: (typeof engines)[number]): Promise<string> {
  const directory = mkdtempSync(join(root, 'worlds-'));
  const worlds = await openWorlds({ directory, layout: 'run', durability: 'committed', hosts: 1, isolation: 'thread' });
  const world = await worlds.create({ worldId, build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } });
  const bindings = createBindings({ engine });
  try {
    const { endpoints } = await bindings.open({ world, actorId: 'desk', bindings: ['http'], httpMounts: 'port' });
    const { token, mounts } = endpoints.http ?? assert.fail();
    const urlOf = (mount: string): string => mounts?.[mount]?.url ?? assert.fail(mount);
    await askGitHub(token, urlOf);
    await askStripe(token, new URL(urlOf('stripe')));
    await askSlack(new WebClient(token, { slackApiUrl: `${urlOf('slack')}/api/`, retryConfig: { retries: 0 } }));
    const notion = new Notion({ auth: token, baseUrl: urlOf('notion') });
    const { results } = await notion.search({ query: 'Incidents' });
    assert.equal(results.length, 1);
    return await journalOf(world);
  } finally {
    await bindings.close();
    await worlds.close();
  }
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function askGitHub(auth: string, urlOf: (mount: string) => string): Promise<void> {
  const at = { owner: 'larkspur', repo: 'storefront' };
  const [one, other] = ['github', `github__${fork}`].map((mount) => new Octokit({ auth, baseUrl: urlOf(mount), log: quiet })) as [
    Octokit,
    Octokit,
  ];
  const { data: issue } = await one.rest.issues.get({ ...at, issue_number: 12 });
  assert.match(issue.title, /^Shipping/);
  assert.equal(issue.url.startsWith(urlOf('github')), true, issue.url);
  await assert.rejects(other.rest.issues.get({ ...at, issue_number: 12 }), { status: 404 });
  const { data: created } = await other.rest.issues.create({ ...at, title: 'Of the other account' });
  assert.deepEqual(
    (await other.rest.issues.listForRepo(at)).data.map(({ number }) => number),
    [created.number],
  );
}

async function askStripe(token: string, { hostname: host, port }: URL): Promise<void> {
  const stripe = new Stripe(token, { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 });
  const { id } = await stripe.refunds.create({ payment_intent: 'pi_000004', amount: 490 }, { idempotencyKey: 'shipping' });
  const again = await stripe.refunds.create({ payment_intent: 'pi_000004', amount: 490 }, { idempotencyKey: 'shipping' });
  assert.equal(again.id, id);
}

async function askSlack(slack: WebClient): Promise<void> {
  const { channels = [] } = await slack.conversations.list({});
  const support = channels.find(({ name }) => name === 'support')?.id ?? assert.fail();
  await slack.chat.postMessage({ channel: support, text: 'Refunded.' });
  await assert.rejects(slack.chat.postMessage({ channel: 'C0NOBODY', text: 'x' }), (error: WebAPIPlatformError) => {
    assert.deepEqual([error.code, error.data.error], [ErrorCode.PlatformError, 'channel_not_found']);
    return true;
  });
}

async function journalOf(world: WorldRef): Promise<string> {
  const { lines, nextSequence } = await world.query({ kind: 'evidenceLines', fromSequence: 1, limit: 500 });
  assert.equal(nextSequence, undefined);
  return lines;
}

test('each client reaches its own account, and the journal is the same on two ports and on both servers', async () => {
  const journals = new Map<string, string[]>();
  for (const engine of engines) journals.set(engine, [await drive(engine), await drive(engine)]);
  const all = [...journals.values()].flat();
  assert.ok((all[0] as string).length > 1000);
  for (const journal of all) assert.equal(journal, all[0]);
});
