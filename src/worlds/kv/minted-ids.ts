// Ids minted inside a world: prefix + world tag + ten Crockford base32 digits of a counter. Nothing but the ordinal is ever stored.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.js';
import type { JsonObject } from '../../contract/json.js';

export type MintedPrefix = 'txn_' | 'call_' | 'corr_' | 'pending_' | 'delivery_' | 'snap_';

const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const pairs: string[] = [];
for (const high of digits) for (const low of digits) pairs.push(high + low);
const digitBytes = Buffer.from(digits);
const values = new Map([...digits].map((digit, value) => [digit, value]));
const ordinalDigits = 10;
const worldTagLength = 16;

/** The first 16 base32 digits of the digest of what makes a world: buildHash, setupHash, seed, trial, attempt, and a fork's lineage. */
export function worldTag(identity: JsonObject): string {
  const hash = createHash('sha256').update(canonicalJson(identity)).digest();
  let tag = '';
  for (let bit = 0; bit < worldTagLength * 5; bit += 5) {
    const window = (hash.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 31;
    tag += digits[window];
  }
  return tag;
}

/** `ordinal` is a safe integer from 0; ids of one prefix sort as their ordinals do. */
export function mintedId(prefix: MintedPrefix, tag: string, ordinal: number): string {
  return prefix + tag + ordinalText(ordinal);
}

/** Of what a fork's parent made: nothing that the fork makes has it. */
export function inheritedId(prefix: MintedPrefix, tag: string, ordinal: number): string {
  return mintedId(prefix, tag, inheritedFrom + ordinal);
}
/** Half of all ordinals, which no journal comes to. */
const inheritedFrom = digits.length ** ordinalDigits / 2;

/** Ten digits: five table look-ups. */
export function ordinalText(ordinal: number): string {
  const high = Math.floor(ordinal / 0x40000000);
  const low = ordinal % 0x40000000;
  return `${pairs[Math.floor(high / 1024) % 1024]}${pairs[high % 1024]}${pairs[low >>> 20]}${pairs[(low >>> 10) & 1023]}${pairs[low & 1023]}`;
}

/** As ordinalText, into bytes. */
export function writeOrdinal(target: Uint8Array, at: number, ordinal: number): void {
  const isLow = ordinal < 0x40000000;
  const high = isLow ? 0 : Math.floor(ordinal / 0x40000000);
  const low = isLow ? ordinal : ordinal % 0x40000000;
  for (let place = at + 3, rest = high; place >= at; place--, rest >>>= 5) target[place] = digitBytes[rest & 31] as number;
  for (let place = at + 9, rest = low; place > at + 3; place--, rest >>>= 5) target[place] = digitBytes[rest & 31] as number;
}

/** The ordinal of an id of this world, or of any world where none is named; undefined for anything else. */
export function ordinalOfId(
  id: string,
  prefix: MintedPrefix,
  tag = id.slice(prefix.length, prefix.length + worldTagLength),
): number | undefined {
  const head = prefix + tag;
  if (id.length !== head.length + ordinalDigits || !id.startsWith(head)) return undefined;
  let ordinal = 0;
  for (let index = head.length; index < id.length; index++) {
    const value = values.get(id[index] as string);
    if (value === undefined) return undefined;
    ordinal = ordinal * 32 + value;
  }
  return ordinal;
}
