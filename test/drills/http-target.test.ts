// HTTP agents: a real server of every temper. What it is asked, and what each of its answers is called.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, test } from 'node:test';
import type { JsonValue } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import { isLoopback } from '../../src/contract/run/http-agent.js';
import type { HttpTarget } from '../../src/contract/run/target.js';
import { loopbackOnly } from '../../src/drills/targets/loopback-only.js';
import { Targets } from '../../src/drills/targets/targets.js';
import { createAuthority } from '../callbacks/certificates.js';
import { invocation, recordedAccess, root, run } from './targets-kit.js';

const open: { close(): void; closeAllConnections?(): void }[] = [];
after(() => {
  for (const server of open) {
    server.closeAllConnections?.();
    server.close();
  }
});

interface Asked {
  method: string | undefined;
  headers: IncomingMessage['headers'];
  body: { environment: { [name: string]: string } };
}
async function agent(answer: (response: ServerResponse, asked: Asked) => void): Promise<HttpTarget> {
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    answer(response, { method: request.method, headers: request.headers, body: JSON.parse(text) as Asked['body'] });
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return at(`http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`);
}
const at = (url: string, more: Partial<HttpTarget> = {}): HttpTarget => ({
  kind: 'http',
  id: 'service',
  bindings: ['http', 'cli'],
  url,
  method: 'POST',
  headersFromEnvironment: {},
  timeoutMs: 5000,
  ...more,
});
const json = (response: ServerResponse, value: unknown, type = 'application/json', status = 200) => {
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(value));
};

test('it is asked with the invocation and what a command finds in its environment; 200 with JSON is its output', async () => {
  process.env.DRILLYARD_TEST_AGENT_KEY = 'Bearer key-of-the-agent';
  let asked: Asked | undefined;
  const target = await agent((response, what) => {
    asked = what;
    json(response, { said: [what.headers['x-key'], what.body.environment.SERVICE_HTTP_TOKEN, 'TOKEN-OF-HTTP'] });
  });
  const mapped = { headersFromEnvironment: { 'X-Key': 'DRILLYARD_TEST_AGENT_KEY', 'X-None': 'DRILLYARD_TEST_ABSENT' } };
  const { status, output, error } = await run({ ...target, ...mapped, method: 'PUT', bindingEnvironment: { DESK: 'SERVICE_HTTP_URL' } });
  assert.equal(status, 'completed', error?.message);
  assert.deepEqual(output, { said: ['[redacted]', '[redacted]', '[redacted]'] });
  const { environment, ...reported } = asked!.body as Asked['body'] & { [name: string]: unknown };
  assert.deepEqual(reported, invocation('one'));
  const [url, http, cli] = ['http://127.0.0.1:1', 'TOKEN-OF-HTTP', 'TOKEN-OF-CLI'];
  const variables = Object.entries({ HTTP_URL: url, HTTP_TOKEN: http, CLI_URL: url, CLI_TOKEN: cli });
  const bound = variables.flatMap(([name, value]) => ['SERVICE', 'OTHER'].map((prefix) => [`${prefix}_${name}`, value]));
  assert.deepEqual(environment, { ...Object.fromEntries(bound), DESK: url });
  const { method, headers } = asked!;
  assert.deepEqual(
    [method, headers['x-key'], headers['x-none'], headers['content-type']],
    ['PUT', 'Bearer key-of-the-agent', undefined, 'application/json'],
  );
});

test('204 and an empty 200 are a success without output', async () => {
  for (const status of [204, 200]) {
    const { status: reported, output } = await run(await agent((response) => response.writeHead(status).end()));
    assert.deepEqual([reported, output], ['completed', undefined]);
  }
});

