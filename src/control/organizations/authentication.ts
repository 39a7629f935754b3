// From a bearer token to a caller. A control credential is found by the hash of its token; what is wrong with one that does not open is
// not said.
//   AUTHENTICATION-1. Every request reads storage: a revocation holds for the very next request.
//   AUTHENTICATION-2. Rates are counted after the caller is known, so nobody spends another's: each credential has one, and its
//     organization.
//   AUTHENTICATION-3. What it refuses to a credential it knows is noted for the audit trail; a token nobody knows is in no organization's
//     trail.
import { ServiceError } from '../../contract/errors.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import type { Authority } from '../../contract/world/authority.js';
import type { Caller } from '../catalog/endpoint.js';
import { tokenHash } from '../catalog/keyring.js';
import {
  bearerTable,
  type CredentialRecord,
  credentialTable,
  type OrganizationRecord,
  organizationTable,
  userIdOf,
} from '../catalog/organization-records.js';
import type { View } from '../catalog/tables.js';
import { authoritiesInProject, unauthenticated } from '../core/authorities.js';
import type { RefusalTrail } from '../core/refusal-trail.js';
import { acceptsEarlyCredentials } from '../core/server-key.js';
import type { ControlServices } from '../core/services.js';
import { type Standing, standingOf } from '../core/standing.js';
import { IdentityVerifier } from './identity.js';
import { isOperatorToken } from './operator-token.js';
import { RateLimiter } from './rate-limiter.js';

type Needs = Pick<ControlServices, 'catalog' | 'organizationsNow' | 'settings' | 'keyring' | 'nowMs' | 'log'>;
/** Of the request, for the audit trail. */
export interface RequestOrigin {
  route: string | undefined;
  correlationId: string;
  /** Its address is asked for where something is refused. */
  client?: { readonly address: string };
}

export class Authentication {
  readonly #services: Needs;
  readonly #refusals: RefusalTrail;
  readonly #limiter: RateLimiter;
  readonly #organizationLimiter: RateLimiter;
  readonly #identity: IdentityVerifier | undefined;

  constructor(services: Needs, refusals: RefusalTrail) {
    const { settings, nowMs } = services;
    this.#services = services;
    this.#refusals = refusals;
    this.#limiter = new RateLimiter(settings.rate, nowMs);
    this.#organizationLimiter = new RateLimiter(settings.organizationRate, nowMs);
    this.#identity = settings.identity === undefined ? undefined : new IdentityVerifier(settings.identity, services);
  }

  /**
   * The holder of a control credential. control.UNAUTHENTICATED, the same for every reason; control.ORGANIZATION_SUSPENDED;
   * control.RATE_LIMITED.
   */
  authenticate(token: string, at?: RequestOrigin): Caller {
    const { view } = this.#services.catalog;
    const found = view.get(bearerTable, tokenHash(token));
    const record = found === undefined ? undefined : view.get(credentialTable, found.credentialId);
    if (record === undefined || (record.secretHash !== undefined && record.secretHash !== found!.hash)) throw unauthenticated();
    const standing = this.#standingOf(view, record);
    if (standing === undefined) throw this.#refused(record, at, unauthenticated());
    const { organizationId, credentialId } = standing;
    const organization = this.#activeOf(record, at);
    const rate = this.#limiter.take(credentialId, organization?.rate);
    this.#organizationLimiter.take(organizationId, organization?.organizationRate);
    this.#noteUse(record);
    const caller = callerOf(view, standing);
    caller.rate = rate;
    return caller;
  }

  /** The holder of a token of the identity provider; control.UNAVAILABLE when its keys are not available. */
  async authenticateIdentity(token: string): Promise<Caller> {
    if (this.#identity === undefined) throw unauthenticated();
    const identity = await this.#identity.verify(token);
    const userId = userIdOf(identity);
    this.#limiter.take(userId);
    const { view } = this.#services.catalog;
    const claimed = identity.organizationId;
    const organizationId = claimed !== undefined && view.get(organizationTable, claimed) !== undefined ? claimed : '';
    return { ...callerOf(view, { organizationId, credentialId: '', userId, role: null }), identity };
  }

  /** The operator. control.UNAUTHENTICATED for every other token, compared in constant time. */
  authenticateOperator(token: string): Caller {
    if (!isOperatorToken(this.#services.catalog.view, token)) throw unauthenticated();
    this.#limiter.take('operator');
    return { organizationId: '', credentialId: 'operator', role: null, operator: true, authoritiesIn: () => new Set() };
  }

  /** Undefined when it opens nothing. */
  #standingOf(view: View, record: CredentialRecord): Standing | undefined {
    const { revokedAtMs, expiresAtMs } = record.credential;
    if (revokedAtMs !== undefined || (expiresAtMs !== undefined && expiresAtMs <= this.#services.nowMs())) return undefined;
    if (record.secretHash === undefined && !acceptsEarlyCredentials(view, this.#services.keyring)) return undefined;
    return standingOf(view, record);
  }

  #activeOf(record: CredentialRecord, at: RequestOrigin | undefined): OrganizationRecord | undefined {
    try {
      return this.#services.organizationsNow.requireActive(record.credential.organizationId);
    } catch (error) {
      throw error instanceof ServiceError ? this.#refused(record, at, error) : error;
    }
  }

  #refused({ credential }: CredentialRecord, at: RequestOrigin | undefined, refusal: ServiceError): ServiceError {
    const { organizationId, credentialId, userId } = credential;
    const { route = 'authenticate', correlationId = newId('corr'), client } = at ?? {};
    const clientAddress = client?.address ?? '';
    const caller = { organizationId, credentialId, ...(userId === undefined ? {} : { userId }) };
    this.#refusals.note({ caller, action: route, correlationId, clientAddress, refusal, projectId: undefined });
    return refusal;
  }

  /** Now and then, and without waiting: not every request is a write. */
  #noteUse({ credential: { credentialId, lastUsedAtMs } }: CredentialRecord): void {
    const { catalog, nowMs, log } = this.#services;
    const atMs = nowMs();
    if (lastUsedAtMs !== undefined && atMs - lastUsedAtMs < limits.credentialUseNotedMs) return;
    const noted = catalog.change((tx) => {
      const record = tx.get(credentialTable, credentialId);
      if (record === undefined || atMs - (record.credential.lastUsedAtMs ?? 0) < limits.credentialUseNotedMs) return;
      tx.put(credentialTable, { ...record, credential: { ...record.credential, lastUsedAtMs: atMs } });
    });
    noted.catch((err) => log.warn('the use of a credential was not noted', { credentialId, err }));
  }
}

function callerOf(view: View, standing: Standing): Caller {
  const { organizationId, credentialId, role, userId, makerId } = standing;
  const authoritiesIn = (projectId: string): ReadonlySet<Authority> => authoritiesInProject(view, standing, projectId);
  const caller: Caller = { organizationId, credentialId, role, authoritiesIn };
  if (userId !== undefined) caller.userId = userId;
  if (makerId !== undefined) caller.makerId = makerId;
  return caller;
}
