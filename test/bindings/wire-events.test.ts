// Replies that are events, over real sockets, on both servers: the official client of a model reads them, and a fault cuts them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import OpenAI from 'openai';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { limits } from '../../src/contract/limits.js';
import { loadUws } from '../../src/http/uws-binary.js';
import { createDepot } from './bodies-kit.js';
import { evidence, json, openWireWorlds, position } from './wire-kit.js';

const worlds = await openWireWorlds('events');
after(() => worlds.close());
const messages = [{ role: 'user' as const, content: 'one two three four' }];

for (const engine of loadUws() === undefined ? (['node:http'] as const) : (['node:http', 'uWebSockets.js'] as const)) {
  const bindings = createBindings({ engine });
  after(() => bindings.close());
  const open = async () => {
    const world = await createDepot(worlds);
    const { url, token } = (await bindings.open({ world, actorId: 'agent', bindings: ['http'] })).endpoints.http ?? assert.fail();
    const client = new OpenAI({ baseURL: url, apiKey: token, maxRetries: 0 });
    const send = (body: object) => fetch(`${url}/chat/completions`, json({ messages, ...body }, { authorization: `Bearer ${token}` }));
    return { world, client, send };
  };

  test(`${engine}: the client of a model reads a stream, and the same answer at once`, async () => {
    const { world, client, send } = await open();
    const runner = client.chat.completions.stream({ model: 'm', messages });
    assert.equal(await runner.finalContent(), 'one two three four');
    const whole = await client.chat.completions.create({ model: 'm', messages });
    assert.equal(whole.choices[0]?.message.content, 'one two three four');
    const reply = await send({ stream: true });
    assert.equal(reply.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(reply.headers.get('content-security-policy'), "sandbox; default-src 'none'");
    await reply.text();
    assert.deepEqual([...new Set((await evidence(world)).map(({ kind }) => kind))], ['lifecycle', 'operation']);
  });

  test(`${engine}: a fault cuts the stream after as many events as it says, and evidence says so`, async () => {
    const { world, client, send } = await open();
    await world.command({ kind: 'setFault', packageId: 'depot', faultId: 'cut', active: true });
    const words: (string | null | undefined)[] = [];
    await assert.rejects(async () => {
      for await (const chunk of await client.chat.completions.create({ model: 'm', messages, stream: true }))
        words.push(chunk.choices[0]?.delta.content);
    });
    assert.deepEqual(words, ['one', ' two']);
    const [fault, ...more] = (await evidence(world)).filter(({ kind }) => kind === 'fault');
    assert.ok(fault?.kind === 'fault' && more.length === 0);
    assert.deepEqual([fault.timing, fault.afterEvents, fault.operationId, fault.causeSequence], ['stream', 2, 'chat', fault.sequence - 1]);
    assert.equal((await send({})).status, 200, 'an answer at once is no stream');
    assert.equal((await evidence(world)).filter(({ kind }) => kind === 'fault').length, 1);
  });

  test(`${engine}: events are what a parser of others reads, and what is none is refused`, async () => {
    const { send } = await open();
    const raw = [
      { event: 'note', id: '7', retry: 50, data: 'a\nb\r\n\rc' },
      { data: { n: [1, 'é\n'] } },
      { data: '' },
      { event: 'end', data: null },
    ];
    const read: EventSourceMessage[] = [];
    const retries: number[] = [];
    const parser = createParser({ onEvent: (event) => read.push(event), onRetry: (ms) => retries.push(ms) });
    parser.feed(await (await send({ stream: true, raw })).text());
    const seen = read.map(({ event, data }) => [event, data]);
    assert.deepEqual(seen, [
      ['note', 'a\nb\n\nc'],
      [undefined, '{"n":[1,"é\\n"]}'],
      [undefined, ''],
      ['end', 'null'],
    ]);
    assert.deepEqual([retries, read[0]?.id], [[50], '7']);
    const refused = [{}, [{ event: 'a' }], [{ event: 'a\nb', data: 1 }], [{ id: '\0', data: 1 }], [{ retry: -1, data: 1 }], [1]];
    refused.push(Array.from({ length: limits.encodedEventsMax + 1 }, () => ({ data: 1 })));
    for (const bad of refused) assert.equal((await send({ stream: true, raw: bad })).status, 500, JSON.stringify(bad).slice(0, 50));
    assert.equal((await send({ stream: true, lies: true })).status, 500);
    assert.equal(await (await send({ stream: true, raw: [] })).text(), '');
  });
}

test('hashes do not depend on the server', async () => {
  const positions = await Promise.all(
    (['node:http', 'uWebSockets.js'] as const)
      .filter((engine) => engine === 'node:http' || loadUws() !== undefined)
      .map(async (engine) => {
        const bindings = createBindings({ engine });
        after(() => bindings.close());
        const world = await createDepot(worlds);
        const { url, token } = (await bindings.open({ world, actorId: 'agent', bindings: ['http'] })).endpoints.http ?? assert.fail();
        await (await fetch(`${url}/chat/completions`, json({ messages, stream: true }, { authorization: `Bearer ${token}` }))).text();
        await fetch(`${url}/b/k`, { method: 'PUT', body: 'bytes', headers: { 'content-type': 'x/y' } });
        return position(world);
      }),
  );
  for (const one of positions) assert.deepEqual(one, positions[0]);
});
