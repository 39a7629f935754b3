// The client against real servers: what it sends, what it makes of the answers, when it tries again.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { type Client, createClient } from '../../src/client/client.js';
import { ControlError, OperationError } from '../../src/client/control-error.js';
import { ServiceError } from '../../src/contract/errors.js';
import { type Asked, engines, type FakeControl, fakeControl, ids } from '../http/fake-control.js';
import { until } from '../until.js';

const { projectId, environmentId, sessionId, operationId } = ids;
const clientOf = (fake: FakeControl, credential = 'good'): Client =>
  createClient({ baseUrl: `${fake.url}/`, credential, retries: 3, timeoutMs: 5000 });
const busy = (retryAfterMs: number): never => {
  throw new ServiceError('control.WORLD_BUSY', { retryAfterMs });
};

for (const engine of engines) {
  test(`${engine}: calls carry path, query, body and a key of their own`, async () => {
    const fake = await fakeControl(engine);
    const client = clientOf(fake);
    await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
    await client.call('createSession', { path: { projectId, environmentId }, body: { seed: '1' } }, { idempotencyKey: 'mine-0000001' });
    await client.listState({ path: { projectId, sessionId }, query: { packageId: 'desk', namespace: 'tickets', limit: 3 } });
    await client.getMe();
    await client.cancelOperation({ path: { projectId, operationId } });
    await client.revokeCredential({ path: { credentialId: ids.credentialId }, body: { confirm: ids.credentialId } });
    const [first, second, state] = fake.asked;
    assert.match(first?.context.idempotencyKey ?? '', /^[A-Za-z0-9-]{36}$/);
    assert.equal(second?.context.idempotencyKey, 'mine-0000001');
    assert.deepEqual({ ...(state?.query as object) }, { packageId: 'desk', namespace: 'tickets', limit: 3 });
    assert.deepEqual(
      fake.asked.map(({ id }) => id),
      ['createSession', 'createSession', 'listState', 'getMe', 'cancelOperation', 'revokeCredential'],
    );
  });

  test(`${engine}: bytes go both ways, and an answer tells of its replay`, async () => {
    const fake = await fakeControl(engine);
    const client = clientOf(fake);
    const path = { projectId, hostedRunId: ids.hostedRunId, attachmentId: ids.attachmentId };
    await client.putAttachmentContent({ path, body: new Uint8Array([0, 1, 255]) });
    assert.deepEqual(new Uint8Array(fake.asked[0]?.body as Uint8Array), new Uint8Array([0, 1, 255]));
    fake.answer = () => new Uint8Array([31, 139]);
    const archive: Uint8Array = await client.getSourceArchive({ path: { projectId, sourceDraftId: ids.sourceDraftId, revision: 1 } });
    assert.deepEqual(archive, new Uint8Array([31, 139]));
    fake.answer = () => ({ project: { projectId } });
    fake.replayed = true;
    const { status, replayed, correlationId, reply } = await client.send('createProject', { body: { name: 'One' } });
    assert.deepEqual({ status, replayed, reply }, { status: 200, replayed: true, reply: { project: { projectId } } });
    assert.match(correlationId, /^corr_/);
  });

  test(`${engine}: a refusal that may pass is tried again with the same key, not sooner than it says`, async () => {
    const fake = await fakeControl(engine);
    fake.answer = () => (fake.asked.length < 3 ? busy(150) : { project: {} });
    const began = performance.now();
    await clientOf(fake).createProject({ body: { name: 'One' } });
    assert.ok(performance.now() - began >= 295);
    assert.equal(fake.asked.length, 3);
    assert.equal(new Set(fake.asked.map(({ context }) => context.idempotencyKey)).size, 1);
  });

  test(`${engine}: other refusals are thrown at once, and so is the last of many`, async () => {
    const fake = await fakeControl(engine);
    const client = clientOf(fake);
    fake.answer = () => {
      throw new ServiceError('control.VERSION_CONFLICT', { details: { version: 4 } });
    };
    const call = client.updateProject({ path: { projectId }, body: { name: 'Two', expectedVersion: 1 } });
    await assert.rejects(
      call,
      (error) =>
        error instanceof ControlError &&
        error.code === 'control.VERSION_CONFLICT' &&
        error.status === 409 &&
        error.envelope.details?.version === 4,
    );
    assert.equal(fake.asked.length, 1);
    fake.answer = () => busy(1);
    await assert.rejects(client.getMe(undefined, { retries: 2 }), { code: 'control.WORLD_BUSY' });
    assert.equal(fake.asked.length, 4);
    // Nobody wants to wait for an hour.
    fake.answer = () => busy(3_600_000);
    await assert.rejects(client.getMe(), { code: 'control.WORLD_BUSY' });
    assert.equal(fake.asked.length, 5);
    await assert.rejects(clientOf(fake, 'nobody').getMe(), { code: 'control.UNAUTHENTICATED' });
  });

  test(`${engine}: pages are followed to the last one`, async () => {
    const fake = await fakeControl(engine);
    fake.answer = ({ query }) => {
      const { cursor } = query as { cursor?: string };
      return cursor === undefined
        ? { items: [1], nextCursor: 'a+b/c' }
        : cursor === 'a+b/c'
          ? { items: [2], nextCursor: 'd' }
          : { items: [3] };
    };
    const items: unknown[] = [];
    for await (const page of clientOf(fake).pages('listSessions', { path: { projectId }, query: { limit: 1, state: 'live' } }))
      items.push(...page.items);
    assert.deepEqual(items, [1, 2, 3]);
    for (const { query } of fake.asked) assert.equal((query as { state?: string }).state, 'live');
    fake.answer = ({ query }) =>
      (query as { fromSequence?: number }).fromSequence === 201 ? { entries: [] } : { entries: [], nextSequence: 201 };
    let pages = 0;
    for await (const _ of clientOf(fake).pages('listEvidence', { path: { projectId, sessionId } })) pages++;
    assert.equal(pages, 2);
  });

  test(`${engine}: an operation is waited for, and its failure thrown`, async () => {
    const fake = await fakeControl(engine);
    const states = ['pending', 'running', 'succeeded'];
    fake.answer = () => ({ operation: { operationId, state: states.shift() } });
    const seen: string[] = [];
    const ended = await clientOf(fake).waitForOperation({ projectId, operationId }, { onLook: ({ state }) => seen.push(state) });
    assert.equal(ended.state, 'succeeded');
    assert.deepEqual(seen, ['pending', 'running', 'succeeded']);
    fake.answer = () => ({ operation: { kind: 'build.compile', state: 'failed', error: { code: 'tool.BROKEN', message: 'It broke.' } } });
    await assert.rejects(
      clientOf(fake).waitForOperation({ projectId, operationId }),
      (error) => error instanceof OperationError && /build.compile failed: tool.BROKEN/.test(error.message),
    );
    fake.answer = () => ({ operation: { state: 'running' } });
    const signal = AbortSignal.timeout(60);
    await assert.rejects(clientOf(fake).waitForOperation({ projectId, operationId }, { signal }), { name: 'TimeoutError' });
  });

  test(`${engine}: withSession destroys whatever happened, at the generation of that moment`, async () => {
    const fake = await fakeControl(engine);
    const session = { sessionId, state: 'ready', leaseGeneration: 1 };
    const run = { revision: 3 };
    let owned = true;
    fake.answer = ({ id, body }: Asked): unknown => {
      const { expectedLeaseGeneration } = (body ?? {}) as { expectedLeaseGeneration?: number };
      if (id === 'getOperation') return { operation: { operationId, state: 'succeeded' } };
      if (id === 'cancelRun') owned = false;
      if (id === 'getRun' || id === 'cancelRun') return { run };
      if (id === 'destroySession' && expectedLeaseGeneration !== session.leaseGeneration) throw new ServiceError('control.LEASE_CONFLICT');
      if (id === 'destroySession' && owned) throw new ServiceError('world.RUN_OWNS_LEASE', { details: { hostedRunId: ids.hostedRunId } });
      return { session: { ...session }, operation: { operationId } };
    };
    const client = clientOf(fake);
    const got = await client.withSession({ projectId, environmentId, seed: '7' }, async (ready, path) => {
      session.leaseGeneration = 4;
      assert.deepEqual(path, { projectId, sessionId });
      return ready.state;
    });
    assert.equal(got, 'ready');
    assert.deepEqual(fake.asked[0]?.body, { seed: '7' });
    const destroyed = () =>
      fake.asked
        .filter(({ id }) => id === 'destroySession')
        .map(({ body }) => (body as { expectedLeaseGeneration: number }).expectedLeaseGeneration);
    assert.deepEqual(destroyed(), [4, 4]);
    assert.equal(fake.asked.filter(({ id }) => id === 'cancelRun').length, 1);
    await assert.rejects(
      client.withSession({ projectId, environmentId, seed: '7' }, async () => {
        throw new Error('the work failed');
      }),
      { message: 'the work failed' },
    );
    assert.equal(destroyed().length, 3);
  });

  test(`${engine}: an abort ends a call, also while it waits to try again`, async () => {
    const fake = await fakeControl(engine);
    fake.answer = () => busy(50_000);
    const abort = new AbortController();
    const call = clientOf(fake).getMe(undefined, { signal: abort.signal });
    await until(() => fake.asked.length > 0);
    abort.abort(new Error('enough'));
    await assert.rejects(call, { message: 'enough' });
    assert.equal(fake.asked.length, 1);
  });
}

