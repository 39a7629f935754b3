// `drillyard serve` as an operator meets it: starting, being reported why not, stopping, starting again.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadUws } from '../../src/http/uws-binary.js';
import { jsonLines } from '../cli/cli.js';
import { until, untilSettled } from '../until.js';
import {
  asAgent,
  clientOf,
  type Service,
  type ServiceInside,
  serve,
  startedDirectory,
  startInside,
  startService,
  temporaryFolder,
} from './service.js';

const engines = loadUws() === undefined ? (['node'] as const) : (['node', 'uws'] as const);

async function readySession(
  service: Pick<ServiceInside, 'ready'>,
  credential: string,
  body: { seed: string; drillId?: string } = { seed: '7' },
) {
  const { projectId, environmentId } = service.ready;
  const client = clientOf(service, credential);
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  return { client, session, path: { projectId, sessionId: session.sessionId } };
}

for (const engine of engines) {
  // CONTROL-SERVER-3
  test(`${engine}: the first start tells ids and credential once, the second continues with all that is there`, async () => {
    // What a first start makes is the same behind either server.
    const dataDirectory = engine === 'node' ? temporaryFolder() : await startedDirectory();
    const first = await startService({ dataDirectory, flags: ['--server', engine] });
    const { credential = '', ...ids } = first.ready;
    assert.deepEqual(Object.keys(first.ready), [
      'event',
      'baseUrl',
      'organizationId',
      'projectId',
      'environmentId',
      'buildHash',
      'credential',
      'server',
      'toolCode',
    ]);
    assert.match(credential, /^dyc_[\w-]{43}$/);
    assert.equal(ids.server, engine === 'uws' ? 'uWebSockets.js' : 'node:http');
    const { client, session, path } = await readySession(first, credential);
    const { access } = await client.createSessionAccess({ path, body: { actorId: 'support-agent' } });
    const comment = { arguments: { ticketId: 'TKT-1001', body: 'It stays.' } };
    assert.equal((await asAgent(access.worldHttpUrl, access.credential, '/v1/operations/ticket-desk/comment.add', comment)).status, 200);
    const position = (await client.getSessionRuntime({ path })).position;
    const ended = await first.stop();
    assert.deepEqual([ended.code, jsonLines(ended.stdout).length], [0, 1]);

    const second = await startService({ dataDirectory, flags: ['--server', engine] });
    assert.deepEqual(Object.keys(second.ready), [
      'event',
      'baseUrl',
      'organizationId',
      'projectId',
      'environmentId',
      'buildHash',
      'server',
      'toolCode',
    ]);
    assert.deepEqual({ ...second.ready, baseUrl: '' }, { ...ids, baseUrl: '' });
    const later = clientOf(second, credential);
    assert.deepEqual((await later.getSessionRuntime({ path })).position, position);
    assert.equal((await later.getSession({ path })).session.leaseGeneration, session.leaseGeneration);
    assert.equal((await asAgent(`${second.ready.baseUrl}/world`, access.credential, '/v1/tools')).status, 200);
    assert.equal((await second.stop('SIGINT')).code, 0);
  });

  test(`${engine}: a port that is taken is reported in one sentence`, async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const message = `Cannot listen on 127.0.0.1:${port}: another program has that port. Stop it, or choose another port (0: any that is free).`;
    const flags = ['--port', String(port), '--server', engine];
    await assert.rejects(startInside({ flags }), { code: 'control.UNAVAILABLE', message }).finally(() => taken.close());
  });
}

test('a start that fails ends with 1, on stderr for people and on stdout for programs', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const { code, stderr, stdout } = await serve({ flags: ['--port', String(port), '--json'] }).ended;
  taken.close();
  assert.equal(code, 1);
  const message = `Cannot listen on 127.0.0.1:${port}: another program has that port. Stop it, or choose another port (0: any that is free).`;
  assert.equal(stderr, `error ${message}\n`);
  assert.deepEqual(jsonLines(stdout), [{ event: 'error', code: 'control.UNAVAILABLE', message }]);
});

