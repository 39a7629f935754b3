// What nodes ask each other, over HTTP on loopback, with doors that do as a test says.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { clusterFormats } from '../../src/contract/cluster-format.js';
import { isServiceError, ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import type { AdvanceProgress } from '../../src/contract/world/world-protocol.js';
import type { AskOptions, WorldAsk } from '../../src/control/memory/world-asks.js';
import { NodeAsks } from '../../src/http/node-asks.js';
import { behindDoor, type NodeDoor, NotOwner, nodePath } from '../../src/http/node-door.js';
import { OwnerChanges } from '../../src/http/owner-changes.js';
import { OwnerConnections } from '../../src/http/owner-connections.js';
import { OwnerReach } from '../../src/http/owner-reach.js';
import type { RequestOwner } from '../../src/http/request-owners.js';
import { until } from '../until.js';
import { engines } from './fake-control.js';
import { startOwner, type TestNode, takesConnections, token } from './forward-kit.js';

type Work = (ask: WorldAsk, options: AskOptions & { catalog: number }) => Promise<unknown>;
class TestDoor implements NodeDoor {
  readonly node = 'n1';
  readonly asked: WorldAsk[] = [];
  constructor(readonly work: Work) {}

  ask(_sessionId: string, ask: WorldAsk, options: AskOptions & { catalog: number }): Promise<unknown> {
    this.asked.push(ask);
    return this.work(ask, options);
  }
  async catalogAt(): Promise<void> {}
  async removeProject(): Promise<number[]> {
    return [1];
  }
  async report(): Promise<void> {}
}
const notFound: Parameters<typeof behindDoor>[2] = () => ({ status: 404, body: '' });
const doorNode = (door: NodeDoor, engine = engines[0]!): Promise<TestNode> =>
  startOwner(
    engine,
    behindDoor(door, () => {}, notFound),
  );

interface Asker {
  asks: NodeAsks;
  own(owner: RequestOwner | undefined): void;
}
interface AskerParts {
  own?: NodeDoor;
  reach?: OwnerReach;
}
function askerOf(t: TestContext, owner: RequestOwner | undefined, parts: AskerParts = {}): Asker {
  const { own = new TestDoor(async () => null), reach = new OwnerReach(takesConnections, { quietMs: 20 }) } = parts;
  let present = owner;
  let tell = (): void => {};
  const changes = new OwnerChanges({ changed: () => new Promise((resolve) => (tell = resolve)) });
  const connections = new OwnerConnections();
  t.after(() => {
    changes.close();
    connections.close();
  });
  const asks = new NodeAsks({
    ...{ homes: 1, changes, connections, reach, token, own },
    homeOf: () => 1,
    ownerOf: () => present,
    catalog: () => 7,
    format: () => clusterFormats.newest,
  });
  return {
    asks,
    own: (next) => {
      present = next;
      tell();
    },
  };
}
const position = { kind: 'query', query: { kind: 'position' } } as const;
const close = { kind: 'command', command: { kind: 'close' } } as const;

/** Takes a request, and breaks the connection. */
async function startBreaker(t: TestContext): Promise<{ address: string; count(): number }> {
  let count = 0;
  const server = createServer((request) => {
    request.resume().once('end', () => {
      count += 1;
      request.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count };
}

test('what is asked comes to the owner as it is, on either engine, and its answers and refusals come back', async (t) => {
  for (const engine of engines) {
    const door = new TestDoor(async (ask, { catalog }) => {
      if (ask.kind === 'open') throw new ServiceError('control.NOT_FOUND', { message: 'none', details: { catalog }, retryAfterMs: 5 });
      if (ask.kind === 'delivering') throw new Error('a bug');
      return ask.kind === 'passivate' ? undefined : { ask, text: 'ü'.repeat(100_000) };
    });
    const { url: address } = await doorNode(door, engine);
    const { asks } = askerOf(t, { address });
    const answer = (await asks.ask('ses_1', position)) as unknown as { ask: WorldAsk; text: string };
    assert.deepEqual([answer.ask, answer.text.length], [position, 100_000]);
    assert.equal(await asks.ask('ses_1', { kind: 'passivate' }), null);
    await assert.rejects(asks.ask('ses_1', { kind: 'open' }), (error) => {
      assert.ok(isServiceError(error, 'control.NOT_FOUND'));
      return error.message === 'none' && error.extra.retryAfterMs === 5 && error.extra.details?.catalog === 7;
    });
    await assert.rejects(asks.ask('ses_1', { kind: 'delivering' }), (error) => isServiceError(error, 'control.INTERNAL'));
  }
});

test('progress comes before the answer, and a command under way is cancelled where it runs', async (t) => {
  const door = new TestDoor(async (_, { signal, onProgress }) => {
    onProgress?.({ reachedUs: 1, scheduledEventsProcessed: 1 });
    while (signal?.aborted !== true) await new Promise((resolve) => setTimeout(resolve, 5));
    onProgress?.({ reachedUs: 2, scheduledEventsProcessed: 2 });
    return { status: 'cancelled' };
  });
  const { url: address } = await doorNode(door);
  const { asks } = askerOf(t, { address });
  const progress: AdvanceProgress[] = [];
  const cancel = new AbortController();
  const onProgress = (one: AdvanceProgress): void => {
    progress.push(one);
    cancel.abort();
  };
  const advance = { kind: 'command', command: { kind: 'advance', targetUs: 9, maxEvents: 9 } } as const;
  const answer = await asks.ask('ses_1', advance, { signal: cancel.signal, onProgress });
  assert.deepEqual([answer.status, progress.map(({ reachedUs }) => reachedUs)[0]], ['cancelled', 1]);
  const gone = new AbortController();
  gone.abort();
  assert.equal((await asks.ask('ses_1', advance, { signal: gone.signal })).status, 'cancelled', 'also before it begins');
});

// NODE-ASKS-1
test('a change whose owner is lost may have been made, and is asked of nobody else; what only reads is', async (t) => {
  const breaker = await startBreaker(t);
  const door = new TestDoor(async () => 'read');
  const { url } = await doorNode(door);
  const asker = askerOf(t, { address: breaker.address });
  await assert.rejects(asker.asks.ask('ses_1', close), (error) => isServiceError(error, 'world.ACTOR_RESTARTED'));
  assert.equal(breaker.count(), 1);
  const reading = asker.asks.ask('ses_1', position);
  await until(() => breaker.count() >= 2);
  asker.own({ address: url });
  assert.equal(await reading, 'read' as unknown);
});

// NODE-ASKS-1
test('a change that a node has not taken, because it is not the owner or is not there, is made at the one that is', async (t) => {
  const other = new TestDoor(async () => {
    throw new NotOwner();
  });
  const { url: notOwner } = await doorNode(other);
  const gone = await doorNode(other);
  await gone.close();
  for (const address of [notOwner, gone.url]) {
    const owner = new TestDoor(async () => 'closed');
    const asker = askerOf(t, { address }, { own: owner });
    const closing = asker.asks.ask('ses_1', close);
    await new Promise((resolve) => setTimeout(resolve, 3 * limits.ownerAskedAgainMs));
    assert.equal(owner.asked.length, 0);
    asker.own('self');
    assert.equal(await closing, 'closed' as unknown);
    assert.equal(owner.asked.length, 1);
  }
});

// NODE-ASKS-2
test('a home without an owner is waited for, and then refused with a time to come back', async (t) => {
  const { asks } = askerOf(t, undefined);
  await assert.rejects(
    asks.ask('ses_1', close),
    (error) => isServiceError(error, 'control.UNAVAILABLE') && error.extra.retryAfterMs !== undefined,
  );
});

// NODE-ASKS-3
test('a node that cannot be reached any more is given up, though its connection stands', async (t) => {
  let taken = 0;
  const server = createServer(() => {
    taken += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.closeAllConnections());
  const { asks } = askerOf(t, { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const closing = asks.ask('ses_1', close);
  await until(() => taken > 0);
  // Takes no connection any more, and keeps the one that it has.
  server.close();
  await assert.rejects(closing, (error) => isServiceError(error, 'world.ACTOR_RESTARTED'));
});

// NODE-ASKS-4
test('an owner that was not reached for as long as an ask may wait is not asked', async (t) => {
  const reach = new OwnerReach(takesConnections);
  reach.cutMs = () => limits.ownerWaitMs;
  const door = new TestDoor(async () => 'read');
  const { url: address } = await doorNode(door);
  const { asks } = askerOf(t, { address }, { reach });
  await assert.rejects(asks.ask('ses_1', position), (error) => isServiceError(error, 'control.UNAVAILABLE'));
  assert.equal(door.asked.length, 0);
  reach.cutMs = () => limits.ownerWaitMs - 1;
  assert.equal(await asks.ask('ses_1', position), 'read' as unknown);
});

// NODE-DOOR-1, BEHIND-NODES-4
test('the door is closed to everybody but nodes', async () => {
  const door = new TestDoor(async () => 'secret');
  const { url } = await doorNode(door);
  const body = JSON.stringify({ kind: 'ask', sessionId: 'ses_1', ask: position, catalog: 0, askId: 'a' });
  for (const headers of [{}, { 'drillyard-node': 'dyn_wrong' }, { 'drillyard-client': '127.0.0.1' }]) {
    const { status } = await fetch(url + nodePath, { method: 'POST', headers, body });
    assert.equal(status, 404);
  }
  const ofNode = { 'drillyard-node': token.present(), 'drillyard-format': String(clusterFormats.newest) };
  // As a node sends a client's request on: it has the token, and its path is the client's.
  for (const client of ['127.0.0.1', '']) {
    const { status } = await fetch(url + nodePath, { method: 'POST', headers: { ...ofNode, 'drillyard-client': client }, body });
    assert.equal(status, 404, client);
  }
  assert.equal(door.asked.length, 0);
  const { status } = await fetch(url + nodePath, { method: 'POST', headers: ofNode, body: '{' });
  assert.equal(status, 400);
});
