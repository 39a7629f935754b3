// Environments: a name under which new sessions get a build.
import { defined } from '../../contract/defined.js';
import type { Environment } from '../../contract/hosted/source.js';
import { newId } from '../../contract/ids.js';
import { listPage } from '../catalog/cursors.js';
import type { EndpointSet, Outcome } from '../catalog/endpoint.js';
import type { Change } from '../catalog/tables.js';
import { requireConfirmation, requireVersion } from '../catalog/versions.js';
import type { ControlServices } from '../core/services.js';
import { requireBuild } from './build-records.js';
import { environmentTable, requireActiveEnvironment, requireEnvironment } from './environment-records.js';

type Ids = 'createEnvironment' | 'listEnvironments' | 'getEnvironment' | 'promoteBuild' | 'archiveEnvironment';

export function environmentEndpoints(services: ControlServices): EndpointSet<Ids> {
  const { nowMs } = services;
  return {
    createEnvironment: {
      kind: 'change',
      apply: (tx, { caller, path: { projectId }, body: { name, buildHash } }) => {
        const { organizationId, userId, credentialId } = caller;
        if (buildHash !== undefined) requireBuild(tx, { organizationId, projectId, buildHash });
        return put(tx, {
          schemaVersion: 1,
          organizationId,
          projectId,
          environmentId: newId('env'),
          name,
          state: 'active',
          version: 1,
          ...defined({ buildHash }),
          createdBy: userId ?? credentialId,
          createdAtMs: nowMs(),
          updatedAtMs: nowMs(),
        });
      },
    },
    listEnvironments: {
      kind: 'read',
      run: (view, { path, query }) =>
        listPage(services, view, { table: environmentTable, index: 'byProject', prefix: [path.projectId], query }),
    },
    getEnvironment: {
      kind: 'read',
      run: (view, { caller, path }) => ({ environment: requireEnvironment(view, { ...path, organizationId: caller.organizationId }) }),
    },
    promoteBuild: {
      kind: 'change',
      apply: (tx, { caller, path, body }) => {
        const place = { ...path, organizationId: caller.organizationId };
        const environment = requireEnvironment(tx, place);
        const { buildHash } = requireBuild(tx, { ...place, buildHash: body.buildHash });
        requireVersion(environment, body);
        requireActiveEnvironment(tx, place);
        return put(tx, { ...environment, buildHash, version: environment.version + 1, updatedAtMs: nowMs() });
      },
    },
    archiveEnvironment: {
      kind: 'change',
      apply: (tx, { caller, path, body }) => {
        const place = { ...path, organizationId: caller.organizationId };
        const environment = requireEnvironment(tx, place);
        requireConfirmation(environment.environmentId, body);
        requireVersion(environment, body);
        requireActiveEnvironment(tx, place);
        const atMs = nowMs();
        return put(tx, { ...environment, state: 'archived', version: environment.version + 1, updatedAtMs: atMs, archivedAtMs: atMs });
      },
    },
  };
}

function put(tx: Change, environment: Environment): Outcome<{ environment: Environment }> {
  tx.put(environmentTable, environment);
  return { reply: { environment }, resource: { type: 'environment', id: environment.environmentId } };
}
