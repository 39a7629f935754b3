// Environments as they lie in the catalog.
import { ServiceError } from '../../contract/errors.js';
import type { Environment } from '../../contract/hosted/source.js';
import { defineTable, type View } from '../catalog/tables.js';

export const environmentTable = defineTable<Environment>({
  name: 'environment',
  idOf: ({ environmentId }) => environmentId,
  // Ids rise with time, so the index lists in the order of creation.
  indexes: { byProject: ({ projectId }) => [projectId] },
});

interface Place {
  organizationId: string;
  projectId: string;
  environmentId: string;
}

/** As its project sees it, archived or not. control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireEnvironment(view: View, place: Place): Environment {
  const environment = view.get(environmentTable, place.environmentId);
  if (environment !== undefined && environment.organizationId === place.organizationId && environment.projectId === place.projectId)
    return environment;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such environment.' });
}

/** One to use or change: control.STATE_CONFLICT for an archived one. */
export function requireActiveEnvironment(view: View, place: Place): Environment {
  const environment = requireEnvironment(view, place);
  if (environment.state === 'active') return environment;
  throw new ServiceError('control.STATE_CONFLICT', { message: 'The environment is archived.', details: { state: environment.state } });
}
