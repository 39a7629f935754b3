// Tokens of the identity provider: any OIDC issuer, verified against its published keys. The only file that names jose.
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { unauthenticated } from './authorities.js';
import type { Identity } from './endpoint.js';
import type { ControlSettings } from './settings.js';

export type IdentitySettings = NonNullable<ControlSettings['identity']>;

/** Signatures only a holder of a private key makes: a public key must never serve as a shared secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

export class IdentityVerifier {
  readonly #settings: IdentitySettings;
  readonly #nowMs: () => number;
  readonly #keys: JWTVerifyGetKey;

  constructor(settings: IdentitySettings, nowMs: () => number) {
    this.#settings = settings;
    this.#nowMs = nowMs;
    this.#keys = createRemoteJWKSet(new URL(settings.jwksUrl), { timeoutDuration: limits.jwksTimeoutMs, cooldownDuration: limits.jwksCoolDownMs });
  }

  /** control.UNAUTHENTICATED for a token that does not hold; control.UNAVAILABLE when the issuer's keys cannot be had. */
  async verify(token: string): Promise<Identity> {
    const { issuer, audience } = this.#settings;
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(this.#nowMs()),
      });
      return this.#identityOf(payload);
    } catch (error) {
      throw isAboutToken(error) ? unauthenticated(error) : keysUnavailable(error);
    }
  }

  #identityOf(payload: JWTPayload): Identity {
    const { issuer, organizationClaim, roleClaim } = this.#settings;
    const organizationId = textOf(payload[organizationClaim]);
    const name = textOf(payload.name);
    const role = roleClaim === undefined ? undefined : textOf(payload[roleClaim]);
    return {
      issuer,
      subject: payload.sub!,
      ...(name === undefined ? {} : { name }),
      ...(organizationId === undefined ? {} : { organizationId }),
      ...(role === 'viewer' || role === 'builder' || role === 'manager' ? { role } : {}),
    };
  }
}

const textOf = (claim: unknown): string | undefined => (typeof claim === 'string' && claim !== '' ? claim.slice(0, 255) : undefined);

/** jose's plain JOSEError is what it says of an answer of the issuer that is no key set. */
function isAboutToken(error: unknown): boolean {
  const isAboutKeys = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  return error instanceof errors.JOSEError && !isAboutKeys && error.constructor !== errors.JOSEError;
}

function keysUnavailable(cause: unknown): ServiceError {
  return new ServiceError('control.UNAVAILABLE', {
    message: "The identity provider's keys cannot be had now.",
    retryAfterMs: limits.unavailableRetryAfterMs,
    cause,
  });
}
