// Makes and ends control credentials. Their secrets are derived from their ids by the keyring; the catalog has the hash.
import type { Role } from '../contract/authority.js';
import type { CreateCredentialReply, Credential } from '../contract/hosted-organization.js';
import { newId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import { type Keyring, tokenHash } from './keyring.js';
import { bearerTable, type CredentialRecord, credentialTable } from './organization-records.js';
import { returnQuota, takeQuota } from './quotas.js';
import type { ControlSettings } from './settings.js';
import type { Change } from './tables.js';

interface Issuer {
  keyring: Keyring;
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
}

/** How many characters of a secret are shown. */
const prefixChars = 12;

export function issueCredential(tx: Change, services: Issuer, { ttlMs, ...wanted }: IssueCredential): CreateCredentialReply {
  const nowMs = services.nowMs();
  const { organizationId } = wanted;
  uncountExpired(tx, organizationId, nowMs);
  takeQuota(tx, services, { organizationId, name: 'credentialsMax' });
  const credentialId = newId('cred');
  const secret = services.keyring.token('control', credentialId);
  const credential: Credential = {
    schemaVersion: 1,
    credentialId,
    ...wanted,
    prefix: secret.slice(0, prefixChars),
    createdAtMs: nowMs,
    ...(ttlMs === undefined ? {} : { expiresAtMs: nowMs + ttlMs }),
  };
  tx.put(credentialTable, { credential, counted: true });
  tx.put(bearerTable, { hash: tokenHash(secret), credentialId });
  return { credential, secret };
}

/** Of one that is revoked already: as it is. */
export function revoke(tx: Change, { credential, counted }: CredentialRecord, nowMs: number): Credential {
  if (credential.revokedAtMs !== undefined) return credential;
  const revoked: Credential = { ...credential, revokedAtMs: nowMs };
  if (counted) returnQuota(tx, { organizationId: credential.organizationId, name: 'credentialsMax' });
  tx.put(credentialTable, { credential: revoked, counted: false });
  return revoked;
}

/** A stored answer has no secret; the keyring tells it again. */
export const secretOfCredential = (keyring: Keyring) => ({
  withoutSecret: ({ credential }: CreateCredentialReply): CreateCredentialReply => ({ credential, secret: '' }),
  withSecret: ({ credential }: CreateCredentialReply): CreateCredentialReply => ({
    credential,
    secret: keyring.token('control', credential.credentialId),
  }),
});

/** Nobody is told when a credential expires, so whoever wants another one looks. */
function uncountExpired(tx: Change, organizationId: string, nowMs: number): void {
  const { records } = tx.list(credentialTable, { index: 'byExpiry', prefix: [organizationId], limit: limits.purgeRecordsMax });
  for (const record of records) {
    if (record.credential.expiresAtMs! > nowMs) return;
    tx.put(credentialTable, { ...record, counted: false });
    returnQuota(tx, { organizationId, name: 'credentialsMax' });
  }
}
