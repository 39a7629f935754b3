// Whether an access is still valid, as the catalog has it: its record is there, its time and its lease are not over, what made it stands.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { type AccessRecord, accessRecordsOf, accessTable, hasAllAccesses } from '../catalog/access-records.js';
import { tokenHash } from '../catalog/keyring.js';
import { credentialTable, isOpenProject } from '../catalog/organization-records.js';
import { isLive, sessionTable } from '../catalog/session-records.js';
import type { Change, View } from '../catalog/tables.js';
import type { WorldServices } from '../core/services.js';
import { standingOf } from '../core/standing.js';
import type { AccessStanding } from '../memory/session-memory.js';

type Ground = Pick<WorldServices, 'keyring' | 'nowMs'>;

export function isStanding({ keyring, nowMs }: Ground, view: View, record: AccessRecord): boolean {
  const { access, keyGeneration } = record;
  if (access.expiresAtMs <= nowMs() || !keyring.accepts(keyGeneration)) return false;
  const session = view.get(sessionTable, access.sessionId);
  if (session === undefined || !isLive(session) || session.session.leaseGeneration !== access.leaseGeneration) return false;
  return issuerStands(view, record.access.createdBy, record.projectId);
}

/** The credential that made it has not been revoked, its member has not been removed, and the project is not being deleted. */
function issuerStands(view: View, createdBy: string, projectId: string): boolean {
  const creator = view.get(credentialTable, createdBy);
  const isValid = creator !== undefined && creator.credential.revokedAtMs === undefined && standingOf(view, creator) !== undefined;
  return isValid && isOpenProject(view, projectId);
}

/** The credential as it was given; undefined where this server has another key. */
export function credentialOf({ keyring }: Ground, { access, keyGeneration, tokenHash: hash }: AccessRecord): string | undefined {
  const credential = keyring.token('world', access.accessId, keyGeneration);
  return tokenHash(credential) === hash ? credential : undefined;
}

/**
 * What its holder depends on besides time, lease and key, which others watch. Looked up once between two commits: agents ask often. Of an
 * access that is being given the record is not there yet.
 */
export class WatchedStanding implements AccessStanding {
  readonly #catalog: WorldServices['catalog'];
  readonly #accessId: string;
  readonly #createdBy: string;
  readonly #projectId: string;
  #commits = -1;
  #stands = false;
  #wasThere = false;

  constructor({ catalog }: Pick<WorldServices, 'catalog'>, { access: { accessId, createdBy }, projectId }: AccessRecord) {
    this.#catalog = catalog;
    this.#accessId = accessId;
    this.#createdBy = createdBy;
    this.#projectId = projectId;
  }

  stands(): boolean {
    const { commits, view } = this.#catalog;
    if (this.#commits === commits) return this.#stands;
    this.#commits = commits;
    const isThere = view.get(accessTable, this.#accessId) !== undefined;
    this.#wasThere ||= isThere;
    this.#stands = isThere === this.#wasThere && issuerStands(view, this.#createdBy, this.#projectId);
    return this.#stands;
  }
}

/**
 * control.QUOTA_EXCEEDED when the session has as many as it may. Returns those that have to go first: of a session that has all its
 * records, those that are over. They are looked for only then, or each access would cost as much as there are others.
 */
export function requireFreeAccess(ground: Ground, view: View, sessionId: string): AccessRecord[] {
  if (!hasAllAccesses(view, sessionId)) return [];
  const all = accessRecordsOf(view, sessionId);
  const standing = all.filter((record) => isStanding(ground, view, record));
  if (standing.length < limits.accessesMax) return all.filter((record) => !standing.includes(record));
  const soonest = Math.min(...standing.map(({ access }) => access.expiresAtMs));
  throw new ServiceError('control.QUOTA_EXCEEDED', {
    message: `A session has at most ${limits.accessesMax} accesses at once.`,
    details: { quota: 'accessesMax' },
    retryAfterMs: Math.max(1, soonest - ground.nowMs()),
  });
}

/** Puts it, where need be in place of those of its session that are over. control.QUOTA_EXCEEDED as above. */
export function keepAccess(tx: Change, ground: Ground, record: AccessRecord): void {
  for (const { access } of requireFreeAccess(ground, tx, record.access.sessionId)) tx.remove(accessTable, access.accessId);
  tx.put(accessTable, record);
}
