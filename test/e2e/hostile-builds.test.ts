// Builds that loop, on one worker beside everybody else's worlds, and one that ends the process each time: they are ended, closed and put
// behind the others, and nobody else's sessions, runs, resets, forks and destructions fail for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../src/client/client.js';
import { ControlError } from '../../src/client/control-error.js';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import { limits } from '../../src/contract/limits.js';
import { until, untilSettled } from '../until.js';
import { type HostileAgent, hostileAgent, hostileProject } from './hostile-build-kit.js';
import { clientOf, type Service, startedDirectory, startInside, startService } from './service.js';

async function refusal(work: Promise<unknown>): Promise<ControlError> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ControlError, String(error));
  return error;
}

/** Whether a message is at work on its one worker. */
async function isAtWork({ ready }: Service): Promise<boolean> {
  const metrics = await (await fetch(`${ready.baseUrl}/metrics`)).text();
  return /^drillyard_mailbox_depth\{host="0"\} [1-9]/m.test(metrics);
}

/** What its log says of hosts that ended. */
const endsOf = ({ said }: Service): string[] =>
  said()
    .stderr.split('\n')
    .filter((line) => line.includes('"host_ended"'));
/** A step that this machine had no processor for is none. */
const strikesOf = (service: Service): number => endsOf(service).filter((line) => !line.includes('"isStarved":true')).length;

test('an operation that ends the process each time is ended after five starts, and the API answers meanwhile', {
  timeout: 180_000,
}, async () => {
  const dataDirectory = await startedDirectory();
  const flags = ['--handler-timeout-ms', '600000', '--durability', 'committed'];
  let service = await startService({ dataDirectory, flags });
  const credential = service.ready.credential!;
  let client = clientOf(service, credential);
  const hostile = await hostileProject(client);
  const { projectId, environmentId, buildHash } = hostile;
  const agent = await hostileAgent(client, hostile);
  assert.equal((await agent.call('schedule', { inUs: 1000, amount: 13 })).status, 200);
  const path = { projectId, sessionId: agent.sessionId };
  const body = { environmentId, buildHash, expectedLeaseGeneration: 1, targetUs: 10_000_000, maxEvents: 10 };
  const { operationId } = (await client.advanceTime({ path, body })).operation;
  const asked = async (): Promise<LongRunningOperation> => (await client.getOperation({ path: { projectId, operationId } })).operation;

  let [kills, operation] = [0, await asked()];
  for (; kills <= 2 * limits.operationStartsMax; kills++) {
    await untilSettled(async () => {
      if (await isAtWork(service)) return true;
      operation = await asked();
      return operation.finishedAtMs !== undefined;
    });
    assert.equal((await fetch(`${service.ready.baseUrl}/readyz`)).status, 200);
    assert.equal((await client.listSessions({ path: { projectId } })).items.length, 1);
    if (operation.finishedAtMs !== undefined) break;
    await service.stop('SIGKILL');
    service = await startService({ dataDirectory, flags });
    client = clientOf(service, credential);
  }
  assert.deepEqual([kills, operation.state, operation.error?.code], [limits.operationStartsMax, 'failed', 'control.ATTEMPTS_EXHAUSTED']);
  assert.deepEqual(operation.error?.details, { starts: limits.operationStartsMax });
  const { session } = await client.getSession({ path });
  assert.equal(session.state, 'degraded');
  const destroyed = await client.destroySession({
    path,
    body: { confirm: agent.sessionId, expectedLeaseGeneration: session.leaseGeneration },
  });
  assert.equal((await client.waitForOperation(destroyed.operation)).state, 'succeeded');
  assert.equal((await service.stop()).code, 0);
});

