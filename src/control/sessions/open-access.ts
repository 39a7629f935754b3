// Opens an access at the bindings: as it is given, or again, at its first use in an incarnation of the service that has not given it.
//   OPEN-ACCESS-1. An access of an earlier incarnation is opened when its credential or its address is used, and never before.
//   OPEN-ACCESS-2. One that has ended while it was opened opens nothing.
// A text that is no credential costs one look-up in an index.
import { defined } from '../../contract/defined.js';
import { isServiceError } from '../../contract/errors.js';
import type { Access, StoredAccesses } from '../../drills/ports/bindings-port.js';
import type { WorldRef } from '../../worlds/api.js';
import { type AccessRecord, accessTable, findAccess } from '../catalog/access-records.js';
import { worldTokenShape } from '../catalog/keyring.js';
import { requireRecord } from '../catalog/session-records.js';
import { unauthenticated } from '../core/authorities.js';
import type { WorldServices } from '../core/services.js';
import { credentialOf, isStanding, WatchedStanding } from './standing-access.js';

export async function openAccess(
  services: WorldServices,
  record: AccessRecord,
  { world, credential }: { world: WorldRef; credential: string },
): Promise<Access> {
  const { access: view, projectId, bindings, address, keyGeneration } = record;
  const { accessId, actorId, actorInstanceId, sessionId, expiresAtMs } = view;
  const { organizationId } = requireRecord(services.catalog.view, sessionId).session;
  const standing = new WatchedStanding(services, record);
  const access = await services.bindings.open({
    world,
    actorId,
    ...defined({ actorInstanceId, address }),
    bindings,
    token: credential,
    expiresAtMs,
    owner: projectId,
    organizationId,
    requireOpen: () => {
      services.organizationsNow.requireActive(organizationId);
      if (!standing.stands()) throw unauthenticated();
    },
  });
  services.sessionMemory.opened(sessionId, { accessId, access, standing, expiresAtMs, keyGeneration });
  return access;
}

/** What the bindings ask for a credential or an address that they do not know. */
export function storedAccesses(services: WorldServices): StoredAccesses {
  const { catalog } = services;
  /** By id. However many ask meanwhile, it is opened once. */
  const opening = new Map<string, Promise<void>>();
  const open = (record: AccessRecord | undefined): Promise<void> | undefined => {
    if (record === undefined || !isStanding(services, catalog.view, record)) return undefined;
    const { accessId } = record.access;
    const credential = credentialOf(services, record);
    if (credential === undefined) return undefined;
    const known = opening.get(accessId);
    if (known !== undefined) return known;
    const opened = openAgain(services, record, credential).finally(() => opening.delete(accessId));
    opening.set(accessId, opened);
    return opened;
  };
  return {
    tokenShape: worldTokenShape,
    openByToken: (tokenHash) => open(findAccess(catalog.view, 'byToken', tokenHash)),
    openByAddress: (address) => open(findAccess(catalog.view, 'byAddress', address)),
  };
}

async function openAgain(services: WorldServices, record: AccessRecord, credential: string): Promise<void> {
  const { access: view, hostedRunId } = record;
  const { sessionId, accessId } = view;
  const { sessionMemory, runMemory, catalog } = services;
  const access = await sessionMemory.world(sessionId).then((world) => openAccess(services, record, { world, credential }), orGone);
  if (access === undefined) return;
  if (catalog.view.get(accessTable, accessId) === undefined) sessionMemory.revokeOne(sessionId, accessId);
  else if (hostedRunId !== undefined) runMemory.issued(hostedRunId, access);
}

function orGone(error: unknown): undefined {
  if (!isServiceError(error, 'control.NOT_FOUND')) throw error;
}
