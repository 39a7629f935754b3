// Which nodes cannot be reached, of ports that are open and not.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { test } from 'node:test';
import { OwnerReach } from '../../src/http/owner-reach.js';
import { until } from '../until.js';
import { takesConnections } from './forward-kit.js';

async function listen(port = 0): Promise<{ address: string; port: number; server: Server }> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = (server.address() as { port: number }).port;
  return { address: `http://127.0.0.1:${bound}`, port: bound, server };
}

// OWNER-REACH-2
test('a node that was not reached is asked again until it is, and is forgotten when it is none of the nodes any more', async (t) => {
  const reach = new OwnerReach(takesConnections, { quietMs: 5 });
  const [up, down] = [await listen(), await listen()];
  t.after(() => up.server.close());
  down.server.close();
  const nodes = [up.address, down.address];
  for (const address of nodes) reach.suspect(address);
  await until(() => reach.cutAmong(nodes).length > 0);
  assert.deepEqual(reach.cutAmong(nodes), [down.address]);
  assert.equal(reach.cutMs(up.address), 0);
  const cutMs = reach.cutMs(down.address);
  assert.ok(cutMs > 0);
  // It counts on, whatever is asked meanwhile.
  reach.suspect(down.address);
  await until(() => reach.cutMs(down.address) > cutMs + 20);
  const { server } = await listen(down.port);
  t.after(() => server.close());
  await until(() => reach.cutAmong(nodes).length === 0);
  assert.equal(reach.cutMs(down.address), 0);
  up.server.close();
  reach.suspect(up.address);
  await until(() => reach.cutMs(up.address) > 0);
  assert.deepEqual(reach.cutAmong([down.address]), []);
  assert.equal(reach.cutMs(up.address), 0);
});
