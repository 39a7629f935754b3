// Packages and projects of another runner, as their authors wrote them: `tool test` and `run`, with their own agents and assertions.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse as parseYaml } from 'yaml';
import { compileProject } from '../../src/compiler/compile.js';
import { jsonLines } from '../cli/cli.js';
import { warmDrillyard } from '../cli/warm-cli.js';

const fixtureOf = (name: string): string => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'drillyard-compat-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let copies = 0;
/** Where another copy of it lies, in which a text is another. */
function copyOf(name: string, changes: { [file: string]: [from: string, to: string] } = {}): string {
  copies += 1;
  const copy = join(directory, `copy-${copies}`);
  cpSync(fixtureOf(name), copy, { recursive: true });
  for (const [file, [from, to]] of Object.entries(changes)) {
    const text = readFileSync(join(copy, file), 'utf8');
    assert.ok(text.includes(from), `${file} has no ${from}`);
    writeFileSync(join(copy, file), text.replace(from, to));
  }
  return copy;
}
const boardManifest = (
  parseYaml(readFileSync(join(fixtureOf('other-project'), 'simulation/board.tool.yaml'), 'utf8')) as { manifest: object }
).manifest;
const places = ['--report-dir', join(directory, 'reports'), '--run-dir', join(directory, 'runs')];
const attemptsOf = (stdout: string): string[] =>
  jsonLines(stdout).flatMap(({ event, drillId, verdict }) => (event === 'attempt' ? [`${drillId} ${verdict}`] : []));
const said = (stdout: string): string =>
  jsonLines(stdout)
    .flatMap(({ event, ...line }) => (event === 'diagnostic' ? [`${line.code} ${line.file} ${line.path}: ${line.message}`] : []))
    .join('\n');

test('a package passes its own suite, whose project is named by its root file', async () => {
  const { code, stdout, stderr } = await warmDrillyard(['tool', 'test', fixtureOf('other-small'), '--json']);
  assert.equal(code, 0, stdout + stderr);
  const once = ['asks-by-name passed', 'is-denied passed', 'opens-once passed'];
  assert.deepEqual(attemptsOf(stdout).sort(), [...once, ...once].sort(), 'as it is, and with a fresh module each turn');
  const { verdict, differences } = jsonLines(stdout).at(-1) ?? {};
  assert.deepEqual({ verdict, differences }, { verdict: 'passed', differences: 0 });
});

test('its project runs by itself, and validates without a word', async () => {
  const root = join(fixtureOf('other-small'), 'conformance');
  const { code, stdout, stderr } = await warmDrillyard(['run', '--root', root, '--json', ...places]);
  assert.equal(code, 0, stdout + stderr);
  assert.equal(attemptsOf(stdout).length, 3);
  const validated = await warmDrillyard(['validate', '--json', '--root', root]);
  assert.deepEqual([validated.code, said(validated.stdout)], [0, '']);
});

test('a root file of ours may say what differs', async () => {
  const config = join(directory, 'beacon.json');
  writeFileSync(
    config,
    JSON.stringify({
      schemaVersion: 1,
      sourceRoot: 'firedrill',
      toolPackages: ['..'],
      compat: { toolSdk: ['@firedrill/tool-sdk'], packageField: 'firedrill', environmentPrefixes: ['FIREDRILL'] },
    }),
  );
  const { code, stdout, stderr } = await warmDrillyard(['tool', 'test', fixtureOf('other-small'), '--config', config, '--json']);
  assert.equal(code, 0, stdout + stderr);
});

