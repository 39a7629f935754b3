// The live stream: what is reported, to whom, and what becomes of a listener that does not read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InspectorEvent } from '../../src/contract/inspector/inspector.js';
import { limits } from '../../src/contract/limits.js';
import { EventHub } from '../../src/inspector/event-hub.js';
import { LiveWatch } from '../../src/inspector/live-watch.js';
import type { RunQueue } from '../../src/inspector/run-queue.js';
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

// EVENT-HUB-1
test('who is behind when a world is reset gets the new journal from 1, and nothing more of the old one', async (t) => {
  const hub = new EventHub();
  let length = 5;
  let asked = (): void => {};
  let answer: Promise<void> = Promise.resolve();
  // As the archive does it: what is read is decided when it is asked, and arrives later.
  const evidence = async (_: string, from: number) => {
    const entries = Array.from({ length: Math.min(length - from + 1, 2) }, (_, index) => ({ sequence: from + index, of: length }));
    asked();
    await answer;
    const last = entries.at(-1)?.sequence ?? from - 1;
    return { entries: Buffer.from(JSON.stringify(entries)), toSequence: length, nextSequence: last + 1, ends: false };
  };
  const queue = { active: () => [] } as unknown as RunQueue;
  const watch = new LiveWatch({ hub, queue, evidence: evidence as never });
  t.after(() => watch.close());
  const hello: InspectorEvent = { type: 'hello', generation: 1, active: [] };
  const left = new AbortController();
  t.after(() => left.abort());
  const follow = { id: 'world_a', nextSequence: 1 };
  const stream = hub.listen(hello, { follow, signal: left.signal });
  let read = '';
  let came = (): void => {};
  void (async () => {
    for await (const piece of stream) {
      read += piece;
      came();
    }
  })();
  const got = async (wanted: number): Promise<string[]> => {
    for (;;) {
      const found = [...read.matchAll(/"sequence":(\d+),"of":(\d+)/g)].map(([, sequence, of]) => `${sequence} of ${of}`);
      if (found.length >= wanted) return found;
      await new Promise<void>((resolve) => {
        came = resolve;
      });
    }
  };
  for (const at of [1, 3]) {
    // The page from 1, and one from the midst, is under way when the reset begins; it arrives when the reset is done.
    if (at > 1) await got(2);
    let arrive = (): void => {};
    const begun = new Promise<void>((resolve) => {
      asked = resolve;
    });
    answer = new Promise((resolve) => {
      arrive = resolve;
    });
    await begun;
    await hub.restart(follow.id, async () => {
      length = at === 1 ? 4 : 3;
    });
    arrive();
    if (at === 1) assert.deepEqual(await got(2), ['1 of 4', '2 of 4']);
  }
  assert.deepEqual(await got(5), ['1 of 4', '2 of 4', '1 of 3', '2 of 3', '3 of 3']);
  // A reset that is refused takes nothing back.
  await assert.rejects(hub.restart(follow.id, () => Promise.reject(new Error('refused'))));
  length = 4;
  assert.deepEqual((await got(6)).at(-1), '4 of 4');
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

// EVENT-STREAM-1
test('a live stream on which nothing happens sends comments', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const leave = new AbortController();
  const stream = new EventHub().listen({ type: 'hello', generation: 1, active: [] }, { signal: leave.signal })[Symbol.asyncIterator]();
  assert.match((await stream.next()).value, /^event: hello\n/);
  for (const _ of [1, 2]) {
    const quiet = stream.next();
    t.mock.timers.tick(limits.eventStreamQuietMs);
    assert.deepEqual(await quiet, { done: false, value: ': still here\n\n' });
  }
  leave.abort();
  assert.equal((await stream.next()).done, true);
});
