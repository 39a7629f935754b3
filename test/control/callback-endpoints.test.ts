// Callback receivers: which origins may be one, and how they come to be used.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { callbackEndpoints } from '../../src/control/organizations/callback-endpoints.js';
import { requireApprovedReceivers, requireOrigin } from '../../src/control/organizations/callback-receiver-records.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import fc from '../fast-check.js';
import { type ControlKit, openControlKit } from './control-kit.js';

const kit: ControlKit = await openControlKit({
  endpoints: (services) => ({ ...callbackEndpoints(services), ...projectEndpoints(services) }),
});
after(() => kit.close());
const { call, organizationId, projectId } = kit;
const originOf = (text: string) => requireOrigin(text, { allowLoopbackReceivers: false, receiverPorts: [443, 8443] });
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;
const register = async () =>
  (await call('createCallbackReceiver', { body: { receiverId: 'hook', origin: 'https://hooks.example.com:8443' } })).callbackReceiver;
const change = (id: string, expectedVersion: number) => ({ path: { callbackReceiverBindingId: id }, body: { expectedVersion } });

test('registered, approved, revoked, and never back', async () => {
  const receiver = await register();
  const id = receiver.callbackReceiverBindingId;
  assert.deepEqual([receiver.state, receiver.version, receiver.origin], ['pending', 1, 'https://hooks.example.com:8443']);
  const { view } = kit.services.catalog;
  const use = () => requireApprovedReceivers(view, { organizationId, projectId, ids: [id] });
  assert.throws(use, (error: ServiceError) => error.code === 'control.STATE_CONFLICT' && error.extra.details?.state === 'pending');
  await assert.rejects(call('approveCallbackReceiver', change(id, 2)), refused('control.VERSION_CONFLICT'));
  const approved = (await call('approveCallbackReceiver', change(id, 1))).callbackReceiver;
  assert.deepEqual([approved.state, approved.version], ['approved', 2]);
  use();
  await assert.rejects(call('approveCallbackReceiver', change(id, 2)), refused('control.STATE_CONFLICT'));
  assert.equal((await call('revokeCallbackReceiver', change(id, 2))).callbackReceiver.state, 'revoked');
  assert.throws(use, refused('control.STATE_CONFLICT'));
  for (const to of ['approveCallbackReceiver', 'revokeCallbackReceiver'] as const)
    await assert.rejects(call(to, change(id, 3)), refused('control.STATE_CONFLICT'));
  const waiting = await register();
  assert.equal((await call('revokeCallbackReceiver', change(waiting.callbackReceiverBindingId, 1))).callbackReceiver.state, 'revoked');
});

test('a receiver belongs to its project', async () => {
  const { callbackReceiverBindingId: id } = await register();
  const { project } = await call('createProject', { body: { name: 'other' } });
  const elsewhere = { path: { projectId: project.projectId, callbackReceiverBindingId: id }, body: { expectedVersion: 1 } };
  await assert.rejects(call('approveCallbackReceiver', elsewhere), refused('control.NOT_FOUND'));
  assert.throws(
    () => requireApprovedReceivers(kit.services.catalog.view, { organizationId, projectId: project.projectId, ids: [id] }),
    refused('control.NOT_FOUND'),
  );
  assert.deepEqual((await call('listCallbackReceivers', { path: { projectId: project.projectId } })).items, []);
  assert.ok((await call('listCallbackReceivers')).items.some(({ callbackReceiverBindingId }) => callbackReceiverBindingId === id));
});

test('an origin is https, host and port, as browsers write it', () => {
  assert.equal(originOf('https://Hooks.Example.com'), 'https://hooks.example.com');
  assert.equal(originOf('https://hooks.example.com:443'), 'https://hooks.example.com');
  assert.equal(originOf('HTTPS://8.8.8.8:8443'), 'https://8.8.8.8:8443');
  for (const port of [22, 25, 80, 444, 6379, 65535])
    assert.throws(() => originOf(`https://hooks.example.com:${port}`), refused('control.INVALID_REQUEST'));
  assert.equal(requireOrigin('http://127.0.0.1:22', { allowLoopbackReceivers: true, receiverPorts: [] }), 'http://127.0.0.1:22');
  assert.equal(
    requireOrigin('https://a.example.com:444', { allowLoopbackReceivers: false, receiverPorts: [444] }),
    'https://a.example.com:444',
  );
  assert.equal(originOf('https://[2606:4700::1111]'), 'https://[2606:4700::1111]');
  assert.equal(originOf('https://bücher.example.com'), 'https://xn--bcher-kva.example.com');
});

const bad = `http://hooks.example.com ws://a.example.com hooks.example.com //a.example.com https:a.example.com https:/a.example.com https://
https://a.example.com/ https://a.example.com/x https://a.example.com? https://a.example.com?x https://a.example.com#x https://u@a.example.com
https://u:p@a.example.com https://a.example.com:99999 https://a.example.com:x https://a.example.com\\x https://exa%20mple.com https:///a.example.com
javascript:alert(1) file:///etc/passwd`.split(/\s+/);
const inside =
  `localhost a.localhost 127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254
100.64.0.1 198.18.0.1 224.0.0.1 255.255.255.255 [::1] [::] [fe80::1] [fc00::1] [fd12::1] [ff02::1] [::ffff:10.0.0.1] [::ffff:127.0.0.1] [64:ff9b::a00:1] [2002:a00:1::]
[2001:db8::1] intranet db.internal printer.local nas.home.arpa LOCALHOST localhost. 127.0.0.1. metadata.google.internal`.split(/\s+/);

for (const origin of [
  ...bad,
  ...inside.map((host) => `https://${host}`),
  ...inside.map((host) => `https://${host}:8443`),
  'https://a.example.com\n',
  ' https://a.example.com',
]) {
  test(`refused: ${JSON.stringify(origin)}`, () => {
    assert.throws(
      () => originOf(origin),
      (error: ServiceError) => error.code === 'control.INVALID_REQUEST' && error.extra.issues?.[0]?.path === '/origin',
    );
  });
}

test('whatever is accepted is an origin that means itself', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl({ validSchemes: ['https', 'http'] }),
        fc.string({ unit: 'grapheme' }).map((text) => `https://${text}`),
      ),
      (text) => {
        let origin: string;
        try {
          origin = originOf(text);
        } catch (error) {
          assert.ok(error instanceof ServiceError);
          return;
        }
        assert.equal(new URL(origin).origin, origin);
        assert.equal(originOf(origin), origin);
      },
    ),
  );
});
