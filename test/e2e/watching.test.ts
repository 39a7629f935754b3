// A service as an operator watches it: one drive with a build, a callback, an agent's call and a run, seen in metrics, traces and the log.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Client, createClient } from '../../src/client/client.js';
import { startReceiver, type TestReceiver } from '../callbacks/receiver-kit.js';
import { jsonLines } from '../cli/cli.js';
import { untilSettled } from '../until.js';
import { type Service, serve, startService } from './service.js';
import { worldFiles } from './tenants.js';
import { startTraceCollector, type TraceCollector } from './trace-collector.js';

/** Two captures of the example settle before it. */
const afterSettlementsUs = 1_772_500_000_000_000;
const spoken = 'Words of an agent.';

/** A caller that records a trace: its id, and the span that its requests come from. */
class TracedCaller {
  readonly traceId = randomBytes(16).toString('hex');
  readonly spanId = randomBytes(8).toString('hex');
  readonly headers = { traceparent: `00-${this.traceId}-${this.spanId}-01` };
  readonly client: Client;

  constructor({ baseUrl, credential }: { baseUrl: string; credential: string }) {
    const fetchTraced: typeof fetch = (input, init = {}) =>
      fetch(input, { ...init, headers: { ...(init.headers as object), ...this.headers } });
    this.client = createClient({ baseUrl, credential, retries: 0, fetch: fetchTraced });
  }
}

let collector: TraceCollector;
let receiver: TestReceiver;
let service: Service;
const secrets: string[] = [];
const drive: { [step: string]: TracedCaller } = {};
const seen = { metrics: '', log: '', correlationId: '', traceparents: [] as unknown[] };

before(async () => {
  [collector, receiver] = await Promise.all([startTraceCollector(), startReceiver()]);
  service = await startService({
    flags: ['--allow-loopback-receivers', 'true', '--log-level', 'info'],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' },
  });
  await driveService();
  // The first count of the disk may take longer than a scrape waits for it.
  await untilSettled(async () => {
    seen.metrics = await (await fetch(`${service.ready.baseUrl}/metrics`)).text();
    return seen.metrics.includes('drillyard_disk_used_bytes{');
  });
  // An end sends what has not been sent.
  seen.log = (await service.stop()).stderr;
  seen.traceparents = receiver.arrivals.map(({ headers }) => headers.traceparent);
});
after(async () => {
  await Promise.all([collector.close(), receiver.close()]);
});

function caller(step: string): Client {
  drive[step] = new TracedCaller({ baseUrl: service.ready.baseUrl, credential: service.ready.credential! });
  return drive[step].client;
}

