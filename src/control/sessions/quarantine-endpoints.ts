// Quarantines of builds as a project sees them, and their release.
import { ServiceError } from '../../contract/errors.js';
import { listPage } from '../catalog/cursors.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import { requireVersion } from '../catalog/versions.js';
import type { ControlServices } from '../core/services.js';
import { quarantineTable, requireQuarantine } from '../guard/quarantine-records.js';

export function quarantineEndpoints(services: ControlServices): EndpointSet<'listQuarantines' | 'releaseQuarantine'> {
  const { quarantines } = services.guard;
  return {
    listQuarantines: {
      kind: 'read',
      run: (view, { path: { projectId }, query }) => {
        const { items, ...rest } = listPage(services, view, {
          table: quarantineTable,
          index: 'byProject',
          prefix: [projectId],
          reverse: true,
          query,
        });
        return { items: items.flatMap(({ quarantine }) => quarantine ?? []), ...rest };
      },
    },
    releaseQuarantine: {
      kind: 'change',
      apply: (tx, { path, caller, body }) => {
        const record = requireQuarantine(tx, { ...path, organizationId: caller.organizationId });
        requireVersion(record.quarantine, body);
        const { state } = record.quarantine;
        if (state === 'released')
          throw new ServiceError('control.STATE_CONFLICT', { message: 'The build is released.', details: { state } });
        const quarantine = quarantines.release(tx, record, caller.userId ?? caller.credentialId);
        return { reply: { quarantine }, resource: { type: 'build', id: path.buildHash } };
      },
    },
  };
}
