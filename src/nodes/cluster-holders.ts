// Whose credential a request brings, by the catalog that this node follows. It opens nothing: the owner authenticates.
import { accessNamesIn } from '../bindings/reopened-access.js';
import { type AccessRecord, findAccess } from '../control/catalog/access-records.js';
import type { FollowedCatalog } from '../control/catalog/followed-catalog.js';
import { tokenHash, worldTokenShape } from '../control/catalog/keyring.js';
import { bearerTable, credentialTable, projectTable } from '../control/catalog/organization-records.js';
import { isOperatorToken } from '../control/organizations/operator-token.js';
import type { HolderOf } from '../http/forwarded-bytes.js';
import { findBearer } from '../http/guards.js';
import type { ServerRequest } from '../http/server.js';

/** `prefix`: below which agents reach worlds. */
export function createHolderOf({ catalog, prefix }: { catalog: FollowedCatalog; prefix: string }): HolderOf {
  return (request) => {
    if (!catalog.isThere) return undefined;
    const { view } = catalog;
    const access = accessIn(request);
    if (access !== undefined) return view.get(projectTable, access.projectId)?.organizationId;
    const token = findBearer(request);
    if (token === undefined) return undefined;
    const found = view.get(bearerTable, tokenHash(token));
    if (found === undefined) return isOperatorToken(view, token) ? 'operator' : undefined;
    const credential = view.get(credentialTable, found.credentialId)?.credential;
    return credential?.revokedAtMs === undefined ? credential?.organizationId : undefined;
  };
  function accessIn(request: ServerRequest): AccessRecord | undefined {
    const { hashes, address } = accessNamesIn(request, { prefix, shape: worldTokenShape });
    for (const hash of hashes) {
      const access = findAccess(catalog.view, 'byToken', hash);
      if (access !== undefined) return access;
    }
    return address === undefined ? undefined : findAccess(catalog.view, 'byAddress', address);
  }
}
