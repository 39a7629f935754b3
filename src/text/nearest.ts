// The word that was meant: the nearest of those that are known.
import { tuning } from './tuning.js';

/** The known name that a slip of the hand turns into this one, or that has its words in another order: `startAfterUs`, `afterStartUs`. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > tuning.nearWordCharsMax) return undefined;
  const words = wordsOf(word);
  const turned = known.find((candidate) => wordsOf(candidate) === words);
  if (turned !== undefined) return turned;
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.floor(word.length / 2)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** In lower case and in order. */
function wordsOf(name: string): string {
  return name
    .split(/(?=[A-Z])|[-_. ]/)
    .map((word) => word.toLowerCase())
    .sort()
    .join(' ');
}

/** Levenshtein's, one row at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
