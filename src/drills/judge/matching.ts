// Pairs of two lists, as many as can be (Kuhn's augmenting paths).

/** For each left item the index of its own right item; undefined where none is left for it. */
export function matchMost<L, R>(left: readonly L[], right: readonly R[], fits: (left: L, right: R) => boolean): (number | undefined)[] {
  const ownerOf: (number | undefined)[] = [];
  const options = left.map((item) => right.flatMap((candidate, index) => (fits(item, candidate) ? [index] : [])));
  const place = (index: number, seen: Set<number>): boolean => {
    for (const candidate of options[index]!) {
      if (seen.has(candidate)) continue;
      seen.add(candidate);
      const owner = ownerOf[candidate];
      if (owner !== undefined && !place(owner, seen)) continue;
      ownerOf[candidate] = index;
      return true;
    }
    return false;
  };
  for (const index of left.keys()) place(index, new Set());
  const taken: (number | undefined)[] = left.map(() => undefined);
  for (const [candidate, owner] of ownerOf.entries()) if (owner !== undefined) taken[owner] = candidate;
  return taken;
}