// QUARANTINES-1
test('a build whose tool code loops too often is closed, over restarts, until it is released; others continue', {
  timeout: 120_000,
}, async () => {
  const dataDirectory = await startedDirectory();
  const flags = ['--handler-timeout-ms', '300', '--quarantine-timeouts', '3', '--durability', 'committed'];
  let service = await startService({ dataDirectory, flags });
  const credential = service.ready.credential!;
  let client = clientOf(service, credential);
  const { projectId: goodProject, environmentId: goodEnvironment } = service.ready;
  const hostile = await hostileProject(client);
  const { projectId, environmentId, buildHash } = hostile;
  const agents = [await hostileAgent(client, hostile), await hostileAgent(client, hostile)] as const;
  for (let spins = 1; strikesOf(service) < 3; spins++) {
    const { status, body } = await agents[strikesOf(service) === 1 ? 1 : 0].spin();
    assert.deepEqual([status, body.code], [504, 'world.HANDLER_TIMEOUT']);
    await until(() => endsOf(service).length === spins);
  }
  const closed = async (agent: HostileAgent): Promise<boolean> => (await agent.add()).body.code === 'world.BUILD_QUARANTINED';
  await until(() => closed(agents[0]));

  const { status, body } = await agents[1].add();
  assert.deepEqual([status, body.code, body.retryable], [409, 'world.BUILD_QUARANTINED', false]);
  assert.match(String(body.message), /ran past its time 3 times and ended its host 0 times/);
  const release = `/v1/projects/${projectId}/quarantines/${buildHash}/release`;
  assert.equal((body.details as { release: string }).release, release);
  const path = { projectId, sessionId: agents[0].sessionId };
  const fence = { environmentId, buildHash, expectedLeaseGeneration: 1 };
  for (const work of [
    () => client.createSession({ path: { projectId, environmentId }, body: { seed: '2' } }),
    () => client.resetSession({ path, body: { expectedLeaseGeneration: 1 } }),
    () => client.advanceTime({ path, body: { ...fence, targetUs: 10_000_000, maxEvents: 1 } }),
    () => client.forkSession({ path, body: { environmentId, expectedLeaseGeneration: 1 } }),
  ]) {
    assert.equal((await refusal(work())).code, 'world.BUILD_QUARANTINED');
  }
  const namespace = { packageId: 'counter', namespace: 'counters' };
  assert.equal((await client.listState({ path, query: namespace })).rows.length, 1, 'what it holds is still read');
  const good = await client.createSession({ path: { projectId: goodProject, environmentId: goodEnvironment }, body: { seed: '1' } });
  assert.equal((await client.waitForOperation(good.operation)).state, 'succeeded');

  await service.stop('SIGKILL');
  service = await startService({ dataDirectory, flags });
  client = clientOf(service, credential);
  const { items } = await client.listQuarantines({ path: { projectId } });
  const [quarantine] = items;
  assert.deepEqual(
    [items.length, quarantine?.state, quarantine?.buildHash, quarantine?.timeouts, quarantine?.hostEnds, quarantine?.sessionId],
    [1, 'quarantined', buildHash, 3, 0, agents[0].sessionId],
  );
  assert.deepEqual((await client.listQuarantines({ path: { projectId: goodProject } })).items, []);
  const again = { path: { projectId, environmentId }, body: { seed: '3' } };
  assert.equal((await refusal(client.createSession(again))).code, 'world.BUILD_QUARANTINED');
  const { version } = quarantine!;
  const builder = clientOf(service, (await client.createCredential({ body: { name: 'builds', role: 'builder' } })).secret!);
  const of = { projectId, buildHash };
  assert.equal((await refusal(builder.releaseQuarantine({ path: of, body: { expectedVersion: version } }))).code, 'control.FORBIDDEN');
  const stale = client.releaseQuarantine({ path: of, body: { expectedVersion: version + 1 } });
  assert.equal((await refusal(stale)).code, 'control.VERSION_CONFLICT');
  const released = (await client.releaseQuarantine({ path: of, body: { expectedVersion: version } })).quarantine;
  assert.deepEqual([released.state, released.version], ['released', version + 1]);
  const twice = client.releaseQuarantine({ path: of, body: { expectedVersion: version + 1 } });
  assert.equal((await refusal(twice)).code, 'control.STATE_CONFLICT');
  const agent = await hostileAgent(client, hostile);
  assert.equal((await agent.add()).body.outcome?.kind, 'ok');
  assert.equal((await agent.spin()).body.code, 'world.HANDLER_TIMEOUT', 'one alone closes nothing');
  assert.equal((await agent.add()).body.outcome?.kind, 'ok');
  const events = (await client.listAuditEvents({ query: { projectId } })).items.filter(({ action }) =>
    /Quarantine|quarantine/.test(action),
  );
  assert.deepEqual(
    events.map(({ action, resourceType, resourceId }) => [action, resourceType, resourceId]),
    [
      ['releaseQuarantine', 'build', buildHash],
      ['quarantineBuild', 'build', buildHash],
    ],
  );
  assert.equal(events[1]!.credentialId, 'service');
  assert.equal((await service.stop()).code, 0);
});