test('a whole result: failure, log and attachments', async () => {
  const attachments = [
    { name: '../shot.png', base64: 'iVBO' },
    { name: 'note.txt', text: 'token TOKEN-OF-HTTP' },
  ];
  const result = { status: 'failed', error: { message: 'I gave up', details: { step: 3 } }, log: 'one\ntwo TOKEN-OF-CLI\n', attachments };
  const { status, error, log, files } = await run(
    await agent((response) => json(response, result, 'application/vnd.drillyard.result+json')),
  );
  assert.deepEqual([status, error?.code, error?.message, error?.details], ['failed', 'target.AGENT_FAILED', 'I gave up', { step: 3 }]);
  assert.equal(log, 'one\ntwo [redacted]\n');
  assert.deepEqual(
    files.map(({ name, mediaType, bytes, redaction }) => [name, mediaType, Buffer.from(bytes).toString('latin1'), redaction?.status]),
    [
      ['shot.png', 'image/png', '\x89PN', 'not_applied'],
      ['note.txt', 'text/plain', 'token [redacted]', 'applied'],
    ],
  );
  for (const [type, text] of [
    ['application/json', '{"n":-1e400}'],
    ['application/vnd.drillyard.result+json', '{"status":"completed","output":{"n":1e400}}'],
  ] as const) {
    const beyond = await run(await agent((response) => response.writeHead(200, { 'content-type': type }).end(text)));
    assert.equal(beyond.error?.code, 'target.OUTPUT_INVALID', text);
  }
  const deep = (levels: number): JsonValue => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  for (const [levels, expected] of [
    [limits.jsonDepthMax, 'completed'],
    [limits.jsonDepthMax + 1, 'failed'],
  ] as const) {
    const nested = { status: 'completed', output: deep(levels) };
    const ended = await run(await agent((response) => json(response, nested, 'application/vnd.drillyard.result+json')));
    assert.equal(ended.status, expected, `${levels} levels`);
  }
  const broken = await run(await agent((response) => json(response, { status: 'done' }, 'application/vnd.drillyard.result+json')));
  assert.deepEqual([broken.error?.code, broken.error?.issues[0]?.path], ['target.OUTPUT_INVALID', '/status']);
});

