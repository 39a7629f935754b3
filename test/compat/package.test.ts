// A package of another runner in a project of ours: its manifest, its behavior's context, its codecs. Not a byte of it is changed.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { compileProject } from '../../src/compiler/compile.js';
import { loadConformance } from '../../src/compiler/conformance.js';
import { createLocalWorld } from '../../src/index.js';
import { startReceiver } from '../callbacks/receiver-kit.js';
import { createRepository, type Repository } from '../drills/repository.js';

const beacon = fileURLToPath(new URL('../../../test/fixtures/other-small', import.meta.url));
const bindings = createBindings();
const repositories: Repository[] = [];
after(async () => {
  await bindings.close();
  for (const repository of repositories) repository.remove();
});

const project = {
  'drillyard.json': { schemaVersion: 1, world: 'world.json', toolPackages: ['./beacon'] },
  'drillyard/world.json': {
    schemaVersion: 1,
    id: 'watching',
    actors: [
      {
        id: 'operator',
        attributes: { account: 'acme' },
        grants: ['monitors.get', 'incidents.open'].map((operationId) => ({ packageId: 'beacon', operationId })),
      },
      { id: 'guest', attributes: { account: 'acme' } },
    ],
    state: [
      { action: 'upsert', packageId: 'beacon', namespace: 'monitors', rowId: 'acme/api', value: { name: 'api', status: 'up', checks: 0 } },
    ],
  },
};

function watching(change: (folder: string) => void = () => {}): string {
  const repository = createRepository(project);
  repositories.push(repository);
  const copy = join(repository.root, 'beacon');
  cpSync(beacon, copy, { recursive: true });
  change(copy);
  return repository.root;
}
const edit = (folder: string, file: string, from: string, to: string): void => {
  const text = readFileSync(join(folder, file), 'utf8');
  assert.ok(text.includes(from), from);
  writeFileSync(join(folder, file), text.replace(from, to));
};
const found = async (root: string): Promise<string[]> =>
  (await compileProject({ root })).diagnostics.map(({ code, file, path, message }) => `${code} ${file} ${path}: ${message}`);

test('it compiles without a word, as the field that describes it says what it is', async () => {
  const root = watching();
  const { build, diagnostics, typeScript } = await compileProject({ root });
  assert.deepEqual(diagnostics, []);
  assert.equal(build?.compat.dialect, undefined, 'the project is ours');
  assert.deepEqual(typeScript.files, [], 'it is not written against our types');
});

test('rows that are missing are null, branded failures are declared ones, and a subscription says that it is one', async () => {
  const local = await createLocalWorld({ root: watching() });
  try {
    const call = (operationId: string, args: object, more = {}) =>
      local.call({ actorId: 'operator', packageId: 'beacon', operationId, arguments: args as never, ...more });
    const missing = await call('monitors.get', { name: 'web' });
    assert.deepEqual(missing.outcome, {
      kind: 'tool_error',
      error: { code: 'MONITOR_NOT_FOUND', message: 'There is no monitor web.', retryable: false },
    });
    const open = { idempotencyKey: 'k1' };
    assert.deepEqual((await call('incidents.open', { name: 'api' }, open)).outcome, {
      kind: 'ok',
      value: { id: 'acme/api', status: 'down' },
    });
    const again = await call('incidents.open', { name: 'api' }, { idempotencyKey: 'k2' });
    assert.equal(again.outcome.kind === 'tool_error' && again.outcome.error.code, 'ALREADY_DOWN');
    await local.advance(120_000_000);
    const { outcome } = await call('monitors.get', { name: 'api' });
    assert.deepEqual(outcome.kind === 'ok' && outcome.value, {
      id: 'acme/api',
      name: 'api',
      status: 'down',
      checks: 1,
      openedBy: 'subscription',
    });
  } finally {
    await local.close();
  }
});

