// Callbacks of hosted sessions: registered, approved, signed, delivered while time stands still; and the plug pulled in the midst of it.
// DRILLYARD_CALLBACK_CRASH_ROUNDS sets how often (default 2: once before the answer, once after).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { Client } from '../../src/client/client.js';
import { ControlError } from '../../src/client/control-error.js';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import type { WorldSession } from '../../src/contract/hosted/resources.js';
import type { CallbackEntry } from '../../src/contract/world/evidence.js';
import { startReceiver, type TestReceiver } from '../callbacks/receiver-kit.js';
import { until } from '../until.js';
import { clientOf, type Ready, type Service, startedDirectory, startInside, startService } from './service.js';

const rounds = Number(process.env.DRILLYARD_CALLBACK_CRASH_ROUNDS ?? 2);
/** Two captures of the example settle before it. */
const afterSettlementsUs = 1_772_500_000_000_000;

interface Ground {
  client: Client;
  ready: Omit<Ready, 'event'>;
}
const flags = ['--allow-loopback-receivers', 'true'];

async function approvedReceiver({ client, ready: { projectId } }: Ground, { url }: TestReceiver): Promise<{ id: string; secret: string }> {
  const made = await client.createCallbackReceiver({ path: { projectId }, body: { receiverId: 'merchant', origin: url } });
  const { callbackReceiverBindingId: id, version } = made.callbackReceiver;
  await client.approveCallbackReceiver({ path: { projectId, callbackReceiverBindingId: id }, body: { expectedVersion: version } });
  return { id, secret: made.signingSecret };
}
async function sessionWith({ client, ready: { projectId, environmentId } }: Ground, ...receivers: string[]): Promise<WorldSession> {
  const { session, operation } = await client.createSession({
    path: { projectId, environmentId },
    body: { seed: '42', callbackReceiverBindingIds: receivers },
  });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  return (await client.getSession({ path: { projectId, sessionId: session.sessionId } })).session;
}
async function advance({ client, ready: { projectId } }: Ground, { sessionId, environmentId, buildHash, leaseGeneration }: WorldSession) {
  const body = { environmentId, buildHash, expectedLeaseGeneration: leaseGeneration, targetUs: afterSettlementsUs, maxEvents: 1000 };
  return (await client.advanceTime({ path: { projectId, sessionId }, body })).operation;
}
const finished = ({ client, ready: { projectId } }: Ground, { operationId }: LongRunningOperation) =>
  client.waitForOperation({ projectId, operationId });
async function callbacks({ client, ready: { projectId } }: Ground, { sessionId }: WorldSession): Promise<CallbackEntry[]> {
  const { entries } = await client.listEvidence({ path: { projectId, sessionId }, query: { limit: 500 } });
  return entries.filter((entry): entry is CallbackEntry => entry.kind === 'callback');
}

