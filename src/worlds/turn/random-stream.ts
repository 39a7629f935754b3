// One stream of randomness: xoshiro128** (Blackman and Vigna), four 32-bit words, so that every engine draws the same without wide
// integers. A stream is split off the world's seed by hashing labels: streams of other labels are unrelated, whatever is drawn from them.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.js';

export type StreamState = [number, number, number, number];

/** The first state of the stream with these labels. */
export function splitStream(seed: string, labels: readonly string[]): StreamState {
  const digest = createHash('sha256')
    .update(canonicalJson([seed, ...labels]))
    .digest();
  const state: StreamState = [digest.readUInt32BE(0), digest.readUInt32BE(4), digest.readUInt32BE(8), digest.readUInt32BE(12)];
  // All zeros is the one state the generator never leaves.
  return state.every((word) => word === 0) ? [1, 0, 0, 0] : state;
}

/** Changes the state; an integer, 0 <= x < 2^32. */
export function nextWord(state: StreamState): number {
  const [a, b, c, d] = state;
  const scrambled = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
  const third = c ^ a;
  const fourth = d ^ b;
  state[0] = (a ^ fourth) >>> 0;
  state[1] = (b ^ third) >>> 0;
  state[2] = (third ^ (b << 9)) >>> 0;
  state[3] = rotateLeft(fourth, 11) >>> 0;
  return scrambled;
}

/** 0 <= x < 1, of 53 bits. */
export function nextFloat(state: StreamState): number {
  const high = nextWord(state) >>> 5;
  const low = nextWord(state) >>> 6;
  return (high * 0x4000000 + low) / 0x20000000000000;
}

export function nextU64(state: StreamState): bigint {
  const high = BigInt(nextWord(state));
  return (high << 32n) | BigInt(nextWord(state));
}

/** min <= x < maxExclusive, both safe integers; every value equally likely: draws that would favor the first ones are thrown away. */
export function nextInteger(state: StreamState, min: number, maxExclusive: number): number {
  const range = maxExclusive - min;
  if (range <= 0x100000000) {
    const fair = 0x100000000 - (0x100000000 % range);
    let word = nextWord(state);
    while (word >= fair) word = nextWord(state);
    return min + (word % range);
  }
  const wide = BigInt(maxExclusive) - BigInt(min);
  const fair = (1n << 64n) - ((1n << 64n) % wide);
  let word = nextU64(state);
  while (word >= fair) word = nextU64(state);
  return Number(BigInt(min) + (word % wide));
}

const rotateLeft = (word: number, by: number): number => (word << by) | (word >>> (32 - by));