async function driveService(): Promise<void> {
  const { projectId, environmentId } = service.ready;
  const path = { projectId };
  const plain = createClient({ baseUrl: service.ready.baseUrl, credential: service.ready.credential!, retries: 0 });
  const ended = (operation: { operationId: string }) =>
    plain.waitForOperation({ projectId, operationId: operation.operationId }).catch(() => {});
  secrets.push(service.ready.credential!);

  for (const [step, files] of [
    ['build', worldFiles('one')],
    ['brokenBuild', [...worldFiles('two'), { path: 'drillyard/x.drill.yaml', content: 'id: 7' }]],
  ] as const) {
    const { sourceDraft } = await plain.createSourceDraft({ path, body: { name: step, files: [...files] } });
    await ended(
      (await caller(step).createBuild({ path: { ...path, sourceDraftId: sourceDraft.sourceDraftId, revision: 1 }, body: {} })).operation,
    );
  }

  const made = await plain.createCallbackReceiver({ path, body: { receiverId: 'merchant', origin: receiver.url } });
  const { callbackReceiverBindingId, version } = made.callbackReceiver;
  secrets.push(made.signingSecret);
  await plain.approveCallbackReceiver({ path: { ...path, callbackReceiverBindingId }, body: { expectedVersion: version } });
  const body = { seed: '42', callbackReceiverBindingIds: [callbackReceiverBindingId] };
  const created = await caller('session').createSession({ path: { ...path, environmentId }, body });
  await ended(created.operation);
  const { session } = await plain.getSession({ path: { ...path, sessionId: created.session.sessionId } });
  const { sessionId, buildHash, leaseGeneration } = session;

  const { access } = await plain.createSessionAccess({ path: { ...path, sessionId }, body: { actorId: 'support-agent' } });
  secrets.push(access.credential);
  drive.call = new TracedCaller({ baseUrl: service.ready.baseUrl, credential: access.credential });
  const called = await fetch(`${access.worldHttpUrl}/v1/operations/ticket-desk/comment.add`, {
    method: 'POST',
    headers: { ...drive.call.headers, authorization: `Bearer ${access.credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: { ticketId: 'TKT-1001', body: spoken } }),
  });
  assert.equal(called.status, 200);
  seen.correlationId = called.headers.get('x-correlation-id')!;

  const target = { environmentId, buildHash, expectedLeaseGeneration: leaseGeneration, targetUs: afterSettlementsUs, maxEvents: 1000 };
  receiver.answer = () => (receiver.arrivals.length === 1 ? 503 : 204);
  await ended((await caller('advance').advanceTime({ path: { ...path, sessionId }, body: target })).operation);

  const drill = await plain.createSession({ path: { ...path, environmentId }, body: { seed: '7', drillId: 'refund-happy-path' } });
  await ended(drill.operation);
  const place = { ...path, environmentId, sessionId: drill.session.sessionId };
  const { run, operation } = await caller('run').startRun({ path: place, body: { expectedLeaseGeneration: 1 } });
  const { hostedRunId } = run;
  await untilSettled(async () => (await plain.getRun({ path: { ...path, hostedRunId } })).run.state === 'awaiting_agent');
  assert.match(await (await fetch(`${service.ready.baseUrl}/metrics`)).text(), /^drillyard_runs_awaiting_agent 1$/m);
  const { revision: expectedRevision } = (await plain.getRun({ path: { ...path, hostedRunId } })).run;
  await plain.cancelRun({ path: { ...path, hostedRunId }, body: { reason: 'Seen enough.', expectedRevision } });
  await ended(operation);
  await plain.getProject({ path: { projectId: `${projectId.slice(0, -1)}_` } }).catch(() => {});
}

test('operations, runs, builds and callbacks move the metrics', () => {
  for (const line of [
    /^drillyard_ready 1$/m,
    /^drillyard_operations\{kind="drill.run",state="running"\} 0$/m,
    /^drillyard_operation_duration_seconds_count\{kind="world.session.create",state="succeeded"\} 2$/m,
    /^drillyard_operation_duration_seconds_count\{kind="world.time.advance",state="succeeded"\} 1$/m,
    /^drillyard_operation_duration_seconds_count\{kind="drill.run",state="cancelled"\} 1$/m,
    /^drillyard_operation_wait_seconds_count\{kind="build.compile"\} 2$/m,
    /^drillyard_build_duration_seconds_count\{result="succeeded"\} 1$/m,
    /^drillyard_build_duration_seconds_count\{result="invalid"\} 1$/m,
    /^drillyard_runs_active 0$/m,
    /^drillyard_runs_awaiting_agent 0$/m,
    /^drillyard_run_duration_seconds_count\{state="cancelled",verdict="\w+"\} 1$/m,
    /^drillyard_callback_attempt_duration_seconds_count\{result="5xx"\} 1$/m,
    /^drillyard_callback_attempt_duration_seconds_count\{result="2xx"\} 2$/m,
    /^drillyard_callback_outcomes_total\{outcome="delivered"\} 2$/m,
    /^drillyard_callback_outcomes_total\{outcome="retry_scheduled"\} 1$/m,
    /^drillyard_callbacks_in_flight 0$/m,
    /^drillyard_http_refusals_total\{code="control.\w+"\} [1-9]/m,
    /^drillyard_host_resident_bytes\{host="0"\} [1-9]/m,
    /^drillyard_host_restarts\{host="0"\} 0$/m,
    /^drillyard_disk_free_bytes [1-9]/m,
    /^drillyard_disk_reserve_bytes [1-9]/m,
    /^drillyard_commits_total\{store="worlds"\} [1-9]/m,
    ...['catalog', 'worlds', 'blobs'].map((folder) => new RegExp(`^drillyard_disk_used_bytes\\{folder="${folder}"\\} [1-9]`, 'm')),
  ]) {
    assert.match(seen.metrics, line);
  }
  const { projectId, organizationId, environmentId, buildHash } = service.ready;
  for (const id of [projectId, organizationId, environmentId, buildHash]) assert.ok(!seen.metrics.includes(id), `${id} is in the metrics`);
});

const route = {
  build: 'POST /v1/projects/{projectId}/source-drafts/{sourceDraftId}/revisions/{revision}/builds',
  session: 'POST /v1/projects/{projectId}/environments/{environmentId}/sessions',
  advance: 'POST /v1/projects/{projectId}/sessions/{sessionId}/advance',
  call: 'POST /world/v1/operations/{packageId}/{operationId}',
  run: 'POST /v1/projects/{projectId}/environments/{environmentId}/sessions/{sessionId}/runs',
};
const children = (parent: { spanId: string }) => collector.spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

test('a request is part of the trace that its caller records, and what it asks for is below it', () => {
  const kindOf = { build: 'build.compile', session: 'world.session.create', advance: 'world.time.advance', run: 'drill.run' };
  for (const step of ['build', 'session', 'advance', 'run'] as const) {
    const { traceId, spanId } = drive[step]!;
    const request = collector.one(traceId, route[step]);
    assert.deepEqual([request.kind, request.parentSpanId, request.attributes['http.response.status_code']], ['server', spanId, 202]);
    const operation = collector.one(traceId, `operation ${kindOf[step]}`);
    assert.equal(operation.parentSpanId, request.spanId);
    assert.equal(operation.attributes['drillyard.operation.state'], step === 'run' ? 'cancelled' : 'succeeded');
    assert.equal(operation.attributes['drillyard.correlation_id'], request.attributes['drillyard.correlation_id']);
  }
  for (const step of ['build', 'run'] as const) {
    const { traceId } = drive[step]!;
    assert.equal(collector.one(traceId, step).parentSpanId, collector.one(traceId, `operation ${kindOf[step]}`).spanId);
  }
  const { attributes } = collector.one(drive.run!.traceId, 'run');
  assert.deepEqual([attributes['drillyard.run.state'], attributes['drillyard.drill.id']], ['cancelled', 'refund-happy-path']);
  const broken = collector.one(drive.brokenBuild!.traceId, 'build');
  assert.deepEqual([broken.isError, broken.attributes['error.type']], [true, 'control.SOURCE_INVALID']);
  assert.equal(collector.resource['service.name'], 'drillyard');
  assert.equal(collector.resource['deployment.environment.name'], 'test');
});

test('a call of an agent is a span of its world, and a callback continues with the trace of what made it due', () => {
  const { traceId, spanId } = drive.call!;
  const request = collector.one(traceId, route.call);
  assert.equal(request.parentSpanId, spanId);
  const { attributes, parentSpanId } = collector.one(traceId, 'world call');
  assert.equal(parentSpanId, request.spanId);
  const { 'drillyard.tool.package': packageId, 'drillyard.tool.operation': operationId, 'drillyard.outcome': outcome } = attributes;
  assert.deepEqual([packageId, operationId, outcome], ['ticket-desk', 'comment.add', 'ok']);

  const operation = collector.one(drive.advance!.traceId, 'operation world.time.advance');
  const deliveries = children(operation).filter(({ name }) => name === 'POST callback');
  assert.deepEqual(
    deliveries.map(({ kind, isError, attributes: { 'http.response.status_code': status } }) => [kind, isError, status]),
    [
      ['client', true, 503],
      ['client', false, 204],
      ['client', false, 204],
    ],
  );
  assert.deepEqual(
    seen.traceparents,
    deliveries.map((delivery) => `00-${delivery.traceId}-${delivery.spanId}-01`),
  );
  assert.ok(children(operation).some(({ name }) => name === 'world advance'));
});

test('a line of the log leads to its trace, and the trace to it', () => {
  const lines = jsonLines(seen.log);
  const request = collector.one(drive.advance!.traceId, route.advance);
  const line = lines.find(({ trace_id }) => trace_id === request.traceId);
  assert.deepEqual([line?.msg, line?.span_id], ['request', request.spanId]);
  assert.equal(line?.correlationId, request.attributes['drillyard.correlation_id']);
  assert.equal(collector.one(drive.call!.traceId, route.call).attributes['drillyard.correlation_id'], seen.correlationId);
});

test('no span has a token, an argument, a result or a path', () => {
  const all = collector.bodies.join('\n');
  for (const secret of [...secrets, spoken, 'TKT-1001', '/v1/projects/prj_']) assert.ok(!all.includes(secret), secret);
});

/** For node: packages whose name the pattern matches are not there for this program; other packages may have them. */
const refusing = (pattern: string): string => {
  const hook = `export const resolve = (name, context, next) => {
    if (/${pattern}/.test(name)) throw Object.assign(new Error('not installed: ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(name, context);
  };`;
  const moduleOf = (text: string): string => `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
  const required = `const resolved = module._resolveFilename;
    module._resolveFilename = function (name, parent, ...rest) {
      if (/${pattern}/.test(name) && !/node_modules/.test(parent?.filename)) throw Object.assign(new Error('not installed: ' + name), { code: 'MODULE_NOT_FOUND' });
      return resolved.call(this, name, parent, ...rest);
    };`;
  return `--import=${moduleOf(`import module, { register } from 'node:module'; register('${moduleOf(hook)}'); ${required}`)}`;
};

test('what cannot be sent is refused at the start, in one sentence', { timeout: 60_000 }, async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  for (const [env, said] of [
    [
      { ...endpoint, NODE_OPTIONS: refusing('^@opentelemetry.exporter') },
      /npm install @opentelemetry\/sdk-trace-node@2 .*exporter-trace-otlp-http@/,
    ],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; traces leave with http\/json alone/],
  ] as const) {
    const { code, stdout } = await serve({ flags: ['--json'], env }).ended;
    const [line] = jsonLines(stdout);
    assert.deepEqual([code, line?.event, line?.code], [2, 'error', 'control.INVALID_REQUEST']);
    assert.match(String(line?.message), said);
  }
});

test('a service that sends no traces loads nothing of OpenTelemetry', async () => {
  const plain = await startService({ env: { NODE_OPTIONS: refusing('^@opentelemetry'), OTEL_EXPORTER_OTLP_ENDPOINT: '' } });
  assert.equal((await fetch(`${plain.ready.baseUrl}/readyz`)).status, 200);
  assert.equal((await plain.stop()).code, 0);
});