test('each answer that is no success has its own code', async () => {
  const cases: [code: string, answer: (response: ServerResponse) => void, retryable?: boolean][] = [
    ['target.REDIRECTED', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['target.HTTP_STATUS', (response) => json(response, { ok: true }, 'application/json', 201)],
    ['target.HTTP_STATUS', (response) => json(response, { why: 'TOKEN-OF-HTTP' }, 'application/json', 500), true],
    ['target.HTTP_STATUS', (response) => json(response, {}, 'application/json', 404)],
    ['target.RESPONSE_TYPE', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('{}')],
    ['target.RESPONSE_TYPE', (response) => response.writeHead(200, { 'content-type': 'application/json; charset=latin1' }).end('{}')],
    [
      'target.RESPONSE_TYPE',
      (response) => response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('{}'),
    ],
    ['target.OUTPUT_INVALID', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<html>')],
    ['target.OUTPUT_INVALID', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{} {}')],
    [
      'target.CONNECTION_LOST',
      (response) =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' }).write('{', () => response.destroy()),
      true,
    ],
    ['target.CONNECTION_LOST', (response) => response.destroy(), true],
    ['target.RESPONSE_INVALID', (response) => response.socket?.end('HTTP/1.1 banana\r\n\r\n')],
    [
      'target.RESPONSE_INVALID',
      (response) => response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    ['target.RESPONSE_INVALID', (response) => response.writeHead(200, { 'x-long': 'x'.repeat(2 * limits.headerBytesMax) }).end()],
  ];
  for (const [code, answer, retryable = false] of cases) {
    const { status, error } = await run(await agent(answer));
    assert.deepEqual([status, error?.code, error?.retryable], ['failed', code, retryable], error?.message);
    assert.doesNotMatch(JSON.stringify(error), /TOKEN/);
  }
});

test('a flood is read to its bound and no further', async () => {
  let sent = 0;
  const target = await agent((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = ' '.repeat(1 << 18);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on('drain', more);
    more();
  });
  assert.equal((await run(target)).error?.code, 'target.OUTPUT_TOO_LARGE');
  assert.ok(sent < 64 * 1024 * 1024);
});

test('one that hangs loses its access, then its connection', async () => {
  const recorded = recordedAccess();
  let gone: Promise<boolean> | undefined;
  const target = await agent((response) => {
    gone = new Promise((resolve) => response.once('close', () => resolve(recorded.revoked)));
  });
  const { status, error } = await run(target, { timeoutMs: 300, recorded });
  assert.deepEqual([status, error?.code, await gone], ['timed_out', 'target.TIMED_OUT', true]);
  const abort = new AbortController();
  const cancelled = run(await agent(() => abort.abort()), { signal: abort.signal });
  assert.equal((await cancelled).status, 'cancelled');
});

test('one that is not there, or hangs up at once', async () => {
  const silent = createTcpServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  assert.equal((await run(at(`http://127.0.0.1:${port}/`))).error?.code, 'target.CONNECTION_LOST');
  await new Promise((resolve) => silent.close(resolve));
  const { error } = await run(at(`http://127.0.0.1:${port}/`));
  assert.deepEqual([error?.code, error?.details.code, error?.retryable], ['target.UNREACHABLE', 'ECONNREFUSED', true]);
});

test('one whose certificate nobody trusts, or that speaks no TLS, was never connected to, and the message says what to do', async () => {
  const server = createTlsServer(createAuthority().issue('localhost'), (_, response) => response.end('{}'));
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const untrusted = (await run(at(`https://localhost:${port}/`))).error;
  assert.deepEqual([untrusted?.code, untrusted?.retryable], ['target.UNREACHABLE', false]);
  assert.match(untrusted!.message, /cannot be made: .* NODE_EXTRA_CA_CERTS names a file of certificates/);
  const { url } = await agent((response) => response.end('{}'));
  const plain = (await run(at(url.replace('http:', 'https:')))).error;
  assert.equal(plain?.code, 'target.UNREACHABLE');
  assert.match(plain.message, /cannot be made: it does not answer in TLS/);
});

test('another machine is refused, however it is written, unless that is allowed', async () => {
  for (const host of ['192.0.2.1', '[::ffff:192.0.2.1]', '0.0.0.0', '[2001:db8::1]', '3221225985', '0xc0.0.2.1'])
    assert.equal((await run(at(`http://${host}:9/`))).error?.code, 'target.ADDRESS_REFUSED', host);
  const looked = async (addresses: string[]) =>
    await new Promise((resolve) =>
      loopbackOnly((_, __, done) =>
        done(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
      )('name', { all: true }, (error, found) => resolve(error === null ? found : (error as NodeJS.ErrnoException).code)),
    );
  assert.equal(await looked(['127.0.0.1', '192.0.2.1']), 'ADDRESS_REFUSED');
  assert.equal(await looked([]), 'ADDRESS_REFUSED');
  assert.deepEqual(await looked(['127.0.0.1']), [{ address: '127.0.0.1', family: 4 }]);
  assert.deepEqual(['127.1.2.3', '::1', '::ffff:127.0.0.1', 'localhost', '::', '10.0.0.1'].map(isLoopback), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  const anywhere = new Targets({ root, isolation: 'thread', prefixes: [], allowRemote: true });
  const target = await agent((response) => json(response, 'here'));
  const request = { invocation: invocation('one'), access: recordedAccess().access, timeoutMs: 5000, signal: new AbortController().signal };
  assert.equal((await anywhere.runnerFor({ ...target, url: target.url.replace('127.0.0.1', '0.0.0.0') }).run(request)).output, 'here');
  await anywhere.close();
});

test('what cannot be asked is not', async () => {
  process.env.DRILLYARD_TEST_BAD_VALUE = 'two\r\nlines';
  const target = await agent((response) => json(response, 1));
  for (const wrong of [
    { url: 'ftp://127.0.0.1/' },
    { url: 'http://127.0.0.1:99999/' },
    { url: target.url.replace('//', '//user:word@') },
    { headersFromEnvironment: { 'bad name': 'PATH' } },
    { headersFromEnvironment: { Host: 'PATH' } },
    { headersFromEnvironment: { 'x-value': 'DRILLYARD_TEST_BAD_VALUE' } },
  ])
    assert.equal((await run({ ...target, ...wrong })).error?.code, 'target.REQUEST_INVALID', JSON.stringify(wrong));
  assert.equal((await run({ ...target, url: target.url.replace('127.0.0.1', 'localhost') })).output, 1);
});
