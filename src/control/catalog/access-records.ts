// Accesses of agents as they lie in the catalog, so that a credential outlives the incarnation of the service that gave it.
//   ACCESS-RECORDS-1. An access is valid only while its record is there, and the record goes in the change that ends the access.
// Only the hash of a credential is kept; the credential derives from the access's id and a generation of the server key (keyring.ts).
import type { SessionAccess } from '../../contract/hosted/sessions.js';
import { limits } from '../../contract/limits.js';
import type { Binding } from '../../contract/run/target.js';
import { type Change, defineTable, type View } from './tables.js';

export interface AccessRecord {
  /** As it is shown: actor, lease, creator and times. */
  access: SessionAccess;
  projectId: string;
  bindings: readonly Binding[];
  tokenHash: string;
  /** Of the server key, from which the credential derives. */
  keyGeneration: number;
  /** At which its routes without a credential are served, where its world has some. */
  address?: string;
  /** It is the agent's of this run's pending interaction, and ends with that. */
  hostedRunId?: string;
}

export const accessTable = defineTable<AccessRecord>({
  name: 'access',
  idOf: ({ access }) => access.accessId,
  indexes: {
    // Ids rise with time, so the oldest come first.
    bySession: ({ access }) => [access.sessionId],
    byToken: ({ tokenHash }) => [tokenHash],
    byAddress: ({ address }) => (address === undefined ? undefined : [address]),
    byRun: ({ hostedRunId }) => (hostedRunId === undefined ? undefined : [hostedRunId]),
    byCreator: ({ access }) => [access.createdBy],
    byExpiry: ({ access }) => [access.expiresAtMs],
  },
});

/** A session never has more than limits.accessesMax: none is put before those that are over have gone. */
export function accessRecordsOf(view: View, sessionId: string): AccessRecord[] {
  return view.list(accessTable, { index: 'bySession', prefix: [sessionId], limit: limits.accessesMax }).records;
}
/** Whether the session has all that it may have, those that are over and still there included. */
export function hasAllAccesses(view: View, sessionId: string): boolean {
  const limit = limits.accessesMax;
  return view.count(accessTable, { index: 'bySession', prefix: [sessionId], limit }) === limit;
}
export function findAccess(view: View, index: 'byToken' | 'byAddress', key: string): AccessRecord | undefined {
  return view.list(accessTable, { index, prefix: [key], limit: 1 }).records[0];
}

export function endAccesses(tx: Change, sessionId: string): void {
  for (const { access } of accessRecordsOf(tx, sessionId)) tx.remove(accessTable, access.accessId);
}
export function endRunAccesses(tx: Change, hostedRunId: string): void {
  const { records } = tx.list(accessTable, { index: 'byRun', prefix: [hostedRunId], limit: limits.accessesMax });
  for (const { access } of records) tx.remove(accessTable, access.accessId);
}
/** Those that a credential has given, some at a time: what is left opens nothing without its creator, and the purge removes it. */
export function endAccessesBy(tx: Change, credentialId: string): void {
  const { records } = tx.list(accessTable, { index: 'byCreator', prefix: [credentialId], limit: limits.purgeRecordsMax });
  for (const { access } of records) tx.remove(accessTable, access.accessId);
}