test('connections that break are tried again, a reply that is nobody of ours is reported as such', async () => {
  let connections = 0;
  const reply = (status: string, body: string): string =>
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    if (connections === 1) socket.destroy();
    else
      socket.once('data', () =>
        socket.end(
          connections === 2
            ? reply('502 Bad Gateway', '<html>')
            : connections === 3
              ? reply('200 OK', '{"ok":true}')
              : reply('418 Teapot', '{}'),
        ),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, credential: 'good' });
  try {
    assert.deepEqual(await client.getMe(), { ok: true });
    assert.equal(connections, 3);
    await assert.rejects(client.getMe(), (error) => error instanceof ControlError && error.status === 418 && !error.retryable);
    assert.equal(connections, 4);
  } finally {
    server.close();
  }
});

test('a try that takes too long is given up, and the next one may succeed', async () => {
  let tries = 0;
  const fetch: typeof globalThis.fetch = (_, init) => {
    tries++;
    if (tries > 1) return Promise.resolve(new Response('{"ok":true}', { headers: { 'content-type': 'application/json' } }));
    return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  };
  const client = createClient({ baseUrl: 'http://127.0.0.1:9', credential: 'good', fetch, timeoutMs: 30 });
  assert.deepEqual(await client.getMe(), { ok: true });
  assert.equal(tries, 2);
});