test('liveness, readiness, figures, the API document and its page need no credential', async () => {
  const service = await startInside();
  const { client, path } = await readySession(service, service.ready.credential!);
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'support-agent' } });
  const comment = { arguments: { ticketId: 'TKT-1001', body: 'One commit.' } };
  await asAgent(access.worldHttpUrl, access.credential, '/v1/operations/ticket-desk/comment.add', comment);
  const get = async (path: string) => {
    const reply = await fetch(service.ready.baseUrl + path);
    return { status: reply.status, type: reply.headers.get('content-type') ?? '', text: await reply.text() };
  };
  assert.equal((await get('/healthz')).status, 200);
  assert.equal((await get('/readyz')).status, 200);
  assert.match((await get('/v1/openapi.json')).text, /"openapi":"3\.1\./);
  assert.match((await get('/docs')).type, /text\/html/);
  // The service itself asks a world that was used what it stores, and that is a message, too.
  await untilSettled(async () => /^drillyard_mailbox_depth\{host="0"\} 0$/m.test((await get('/metrics')).text));
  const { text, type } = await get('/metrics');
  assert.match(type, /text\/plain/);
  for (const line of [
    /^drillyard_http_request_duration_seconds_count\{route="createSession",status="202"\} 1$/m,
    /^drillyard_worlds_live\{host="0"\} 1$/m,
    /^drillyard_worlds_passivated 0$/m,
    /^drillyard_commits_total\{store="worlds"\} 1$/m,
    /^drillyard_commits_total\{store="catalog"\} [1-9]/m,
    /^nodejs_eventloop_lag_p99_seconds /m,
  ]) {
    assert.match(text, line);
  }
  await service.stop();
});

test('every bad setting is reported at once, with what it must be, and nothing is started', async () => {
  const dataDirectory = join(temporaryFolder(), 'never');
  const flags = [
    '--port',
    '70000',
    '--durability',
    'sometimes',
    '--public-url',
    'http://a/b',
    '--oidc-issuer',
    'https://id.example',
    '--json',
  ];
  const { code, stdout, stderr } = await serve({ dataDirectory, flags, env: { DRILLYARD_WORKERS: 'many', DRILLYARD_LOG_LEVEL: 'warn' } })
    .ended;
  assert.equal(code, 2);
  assert.deepEqual(
    jsonLines(stdout).map(({ message }) => message),
    [
      '--port is "70000"; it must be an integer from 0 to 65535.',
      '--public-url must be scheme, host and port alone, such as https://drills.example.com; its value is not shown, as it may hold a secret.',
      '--durability is "sometimes"; it must be flushed or committed.',
      'An identity provider needs --oidc-audience and --oidc-jwks-url too (or the environment variable of that name).',
    ],
  );
  assert.match(stderr, /serve --help/);
  assert.equal(existsSync(dataDirectory), false);
  const unknown = await serve({ flags: ['--prot', '1'] }).ended;
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /--prot/);
});

test('what a flag does not say, the environment does', async () => {
  await assert.rejects(
    startInside({ env: { DRILLYARD_HOST: '203.0.113.7' } }),
    /Cannot listen on 203\.0\.113\.7:0: this machine does not have that address\. Choose one of its own, such as 127\.0\.0\.1\.$/,
  );
});

test('a data directory that cannot be one is reported in one sentence', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await assert.rejects(
    startInside({ dataDirectory: join(file, 'data') }),
    /The folder .*file\/data cannot be made below .*file: a file is in its way\. Name another folder\.$/,
  );
});

const withoutMemoryFolder = [
  ...['unshare', '--user', '--map-root-user', '--mount'],
  ...['sh', '-c', 'mount -t tmpfs -o ro none /dev/shm && exec "$0" "$@"'],
];
const [unshare, ...ground] = withoutMemoryFolder as [string, ...string[]];
test('where neither /dev/shm nor the folder for temporary files can be written, hosts start all the same', {
  skip: spawnSync(unshare, [...ground, 'true']).status !== 0 && 'nothing can be mounted here',
  timeout: 120_000,
}, async () => {
  const service = await startService({
    flags: ['--isolate', 'process', '--trust-tool-code', 'true'],
    env: { TMPDIR: '/nowhere' },
    under: withoutMemoryFolder,
  });
  const { session } = await readySession(service, service.ready.credential!);
  assert.equal(session.seed, '7');
  assert.equal((await fetch(`${service.ready.baseUrl}/readyz`)).status, 200);
  const { code, stderr } = await service.stop();
  assert.deepEqual([code, stderr], [0, '']);
});

