// What is still done while the disk is short of space, and how much of that one tenant may write.
//   SHORT-DISK-1. What ends work or frees space is let in. Of what frees nothing an organization makes so many changes until there is space
//     again; the operator, and what frees space, are not counted.
import type { EndpointId } from '../../contract/hosted/endpoints.js';
import { limits } from '../../contract/limits.js';
import { diskFull } from '../../files/disk-full.js';
import type { Caller } from '../catalog/endpoint.js';
import type { Disk } from './services.js';

/** They need little space, and bytes go with what they remove. */
const freesSpace: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'deleteProject',
  'discardAuthoringSession',
  'deleteSourceDraft',
  'deleteToolSetup',
  'destroySession',
  'deleteSnapshot',
  'deleteEvidence',
]);
/** What takes something from somebody, or stops it. */
const endsWork: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'revokeAuthSession',
  'revokeCredential',
  'revokeSessionAccess',
  'removeMember',
  'deleteGrant',
  'archiveDataset',
  'archiveEnvironment',
  'cancelRun',
  'revokeCallbackReceiver',
  'cancelOperation',
  'suspendOrganization',
  'updateOrganization',
  'removeOrganizationMember',
  'revokeOrganizationCredential',
  'rotateServerKey',
]);

export class ShortDisk {
  readonly #disk: Pick<Disk, 'refusal'>;
  /** Changes that free nothing, by organization, since the disk became short. */
  readonly #made = new Map<string, number>();

  constructor(disk: Pick<Disk, 'refusal'>) {
    this.#disk = disk;
  }

  /** Whether the disk is short. control.STORAGE_FULL for what would begin something then. */
  admit(id: EndpointId): boolean {
    const refusal = this.#disk.refusal();
    if (refusal === undefined) this.#made.clear();
    else if (!endsWork.has(id) && !freesSpace.has(id)) throw refusal;
    return refusal !== undefined;
  }

  /** Part of a change that is made while the disk is short. control.STORAGE_FULL where the organization has made as many as it may. */
  take(id: EndpointId, { organizationId, operator }: Caller): void {
    if (operator === true || freesSpace.has(id)) return;
    const made = this.#made.get(organizationId) ?? 0;
    if (made >= limits.shortDiskChangesMax) throw diskFull();
    this.#made.set(organizationId, made + 1);
  }
}
