// Sets of code points, as sorted ranges that neither touch nor overlap: [first, last, first, last, ...].
import { LruMap } from '../../collections/lru-map.js';
import { tuning } from '../tuning.js';

export type CharSet = readonly number[];

const last = 0x10ffff;

export const noChars: CharSet = [];

/** What `.` matches without the flag `s`. */
export const anyButLineEnds = complementOf(
  unionOf([
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ]),
);
export const digits: CharSet = [0x30, 0x39];
export const wordChars: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
/** WhiteSpace and LineTerminator of ECMA-262. */
export const spaces: CharSet = [
  ...[0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff],
];

export function unionOf(sets: readonly CharSet[]): CharSet {
  const ranges: [number, number][] = [];
  for (const set of sets) for (let at = 0; at < set.length; at += 2) ranges.push([set[at]!, set[at + 1]!]);
  ranges.sort(([one], [other]) => one - other);
  const union: number[] = [];
  for (const [from, to] of ranges) {
    const end = union.length - 1;
    if (end > 0 && from <= union[end]! + 1) union[end] = Math.max(union[end]!, to);
    else union.push(from, to);
  }
  return union;
}

export function complementOf(set: CharSet): CharSet {
  const complement: number[] = [];
  let next = 0;
  for (let at = 0; at < set.length; at += 2) {
    if (set[at]! > next) complement.push(next, set[at]! - 1);
    next = set[at + 1]! + 1;
  }
  if (next <= last) complement.push(next, last);
  return complement;
}

export function overlap(one: CharSet, other: CharSet): boolean {
  for (let at = 0, there = 0; at < one.length && there < other.length; ) {
    if (one[at + 1]! < other[there]!) at += 2;
    else if (other[there + 1]! < one[at]!) there += 2;
    else return true;
  }
  return false;
}

const kept = new LruMap<string, CharSet>({ entriesMax: tuning.charSetsKept });

/** What `\p{...}` or `\P{...}` matches, asked of the engine itself. Some 50 ms the first time. */
export function setOfProperty(source: string): CharSet {
  return kept.getOrMake(source, () => scan(new RegExp(source, 'u')));
}

function scan(pattern: RegExp): CharSet {
  const set: number[] = [];
  for (let from = 0, was = false; from <= last + 1; from++) {
    const is = from <= last && pattern.test(String.fromCodePoint(from));
    if (is !== was) set.push(is ? from : from - 1);
    was = is;
  }
  return set;
}