test('where fewer files may be open than the bounds allow, the ready line warns with both numbers', async () => {
  const under = ['sh', '-c', 'ulimit -n 2000 && exec "$0" "$@"'];
  const service = await startService({ under, flags: ['--connections-max', '3000'] });
  const message =
    'This process may have 2,000 files open (ulimit -n); 3,000 connections and the hosts of worlds can take 3,768. Allow as many ' +
    '(LimitNOFILE= of a systemd unit, --ulimit nofile= of a container), or lower `--connections-max`.';
  assert.deepEqual(service.ready.warnings, [{ code: 'few_open_files', message }]);
  assert.equal((await service.stop()).code, 0);
});

// LAST-RESORT-1
test('an error that nobody catches is one line of the log and the end with 1, and nothing acknowledged is lost', {
  timeout: 120_000,
}, async () => {
  const dataDirectory = await startedDirectory();
  const faults = join(temporaryFolder(), 'faults.mjs');
  const fault = "Object.assign(new Error('out of order'), { token: 'dyc_never_shown' })";
  const onSignal = (name: string, what: string): string => `process.on('${name}', () => { ${what} });\n`;
  writeFileSync(faults, onSignal('SIGUSR2', `throw ${fault}`) + onSignal('SIGWINCH', `void Promise.reject(${fault})`));
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(faults).href}` };
  const first = await startService({ dataDirectory, env });
  const credential = first.ready.credential!;
  const { session, path } = await readySession(first, credential);
  const endOf = async (service: Service, signal: NodeJS.Signals) => {
    const { code, stderr } = await service.stop(signal);
    assert.equal(stderr.includes('dyc_never_shown'), false);
    const [line, ...more] = stderr.trimEnd().split('\n') as [string, ...string[]];
    const { level, msg, origin, err } = JSON.parse(line) as { [name: string]: unknown; err: { message: string } };
    return [code, level, msg, origin, err.message, more];
  };
  const said = [1, 60, 'a bug ended the service'];
  assert.deepEqual(await endOf(first, 'SIGUSR2'), [...said, 'uncaughtException', 'out of order', []]);
  const second = await startService({ dataDirectory, env });
  assert.equal((await clientOf(second, credential).getSession({ path })).session.sessionId, session.sessionId);
  assert.deepEqual(await endOf(second, 'SIGWINCH'), [...said, 'unhandledRejection', 'out of order', []]);
});

// CONTROL-SERVER-1
test('one process at a time uses a data directory; a killed one holds nothing', async () => {
  const dataDirectory = await startedDirectory();
  const first = await startService({ dataDirectory });
  const inUse = new RegExp(`is in use by process ${first.child.pid}\\. Stop that process, or name another folder\\.`);
  await assert.rejects(startInside({ dataDirectory }), inUse);
  await first.stop('SIGKILL');
  const second = await startInside({ dataDirectory });
  assert.equal(second.ready.projectId, first.ready.projectId);
  await second.stop();
});

// CONTROL-SERVER-2
test('a stop refuses new work with 503, is alive meanwhile, and a second signal ends it at once', {
  skip: loadUws() === undefined,
}, async () => {
  // node:http closes its listener at once; here the port answers to the end.
  const service = await startService({ flags: ['--server', 'uws'] });
  const { baseUrl, credential } = service.ready;
  // A request whose body does not come keeps the stop waiting.
  const slow = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  slow.on('error', () => {});
  await new Promise((resolve) => slow.write(slowRequest(credential!), resolve));
  // It has been received once a later request on the same server is answered.
  await fetch(`${baseUrl}/healthz`);
  service.child.kill('SIGTERM');
  const me = () => fetch(`${baseUrl}/v1/me`, { headers: { authorization: `Bearer ${credential}` } });
  let reply = await me();
  await until(async () => {
    if (reply.status === 200) reply = await me();
    return reply.status !== 200;
  });
  assert.equal(reply.status, 503);
  assert.equal(((await reply.json()) as { code: string }).code, 'control.UNAVAILABLE');
  assert.equal((await fetch(`${baseUrl}/healthz`)).status, 200);
  assert.equal((await fetch(`${baseUrl}/readyz`)).status, 503);
  service.child.kill('SIGTERM');
  assert.equal((await service.ended).code, 130);
  slow.destroy();
});

test('a terminal that closes stops the service as SIGTERM does, and says so twice', async () => {
  const service = await startService({ dataDirectory: await startedDirectory() });
  service.child.kill('SIGHUP');
  service.child.kill('SIGHUP');
  const { code, stderr } = await service.ended;
  assert.equal(code, 0, stderr);
});

function slowRequest(credential: string): string {
  const lines = ['POST /v1/projects HTTP/1.1', 'Host: 127.0.0.1', `Authorization: Bearer ${credential}`, 'Idempotency-Key: slow-request-1'];
  return `${[...lines, 'Content-Type: application/json', 'Content-Length: 100'].join('\r\n')}\r\n\r\n{`;
}

test('a hosted run that waits for its agent waits on through a stop and a start', async () => {
  const dataDirectory = await startedDirectory();
  const first = await startInside({ dataDirectory });
  const credential = first.ready.credential!;
  const { client, path } = await readySession(first, credential, { seed: '42', drillId: 'refund-happy-path' });
  const { projectId, environmentId } = first.ready;
  const { run, operation } = await client.startRun({ path: { ...path, environmentId }, body: { expectedLeaseGeneration: 1 } });
  const at = { projectId, hostedRunId: run.hostedRunId };
  await untilSettled(async () => (await client.getRun({ path: at })).run.state === 'awaiting_agent');
  await first.stop();

  const second = await startInside({ dataDirectory });
  const later = clientOf(second, credential);
  const now = async () => (await later.getRun({ path: at })).run;
  await untilSettled(async () => (await now()).coordination?.generation === 2);
  assert.equal((await now()).state, 'awaiting_agent');
  await untilSettled(async () => (await now()).pendingInteraction !== undefined);
  const { access } = await later.createRunAccess({ path: at, body: { interactionId: 'main' } });
  assert.ok(access.worldHttpUrl.startsWith(second.ready.baseUrl));
  const { revision } = (await later.getRun({ path: at })).run;
  const result = { status: 'completed' as const, attachments: [] };
  await later.completeInteraction({ path: at, body: { interactionId: 'main', expectedRevision: revision, targetResult: result } });
  await later.waitForOperation({ projectId, operationId: operation.operationId });
  assert.equal((await later.getRun({ path: at })).run.state, 'sealed');
  await second.stop();
});

test('the log has a line for each request with its correlation id, and no secret', async () => {
  const service = await startInside({ flags: ['--log-level', 'info'] });
  const credential = service.ready.credential!;
  const { client, path } = await readySession(service, credential);
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'support-agent' } });
  // Of agents only what is refused: they ask a thousand times where a client asks once.
  await asAgent(access.worldHttpUrl, access.credential, '/v1/tools');
  assert.equal((await asAgent(access.worldHttpUrl, credential, '/v1/tools')).status, 401);
  const reply = await fetch(`${service.ready.baseUrl}/v1/me?${access.credential}`, { headers: { authorization: `Bearer ${credential}` } });
  await service.stop();
  const log = service.logged();
  const lines = log.split('\n').filter((line) => line.startsWith('{'));
  const logged = lines.map((line) => JSON.parse(line) as { correlationId?: string; status?: number; route?: string });
  const own = logged.filter(({ correlationId }) => correlationId === reply.headers.get('x-correlation-id'));
  assert.deepEqual(
    own.map(({ status, route }) => [status, route]),
    [[reply.status, 'getMe']],
  );
  assert.deepEqual(
    logged.flatMap(({ route, status }) => (route?.includes('/world/v1/tools') ? [status] : [])),
    [401],
  );
  for (const secret of [credential, access.credential]) assert.equal(log.includes(secret), false);
});

test('for people it says where it is and a command that works as it stands', async () => {
  const service = serve({ dataDirectory: await startedDirectory(), flags: ['--log-level', 'silent'] });
  while (!service.said().stdout.includes('Ctrl-C')) await once(service.child.stdout!, 'data');
  const text = service.said().stdout;
  const command = text.slice(text.indexOf('  curl'), text.indexOf(`-d '{"seed":"42"}'`) + `-d '{"seed":"42"}'`.length);
  if (spawnSync('curl', ['--version']).status === 0) {
    const { session } = JSON.parse(execFileSync('sh', ['-c', command.replace('curl', 'curl -s')], { encoding: 'utf8' })) as {
      session: { seed: string };
    };
    assert.equal(session.seed, '42');
  }
  const credential = /dyc_[\w-]+/.exec(text)?.[0];
  assert.ok(credential !== undefined && command.includes(credential));
  assert.equal((await service.stop()).code, 0);
});
