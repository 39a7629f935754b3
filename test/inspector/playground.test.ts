// Worlds to play with: made, called, moved, broken, reset, forked, ended.
import assert from 'node:assert/strict';
import { startReceiver } from '../callbacks/receiver-kit.js';
import { assertRefused, onEachEngine, startTestInspector } from './inspector-kit.js';

onEachEngine('a world is played with by hand', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const made = await inspector.post('/api/v1/worlds', { drillId: 'passes', seed: '5', title: 'Mine' });
  assert.equal(made.status, 201);
  const { world } = made.json;
  assert.deepEqual(
    [world.start, world.seed, world.title, world.position.virtualTimeUs],
    [{ kind: 'drill', id: 'passes' }, '5', 'Mine', 1000],
  );
  const at = `/api/v1/worlds/${world.worldId}`;
  const call = (operationId: string, args: object, actorId = 'writer') =>
    inspector.post(`${at}/calls`, { actorId, packageId: 'notes', operationId, arguments: args });
  const wrote = (await call('note.write', { id: 'n', text: 'by hand' })).json;
  assert.deepEqual([wrote.result.outcome.kind, wrote.world.position.evidenceSequence > 1], ['ok', true]);
  assert.equal((await call('note.write', { id: 'n', text: 'x' }, 'reader')).json.result.outcome.kind, 'denied');
  assert.equal((await call('note.write', { id: 7 })).json.result.outcome.kind, 'invalid');
  assert.equal((await inspector.post(`${at}/faults`, { packageId: 'notes', faultId: 'down', active: true })).json.changed, true);
  assert.equal((await call('note.get', { id: 'n' })).json.result.outcome.error.code, 'DOWN');
  assert.deepEqual((await inspector.ask(`${at}/faults`)).json.faults[0].triggered, 1);
  await call('note.remind', { id: 'n', afterUs: 500 });
  const before = (await inspector.ask(at)).json.world;
  assert.deepEqual([before.pendingEvents, before.nextEventUs], [1, 1500]);
  assert.equal((await inspector.ask(`${at}/scheduled-events`)).json.events[0].atUs, 1500);
  const advanced = (await inspector.post(`${at}/advance`, { targetUs: 2000 })).json;
  assert.deepEqual(
    [advanced.advance.scheduledEventsProcessed, advanced.world.position.virtualTimeUs, advanced.world.pendingEvents],
    [1, 2000, 0],
  );
  assertRefused(await inspector.post(`${at}/advance`, { targetUs: 1 }), 400, 'control.INVALID_REQUEST');
  const rows = async (path: string): Promise<string[]> =>
    (await inspector.ask(path)).json.rows.map(({ rowId }: { rowId: string }) => rowId);
  assert.deepEqual(await rows(`${at}/state?packageId=notes&namespace=notes`), ['due-n', 'first', 'n']);
  assert.deepEqual(await rows(`${at}/state?packageId=notes&namespace=notes&atSequence=1`), ['first']);
  assert.equal((await inspector.ask(`${at}/state-namespaces`)).json.namespaces[0].rowCount, 3);
  const evidence = (await inspector.ask(`${at}/evidence?limit=500`)).json;
  assert.equal(evidence.entries.length, advanced.world.position.evidenceSequence);
  const found = async (q: string): Promise<number[]> =>
    (await inspector.ask(`${at}/evidence/search?view=sequences&q=${encodeURIComponent(q)}`)).json.sequences;
  assert.equal((await found('by hand'))[0], wrote.result.sequence);
  const timeline = (await inspector.ask(`${at}/timeline?axis=sequence&buckets=1`)).json;
  assert.deepEqual([timeline.end, timeline.density.fault_control], [evidence.entries.length, [1]]);
  await call('note.write', { id: 'late', text: 'afterwards' });
  assert.equal((await found('afterwards'))[0], evidence.entries.length + 1);
  assert.equal((await inspector.ask(`${at}/tools?actorId=writer`)).json.tools.length, 4);
  assert.deepEqual((await inspector.ask(`${at}/actors`)).json.actors.map(({ actorId }: { actorId: string }) => actorId).sort(), [
    'reader',
    'writer',
  ]);

  const forked = await inspector.post(`${at}/forks`, { atSequence: wrote.result.sequence + 3, title: 'From there' });
  assert.equal(forked.status, 201);
  const fork = forked.json.world;
  assert.deepEqual([fork.parent.worldId, fork.position.virtualTimeUs, fork.title], [world.worldId, 1000, 'From there']);
  assert.deepEqual(await rows(`/api/v1/worlds/${fork.worldId}/state?packageId=notes&namespace=notes`), ['first', 'n']);

  const reset = (await inspector.post(`${at}/reset`)).json.world;
  assert.deepEqual([await found('afterwards'), await found('world_created')], [[], [1]]);
  assert.deepEqual([forked.json.world.resets, before.resets, reset.resets], [0, 0, 1]);
  assert.deepEqual([reset.position.virtualTimeUs, await rows(`${at}/state?packageId=notes&namespace=notes`)], [1000, ['first']]);
  assert.equal((await inspector.post(`${at}/reset`, { packages: ['notes'] })).json.world.resets, 1);
  assert.deepEqual(
    (await inspector.ask('/api/v1/worlds')).json.worlds.map(({ worldId }: { worldId: string }) => worldId),
    [fork.worldId, world.worldId],
  );
  assert.equal((await inspector.ask(at, { method: 'DELETE' })).json.worldId, world.worldId);
  assertRefused(await inspector.ask(at), 404, 'control.NOT_FOUND');
  assertRefused(await inspector.ask(`${at}/evidence/search?q=x`), 404, 'control.NOT_FOUND');
  assert.equal((await inspector.ask(`/api/v1/worlds/${fork.worldId}`)).status, 200);
});

