// The metrics, and what is said of them: docs/watching.md lists what /metrics shows, and the example alerts and dashboard ask for nothing
// else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import type { ControlFigures } from '../../src/control/figures.js';
import type { AnsweredRequest } from '../../src/http/answered-request.js';
import { type ClusterFigures, clusterMetrics } from '../../src/http/metrics/cluster-metrics.js';
import { forwardMeter } from '../../src/http/metrics/forward-metrics.js';
import { createMetrics } from '../../src/http/metrics/metrics.js';

const file = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const read = (name: string): string => readFileSync(file(name), 'utf8');

const figures: ControlFigures = {
  isReady: true,
  hosts: [{ slot: 0, worldsLive: 3, mailboxDepth: 5, residentBytes: 1000, restarts: 2 }],
  hostsReady: 1,
  worlds: 10,
  worldCommits: 70,
  catalogCommits: 12,
  operations: [{ kind: 'build.compile', pending: 4, running: 1 }],
  runsActive: 7,
  runsAwaitingAgent: 6,
  callbacks: { inFlight: 2, oldestSeconds: 1.5 },
  quarantinedBuilds: 1,
  disk: { freeBytes: 9, keptBytes: 8, reserveBytes: 7, folders: { catalog: 1, worlds: 2, blobs: 3, evidence: 4 } },
};
const clusterFigures: ClusterFigures = {
  isLeader: true,
  nodes: { joining: 0, ready: 2, leaving: 0, drained: 1, gone: 1 },
  homes: { following: 3, taking: 1, owned: 60, leaving: 0, closed: 1 },
  copies: [{ home: 5, entriesBehind: 7, seconds: 0.5 }],
  beatAgeSeconds: 0.25,
  logUnavailableSeconds: 12,
};
const answered: AnsweredRequest = {
  ...{ correlationId: 'corr_1', method: 'GET', route: 'getMe', status: 429, seconds: 0.1, caller: undefined },
  code: 'control.RATE_LIMITED',
  ...{ isOfStranger: true, address: '127.0.0.1', path: undefined },
};
const operation = {
  kind: 'build.compile',
  state: 'failed',
  createdAtMs: 1000,
  startedAtMs: 3000,
  finishedAtMs: 7000,
} as LongRunningOperation;

/** One of everything, so that every label has a value. */
async function sample(): Promise<string> {
  const metrics = createMetrics(async () => figures);
  metrics.serverStarted('node:http');
  metrics.strangerLimited();
  for (const request of [answered, { ...answered, route: 'wire', status: 418 }]) {
    metrics.received();
    metrics.answered(request);
  }
  const { meter } = metrics;
  meter.operationEnded(operation);
  meter.operationEnded({ ...operation, error: { code: 'control.SOURCE_INVALID' } as LongRunningOperation['error'] & object });
  meter.runEnded({ state: 'sealed', verdict: 'passed', seconds: 2 });
  meter.runEnded({ state: 'aborted_before_start', verdict: undefined, seconds: 2 });
  meter.callbackAttempted({ result: '2xx', seconds: 0.2 });
  meter.callbackSettled('delivered');
  meter.hostEnded('crashed');
  meter.stepSeen(0.125);
  metrics.add(forwardMeter).forwarded('answered', 0.1);
  const cluster = metrics.add((registers) => clusterMetrics(registers, () => clusterFigures));
  cluster.appended({ seconds: 0.004, records: 3, bytes: 2760 });
  cluster.taken('silence', { detection: 2.3, claim: 0.01, reading: 0.02, opening: 0.5 });
  return await metrics.text();
}
const text = await sample();

