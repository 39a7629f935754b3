// The words of a search: terms, "several words", qualifiers such as `label:"good first issue"`, and each of them with `-` before it.

export interface Term {
  /** Undefined for plain words. */
  readonly qualifier: string | undefined;
  readonly value: string;
  readonly negated: boolean;
}

/** A word with a colon is a qualifier only where the search knows it. */
export function termsOf(query: string, qualifiers: ReadonlySet<string>): Term[] {
  const words = query.match(/-?(?:[\w.-]+:)?"[^"]*"|\S+/g) ?? [];
  return words.map((word) => {
    const negated = word.startsWith('-') && word.length > 1;
    const bare = negated ? word.slice(1) : word;
    const colon = bare.indexOf(':');
    const qualifier = colon > 0 ? bare.slice(0, colon).toLowerCase() : undefined;
    const known = qualifier !== undefined && qualifiers.has(qualifier);
    return { qualifier: known ? qualifier : undefined, value: unquoted(known ? bare.slice(colon + 1) : bare), negated };
  });
}

const unquoted = (text: string): string => text.replace(/^"(.*)"$/, '$1');

/** `5`, `>5`, `>=5`, `<5`, `<=5`, `1..5`, `*..5`; what `numberOf` cannot read is no bound. */
export function inRange(value: number, range: string, numberOf: (text: string) => number | undefined, span = 0): boolean {
  const between = /^(.+)\.\.(.+)$/.exec(range);
  if (between !== null) {
    const [low, high] = [numberOf(between[1] ?? ''), numberOf(between[2] ?? '')];
    return (low === undefined || value >= low) && (high === undefined || value <= high + span);
  }
  const [, sign = '', text = ''] = /^([<>]=?)?(.*)$/.exec(range) ?? [];
  const bound = numberOf(text);
  if (bound === undefined) return false;
  if (sign === '>') return value > bound + span;
  if (sign === '>=') return value >= bound;
  if (sign === '<') return value < bound;
  return sign === '<=' ? value <= bound + span : value >= bound && value <= bound + span;
}

export const includesText = (text: string | null, words: string): boolean => (text ?? '').toLowerCase().includes(words.toLowerCase());
