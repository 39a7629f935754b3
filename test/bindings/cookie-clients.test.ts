// Cookies as credentials, sent by clients with a cookie jar of their own that decide by name, domain and path what a request gets: the one
// of Playwright and that of curl. On both servers, of local worlds and of hosted ones.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { request } from 'playwright-core';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { createHostedBindings, hostedPrefix } from '../../src/bindings/hosted-bindings.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { BindingsPort } from '../../src/drills/ports/bindings-port.js';
import { mountAt } from '../../src/http/mount.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { engines } from '../http/fake-control.js';
import { createWire, evidence, openWireWorlds, seen } from './wire-kit.js';

const worlds = await openWireWorlds('cookies');
after(() => worlds.close());
const folder = mkdtempSync(join(tmpdir(), 'drillyard-cookies-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Cookie {
  name: string;
  value: string;
  /** Default all. */
  path?: string;
}
interface Reply {
  status: number;
  text: string;
}
type JarClient = (url: string, cookies: readonly Cookie[]) => Promise<Reply>;

const playwright: JarClient = async (url, cookies) => {
  const { hostname: domain } = new URL(url);
  const jar = cookies.map(({ path = '/', ...cookie }) => ({
    ...cookie,
    ...{ domain, path, expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const },
  }));
  const client = await request.newContext({ storageState: { cookies: jar, origins: [] } });
  try {
    const reply = await client.get(url);
    return { status: reply.status(), text: await reply.text() };
  } finally {
    await client.dispose();
  }
};

const run = promisify(execFile);
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);
/** With a jar in Netscape's format, which it reads and writes. */
const curl: JarClient = async (url, cookies) => {
  const { hostname } = new URL(url);
  const jar = join(folder, 'jar.txt');
  const lines = cookies.map(({ name, value, path = '/' }) => [hostname, 'FALSE', path, 'FALSE', '0', name, value].join('\t'));
  writeFileSync(jar, ['# Netscape HTTP Cookie File', ...lines, ''].join('\n'));
  const { stdout } = await run('curl', ['--silent', '--cookie', jar, '--cookie-jar', jar, '--write-out', '\n%{http_code}', url]);
  const at = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(at + 1)), text: stdout.slice(0, at) };
};
const clients: readonly { name: string; ask: JarClient; skip: string | false }[] = [
  { name: 'Playwright', ask: playwright, skip: false },
  { name: 'curl', ask: curl, skip: hasCurl ? false : 'curl is not installed' },
];

for (const engine of engines) {
  const local = createBindings({ engine });
  after(() => local.close());
  // On port 0, so the service knows its URL when it listens.
  let hosted: ReturnType<typeof createHostedBindings> | undefined;
  const server = await startHttpServer({
    ...{ host: '127.0.0.1', port: 0, engine },
    handler: mountAt(
      hostedPrefix,
      (asked) => hosted?.handler(asked) ?? { status: 503 },
      () => ({ status: 418 }),
    ),
  });
  hosted = createHostedBindings({
    publicUrl: `http://127.0.0.1:${server.port}`,
    nowMs: () => 1000,
    onFailure: ({ error }) => assert.ifError(error),
  });
  after(async () => {
    await hosted?.close();
    await server.close();
  });
  const places: readonly [string, BindingsPort][] = [
    ['local', local],
    ['hosted', hosted],
  ];

  for (const [place, bindings] of places)
    for (const { name, ask, skip } of clients)
      test(`${engine}, ${place}: the jar of ${name} opens a route whose credential is a cookie, and nothing else does`, {
        skip,
      }, async () => {
        const world = await createWire(worlds);
        const access = await bindings.open({ world, actorId: 'agent', bindings: ['http'] });
        const { url, token } = access.endpoints.http ?? assert.fail();
        const session: Cookie = { name: 'session', value: token };
        const theme: Cookie = { name: 'theme', value: 'dark' };
        const reply = await ask(`${url}/session`, [theme, session]);
        assert.equal(reply.status, 200, reply.text);
        const shown = JSON.parse(reply.text) as JsonObject;
        assert.deepEqual((seen(shown).headers as JsonObject).cookie, ['theme=dark'], 'decode gets the other cookies alone');
        assert.ok(!JSON.stringify(await evidence(world)).includes(token));

        const refused: [string, Cookie[]][] = [
          ['/session', []],
          ['/session', [{ ...session, value: `${token}x` }]],
          ['/session', [{ ...session, name: 'Session' }]],
          // The jar keeps it for other paths.
          ['/session', [{ ...session, path: '/elsewhere' }]],
          // A route that takes the token at another place.
          ['/notes/n1', [session]],
        ];
        for (const [path, cookies] of refused) assert.equal((await ask(url + path, cookies)).status, 401, JSON.stringify([path, cookies]));
        const bearer = await fetch(`${url}/session`, { headers: { authorization: `Bearer ${token}` } });
        assert.equal(bearer.status, 401);
        const operations = (await evidence(world)).filter(({ kind }) => kind === 'operation');
        assert.equal(operations.length, 1, 'what is refused is no call');
        await access.revoke();
        assert.equal((await ask(`${url}/session`, [session])).status, 401);
      });
}
