// Mounts of a hosted service at host names of their own, asked by a vendor's client that takes a host and a port, and no path.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Stripe from 'stripe';
import { createClient } from '../../src/client/client.js';
import { type ControlServer, startControlServer } from '../../src/control-server.js';
import { engines } from '../http/fake-control.js';
import { type Asked, accessToFixture, askHost as ask, stripeAt } from './mount-kit.js';
import { startedDirectory } from './service.js';

const open = new Set<ControlServer>();
after(async () => {
  for (const server of open) await server.close();
});

async function start(engine: (typeof engines)[number]): Promise<ControlServer> {
  const server = await startControlServer({
    ...{ engine, port: 0, dataDirectory: await startedDirectory(), workers: 1, isolation: 'thread', trustToolCode: true },
    ...{ worldUrl: 'http://localhost:0', worldMountHosts: true, log: { level: 'silent' } },
  });
  open.add(server);
  return server;
}

for (const engine of engines)
  test(`${engine}: mounts of a hosted world are at host names of their own, and stripe, which takes a host alone, reaches two accounts`, async () => {
    const server = await start(engine);
    const { credential: token, worldHttpMounts: mounts = {} } = await accessToFixture(
      createClient({ baseUrl: server.baseUrl, credential: server.credential ?? '', retries: 0 }),
    );
    const { port } = new URL(server.worldUrl);
    assert.deepEqual(mounts.pay, { url: `${server.worldUrl}/world/~pay`, hostUrl: `http://pay.localhost:${port}` });
    const hostOf = (mount: string): string => mounts[mount]?.hostUrl ?? assert.fail(mount);

    assert.equal((await stripeAt(hostOf('pay'), token).customers.create({ email: 'ada@example.com' })).id, 'cus_1');
    const abroad = stripeAt(hostOf('pay__pay-eu'), token);
    await assert.rejects(abroad.customers.retrieve('cus_1'), (error: unknown) => {
      assert.ok(error instanceof Stripe.errors.StripeInvalidRequestError);
      return error.code === 'NO_SUCH_CUSTOMER';
    });
    await abroad.customers.create({ email: 'bob@example.com' });
    assert.equal(((await abroad.customers.retrieve('cus_1')) as { email?: string }).email, 'bob@example.com');

    const atHost = await ask(`${hostOf('pay')}/v1/customers/cus_1`, { token });
    assert.equal(atHost.body.self, `${hostOf('pay')}/v1/customers/cus_1`, 'its own URL is at the host name');
    const atPath = await ask(`${mounts.pay?.url}/v1/customers/cus_1`, { token });
    assert.equal(atPath.body.self, `${mounts.pay?.url}/v1/customers/cus_1`, 'and below the path, where it was asked there');
    assert.match(hostOf('desk'), /^http:\/\/desk\.localhost:\d+\/~[0-9a-f]{32}$/);
    assert.equal((await ask(`${hostOf('desk')}/open/door`)).body.pathname, '/open/door', 'the address stands in its URL');

    const answered = async (url: string, asked?: Asked) => {
      const { status, body } = await ask(url, asked);
      return [status, body.code];
    };
    const here = `http://127.0.0.1:${port}/v1/customers/cus_1`;
    assert.deepEqual(await answered(here, { host: `nobody.localhost:${port}`, token }), [404, 'control.ROUTE_NOT_FOUND']);
    assert.deepEqual(await answered(here, { host: `nobody.localhost:${port}` }), [401, 'control.UNAUTHENTICATED']);
    assert.equal((await ask(here, { host: `pay.localhost:${port}` })).status, 401);
    for (const host of ['pay.example.com', `a.pay.localhost:${port}`, `.localhost:${port}`])
      assert.deepEqual(await answered(here, { host, token }), [403, 'control.ORIGIN_REJECTED'], host);
    assert.deepEqual(await answered(`${server.baseUrl}/v1/me`, { host: `pay.localhost:${port}` }), [401, 'control.UNAUTHENTICATED']);
  });
