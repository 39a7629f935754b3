// Seeds: decimal unsigned 64-bit integers as text.
import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** The seed of a part (a trial, a stream) by its labels: equal seed and labels, equal seed; anything else, an unrelated one. */
export function deriveSeed(seed: string, ...labels: (string | number)[]): string {
  const digest = createHash('sha256')
    .update(canonicalJson([seed, ...labels]))
    .digest();
  return digest.readBigUInt64BE(0).toString();
}
