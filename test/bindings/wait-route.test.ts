// POST /v1/wait on both servers: one answer, or events; who goes away ends the wait.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { RemoteWorld } from '../../src/bindings/remote-world.js';
import { ServiceError } from '../../src/contract/errors.js';
import { validateErrorEnvelope, validateWaitResponse } from '../../src/contract/validate/validators.js';
import { loadUws } from '../../src/http/uws-binary.js';
import { gate } from '../gate.js';
import { holdSilences, mcpEndpoints, type ToldWorld } from './mcp-kit.js';

for (const engine of ['node:http', ...(loadUws() === undefined ? [] : ['uWebSockets.js' as const])] as const) {
  const open = mcpEndpoints(engine);
  const wait = async (
    changes: Partial<ToldWorld>,
    { accept = 'application/json', signal }: { accept?: string; signal?: AbortSignal } = {},
  ) => {
    const { access } = await open(changes);
    const { url, token } = access.endpoints.mcp ?? assert.fail();
    return await fetch(url.replace(/\/mcp$/, '/v1/wait'), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept },
      body: '{}',
      ...(signal === undefined ? {} : { signal }),
    });
  };
  const report: ToldWorld['meanwhile'] = ({ onProgress }) =>
    (onProgress as ((progress: object) => void) | undefined)?.({ reachedUs: 5, scheduledEventsProcessed: 2 });

  test(`${engine}: one answer, or its progress and then the answer`, async () => {
    const plain = await wait({ meanwhile: report });
    assert.equal(plain.headers.get('content-type'), 'application/json; charset=utf-8');
    const answer = await plain.json();
    assert.ok(validateWaitResponse(answer).ok);
    const events = await wait({ meanwhile: report }, { accept: 'text/event-stream' });
    assert.equal(events.headers.get('content-type'), 'text/event-stream');
    const result = `event: result\ndata: ${JSON.stringify(answer)}\n\n`;
    // The answer may overtake what was informed of it in the same moment.
    const progress = 'event: progress\ndata: {"reachedUs":5,"scheduledEventsProcessed":2}\n\n';
    const text = await events.text();
    assert.ok([progress + result, result].includes(text), text);
  });

  test(`${engine}: a refusal after the status has left is the last event`, async () => {
    const refused = await wait({ outcome: new ServiceError('control.WORLD_BUSY', { retryAfterMs: 20 }) }, { accept: 'text/event-stream' });
    const [, name, json = ''] = /^event: (.*)\ndata: (.*)\n\n$/.exec(await refused.text()) ?? [];
    const envelope = validateErrorEnvelope(JSON.parse(json));
    assert.ok(envelope.ok);
    assert.deepEqual([refused.status, name, envelope.value.code, envelope.value.retryAfterMs], [200, 'error', 'control.WORLD_BUSY', 20]);
    assert.equal(envelope.value.correlationId, refused.headers.get('x-correlation-id'));
  });

  // EVENT-STREAM-1
  test(`${engine}: while nothing happens a stream sends comments, and says that nobody is to buffer it`, async (t) => {
    const afterSilence = holdSilences(t);
    const silence = gate();
    const asked = wait({ meanwhile: () => silence.opened }, { accept: 'application/json, Text/Event-Stream' });
    const reader = asked.then(({ body }) => (body ?? assert.fail()).pipeThrough(new TextDecoderStream()).getReader());
    for (const _ of [1, 2]) {
      const read = reader.then((from) => from.read());
      assert.deepEqual(await afterSilence(read), { done: false, value: ': still here\n\n' });
    }
    silence.open();
    assert.match((await (await reader).read()).value ?? '', /^event: result\n/);
    assert.equal((await asked).headers.get('x-accel-buffering'), 'no');
  });

  test(`${engine}: the client of this package leaves comments out`, async (t) => {
    const afterSilence = holdSilences(t);
    const silence = gate();
    const begun = gate();
    const { access } = await open({
      meanwhile: async () => {
        begun.open();
        await silence.opened;
      },
    });
    const { url, token } = access.endpoints.mcp ?? assert.fail();
    const waited = new RemoteWorld({ url: url.replace(/\/mcp$/, ''), token }).wait();
    await begun.opened;
    await afterSilence(waits(10));
    silence.open();
    assert.equal((await waited).virtualTimeUs, 7);
  });

  for (const accept of ['application/json', 'text/event-stream']) {
    test(`${engine}: a client that goes away ends its wait (${accept})`, async () => {
      const abort = new AbortController();
      await new Promise<void>((resolve, reject) => {
        wait(
          {
            meanwhile: async ({ signal }) => {
              const ended = new Promise<void>((heard) => signal?.addEventListener('abort', () => heard()));
              abort.abort();
              await ended;
              resolve();
            },
          },
          { accept, signal: abort.signal },
        ).then(
          ({ body }) => body?.cancel(),
          (error: Error) => error.name === 'AbortError' || reject(error),
        );
      });
    });
  }
}

async function waits(turns: number): Promise<void> {
  for (let n = 0; n < turns; n++) await turn();
}
