// Ids of the outside world: resources, runs, HTTP correlation. Time and chance are in them, so none of them ever enters a world's
// journal; ids inside a world are minted from counters (worlds/kv/minted-ids.ts).
import { randomFillSync } from 'node:crypto';

/** `^<prefix>_[0-9a-z]{26}$`, a lower-case ULID, but for `dataset`, whose ids are UUIDv7 in 32 hex digits. */
export type IdPrefix =
  | 'prj'
  | 'env'
  | 'ses'
  | 'hrun'
  | 'op'
  | 'org'
  | 'cred'
  | 'usr'
  | 'setup'
  | 'draft'
  | 'authsess'
  | 'aturn'
  | 'hsnap'
  | 'evidence'
  | 'cbr'
  | 'grant'
  | 'audit'
  | 'attempt'
  | 'attachment'
  | 'proposal'
  | 'access'
  | 'dataset'
  | 'upload'
  | 'run'
  | 'world'
  | 'request'
  | 'inv'
  | 'corr';

/** Crockford's base32 in lower case: no i, l, o, u. */
const base32Digits = '0123456789abcdefghjkmnpqrstvwxyz';

export interface IdSourceOptions {
  /** Epoch milliseconds. */
  nowMs: () => number;
  /** Fills the array with chance. */
  random: (bytes: Uint8Array) => void;
}

export interface IdSource {
  /** A new id; of two ids with the same prefix the later one sorts after the earlier. */
  newId(prefix: IdPrefix): string;
  /** From now on ids sort after this one, which another process has made, whatever the clocks say. */
  keepIdsAfter(id: string): void;
}

/** Of this thread. */
export const { newId, keepIdsAfter }: IdSource = createIdSource({ nowMs: Date.now, random: pooledChance() });

/** Chance of the system, asked for in larger pieces: an ask costs more than the rest of an id. */
function pooledChance(): IdSourceOptions['random'] {
  const pool = new Uint8Array(2048);
  let used = pool.length;
  return (bytes) => {
    if (used + bytes.length > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    bytes.set(pool.subarray(used, used + bytes.length));
    used += bytes.length;
  };
}

export function createIdSource({ nowMs, random }: IdSourceOptions): IdSource {
  let lastMs = -1;
  let time = '';
  // 80 bits of chance, a base32 digit in each byte. Within a millisecond, and while the clock stands behind itself, it counts up.
  const chance = new Uint8Array(16);
  const moveTo = (ms: number): void => {
    lastMs = ms;
    time = timeDigits(ms);
    random(chance);
    for (let index = 0; index < 16; index++) chance[index] = (chance[index] as number) & 31;
  };
  const nextUlid = (): string => {
    const now = nowMs();
    if (now > lastMs) moveTo(now);
    else if (!countUp(chance)) {
      lastMs++;
      time = timeDigits(lastMs);
    }
    let text = time;
    for (let index = 0; index < 16; index++) text += base32Digits[chance[index] as number];
    return text;
  };
  return {
    newId: (prefix) => `${prefix}_${prefix === 'dataset' ? uuid7Hex(nowMs(), random) : nextUlid()}`,
    keepIdsAfter: (id) => {
      const madeMs = idTimeMs(id);
      if (madeMs >= lastMs) moveTo(madeMs + 1);
    },
  };
}

/** When an id with a ULID was made, in epoch milliseconds; 0 for one of another form. */
export function idTimeMs(id: string): number {
  const time = /_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/.exec(id)?.[1] ?? '';
  return [...time].reduce((ms, digit) => ms * 32 + base32Digits.indexOf(digit), 0);
}

/** False when the digits ran over, to all zeros. */
function countUp(digits: Uint8Array): boolean {
  for (let index = digits.length - 1; index >= 0; index--) {
    const digit = digits[index] as number;
    digits[index] = digit === 31 ? 0 : digit + 1;
    if (digit !== 31) return true;
  }
  return false;
}

/** 48 bits in 10 digits. */
function timeDigits(ms: number): string {
  let text = '';
  for (let rest = ms, index = 0; index < 10; index++) {
    text = base32Digits[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** RFC 9562 5.7, without hyphens. */
function uuid7Hex(ms: number, random: (bytes: Uint8Array) => void): string {
  const bytes = new Uint8Array(16);
  random(bytes);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return ms.toString(16).padStart(12, '0') + Buffer.from(bytes.buffer, 6, 10).toString('hex');
}
