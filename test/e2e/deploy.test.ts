// The files of deploy/ do what docs/hosting.md says of them.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { limits } from '../../src/contract/limits.js';
import { loadUws } from '../../src/http/uws-binary.js';
import { nodeArguments } from '../cli/cli.js';
import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { adapted, hasProgram, type NginxPorts, startCaddy, startNginx, type Tls, tickingWorld, tlsFiles, travel } from './deploy-kit.js';
import type { Journey } from './proxied-client.js';
import { clientOf, type ServiceInside, startInside, temporaryFolder } from './service.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const hasNginx = hasProgram('nginx', '-v');
const hasCaddy = hasProgram('caddy', 'version');
const withoutNginx = hasNginx ? false : 'nginx is not installed';
const withoutCaddy = hasCaddy ? false : 'caddy is not installed';

let tls: Tls;
let service: ServiceInside;
let ticking: Journey['ticking'];
let ports: NginxPorts;
before(async () => {
  if (!hasNginx && !hasCaddy) return;
  tls = tlsFiles();
  const [https, http, plain] = [await freePort(), await freePort(), await freePort()];
  ports = { https, http, plain };
  const settings = join(temporaryFolder(), 'serve.yaml');
  // One name has to do here: worlds at a name of their own have a test of their own (site.test.ts).
  const text = adapted('serve.yaml', [
    ['https://drills.example.com', `https://localhost:${https}`],
    [/^worldUrl: .*\n/m, ''],
  ]);
  writeFileSync(settings, text);
  service = await startInside({ flags: ['--config-file', settings, '--log-level', 'info', '--handler-timeout-ms', '60000'] });
  ticking = await tickingWorld(clientOf(service, service.ready.credential!));
});

/** Through a proxy over TLS, with the official MCP client among others; what comes back, and what stands in the log. */
async function journeyThrough(port: number): Promise<void> {
  const { projectId, environmentId, organizationId, credential } = service.ready;
  const ready = { projectId, environmentId, credential: credential! };
  const seen = await travel({ url: `https://localhost:${port}`, ready, ticking, bytes: limits.attachmentBytesMax }, tls);
  assert.equal(seen.organizationId, organizationId);
  assert.deepEqual(seen.attachment, { bytes: limits.attachmentBytesMax, isSame: true });
  assert.deepEqual(seen.wait, { isProgressFirst: true, lastEvent: 'result', isWhole: true });
  assert.equal(seen.mcp.server, 'drillyard');
  assert.ok(seen.mcp.tools.includes('ticket-desk_comment_add'), seen.mcp.tools.join());
  assert.ok(seen.mcp.outcome !== undefined);
  const { '/v1/me': me, '/metrics': figures, '/v1/operator/organizations': operator } = seen.elsewhere;
  assert.deepEqual([me?.status, figures?.status, operator?.status], [200, 403, 403]);
  assert.deepEqual([figures?.correlationId, operator?.correlationId], [undefined, undefined], 'the proxy answers these');
  const lineOf = () =>
    service
      .logged()
      .split('\n')
      .find((line) => line.includes(`"correlationId":"${me?.correlationId}"`));
  await until(() => lineOf() !== undefined);
  const { route, clientAddress } = JSON.parse(lineOf()!) as { route: string; clientAddress: string };
  assert.deepEqual([route, clientAddress], ['getMe', '127.0.0.2']);
  const logged = service.logged();
  assert.match(logged, /"clientAddress":"127\.0\.0\.1"/);
  assert.ok(!logged.includes('6.6.6.6'), 'what a client writes there itself is not believed');
}

test('nginx with deploy/nginx.conf passes on what the service has: calls, uploads, streams, MCP, addresses; and its defaults reach node:http', {
  skip: withoutNginx,
  timeout: 240_000,
}, async () => {
  const plain = await startInside({ flags: ['--server', 'node', '--trusted-proxy', '127.0.0.1', '--log-level', 'info'] });
  const portOf = ({ ready }: ServiceInside): number => Number(new URL(ready.baseUrl).port);
  await startNginx(tls, ports, { service: portOf(service), plainService: portOf(plain) });
  if (loadUws() !== undefined) assert.equal(service.ready.server, 'uWebSockets.js');
  await journeyThrough(ports.https);
  // nginx as it comes: HTTP/1.0, a Host of its own, and nothing of the client.
  const client = clientOf({ ready: { ...plain.ready, baseUrl: `http://127.0.0.1:${ports.plain}` } }, plain.ready.credential!);
  assert.equal((await client.getMe()).organization.organizationId, plain.ready.organizationId);
  const moved = await new Promise<{ status: number | undefined; location: string | undefined }>((resolve, reject) => {
    const asked = request({ port: ports.http, host: '127.0.0.1', path: '/docs', headers: { host: 'localhost' } }, (reply) => {
      reply.resume();
      resolve({ status: reply.statusCode, location: reply.headers.location });
    });
    asked.on('error', reject).end();
  });
  assert.deepEqual(moved, { status: 301, location: 'https://localhost/docs' });
  await plain.stop();
});

