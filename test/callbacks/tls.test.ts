// Receivers over TLS: real handshakes, with an authority that the test makes and a process that trusts it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { drillyard } from '../cli/cli.js';
import { createRepository, drill, moduleAgent } from '../drills/repository.js';
import { type Certificate, createAuthority } from './certificates.js';

const folder = mkdtempSync(join(tmpdir(), 'drillyard-tls-'));
const authority = createAuthority();
const trusted = join(folder, 'authority.pem');
writeFileSync(trusted, authority.cert);
const secret = 'a secret of this receiver';

/** Answers 204; `called` counts the requests that came through. */
async function receiverFor(t: TestContext, certificate: Certificate): Promise<{ port: number; called: () => number }> {
  let called = 0;
  const server = createServer({ ...certificate }, (request, response) => {
    called += 1;
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, called: () => called };
}

after(() => rmSync(folder, { recursive: true, force: true }));

// SEND-2
test('a certificate must be in date, of an authority that is trusted, and of the name that was asked for', async (t) => {
  const issued = (name: string, until?: number) => receiverFor(t, authority.issue(name, until));
  const [good, expired, other, stranger] = await Promise.all([
    issued('localhost'),
    issued('localhost', 2021),
    issued('elsewhere.test'),
    receiverFor(t, createAuthority().issue('localhost')),
  ]);
  const urls = [...[good, expired, other, stranger].map(({ port }) => `https://localhost:${port}`), `https://127.0.0.1:${good.port}`];
  const program = `
    const { send } = await import(${JSON.stringify(new URL('../../src/callbacks/send.js', import.meta.url).href)});
    const { isLoopbackAddress, isPublicAddress } = await import(${JSON.stringify(new URL('../../src/callbacks/addresses.js', import.meta.url).href)});
    const request = { method: 'POST', path: '/in', headers: {}, bodyBase64: '', timeoutMs: 5000,
      signature: { kind: 'hmac-sha256', header: 'x-signature', prefix: '' } };
    const tell = (url, isAllowed) => send(request, { url, secret: ${JSON.stringify(secret)}, isAllowed, signals: [] });
    const answers = await Promise.all(${JSON.stringify(urls)}.map((url) => tell(url, isLoopbackAddress)));
    // The rule of the hosted service checks the address before the first byte of a handshake.
    answers.push(await tell(${JSON.stringify(urls[0])}, isPublicAddress));
    console.log(JSON.stringify(answers.map(({ status, reason }) => status ?? reason)));`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: trusted };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env });
  assert.deepEqual(JSON.parse(stdout), [204, 'connection', 'connection', 'connection', 'connection', 'address_refused']);
  assert.deepEqual([good.called(), expired.called(), other.called(), stranger.called()], [1, 0, 0, 0]);
});

test('a drill delivers to a receiver over https', async (t) => {
  const receiver = await receiverFor(t, authority.issue('localhost'));
  const delivered = {
    id: 'reported',
    kind: 'callback.count',
    packageId: 'notes',
    callbackId: 'reported',
    phase: 'delivered',
    count: { equals: 1 },
  };
  const repository = createRepository({
    ...moduleAgent('agent', "await context.world.call('notes', 'note.write', { id: 'a', text: 'one' });"),
    ...drill('tells', 'agent', [delivered]),
  });
  t.after(() => repository.remove());
  const env = { NODE_EXTRA_CA_CERTS: trusted, DRILLYARD_RECEIVER_SECRET_LISTENER: secret };
  const run = await drillyard(['run', `--receiver=listener=https://localhost:${receiver.port}`], { cwd: repository.root, env });
  assert.equal(run.code, 0, run.stdout + run.stderr);
  assert.equal(receiver.called(), 1);
});
