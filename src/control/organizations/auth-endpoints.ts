// Signing in and reading one's own identity. The identity provider decides who belongs to an organization: a caller with its token scoped
// to one that exists here becomes an active member at that moment, with the role its token claims or none; one that was removed stays
// removed.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { Me, Member } from '../../contract/hosted/organization.js';
import type { CliOrganizationList } from '../../contract/hosted/resources.js';
import { limits } from '../../contract/limits.js';
import type { Role } from '../../contract/world/authority.js';
import type { Caller, EndpointSet } from '../catalog/endpoint.js';
import { memberId, memberTable, organizationTable, projectTable, requireNotSuspended, userIdOf } from '../catalog/organization-records.js';
import type { Change, View } from '../catalog/tables.js';
import { authoritiesOfRole } from '../core/authorities.js';
import type { ControlServices } from '../core/services.js';
import { issueCredential, revoke, secretOnce } from './credential-issue.js';
import { requireCredential } from './organization-pages.js';

export function authEndpoints(
  services: ControlServices,
): EndpointSet<'exchangeIdentityToken' | 'listCliOrganizations' | 'getMe' | 'revokeAuthSession'> {
  return {
    exchangeIdentityToken: {
      kind: 'change',
      ...secretOnce,
      apply: (tx, { body, caller }) => {
        const { organizationId, userId, role } = memberAtSight(tx, caller, services.nowMs());
        const { name = 'command line', ttlMs = limits.credentialDefaultTtlMs } = body;
        const reply = issueCredential(tx, services, { organizationId, name, role, ttlMs, userId, createdBy: userId });
        return { reply, resource: { type: 'credential', id: reply.credential.credentialId } };
      },
    },
    listCliOrganizations: { kind: 'read', run: (view, { query, caller }) => organizationsOf(view, caller, query?.after) },
    getMe: { kind: 'read', run: (view, { caller }) => me(view, caller) },
    revokeAuthSession: {
      kind: 'change',
      apply: (tx, { caller }) => {
        const credential = revoke(tx, requireCredential(tx, caller), services.nowMs());
        return { reply: { credential }, resource: { type: 'credential', id: credential.credentialId } };
      },
    },
  };
}

/** Selecting an organization does not authorize: the token itself must be scoped to it. */
function memberAtSight(tx: Change, { organizationId, identity }: Caller, nowMs: number): Member {
  const { subject, issuer, name, role } = identity!;
  const userId = userIdOf(identity!);
  const known = organizationId === '' ? undefined : tx.get(memberTable, memberId({ organizationId, userId }));
  // An organization that does not exist looks like one that the token is not scoped to.
  if (organizationId === '' || known?.member.state === 'removed') {
    throw new ServiceError('control.FORBIDDEN', {
      message: 'This needs a token that the identity provider scoped to an organization of which its subject is a member.',
      details: { required: 'organization' },
    });
  }
  requireNotSuspended(tx.get(organizationTable, organizationId));
  // What the provider says of the role holds from now on, for every credential of the member; where no role claim is named, it says nothing
  // of it.
  const claimed = { role: role === undefined ? (known?.member.role ?? null) : role, ...defined({ name }) } satisfies {
    role: Role | null;
    name?: string;
  };
  const member: Member = {
    schemaVersion: 1,
    organizationId,
    userId,
    subject,
    state: 'active',
    createdAtMs: nowMs,
    ...known?.member,
    ...claimed,
  };
  if (known !== undefined && known.member.role !== member.role) member.updatedAtMs = nowMs;
  tx.put(memberTable, { ...known, member, issuer });
  return member;
}

/** Active memberships, and the organization the token is scoped to, which is one as soon as it is used. By id. */
function organizationsOf(view: View, { organizationId, identity }: Caller, after = ''): CliOrganizationList {
  const { records } = view.list(memberTable, { index: 'byUser', prefix: [userIdOf(identity!)], limit: limits.organizationsOfUserMax });
  const ids = new Set(records.map(({ member }) => member.organizationId));
  if (organizationId !== '') ids.add(organizationId);
  for (const { member } of records) if (member.state !== 'active') ids.delete(member.organizationId);
  const following = [...ids].filter((id) => id > after).sort();
  const page = following.slice(0, limits.organizationsPageItems);
  const organizations = page.map((id) => ({ id, name: view.get(organizationTable, id)?.name ?? '' }));
  return { schemaVersion: 1, organizations, ...(following.length > page.length ? { nextAfter: page.at(-1)! } : {}) };
}

function me(view: View, caller: Caller): Me {
  const { organizationId } = caller;
  const { credential } = requireCredential(view, caller);
  // As many as the organization's quota lets be.
  const { records } = view.list(projectTable, { index: 'byOrganization', prefix: [organizationId], limit: limits.meProjectsMax });
  return {
    schemaVersion: 1,
    organization: { organizationId, name: view.get(organizationTable, organizationId)?.name ?? '' },
    credential,
    authorities: [...authoritiesOfRole(caller.role)],
    projects: records
      .map(({ projectId, name }) => ({ projectId, name, authorities: [...caller.authoritiesIn(projectId)] }))
      .filter(({ authorities }) => authorities.length > 0),
  };
}
