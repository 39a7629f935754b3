// Membership that follows a real OpenID provider: the tokens, the key set and the discovery document are its own.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { Provider } from 'oidc-provider';
import { ControlError } from '../../src/client/control-error.js';
import { clientOf, startService } from './service.js';

const audience = 'https://drillyard.example';
const secret = 'a-secret-of-the-client';
/** What the directory behind the provider says of a subject now. */
const directory = new Map<string, { org?: string; role?: string }>();

const server = createServer((request, response) => void handle(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => server.close());
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const provider = new Provider(issuer, {
  clients: ['ada', 'bob'].map((client_id) => ({
    client_id,
    client_secret: secret,
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
  })),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: '', audience, accessTokenFormat: 'jwt', accessTokenTTL: 600 }),
    },
  },
  extraTokenClaims: (_context, token) => ({ ...directory.get(token.clientId ?? '') }),
});
const handle = provider.callback();

async function tokenOf(subject: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${subject}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
  });
  const reply = (await response.json()) as { access_token?: string };
  assert.ok(reply.access_token, JSON.stringify(reply));
  return reply.access_token;
}
const refused = (code: string) => (error: unknown) => error instanceof ControlError && error.code === code;

test('a role that a real provider gives, lowers and takes away holds for credentials that exist already', async () => {
  const discovery = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as { issuer: string; jwks_uri: string };
  const env = { DRILLYARD_OIDC_ISSUER: discovery.issuer, DRILLYARD_OIDC_AUDIENCE: audience, DRILLYARD_OIDC_JWKS_URL: discovery.jwks_uri };
  const service = await startService({ env, flags: ['--oidc-organization-claim', 'org', '--oidc-role-claim', 'role'] });
  const { organizationId: org } = service.ready;
  const signIn = async (subject: string) => {
    const identity = clientOf(service, await tokenOf(subject));
    return clientOf(service, (await identity.exchangeIdentityToken({ body: {} })).secret!);
  };
  directory.set('ada', { org, role: 'manager' });
  const ada = await signIn('ada');
  const created = await ada.createProject({ body: { name: 'first' } });
  assert.equal((await ada.getMe()).credential.role, 'manager');
  const made = await ada.createCredential({ body: { name: 'ci', role: 'manager' } });
  const ci = clientOf(service, made.secret!);

  directory.set('ada', { org, role: 'viewer' });
  await signIn('ada');
  for (const client of [ada, ci]) {
    await assert.rejects(client.createProject({ body: { name: 'second' } }), refused('control.FORBIDDEN'));
    assert.equal((await client.getProject({ path: { projectId: created.project.projectId } })).project.name, 'first');
  }
  directory.set('ada', { org });
  await signIn('ada');
  for (const client of [ada, ci]) await assert.rejects(client.getProject({ path: { projectId: created.project.projectId } }));

  // A subject of the same provider that the directory puts into no organization of this service.
  directory.set('bob', { role: 'manager' });
  await assert.rejects(signIn('bob'), refused('control.FORBIDDEN'));
  assert.deepEqual((await clientOf(service, await tokenOf('bob')).listCliOrganizations()).organizations, []);
  // A token whose claims somebody else wrote.
  const [head, payload, signature] = (await tokenOf('ada')).split('.');
  const altered = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(payload!, 'base64url').toString()), role: 'manager', org }),
  ).toString('base64url');
  const forged = clientOf(service, [head, altered, signature].join('.'));
  await assert.rejects(forged.exchangeIdentityToken({ body: {} }), refused('control.UNAUTHENTICATED'));
  await service.stop();
});
