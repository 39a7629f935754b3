// What a token of the identity provider may say of its subject, and where the provider's keys may come from, against a real key set.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { authEndpoints } from '../../src/control/organizations/auth-endpoints.js';
import { isJwksUrl } from '../../src/control/organizations/jwks-url.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { type ControlKit, type ControlKitOptions, openControlKit } from './control-kit.js';
import { startIdentityProvider } from './identity-provider.js';

const clock = { nowMs: 1_750_000_000_000 };
const provider = await startIdentityProvider(() => clock.nowMs);
const { issuer, audience, jwksUrl } = provider;
const kits: ControlKit[] = [];
async function open(url = jwksUrl, services: ControlKitOptions['services'] = {}): Promise<ControlKit> {
  const identity = { issuer, audience, jwksUrl: url, organizationClaim: 'org', roleClaim: 'role' };
  const kit = await openControlKit({
    endpoints: (services) => ({ ...authEndpoints(services), ...organizationEndpoints(services) }),
    clock,
    services,
    settings: { identity },
  });
  kits.push(kit);
  return kit;
}
after(async () => {
  for (const kit of kits) await kit.close();
  await provider.close();
});
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;

test('a subject is text of 1 to 255 characters; any other is refused, and none is a bug', async () => {
  const kit = await open();
  const org = kit.organizationId;
  const strange: unknown[] = [
    '',
    5,
    null,
    true,
    [],
    ['ada'],
    {},
    'x'.repeat(limits.identitySubjectCharsMax + 1),
    'x'.repeat(5000),
    '€'.repeat(5000),
  ];
  for (const sub of strange) {
    const token = await provider.token({ sub: sub as string, org });
    await assert.rejects(kit.plane.authenticateIdentity(token), refused('control.UNAUTHENTICATED'), JSON.stringify(sub).slice(0, 40));
  }
  // At the bound, in characters that take the most space anywhere; with claims beside it that are as long.
  for (const sub of ['x'.repeat(255), '€'.repeat(255), '\u0000'.repeat(255), '"\\ %!'.repeat(51)]) {
    const caller = await kit.plane.authenticateIdentity(await provider.token({ sub, org, name: '€'.repeat(5000), role: 'viewer' }));
    const { credential, secret } = await kit.call('exchangeIdentityToken', { body: {} }, { caller, key: 'k'.repeat(128) });
    assert.equal(kit.plane.authenticate(secret!).userId, credential.userId);
  }
});

test('an organization claim that is no id of an organization names none', async () => {
  const kit = await open();
  for (const org of ['€'.repeat(255), 'x'.repeat(5000), `${kit.organizationId} `, `\u0000${kit.organizationId}`]) {
    const caller = await kit.plane.authenticateIdentity(await provider.token({ sub: 'ada', org }));
    assert.equal(caller.organizationId, '');
    await assert.rejects(kit.call('exchangeIdentityToken', { body: {} }, { caller }), refused('control.FORBIDDEN'));
  }
});

test('a key set is read up to its bound and no further', async () => {
  const kit = await open();
  const token = await provider.token({ sub: 'ada', org: kit.organizationId });
  provider.fail = 'huge';
  await assert.rejects(kit.plane.authenticateIdentity(token), refused('control.UNAVAILABLE'));
  // What lies in the buffers of two sockets, beyond the bound.
  assert.ok(provider.sentMib() <= limits.jwksBytesMax / 1024 / 1024 + 16, `${provider.sentMib()} MiB were taken`);
  provider.fail = 'redirect';
  await assert.rejects(kit.plane.authenticateIdentity(token), refused('control.UNAVAILABLE'));
  provider.fail = 'no';
  assert.equal((await kit.plane.authenticateIdentity(token)).identity?.subject, 'ada');
});

