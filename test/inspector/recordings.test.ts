// Recordings over the API: shown as files, written as they were shown, for runs and for worlds to play with, forks included.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RecordingReply } from '../../src/contract/inspector/recordings.js';
import { runDrills, validateRepository } from '../../src/index.js';
import { assertRefused, startTestInspector } from './inspector-kit.js';

// RECORDINGS-1
test('a run is shown as a drill, and written only as it was shown, over nothing unasked', async (t) => {
  const inspector = await startTestInspector(t, { played: ['fails'] });
  const { root } = inspector.repository;
  const path = `/api/v1/runs/${inspector.played[0]}/recordings`;
  const shown = (await inspector.post(path, { as: 'drill', id: 'again' })).json as RecordingReply;
  const file = join(root, 'drillyard/drills/again.drill.yaml');
  assert.ok(!shown.written && !existsSync(file));
  const { digest, files } = shown.recording;
  const written = (await inspector.post(path, { as: 'drill', id: 'again', write: { digest } })).json as RecordingReply;
  assert.deepEqual([written.written, readFileSync(file, 'utf8')], [true, files[0]?.text]);
  writeFileSync(file, '# mine\n');
  assertRefused(await inspector.post(path, { as: 'drill', id: 'again', write: { digest } }), 409, 'control.STATE_CONFLICT');
  const other = { digest: `sha256:${'0'.repeat(64)}`, replace: true };
  assertRefused(await inspector.post(path, { as: 'drill', id: 'again', write: other }), 409, 'control.STATE_CONFLICT');
  assert.equal(readFileSync(file, 'utf8'), '# mine\n');
  assert.equal((await inspector.post(path, { as: 'drill', id: 'again', write: { digest, replace: true } })).status, 200);
  assert.equal((await runDrills({ root, drills: ['again'] })).verdict, 'passed');
  assertRefused(await inspector.post(path, { as: 'drill', id: '../again' }), 400, 'control.INVALID_REQUEST');
  assertRefused(await inspector.post(path, { as: 'drill', id: 'passes' }), 400, 'control.INVALID_REQUEST');
  assertRefused(await inspector.askPlainly(path, { method: 'POST', body: { as: 'drill', id: 'b' } }), 401, 'control.UNAUTHENTICATED');
  const foreign = { method: 'POST', body: { as: 'drill', id: 'b' }, headers: { origin: 'https://example.com' } };
  assertRefused(await inspector.ask(path, foreign), 403, 'control.ORIGIN_REJECTED');
});

test('a fork is recorded with the calls before it; a fault that was switched in the midst only as a scenario', async (t) => {
  const inspector = await startTestInspector(t, { played: [] });
  const { root } = inspector.repository;
  const call = async (worldId: string, id: string): Promise<void> => {
    const body = { actorId: 'writer', packageId: 'notes', operationId: 'note.write', arguments: { id, text: id } };
    assert.equal((await inspector.post(`/api/v1/worlds/${worldId}/calls`, body)).json.result.outcome.kind, 'ok');
  };
  const { worldId } = (await inspector.post('/api/v1/worlds')).json.world;
  await call(worldId, 'a');
  const forked = (await inspector.post(`/api/v1/worlds/${worldId}/forks`)).json.world.worldId;
  await call(worldId, 'not-here');
  await call(forked, 'b');
  const request = { as: 'drill', id: 'two-notes' };
  const { recording } = (await inspector.post(`/api/v1/worlds/${forked}/recordings`, request)).json as RecordingReply;
  assert.ok(!recording.files[0]?.text.includes('not-here'));
  await inspector.post(`/api/v1/worlds/${forked}/recordings`, { ...request, write: { digest: recording.digest } });
  assert.deepEqual((await validateRepository({ root })).diagnostics, []);
  const { drills } = await runDrills({ root, drills: ['two-notes'] });
  const position = (await inspector.ask(`/api/v1/worlds/${forked}`)).json.world.position;
  assert.deepEqual([drills[0]!.verdict, drills[0]!.trials[0]!.attempts[0]!.result.stateHash], ['passed', position.stateHash]);
  const pinned = { ...request, id: 'pinned', pins: recording.candidates.map(({ pin }) => pin) };
  const { recording: held } = (await inspector.post(`/api/v1/worlds/${forked}/recordings`, pinned)).json as RecordingReply;
  assert.match(held.files[0]!.text, /kind: state\.value[\s\S]*kind: operation\.count/);

  const { faults } = (await inspector.ask(`/api/v1/worlds/${worldId}/faults`)).json;
  const { packageId, faultId } = faults[0];
  await inspector.post(`/api/v1/worlds/${worldId}/faults`, { packageId, faultId, active: true });
  await inspector.post(`/api/v1/worlds/${worldId}/calls`, {
    ...{ actorId: 'writer', packageId: 'notes', operationId: 'note.write', arguments: { id: 'c', text: 'c' } },
  });
  assertRefused(await inspector.post(`/api/v1/worlds/${worldId}/recordings`, request), 400, 'control.INVALID_REQUEST');
  const scenario = await inspector.post(`/api/v1/worlds/${worldId}/recordings`, { as: 'scenario', id: 'then' });
  assert.match((scenario.json as RecordingReply).recording.files[0]!.text, new RegExp(`faultId: ${faultId}`));
});

