// Refusals of authority in the audit trail. Anybody with a credential can be refused as often as it asks, so they are sampled.
//   REFUSAL-TRAIL-1. In a window the trail takes so many of one credential and so many of an organization; the others are counted, and the
//     count is an event of its own when the window is over.
//   REFUSAL-TRAIL-2. Nobody waits for it, and it keeps nothing from being refused: a disk that is full loses the event, and the log says
//     so. On one that is short of space refusals are counted alone.
import { defined } from '../../contract/defined.js';
import type { ServiceError } from '../../contract/errors.js';
import type { AuditEvent } from '../../contract/hosted/organization.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import { auditTable } from '../catalog/audit-records.js';
import { projectTable } from '../catalog/organization-records.js';
import type { ControlServices } from './services.js';

export interface RefusedRequest {
  caller: { organizationId: string; credentialId: string; userId?: string };
  /** The endpoint's id. */
  action: string;
  correlationId: string;
  /** '' where it is not known. */
  clientAddress: string;
  refusal: ServiceError;
  /** As the request names it, whether there is one or not. */
  projectId: string | undefined;
}
type Needs = Pick<ControlServices, 'catalog' | 'nowMs' | 'log' | 'disk'>;
interface Window {
  endsAtMs: number;
  noted: number;
  ofCredential: Map<string, number>;
  leftOut: number;
}

const refusedCodes: ReadonlySet<string> = new Set([
  'control.UNAUTHENTICATED',
  'control.FORBIDDEN',
  'control.NOT_FOUND',
  'control.ORGANIZATION_SUSPENDED',
]);

export class RefusalTrail {
  readonly #services: Needs;
  readonly #windows = new Map<string, Window>();

  constructor(services: Needs) {
    this.#services = services;
  }

  note(request: RefusedRequest): void {
    const { organizationId } = request.caller;
    // Of an identity without an organization, and of the operator: in no trail.
    if (organizationId === '' || !refusedCodes.has(request.refusal.code)) return;
    const window = this.#windowOf(organizationId);
    // What is left of a disk that is short is not for it.
    const hasSpace = this.#services.disk.refusal() === undefined;
    if (hasSpace && this.#takes(window, request.caller.credentialId || (request.caller.userId ?? ''))) this.#write(this.#eventOf(request));
    else window.leftOut += 1;
  }

  /** Tells what was left out of windows that are over; of all of them when the incarnation ends. */
  flush({ all = false }: { all?: boolean } = {}): void {
    const nowMs = this.#services.nowMs();
    for (const [organizationId, window] of this.#windows) {
      if (!all && window.endsAtMs > nowMs) continue;
      this.#windows.delete(organizationId);
      if (window.leftOut > 0) this.#write(this.#countOf(organizationId, window.leftOut));
    }
  }

  #windowOf(organizationId: string): Window {
    const nowMs = this.#services.nowMs();
    const known = this.#windows.get(organizationId);
    if (known !== undefined && known.endsAtMs > nowMs) return known;
    if (known !== undefined && known.leftOut > 0) this.#write(this.#countOf(organizationId, known.leftOut));
    const window = { endsAtMs: nowMs + limits.auditRefusalWindowMs, noted: 0, ofCredential: new Map(), leftOut: 0 };
    this.#windows.set(organizationId, window);
    return window;
  }

  #takes(window: Window, principal: string): boolean {
    if (window.noted >= limits.auditRefusalsOfOrganizationMax) return false;
    const ofCredential = window.ofCredential.get(principal) ?? 0;
    if (ofCredential >= limits.auditRefusalsOfCredentialMax) return false;
    window.noted += 1;
    window.ofCredential.set(principal, ofCredential + 1);
    return true;
  }

  #eventOf({ caller, action, correlationId, clientAddress, refusal, projectId }: RefusedRequest): AuditEvent {
    const { organizationId, credentialId, userId } = caller;
    const { code, extra } = refusal;
    const required = extra.details?.required;
    // A project of somebody else is named as the request named it, and no more is said of it.
    const isOwn = projectId !== undefined && this.#services.catalog.view.get(projectTable, projectId)?.organizationId === organizationId;
    return {
      schemaVersion: 1,
      auditEventId: newId('audit'),
      organizationId,
      ...(isOwn ? { projectId } : {}),
      atMs: this.#services.nowMs(),
      action,
      credentialId,
      ...defined({ userId }),
      resourceType: projectId === undefined ? 'organization' : 'project',
      resourceId: projectId ?? organizationId,
      correlationId,
      ...(clientAddress === '' ? {} : { clientAddress }),
      refusal: { code, ...(typeof required === 'string' ? { required } : {}) },
    };
  }

  #countOf(organizationId: string, leftOut: number): AuditEvent {
    return {
      schemaVersion: 1,
      auditEventId: newId('audit'),
      organizationId,
      atMs: this.#services.nowMs(),
      action: 'refusalsLeftOut',
      credentialId: '',
      resourceType: 'organization',
      resourceId: organizationId,
      correlationId: newId('corr'),
      refusal: { leftOut },
    };
  }

  #write(event: AuditEvent): void {
    const { catalog, log } = this.#services;
    catalog.change((tx) => tx.put(auditTable, event)).catch((err) => log.warn('a refusal is not in the audit trail', { ...event, err }));
  }
}
