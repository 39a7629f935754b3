// Organizations as each request and each call of an agent asks for them: read from the disk once between two commits, and from memory until
// the next. A change is announced after its commit is counted, so who hears of it finds it.
import { limits } from '../contract/limits.js';
import type { Catalog } from './catalog.js';
import { type OrganizationRecord, organizationTable, requireNotSuspended } from './organization-records.js';

interface Seen {
  commits: number;
  records: Map<string, OrganizationRecord | undefined>;
}
const seenOf = new WeakMap<Catalog, Seen>();

/** control.ORGANIZATION_SUSPENDED while the operator has suspended it. */
export function requireActive(catalog: Catalog, organizationId: string): OrganizationRecord | undefined {
  let seen = seenOf.get(catalog);
  if (seen === undefined || seen.commits !== catalog.commits || seen.records.size >= limits.organizationsSeenMax) {
    seen = { commits: catalog.commits, records: new Map() };
    seenOf.set(catalog, seen);
  }
  let record = seen.records.get(organizationId);
  if (record === undefined) {
    record = catalog.view.get(organizationTable, organizationId);
    seen.records.set(organizationId, record);
  }
  return requireNotSuspended(record);
}
