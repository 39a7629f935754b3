// `push` and `run --remote`: the real command line against a service that is a process of its own. One service for the file.
import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sha256Digest } from '../../src/contract/digest.js';
import type { HostedRun, RunError } from '../../src/contract/run/run.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { startLocalInspector } from '../../src/index.js';
import type { ReportManifest } from '../../src/reports/manifest.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { commandAgent, createRepository, drill, moduleAgent, noteIs, notesTool, type Repository, written } from '../drills/repository.js';
import { clientOf, startService } from '../e2e/service.js';
import { drillyard, jsonLines, start } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const service = await startService({ flags: ['--world-url', 'http://localhost:0', '--world-mount-hosts', 'true'] });
const { baseUrl, projectId, environmentId, credential = '' } = service.ready;
const client = clientOf(service, credential);
const withToken = { env: { DRILLYARD_TOKEN: credential } };
after(() => service.stop());

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-remote-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

function repository(worldId: string, files: { [path: string]: string | object } = {}): Repository {
  const made = createRepository(files);
  const world = JSON.parse(readFileSync(join(made.root, 'drillyard/world.json'), 'utf8')) as object;
  made.write('drillyard/world.json', { ...world, id: worldId });
  after(() => made.remove());
  return made;
}

type Line = ReturnType<typeof jsonLines>[number];
const event = (lines: Line[], name: string): Line => lines.find((line) => line.event === name) ?? assert.fail(`no line ${name}`);
async function push(root: string, ...args: string[]): Promise<{ code: number | null; lines: Line[]; stderr: string }> {
  const { code, stdout, stderr } = await warmDrillyard(['push', '--remote', baseUrl, '--json', '--root', root, ...args], withToken);
  return { code, lines: jsonLines(stdout), stderr };
}
const builds = async (): Promise<number> => (await client.listBuilds({ path: { projectId }, query: { limit: 100 } })).items.length;
const operations = async (): Promise<number> =>
  (await client.listOperations({ path: { projectId }, query: { limit: 100, kind: 'build.compile' } })).items.length;

const writes = `const outcome = await context.world.call('notes', 'note.write', { id: 'a', text: 'said ' + invocation.task.instruction }); return outcome.value;`;

// PUSH-SOURCE-2
test('what the compiler reads is pushed and built once; unchanged source makes no new build, and says so', async () => {
  const { root, write } = repository('pushed', {
    ...commandAgent('agent', '', { workingDirectory: 'work' }),
    'work/.gitkeep': '',
    ...drill('d', 'agent', [written({ equals: 1 })], { cases: { file: 'cases/d.jsonl' } }),
    'drillyard/cases/d.jsonl': '{ "id": "one" }\n',
    'drillyard/README.md': 'not read',
    '.env': 'SECRET=1',
  });
  const validated = await warmDrillyard(['validate', '--json', '--root', root]);
  const { buildHash } = event(jsonLines(validated.stdout), 'summary');
  const first = await push(root);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /Sending \d+ of \d+ files\nBuild of revision 1: /);
  const pushed = event(first.lines, 'pushed');
  assert.deepEqual([pushed.buildHash, pushed.revision, pushed.isUnchanged, pushed.isSent], [buildHash, 1, false, true]);
  assert.deepEqual(event(first.lines, 'summary'), { event: 'summary', valid: true, errors: 0, warnings: 0, buildHash, unchanged: false });
  const sourceDraftId = pushed.sourceDraftId as string;
  const { sourceDraft } = await client.getSourceDraft({ path: { projectId, sourceDraftId } });
  assert.deepEqual([sourceDraft.name, sourceDraft.sourceDigest], ['pushed', pushed.sourceDigest]);
  const archive = await client.getSourceArchive({ path: { projectId, sourceDraftId, revision: 1 } });
  const { gunzipSync } = await import('node:zlib');
  const tar = gunzipSync(archive).toString('latin1');
  for (const path of ['drillyard.json', 'notes/behavior.ts', 'drillyard/d.drill.json', 'drillyard/cases/d.jsonl', 'work/.drillyard-keep'])
    assert.ok(tar.includes(path), path);
  for (const path of ['README.md', '.env', 'SECRET']) assert.ok(!tar.includes(path), path);

  const before = [await builds(), await operations()];
  const again = await push(root);
  assert.deepEqual([again.code, event(again.lines, 'pushed').isUnchanged, event(again.lines, 'summary').unchanged], [0, true, true]);
  const reported = await drillyard(['push', '--remote', baseUrl, '--root', root], withToken);
  assert.match(
    reported.stdout,
    /^Unchanged: the source is revision 1 of "pushed" in prj_\w+ at http.*Nothing was sent\.\nValid: 1 tool, 0 scenarios, 1 target, 1 drill, 0 suites\. Build sha256:/,
  );
  assert.deepEqual([await builds(), await operations()], before);

  write('drillyard/d.drill.json', { ...(drill('d', 'agent', [written({ equals: 2 })])['drillyard/d.drill.json'] as object) });
  const changed = await push(root);
  assert.deepEqual([changed.code, event(changed.lines, 'pushed').revision], [0, 2]);
  assert.notEqual(event(changed.lines, 'pushed').buildHash, buildHash);
});