test('Caddy with deploy/Caddyfile passes on what the service has: calls, uploads, streams, MCP, addresses', {
  skip: withoutCaddy,
  timeout: 240_000,
}, async () => {
  const https = await freePort();
  await startCaddy(tls, https, Number(new URL(service.ready.baseUrl).port));
  await journeyThrough(https);
});

test('the systemd unit is well-formed, asks for what control groups need, and takes nothing that boxes need', (t: TestContext) => {
  const unit = adapted('drillyard.service', []);
  for (const line of [
    'Delegate=yes',
    'DelegateSubgroup=drillyard',
    'OOMPolicy=continue',
    'NoNewPrivileges=yes',
    'StateDirectory=drillyard',
  ])
    assert.ok(unit.split('\n').includes(line), line);
  assert.doesNotMatch(
    unit,
    /^(RestrictNamespaces|PrivateUsers|ProtectHostname|ProtectKernelTunables|ProtectKernelLogs|ProtectProc|ProcSubset)=/m,
  );
  assert.doesNotMatch(unit, /^(ProtectControlGroups|MemoryDenyWriteExecute|PrivateNetwork)=/m);
  if (!hasProgram('systemd-analyze', '--version')) return t.skip('systemd-analyze is not installed');
  const file = join(temporaryFolder(), 'drillyard.service');
  writeFileSync(file, unit);
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  // An earlier systemd does not know the subgroup, says so, and continues.
  const rest = stderr.split('\n').filter((line) => line.includes('drillyard.service') && !line.includes('DelegateSubgroup'));
  assert.deepEqual([status, rest], [0, []], stderr);
});

test('the settings that ship are settings, and are shown as they hold', () => {
  const file = join(root, 'deploy', 'serve.yaml');
  const { status, stdout } = spawnSync(process.execPath, [...nodeArguments, 'serve', '--config-file', file, '--print-config'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0);
  assert.match(stdout, /^publicUrl: "https:\/\/drills\.example\.com" # .*deploy\/serve\.yaml:5$/m);
  assert.match(stdout, /^trustedProxy: \["127\.0\.0\.1","::1"\] # /m);
  assert.match(stdout, /^# port: 8787$/m);
});

test('the image starts what is there, as nobody in particular, and asks the service itself whether it is ready', async () => {
  const text = adapted('Dockerfile', []).replaceAll('\\\n', ' ');
  const last = text.slice(text.lastIndexOf('\nFROM '));
  assert.match(last, /^USER drillyard$/m);
  assert.match(last, /^VOLUME \/data$/m);
  assert.match(last, /^STOPSIGNAL SIGTERM$/m);
  assert.match(last, /apt-get install .* bubblewrap tini util-linux /);
  const [, link = ''] = /^RUN ln -s \/opt\/drillyard\/(\S+) /m.exec(last) ?? [];
  assert.ok(existsSync(join(root, link)), link);
  const taken = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' '));
  for (const source of taken) assert.ok(existsSync(join(root, source)), source);
  const healthcheck = JSON.parse(/^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(last)?.[1] ?? '[]') as string[];
  assert.equal(healthcheck[0], 'node');
  const probe = async (port: number): Promise<unknown> => {
    const env = { ...process.env, DRILLYARD_PORT: String(port) };
    const [code] = await once(spawn(process.execPath, healthcheck.slice(1), { env, stdio: 'ignore', timeout: 20_000 }), 'exit');
    return code;
  };
  const started = service ?? (await startInside());
  assert.equal(await probe(Number(new URL(started.ready.baseUrl).port)), 0);
  assert.equal(await probe(await freePort()), 1);
  assert.ok(readFileSync(join(root, 'package.json'), 'utf8').includes('"deploy"'));
});