test('each of its assertions can fail', async () => {
  const drills = 'conformance/firedrill/drills';
  const changes: [drill: string, from: string, to: string, assertion: string][] = [
    ['opens-once', 'operator: equals, value: down', 'operator: not_equals, value: down', 'is-down'],
    ['opens-once', 'operator: greater_than_or_equal, value: 1', 'operator: greater_than_or_equal, value: 2', 'was-checked'],
    [
      'opens-once',
      'outcomes: [ok]\n    comparison: { operator: equals, value: 2',
      'outcomes: [ok]\n    comparison: { operator: equals, value: 3',
      'opened-once',
    ],
    ['opens-once', 'idempotency: recorded\n', 'idempotency: not_recorded\n', 'recorded-once'],
    ['opens-once', 'outcomes: [ok, tool_error], actorId', 'outcomes: [denied, tool_error], actorId', ''],
    ['opens-once', 'idempotency: replayed }', 'idempotency: not_recorded }', 'looked-then-opened'],
    ['opens-once', 'note: it is down', 'note: it is up', 'with-a-note'],
    ['opens-once', 'occurrence: 1', 'occurrence: 4', 'with-a-note'],
    [
      'opens-once',
      'phase: queued, comparison: { operator: equals, value: 1',
      'phase: queued, comparison: { operator: equals, value: 2',
      'told',
    ],
    ['opens-once', 'value: [1, 2]', 'value: [2, 3]', 'emitted'],
    [
      'is-denied',
      'operationId: incidents.open }\n    actorId: operator\n    attemptRequired: false',
      'operationId: incidents.open }\n    actorId: operator',
      'nobody-else-tried',
    ],
    ['is-denied', 'tool.MONITOR_NOT_FOUND', 'tool.MONITOR_GONE', 'nothing-there'],
    ['is-denied', 'operationId: monitors.get }\n    errorCode: tool.MONITOR_NOT_FOUND', 'operationId: monitors.get }', 'nothing-there'],
  ];
  for (const [drill, from, to, assertion] of changes) {
    const root = join(copyOf('other-small', { [`${drills}/${drill}.drill.yaml`]: [from, to] }), 'conformance');
    const { code, stdout, stderr } = await warmDrillyard(['run', drill, '--root', root, '--json', ...places]);
    const [attempt] = jsonLines(stdout).filter(({ event }) => event === 'attempt');
    assert.equal(code, assertion === '' ? 0 : 1, `${from} -> ${to}: ${stdout}${stderr}`);
    if (assertion === '') continue;
    const report = JSON.parse(readFileSync(join(root, String(attempt?.report), 'report.json'), 'utf8')) as {
      result: { assertionResults: { assertionId: string; status: string }[] };
    };
    const failed = report.result.assertionResults
      .filter(({ status }) => status !== 'passed')
      .map((result) => `${result.assertionId} ${result.status}`);
    assert.deepEqual(failed, [`${assertion} failed`], `${from} -> ${to}`);
  }
});

test('lists of outcomes, anyOf and receipts become the kinds that say them', async () => {
  const drill = 'conformance/firedrill/drills/opens-once.drill.yaml';
  const [from, to] = [
    'anyOf: [{ packageId: beacon, operationId: monitors.get }]',
    'anyOf: [{ packageId: beacon, operationId: monitors.get }, { packageId: beacon, operationId: incidents.open }], idempotency: [recorded, not_requested]',
  ];
  const root = join(copyOf('other-small', { [drill]: [from, to] }), 'conformance');
  const { build, diagnostics } = await compileProject({ root });
  assert.deepEqual(diagnostics, []);
  const assertions = build?.drills.find(({ drill: { id } }) => id === 'opens-once')?.drill.assertions ?? [];
  const kindOf = (id: string) => assertions.find((assertion) => assertion.id === id);
  const opened = { packageId: 'beacon', operationId: 'incidents.open' };
  const got = { packageId: 'beacon', operationId: 'monitors.get' };
  assert.deepEqual(kindOf('recorded-once'), {
    id: 'recorded-once',
    kind: 'operation.count',
    gate: true,
    operation: { ...opened, outcome: 'ok', idempotency: 'recorded' },
    count: { equals: 1 },
  });
  const either = { actorId: 'operator', outcome: ['ok', 'tool_error'] };
  assert.deepEqual(kindOf('looked-then-opened'), {
    id: 'looked-then-opened',
    kind: 'operation.order',
    gate: true,
    operations: [
      {
        anyOf: [got, opened].flatMap((operation) =>
          ['recorded', 'not_requested'].map((idempotency) => ({ ...operation, ...either, idempotency })),
        ),
      },
      { ...opened, outcome: 'ok', idempotency: 'recorded' },
      { ...opened, outcome: 'ok', idempotency: 'replayed' },
      { ...got, actorId: 'auditor', outcome: 'ok' },
    ],
  });
});