const manyStrikes = ['--quarantine-timeouts', '1000', '--quarantine-host-ends', '1000'];
/** A loop takes a whole processor until it is ended. */
const hostileFlags = ['--handler-timeout-ms', '300', ...manyStrikes];

test('beside sessions that loop for ever, sessions of another project are made, reset, forked, run and destroyed', {
  timeout: 300_000,
}, async (t) => {
  const service = await startInside({ flags: [...hostileFlags, '--host-seconds-per-minute', '60000'] });
  const client = clientOf(service, service.ready.credential!);
  const hostile = await hostileProject(client);
  const agents = await Promise.all([1, 2].map(() => hostileAgent(client, hostile)));
  const loops = { over: false, spins: 0 };
  const looping = agents.map(async (agent) => {
    while (!loops.over) if ((await agent.spin()).body.code === 'world.HANDLER_TIMEOUT') loops.spins += 1;
  });
  const { projectId, environmentId } = service.ready;
  // As long as it takes for some loops to be ended meanwhile.
  for (let rounds = 0; rounds < 10 && loops.spins < 3; rounds++)
    await Promise.all(Array.from({ length: 6 }, () => incarnationOf(client, { projectId, environmentId })));
  loops.over = true;
  await Promise.all(looping);
  t.diagnostic(`${loops.spins} loops were ended meanwhile`);
  assert.ok(loops.spins >= 3, 'nothing looped');
  await service.stop();
});

/** A session from its creation to its end; each operation succeeds. */
async function incarnationOf(client: Client, { projectId, environmentId }: { projectId: string; environmentId: string }): Promise<void> {
  const done = async ({ operationId, kind }: LongRunningOperation): Promise<void> => {
    const { state, error } = await client.waitForOperation({ projectId, operationId });
    assert.equal(state, 'succeeded', `${kind}: ${JSON.stringify(error)}`);
  };
  const end = async (sessionId: string, expectedLeaseGeneration: number): Promise<void> =>
    await done(
      (await client.destroySession({ path: { projectId, sessionId }, body: { expectedLeaseGeneration, confirm: sessionId } })).operation,
    );
  const made = await client.createSession({ path: { projectId, environmentId }, body: { seed: '42', drillId: 'auditor-cannot-refund' } });
  await done(made.operation);
  const { sessionId } = made.session;
  const path = { projectId, sessionId };
  await done((await client.resetSession({ path, body: { expectedLeaseGeneration: 1 } })).operation);
  const fork = await client.forkSession({ path, body: { environmentId, expectedLeaseGeneration: 2 } });
  await done(fork.operation);
  const { run, operation } = await client.startRun({ path: { ...path, environmentId }, body: { expectedLeaseGeneration: 2 } });
  const ofRun = { projectId, hostedRunId: run.hostedRunId };
  let now = run;
  await untilSettled(async () => {
    now = (await client.getRun({ path: ofRun })).run;
    assert.equal(now.finishedAtMs, undefined, `the run is ${now.state}: ${JSON.stringify(now.failure)}`);
    return now.pendingInteraction !== undefined;
  });
  const handedIn = {
    interactionId: 'main',
    expectedRevision: now.revision,
    targetResult: { status: 'completed' as const, attachments: [] },
  };
  await client.completeInteraction({ path: ofRun, body: handedIn });
  await done(operation);
  const { run: ended } = await client.getRun({ path: ofRun });
  assert.equal(ended.state, 'sealed', JSON.stringify(ended.failure));
  await Promise.all([end(sessionId, 2), end(fork.session.sessionId, 1)]);
}