// PUSH-SOURCE-1
test('source that does not compile is reported as validate reports it, and nothing is sent; what only the service refuses has local paths, too', async () => {
  const { root, write } = repository('broken', { ...moduleAgent('agent', writes), ...drill('d', 'agentt', [written({ equals: 1 })]) });
  const validated = await warmDrillyard(['validate', '--root', root]);
  const refused = await warmDrillyard(['push', '--remote', baseUrl, '--root', root], withToken);
  assert.deepEqual([validated.code, refused.code], [2, 1]);
  assert.equal(refused.stderr, validated.stderr);
  assert.match(refused.stderr, /d\.drill\.json:\d+:\d+ error DY\d{4} /);
  const drafts = await client.listSourceDrafts({ path: { projectId } });
  assert.ok(!drafts.items.some(({ name }) => name === 'broken'));

  // A package that is installed here, and that a service does not have.
  write('drillyard/d.drill.json', drill('d', 'agent', [written({ equals: 1 })])['drillyard/d.drill.json'] as object);
  mkdirSync(join(root, 'node_modules'));
  cpSync(join(root, 'notes'), join(root, 'node_modules/notes-tool'), { recursive: true });
  write('other.json', { schemaVersion: 1, world: 'world.json', toolPackages: ['notes-tool'] });
  const installed = await warmDrillyard(['push', '--remote', baseUrl, '--config', 'other.json', '--root', root], withToken);
  assert.equal(installed.code, 1, installed.stderr);
  assert.match(
    installed.stderr,
    /other\.json:\d+:\d+ error DY5001 'notes-tool' is neither a folder of this source nor a package of the library/,
  );
});

