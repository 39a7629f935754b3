// Seeds: decimal unsigned 64-bit integers as text.
import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

const shape = /^(0|[1-9][0-9]{0,19})$/;
const greatest = '18446744073709551615';

export function isSeed(text: string): boolean {
  return shape.test(text) && (text.length < greatest.length || text <= greatest);
}

/** The seed of a part (a trial, a stream) by its labels: equal seed and labels, equal seed; anything else, an unrelated one. */
export function deriveSeed(seed: string, ...labels: (string | number)[]): string {
  const digest = createHash('sha256')
    .update(canonicalJson([seed, ...labels]))
    .digest();
  return digest.readBigUInt64BE(0).toString();
}
