// Tokens of the identity provider: any OIDC issuer, verified against its published keys.
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { Role } from '../../contract/world/authority.js';
import type { Identity } from '../catalog/endpoint.js';
import type { ControlSettings } from '../catalog/settings.js';
import { unauthenticated } from '../core/authorities.js';
import { requireJwksUrl } from './jwks-url.js';
import { algorithms, type KeysNeeds, PublishedKeys } from './published-keys.js';

export type IdentitySettings = NonNullable<ControlSettings['identity']>;

export class IdentityVerifier {
  readonly #settings: IdentitySettings;
  readonly #nowMs: () => number;
  readonly #keys: PublishedKeys;

  /** control.INVALID_REQUEST for a key set that would come over a network in the clear. */
  constructor(settings: IdentitySettings, needs: KeysNeeds) {
    requireJwksUrl(settings.jwksUrl);
    this.#settings = settings;
    this.#nowMs = needs.nowMs;
    this.#keys = new PublishedKeys(new URL(settings.jwksUrl), needs);
  }

  /** control.UNAUTHENTICATED for a token that does not hold; control.UNAVAILABLE when the issuer's keys are not available. */
  async verify(token: string): Promise<Identity> {
    const { issuer, audience } = this.#settings;
    try {
      const { payload } = await jwtVerify(token, this.#keys.find, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(this.#nowMs()),
        clockTolerance: limits.identityClockToleranceMs / 1000,
      });
      requireSubject(payload.sub);
      return this.#identityOf(payload);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw isAboutToken(error) ? unauthenticated(error) : keysUnavailable(error);
    }
  }

  #identityOf(payload: JWTPayload): Identity {
    const { issuer, organizationClaim, roleClaim } = this.#settings;
    const claimed = payload[organizationClaim];
    const organizationId = typeof claimed === 'string' && organizationShape.test(claimed) ? claimed : undefined;
    const name = textOf(payload.name);
    // Where the provider says roles, a token that says none takes the role away.
    const role = roleClaim === undefined ? undefined : roleOf(payload[roleClaim]);
    return {
      issuer,
      subject: payload.sub!,
      ...defined({ name, organizationId, role }),
    };
  }
}

const organizationShape = /^org_[0-9a-z]{12,32}$/;
const roleOf = (claim: unknown): Role | null => (claim === 'viewer' || claim === 'builder' || claim === 'manager' ? claim : null);

/** It becomes part of a user's id, and of keys of the catalog: text, and no more of it than the standard allows. */
function requireSubject(subject: unknown): void {
  if (typeof subject !== 'string' || subject === '' || subject.length > limits.identitySubjectCharsMax)
    throw new errors.JWTClaimValidationFailed('the subject is no text of 1 to 255 characters', {}, 'sub', 'check_failed');
}

const textOf = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim !== '' ? claim.slice(0, limits.identityClaimCharsMax) : undefined;

function isAboutToken(error: unknown): boolean {
  const isAboutKeys = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  return error instanceof errors.JOSEError && !isAboutKeys;
}

function keysUnavailable(cause: unknown): ServiceError {
  return new ServiceError('control.UNAVAILABLE', {
    message: "The identity provider's keys are not available now.",
    retryAfterMs: limits.unavailableRetryAfterMs,
    cause,
  });
}