test('a session that loops goes behind another of its project and host: it has few of the slots', { timeout: 120_000 }, async (t) => {
  // Time that a loop has held is time in which the host is the other's: shorter loops would come more often beside its calls.
  const flags = ['--handler-timeout-ms', '1000', ...manyStrikes, '--host-seconds-per-minute', '60000'];
  const service = await startInside({ flags });
  const client = clientOf(service, service.ready.credential!);
  const hostile = await hostileProject(client);
  const [looper, victim] = [await hostileAgent(client, hostile), await hostileAgent(client, hostile)];
  const loops = { over: false, spins: 0 };
  const looping = (async () => {
    while (!loops.over) if ((await looper.spin()).body.code === 'world.HANDLER_TIMEOUT') loops.spins += 1;
  })();
  let answers = 0;
  // It may be on its way beside a loop that is ended, and is then asked to ask again.
  for (let asked = 0; asked < 150; asked++) if ((await victim.add()).body.outcome?.kind === 'ok') answers += 1;
  loops.over = true;
  await looping;
  t.diagnostic(`${answers} answers, ${loops.spins} loops`);
  assert.ok(loops.spins >= 1);
  assert.ok(answers > 140, `${answers} answers`);
  assert.ok(loops.spins <= answers / 20, `${loops.spins} loops beside ${answers} answers`);
  await service.stop();
});

test('a project whose sessions hold hosts beyond its budget is given the time to come back, and its others are not', {
  timeout: 120_000,
}, async () => {
  const service = await startInside({ flags: [...hostileFlags, '--host-seconds-per-minute', '1'] });
  const client = clientOf(service, service.ready.credential!);
  const hostile = await hostileProject(client);
  const [looper, victim] = [await hostileAgent(client, hostile), await hostileAgent(client, hostile)];
  let refused = await looper.spin();
  for (let tries = 0; tries < 10 && refused.body.code === 'world.HANDLER_TIMEOUT'; tries++) refused = await looper.spin();
  assert.deepEqual([refused.status, refused.body.code], [429, 'control.RATE_LIMITED']);
  assert.ok((refused.body.retryAfterMs as number) >= 1000);
  assert.equal((await victim.add()).body.outcome?.kind, 'ok');
  await service.stop();
});

test('a build that ends its host too often is closed too; a host has the heap that it is given', { timeout: 120_000 }, async () => {
  const service = await startInside({
    flags: [
      '--isolate',
      'process',
      '--trust-tool-code',
      'true',
      '--host-heap-mb',
      '64',
      '--quarantine-host-ends',
      '2',
      '--handler-timeout-ms',
      '30000',
    ],
  });
  const client = clientOf(service, service.ready.credential!);
  const hostile = await hostileProject(client);
  const agent = await hostileAgent(client, hostile);
  for (let ends = 0; ends < 2; ends++) {
    const { status, body } = await agent.call('misbehave', { how: 'hog' });
    assert.deepEqual([status, body.code, body.details], [503, 'world.ACTOR_RESTARTED', { endedBy: 'this_world' }]);
  }
  await untilSettled(async () => (await agent.add()).body.code === 'world.BUILD_QUARANTINED');
  const [quarantine] = (await client.listQuarantines({ path: { projectId: hostile.projectId } })).items;
  assert.deepEqual([quarantine?.timeouts, quarantine?.hostEnds, quarantine?.readsRefused], [0, 2, false]);
  await service.stop();
});
