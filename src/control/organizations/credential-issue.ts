// Makes and ends control credentials. Their secrets are random; the catalog has the hash.
import { randomBytes } from 'node:crypto';
import { defined } from '../../contract/defined.js';
import type { CreateCredentialReply, Credential } from '../../contract/hosted/organization.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import type { Role } from '../../contract/world/authority.js';
import { endAccessesBy } from '../catalog/access-records.js';
import { tokenHash } from '../catalog/keyring.js';
import { bearerTable, type CredentialRecord, credentialTable } from '../catalog/organization-records.js';
import { returnQuota, takeQuota } from '../catalog/quotas.js';
import type { ControlSettings } from '../catalog/settings.js';
import type { Change } from '../catalog/tables.js';

interface Issuer {
  settings: ControlSettings;
  nowMs(): number;
}
export interface IssueCredential {
  organizationId: string;
  name: string;
  role: Role | null;
  createdBy: string;
  userId?: string;
  ttlMs?: number;
  /** The member who makes it, also through a credential. */
  makerId?: string;
}

export function issueCredential(
  tx: Change,
  services: Issuer,
  { ttlMs, makerId, ...wanted }: IssueCredential,
): Required<CreateCredentialReply> {
  const nowMs = services.nowMs();
  const { organizationId } = wanted;
  uncountExpired(tx, organizationId, nowMs);
  takeQuota(tx, services, { organizationId, name: 'credentialsMax' });
  const credentialId = newId('cred');
  const secret = newSecret();
  const credential: Credential = {
    schemaVersion: 1,
    credentialId,
    ...wanted,
    prefix: secret.slice(0, limits.credentialPrefixChars),
    createdAtMs: nowMs,
    ...(ttlMs === undefined ? {} : { expiresAtMs: nowMs + ttlMs }),
  };
  const secretHash = tokenHash(secret);
  tx.put(credentialTable, { credential, counted: true, secretHash, ...defined({ makerId }) });
  tx.put(bearerTable, { hash: secretHash, credentialId });
  return { credential, secret };
}

/** Another secret for a credential whose first one was never shown. */
export function renewSecret(tx: Change, record: CredentialRecord): string {
  const { credentialId } = record.credential;
  const secret = newSecret();
  const secretHash = tokenHash(secret);
  if (record.secretHash !== undefined) tx.remove(bearerTable, record.secretHash);
  tx.put(credentialTable, {
    ...record,
    credential: { ...record.credential, prefix: secret.slice(0, limits.credentialPrefixChars) },
    secretHash,
  });
  tx.put(bearerTable, { hash: secretHash, credentialId });
  return secret;
}

const newSecret = (): string => `dyc_${randomBytes(32).toString('base64url')}`;

/** Of one that is revoked already: as it is. */
export function revoke(tx: Change, record: CredentialRecord, nowMs: number): Credential {
  const { credential, counted } = record;
  if (credential.revokedAtMs !== undefined) return credential;
  const revoked: Credential = { ...credential, revokedAtMs: nowMs };
  if (counted) returnQuota(tx, { organizationId: credential.organizationId, name: 'credentialsMax' });
  endAccessesBy(tx, credential.credentialId);
  tx.put(credentialTable, { ...record, credential: revoked, counted: false });
  return revoked;
}

/** Nobody can tell a secret again: neither its store of answers nor anybody else has it. */
export const secretOnce = { withoutSecret: ({ credential }: CreateCredentialReply): CreateCredentialReply => ({ credential }) };

/** Nothing notifies of a credential that expires, so a caller that wants another one counts them again. */
function uncountExpired(tx: Change, organizationId: string, nowMs: number): void {
  const { records } = tx.list(credentialTable, { index: 'byExpiry', prefix: [organizationId], limit: limits.purgeRecordsMax });
  for (const record of records) {
    if (record.credential.expiresAtMs! > nowMs) return;
    tx.put(credentialTable, { ...record, counted: false });
    returnQuota(tx, { organizationId, name: 'credentialsMax' });
  }
}
