// A wait that is observed while it lasts, on both servers, over a real socket.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadUws } from '../../src/http/uws-binary.js';
import type { SendOptions } from '../../src/worlds/api.js';
import { gate } from '../gate.js';
import { holdSilences, mcpEndpoints, modernMeta, version } from './mcp-kit.js';

type Report = (progress: { reachedUs: number; scheduledEventsProcessed: number }) => void;

for (const engine of ['node:http', ...(loadUws() === undefined ? [] : ['uWebSockets.js' as const])] as const) {
  const open = mcpEndpoints(engine);
  const wait = async (meanwhile: (options: SendOptions<never>) => Promise<void>, init: RequestInit = {}) => {
    const { access, reported } = await open({ mayWait: true, meanwhile });
    const { url, token } = access.endpoints.mcp ?? assert.fail();
    const params = { name: 'world.wait', arguments: {}, _meta: { ...modernMeta, progressToken: 'p' } };
    const reply = fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'world.wait',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      ...init,
    });
    return { reply, reported, access };
  };

  test(`${engine}: progress leaves as it comes, only forward, and the result ends the stream`, async () => {
    const heard = gate();
    const { reply } = await wait(async ({ onProgress }) => {
      const report = onProgress as Report;
      report({ reachedUs: 5, scheduledEventsProcessed: 2 });
      await heard.opened;
      report({ reachedUs: 5, scheduledEventsProcessed: 2 });
      report({ reachedUs: 6, scheduledEventsProcessed: 3 });
    });
    const { body, headers, status } = await reply;
    assert.deepEqual([status, headers.get('content-type'), headers.get('x-accel-buffering')], [200, 'text/event-stream', 'no']);
    const reader = (body ?? assert.fail()).pipeThrough(new TextDecoderStream()).getReader();
    const progress = (reported: number, reachedUs: number): string =>
      `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":${reported},"message":"The clock is at ${reachedUs} us."}}\n\n`;
    assert.equal((await reader.read()).value, progress(2, 5));
    // The world continues only now: what was read left before the end.
    heard.open();
    let rest = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest += read.value;
    const result = `event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\\"virtualTimeUs\\":7,\\"reached\\":true}"}],"structuredContent":{"virtualTimeUs":7,"reached":true},"_meta":{"drillyard/correlationId":"corr_0000000000000000","io.modelcontextprotocol/serverInfo":{"name":"drillyard","version":"${version}"}},"resultType":"complete"}}\n\n`;
    // Between two reads only the latest progress is kept, and the result may overtake it.
    assert.ok([progress(3, 6) + result, result].includes(rest), rest);
  });

  test(`${engine}: a client that goes away cancels the wait`, async () => {
    const begun = gate();
    const cancelled = gate();
    const abort = new AbortController();
    const { reply } = await wait(
      async ({ signal, onProgress }) => {
        (onProgress as Report)({ reachedUs: 5, scheduledEventsProcessed: 1 });
        signal?.addEventListener('abort', () => cancelled.open());
        begun.open();
        await cancelled.opened;
      },
      { signal: abort.signal },
    );
    const { body } = await reply;
    await body?.getReader().read();
    await begun.opened;
    abort.abort();
    await cancelled.opened;
  });

  // EVENT-STREAM-1
  test(`${engine}: an answer that takes long is a stream with comments to a client that accepts events`, async (t) => {
    const afterSilence = holdSilences(t);
    const silence = gate();
    const { access } = await open({ meanwhile: () => silence.opened });
    const { url, token } = access.endpoints.mcp ?? assert.fail();
    const call = (accept: string) =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'desk.ticket.close', arguments: { id: 1 } } }),
      });
    const plain = call('application/json');
    const { headers, body } = await afterSilence(call('application/json, text/event-stream'));
    assert.deepEqual([headers.get('content-type'), headers.get('x-accel-buffering')], ['text/event-stream', 'no']);
    const reader = (body ?? assert.fail()).pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value, ': still here\n\n');
    silence.open();
    let rest = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest += read.value;
    const answer = (await (await plain).json()) as { result: object };
    assert.deepEqual(JSON.parse(/\nevent: message\ndata: (.*)\n\n$/.exec(`\n${rest}`)?.[1] ?? ''), answer);
  });
}
