// The keys that the identity provider publishes: kept for a while, and asked for at once where a token names a key that they lack.
//   PUBLISHED-KEYS-1. A key that the kept set lacks leads to one request, however many wait for it; within the time to cool down there is
//     no second one, and a token that needs it is asked to come again.
//   PUBLISHED-KEYS-2. An answer without a key that verifies a signature is a failure of the provider, as is one that is no key set: the
//     keys of before stay. The log has one line when the provider begins to fail.
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { ControlServices } from '../core/services.js';

export type KeysNeeds = Pick<ControlServices, 'nowMs' | 'log'>;

/** Signatures only a holder of a private key makes: a public key must never serve as a shared secret. */
export const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

export class PublishedKeys {
  readonly #needs: KeysNeeds;
  readonly #set: ReturnType<typeof createRemoteJWKSet>;
  #missedAtMs: number | undefined;
  #isFailing = false;

  constructor(url: URL, needs: KeysNeeds) {
    this.#needs = needs;
    this.#set = createRemoteJWKSet(url, {
      timeoutDuration: limits.jwksTimeoutMs,
      cacheMaxAge: limits.jwksKeptMs,
      // The library's own begins with every request, so that a rotation soon after one would be missed.
      cooldownDuration: Number.POSITIVE_INFINITY,
      [customFetch]: (where, options) => this.#fetch(where, options),
    });
  }

  /** The key of a token. jose's errors; control.UNAVAILABLE where the set may have it by now and is not to be asked again yet. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const wasKept = this.#set.fresh;
    try {
      return await this.#set(header, token);
    } catch (error) {
      // A set that was not kept has been asked for since.
      if (!(error instanceof errors.JWKSNoMatchingKey) || !wasKept) throw error;
    }
    if (!this.#set.reloading) this.#coolDown();
    await this.#set.reload();
    return await this.#set(header, token);
  };

  #coolDown(): void {
    const nowMs = this.#needs.nowMs();
    const restMs = this.#missedAtMs === undefined ? 0 : this.#missedAtMs + limits.jwksCoolDownMs - nowMs;
    // More than all of it is left where the clock was set back.
    if (restMs > 0 && restMs <= limits.jwksCoolDownMs)
      throw new ServiceError('control.UNAVAILABLE', {
        message: "The identity provider's keys were asked for a moment ago, and this token's key was not among them.",
        retryAfterMs: restMs,
      });
    this.#missedAtMs = nowMs;
  }

  readonly #fetch: FetchImplementation = async (url, options) => {
    try {
      const text = await fetchKeySet(url, options);
      this.#isFailing = false;
      return new Response(text);
    } catch (err) {
      if (!this.#isFailing) this.#needs.log.warn('the keys of the identity provider are not available', { err });
      this.#isFailing = true;
      throw err;
    }
  };
}

/** The text of a key set with a key that can be used; errors.JWKSInvalid for every other answer. */
async function fetchKeySet(...request: Parameters<FetchImplementation>): Promise<string> {
  const response = await fetch(...request);
  const text = await boundedText(response);
  if (response.status !== 200) throw new errors.JWKSInvalid(`the answer has the status ${response.status}`);
  if (!(await hasUsableKey(text))) throw new errors.JWKSInvalid('the key set has no key that verifies a signature');
  return text;
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > limits.jwksBytesMax) throw new errors.JWKSInvalid(`the key set has more than ${limits.jwksBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** As jose finds a key for a token: of each algorithm. */
async function hasUsableKey(text: string): Promise<boolean> {
  const find = createLocalJWKSet(parsed(text));
  for (const alg of algorithms) {
    try {
      await find({ alg });
      return true;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) continue;
      for await (const _ of error) return true;
    }
  }
  return false;
}

function parsed(text: string): JSONWebKeySet {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new errors.JWKSInvalid('the answer is no JSON', { cause });
  }
}
