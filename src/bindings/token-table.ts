// Bearer tokens of agents. A token is 256 random bits; only its hash is kept, and a lookup by hash compares nothing byte by byte
// that an attacker could time. Tokens are never logged.
import { hash, randomBytes } from 'node:crypto';

export class TokenTable<Holder> {
  readonly #holders = new Map<string, Holder>();

  /** A token of the caller's own is as good: it is 256 bits that nobody can guess. */
  issue(holder: Holder, token = randomBytes(32).toString('base64url')): string {
    this.#holders.set(hashOf(token), holder);
    return token;
  }

  holderOf(token: string): Holder | undefined {
    return this.#holders.get(hashOf(token));
  }

  forget(token: string): void {
    this.#holders.delete(hashOf(token));
  }

  holders(): Iterable<Holder> {
    return this.#holders.values();
  }
}

/** Asked at every call of an agent: less than half of what a Hash object takes. */
export function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
