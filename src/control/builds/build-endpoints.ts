// Builds of a project: ordered from a source revision, listed, looked into.
import { ServiceError } from '../../contract/errors.js';
import { listPage } from '../catalog/cursors.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import type { ControlServices } from '../core/services.js';
import { requireRevision } from '../source/source-records.js';
import { buildOf, buildTable, loadBuildView, requireBuild } from './build-records.js';
import { orderBuild } from './build-runner.js';

export function buildEndpoints(services: ControlServices): EndpointSet<'createBuild' | 'listBuilds' | 'getBuild' | 'getBuildWorld'> {
  return {
    createBuild: {
      kind: 'change',
      apply: (tx, call) => {
        const { caller, path, body } = call;
        const { record } = requireRevision(tx, { ...path, organizationId: caller.organizationId });
        if (body.sourceDigest !== undefined && body.sourceDigest !== record.sourceDigest) {
          const { sourceDigest } = record;
          throw new ServiceError('control.STATE_CONFLICT', {
            message: 'The source revision has another digest.',
            details: { sourceDigest },
          });
        }
        const reply = orderBuild(tx, services, { revision: record, call });
        return { reply, resource: { type: 'build-attempt', id: reply.attempt.attemptId } };
      },
    },
    listBuilds: {
      kind: 'read',
      run: (view, { path, query }) => {
        const prefix = [path.projectId];
        const { items, ...page } = listPage(services, view, { table: buildTable, index: 'byProject', prefix, reverse: true, query });
        return { items: items.map(buildOf), ...page };
      },
    },
    getBuild: {
      kind: 'read',
      run: (view, { caller, path }) => ({ build: requireBuild(view, { ...path, organizationId: caller.organizationId }) }),
    },
    getBuildWorld: {
      kind: 'read',
      run: async (view, { caller, path }) => {
        const { projectId, buildHash } = requireBuild(view, { ...path, organizationId: caller.organizationId });
        return { schemaVersion: 1, buildHash, world: await loadBuildView(services, { projectId, buildHash }) };
      },
    },
  };
}
