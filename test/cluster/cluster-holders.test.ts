// Whose a request is, by the catalog that a node follows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostedPrefix } from '../../src/bindings/hosted-bindings.js';
import { FollowedCatalog } from '../../src/control/catalog/followed-catalog.js';
import { tokenHash } from '../../src/control/catalog/keyring.js';
import { operatorTable } from '../../src/control/organizations/operator-token.js';
import { organizationEndpoints } from '../../src/control/organizations/organization-endpoints.js';
import { sessionEndpoints } from '../../src/control/sessions/endpoints.js';
import type { ServerRequest } from '../../src/http/server.js';
import { createHolderOf } from '../../src/nodes/cluster-holders.js';
import { openSessionKit } from '../control/session-kit.js';

test('a credential that is known names its organization; what is unknown, revoked, or of a catalog that is moving names none', async (t) => {
  const kit = await openSessionKit({ endpoints: (services) => ({ ...sessionEndpoints(services), ...organizationEndpoints(services) }) });
  t.after(() => kit.close());
  const { catalog } = kit.services;
  const followed = new FollowedCatalog();
  const holderOf = createHolderOf({ catalog: followed, prefix: hostedPrefix });
  const holder = (token: string | undefined, path = '/v1/x'): string | undefined =>
    holderOf({
      path,
      query: '',
      headers: new Map(token === undefined ? [] : [['authorization', `Bearer ${token}`]]),
    } as unknown as ServerRequest);
  const { sessionId } = await kit.session();
  const access = await kit.access(sessionId);
  const { credential, secret } = await kit.call('createCredential', { body: { name: 'key', role: 'builder' } });
  assert.equal(holder(access.credential), undefined);
  followed.follow(catalog);
  const operator = 'operator-token';
  await catalog.change((tx) => tx.put(operatorTable, { name: 'operator', hash: tokenHash(operator) }));
  const asked = [access.credential, secret, operator, `dyk_${'x'.repeat(43)}`, 'x', undefined].map((text) => holder(text));
  assert.deepEqual(asked, [kit.organizationId, kit.organizationId, 'operator', undefined, undefined, undefined]);
  const path = { credentialId: credential.credentialId };
  await kit.call('revokeCredential', { path, body: { confirm: credential.credentialId } });
  assert.equal(holder(secret), undefined);
});