test('a session tells the receivers it names, signed, as long as they are approved', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const service = await startInside({ flags });
  const ground = { client: clientOf(service, service.ready.credential!), ready: service.ready };
  const { projectId } = service.ready;
  const { id, secret } = await approvedReceiver(ground, receiver);
  const { items } = await ground.client.listCallbackReceivers({ path: { projectId } });
  assert.equal(JSON.stringify(items).includes(secret), false, 'the secret is returned once');

  const session = await sessionWith(ground, id);
  const refusals: unknown[] = [];
  receiver.answer = async () => {
    const reset = { path: { projectId, sessionId: session.sessionId }, body: { expectedLeaseGeneration: session.leaseGeneration } };
    await ground.client
      .resetSession(reset)
      .catch((error: unknown) => refusals.push(error instanceof ControlError && [error.status, error.code]));
    return receiver.arrivals.length === 1 ? 503 : 204;
  };
  const operation = await finished(ground, await advance(ground, session));
  assert.equal(operation.state, 'succeeded');
  assert.deepEqual(new Set(refusals.map(String)), new Set(['409,control.STATE_CONFLICT']));
  assert.deepEqual(
    (await callbacks(ground, session)).map(({ phase }) => phase),
    ['queued', 'attempt_started', 'retry_scheduled', 'queued', 'attempt_started', 'delivered', 'attempt_started', 'delivered'],
  );
  for (const { headers, body, path } of receiver.arrivals) {
    assert.equal(path, '/webhooks/payments');
    assert.equal(headers['payments-signature'], `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  }
  const pending = await ground.client.getPending({ path: { projectId, sessionId: session.sessionId } });
  assert.deepEqual([pending.deliveriesTotal, pending.deliveries], [0, []]);

  const other = await sessionWith(ground, id);
  await ground.client.revokeCallbackReceiver({ path: { projectId, callbackReceiverBindingId: id }, body: { expectedVersion: 2 } });
  const before = receiver.arrivals.length;
  assert.equal((await finished(ground, await advance(ground, other))).state, 'succeeded');
  assert.equal(receiver.arrivals.length, before);
  const waiting = await ground.client.getPending({ path: { projectId, sessionId: other.sessionId } });
  assert.deepEqual(
    waiting.deliveries.map(({ callbackId, receiverId, attempts, inFlight }) => [callbackId, receiverId, attempts, inFlight]),
    [
      ['settlement-completed', 'merchant', 0, false],
      ['settlement-completed', 'merchant', 0, false],
    ],
  );
  await service.stop();
  assert.equal(service.logged().includes(secret), false);
});

test('without the flag nothing on this machine can be a receiver', async () => {
  const service = await startInside();
  const { projectId, credential } = service.ready;
  const client = clientOf(service, credential!);
  for (const origin of ['http://127.0.0.1:4000', 'https://127.0.0.1:4000', 'https://localhost'])
    await assert.rejects(
      client.createCallbackReceiver({ path: { projectId }, body: { receiverId: 'merchant', origin } }),
      (error: ControlError) => error.code === 'control.INVALID_REQUEST',
    );
  await service.stop();
});

test(`the service dies ${rounds} times while a receiver is called; no callback is lost, and each keeps its id`, {
  timeout: 120_000,
}, async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const dataDirectory = await startedDirectory();
  let service: Service = await startService({ dataDirectory, flags });
  const credential = service.ready.credential!;
  let ground: Ground = { client: clientOf(service, credential), ready: service.ready };
  const { id } = await approvedReceiver(ground, receiver);
  for (let round = 0; round < rounds; round++) {
    receiver.arrivals.length = 0;
    // In each other round the answer is on its way when the plug is pulled.
    let dead: Promise<unknown> | undefined;
    receiver.answer = (_, response) => {
      if (dead !== undefined) return 204;
      if (round % 2 === 1) response.writeHead(204).end();
      dead = service.stop('SIGKILL');
      return undefined;
    };
    const session = await sessionWith(ground, id);
    const operation = await advance(ground, session);
    await until(() => dead !== undefined);
    await dead;
    service = await startService({ dataDirectory, flags });
    ground = { client: clientOf(service, credential), ready: service.ready };
    assert.equal((await finished(ground, operation)).state, 'succeeded');

    const entries = await callbacks(ground, session);
    const ids = [...new Set(entries.map(({ deliveryId }) => deliveryId))];
    const arrived = receiver.arrivals.map(({ headers }) => headers['payments-delivery']);
    assert.equal(ids.length, 2);
    assert.deepEqual([...new Set(arrived)], ids, 'both arrived, in order');
    for (const deliveryId of ids) {
      const own = entries.filter((entry) => entry.deliveryId === deliveryId);
      const phases = own.map(({ phase }) => phase);
      assert.equal(phases.filter((phase) => phase === 'delivered').length, 1);
      const begun = phases.filter((phase) => phase === 'attempt_started').length;
      const seen = arrived.filter((one) => one === deliveryId).length;
      assert.ok(seen <= begun, 'nothing leaves whose attempt is not evidence');
      assert.equal(phases.filter((phase) => phase === 'recovered').length, begun - 1);
    }
    if (round % 2 === 0) assert.ok(entries.some(({ phase }) => phase === 'recovered'));
  }
  await service.stop();
});

// DELIVERING-WORLD-4
test('a service that is stopped while a receiver is called continues from there; it is called at the time of the event', {
  timeout: 120_000,
}, async (t) => {
  const receiver = await startReceiver(() => undefined);
  t.after(() => receiver.close());
  const dataDirectory = await startedDirectory();
  const started = () => startService({ dataDirectory, flags: [...flags, '--stop-grace-ms', '0'] });
  let service: Service = await started();
  const credential = service.ready.credential!;
  let ground: Ground = { client: clientOf(service, credential), ready: service.ready };
  const { id } = await approvedReceiver(ground, receiver);
  const begun: { session: WorldSession; operation: LongRunningOperation }[] = [];
  // At the stop the start has the delivery of one session under way, and its advance waits for that; the other's makes its own.
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const again = begun.length;
    const session = await sessionWith(ground, id);
    begun.push({ session, operation: await advance(ground, session) });
    await until(() => receiver.arrivals.length > again);
    if (signal === 'SIGTERM') receiver.answer = () => 204;
    await service.stop(signal);
    receiver.arrivals.length = 0;
    service = await started();
    ground = { client: clientOf(service, credential), ready: service.ready };
  }
  for (const { session, operation } of begun) {
    assert.equal((await finished(ground, operation)).state, 'succeeded');
    const entries = await callbacks(ground, session);
    const timesOf = (...wanted: CallbackEntry['phase'][]) =>
      entries.filter(({ phase }) => wanted.includes(phase)).map(({ virtualTimeUs }) => virtualTimeUs);
    assert.equal(timesOf('recovered').length > 0, true);
    assert.deepEqual(timesOf('delivered'), timesOf('queued'));
    assert.deepEqual(timesOf('failed', 'retry_scheduled'), []);
  }
  await service.stop();
});
