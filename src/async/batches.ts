// A list in pieces of bounded size.

/** In order; all of `size` items but the last, which has the rest. */
export function* batchesOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
