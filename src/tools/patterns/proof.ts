// Whether V8's backtracking takes time linear in the text for a pattern. When it cannot be shown the answer is no, whatever the truth.
//
// The proof is that of LL(1) grammars. Where the next characters decide which way a match continues, every way but one fails at once: going
// back costs a check of each choice that was made, and nothing is read twice. So a pattern is linear when
//   PROOF-1. the alternatives begin with different characters, or with words that differ at some place, and at most one of them can be
//     empty;
//   PROOF-2. a repetition that may end at several places begins with no character that can come after it;
//   PROOF-3. what is repeated is never empty;
//   PROOF-4. it is tried at the start of the text only, or reads a bounded number of characters wherever it is tried.
// Outside of all repetitions PROOF-1 may be broken a few times: then whole ways are tried one after the other, at most `proofWaysMax` of
// them. Or one repetition of a character breaks PROOF-2, when what comes after it reads a bounded number of characters, at each place where
// it may end.
import { tuning } from '../tuning.js';
import { type CharSet, noChars, overlap, unionOf } from './char-set.js';
import type { PatternNode } from './syntax.js';

export function isProvenLinear(pattern: PatternNode): boolean {
  return startsBoundedly(pattern) && waysOf(pattern, { follow: noChars, readAfter: 0, isRepeated: false }) <= tuning.proofWaysMax;
}

/** PROOF-4. */
function startsBoundedly(node: PatternNode): boolean {
  if (longest(node) <= tuning.proofCharsReadMax) return true;
  if (node.kind === 'choice') return node.items.every(startsBoundedly);
  if (node.kind !== 'sequence') return false;
  const [first] = node.items;
  return first?.kind === 'assertion' ? first.what === '^' : first !== undefined && node.items.length === 1 && startsBoundedly(first);
}

interface Around {
  /** What can be the next character after it. Past the end nothing is read: there a match is complete. */
  follow: CharSet;
  /** How many characters may be read after it at most. */
  readAfter: number;
  isRepeated: boolean;
}

/** How many whole ways through a part may be tried; infinitely many when nothing is known. */
function waysOf(node: PatternNode, around: Around): number {
  const { follow, readAfter, isRepeated } = around;
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return 1;
    case 'sequence': {
      let ways = 1;
      let after = { follow, readAfter };
      for (const item of node.items.toReversed()) {
        ways *= waysOf(item, { ...after, isRepeated });
        after = { follow: entry(item, after.follow), readAfter: after.readAfter + longest(item) };
      }
      return ways;
    }
    case 'choice': {
      const ways = node.items.map((item) => waysOf(item, around));
      return areDecided(node.items, follow) ? Math.max(...ways) : isRepeated ? Number.POSITIVE_INFINITY : sum(ways);
    }
    case 'repeat':
      return waysOfRepeat(node, around);
    default:
      return node satisfies never;
  }
}

/** PROOF-2, PROOF-3. */
function waysOfRepeat({ item, min, max }: PatternNode & { kind: 'repeat' }, around: Around): number {
  const { follow, readAfter, isRepeated } = around;
  if (max === 0) return 1;
  if (max === 1 && min === 1) return waysOf(item, around);
  if (canBeEmpty(item)) return Number.POSITIVE_INFINITY;
  const first = firstOf(item);
  const again = { follow: unionOf([first, follow]), readAfter: Number.POSITIVE_INFINITY, isRepeated: true };
  const inside = waysOf(item, max === 1 ? around : again);
  if (min === max || !overlap(first, follow)) return inside;
  if (isRepeated) return Number.POSITIVE_INFINITY;
  if (max === 1) return inside + 1;
  return item.kind === 'set' && readAfter <= tuning.proofCharsReadMax ? tuning.proofWaysMax : Number.POSITIVE_INFINITY;
}

/** PROOF-1. */
function areDecided(items: readonly PatternNode[], follow: CharSet): boolean {
  if (items.filter(canBeEmpty).length > 1) return false;
  const ways = items.map((item) => ({ first: entry(item, follow), word: wordOf(item) }));
  return ways.every(({ first, word }, index) =>
    ways
      .slice(0, index)
      .every((other) => !overlap(first, other.first) || word.some((set, at) => at < other.word.length && !overlap(set, other.word[at]!))),
  );
}

/** The sets of characters that a part begins with, one after the other without any choice. */
function wordOf(node: PatternNode): CharSet[] {
  if (node.kind === 'set') return [node.set];
  if (node.kind !== 'sequence') return [];
  const until = node.items.findIndex(({ kind }) => kind !== 'set');
  return node.items.slice(0, until < 0 ? undefined : until).map((item) => (item as PatternNode & { kind: 'set' }).set);
}

/** The first character that is read from here on: by the node, or, when it may be empty, by what follows. */
function entry(node: PatternNode, follow: CharSet): CharSet {
  return canBeEmpty(node) ? unionOf([firstOf(node), follow]) : firstOf(node);
}

function firstOf(node: PatternNode): CharSet {
  switch (node.kind) {
    case 'set':
      return node.set;
    case 'assertion':
      return noChars;
    case 'sequence': {
      const until = node.items.findIndex((item) => !canBeEmpty(item));
      return unionOf(node.items.slice(0, until < 0 ? undefined : until + 1).map(firstOf));
    }
    case 'choice':
      return unionOf(node.items.map(firstOf));
    case 'repeat':
      return node.max === 0 ? noChars : firstOf(node.item);
    default:
      return node satisfies never;
  }
}

function canBeEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'assertion':
      return true;
    case 'sequence':
      return node.items.every(canBeEmpty);
    case 'choice':
      return node.items.some(canBeEmpty);
    case 'repeat':
      return node.min === 0 || canBeEmpty(node.item);
    default:
      return node satisfies never;
  }
}

function longest(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
      return 1;
    case 'assertion':
      return 0;
    case 'sequence':
      return sum(node.items.map(longest));
    case 'choice':
      return Math.max(...node.items.map(longest));
    case 'repeat': {
      const each = longest(node.item);
      return each === 0 || node.max === 0 ? 0 : each * node.max;
    }
    default:
      return node satisfies never;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
