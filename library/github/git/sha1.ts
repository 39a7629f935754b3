// SHA-1 (RFC 3174), which names every object of git. The realm of tool code has no crypto, so it is written out here.

/** The digest of the bytes, in 40 hexadecimal digits. */
export function sha1(bytes: readonly number[]): string {
  const words = padded(bytes);
  let state: readonly number[] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let start = 0; start < words.length; start += 16) state = mixBlock(state, words, start);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The message as big-endian words: a set bit, zeros, and the length in bits fill the last block. */
function padded(bytes: readonly number[]): Int32Array {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const words = new Int32Array(blocks * 16);
  for (let index = 0; index <= bytes.length; index += 1) {
    const byte = index === bytes.length ? 0x80 : (bytes[index] ?? 0);
    words[index >> 2] = (words[index >> 2] ?? 0) | (byte << (24 - (index & 3) * 8));
  }
  words[words.length - 2] = Math.floor(bytes.length / 0x20000000);
  words[words.length - 1] = (bytes.length << 3) | 0;
  return words;
}

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

function mixBlock(state: readonly number[], words: Int32Array, start: number): number[] {
  const schedule = new Int32Array(80);
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let round = 0; round < 80; round += 1) {
    schedule[round] = round < 16 ? (words[start + round] ?? 0) : rotate(spread(schedule, round), 1);
    const mixed = (rotate(a, 5) + choose(round, b, c, d) + e + (schedule[round] ?? 0)) | 0;
    [a, b, c, d, e] = [mixed, a, rotate(b, 30), c, d];
  }
  return [a, b, c, d, e].map((word, index) => (word + (state[index] ?? 0)) | 0);
}

function spread(schedule: Int32Array, round: number): number {
  return (schedule[round - 3] ?? 0) ^ (schedule[round - 8] ?? 0) ^ (schedule[round - 14] ?? 0) ^ (schedule[round - 16] ?? 0);
}

function choose(round: number, b: number, c: number, d: number): number {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}