test('codecs see statuses, codes with their area, issues with paths in parts, and who called what', async () => {
  const local = await createLocalWorld({ root: watching() });
  try {
    const open = async (actorId: string) =>
      (await bindings.open({ world: local.world, actorId, bindings: ['http'] })).endpoints.http ?? assert.fail();
    const { url, token } = await open('operator');
    const ask = async (path: string, user: string, init: RequestInit = {}) => {
      const reply = await fetch(url + path, { ...init, headers: { authorization: `Basic ${btoa(user)}`, ...init.headers } });
      const body = (await reply.json()) as { [name: string]: unknown };
      return { status: reply.status, operation: reply.headers.get('x-beacon-operation'), body };
    };
    const got = await ask('/api/monitors/api', `api:${token}`);
    assert.deepEqual([got.status, got.operation, got.body.name], [200, 'beacon/monitors.get', 'api']);
    const { body, ...missing } = await ask('/api/monitors/web', `api:${token}`);
    assert.deepEqual(missing, { status: 404, operation: 'beacon/monitors.get' });
    assert.match(String(body.trace), /^corr_/);
    assert.deepEqual(
      { ...body, trace: '' },
      { error: 'not_found', source: 'tool', message: 'There is no monitor web.', fields: [], by: 'operator', trace: '' },
    );
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"note":7}' };
    const invalid = await ask('/api/monitors/api/incidents', `${token}:`, post);
    assert.deepEqual([invalid.status, invalid.body.error, invalid.body.fields], [400, 'framework.INVALID_ARGUMENTS', ['note']]);
    const guest = await open('guest');
    const denied = await ask('/api/monitors/api', `api:${guest.token}`);
    assert.deepEqual([denied.status, denied.body.error, denied.body.by], [403, 'framework.NOT_GRANTED', 'guest']);
    // The credential is where the route says, and nowhere else.
    for (const user of [`other:${token}`, `${token}:`, `${token}:${token}`])
      assert.equal((await ask('/api/monitors/api', user)).status, 401, user.replace(token, 'token'));
    assert.equal((await ask('/api/monitors/api/incidents', `api:${token}`, { ...post, body: '{}' })).status, 401);
  } finally {
    await local.close();
  }
});

test('a request that becomes no call gets the envelope of that runner', async (t) => {
  const alone = createBindings();
  t.after(() => alone.close());
  const root = watching((folder) => edit(folder, 'src/http.ts', '...(body.value ?? {})', '...body.value.deep.member'));
  const local = await createLocalWorld({ root });
  try {
    const { endpoints } = await alone.open({ world: local.world, actorId: 'operator', bindings: ['http'] });
    const { url, token } = endpoints.http ?? assert.fail();
    const ask = async (path: string, method: string, authorization = `Basic ${btoa(`${token}:`)}`) => {
      const init =
        method === 'POST' ? { body: '{}', headers: { authorization, 'content-type': 'application/json' } } : { headers: { authorization } };
      const reply = await fetch(url + path, { method, ...init });
      const { schemaVersion, code, error } = (await reply.json()) as { schemaVersion: number; code: string; error: { source: string } };
      return [reply.status, schemaVersion, code, error.source];
    };
    assert.deepEqual(await ask('/api/elsewhere', 'GET'), [404, 1, 'framework.HTTP_ROUTE_NOT_FOUND', 'framework']);
    assert.deepEqual(await ask('/api/monitors/api', 'DELETE'), [405, 1, 'framework.HTTP_METHOD_NOT_ALLOWED', 'framework']);
    assert.deepEqual(await ask('/api/monitors/api', 'GET', 'Basic bm9ib2R5Og=='), [401, 1, 'framework.HTTP_UNAUTHENTICATED', 'framework']);
    assert.deepEqual(await ask('/api/monitors/api/incidents', 'POST'), [500, 1, 'framework.HTTP_DECODE_FAILED', 'framework']);
  } finally {
    await local.close();
  }
});

test('what is not adapted is a diagnostic where it stands', async () => {
  const cases: [file: string, from: string, to: string, RegExp][] = [
    ['beacon.tool.yaml', 'token: password', 'token: cookie', /^DY2003 beacon\/beacon.tool.yaml \/manifest\/http\/0\/auth/],
    ['beacon.tool.yaml', '  title: Beacon', '  lenses: []', /^DY2001 beacon\/beacon.tool.yaml \/manifest\/lenses/],
    ['beacon.tool.yaml', 'kind: none', 'kind: ed25519', /^DY2003 .*\/manifest\/callbacks\/0\/signature/],
    ['package.json', '"lifecycle": "active"', '"lifecycle": "beta"', /^DY2003 beacon\/package.json \/firedrill\/lifecycle/],
    ['package.json', '"schemaVersion": 1', '"schemaVersion": 9', /^DY5032 beacon\/package.json \/firedrill\/schemaVersion/],
    ['src/behavior.ts', "'@firedrill/tool-sdk'", "'@firedrill/runner'", /^DY6002 beacon\/src\/behavior.ts/],
    ['src/behavior.ts', '{ defineToolBehavior,', '{ defineLens as defineToolBehavior,', /^DY6003 .*defineLens/],
  ];
  for (const [file, from, to, expected] of cases) {
    const said = await found(watching((folder) => edit(folder, file, from, to)));
    assert.match(said.join('\n'), expected, `${from} -> ${to}`);
  }
  // And the line of the page that says what is adapted there.
  const { diagnostics } = await compileProject({
    root: watching((folder) => edit(folder, 'beacon.tool.yaml', 'token: password', 'token: cookie')),
  });
  assert.deepEqual(
    diagnostics.map(({ suggestion }) => suggestion),
    ["docs/other-runner.md lists what is adapted: the line 'basic auth of a route'."],
  );
});

