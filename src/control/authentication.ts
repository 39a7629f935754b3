// From a bearer token to a caller. A control credential is found by the hash of its token; what is wrong with one that does not open is
// not told.
//   A1. Every request asks the disk: a revocation holds for the very next request.
//   A2. Rates are counted after the caller is known, so nobody spends another's.
import { limits } from '../contract/limits.js';
import { authoritiesInProject, unauthenticated } from './authorities.js';
import type { Caller } from './endpoint.js';
import { IdentityVerifier } from './identity.js';
import { tokenHash } from './keyring.js';
import { bearerTable, type CredentialRecord, credentialTable, memberId, memberTable, organizationTable, userIdOf } from './organization-records.js';
import { RateLimiter } from './rate-limiter.js';
import type { ControlServices } from './services.js';
import type { View } from './tables.js';

type Needs = Pick<ControlServices, 'catalog' | 'settings' | 'nowMs' | 'log'>;

export class Authentication {
  readonly #services: Needs;
  readonly #limiter: RateLimiter;
  readonly #identity: IdentityVerifier | undefined;

  constructor(services: Needs) {
    const { settings, nowMs } = services;
    this.#services = services;
    this.#limiter = new RateLimiter(settings.rate, nowMs);
    this.#identity = settings.identity === undefined ? undefined : new IdentityVerifier(settings.identity, nowMs);
  }

  /** The holder of a control credential. control.UNAUTHENTICATED, the same for every reason; control.RATE_LIMITED. */
  authenticate(token: string): Caller {
    const { view } = this.#services.catalog;
    const found = view.get(bearerTable, tokenHash(token));
    const record = found === undefined ? undefined : view.get(credentialTable, found.credentialId);
    if (record === undefined || !this.#opens(view, record)) throw unauthenticated();
    const { credentialId, organizationId, role, userId } = record.credential;
    this.#limiter.take(credentialId);
    this.#noteUse(record);
    return callerOf(view, { credentialId, organizationId, role, ...(userId === undefined ? {} : { userId }) });
  }

  /** The holder of a token of the identity provider; control.UNAVAILABLE when its keys cannot be had. */
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

  #opens(view: View, { credential }: CredentialRecord): boolean {
    const { organizationId, userId, revokedAtMs, expiresAtMs } = credential;
    if (revokedAtMs !== undefined || (expiresAtMs !== undefined && expiresAtMs <= this.#services.nowMs())) return false;
    return userId === undefined || view.get(memberTable, memberId({ organizationId, userId }))?.member.state === 'active';
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

export function callerOf(view: View, who: Pick<Caller, 'organizationId' | 'credentialId' | 'userId' | 'role'>): Caller {
  return { ...who, authoritiesIn: (projectId) => authoritiesInProject(view, who, projectId) };
}
