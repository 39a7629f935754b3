// How membership changes: a role, a removal, a return. What a member may do is asked at each request (standing.ts), so nothing else has to
// move.
import { ServiceError } from '../../contract/errors.js';
import type { Member } from '../../contract/hosted/organization.js';
import type { Role } from '../../contract/world/authority.js';
import { type MemberRecord, memberId, memberTable } from '../catalog/organization-records.js';
import type { Change, View } from '../catalog/tables.js';
import { requireConfirmation } from '../catalog/versions.js';

interface WhichMember {
  organizationId: string;
  userId: string;
  nowMs: number;
}

/** Holds until the identity provider says another. control.STATE_CONFLICT for one that was removed. */
export function setRole(tx: Change, which: WhichMember, role: Role | null): Member {
  const record = requireMember(tx, which);
  requireState(record, 'active');
  return storeMember(tx, record, { role, updatedAtMs: which.nowMs });
}

/** The member's credentials, those that the member made, and the member's grants are void from now on. */
export function removeMember(tx: Change, which: WhichMember, { confirm }: { confirm: string }): Member {
  const record = requireMember(tx, which);
  requireConfirmation(which.userId, { confirm });
  requireState(record, 'active');
  return storeMember(tx, record, { role: null, state: 'removed', updatedAtMs: which.nowMs });
}

/** The member begins again: nothing of before the removal holds again. */
export function restoreMember(tx: Change, which: WhichMember, role: Role | null): Member {
  const record = requireMember(tx, which);
  requireState(record, 'removed');
  // A credential of the very moment of the removal is one of before it.
  const activeSinceMs = Math.max(which.nowMs, (record.member.updatedAtMs ?? 0) + 1);
  return storeMember(tx, { ...record, activeSinceMs }, { role, state: 'active', updatedAtMs: which.nowMs });
}

function storeMember(tx: Change, record: MemberRecord, changes: Partial<Member>): Member {
  const member = { ...record.member, ...changes };
  tx.put(memberTable, { ...record, member });
  return member;
}

function requireMember(view: View, { organizationId, userId }: WhichMember): MemberRecord {
  const record = view.get(memberTable, memberId({ organizationId, userId }));
  if (record !== undefined) return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such member.' });
}

function requireState({ member: { state } }: MemberRecord, wanted: Member['state']): void {
  if (state !== wanted) throw new ServiceError('control.STATE_CONFLICT', { message: `The member is ${state}.`, details: { state } });
}