test('a fork of a run is recorded with what the run did before it, and its drill comes to the same state', async (t) => {
  const inspector = await startTestInspector(t, { played: ['fails'] });
  const { root } = inspector.repository;
  const [runId] = inspector.played;
  const { entries } = (await inspector.ask(`/api/v1/runs/${runId}/evidence?limit=500`)).json;
  const calls = entries.filter(({ kind }: { kind: string }) => kind === 'operation');
  const atSequence = calls[2].sequence - calls[2].transactionIndex - 1;
  const { world } = (await inspector.post('/api/v1/worlds', { runId, atSequence })).json;
  const again = (await inspector.post(`/api/v1/worlds/${world.worldId}/forks`)).json.world;
  const body = { actorId: 'writer', packageId: 'notes', operationId: 'note.write', arguments: { id: 'b', text: 'by hand' } };
  for (const { worldId, position } of [world, again]) {
    const at = `/api/v1/worlds/${worldId}`;
    assert.equal((await inspector.post(`${at}/calls`, body)).json.result.outcome.kind, 'ok');
    // What the run scheduled is due then.
    assert.equal(
      (await inspector.post(`${at}/advance`, { targetUs: position.virtualTimeUs + 1_000 })).json.advance.scheduledEventsProcessed,
      1,
    );
    const scenario = (await inspector.post(`${at}/recordings`, { as: 'scenario', id: 'then' })).json as RecordingReply;
    assert.match(scenario.recording.files[0]!.text, /rowId: a\n/);
    assert.doesNotMatch(scenario.recording.files[0]!.text, /initialEvents/);
    const request = { as: 'drill', id: `after-${worldId.slice(-6).toLowerCase()}` };
    const { recording } = (await inspector.post(`${at}/recordings`, request)).json as RecordingReply;
    assert.ok(!recording.candidates.some(({ pin }) => pin.kind === 'entry' && pin.sequence <= 1));
    await inspector.post(`${at}/recordings`, { ...request, write: { digest: recording.digest } });
    const { drills } = await runDrills({ root, drills: [request.id] });
    const { stateHash } = (await inspector.ask(at)).json.world.position;
    assert.deepEqual([drills[0]!.verdict, drills[0]!.trials[0]!.attempts[0]!.result.stateHash], ['passed', stateHash]);
  }
  rmSync(join(inspector.reports, runId!), { recursive: true });
  const path = `/api/v1/worlds/${world.worldId}/recordings`;
  const refused = assertRefused(await inspector.post(path, { as: 'scenario', id: 'then' }), 409, 'control.STATE_CONFLICT');
  assert.match(refused.message, /whose report is gone/);
});

test('a fork whose parent was reset later is not recorded with calls that it never had', async (t) => {
  const inspector = await startTestInspector(t, { played: [] });
  const write = (worldId: string, id: string) => {
    const body = { actorId: 'writer', packageId: 'notes', operationId: 'note.write', arguments: { id, text: id } };
    return inspector.post(`/api/v1/worlds/${worldId}/calls`, body);
  };
  const { worldId } = (await inspector.post('/api/v1/worlds')).json.world;
  await write(worldId, 'a');
  const forked = (await inspector.post(`/api/v1/worlds/${worldId}/forks`)).json.world.worldId;
  const path = `/api/v1/worlds/${forked}/recordings`;
  // Back to where it was forked: what came before stays.
  await inspector.post(`/api/v1/worlds/${forked}/reset`);
  assert.equal((await inspector.post(path, { as: 'drill', id: 'one-note' })).status, 200);
  await inspector.post(`/api/v1/worlds/${worldId}/reset`);
  await write(worldId, 'never-there');
  const refused = assertRefused(await inspector.post(path, { as: 'drill', id: 'one-note' }), 409, 'control.STATE_CONFLICT');
  assert.match(refused.message, new RegExp(`${worldId}, which was reset since`));
});
