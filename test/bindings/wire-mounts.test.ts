// Several vendors and several accounts of one vendor in one world: each below a path, a host name or a port of its own, on both servers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Stripe from 'stripe';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { limits } from '../../src/contract/limits.js';
import { ask, compiled, createMounts, engines, evidence, openMounts } from './mounts-kit.js';

const graphql = { method: 'POST', body: { query: '{ me }' } };

test('the compiler says which routes only mounts answer', () => {
  const found = compiled.diagnostics.map(({ code, severity, message }) => [code, severity, message]);
  assert.deepEqual(found, [
    ['DY5022', 'warning', "POST /graphql is a route of 'desk', too: only mounts answer it"],
    ['DY5022', 'warning', "GET /{bucket}/{key} is a route of 'pay', too: only mounts answer it"],
  ]);
  const [{ suggestion } = assert.fail()] = compiled.diagnostics;
  assert.equal(suggestion, 'Ask below /~desk and /~pay, or at the URLs of their mounts: SERVICE_HTTP_URL_DESK, SERVICE_HTTP_URL_PAY.');
});

for (const engine of engines) {
  const bindings = createBindings({ engine });
  after(() => bindings.close());

  // WIRE-MOUNTS-1
  test(`${engine}: a mount names the package and the instance, and the base URL what only one package has`, async () => {
    const { world, http, urlOf } = await openMounts(bindings);
    const { token, url } = http;
    assert.deepEqual(Object.keys(http.mounts ?? {}), ['desk', 'pay', 'pay__pay-eu', 'vault']);
    const [desk, pay] = [
      await ask(`${urlOf('desk')}/graphql`, { token, ...graphql }),
      await ask(`${urlOf('pay')}/graphql`, { token, ...graphql }),
    ];
    assert.deepEqual([desk.status, desk.body.packageId, desk.body.pathname], [200, 'desk', '/graphql']);
    assert.deepEqual([pay.status, pay.body.packageId, pay.body.pathname], [200, 'pay', '/graphql']);
    assert.equal(pay.body.self, `${urlOf('pay')}/graphql`);
    const both = await ask(`${url}/graphql`, { token, ...graphql });
    assert.deepEqual(
      [both.status, both.body.code, both.body.details],
      [404, 'control.ROUTE_NOT_FOUND', { mounts: ['/~desk', '/~pay', '/~pay__pay-eu'] }],
    );
    assert.equal((await ask(`${url}/v1/customers/none`, { token })).status, 404, 'of one package alone');
    const authorization = `Bearer ${token}`;
    const form = { method: 'POST', headers: { authorization }, body: new URLSearchParams({ email: 'ada@example.com' }) };
    for (const account of ['pay', 'pay__pay-eu']) await fetch(`${urlOf(account)}/v1/customers`, form);
    const found = await Promise.all(['pay', 'pay__pay-eu'].map((account) => ask(`${urlOf(account)}/v1/customers/cus_1`, { token })));
    assert.deepEqual(
      found.map(({ body }) => body.account),
      ['pay', 'pay-eu'],
    );
    const denied = await ask(`${urlOf('pay__pay-eu')}/graphql`, { token, ...graphql });
    assert.equal(denied.status, 403, 'the mount chooses the instance, whatever is granted');
    const entries = (await evidence(world)).filter(({ kind }) => kind === 'operation');
    const named = entries.map((entry) => (entry.kind === 'operation' ? entry.invocation.instanceId : ''));
    assert.deepEqual(named, ['desk', 'pay', 'pay', 'pay', 'pay-eu', 'pay', 'pay-eu', 'pay-eu']);
  });

  test(`${engine}: below a mount the paths are all the tool's own`, async () => {
    const { http, urlOf } = await openMounts(bindings);
    const { token } = http;
    const mounted = await ask(`${urlOf('pay')}/v1/tools`, { token });
    assert.deepEqual([mounted.status, mounted.body.path], [200, { thing: 'tools', version: 'v1' }]);
    assert.ok(Array.isArray((await ask(`${http.url}/v1/tools`, { token })).body.tools), 'the generic route lies at the base URL');
    for (const [path, status] of [
      ['/~nobody/graphql', 404],
      ['/~pay__nobody/graphql', 404],
      ['/~pay', 404],
      ['/~pay/graphql', 405],
    ] as const)
      assert.equal((await ask(http.url + path, { token })).status, status, path);
    assert.equal((await ask(`${urlOf('pay')}/graphql`, graphql)).status, 401);
    assert.equal((await ask(`${urlOf('pay')}/graphql`, { token: 'x'.repeat(43), ...graphql })).status, 401);
  });

  test(`${engine}: only the mounts of packages with routes that take no credential hold an address`, async () => {
    const { http, urlOf } = await openMounts(bindings);
    const origin = new URL(http.url).origin;
    assert.match(http.url, /\/~[0-9a-f]{32}$/);
    assert.equal(urlOf('desk'), `${http.url}/~desk`);
    assert.equal(urlOf('pay'), `${origin}/~pay`);
    assert.equal((await ask(`${urlOf('desk')}/open/door`)).body.pathname, '/open/door');
    assert.equal((await ask(`${origin}/~desk/open/door`)).status, 401);
  });

  // MOUNT-LISTENERS-1
  test(`${engine}: a host name reaches its mount, and no other name is let in`, async () => {
    const alone = createBindings({ engine });
    after(() => alone.close());
    const { http, urlOf, revoke } = await openMounts(alone, { httpMounts: 'host' });
    const { token } = http;
    const { port } = new URL(http.url);
    assert.equal(urlOf('pay'), `http://pay.localhost:${port}`);
    assert.equal(urlOf('pay__pay-eu'), `http://pay__pay-eu.localhost:${port}`);
    const answered = await ask(`${urlOf('pay')}/graphql`, { token, ...graphql });
    assert.deepEqual([answered.status, answered.body.packageId, answered.body.pathname], [200, 'pay', '/graphql']);
    assert.equal(answered.body.self, `${urlOf('pay')}/graphql`, 'a URL of its own is at the host name');
    assert.equal((await ask(`${urlOf('desk')}/open/door`)).status, 200, 'the address stands in its URL');
    for (const host of [`nobody.localhost:${port}`, 'pay.example.com', 'a.pay.localhost', 'pay.localhost.example.com', '.localhost']) {
      const refused = await ask(`${http.url}/v1/tools`, { token, host });
      assert.deepEqual([refused.status, refused.body.code], [403, 'control.ORIGIN_REJECTED'], host);
    }
    const page = await ask(`${urlOf('pay')}/graphql`, { token, ...graphql, headers: { origin: 'http://pay.example.com' } });
    assert.equal(page.status, 403);
    await revoke();
    assert.equal((await ask(`${urlOf('pay')}/graphql`, { token, ...graphql })).status, 403, 'nobody has it any more');
  });

  // MOUNT-LISTENERS-2
  test(`${engine}: stripe, which takes a host and a port alone, reaches two accounts by their ports`, async () => {
    const { http, urlOf, world } = await openMounts(bindings, { httpMounts: 'port' });
    const other = await openMounts(bindings, { httpMounts: 'port' });
    assert.equal(other.urlOf('pay'), urlOf('pay'), 'a port is of a mount, not of an access');
    assert.notEqual(urlOf('pay'), urlOf('pay__pay-eu'));
    const stripeAt = (mount: string, token = http.token) => {
      const { hostname: host, port } = new URL(urlOf(mount));
      return new Stripe(token, { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 });
    };
    const made = await stripeAt('pay').customers.create({ email: 'ada@example.com' });
    assert.equal(made.id, 'cus_1');
    const abroad = stripeAt('pay__pay-eu');
    await assert.rejects(abroad.customers.retrieve('cus_1'), (error: unknown) => {
      assert.ok(error instanceof Stripe.errors.StripeInvalidRequestError);
      assert.deepEqual([error.statusCode, error.code], [404, 'NO_SUCH_CUSTOMER']);
      return true;
    });
    await abroad.customers.create({ email: 'bob@example.com' });
    assert.equal(((await abroad.customers.retrieve('cus_1')) as { email?: string }).email, 'bob@example.com');
    const found = await ask(`${urlOf('pay')}/v1/customers/cus_1`, { token: http.token });
    assert.equal(found.body.self, `${urlOf('pay')}/v1/customers/cus_1`, 'a URL of its own is at the port');
    await assert.rejects(stripeAt('pay', other.http.token).customers.retrieve('cus_1'), 'another world has no such customer');
    assert.equal((await ask(`${urlOf('pay')}/v1/customers/cus_1`, { token: 'sk_test_nobody' })).status, 401);
    assert.equal((await ask(`${urlOf('desk')}/open/door`)).body.pathname, '/open/door');
    assert.equal((await evidence(other.world)).filter(({ kind }) => kind === 'operation').length, 1);
    assert.ok((await evidence(world)).length > 0);
  });
}

test('as many mounts have ports as may', async (t) => {
  const before = limits.mountPortsMax;
  const bindings = createBindings();
  t.after(() => {
    Object.assign(limits, { mountPortsMax: before });
    return bindings.close();
  });
  Object.assign(limits, { mountPortsMax: 2 });
  const world = await createMounts();
  await assert.rejects(bindings.open({ world, actorId: 'agent', bindings: ['http'], httpMounts: 'port' }), {
    code: 'control.QUOTA_EXCEEDED',
  });
  const { http } = await openMounts(bindings, { world });
  assert.equal((await ask(`${http.url}/~pay/graphql`, { token: http.token, ...graphql })).status, 200);
});