/** A client whose every request gets the next of these replies; the last one stays. */
function answered(replies: (() => Response)[], options: { retries?: number } = {}): { client: Client; tries: () => number } {
  let tries = 0;
  const fetch: typeof globalThis.fetch = async () => replies[Math.min(tries++, replies.length - 1)]!();
  return { client: createClient({ baseUrl: 'http://127.0.0.1:9', credential: 'good', fetch, ...options }), tries: () => tries };
}
const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const restarting = (headers: { [name: string]: string } = {}): Response => new Response('<h1>503</h1>', { status: 503, headers });

// RETRY-1
test('a service that restarts is waited for where nobody says how often, and as often as somebody says', async () => {
  const patient = answered([...Array.from({ length: 5 }, () => () => restarting()), () => json({ ok: true })]);
  assert.deepEqual([await patient.client.getMe(), patient.tries()], [{ ok: true }, 6]);
  const counted = answered([() => restarting()], { retries: 1 });
  await assert.rejects(counted.client.getMe(), { code: 'control.UNAVAILABLE' });
  assert.equal(counted.tries(), 2);
  await assert.rejects(counted.client.getMe(undefined, { retries: 0 }), { code: 'control.UNAVAILABLE' });
  assert.equal(counted.tries(), 3);
});

test('Retry-After is heard where a proxy answers', async () => {
  const asked = async (retryAfter: string): Promise<number | undefined> => {
    const { client } = answered([() => restarting({ 'retry-after': retryAfter })], { retries: 0 });
    return await client.getMe().then(
      () => assert.fail('refused'),
      (error) => (error as ControlError).envelope.retryAfterMs,
    );
  };
  assert.deepEqual([await asked('3'), await asked('soon'), await asked('-1')], [3000, undefined, undefined]);
  const later = (await asked(new Date(Date.now() + 60_000).toUTCString())) ?? 0;
  assert.ok(later > 0 && later <= 60_000, String(later));
  // Longer than anybody waits: thrown at once.
  const long = answered([() => restarting({ 'retry-after': '3600' })]);
  await assert.rejects(long.client.getMe(), { code: 'control.UNAVAILABLE' });
  assert.equal(long.tries(), 1);
});