test('an agent that answers with a failed result has failed', async () => {
  const agent = 'conformance/agents/agent.mjs';
  const root = join(copyOf('other-small', { [agent]: ['status === 403', 'status === 418'] }), 'conformance');
  const { code, stdout } = await warmDrillyard(['run', 'is-denied', '--root', root, '--json', ...places]);
  assert.equal(code, 1);
  assert.match(stdout, /target\.CHECK/);
});

// COMPAT-ASSERTIONS-1
test('shapes that are not adapted are refused where they stand, with the line of the table', async () => {
  const drill = 'conformance/firedrill/drills/opens-once.drill.yaml';
  const target = 'conformance/firedrill/agent.target.yaml';
  const changes: [file: string, from: string, to: string, RegExp][] = [
    [
      drill,
      'operator: equals, value: down',
      'operator: matches, value: down',
      /^DY5032 .*\/assertions\/0\/comparison\/operator: the operator "matches" is not adapted \(assertions\)$/m,
    ],
    [
      drill,
      'operator: equals, value: down',
      'operator: equals, value: down, tolerance: 1',
      /^DY5032 .*\/comparison\/tolerance: 'tolerance'/m,
    ],
    [drill, 'outcomes: [ok]', 'outcomes: [succeeded]', /^DY5032 .*\/outcomes: the outcome "succeeded"/m],
    [drill, 'outcomes: [ok]', 'outcomes: []', /^DY5032 .*\/outcomes: the outcome of an empty list/m],
    [
      drill,
      'operationId: incidents.open }\n    actorId: operator\n    outcomes: [ok]',
      'operationId: incidents.open, arguments: { name: api } }\n    contains: { note: x }\n    outcomes: [ok]',
      /^DY5032 .*\/contains: arguments beside and in an operation/m,
    ],
    [drill, 'idempotency: recorded\n', 'idempotency: kept\n', /^DY5032 .*\/idempotency: the idempotency "kept"/m],
    [drill, 'value: [1, 2]', 'value: [1, 3]', /^DY5032 .*\/assertions\/8\/comparison: the number/m],
    [drill, 'occurrence: 1', 'occurrence: last', /^DY5032 .*\/occurrence: the occurrence "last"/m],
    [drill, 'actorId: auditor, outcomes: [ok] }', 'actorId: auditor, within: 5 }', /^DY5032 .*\/sequence\/3\/within: 'within' of a step/m],
    [drill, 'id: opened-once\n', 'id: opened-once\n    window: 5\n', /^DY2001 .*\/assertions\/3\/window/m],
    [drill, 'idempotency: recorded\n    comparison: { operator: equals, value: 1 }', 'idempotency: recorded', /^DY2002 .*\/assertions\/4/m],
    [drill, 'contains: { name: api, note: it is down }', 'contains: api', /^DY5032 .*\/assertions\/6\/contains: what is no object/m],
    [drill, 'kind: operation.count', 'kind: operation.rate', /^DY2003 .*\/assertions\/3\/kind/m],
    [target, 'bindings: [http, mcp]', 'bindings: [http, direct]', /^DY(?:5032|2003) .*bindings/m],
  ];
  for (const [file, from, to, expected] of changes) {
    const root = join(copyOf('other-small', { [file]: [from, to] }), 'conformance');
    const { code, stdout } = await warmDrillyard(['validate', '--json', '--root', root]);
    assert.equal(code, 2, `${from} -> ${to}`);
    assert.match(said(stdout), expected, `${from} -> ${to}`);
    const advice = jsonLines(stdout).flatMap(({ event, severity, suggestion }) =>
      event === 'diagnostic' && severity === 'error' ? [String(suggestion)] : [],
    );
    assert.match(advice.join('\n'), file === target ? /the line 'bindings'|lists what is/ : /docs\/other-runner\.md/, `${from} -> ${to}`);
  }
});

