// `drillyard admin` against a service that runs, and what `serve` does with the server key: as an operator uses them.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { asAgent, clientOf, type Service, serve, startService, temporaryFolder } from '../e2e/service.js';
import { drillyard, jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const dataDirectory = temporaryFolder();
const service = await startService({ dataDirectory });
const tokenFile = join(dataDirectory, 'operator.token');
const env = { DRILLYARD_URL: service.ready.baseUrl, DRILLYARD_OPERATOR_TOKEN: '', DRILLYARD_OPERATOR_TOKEN_FILE: tokenFile };
const admin = (args: string[], own: { [name: string]: string } = {}, play = warmDrillyard) =>
  play(['admin', ...args], { env: { ...env, ...own }, cwd: dataDirectory });
async function lines(...args: string[]): Promise<{ [name: string]: unknown }[]> {
  const { code, stdout, stderr } = await admin([...args, '--json']);
  assert.equal(code, 0, stderr + stdout);
  return jsonLines(stdout);
}

test('an organization from its making to its first manager, its limits, its suspension and back', async () => {
  const [made] = await lines('organization', 'create', 'acme', '--quota', 'projectsMax=1', '--organization-rate', '50/60');
  const organizationId = made!.organizationId as string;
  assert.deepEqual([made!.event, made!.name, made!.own], ['organization', 'acme', ['projectsMax', 'organizationRate']]);
  const [issued] = await lines('credential', 'issue', organizationId, '--name', 'first');
  const client = clientOf(service, issued!.secret as string);
  assert.equal((await client.getMe()).organization.name, 'acme');
  await client.createProject({ body: { name: 'one' } });
  const [usage] = await lines('organization', 'usage', organizationId);
  assert.deepEqual(
    (usage!.quotas as { quota: string }[]).find(({ quota }) => quota === 'projectsMax'),
    { quota: 'projectsMax', used: 1, max: 1 },
  );
  const [set] = await lines('organization', 'set', organizationId, '--name', 'Acme', '--quota', 'projectsMax=default', '--rate', '5/6');
  assert.deepEqual([set!.name, set!.own], ['Acme', ['rate', 'organizationRate']]);
  assert.equal((await lines('organization', 'suspend', organizationId, '--reason', 'unpaid'))[0]!.state, 'suspended');
  await assert.rejects(client.getMe(), /ORGANIZATION_SUSPENDED/);
  assert.equal((await lines('organization', 'resume', organizationId))[0]!.state, 'active');
  await client.getMe();
  const names = (await lines('organization', 'list')).map(({ name }) => name);
  assert.deepEqual(names.sort(), ['Acme', 'default']);
  const credentials = await lines('credential', 'list', organizationId);
  assert.equal(credentials.length, 1);
  assert.equal('secret' in credentials[0]!, false);
  await lines('credential', 'revoke', organizationId, credentials[0]!.credentialId as string);
  await assert.rejects(client.getMe(), /UNAUTHENTICATED/);
  assert.deepEqual(await lines('member', 'list', organizationId), []);
  const refusals = await lines('organization', 'audit', organizationId, '--refused');
  assert.deepEqual(refusals.map(({ refusal }) => (refusal as { code: string }).code).sort(), [
    'control.ORGANIZATION_SUSPENDED',
    'control.UNAUTHENTICATED',
  ]);
  const accepted = (await lines('organization', 'audit', organizationId)).map(({ action }) => action);
  assert.deepEqual(accepted.slice(0, 2), ['revokeOrganizationCredential', 'resumeOrganization']);
});

test('a backup is shown as it is made, and a place that is none is bad usage', async () => {
  const to = join(temporaryFolder(), 'copy');
  const said = await lines('backup', '--to', to);
  const { event, state, to: place, files } = said.at(-1)!;
  assert.deepEqual([event, state, place], ['backup', 'succeeded', to]);
  assert.ok((files as number) > 3 && existsSync(join(to, 'catalog', 'data.mdb')));
  assert.equal(files, JSON.parse(readFileSync(join(to, 'backup.json'), 'utf8')).files);
  assert.ok(said.slice(0, -1).every((line) => line.event === 'progress' && line.state === 'running'));
  const { code, stderr } = await admin(['backup', '--to', to]);
  assert.deepEqual([code, /is there already/.test(stderr)], [2, true], stderr);
});

test('for people it is a table; a secret is shown once and said to be', async () => {
  const { stdout } = await admin(['organization', 'create', 'for people']);
  const [, organizationId] = /organization\s+(org_\w+) for people/.exec(stdout) ?? assert.fail(stdout);
  assert.match(stdout, /credential issue org_/);
  const issued = await admin(['credential', 'issue', organizationId!], {}, drillyard);
  assert.match(issued.stdout, /secret\s+dyc_[\w-]{43} {2}keep it, it is not shown again/);
  for (const args of [
    ['organization', 'list'],
    ['organization', 'show', organizationId!],
    ['organization', 'usage', organizationId!],
    ['key', 'show'],
  ]) {
    const { code, stdout: reported, stderr } = await admin(args);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(reported, /dyc_|dyo_|undefined|\[object/);
  }
});

test('what is wrong is said: no token, a wrong one, no service, no such organization, unusable limits', async () => {
  const cases: [string[], { [name: string]: string }, number, RegExp][] = [
    [
      ['organization', 'list'],
      { DRILLYARD_OPERATOR_TOKEN_FILE: '/nowhere/operator.token' },
      2,
      /no operator's token: \/nowhere\/operator.token/,
    ],
    [['organization', 'list'], { DRILLYARD_OPERATOR_TOKEN: `dyo_${'x'.repeat(43)}` }, 1, /control.UNAUTHENTICATED/],
    [['organization', 'list'], { DRILLYARD_OPERATOR_TOKEN: service.ready.credential! }, 1, /control.UNAUTHENTICATED/],
    [['organization', 'list', '--url', 'http://127.0.0.1:1'], {}, 1, /does not answer \(.+\)/],
    [['organization', 'list', '--url', 'http://drills.example.com'], {}, 2, /must be an https:\/\/ URL/],
    [['organization', 'show', 'org_0123456789ab'], {}, 2, /There is no such organization/],
    [['organization', 'show', 'acme'], {}, 2, /control.INVALID_REQUEST/],
    [['organization', 'create', 'x', '--quota', 'projectsMax'], {}, 2, /--quota is "projectsMax"/],
    [['organization', 'create', 'x', '--quota', 'wishesMax=1'], {}, 2, /control\.INVALID_REQUEST: [^;]*\. \(\/[^)]*wishesMax[^)]*\)$/m],
    [['organization', 'create', 'x', '--rate', '100'], {}, 2, /--rate is "100"/],
    [['key', 'rotate', '--grace-ms', 'abc'], {}, 2, /It must be 0 or a positive integer/],
    [['member', 'set-role', 'org_0123456789ab', 'usr_0123456789ab', 'owner'], {}, 2, /Allowed choices are viewer, builder, manager, none/],
  ];
  for (const [index, [args, own, expected, said]] of cases.entries()) {
    // Both exit codes as an operator's shell gets them; the others differ in words.
    const { code, stdout, stderr } = await admin(args, own, index < 2 ? drillyard : warmDrillyard);
    assert.equal(code, expected, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, said);
    assert.equal(stdout, '');
  }
});

