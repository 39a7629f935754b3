// The keys that the identity provider publishes: kept for a while, and asked for at once where a token names a key that they lack.
//   PUBLISHED-KEYS-1. A key that the kept set lacks leads to one request, however many wait for it; within the time to cool down there is
//     no second one, and a token that needs it is asked to come again.
import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey } from 'jose';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';

export class PublishedKeys {
  readonly #nowMs: () => number;
  readonly #set: ReturnType<typeof createRemoteJWKSet>;
  #missedAtMs: number | undefined;

  constructor(url: URL, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#set = createRemoteJWKSet(url, {
      timeoutDuration: limits.jwksTimeoutMs,
      cacheMaxAge: limits.jwksKeptMs,
      // The library's own begins with every request, so that a rotation soon after one would be missed.
      cooldownDuration: Number.POSITIVE_INFINITY,
      [customFetch]: fetchBounded,
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
    const nowMs = this.#nowMs();
    const restMs = this.#missedAtMs === undefined ? 0 : this.#missedAtMs + limits.jwksCoolDownMs - nowMs;
    // More than all of it is left where the clock was set back.
    if (restMs > 0 && restMs <= limits.jwksCoolDownMs)
      throw new ServiceError('control.UNAVAILABLE', {
        message: "The identity provider's keys were asked for a moment ago, and this token's key was not among them.",
        retryAfterMs: restMs,
      });
    this.#missedAtMs = nowMs;
  }
}

/** As fetch, of an answer of at most so many bytes. */
const fetchBounded: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > limits.jwksBytesMax) throw new errors.JWKSInvalid(`the key set has more than ${limits.jwksBytesMax} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status, headers: response.headers });
};
