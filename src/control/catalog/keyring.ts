// The server's secret key in its generations, and what is derived from it: tokens of worlds and of a cluster's nodes, signing secrets of
// callbacks, the MACs of cursors. They are derived from the id of what they open, so that they need not be stored. Control credentials are
// random, and no affair of the key. Why: docs/decisions/007.
//   KEYRING-1. The first generation derives as versions without generations did.
//   KEYRING-2. A generation before the present one is accepted until its time; after it, what derived from it opens and means nothing.
//   KEYRING-3. After a rotation without a grace only the present generation is accepted.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { KeyGeneration } from '../../contract/hosted/operator.js';
import { limits } from '../../contract/limits.js';
import { KeyFile, type KeyPlace, newKey, type StoredKey } from './key-file.js';

export interface OpenKeyring extends KeyPlace {
  nowMs(): number;
}
export interface Rotation {
  /** How long what derives from the present key still works. 0: nothing earlier does, not even where an earlier grace is still open. */
  graceMs: number;
  /** A rotation asked for again under the same id is the one that was made. */
  rotationId?: string;
}

type TokenKind = 'world' | 'callback' | 'node';

export class Keyring {
  readonly #file: KeyFile;
  readonly #nowMs: () => number;
  /** The present one first. */
  #keys: readonly StoredKey[];

  private constructor(file: KeyFile, keys: readonly StoredKey[], nowMs: () => number) {
    this.#file = file;
    this.#keys = keys;
    this.#nowMs = nowMs;
  }

  /** Makes the key at the first start. control.INVALID_REQUEST for a key file that cannot be used. */
  static open({ nowMs, ...place }: OpenKeyring): Keyring {
    const file = new KeyFile(place);
    return new Keyring(file, file.read(nowMs()), nowMs);
  }

  get generation(): number {
    return this.#present.generation;
  }
  /** Those that are accepted now. */
  get generations(): KeyGeneration[] {
    return this.#accepted().map(({ generation, createdAtMs, acceptedUntilMs }) => ({
      generation,
      createdAtMs,
      ...defined({ acceptedUntilMs }),
    }));
  }
  accepts(generation: number): boolean {
    return this.#accepted().some((key) => key.generation === generation);
  }

  /** A key's name, which tells nothing of it. */
  get fingerprint(): string {
    return fingerprintOf(this.#present);
  }
  acceptsFingerprint(fingerprint: string): boolean {
    return this.#accepted().some((key) => fingerprintOf(key) === fingerprint);
  }

  /** Whether a key of this name is one of these, or was before them. */
  descendsFrom(fingerprint: string): boolean {
    return this.#keys.some((key) => fingerprintOf(key) === fingerprint) || this.#present.earlier?.includes(fingerprint) === true;
  }
  /** Where it lies. */
  get path(): string {
    return this.#file.path;
  }

  /** A new present key. control.STATE_CONFLICT when too many earlier ones are still accepted. */
  rotate({ graceMs, rotationId }: Rotation): void {
    if (rotationId !== undefined && this.#present.rotationId === rotationId) return;
    const nowMs = this.#nowMs();
    const { generation } = this.#present;
    const [present, ...earlier] = this.#accepted();
    const { earlier: _, ...last } = present!;
    const kept = graceMs > 0 ? [{ ...last, acceptedUntilMs: nowMs + graceMs }, ...earlier] : [];
    if (kept.length > limits.keyGenerationsMax) {
      throw new ServiceError('control.STATE_CONFLICT', {
        message: `At most ${limits.keyGenerationsMax} earlier keys are accepted at once. Rotate without a grace, or wait until one has ended.`,
      });
    }
    const earlierKeys = [fingerprintOf(this.#present), ...(this.#present.earlier ?? [])].slice(0, limits.keyFingerprintsKept);
    const next: StoredKey = { ...newKey(generation + 1, nowMs), ...defined({ rotationId }), earlier: earlierKeys };
    this.#file.write([next, ...kept]);
    this.#keys = [next, ...kept];
  }

  /**
   * `dyw_...` opens a world; `dys_...` signs callbacks; by `dyn_...` nodes of a cluster know each other. 256 bits. Of a generation that is
   * accepted no more: of the present one.
   */
  token(kind: TokenKind, id: string, generation = this.generation): string {
    return tokenOf(this.#accepted().find((one) => one.generation === generation) ?? this.#present, kind, id);
  }
  /** Of any generation that is accepted. */
  isToken(kind: TokenKind, id: string, token: string): boolean {
    return this.#accepted().some((key) => isSame(tokenOf(key, kind, id), token));
  }

  seal(purpose: string, text: string): string {
    return sealOf(this.#present, purpose, text);
  }
  isSealed(purpose: string, text: string, seal: string): boolean {
    return this.#accepted().some((key) => isSame(sealOf(key, purpose, text), seal));
  }

  get #present(): StoredKey {
    return this.#keys[0]!;
  }
  #accepted(): StoredKey[] {
    const nowMs = this.#nowMs();
    return this.#keys.filter(({ acceptedUntilMs }, place) => place === 0 || (acceptedUntilMs !== undefined && acceptedUntilMs > nowMs));
  }
}

/** Of tokens of worlds, wherever they stand in a text. */
export const worldTokenShape: RegExp = /dyw_[\w-]{43}(?![\w-])/g;

/** What is stored of a token. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url');
}

function derived({ key, generation }: StoredKey, text: string): Buffer {
  return createHmac('sha256', key)
    .update(generation === 1 ? text : `generation ${generation} ${text}`)
    .digest();
}
function tokenOf(key: StoredKey, kind: TokenKind, id: string): string {
  return `${{ world: 'dyw', callback: 'dys', node: 'dyn' }[kind]}_${derived(key, `token ${kind} ${id}`).toString('base64url')}`;
}
/** Compared in a time that tells nothing of where they differ. */
function isSame(own: string, given: string): boolean {
  const [one, other] = [Buffer.from(own), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
function sealOf(key: StoredKey, purpose: string, text: string): string {
  return derived(key, `seal ${purpose} ${text}`).subarray(0, 16).toString('base64url');
}
function fingerprintOf(key: StoredKey): string {
  return derived(key, 'fingerprint').subarray(0, 16).toString('base64url');
}
