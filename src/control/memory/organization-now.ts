// Organizations as each request and each call of an agent asks for them: read from the disk once between two commits, and from memory until
// the next. A change is announced after its commit is counted, so a listener finds it.
import { limits } from '../../contract/limits.js';
import type { CatalogReads } from '../catalog/catalog.js';
import { type OrganizationRecord, organizationTable, requireNotSuspended } from '../catalog/organization-records.js';

export class OrganizationsNow {
  readonly #catalog: CatalogReads;
  readonly #seen = new Map<string, OrganizationRecord | undefined>();
  /** Of the catalog, when the first of `#seen` was read. */
  #commits = -1;

  constructor(catalog: CatalogReads) {
    this.#catalog = catalog;
  }

  /** control.ORGANIZATION_SUSPENDED while the operator has suspended it. */
  requireActive(organizationId: string): OrganizationRecord | undefined {
    if (this.#commits !== this.#catalog.commits || this.#seen.size >= limits.organizationsSeenMax) {
      this.#seen.clear();
      this.#commits = this.#catalog.commits;
    }
    let record = this.#seen.get(organizationId);
    if (record === undefined) {
      record = this.#catalog.view.get(organizationTable, organizationId);
      this.#seen.set(organizationId, record);
    }
    return requireNotSuspended(record);
  }
}
