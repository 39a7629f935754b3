// Who says its name at an address, on either engine, and who does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { errorReply } from '../../src/http/envelope.js';
import { behindDoor, type NodeDoor } from '../../src/http/node-door.js';
import { OwnerReach } from '../../src/http/owner-reach.js';
import { whoIsThere } from '../../src/http/who-is-there.js';
import { until } from '../until.js';
import { engines } from './fake-control.js';
import { formats, startFront, startNode, startOwner, token } from './forward-kit.js';

const asked = (address: string) => whoIsThere(address, { token, format: formats.newest });
const doorOf = (node: string): NodeDoor => ({ node }) as NodeDoor;
const notFound: Parameters<typeof behindDoor>[2] = () => ({ status: 404, body: '' });
const bug = (error: unknown): never => assert.fail(String(error));

// WHO-IS-THERE-1
test('a node says its name; what is no node of the cluster is none, and one that starts is there', async () => {
  for (const engine of engines) {
    const node = await startOwner(engine, behindDoor(doorOf('n1'), bug, notFound));
    assert.deepEqual(await asked(node.url), { node: 'n1' });
    const stranger = await startNode(engine, notFound);
    assert.equal(await asked(stranger.url), 'no_node');
    const starting = await startNode(engine, () => errorReply(new ServiceError('control.UNAVAILABLE'), 'corr_1'));
    assert.equal(await asked(starting.url), 'silent');
    const earlier = await startNode(engine, () => ({ status: 200, body: '{"answer":null}\n' }));
    assert.equal(await asked(earlier.url), 'silent');
    await stranger.close();
    assert.equal(await asked(stranger.url), 'no_node');
  }
});

// OWNER-REACH-1
test('an owner that says it is none is asked who it is, and where another node answers there it counts as not reached', async () => {
  for (const engine of engines) {
    const node = await startOwner(
      engine,
      behindDoor(doorOf('n1'), bug, () => ({ status: 503, headers: { 'drillyard-not-owner': '1' }, body: '' })),
    );
    const reach = new OwnerReach(async (address) => {
      const who = await asked(address);
      return typeof who === 'object' && who.node === 'n2';
    });
    const front = await startFront(engine, { address: node.url }, { reach, ownerWaitMs: 50 });
    assert.equal((await fetch(front.url)).status, 503);
    await until(() => reach.cutMs(node.url) > 0);
  }
});
