// Mounts of wire routes at host names in a cluster: whichever node a client asks by the mount's name, the owner of the world answers, also
// the next owner after the first is gone. A proxy in front passes `Host` on, so the nodes are asked here as it would ask them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Stripe from 'stripe';
import { postgresMissing } from '../cluster/postgres-server.js';
import { untilSettled } from '../until.js';
import { Cluster, type ClusterNode } from './cluster-kit.js';
import { accessToFixture, askHost, stripeAt } from './mount-kit.js';

const skip = postgresMissing;
const worldUrl = 'https://worlds.example.net';
let cluster: Cluster;
before(
  async () => {
    if (skip !== false) return;
    cluster = await Cluster.start({ homes: 12, flags: ['--world-url', worldUrl, '--world-mount-hosts', 'true'] });
    await untilSettled(async () => (await cluster.shares()).size === 3);
  },
  { timeout: 120_000 },
);
after(async () => {
  await cluster?.close();
});

const isNotThere = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'NO_SUCH_CUSTOMER';
/** Of an owner that is gone, until there is another. */
async function patiently<T>(ask: () => Promise<T>, tries = 20): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (tries === 0 || (error as { statusCode?: number }).statusCode !== 503) throw error;
    return patiently(ask, tries - 1);
  }
}

// CLUSTER-NODE-2
test('a client that asks any node by the host name of a mount reaches the owner of its world, and the next owner', {
  skip,
  timeout: 120_000,
}, async () => {
  const [first, ...others] = cluster.nodes as [ClusterNode, ...ClusterNode[]];
  const { credential: token, sessionId, worldHttpMounts: mounts = {} } = await accessToFixture(cluster.clientOf(first));
  assert.equal(mounts.pay?.hostUrl, 'https://pay.worlds.example.net');
  const hostOf = (mount: string): string => mounts[mount]?.hostUrl ?? assert.fail(mount);
  const here = (node: ClusterNode): Stripe => stripeAt(hostOf('pay'), token, node.url);
  const abroad = (node: ClusterNode): Stripe => stripeAt(hostOf('pay__pay-eu'), token, node.url);

  const made: string[] = [];
  for (const node of [first, ...others]) made.push((await here(node).customers.create({ email: `${node.name}@example.com` })).id);
  assert.deepEqual(made, ['cus_1', 'cus_2', 'cus_3'], 'one world, whichever node was asked');
  await abroad(first).customers.create({ email: 'abroad@example.com' });

  const owner = await cluster.ownerOf(sessionId);
  await owner.kill();
  const left = cluster.followers(owner);
  for (const node of left) {
    const emails = await Promise.all(made.map(async (id) => (await patiently(() => here(node).customers.retrieve(id))) as Stripe.Customer));
    assert.deepEqual(
      emails.map(({ email }) => email),
      cluster.nodes.map(({ name }) => `${name}@example.com`),
    );
    assert.equal(((await abroad(node).customers.retrieve('cus_1')) as Stripe.Customer).email, 'abroad@example.com');
    await assert.rejects(abroad(node).customers.retrieve('cus_2'), isNotThere);
    const self = await askHost(`${hostOf('pay')}/v1/customers/cus_1`, { token, at: node.url });
    assert.equal(self.body.self, `${hostOf('pay')}/v1/customers/cus_1`, 'its own URL is the one that it was asked at');
    assert.match(hostOf('desk'), /^https:\/\/desk\.worlds\.example\.net\/~[0-9a-f]{32}$/);
    assert.equal((await askHost(`${hostOf('desk')}/open/door`, { at: node.url })).body.pathname, '/open/door');
    const nobody = await askHost('https://nobody.worlds.example.net/v1/customers/cus_1', { token, at: node.url });
    assert.deepEqual([nobody.status, nobody.body.code], [404, 'control.ROUTE_NOT_FOUND']);
    const elsewhere = await askHost('https://pay.example.net/v1/customers/cus_1', { token, at: node.url });
    assert.notEqual(elsewhere.status, 200);
  }
  assert.notEqual(await cluster.ownerOf(sessionId), owner);
  assert.equal((await here(left[0] as ClusterNode).customers.create({ email: 'later@example.com' })).id, 'cus_4');

  await owner.start();
  assert.equal(((await patiently(() => here(owner).customers.retrieve('cus_4'))) as Stripe.Customer).email, 'later@example.com');
});