test('the credential comes from the environment or a private file; places come from flags or the root file', async () => {
  const { root, write } = repository('placed', { ...moduleAgent('agent', writes), ...drill('d', 'agent', [written({ equals: 1 })]) });
  const file = join(scratch, 'token');
  writeFileSync(file, `${credential}\n`, { mode: 0o600 });
  const cases: [string[], { [name: string]: string }, number, RegExp][] = [
    [['--remote', baseUrl], {}, 2, /There is no credential for the service: set DRILLYARD_TOKEN, or name a file with --token-file/],
    [['--remote', baseUrl, '--token', credential], {}, 2, /unknown option '--token'/],
    [['--remote', baseUrl, '--token-file', join(scratch, 'none')], {}, 2, /There is no token file/],
    [['--remote', baseUrl], { DRILLYARD_TOKEN: `dyc_${'x'.repeat(43)}` }, 1, /credential/i],
    [['--remote', 'http://127.0.0.1:1'], { DRILLYARD_TOKEN: credential }, 1, /does not answer \(.+\)/],
    [['--remote', 'http://drills.example.com'], { DRILLYARD_TOKEN: credential }, 2, /must be an https:\/\/ URL/],
    [[], { DRILLYARD_TOKEN: credential }, 2, /No service is named: use --remote/],
    [['--remote', baseUrl, '--project', 'prj_0123456789ab'], { DRILLYARD_TOKEN: credential }, 2, /There is no such|no such project/],
  ];
  await Promise.all(
    cases.map(async ([args, env, expected, said]) => {
      const { code, stdout, stderr } = await warmDrillyard(['push', '--root', root, ...args], { env: { DRILLYARD_TOKEN: '', ...env } });
      assert.equal(code, expected, `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, said);
      assert.ok(!(stdout + stderr).includes(credential.slice(4)) || args.includes('--token'), 'no secret is shown');
    }),
  );
  chmodSync(file, 0o644);
  const open = await warmDrillyard(['push', '--remote', baseUrl, '--token-file', file, '--root', root]);
  assert.deepEqual([open.code, /chmod 600/.test(open.stderr)], [2, true], open.stderr);
  chmodSync(file, 0o600);
  const settings = JSON.parse(readFileSync(join(root, 'drillyard.json'), 'utf8')) as object;
  write('drillyard.json', { ...settings, remote: { url: baseUrl, project: projectId, environment: environmentId, draft: 'by name' } });
  const remembered = await warmDrillyard(['push', '--json', '--token-file', file, '--root', root]);
  assert.equal(remembered.code, 0, remembered.stderr);
  assert.equal(event(jsonLines(remembered.stdout), 'pushed').draft, 'by name');
});

test('source above the bound of a request goes in parts; a file above it is refused by name', async () => {
  const { root, write } = repository('large', { ...moduleAgent('agent', writes), ...drill('d', 'agent', [written({ equals: 1 })]) });
  const scenario = (id: string, rows: number): object => ({
    schemaVersion: 1,
    id,
    actors: [],
    state: Array.from({ length: rows }, (_, at) => ({
      ...{ action: 'upsert', packageId: 'notes', namespace: 'notes', rowId: `row-${at}` },
      value: { id: `row-${at}`, text: `${id} `.repeat(40) },
    })),
    faults: [],
    initialEvents: [],
  });
  for (const id of ['one', 'two', 'three']) write(`drillyard/${id}.scenario.json`, JSON.stringify(scenario(id, 1_500)));
  const { code, lines, stderr } = await push(root);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /part 1 of [23]\n[\s\S]*part 2 of [23]\n/);
  const validated = await warmDrillyard(['validate', '--json', '--root', root]);
  assert.equal(event(lines, 'pushed').buildHash, event(jsonLines(validated.stdout), 'summary').buildHash);
  assert.deepEqual(event((await push(root)).lines, 'summary').unchanged, true);
  write('drillyard/huge.scenario.json', JSON.stringify(scenario('huge', 6_000)));
  const refused = await push(root);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /'drillyard\/huge\.scenario\.json' has \d+ bytes as JSON; a service takes files of at most \d+/);
});

test('a dataset above a body is pushed from a file, once; rows that do not fit are reported', async () => {
  const { root, write } = repository('with-data', { ...moduleAgent('agent', writes), ...drill('d', 'agent', [written({ equals: 1 })]) });
  const records = (text: unknown): object[] =>
    Array.from({ length: 5_000 }, (_, at) => ({ rowId: `row-${at}`, value: { id: `row-${at}`, text } }));
  const file = join(root, 'rows.json');
  write(
    'rows.json',
    JSON.stringify({ name: 'many', packageId: 'notes', collections: [{ namespace: 'notes', records: records('long '.repeat(100)) }] }),
  );
  assert.ok(readFileSync(file).length > 2 * 1024 * 1024);
  const first = await push(root, '--dataset', file);
  assert.equal(first.code, 0, first.stderr);
  const { datasetId, digest, revision, isUnchanged } = event(first.lines, 'dataset');
  assert.deepEqual([revision, isUnchanged], [1, false]);
  const { dataset } = await client.getDataset({ path: { projectId, datasetId: datasetId as string } });
  assert.deepEqual([dataset.name, dataset.currentDigest], ['many', digest]);
  assert.equal(event((await push(root, '--dataset', file)).lines, 'dataset').isUnchanged, true);
  write('rows.json', JSON.stringify({ name: 'many', packageId: 'notes', collections: [{ namespace: 'notes', records: records(1) }] }));
  const wrong = await push(root, '--dataset', file);
  assert.equal(wrong.code, 1, wrong.stderr);
  assert.match(wrong.stderr, /rows\.json:1:\d+ error DY2003 /);
  assert.equal(event(wrong.lines, 'diagnostic').path, '/collections/0/records/0/value/text');
  for (const [text, said] of [
    ['{\n  "name": "many",\n  "packageId": }', /rows\.json:3:16 error DY1003 /],
    ['{\n  "name": "many",\n  "packageId": "notes",\n  "collections": [], "more": 1\n}', /rows\.json:4:22 error DY2003 .*more/],
    ['[]', /rows\.json:1:1 error DY1003 a dataset is a JSON object/],
  ] as const) {
    write('rows.json', text);
    const refused = await push(root, '--dataset', file);
    assert.equal(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, said);
  }
  const missing = await push(root, '--dataset', join(root, 'none.json'));
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /none\.json cannot be sent: it does not exist/);
});

/** By drill, trial and attempt: what a world decides. */
function outcomes(lines: Line[]): { [attempt: string]: unknown } {
  const attempts = lines.filter((line) => line.event === 'attempt');
  return Object.fromEntries(
    attempts.map(({ drillId, trial, attempt, status, verdict, stateHash, evidenceHash, trajectoryHash }) => [
      `${drillId} ${trial}.${attempt}`,
      { status, verdict, stateHash, evidenceHash, trajectoryHash },
    ]),
  );
}
const rest = (lines: Line[]): Line[] =>
  lines
    .filter(({ event: name }) => name === 'drill' || name === 'summary')
    .sort((a, b) => (String(a.drillId) < String(b.drillId) ? -1 : 1));

async function twice(
  root: string,
  ...args: string[]
): Promise<{ local: Line[]; remote: Line[]; codes: (number | null)[]; stderr: string }> {
  const here = await warmDrillyard(['run', '--json', '--root', root, ...args]);
  const there = await warmDrillyard(['run', '--remote', baseUrl, '--json', '--root', root, ...args], withToken);
  return { local: jsonLines(here.stdout), remote: jsonLines(there.stdout), codes: [here.code, there.code], stderr: there.stderr };
}

test('the drills of the example: the same hashes, verdicts and exit code as a local run, with sealed evidence that verifies', async () => {
  const root = join(scratch, 'support-desk');
  cpSync(fileURLToPath(new URL('../../../examples/01-support-desk', import.meta.url)), root, {
    recursive: true,
    filter: (from) => !from.includes('.service'),
  });
  const { local, remote, codes, stderr } = await twice(root, '--concurrency', '2');
  assert.deepEqual(codes, [0, 0], stderr);
  assert.ok(Object.keys(outcomes(local)).length >= 6);
  assert.deepEqual(outcomes(remote), outcomes(local));
  assert.deepEqual(rest(remote), rest(local));
  for (const { report } of remote.filter((line) => line.event === 'attempt')) {
    const verified = await verifyReport(join(root, report as string));
    assert.deepEqual([verified.ok, verified.problems], [true, []]);
  }
  const { items } = await client.listSessions({ path: { projectId }, query: { state: 'live' } });
  assert.deepEqual(items, []);
  const inspector = await startLocalInspector({ root });
  const headers = { authorization: `Bearer ${inspector.token}` };
  const { runId } = event(remote, 'attempt');
  const listed = (await (await fetch(`${inspector.baseUrl}/api/v1/runs`, { headers })).json()) as { runs: { runId: string }[] };
  assert.ok(listed.runs.some((run) => run.runId === runId));
  assert.equal((await fetch(`${inspector.baseUrl}/api/v1/runs/${runId}/report`, { headers })).status, 200);
  await inspector.close();
});

// REMOTE-INTERACTION-1
test('trials, retries, every kind of binding, a drill that fails: as a local run, with the failure explained', async () => {
  const overHttp = `
    const { SERVICE_HTTP_URL: url, SERVICE_HTTP_TOKEN: token } = process.env;
    const ask = (path, body) => fetch(url + path, { method: 'POST', headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' }, body: JSON.stringify(body) });
    console.error('the agent says hello to ' + token);
    await ask('/v1/operations/notes/note.write', { arguments: { id: 'a', text: 'over http' } });
    await ask('/v1/wait', { untilUs: 5000 });
    console.log(JSON.stringify({ done: true }));`;
  const overMcp = `
    const { url, token } = context.binding.mcp;
    if (!url.startsWith('http') || context.environment.SERVICE_CLI_URL === undefined) throw new Error('no binding');
    if (process.env.DRILLYARD_TOKEN !== undefined) throw new Error('the control credential is here');
    await context.world.call('notes', 'note.remind', { id: 'later', afterUs: 2000 }, { idempotencyKey: 'once' });
    if (invocation.drillId === 'flaky' && !invocation.runId.endsWith('never')) await context.world.call('notes', 'note.get', { id: 'none' });
    context.attach('said.txt', 'what was said');
    return { tools: (await context.world.tools()).length, at: invocation.virtualTimeUs };`;
  const { root } = repository('as-local', {
    ...commandAgent('over-http', overHttp, { environmentFromHost: { PATH: 'PATH' } }),
    ...moduleAgent('over-mcp', overMcp, { bindings: ['direct', 'mcp', 'cli'] }),
    ...drill('http', 'over-http', [noteIs('a', 'over http')], { trials: { count: 3 }, capture: { logs: 'always' } }),
    ...drill('timeline', 'over-mcp', [noteIs('due-later', 'at 3000')], {
      capture: { files: 'always' },
      timeline: {
        horizonUs: 100_000,
        interactions: [
          { id: 'one', afterStartUs: 0, actorId: 'writer', task: { instruction: 'first' } },
          { id: 'two', afterStartUs: 50_000, actorId: 'writer', task: { instruction: 'second' } },
        ],
        invariants: [{ ...(written({ atMost: 0 }) as object), id: 'never' }],
      },
    }),
    ...drill('fails', 'over-mcp', [noteIs('first', 'something else')]),
  });
  const { local, remote, codes, stderr } = await twice(
    root,
    '--retries',
    '1',
    '--concurrency',
    '3',
    '--reporter',
    `junit=${join(scratch, 'junit.xml')},none`,
  );
  assert.deepEqual(codes, [1, 1], stderr);
  assert.deepEqual(Object.keys(outcomes(local)).sort(), ['fails 1.1', 'fails 1.2', 'http 1.1', 'http 2.1', 'http 3.1', 'timeline 1.1']);
  assert.deepEqual(outcomes(remote), outcomes(local));
  assert.deepEqual(rest(remote), rest(local));
  assert.match(readFileSync(join(scratch, 'junit.xml'), 'utf8'), /note-first/);
  const reportOf = (drillId: string): RunReport => {
    const line = remote.find((one) => one.event === 'attempt' && one.drillId === drillId);
    return JSON.parse(readFileSync(join(root, line?.report as string, 'report.json'), 'utf8')) as RunReport;
  };
  const [log] = reportOf('http').result.capture.attachments;
  assert.deepEqual([log?.kind, log?.attachment.name], ['log', 'main.log']);
  assert.deepEqual(
    reportOf('timeline').result.interactions.map(({ targetResult: { output, attachments } }) => [output, attachments[0]?.name]),
    [
      [{ tools: 4, at: 1000 }, 'said.txt'],
      [{ tools: 4, at: 51_000 }, 'said.txt'],
    ],
  );
  const text = await warmDrillyard(['run', 'fails', '--remote', baseUrl, '--root', root], withToken);
  assert.equal(text.code, 1);
  assert.match(text.stdout, /fails[\s\S]*note-first[\s\S]*something else/);
  assert.match(text.stderr, /Unchanged: the source is revision 1/);
  const runs = await warmDrillyard(['report', 'check', '--json', '--root', root]);
  assert.equal(event(jsonLines(runs.stdout), 'summary').changed, 0, runs.stderr);
});

test('time that goes by in an interaction counts as in a local run: an event that fails in a wait, a used budget, a late answer that is lost', async () => {
  const fault = (id: string, more: object) => ({ id, appliesTo: ['note.write'], ...more });
  const lost = { code: 'LOST', message: 'lost', retryable: true };
  const faults = [fault('slow', { timing: 'latency', latencyUs: 500 }), fault('lost', { timing: 'after_commit', error: lost })];
  const agent = `const { world } = context;
    if (invocation.interactionId === 'two') return null;
    if (invocation.drillId === 'slow') return (await world.call('notes', 'note.write', { id: 'a', text: 'x' })).kind;
    const kind = invocation.drillId === 'breaks' ? 'note.break-later' : 'note.remind';
    for (const afterUs of [10, 20]) await world.call('notes', kind, { id: 'x', afterUs });
    return (await world.wait(5000)).kind;`;
  const played = (id: string, more: object = {}) => {
    const interactions = ['one', 'two'].map((name, at) => ({
      ...{ id: name, afterStartUs: 200 * at, actorId: 'writer' },
      task: { instruction: 'x' },
    }));
    const clock = { id: 'clock', kind: 'expr', expression: 'clock.nowUs == 1500' };
    return drill(id, 'agent', [clock], { ...more, timeline: { horizonUs: 300, maxEvents: 1, interactions } });
  };
  const { root } = repository('goes-by', {
    'notes/notes.tool.json': { ...notesTool, manifest: { ...notesTool.manifest, faults } },
    'drillyard/faulty.scenario.json': {
      ...{ schemaVersion: 1, id: 'faulty', virtualTimeUs: 1000 },
      faults: ['slow', 'lost'].map((faultId) => ({ packageId: 'notes', faultId })),
    },
    ...moduleAgent('agent', agent),
    ...played('breaks'),
    ...played('used'),
    ...played('slow', { scenarioId: 'faulty' }),
  });
  const { local, remote, codes, stderr } = await twice(root);
  assert.deepEqual(outcomes(remote), outcomes(local), stderr);
  assert.deepEqual(codes, [1, 1], stderr);
  const verdicts = remote.filter((line) => line.event === 'attempt').map(({ drillId, verdict, status }) => [drillId, verdict, status]);
  assert.deepEqual(verdicts.sort(), [
    ['breaks', 'inconclusive', 'sealed'],
    ['slow', 'passed', 'sealed'],
    ['used', 'inconclusive', 'sealed'],
  ]);
});

// REMOTE-ATTEMPT-1, REMOTE-ATTEMPT-2, REMOTE-INTERACTION-1
test('Ctrl-C ends the run and its session on the service: reported as cancelled, 130', {
  skip: process.platform === 'win32',
  timeout: 120_000,
}, async (t) => {
  const { root } = repository('interrupted', {
    ...moduleAgent(
      'agent',
      `await context.world.call('notes', 'note.write', { id: 'a', text: 'x' }); await new Promise(() => setInterval(() => {}, 1000));`,
    ),
    ...drill('d', 'agent', [written({ equals: 1 })]),
  });
  const run = start(['run', '--remote', baseUrl, '--json', '--root', root], { ...withToken, ownGroup: true });
  t.after(() => run.child.kill('SIGKILL'));
  await run.says('"phase":"started"');
  process.kill(-(run.child.pid as number), 'SIGINT');
  const { code, stdout, stderr } = await run.ended;
  assert.equal(code, 130, stderr);
  const attempt = event(jsonLines(stdout), 'attempt');
  assert.deepEqual([attempt.status, attempt.verdict], ['cancelled', 'inconclusive']);
  assert.equal((await verifyReport(join(root, attempt.report as string))).ok, true);
  const { items } = await client.listRuns({ path: { projectId }, query: { drillId: 'd', limit: 1 } });
  const [last] = items as HostedRun[];
  assert.deepEqual([last?.state, last?.request.runId], ['cancelled', attempt.runId]);
  assert.deepEqual((await client.listSessions({ path: { projectId }, query: { state: 'live' } })).items, []);
});

test('what no route answered is in the report of a remote run, and can be read of a session', async () => {
  const root = join(scratch, 'wire');
  cpSync(fileURLToPath(new URL('../../../test/fixtures/wire', import.meta.url)), root, { recursive: true });
  writeFileSync(
    join(root, 'drillyard/client.target.yaml'),
    'schemaVersion: 1\ntarget: { id: client, kind: module, module: agent.mjs, bindings: [http], timeoutMs: 10000 }\n',
  );
  writeFileSync(
    join(root, 'agent.mjs'),
    `export default async (_, { binding: { http } }) => {
      const headers = { authorization: 'Bearer ' + http.token };
      await fetch(http.url + '/notes/a', { headers });
      for (let k = 0; k < 2; k++) await fetch(http.url + '/calendars/primary/acl?key=hidden', { headers });
      await fetch(http.url + '/notes/a', { method: 'DELETE', headers });
    };\n`,
  );
  writeFileSync(
    join(root, 'drillyard/wants.drill.yaml'),
    `schemaVersion: 1\nid: wants\ntargetId: client\nactorId: agent\ntask: { instruction: Look. }\nassertions:\n  - { id: asked, kind: operation.count, operation: { packageId: probe, operationId: note.get }, count: { equals: 9 } }\n`,
  );
  const { code, stdout, stderr } = await warmDrillyard(['run', '--remote', baseUrl, '--root', root], withToken);
  assert.equal(code, 1, stderr);
  assert.match(stdout, /Requests that no route answered\n\s+GET +\/calendars\/primary\/acl +404 +2 times\n\s+DELETE +\/notes\/a +405/);

  const { buildHash } = event((await push(root)).lines, 'pushed');
  const session = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1', buildHash: buildHash as string } });
  const path = { projectId, sessionId: session.session.sessionId };
  await client.waitForOperation({ projectId, operationId: session.operation.operationId });
  assert.deepEqual(await client.getUnansweredRequests({ path }), { schemaVersion: 1, requests: [], left: 0 });
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'agent' } });
  const ask = (at: string): Promise<Response> =>
    fetch(access.worldHttpUrl + at, { headers: { authorization: `Bearer ${access.credential}` } });
  await ask('/calendars?key=hidden');
  const expected = { schemaVersion: 1, requests: [{ method: 'GET', path: '/calendars', status: 404, times: 1 }], left: 0 };
  assert.deepEqual(await client.getUnansweredRequests({ path }), expected);
  // It outlives the access.
  await client.revokeSessionAccess({ path: { ...path, accessId: access.accessId }, body: { confirm: access.accessId } });
  assert.deepEqual(await client.getUnansweredRequests({ path }), expected);
  await client.destroySession({ path, body: { expectedLeaseGeneration: 1, confirm: path.sessionId } });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

test('a drill that is judged by a module is refused, as the service runs none', async () => {
  const judge = { id: 'tone', kind: 'custom', module: 'agents/agent.mjs' };
  const { root } = repository('judged', { ...moduleAgent('agent', writes), ...drill('d', 'agent', [judge]) });
  const { code, stdout } = await warmDrillyard(['run', '--remote', baseUrl, '--root', root], withToken);
  assert.equal(code, 1);
  assert.match(stdout, /assertion\.JUDGE_UNAVAILABLE[\s\S]*\(tone\), which a hosted service does not run/);
});

test('a target that wants a port for each mount is refused before anything is played', async () => {
  const { root } = repository('ported', {
    ...moduleAgent('agent', writes, { bindings: ['http'], httpMounts: 'port' }),
    ...drill('d', 'agent', [written({ equals: 1 })]),
  });
  const { code, stdout } = await warmDrillyard(['run', '--remote', baseUrl, '--root', root], withToken);
  assert.equal(code, 1);
  assert.match(stdout, /target\.UNSUPPORTED[\s\S]*wants a port for each mount[\s\S]*by path or host: use a local run/);
});

test('a target that wants host names for its mounts plays a remote run at those of the service', async () => {
  const fixture = fileURLToPath(new URL('../../../test/fixtures/mounts', import.meta.url));
  const root = join(scratch, 'named');
  cpSync(fixture, root, { recursive: true });
  // Not every resolver leads names below localhost to this machine.
  const agent = `import { request } from 'node:http';
export async function act(_invocation, { binding }) {
  const { url } = binding.http.mounts['pay__pay-eu'];
  const { host, port } = new URL(url);
  const headers = { host, authorization: \`Bearer \${binding.http.token}\`, 'content-type': 'application/x-www-form-urlencoded' };
  const status = await new Promise((resolve, reject) =>
    request({ host: '127.0.0.1', port, path: '/v1/customers', method: 'POST', headers }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode));
    }).on('error', reject).end('email=ada%40example.com'));
  return { host, status };
}
`;
  mkdirSync(join(root, 'agents'));
  writeFileSync(join(root, 'agents/named.mjs'), agent);
  const target = { id: 'named', kind: 'module', module: 'agents/named.mjs', export: 'act', bindings: ['http'], httpMounts: 'host' };
  writeFileSync(join(root, 'drillyard/named.target.json'), JSON.stringify({ schemaVersion: 1, target: { ...target, timeoutMs: 30_000 } }));
  const made = {
    id: 'made',
    kind: 'operation.count',
    operation: { packageId: 'pay', operationId: 'customer.create', instanceId: 'pay-eu' },
  };
  const named = drill('named', 'named', [{ ...made, count: { equals: 1 } }], { actorId: 'agent' });
  for (const [path, file] of Object.entries(named)) writeFileSync(join(root, path), JSON.stringify(file));
  const { code, stdout, stderr } = await warmDrillyard(['run', '--remote', baseUrl, '--root', root], withToken);
  assert.equal(code, 0, stdout + stderr);
});

test('http and external targets play remote runs', async (t) => {
  const agent = createServer(async (request, response) => {
    const { environment } = JSON.parse(await bodyOf(request)) as { environment: { [name: string]: string } };
    const { SERVICE_HTTP_URL, SERVICE_HTTP_TOKEN } = environment;
    const written = await fetch(`${SERVICE_HTTP_URL}/v1/operations/notes/note.write`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SERVICE_HTTP_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { id: 'a', text: `traced ${request.headers.traceparent}` } }),
    });
    response.writeHead(written.ok ? 204 : 500).end();
  });
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  t.after(() => agent.close());
  const { port } = agent.address() as AddressInfo;
  const target = (one: object) => ({ schemaVersion: 1, target: { bindings: ['http'], timeoutMs: 30_000, ...one } });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { root } = repository('other-targets', {
    'drillyard/served.target.json': target({
      ...{ id: 'served', kind: 'http', url: `http://127.0.0.1:${port}/`, method: 'POST' },
      headersFromEnvironment: { traceparent: 'TRACEPARENT' },
    }),
    'drillyard/outside.target.json': target({ id: 'outside', kind: 'external' }),
    ...drill('over-http', 'served', [noteIs('a', `traced ${traceparent}`)]),
    ...drill('by-hand', 'outside', [noteIs('a', 'from outside')]),
  });
  const env = { ...withToken.env, TRACEPARENT: traceparent };
  const run = start(['run', '--external', '--remote', baseUrl, '--root', root], { env });
  t.after(() => run.child.kill('SIGKILL'));
  await run.says('"event":"interaction_pending"');
  const pending = event(jsonLines(run.soFar().replace(/[^\n]*$/, '')), 'interaction_pending') as unknown as {
    interaction: { runId: string; interactionId: string; environment: { [name: string]: string } };
  };
  const desk = event(jsonLines(run.soFar().replace(/[^\n]*$/, '')), 'agent_desk') as unknown as { url: string; token: string };
  const { runId, interactionId, environment } = pending.interaction;
  const called = await warmDrillyard(['world', 'call', 'notes', 'note.write', '{"id":"a","text":"from outside"}'], {
    env: { SERVICE_CLI_URL: environment.SERVICE_HTTP_URL ?? '', SERVICE_CLI_TOKEN: environment.SERVICE_HTTP_TOKEN ?? '' },
  });
  assert.equal(called.code, 0, called.stdout);
  const handedIn = await warmDrillyard(['agent', 'complete', runId, interactionId, '{"done":true}'], {
    env: { SERVICE_AGENT_URL: desk.url, SERVICE_AGENT_TOKEN: desk.token },
  });
  assert.equal(handedIn.code, 0, handedIn.stderr);
  const { code, stdout, stderr } = await run.ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    jsonLines(stdout)
      .flatMap(({ event: name, drillId, verdict }) => (name === 'attempt' ? [`${drillId} ${verdict}`] : []))
      .sort(),
    ['by-hand passed', 'over-http passed'],
  );
});

/** The service as a machine in between shows it. What a change yields takes the place of a request's body, or of a reply's. */
interface Changes {
  sent?(path: string, text: string): string | undefined;
  shown?(path: string, text: string): string | undefined | Promise<string | undefined>;
}
async function behind({ sent, shown }: Changes): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? '';
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers as { [name: string]: string };
    const reply = await fetch(baseUrl + path, {
      method: request.method ?? 'GET',
      headers,
      ...(body === '' ? {} : { body: sent?.(path, body) ?? body }),
    });
    const got = Buffer.from(await reply.arrayBuffer());
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'application/json' });
    response.end((await shown?.(path, got.toString())) ?? got);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test('evidence that is not what was sealed, does not hold, or is judged otherwise here: the attempt has not passed', async () => {
  const agent = moduleAgent('agent', writes);
  const wants = (equals: number) => repository('distrusted', { ...agent, ...drill('d', 'agent', [written({ equals })]) }).root;
  const root = wants(1);
  const failureOf = async (url: string, of = root) => {
    const { code, stdout, stderr } = await warmDrillyard(['run', '--remote', url, '--json', '--root', of], withToken);
    const { verdict, reportError } = event(jsonLines(stdout), 'attempt') as unknown as { verdict: string; reportError?: RunError };
    return { found: [code, verdict, reportError?.code], message: reportError?.message ?? '', stderr };
  };
  const changed = (text: string): string => text.replace('note.write', 'note.wrote');
  const isOf = (path: string, name: string): boolean => path.endsWith(`/artifacts?path=${name}`);

  const altered = await failureOf(await behind({ shown: (path, text) => (isOf(path, 'evidence.jsonl') ? changed(text) : undefined) }));
  assert.deepEqual(altered.found, [1, 'inconclusive', 'reporter.FETCH_FAILED'], altered.stderr);
  assert.match(altered.message, /evidence\.jsonl is not the file that was sealed/);

  // Digests computed again for what was changed.
  let manifest = '';
  const artifact = async (path: string, name: string): Promise<string> =>
    (await fetch(`${baseUrl}${path}/artifacts?path=${name}`, { headers: { authorization: `Bearer ${credential}` } })).text();
  const forged = await failureOf(
    await behind({
      shown: async (path, text) => {
        if (isOf(path, 'manifest.json')) return manifest;
        if (isOf(path, 'evidence.jsonl')) return changed(text);
        if (!/\/evidence\/[^/]+$/.test(path)) return undefined;
        const sealed = await artifact(path, 'manifest.json');
        const evidence = Buffer.from(changed(await artifact(path, 'evidence.jsonl')));
        const { files, ...rest } = JSON.parse(sealed) as ReportManifest;
        const forgedFiles = files.map((file) =>
          file.path === 'evidence.jsonl' ? { ...file, bytes: evidence.length, sha256: sha256Digest(evidence) } : file,
        );
        manifest = `${JSON.stringify({ ...rest, files: forgedFiles })}\n`;
        return text.replace(sha256Digest(Buffer.from(sealed)), sha256Digest(Buffer.from(manifest)));
      },
    }),
  );
  assert.deepEqual(forged.found, [1, 'inconclusive', 'reporter.EVIDENCE_INVALID'], forged.stderr);
  assert.match(forged.message, /does not hold, and is not kept/);
  // REMOTE-REPORT-1
  assert.deepEqual(readdirSync(join(root, '.service/reports')), []);

  // The service has another version, of which this source is another build: one that asks less.
  const { buildHash } = event((await push(root)).lines, 'pushed') as unknown as { buildHash: string };
  const judged = await failureOf(
    await behind({
      shown: (path, text) =>
        /\/(builds|operations)\//.test(path) ? text.replace(/("buildHash":")sha256:[0-9a-f]{64}/g, `$1${buildHash}`) : undefined,
    }),
    wants(2),
  );
  assert.deepEqual(judged.found, [1, 'inconclusive', 'reporter.VERDICT_DIFFERS'], judged.stderr);
  assert.match(judged.stderr, /The service makes another build of this source/);
  assert.match(judged.message, /The service judged passed, and this machine failed \(written: passed there, failed here\)/);
});

test('what a remote run cannot have is refused before anything is sent', async () => {
  const { root } = repository('refused', { ...moduleAgent('agent', writes), ...drill('d', 'agent', [written({ equals: 1 })]) });
  const cases: [string[], RegExp][] = [
    [['--remote', baseUrl, '--watch'], /--watch runs drills on this machine/],
    [['--project', projectId], /--project is of a remote run/],
    [['--remote', baseUrl, '--receiver', 'listener=http://127.0.0.1:9'], /registered with the service/],
    [['nothing', '--remote', baseUrl], /There is no drill "nothing"/],
  ];
  await Promise.all(
    cases.map(async ([args, said]) => {
      const { code, stderr } = await warmDrillyard(['run', '--root', root, ...args], {
        env: withToken.env,
      });
      assert.equal(code, 2, stderr);
      assert.match(stderr, said);
    }),
  );
  assert.ok(!(await client.listSourceDrafts({ path: { projectId } })).items.some(({ name }) => name === 'refused'));
});
