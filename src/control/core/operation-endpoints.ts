// Operations as their project sees them.
import { ServiceError } from '../../contract/errors.js';
import type { OperationsQuery } from '../../contract/hosted/sessions.js';
import { listPage } from '../catalog/cursors.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import type { View } from '../catalog/tables.js';
import { operationTable } from './operation-records.js';
import type { OperationRecord } from './operations.js';
import type { ControlServices } from './services.js';

export function operationEndpoints(services: ControlServices): EndpointSet<'getOperation' | 'listOperations' | 'cancelOperation'> {
  const { operations } = services;
  return {
    getOperation: {
      kind: 'read',
      run: (view, { path, caller }) => {
        const { operation } = requireOperation(view, { ...path, organizationId: caller.organizationId });
        return { operation: operations.find(path.operationId) ?? operation };
      },
    },
    listOperations: {
      kind: 'read',
      run: (view, { path, query, caller }) => {
        const { state = 'all', kind, resourceId } = (query ?? {}) as OperationsQuery;
        const project = [caller.organizationId, path.projectId];
        const list =
          resourceId === undefined ? { index: 'byProject', prefix: project } : { index: 'byResource', prefix: [...project, resourceId] };
        const present = ({ operation }: OperationRecord) => operations.find(operation.operationId) ?? operation;
        const page = listPage(services, view, {
          table: operationTable,
          ...list,
          query,
          reverse: true,
          filters: { state, kind },
          where: (record) => (kind === undefined || record.operation.kind === kind) && (state === 'all' || present(record).state === state),
        });
        return { ...page, items: page.items.map(present) };
      },
    },
    cancelOperation: {
      kind: 'change',
      apply: (tx, { path, caller }) => {
        requireOperation(tx, { ...path, organizationId: caller.organizationId });
        return { reply: { operation: operations.cancel(tx, path.operationId) }, resource: { type: 'operation', id: path.operationId } };
      },
    },
  };
}

function requireOperation(
  view: View,
  { organizationId, projectId, operationId }: { organizationId: string; projectId: string; operationId: string },
): OperationRecord {
  const record = view.get(operationTable, operationId);
  if (record !== undefined && record.operation.organizationId === organizationId && record.operation.projectId === projectId) return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such operation.' });
}
