// Signing in with a token of an identity provider, at a service that was informed of one by its settings.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ControlError } from '../../src/client/control-error.js';
import { startIdentityProvider } from '../control/identity-provider.js';
import { clientOf, startInside } from './service.js';

const provider = await startIdentityProvider(Date.now);
after(() => provider.close());

test('a token of the provider becomes a credential with the role it claims, and opens nothing itself', async () => {
  const { issuer, audience, jwksUrl } = provider;
  const env = { DRILLYARD_OIDC_ISSUER: issuer, DRILLYARD_OIDC_AUDIENCE: audience, DRILLYARD_OIDC_JWKS_URL: jwksUrl };
  const service = await startInside({ env, flags: ['--oidc-organization-claim', 'org', '--oidc-role-claim', 'role'] });
  const { organizationId, projectId } = service.ready;
  const token = await provider.token({ sub: 'ada', org: organizationId, role: 'viewer' });
  const identity = clientOf(service, token);
  assert.deepEqual((await identity.listCliOrganizations()).organizations, [{ id: organizationId, name: 'default' }]);
  const { secret } = await identity.exchangeIdentityToken({ body: {} });
  const ada = clientOf(service, secret!);
  assert.equal((await ada.getMe()).credential.role, 'viewer');
  assert.equal((await ada.getProject({ path: { projectId } })).project.projectId, projectId);
  const refused = (code: string) => (error: unknown) => error instanceof ControlError && error.code === code;
  await assert.rejects(ada.createProject({ body: { name: 'hers' } }), refused('control.FORBIDDEN'));
  await assert.rejects(identity.getMe(), refused('control.UNAUTHENTICATED'));
  await assert.rejects(clientOf(service, service.ready.credential!).listCliOrganizations(), refused('control.UNAUTHENTICATED'));
  await service.stop();
});
