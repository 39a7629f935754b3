// Recordings over the API: shown as files, written as they were shown, for runs and for worlds to play with, forks included.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
