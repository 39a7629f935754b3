// What a caller may do: its role in the organization and what grants add in a project, held against what an endpoint needs.
import { ServiceError } from '../../contract/errors.js';
import type { EndpointRule } from '../../contract/hosted/endpoint-table.js';
import { type Authority, authoritiesOf, type Role } from '../../contract/world/authority.js';
import type { Caller } from '../catalog/endpoint.js';
import { noProject, projectTable } from '../catalog/organization-records.js';
import type { View } from '../catalog/tables.js';
import { roleIn, type Standing } from './standing.js';

const none: ReadonlySet<Authority> = new Set();

export const authoritiesOfRole = (role: Role | null): ReadonlySet<Authority> => (role === null ? none : authoritiesOf[role]);

/** Looked up when asked, on the disk: a grant that was taken back is gone at once. Of another organization's project: nothing. */
export function authoritiesInProject(view: View, standing: Standing, projectId: string): ReadonlySet<Authority> {
  if (view.get(projectTable, projectId)?.organizationId !== standing.organizationId) return none;
  return authoritiesOfRole(roleIn(view, standing, projectId));
}

/** control.NOT_FOUND for a project in which the caller may do nothing; control.FORBIDDEN names the authority that is missing. */
export function requireAuthority(
  { authority }: EndpointRule,
  { caller, projectId }: { caller: Caller; projectId: string | undefined },
): void {
  if ((authority === 'identity') !== (caller.identity !== undefined)) throw unauthenticated();
  if ((authority === 'operator') !== (caller.operator === true)) throw unauthenticated();
  if (authority === 'identity' || authority === 'operator') return;
  const held = projectId === undefined ? authoritiesOfRole(caller.role) : caller.authoritiesIn(projectId);
  if (projectId !== undefined && held.size === 0) throw noProject();
  if (authority === 'authenticated') return;
  const missing = [authority].flat().find((needed) => !held.has(needed as Authority));
  if (missing !== undefined)
    throw new ServiceError('control.FORBIDDEN', {
      message: `This needs the authority ${missing}.`,
      details: { required: missing as string },
    });
}

/** One message for all reasons; `cause` is for the log. */
export const unauthenticated = (cause?: unknown): ServiceError =>
  new ServiceError('control.UNAUTHENTICATED', { message: 'A valid credential is required.', cause });
