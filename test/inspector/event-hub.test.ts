// The live stream: what is reported, to whom, and what becomes of a listener that does not read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InspectorEvent } from '../../src/contract/inspector/inspector.js';
import { limits } from '../../src/contract/limits.js';
import { EventHub } from '../../src/inspector/event-hub.js';
import { assertRefused, onEachEngine, startTestInspector } from './inspector-kit.js';

onEachEngine('run progress is reported as it happens, without a question', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const stream = await inspector.events();
  await inspector.run({ suiteId: 'all' });
  await stream.until((event) => event.type === 'run-request' && event.request.state === 'finished');
  const kinds = stream.seen.map((event) => (event.type === 'run' ? `run ${event.phase}` : event.type));
  assert.equal(kinds[0], 'hello');
  assert.deepEqual([kinds.filter((kind) => kind === 'run started').length, kinds.filter((kind) => kind === 'run finished').length], [2, 2]);
  assert.equal(kinds.filter((kind) => kind === 'run progress').length, 4);
  await inspector.post('/api/v1/refresh');
  const project = await stream.until((event) => event.type === 'project');
  assert.ok(project.type === 'project' && project.generation === 2 && project.errors === 0);
  await stream.end();
});

onEachEngine('a follower gets every entry once, in order, from where it asked, live and to the end', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const { world } = (await inspector.post('/api/v1/worlds')).json;
  const at = `/api/v1/worlds/${world.worldId}`;
  const fromNow = await inspector.events(`?follow=${world.worldId}`);
  const fromStart = await inspector.events(`?follow=${world.worldId}&fromSequence=1`);
  for (let index = 0; index < 20; index++)
    await inspector.post(`${at}/calls`, {
      actorId: 'writer',
      packageId: 'notes',
      operationId: 'note.write',
      arguments: { id: `n${index}`, text: 'x' },
    });
  const { entries } = (await inspector.ask(`${at}/evidence?limit=500`)).json;
  for (const [stream, from] of [
    [fromStart, 1],
    [fromNow, 2],
  ] as const) {
    await stream.until((event) => event.type === 'entries' && event.entries.at(-1)?.sequence === entries.length);
    const got = stream.seen.flatMap((event) => (event.type === 'entries' ? event.entries : []));
    assert.deepEqual(got, entries.slice(from - 1));
    await stream.end();
  }
  const { runs } = await inspector.run({ drillId: 'passes' });
  const runId = runs[0]!.runId;
  const saved = await inspector.events(`?follow=${runId}&fromSequence=1`);
  const { toSequence } = (await inspector.ask(`/api/v1/runs/${runId}`)).json.evidence;
  await saved.until((event) => event.type === 'entries' && event.entries.at(-1)?.sequence === toSequence);
  await saved.end();
});

onEachEngine('streams are bounded in number, and one that closes makes way for another', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const streams = await Promise.all(Array.from({ length: limits.inspectorStreamsMax }, () => inspector.events()));
  assertRefused(await inspector.ask('/api/v1/events'), 503, 'control.UNAVAILABLE');
  await Promise.all(streams.map((stream) => stream.end()));
  for (let tries = 0; ; tries++) {
    const answer = await inspector.ask('/api/v1/events', { method: 'HEAD' });
    assert.equal(answer.status, 200);
    const stream = await inspector.events().catch(() => undefined);
    if (stream !== undefined) {
      await stream.end();
      break;
    }
    assert.ok(tries < 100);
  }
});

onEachEngine('who follows a world gets its journal again when a whole reset has begun a new one', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const { world } = (await inspector.post('/api/v1/worlds')).json;
  const at = `/api/v1/worlds/${world.worldId}`;
  const write = (id: string): Promise<unknown> =>
    inspector.post(`${at}/calls`, { actorId: 'writer', packageId: 'notes', operationId: 'note.write', arguments: { id, text: 'x' } });
  const stream = await inspector.events(`?follow=${world.worldId}&fromSequence=1`);
  for (const id of ['a', 'b', 'c']) await write(id);
  const before = (await inspector.ask(`${at}/evidence?limit=500`)).json.toSequence as number;
  await stream.until((event) => event.type === 'entries' && event.entries.at(-1)?.sequence === before);
  const had = stream.seen.length;
  await inspector.post(`${at}/reset`, {});
  await write('d');
  const { entries } = (await inspector.ask(`${at}/evidence?limit=500`)).json;
  assert.ok(entries.length < before);
  await stream.until(
    (event) => stream.seen.indexOf(event) >= had && event.type === 'entries' && event.entries.at(-1)?.sequence === entries.length,
  );
  const got = stream.seen.slice(had).flatMap((event) => (event.type === 'entries' ? event.entries : []));
  assert.deepEqual(got, entries);
  await stream.end();
});

test('a listener that does not read is let go, and no other', async () => {
  const hub = new EventHub();
  const hello: InspectorEvent = { type: 'hello', generation: 1, active: [] };
  const listen = () => hub.listen(hello, { signal: new AbortController().signal })[Symbol.asyncIterator]();
  const [idle, reader] = [listen(), listen()];
  const read: string[] = [];
  for (let generation = 1; generation <= limits.inspectorStreamBacklogMax + 10; generation++) {
    hub.publish({ type: 'project', generation, errors: 0 });
    if (generation % 100 === 0) read.push((await reader.next()).value);
  }
  read.push((await reader.next()).value);
  assert.equal(read.join('').split('\n\n').length - 1, limits.inspectorStreamBacklogMax + 11);
  // What it had is bounded, and then it is over.
  assert.equal((await idle.next()).done, true);
  await reader.return?.(undefined);
  assert.equal(hub.hasListeners, false);
});