async function agentOf(one: Service): Promise<{ url: string; credential: string }> {
  const { projectId, environmentId, credential } = one.ready;
  const client = clientOf(one, credential!);
  const made = await client.createSession({
    path: { projectId: projectId as never, environmentId: environmentId as never },
    body: { seed: '1' },
  });
  await client.waitForOperation({ projectId: projectId as never, operationId: made.operation.operationId as never });
  const path = { projectId: projectId as never, sessionId: made.session.sessionId as never };
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'support-agent' } });
  return { url: access.worldHttpUrl, credential: access.credential };
}

test('a rotation while it runs: what derives from the old key is void at once, or when the grace is over; credentials are not', async () => {
  const before = await agentOf(service);
  const tools = async ({ url, credential }: typeof before): Promise<number> => (await asAgent(url, credential, '/v1/tools')).status;
  assert.equal(await tools(before), 200);
  const [rotated] = await lines('key', 'rotate', '--grace-ms', '3600000');
  assert.deepEqual(
    (rotated!.generations as { generation: number }[]).map(({ generation }) => generation),
    [2, 1],
  );
  assert.equal(await tools(before), 200);
  await lines('key', 'rotate');
  assert.equal(await tools(before), 401, 'without a grace nothing earlier is accepted');
  const present = await agentOf(service);
  await lines('key', 'rotate');
  assert.deepEqual([await tools(before), await tools(present)], [401, 401]);
  await clientOf(service, service.ready.credential!).getMe();
  const key = readFileSync(join(dataDirectory, 'server.key'), 'utf8');
  assert.deepEqual(
    (JSON.parse(key) as { generations: { generation: number }[] }).generations.map(({ generation }) => generation),
    [4],
  );
});

test('serve takes its key from a file outside, rotates it there, and does not start without one that holds', async () => {
  const [folder, place] = [temporaryFolder(), temporaryFolder()];
  const keyFile = join(place, 'the.key');
  const started = (flags: string[] = []) =>
    serve({ dataDirectory: folder, flags: ['--json', '--log-level', 'warn', '--key-file', keyFile, ...flags] });
  const ends = async (said: RegExp, exit: number): Promise<void> => {
    const { code, stdout } = await started().ended;
    assert.equal(code, exit, stdout);
    assert.match(stdout, said);
    assert.ok(stdout.includes(keyFile));
  };
  await ends(/There is no key file/, 2);
  writeFileSync(keyFile, 'torn', { mode: 0o600 });
  await ends(/is damaged/, 1);
  writeFileSync(keyFile, 'ab'.repeat(32), { mode: 0o600 });
  const first = await startService({ dataDirectory: folder, flags: ['--key-file', keyFile] });
  assert.equal(existsSync(join(folder, 'server.key')), false);
  const credential = first.ready.credential!;
  await first.stop();
  const again = await startService({
    dataDirectory: folder,
    env: { DRILLYARD_KEY_FILE: keyFile },
    flags: ['--rotate-key', '--key-grace-ms', '60000'],
  });
  await clientOf(again, credential).getMe();
  const { generations } = JSON.parse(readFileSync(keyFile, 'utf8')) as {
    generations: { generation: number; key: string; acceptedUntilMs?: number }[];
  };
  assert.deepEqual(
    generations.map(({ generation, acceptedUntilMs }) => [generation, acceptedUntilMs !== undefined]),
    [
      [2, false],
      [1, true],
    ],
  );
  assert.equal(generations[1]!.key, 'ab'.repeat(32));
  await again.stop();
});

test('the service ends in order', async () => {
  const { code, stderr } = await service.stop();
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /a bug met/);
});
