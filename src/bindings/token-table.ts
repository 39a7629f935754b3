// Bearer tokens of agents. A token is 256 random bits; only its hash is kept, and a lookup by hash compares nothing byte by byte
// that an attacker could time. Tokens are never logged.
import { createHash, randomBytes } from 'node:crypto';

export class TokenTable<Holder> {
  readonly #holders = new Map<string, Holder>();

  issue(holder: Holder): string {
    const token = randomBytes(32).toString('base64url');
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

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