interface Metric {
  type: string;
  labels: Set<string>;
}
function metricsIn(exposition: string): Map<string, Metric> {
  const found = new Map(
    [...exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, { type: type!, labels: new Set<string>() }]),
  );
  for (const [, sampled, labels] of exposition.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
    const metric = found.get(familyOf(sampled!, found));
    assert.ok(metric, sampled);
    for (const [, label] of labels!.matchAll(/(\w+)="/g)) if (label !== 'le' && label !== 'quantile') metric.labels.add(label!);
  }
  return found;
}
/** A histogram is asked for by its parts. */
function familyOf(name: string, known: ReadonlyMap<string, Metric>): string {
  const family = name.replace(/_(bucket|sum|count)$/, '');
  return known.get(family)?.type === 'histogram' ? family : name;
}
const shown = metricsIn(text);
const value = (line: string): number | undefined => {
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

test('docs/watching.md lists every metric with its type, labels and unit, and no other', () => {
  const rows = [...read('docs/watching.md').matchAll(/^\| `(\w+)` \| (\w+) \|([^|]*)\|([^|]*)\|[^|]+\|$/gm)];
  const listed = rows.map(([, name, type, labels]) => [name, type, [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label).sort()]);
  // Of garbage collections, and of what keeps a process alive, there may be none yet: their labels are prom-client's affair.
  const isOwn = ([name]: unknown[]): boolean => String(name).startsWith('drillyard_');
  const has = [...shown].map(([name, { type, labels }]) => [name, type, [...labels].sort()]);
  const byName = ([left]: unknown[], [right]: unknown[]): number => (String(left) < String(right) ? -1 : 1);
  assert.deepEqual(listed.filter(isOwn).sort(byName), has.filter(isOwn).sort(byName));
  const ofProcess = (all: unknown[][]): string[] => all.filter((one) => !isOwn(one)).map(([name, type]) => `${name} ${type}`);
  const said = new Set(ofProcess(listed));
  assert.deepEqual(
    ofProcess(has).filter((one) => !said.has(one)),
    [],
  );
  // Elsewhere the system does not tell all of them.
  if (process.platform === 'linux') assert.equal(said.size, ofProcess(has).length);
  for (const [, name, , , unit] of rows) {
    const suffix = /_(seconds|bytes)(_total)?$/.exec(name!)?.[1];
    if (suffix !== undefined) assert.equal(unit!.trim(), suffix, name);
  }
});

test('what happens and how it stands are what the metrics say', () => {
  for (const [line, expected] of Object.entries({
    'drillyard_http_request_duration_seconds_count{route="getMe",status="429"}': 1,
    // A tool may answer with any status: its class is what counts.
    'drillyard_http_request_duration_seconds_count{route="wire",status="4xx"}': 1,
    'drillyard_http_refusals_total{code="control.RATE_LIMITED"}': 2,
    drillyard_http_strangers_limited_total: 1,
    drillyard_http_requests_in_flight: 0,
    'drillyard_operations{kind="build.compile",state="pending"}': 4,
    'drillyard_operations{kind="build.compile",state="running"}': 1,
    'drillyard_operation_duration_seconds_sum{kind="build.compile",state="failed"}': 12,
    'drillyard_operation_wait_seconds_sum{kind="build.compile"}': 4,
    'drillyard_build_duration_seconds_sum{result="failed"}': 4,
    'drillyard_build_duration_seconds_sum{result="invalid"}': 4,
    'drillyard_run_duration_seconds_count{state="sealed",verdict="passed"}': 1,
    'drillyard_run_duration_seconds_count{state="aborted_before_start",verdict="none"}': 1,
    'drillyard_callback_attempt_duration_seconds_count{result="2xx"}': 1,
    'drillyard_callback_outcomes_total{outcome="delivered"}': 1,
    'drillyard_callback_outcomes_total{outcome="failed"}': 0,
    'drillyard_host_ends_total{reason="crashed"}': 1,
    'drillyard_host_resident_bytes{host="0"}': 1000,
    drillyard_worlds_passivated: 7,
    'drillyard_disk_used_bytes{folder="blobs"}': 3,
    drillyard_ready: 1,
    'drillyard_cluster_append_duration_seconds_bucket{le="0.005"}': 1,
    drillyard_cluster_append_bytes_sum: 2760,
    'drillyard_cluster_takeovers_total{kind="silence"}': 1,
    'drillyard_cluster_takeover_duration_seconds_sum{part="detection"}': 2.3,
    'drillyard_cluster_copy_lag_seconds{home="5"}': 0.5,
  })) {
    assert.equal(value(line), expected, line);
  }
});

test('figures of forwards exist where there is a forwarder, and count by result', async () => {
  assert.doesNotMatch(await createMetrics(async () => figures).text(), /forward/);
  const metrics = createMetrics(async () => figures);
  const meter = metrics.add(forwardMeter);
  meter.forwarded('answered', 0.002);
  meter.forwarded('no_owner', 4);
  const lines = (await metrics.text()).split('\n');
  for (const line of [
    'drillyard_http_forwards_total{result="answered"} 1',
    'drillyard_http_forwards_total{result="no_owner"} 1',
    'drillyard_http_forwards_total{result="unknown_outcome"} 0',
    'drillyard_http_forward_duration_seconds_bucket{le="0.0025"} 1',
    'drillyard_http_forward_duration_seconds_sum 4.002',
  ])
    assert.ok(lines.includes(line), line);
});

test('how a cluster stands is asked at each scrape, and before the first beat there is nothing to tell', async () => {
  let now: ClusterFigures | undefined;
  const metrics = createMetrics(async () => figures);
  metrics.add((registers) => clusterMetrics(registers, () => now));
  assert.doesNotMatch(await metrics.text(), /^drillyard_cluster_(homes|copy|nodes)[^ ]*\{/m);
  for (const logUnavailableSeconds of [12, 13]) {
    now = { ...clusterFigures, logUnavailableSeconds, copies: logUnavailableSeconds === 12 ? clusterFigures.copies : [] };
    const lines = (await metrics.text()).split('\n');
    for (const line of [
      'drillyard_cluster_leader 1',
      'drillyard_cluster_homes{phase="owned"} 60',
      'drillyard_cluster_nodes{state="gone"} 1',
      `drillyard_cluster_log_unavailable_seconds_total ${logUnavailableSeconds}`,
      'drillyard_cluster_takeovers_total{kind="silence"} 0',
    ])
      assert.ok(lines.includes(line), line);
    // A home that is not followed any more has no series.
    assert.equal(lines.includes('drillyard_cluster_copy_lag_entries{home="5"} 7'), logUnavailableSeconds === 12);
  }
});

test('a host that has ended has no series any more', async () => {
  let hosts = figures.hosts;
  const metrics = createMetrics(async () => ({ ...figures, hosts }));
  assert.match(await metrics.text(), /^drillyard_worlds_live\{host="0"\} 3$/m);
  hosts = [];
  assert.doesNotMatch(await metrics.text(), /^drillyard_(worlds_live|mailbox_depth|host_resident_bytes|host_restarts)\{/m);
});

/** Words of PromQL that stand where a metric may. */
const words = new Set(['by', 'without', 'on', 'ignoring', 'and', 'or', 'unless', 'bool', 'offset', 'group_left', 'group_right']);
/** What an expression asks for: names of metrics, and of their labels. */
function askedIn(expression: string): { metrics: string[]; labels: [metric: string, label: string][] } {
  const labels: [string, string][] = [];
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/(\w+)\{([^}]*)\}/g, (_, metric: string, matchers: string) => {
      for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) labels.push([metric, label!]);
      return metric;
    })
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '');
  const metrics = [...bare.matchAll(/(?<![\w.])[a-zA-Z_]\w*(?!\w|\s*\()/g)].map(([name]) => name).filter((name) => !words.has(name));
  return { metrics, labels };
}
/** What Prometheus adds to what it scrapes. */
const added = new Set(['instance', 'job']);

function requireKnown(expression: string): void {
  const { metrics, labels } = askedIn(expression);
  assert.ok(metrics.length > 0, `no metric in ${expression}`);
  for (const name of metrics) assert.ok(name === 'up' || shown.has(familyOf(name, shown)), `${name} does not exist: ${expression}`);
  for (const [name, label] of labels) {
    const known = added.has(label) || shown.get(familyOf(name, shown))?.labels.has(label);
    assert.ok(known, `${name} has no label ${label}: ${expression}`);
  }
}

test('names and labels that do not exist are found in expressions', () => {
  for (const wrong of [
    'drilyard_ready == 0',
    'sum by (kind) (rate(drillyard_operations_count[5m]))',
    'drillyard_operations{sort="x"} > 1',
    'rate(up_time[5m]) / drillyard_ready',
    '1 > 0',
  ]) {
    assert.throws(() => requireKnown(wrong), { name: 'AssertionError' }, wrong);
  }
  requireKnown(
    'histogram_quantile(0.99, sum by (le, kind) (rate(drillyard_operation_wait_seconds_bucket{kind!="x", instance=~"a\\"b"}[5m]))) > 1e3',
  );
});

test('the example alerts ask for metrics that exist, and say what is wrong', () => {
  const { groups } = parse(read('deploy/prometheus-alerts.yaml')) as {
    groups: { name: string; rules: { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  assert.ok(rules.length > 10);
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, expr, labels, annotations } of rules) {
    requireKnown(expr);
    assert.ok(['critical', 'warning', 'info'].includes(labels.severity), alert);
    assert.ok(annotations.summary.endsWith('.'), alert);
  }
  // Where Prometheus is installed, it reads them too.
  const checked = spawnSync('promtool', ['check', 'rules', file('deploy/prometheus-alerts.yaml')], { encoding: 'utf8' });
  if (checked.error === undefined) assert.equal(checked.status, 0, checked.stdout + checked.stderr);
});

test('every panel of the dashboard shows metrics that exist', () => {
  interface Panel {
    id: number;
    type: string;
    title: string;
    targets?: { expr: string }[];
  }
  const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as { panels: Panel[] };
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const drawn = panels.filter(({ type }) => type !== 'row');
  assert.ok(drawn.length > 10);
  for (const { title, targets = [] } of drawn) {
    assert.ok(targets.length > 0, `${title} has no expression`);
    for (const { expr } of targets) requireKnown(expr);
  }
});
