// Texts that are cut, for messages and evidence: never between the halves of a surrogate pair. Also evaluated inside the realm.
//   CUT-TEXT-1. What a cut gives is well-formed: UTF-8 and canonical JSON can carry it.

declare global {
  interface String {
    /** ECMAScript 2024, in Node from version 20: false when half of a surrogate pair stands alone. */
    isWellFormed(): boolean;
    /** The same: with U+FFFD in place of each such half. */
    toWellFormed(): string;
  }
}

/** At most so many UTF-16 units. A pair that the cut would part is left out whole; a half that stood alone before is U+FFFD. */
export function beginningOf(text: string, unitsMax: number): string {
  const parts = text.length > unitsMax && isHalf(text, unitsMax - 1, 0xd800) && isHalf(text, unitsMax, 0xdc00);
  return text.slice(0, parts ? unitsMax - 1 : unitsMax).toWellFormed();
}

/** The same of the end of a text. */
export function endOf(text: string, unitsMax: number): string {
  const start = Math.max(text.length - unitsMax, 0);
  const parts = start > 0 && isHalf(text, start - 1, 0xd800) && isHalf(text, start, 0xdc00);
  return text.slice(parts ? start + 1 : start).toWellFormed();
}

/**
 * Two texts as they are where neither is longer; else cut alike, so that the first place where they differ is in what is kept. `…` stands
 * for what is left out.
 */
export function cutWhereTheyDiffer([left, right]: readonly [string, string], unitsMax: number): [string, string] {
  if (left.length <= unitsMax && right.length <= unitsMax) return [left, right];
  let same = 0;
  while (same < left.length && same < right.length && left.charCodeAt(same) === right.charCodeAt(same)) same++;
  // A little of what both have says where it is.
  const before = unitsMax >> 2;
  const start = same < unitsMax - before ? 0 : same - before;
  const cut = (text: string): string => {
    const rest = start === 0 ? text : `…${endOf(text, text.length - start)}`;
    return text.length - start <= unitsMax ? rest : `${beginningOf(rest, start === 0 ? unitsMax : unitsMax + 1)}…`;
  };
  return [cut(left), cut(right)];
}

/** Whether the unit is one of the 1024 halves that begin there. */
function isHalf(text: string, at: number, first: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === first;
}