onEachEngine('what is played with, and what is run, is delivered to the receivers of the inspector', async (t, engine) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const inspector = await startTestInspector(t, { engine, options: { callbackReceivers: { listener: receiver } } });
  const { world } = (await inspector.post('/api/v1/worlds', { drillId: 'passes' })).json;
  const call = { actorId: 'writer', packageId: 'notes', operationId: 'note.write', arguments: { id: 'n', text: 'by hand' } };
  await inspector.post(`/api/v1/worlds/${world.worldId}/calls`, call);
  assert.deepEqual(
    receiver.arrivals.map(({ body }) => body),
    ['{"id":"n"}'],
  );
  await inspector.run({ drillId: 'passes' });
  const [runId] = await inspector.runIds();
  const { deliveries } = (await inspector.ask(`/api/v1/runs/${runId}/callbacks`)).json;
  assert.deepEqual(
    deliveries.map(({ phase, attempts, lastStatus }: { phase: string; attempts: number; lastStatus: number }) => [
      phase,
      attempts,
      lastStatus,
    ]),
    [
      ['delivered', 1, 204],
      ['delivered', 1, 204],
    ],
  );
});

onEachEngine('worlds are bounded in number', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const answers = await Promise.all(Array.from({ length: 33 }, () => inspector.post('/api/v1/worlds')));
  assert.equal(answers.filter(({ status }) => status === 201).length, 32);
  assertRefused(answers.find(({ status }) => status !== 201)!, 409, 'control.STATE_CONFLICT');
  assertRefused(await inspector.post('/api/v1/worlds', { scenarioId: 'a', drillId: 'b' }), 400, 'control.INVALID_REQUEST');
  for (const [start, path] of [
    [{ scenarioId: 'none' }, '/scenarioId'],
    [{ drillId: 'none' }, '/drillId'],
  ] as const) {
    const refused = await inspector.post('/api/v1/worlds', start);
    assertRefused(refused, 400, 'control.INVALID_REQUEST');
    assert.deepEqual(
      refused.json.issues.map((issue: { path: string; code: string }) => [issue.path, issue.code]),
      [[path, 'not_one_of']],
    );
  }
});

onEachEngine('a run is continued in a world from any of its entries, and compared with it', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine, played: ['fails'] });
  const [runId] = inspector.played;
  const { entries } = (await inspector.ask(`/api/v1/runs/${runId}/evidence?limit=500`)).json;
  const calls = entries.filter(({ kind }: { kind: string }) => kind === 'operation');
  const [, , second] = calls;
  const before = second.sequence - second.transactionIndex - 1;
  const made = await inspector.post('/api/v1/worlds', { runId, atSequence: before, title: 'Again' });
  assert.equal(made.status, 201, made.text);
  const { world } = made.json;
  const { callId: _, arguments: given, ...invocation } = second.invocation;
  const next = { sequence: second.sequence, actorId: second.actorId, ...invocation, arguments: given };
  assert.deepEqual(
    [world.origin, world.start],
    [
      { runId, atSequence: before, next },
      { kind: 'drill', id: 'fails' },
    ],
  );
  const at = `/api/v1/worlds/${world.worldId}`;
  const rows = async (path: string) => (await inspector.ask(path)).json.rows;
  const space = 'state?packageId=notes&namespace=notes';
  assert.deepEqual(
    (await rows(`${at}/${space}`)).map(({ rowId, value }: { rowId: string; value: object }) => [rowId, value]),
    (await rows(`/api/v1/runs/${runId}/${space}&atSequence=${before}`)).map(({ rowId, value }: { rowId: string; value: object }) => [
      rowId,
      value,
    ]),
  );
  const untouched = (await inspector.ask(`${at}/comparison`)).json;
  assert.deepEqual([untouched.runId, untouched.atSequence, untouched.differences.onlyRight], [runId, before, 0]);
  const { sequence: __, ...call } = next;
  await inspector.post(`${at}/calls`, call);
  const same = (await inspector.ask(`${at}/comparison`)).json;
  assert.deepEqual([same.differences.same, same.differences.changed, same.differences.onlyRight], [1, 0, 0]);
  await inspector.post(`${at}/calls`, { ...call, arguments: { id: 'a', text: 'by hand' } });
  const other = (await inspector.ask(`${at}/comparison`)).json;
  assert.equal(other.differences.onlyRight, 1);
  assert.match(other.firstDivergence.summary, /^(They parted|Only on)/);
  assertRefused(await inspector.post('/api/v1/worlds', { runId, atSequence: 9999 }), 400, 'control.INVALID_REQUEST');
  assertRefused(await inspector.post('/api/v1/worlds', { runId }), 400, 'control.INVALID_REQUEST');
  assertRefused(await inspector.post('/api/v1/worlds', { runId, atSequence: 1, seed: '4' }), 400, 'control.INVALID_REQUEST');
  const plain = (await inspector.post('/api/v1/worlds')).json.world;
  assertRefused(await inspector.ask(`/api/v1/worlds/${plain.worldId}/comparison`), 409, 'control.STATE_CONFLICT');
});