// PUBLISHED-KEYS-1
test('a new key of the provider works with its first token; keys that nobody has are looked for only so often', async () => {
  const kit = await open();
  const claims = { sub: 'ada', org: kit.organizationId };
  const subjectOf = async (token: string) => (await kit.plane.authenticateIdentity(token)).identity?.subject;
  const early = await provider.token(claims);
  assert.equal(await subjectOf(early), 'ada');
  const before = provider.asked();
  await provider.rotate('two');
  const token = await provider.token(claims);
  assert.deepEqual(await Promise.all(Array.from({ length: 10 }, () => subjectOf(token))), Array(10).fill('ada'));
  assert.equal(provider.asked() - before, 1, 'ten tokens wait for one request');

  clock.nowMs += 1000;
  const strange = await provider.token(claims, { kid: 'strange' });
  await provider.rotate('three');
  const latest = await provider.token(claims);
  const later = (error: unknown) =>
    refused('control.UNAVAILABLE')(error) && (error as ServiceError).extra.retryAfterMs === limits.jwksCoolDownMs - 1000;
  for (const unknown of [strange, latest]) await assert.rejects(subjectOf(unknown), later);
  assert.equal(await subjectOf(token), 'ada');
  assert.equal(provider.asked() - before, 1, 'the provider is left alone');

  clock.nowMs += limits.jwksCoolDownMs - 1000;
  await assert.rejects(subjectOf(strange), refused('control.UNAUTHENTICATED'));
  assert.equal(provider.asked() - before, 2);
  assert.equal(await subjectOf(latest), 'ada');
  await assert.rejects(subjectOf(strange), refused('control.UNAVAILABLE'));
  clock.nowMs -= 3_600_000;
  await assert.rejects(subjectOf(strange), refused('control.UNAUTHENTICATED'), 'a clock that was set back does not keep it from asking');
  clock.nowMs += 3_600_000;
});

// PUBLISHED-KEYS-2
test('a set without a key that can be used is no answer: the former keys stay, and the log has one line', async () => {
  const lines: string[] = [];
  const log = { info: () => {}, warn: (line: string) => void lines.push(line), error: () => {} };
  for (const fail of ['empty', 'useless'] as const) {
    provider.fail = fail;
    const kit = await open(jwksUrl, { log });
    const claims = { sub: 'ada', org: kit.organizationId };
    const subjectOf = async (token: string) => (await kit.plane.authenticateIdentity(token)).identity?.subject;
    const token = await provider.token(claims);
    lines.length = 0;
    for (const _ of [1, 2]) await assert.rejects(subjectOf(token), refused('control.UNAVAILABLE'), fail);
    assert.equal(lines.length, 1, fail);

    provider.fail = 'no';
    assert.equal(await subjectOf(token), 'ada');
    provider.fail = fail;
    await provider.rotate(`after ${fail}`);
    const next = await provider.token(claims);
    for (const _ of [1, 2]) {
      await assert.rejects(subjectOf(next), refused('control.UNAVAILABLE'), fail);
      clock.nowMs += limits.jwksCoolDownMs;
      assert.equal(await subjectOf(token), 'ada', 'the former keys stay');
    }
    assert.equal(lines.length, 2, `${fail}: one line each time that it begins`);
    provider.fail = 'no';
    assert.equal(await subjectOf(next), 'ada');
  }
});

test('the clocks of the provider and the service may differ by 30 seconds', async () => {
  const kit = await open();
  const nowS = clock.nowMs / 1000;
  const toleranceS = limits.identityClockToleranceMs / 1000;
  const verify = async (times: { nbf?: number; exp?: number }) =>
    kit.plane.authenticateIdentity(await provider.token({ sub: 'ada', org: kit.organizationId, ...times }));
  assert.equal(toleranceS, 30);
  for (const held of [{ exp: nowS - toleranceS + 1 }, { nbf: nowS + toleranceS }])
    assert.equal((await verify(held)).identity?.subject, 'ada', JSON.stringify(held));
  for (const late of [{ exp: nowS - toleranceS }, { nbf: nowS + toleranceS + 1 }])
    await assert.rejects(verify(late), refused('control.UNAUTHENTICATED'), JSON.stringify(late));
});

test('keys come over https, or from this machine', async () => {
  for (const url of [
    'https://id.example.com/keys',
    'http://127.0.0.1:8080/keys',
    'http://127.1.2.3/keys',
    'http://[::1]/keys',
    'http://localhost/keys',
  ])
    assert.ok(isJwksUrl(url), url);
  const others = [
    'http://id.example.com/keys',
    'http://10.0.0.1/keys',
    'http://[::ffff:127.0.0.1]/keys',
    'http://localhost.example.com/',
    'ftp://localhost/',
    'keys',
  ];
  for (const url of others) assert.ok(!isJwksUrl(url), url);
  await assert.rejects(open('http://id.example.com/keys'), refused('control.INVALID_REQUEST'));
});
