// Pairs of two lists, as many as can be (Kuhn's augmenting paths).

/** For each left item the index of its own right item; undefined where none is left for it. */
export function matchMost<L, R>(left: readonly L[], right: readonly R[], fits: (left: L, right: R) => boolean): (number | undefined)[] {
  const ownerOf: (number | undefined)[] = [];
  // With as many options as there are rivals and itself, one is always left for it: no more have to be known.
  const options = left.map((item) => firstPlaces(right, left.length, (candidate) => fits(item, candidate)));
  const place = (index: number, seen: Set<number>): boolean => {
    const own = options[index]!;
    // What is free before what somebody else would have to leave.
    const found =
      own.find((candidate) => ownerOf[candidate] === undefined) ??
      own.find((candidate) => !seen.has(candidate) && seen.add(candidate) && place(ownerOf[candidate]!, seen));
    if (found !== undefined) ownerOf[found] = index;
    return found !== undefined;
  };
  for (const index of left.keys()) place(index, new Set());
  const taken: (number | undefined)[] = left.map(() => undefined);
  for (const [candidate, owner] of ownerOf.entries()) if (owner !== undefined) taken[owner] = candidate;
  return taken;
}

function firstPlaces<T>(items: readonly T[], max: number, isWanted: (item: T) => boolean): number[] {
  const places: number[] = [];
  for (let place = 0; place < items.length && places.length < max; place++) if (isWanted(items[place]!)) places.push(place);
  return places;
}
