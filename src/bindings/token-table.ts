// Bearer tokens of agents. A token is 256 random bits, and a lookup by its hash compares nothing byte by byte that an attacker could time.
// It lies in memory alone, for what is signed or sealed with it, and is never logged.
import { hash, randomBytes } from 'node:crypto';

export interface TokenKey {
  /** What signatures and seals are made with. */
  token: string;
  tokenHash: string;
}
export interface Held<Holder> extends TokenKey {
  holder: Holder;
}

export class TokenTable<Holder> {
  readonly #held = new Map<string, Held<Holder>>();

  /** A token of the caller's own is as good: it is 256 bits that nobody can guess. One that the holder has already is the same key. */
  issue(holder: Holder, token = randomBytes(32).toString('base64url')): TokenKey {
    const tokenHash = hashOf(token);
    const known = this.#held.get(tokenHash);
    if (known?.holder === holder) return known;
    const held = { holder, token, tokenHash };
    this.#held.set(tokenHash, held);
    return held;
  }

  holderOf(token: string): Holder | undefined {
    return this.byHash(hashOf(token))?.holder;
  }
  byHash(tokenHash: string): Held<Holder> | undefined {
    return this.#held.get(tokenHash);
  }

  forget(token: string): void {
    this.#held.delete(hashOf(token));
  }

  *holders(): Generator<Holder> {
    for (const { holder } of this.#held.values()) yield holder;
  }
}

const keyMark = 'DYK';
/** What the key of signed requests is called, whose secret the token is. It opens nothing, and names the token as its hash does. */
export function keyIdOf(token: string): string {
  return keyMark + hashOf(token);
}
/** The hash of the token whose key it is; undefined for any other text. */
export function hashOfKey(keyId: string): string | undefined {
  return /^DYK([A-Za-z0-9_-]{43})$/.exec(keyId)?.[1];
}

/** As `hashOfKey`, of every key that a text names. */
export function keyIdsIn(text: string): string[] {
  return text.includes(keyMark) ? [...text.matchAll(/DYK([A-Za-z0-9_-]{43})(?![\w-])/g)].map(([, tokenHash]) => tokenHash as string) : [];
}

/** Asked at every call of an agent: less than half of what a Hash object takes. */
export function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