// COMPAT-BEHAVIOR-1
test('a member of a behavior or codec that is not adapted keeps the world from being made', async () => {
  const members: [string, string, string, RegExp][] = [
    ['src/behavior.ts', '  http,\n', '  http,\n  onReset: () => {},\n', /'onReset' of a behavior of another runner is not adapted/],
    ['src/http.ts', 'encode: reply },', 'encode: reply, stream: reply },', /'stream' of a codec of another runner is not adapted/],
  ];
  for (const [file, from, to, message] of members) {
    const root = watching((folder) => edit(folder, file, from, to));
    await assert.rejects(createLocalWorld({ root }), message);
  }
});

test('what the field of the package.json says beyond that is named, and not read', async () => {
  const root = watching((folder) => edit(folder, 'package.json', '"lifecycle": "active",', '"lifecycle": "active", "icon": "beacon.svg",'));
  assert.deepEqual(await found(root), ["DY5033 beacon/package.json /firedrill/icon: 'icon' is not read"]);
});

test('a link to the package is the package', async () => {
  const repository = createRepository(project);
  repositories.push(repository);
  symlinkSync(beacon, join(repository.root, 'beacon'));
  assert.deepEqual(await found(repository.root), []);
});

test('a deprecated package is a warning, a revoked one an error, under whatever field', async () => {
  const lifecycle = (said: string) => watching((folder) => edit(folder, 'package.json', '"lifecycle": "active"', `"lifecycle": "${said}"`));
  assert.deepEqual(await found(lifecycle('deprecated')), [
    'DY5004 beacon/package.json /firedrill/lifecycle: the package is deprecated by its author',
  ]);
  assert.deepEqual(await found(lifecycle('revoked')), [
    'DY5003 beacon/package.json /firedrill/lifecycle: the package is revoked by its author',
  ]);
  assert.deepEqual(await found(watching((folder) => edit(folder, 'package.json', '"lifecycle": "active",', ''))), []);
});

test('the field may have any name: the layer tells it, unless two say the same', () => {
  const named = join(
    watching((folder) => edit(folder, 'package.json', '"firedrill":', '"othertool":')),
    'beacon',
  );
  const { conformance, diagnostics } = loadConformance(named);
  assert.deepEqual(diagnostics, []);
  const { suite, config, packageField } = conformance ?? assert.fail();
  assert.deepEqual({ suite, config, packageField }, { suite: 'beacon-conformance', config: 'firedrill.json', packageField: 'othertool' });
  const twice = join(
    watching((folder) => edit(folder, 'package.json', '"firedrill":', '"other": { "layer": "tool-pack" }, "firedrill":')),
    'beacon',
  );
  assert.match(loadConformance(twice).diagnostics[0]?.message ?? '', /has no conformance project to run/);
});

test('a callback without a signature comes with its id, and is not tried again', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const local = await createLocalWorld({ root: watching(), callbackReceivers: { pager: receiver } });
  try {
    const args = {
      actorId: 'operator',
      packageId: 'beacon',
      operationId: 'incidents.open',
      arguments: { name: 'api' },
      idempotencyKey: 'k',
    };
    await local.call(args);
    const [arrival, ...others] = receiver.arrivals;
    assert.deepEqual([arrival?.method, arrival?.path, others.length], ['POST', '/hooks/beacon', 0]);
    const { delivery, monitor } = JSON.parse(arrival?.body ?? '{}') as { delivery: string; monitor: string };
    assert.deepEqual([arrival?.headers['x-beacon-delivery'], monitor], [delivery, 'acme/api']);
    assert.deepEqual(
      Object.keys(arrival?.headers ?? {}).filter((name) => /signature|hmac/.test(name)),
      [],
    );
  } finally {
    await local.close();
  }
});