test('the official client of a mail service finds all it asks for in a package of 25 routes', async () => {
  const { code, stdout, stderr } = await warmDrillyard(['tool', 'test', fixtureOf('other-vendor'), '--json']);
  assert.equal(code, 0, stdout + stderr);
  const once = ['everything passed', 'limited passed'];
  assert.deepEqual(attemptsOf(stdout).sort(), [...once, ...once].sort());
});

test('a hosted service takes packages of another runner, and no project of one', async () => {
  const { diagnostics } = await compileProject({ root: join(fixtureOf('other-vendor'), 'conformance'), contained: true });
  const found = diagnostics.map(({ code, file, message }) => `${code} ${file}: ${message}`);
  assert.match(found.join('\n'), /^DY5032 firedrill.json: a project in the shapes of 'firedrill' is not adapted in a hosted service/m);
});

test('a project runs with its own drills and its command agents, the official client of its vendor included', async () => {
  const root = fixtureOf('other-project');
  const { code, stdout, stderr } = await warmDrillyard(['run', '--suite', 'smoke', '--root', root, '--json', ...places]);
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(attemptsOf(stdout).sort(), ['outage passed', 'team passed', 'vendor-client passed', 'vendor-client passed']);
  const validated = await warmDrillyard(['validate', '--json', '--root', root]);
  assert.deepEqual([validated.code, said(validated.stdout)], [0, '']);
});

test('a root file may hold all documents of its project', async () => {
  const root = join(directory, 'whole');
  mkdirSync(root);
  cpSync(join(fixtureOf('other-project'), 'simulation/board.js'), join(root, 'board.js'));
  cpSync(join(fixtureOf('other-project'), 'agents/plain.mjs'), join(root, 'plain.mjs'));
  const grants = [{ packageId: 'board', operationId: 'notes.pin' }];
  const whole = {
    schemaVersion: 1,
    world: { id: 'whole', actors: [{ id: 'maintainer', grants }] },
    tools: [{ module: './board.js', manifest: { ...boardManifest, subscriptions: [] } }],
    targets: [
      { target: { id: 'plain', kind: 'command', executable: 'node', arguments: ['plain.mjs'], bindings: ['http'], timeoutMs: 30_000 } },
    ],
    drills: [
      {
        id: 'pins',
        targetId: 'plain',
        actorId: 'maintainer',
        task: { instruction: 'Pin it.', input: { call: 'board/notes.pin', arguments: { issue: 'one' }, expect: 200 } },
        assertions: [
          { id: 'one', kind: 'state.count', packageId: 'board', namespace: 'notes', comparison: { operator: 'equals', value: 1 } },
        ],
      },
    ],
    suites: [{ id: 'all', drills: ['pins'] }],
  };
  const write = (file: object): void => writeFileSync(join(root, 'firedrill.json'), JSON.stringify(file, null, 2));
  write(whole);
  const { code, stdout, stderr } = await warmDrillyard(['run', '--suite', 'all', '--root', root, '--json', ...places]);
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(attemptsOf(stdout), ['pins passed']);
  write({ ...whole, drills: [{ ...whole.drills[0], actorId: 'nobody' }], lenses: [] });
  const broken = await warmDrillyard(['validate', '--json', '--root', root]);
  assert.match(said(broken.stdout), /^DY2001 firedrill.json \/lenses/m);
  write({ ...whole, drills: [{ ...whole.drills[0], actorId: 'nobody' }] });
  const dangling = await warmDrillyard(['validate', '--json', '--root', root]);
  assert.match(said(dangling.stdout), /^DY3010 firedrill.json .*nobody/m);
});
