// What fits some words: each has to stand in it; where they stand at the start of a word counts more.
export interface Findable {
  group: string;
  title: string;
  note?: string;
}

/** The best first; without words, all as they are. */
export function foundCommands<T extends Findable>(all: readonly T[], text: string): T[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [...all];
  return all
    .map((one) => ({ one, weight: weightOf(one, words) }))
    .filter(({ weight }) => weight > 0)
    .sort((left, right) => right.weight - left.weight)
    .map(({ one }) => one);
}

function weightOf({ group, title, note = '' }: Findable, words: readonly string[]): number {
  const name = title.toLowerCase();
  const rest = `${group} ${note}`.toLowerCase();
  let weight = 0;
  for (const word of words) {
    const found = name.indexOf(word);
    if (found === 0) weight += 4;
    else if (found > 0) weight += /[\s\-_./]/.test(name[found - 1] ?? '') ? 3 : 2;
    else if (rest.includes(word)) weight += 1;
    else return 0;
  }
  return weight;
}