test('of a refusal whose members are not as they should be, those are left out', async () => {
  const issue = { path: '/a', code: 'type', message: 'is wrong' };
  const envelope = { code: 'control.INVALID_REQUEST', message: 'no', retryable: 'yes', retryAfterMs: 'abc', details: [1], source: 7 };
  for (const [issues, kept] of [
    [{ a: 1 }, undefined],
    [[null, { path: 1 }, issue], [issue]],
  ] as const) {
    const { client } = answered([() => json({ ...envelope, issues }, 400)]);
    await assert.rejects(client.getMe(), (error) => {
      const { envelope: got } = error as ControlError;
      const whole = { code: 'control.INVALID_REQUEST', message: 'no', correlationId: 'none', retryable: false, source: 'platform' };
      assert.deepEqual(got, { ...whole, ...(kept === undefined ? {} : { issues: kept }) });
      return true;
    });
  }
});

test('what is no service is named as none, and a body that does not end is not read to its end', async () => {
  const html = answered([() => new Response('<h1>login</h1>', { headers: { 'content-type': 'text/html' } })]);
  await assert.rejects(html.client.getMe(), { message: /http:\/\/127\.0\.0\.1:9 is not a Drillyard service: it answers with text\/html/ });
  const broken = answered([() => new Response('{"a":', { headers: { 'content-type': 'application/json' } })]);
  await assert.rejects(broken.client.getMe(), { message: /is not a Drillyard service: what it answers is not JSON/ });
  const endless = (status: number) =>
    answered([
      () =>
        new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(0x200_0000)) }), {
          status,
          headers: { 'content-type': 'application/json' },
        }),
    ]).client.getMe();
  await assert.rejects(endless(200), { message: /is larger than/ });
  await assert.rejects(endless(400), { message: /is not of the service/ });
});

test('a file that is larger than its bound is refused, at once where its length says so, and is not read to its end', async () => {
  const piece = new Uint8Array(0x200_0000);
  const archive = (body: ReadableStream, headers: { [name: string]: string } = {}) =>
    answered([() => new Response(body, { headers: { 'content-type': 'application/gzip', ...headers } })]).client.getSourceArchive({
      path: { projectId: 'prj_0123456789ab' as never, sourceDraftId: 'draft_0123456789ab' as never, revision: 1 },
    });
  const message = /^control\.UNAVAILABLE: A reply of \S+ is larger than 2147483648 bytes\. Read such a file as a stream/;
  let pulled = 0;
  const endless = () =>
    new ReadableStream({
      pull: (controller) => {
        pulled++;
        controller.enqueue(piece);
      },
    });
  await assert.rejects(archive(endless(), { 'content-length': String(0x8000_0001) }), { message });
  assert.ok(pulled <= 1, `${pulled} pieces were read`);
  await assert.rejects(archive(endless()), { message });
  const whole = await archive(new Blob([new Uint8Array([1, 2, 3])]).stream(), { 'content-length': '3' });
  assert.deepEqual([...whole], [1, 2, 3]);
});

// PAGES-1
test('a list that names a page again is refused', async () => {
  const cursors = ['a', 'b', 'a'];
  const { client, tries } = answered(cursors.map((nextCursor) => () => json({ items: [], nextCursor })));
  await assert.rejects(
    async () => {
      for await (const _ of client.pages('listSessions', { path: { projectId } }));
    },
    { message: /The pages of listSessions do not end/ },
  );
  assert.equal(tries(), cursors.length);
});

// WITH-SESSION-1
test('withSession ends soon after an abort, though nothing is answered any more', async () => {
  const abort = new AbortController();
  const silent: typeof globalThis.fetch = (url, init) => {
    const { pathname } = new URL(String(url));
    if (pathname.endsWith('/sessions')) return Promise.resolve(json({ session: { sessionId }, operation: { operationId } }, 202));
    return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  };
  const client = createClient({ baseUrl: 'http://127.0.0.1:9', credential: 'good', fetch: silent });
  const work = client.withSession({ projectId, environmentId, seed: '7' }, async () => assert.fail('it is not ready'), {
    signal: abort.signal,
  });
  setImmediate(() => abort.abort(new Error('enough')));
  await assert.rejects(work, { message: 'enough' });
});
