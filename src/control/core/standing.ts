// What a credential may do now. A credential says what its holder was given; the member whom it belongs to, or who made it, says how much
// of that is left. Asked on the disk at each request, so a member who is removed or demoted has lost it at the next one.
//   STANDING-1. A credential of a member, or made by one, opens nothing once that member is removed, and nothing again after the member was
//     added again.
//   STANDING-2. Its role is never more than that member's present one.
//   STANDING-3. A grant that a member gave to itself, or to what it made, is never more than it may do in the project without it.
import type { ProjectGrant } from '../../contract/hosted/organization.js';
import { limits } from '../../contract/limits.js';
import type { Role } from '../../contract/world/authority.js';
import {
  type CredentialRecord,
  credentialTable,
  grantOf,
  type MemberRecord,
  memberId,
  memberTable,
} from '../catalog/organization-records.js';
import type { View } from '../catalog/tables.js';

/** Who asks, as far as it decides what the caller may do. */
export interface Standing {
  organizationId: string;
  credentialId: string;
  /** In every project of the organization, now. */
  role: Role | null;
  /** The member it belongs to. */
  userId?: string;
  /** The member who made it, where it belongs to none. */
  makerId?: string;
}

const ranks = ['viewer', 'builder', 'manager'] as const;
const rankOf = (role: Role | null | undefined): number => (role === null || role === undefined ? -1 : ranks.indexOf(role));
const lesser = (left: Role | null, right: Role | null): Role | null => (rankOf(left) <= rankOf(right) ? left : right);
const greatest = (roles: readonly (Role | null | undefined)[]): Role | null => ranks[Math.max(...roles.map(rankOf))] ?? null;

/** Undefined when its member is a member no more. Whether it is revoked or expired is not asked here. */
export function standingOf(view: View, record: CredentialRecord): Standing | undefined {
  const { organizationId, credentialId, role, userId, createdAtMs } = record.credential;
  const makerId = userId === undefined ? makerOf(view, record) : undefined;
  const standing: Standing = { organizationId, credentialId, role };
  if (userId !== undefined) standing.userId = userId;
  if (makerId !== undefined) standing.makerId = makerId;
  const memberIdOf = userId ?? makerId;
  if (memberIdOf === undefined) return standing;
  const member = presentMember(view, { organizationId, userId: memberIdOf });
  if (member === undefined || createdAtMs < (member.activeSinceMs ?? 0)) return undefined;
  standing.role = lesser(role, member.member.role);
  return standing;
}

/** What the member may do in a project of the organization. */
export function roleIn(view: View, standing: Standing, projectId: string): Role | null {
  const { credentialId, role, userId, makerId, organizationId } = standing;
  // No grant adds to that.
  if (role === 'manager') return role;
  const ofUser = userId === undefined ? null : userRole(view, { organizationId, userId, projectId });
  const grant = grantOf(view, projectId, { kind: 'credential', id: credentialId });
  if (grant === undefined) return greatest([role, ofUser]);
  const person = userId ?? makerId;
  const own = person !== undefined && personOf(view, grant.createdBy) === person;
  return greatest([role, ofUser, own ? lesser(grant.role, memberRoleIn(view, { organizationId, userId: person, projectId })) : grant.role]);
}

interface UserInProject {
  organizationId: string;
  userId: string;
  projectId: string;
}
/** What a grant gives its member; one that the member gave to itself gives nothing: only a manager could give it. */
function userRole(view: View, { organizationId, userId, projectId }: UserInProject): Role | null {
  const grant = grantOf(view, projectId, { kind: 'user', id: userId });
  if (grant === undefined || personOf(view, grant.createdBy) === userId) return null;
  return isPresent(presentMember(view, { organizationId, userId }), grant) ? grant.role : null;
}
function memberRoleIn(view: View, who: UserInProject): Role | null {
  return greatest([presentMember(view, who)?.member.role, userRole(view, who)]);
}
const isPresent = (member: MemberRecord | undefined, { createdAtMs }: ProjectGrant): boolean =>
  member !== undefined && createdAtMs >= (member.activeSinceMs ?? 0);

function presentMember(view: View, who: { organizationId: string; userId: string }): MemberRecord | undefined {
  const record = view.get(memberTable, memberId(who));
  return record?.member.state === 'active' ? record : undefined;
}

/** The member behind a `createdBy`; undefined where it is the service, its operator, or a credential that no member made. */
function personOf(view: View, createdBy: string): string | undefined {
  if (createdBy.startsWith('usr_')) return createdBy;
  const record = createdBy.startsWith('cred_') ? view.get(credentialTable, createdBy) : undefined;
  return record === undefined ? undefined : (record.credential.userId ?? makerOf(view, record));
}

/** Those of early versions name the credential or the user that made them; a credential in between is asked in turn. */
function makerOf(view: View, record: CredentialRecord): string | undefined {
  let made = record;
  for (let steps = 0; steps < limits.credentialMakersMax; steps++) {
    if (made.makerId !== undefined || made.secretHash !== undefined) return made.makerId;
    const { createdBy } = made.credential;
    if (createdBy.startsWith('usr_')) return createdBy;
    const next = createdBy.startsWith('cred_') ? view.get(credentialTable, createdBy) : undefined;
    if (next === undefined) return undefined;
    if (next.credential.userId !== undefined) return next.credential.userId;
    made = next;
  }
  return undefined;
}
